"""The pending cases as a Markdown paper to read, print and scribble on.

Everything that comes from data is escaped, so a description can never become a heading, a ticked box, a
link or HTML. The last line carries a digest of the rest: a paper somebody wrote on is recognised and is
not overwritten unasked.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from scoring import messages
from scoring.errors import ConflictError
from scoring.files import atomic_write, is_stream, write_report
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from pathlib import Path

    from reviewer.sheet import ReviewSheet, SheetValue

# Data never stands at the start of a line, so the marks that only act there need no escape.
_ACTIVE = re.compile(r"([\\`*_\[\]<>|~&$@])|(?<=[A-Za-z])(:)(?=//)|(?<=\bwww)(\.)", re.ASCII)
_SEAL = re.compile(rb"\n<!-- revision-clinica sha256:([0-9a-f]{64}) -->\n\Z")


def escape(value: str) -> str:
    """``value`` as literal Markdown text on one line."""
    return _ACTIVE.sub(lambda found: "\\" + found.group(0), plain(value).strip())


def _t(key: str, **fields: object) -> str:
    return messages.text(f"hoja.{key}", **fields)


def sheets_markdown(
    sheets: Sequence[ReviewSheet],
    *,
    total: int,
    today: date,
    source: str,
    label: str | None,
    command: str | None,
) -> str:
    """The whole paper, without its seal.

    Args:
        sheets: of the cases that wait for a signature, or for their author, in queue order.
        total: number of cases of the data set.
        today: date of the paper.
        source: path of the data set, as the reader knows it.
        label: the label of a synthetic set, or None.
        command: the command that signs, up to the option ``--validar``; None for a paper of returned cases.
    """
    kind = "title" if command is not None else "title_returned"
    lines = [f"# {_t(kind)}", ""]
    if label:
        lines += [f"> **{escape(label)}**", ""]
    lines += [
        _t(
            "summary" if command is not None else "summary_returned",
            date=today.isoformat(),
            n=len(sheets),
            total=total,
        ),
        "",
        _t("source", path=escape(source)),
        "",
    ]
    if command is None:
        lines += [_t("how_to_answer"), ""]
    else:
        signs = f'    {command} --validar ID --revisor "{_t("your_name")}"'
        lines += [_t("how_to_sign"), "", signs, ""]
    for sheet in sheets:
        lines += _case(sheet)
    return "\n".join(lines).rstrip() + "\n"


def case_markdown(sheet: ReviewSheet) -> str:
    """One case of the paper by itself."""
    return "\n".join(_case(sheet)[2:]).rstrip() + "\n"


def _case(sheet: ReviewSheet) -> list[str]:
    place = f"{_t('split')} {escape(sheet.split)}"
    if sheet.batch:
        place += f" · {_t('batch')} {escape(sheet.batch)}"
    lines = ["---", "", f"## {escape(sheet.case_id)}", "", place, ""]
    if sheet.description:
        lines += [f"{_t('description')}: {escape(sheet.description)}", ""]
    if sheet.state.reason != "record.pending":
        lines += [f"> {escape(sheet.state.sentence())}", ""]
    lines += _list(_t("changes"), [change.sentence() for change in sheet.changes], when_empty=False)
    lines += [f"- **{escape(label)}:** {escape(value)}" for label, value in sheet.signalment]
    lines += [f"- **{_t('signs')}:** {escape(sheet.signs) or _t('none')}", ""]
    for problem in sheet.problems:
        lines += [f"- ⚠ {escape(problem.sentence())}"]
    if sheet.problems:
        lines += ["", _t("cannot_sign"), ""]
    lines += _values_table(sheet.values)
    lines += _engine(sheet)
    lines += _list(_t("key_findings"), sheet.key_findings)
    lines += _list(_t("disagreements"), [d.text for d in sheet.disagreements], when_empty=False)
    lines += [f"### {_t('differentials')}", ""]
    lines += [f"- [ ] {escape(name)}" for name in sheet.differentials] or [f"- {_t('none_masc')}"]
    lines += ["", f"### {_t('decision')}", ""]
    yes, no = _t("yes"), _t("no")
    lines += [
        f"- [ ] {_t('referral')}: **{yes if sheet.referral else no}**",
        f"- [ ] {_t('out_of_scope')}: **{yes if sheet.out_of_scope else no}**",
        "",
    ]
    return lines


def _values_table(values: Sequence[SheetValue]) -> list[str]:
    lines = [f"### {_t('values')}", ""]
    if not values:
        return [*lines, _t("no_values"), ""]
    heads = [_t(f"column_{name}") for name in ("analyte", "value", "unit", "range", "flag")]
    lines += [f"| {' | '.join(heads)} |", "|---|---:|---|---|---|"]
    for row in values:
        flag = f"**{row.flag}** {messages.text(f'sheet.severity_{row.severity}')}" if row.flag else ""
        if not row.judged:
            flag = _t("not_judged")
        cells = [escape(cell) for cell in (row.name, row.value, row.unit, row.range)]
        lines.append(f"| {' | '.join(cells)} | {flag} |")
    moved = [f"- {escape(row.name)}: {escape(row.moved)}" for row in values if row.moved]
    return [*lines, "", *([_t("moved"), "", *moved, ""] if moved else [])]


def _engine(sheet: ReviewSheet) -> list[str]:
    lines = [f"### {_t('engine')}", ""]
    if sheet.engine_text:
        return [*lines, f"⚠ {escape(sheet.engine_text)}", "", *_notices(sheet)]
    if not sheet.findings:
        lines += [_t("no_findings"), ""]
    lines += [f"- {escape(text)}" for text in sheet.findings]
    if sheet.findings:
        lines.append("")
    for pattern in sheet.patterns:
        severity = messages.text(f"sheet.severity_{pattern.severity}")
        lines.append(f"- **{escape(pattern.name)}** ({severity}; {escape(pattern.parameters)})")
        detail = " ".join(escape(text) for text in (pattern.explanation, pattern.note) if text)
        if detail:
            lines.append(f"  {detail}")
        if pattern.source:
            lines.append(f"  *{_t('pattern_source')}: {escape(pattern.source)}*")
    if sheet.patterns:
        lines.append("")
    return lines + _notices(sheet)


def _notices(sheet: ReviewSheet) -> list[str]:
    return [*(f"- ⚠ {escape(text)}" for text in sheet.notices), *([""] if sheet.notices else [])]


def _list(title: str, items: Sequence[str], *, when_empty: bool = True) -> list[str]:
    if not items and not when_empty:
        return []
    return [f"### {title}", "", *([f"- {escape(item)}" for item in items] or [f"- {_t('none')}"]), ""]


def sealed(text: str) -> bytes:
    """The paper with its seal as last line."""
    body = text.encode("utf-8")
    return body + f"\n<!-- revision-clinica sha256:{hashlib.sha256(body).hexdigest()} -->\n".encode()


def is_untouched(data: bytes) -> bool:
    """Whether these bytes are a paper exactly as it was written."""
    seal = _SEAL.search(data)
    if seal is None:
        return False
    body = data[: seal.start()]
    return hashlib.sha256(body).hexdigest().encode() == seal.group(1)


def write_sheet(path: Path, text: str, *, force: bool) -> None:
    """Write the paper, unless one that somebody wrote on (or another file) is there.

    Raises:
        ConflictError: the file holds something else, and ``force`` is not given.
        WriteError: the disk refused it; what was there stays.
    """
    if is_stream(path):
        write_report(path, sealed(text))
        return
    if not force:
        try:
            there = path.read_bytes()
        except FileNotFoundError:
            there = b""
        except OSError:
            there = b"?"
        if there and not is_untouched(there):
            raise ConflictError("hoja.written_on", path=path)
    atomic_write(path, sealed(text))
