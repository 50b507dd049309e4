"""``--acuerdo``: how far the two reviews of each case agree, per kind of decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode, IntegrityError
from scoring.plain import plain
from scoring.record.agreed import Agreed, Decided, Pair, agreed
from scoring.record.audit import record_faults

if TYPE_CHECKING:
    from fractions import Fraction

    from reviewer.commands.context import Context
    from scoring.agreement import Agreement

_FIGURES = ("raw", "kappa", "alpha", "ac1")
_NAMES = {"raw": "acuerdo", "kappa": "kappa", "alpha": "alfa", "ac1": "ac1"}


def run(context: Context) -> int:
    """Print the figures; 4 while no case has two blind reviews. Writes nothing.

    Raises:
        IntegrityError: the record is damaged, so nothing can be said by it.
    """
    dataset = Dataset.open(context.readable)
    faults = record_faults(dataset.record)
    if faults:
        raise IntegrityError(
            "store.record_broken", path=dataset.record.path, n=len(faults), first=faults[0].sentence()
        )
    found = agreed(dataset.file, dataset.record)
    code = ExitCode.OK if found.pairs else ExitCode.NOTHING_TO_JUDGE
    if context.options.json:
        console.out_json(_to_dict(found, dataset, code))
        return int(code)
    if dataset.synthetic:
        console.out(messages.text("clinical.demo_label"))
    for line in _lines(found, dataset):
        console.out(plain(line))
    return int(code)


def _lines(found: Agreed, dataset: Dataset) -> list[str]:
    say = messages.text
    said = [say("status.data", path=dataset.path)]
    if not found.pairs:
        said.append(say("acuerdo.none"))
        rule = dataset.snapshot.rule
        if max(rule.dev, rule.test) == 1:
            said.append(say("acuerdo.not_asked"))
    else:
        said += [say("acuerdo.cases", n=len(found.pairs)), "", *_table(found), "", say("acuerdo.legend")]
        if found.couples > 1:
            said.append(say("acuerdo.couples", n=found.couples))
    if found.not_blind:
        said.append(say("acuerdo.not_blind", n=len(found.not_blind), ids=", ".join(found.not_blind)))
    apart = [pair for pair in found.pairs if pair.differences]
    if apart:
        said += ["", say("acuerdo.apart", n=len(apart))]
        said += [line for pair in apart for line in _pair_lines(pair)]
    return said


def _table(found: Agreed) -> list[str]:
    say = messages.text
    rows = [[say(f"acuerdo.head_{name}") for name in ("what", "n", "base_rate", *_FIGURES)]]
    rows += [
        [
            say(f"acuerdo.about_{kind}"),
            str(table.n),
            _shown(table, "base_rate"),
            *(_shown(table, name) for name in _FIGURES),
        ]
        for kind, table in found.figures
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _shown(table: Agreement, name: str) -> str:
    """A figure with three decimals, or in words why there is none."""
    value: Fraction | None = getattr(table, name)
    if _undefined(table, name):
        return messages.text("acuerdo.one_category")
    return messages.text("acuerdo.no_decisions") if value is None else f"{float(value):.3f}"


def _undefined(table: Agreement, name: str) -> bool:
    """Every answer is the same word: kappa and alpha divide by zero then. AC1 does not."""
    return table.single_category and name in {"kappa", "alpha"}


def _pair_lines(pair: Pair) -> list[str]:
    say = messages.text
    said = [say("acuerdo.pair", id=pair.case_id, first=pair.first, second=pair.second)]
    for one in pair.differences:
        yes, no = (pair.first, pair.second) if one.first else (pair.second, pair.first)
        said.append(say(f"acuerdo.differ_{one.about}", text=one.text, yes=yes, no=no))
    return said


def _to_dict(found: Agreed, dataset: Dataset, code: ExitCode) -> dict[str, Any]:
    return {
        "archivo": str(dataset.path),
        "etiqueta": messages.text("clinical.demo_label") if dataset.synthetic else None,
        "casos_con_dos_revisiones": len(found.pairs),
        "parejas_de_revisores": found.couples,
        "sin_dos_revisiones_a_ciegas": list(found.not_blind),
        "acuerdo": {str(kind): _figures(table) for kind, table in found.figures},
        "desacuerdos": [
            {
                "id": pair.case_id,
                "grupo": pair.split,
                "revisores": [pair.first, pair.second],
                "decisiones": [
                    {
                        "sobre": str(one.about),
                        "texto": one.text if one.about is Decided.DIFFERENTIAL else None,
                        "respuestas": [one.first, one.second],
                    }
                    for one in pair.differences
                ],
            }
            for pair in found.pairs
            if pair.differences
        ],
        "codigo_salida": int(code),
    }


def _figures(table: Agreement) -> dict[str, Any]:
    def number(name: str) -> float | None:
        value: Fraction | None = getattr(table, name)
        return None if value is None or _undefined(table, name) else float(value)

    return {
        "n": table.n,
        "coinciden_en_si": table.both_yes,
        "coinciden_en_no": table.both_no,
        "tasa_base": number("base_rate"),
        **{_NAMES[name]: number(name) for name in _FIGURES},
        "indefinido": messages.text("acuerdo.one_category") if table.single_category else None,
    }
