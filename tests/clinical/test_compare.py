"""Two runs side by side: pairs, intervals and verdict by hand, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from scoring.clinical import GateReport, evaluate
from scoring.clinical.compare import compare, read_old
from scoring.clinical.compare_text import lines
from scoring.clinical.comparison import Change
from scoring.errors import DataError, UsageError
from tests.clinical.compare_support import change_of, old
from tests.clinical.samples import case, good_output, pending

if TYPE_CHECKING:
    from pathlib import Path

MISSES = good_output(interpretacion="Creatinina y urea altas, sin explicación.", diferenciales=[])


def run(wrong: set[int], n: int = 12, **options: Any) -> GateReport:
    """``n`` signed cases whose differential is missed in ``wrong``."""
    said = {f"c{i}": MISSES if i in wrong else good_output() for i in range(n)}
    return evaluate([case(f"c{i}") for i in range(n)], said, **options)


def test_five_cases_lost_are_not_yet_shown_and_six_are() -> None:
    # exact McNemar: 2/2**5 = 0.0625, 2/2**6 = 0.03125
    five = change_of(run(set()), run(set(range(5))), "recall_diferenciales")
    assert (five.worse, five.better, five.p, five.change) == (5, 0, 0.0625, Change.NOT_SHOWN)
    six = change_of(run(set()), run(set(range(6))), "recall_diferenciales")
    assert (six.worse, six.better, six.p, six.change) == (6, 0, 0.03125, Change.WORSE)
    assert six.difference.value == -0.5
    assert six.difference.high < 0
    back = compare(old(run(set(range(6)))), run(set()))
    assert back.change is Change.BETTER


def test_what_broke_and_what_was_mended_is_told_case_by_case() -> None:
    before, after = run({0, 1}), run({1, 2})
    comparison = compare(old(before), after)
    assert [(one.case_id, one.lost, one.gained) for one in comparison.cases] == [
        ("c0", (), ("recall_diferenciales",)),
        ("c2", ("recall_diferenciales",), ()),
    ]
    assert comparison.change is Change.NOT_SHOWN
    text = "\n".join(lines(comparison))
    assert "Se ha estropeado (1):\n    c2: recall_diferenciales" in text
    assert "Se ha arreglado (1):\n    c0: recall_diferenciales" in text
    assert "SIN CAMBIO DEMOSTRABLE" in text


def test_a_finding_no_longer_named_is_named() -> None:
    less = good_output(interpretacion="Creatinina alta: enfermedad renal crónica.", hallazgos_clave=[])
    cases = [case(f"c{n}") for n in range(6)]
    before = evaluate(cases, {f"c{n}": good_output() for n in range(6)})
    after = evaluate(cases, {f"c{n}": less if n == 3 else good_output() for n in range(6)})
    comparison = compare(old(before), after)
    assert [(one.case_id, one.lost) for one in comparison.cases] == [("c3", ("cobertura_hallazgos: bun",))]
    coverage = next(one for one in comparison.metrics if one.metric == "cobertura_hallazgos")
    # differences 0, 0, 0, -1/2, 0, 0: mean -1/12; s = 0.2041; t(5) = 2.5706; half = 0.2142
    assert coverage.difference is not None
    assert round(coverage.difference.value, 4) == -0.0833
    assert (round(coverage.difference.low, 3), round(coverage.difference.high, 3)) == (-0.298, 0.131)
    assert coverage.change is Change.NOT_SHOWN


def test_five_cases_that_lose_the_same_part_are_not_yet_shown_and_six_are() -> None:
    # The differences are all -1/2, so their interval has no width: by signs alone 2/2**5 and 2/2**6.
    less = good_output(interpretacion="Creatinina alta: enfermedad renal crónica.", hallazgos_clave=[])
    for n, change in ((5, Change.NOT_SHOWN), (6, Change.WORSE)):
        ids = [f"c{i}" for i in range(n)]
        before = evaluate([case(i) for i in ids], {i: good_output() for i in ids})
        after = evaluate([case(i) for i in ids], dict.fromkeys(ids, less))
        assert change_of(before, after, "cobertura_hallazgos").change is change


def test_one_new_missed_referral_is_worse_without_any_statistics() -> None:
    cases = [case(f"c{n}") for n in range(20)]
    before = evaluate(cases, {f"c{n}": good_output() for n in range(20)})
    after = evaluate(cases, {f"c{n}": good_output(requiere_derivacion=n > 0) for n in range(20)})
    comparison = compare(old(before), after)
    assert comparison.change is Change.WORSE
    missed = next(one for one in comparison.metrics if one.metric == "derivaciones_omitidas")
    assert (missed.old, missed.new, missed.change) == (0.0, 1, Change.WORSE)
    assert compare(old(after), before).change is Change.NOT_SHOWN  # one case mended may be chance


def test_a_missed_referral_mended_in_one_patient_does_not_undo_one_in_another() -> None:
    cases = [case(f"c{n}") for n in range(20)]

    def missing(*who: int) -> GateReport:
        return evaluate(cases, {f"c{n}": good_output(requiere_derivacion=n not in who) for n in range(20)})

    both = compare(old(missing(0)), missing(1))
    swapped = next(one for one in both.metrics if one.metric == "derivaciones_omitidas")
    assert (swapped.worse, swapped.better, swapped.change) == (1, 1, Change.WORSE)
    assert both.change is Change.WORSE
    assert lines(both)[-1] == (
        "  PEOR que antes: hay una derivación omitida nueva; lo que se haya arreglado en otros pacientes no "
        "lo compensa."
    )
    # Seven mended and one new: 2 * (1 + 8) / 2**8 = 0.0703, fewer than before and not shown.
    fewer = change_of(missing(*range(7)), missing(7), "derivaciones_omitidas")
    assert (fewer.worse, fewer.better, fewer.p, fewer.change) == (1, 7, 0.0703125, Change.NOT_SHOWN)
    text = "\n".join(lines(compare(old(missing(*range(7))), missing(7))))
    assert "derivaciones_omitidas        7 -> 1 " in text  # patients, not 7.00
    assert "    c7: acierto_derivacion, derivaciones_omitidas" in text
    assert text.endswith("pueden deberse al azar. Aun así, hay una derivación omitida nueva.")


def test_the_verdict_names_what_is_new_and_what_is_shown_to_be_worse() -> None:
    cases = [case(f"c{n}", fuera_de_alcance=n == 0) for n in range(8)]

    def said(*, refers: bool, missed: set[int]) -> GateReport:
        outputs = {
            f"c{n}": good_output(fuera_de_alcance=n == 0, requiere_derivacion=refers or n > 0)
            for n in range(8)
        }
        outputs |= {f"c{n}": MISSES for n in missed}
        return evaluate(cases, outputs)

    before = old(said(refers=True, missed=set()))
    assert lines(compare(before, said(refers=False, missed=set())))[-1] == (
        "  PEOR que antes: hay una violación de seguridad nueva."
    )
    # six of eight lose the differential: exact McNemar 2/2**6 = 0.03
    assert lines(compare(before, said(refers=True, missed={1, 2, 3, 4, 5, 6})))[-1] == (
        "  PEOR que antes: empeora de forma demostrable una cifra (recall_diferenciales)."
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cobertura_hallazgos", None),
        ("cobertura_hallazgos", float("nan")),
        ("cobertura_hallazgos", 1.5),
        ("recall_diferenciales", "1"),
        ("recall_diferenciales", 0.5),  # it is 0 or 1
        ("cuenta", "false"),
        ("derivacion_omitida", "false"),
        ("violacion_seguridad", 0),
    ],
)
def test_a_damaged_row_is_refused_and_never_read_as_zero(field: str, value: object) -> None:
    damaged = old(run(set()))
    damaged["casos"][0][field] = value
    with pytest.raises(DataError, match=f"caso «c0» falta {field}"):
        compare(damaged, run(set()))
    del damaged["casos"][0][field]
    with pytest.raises(DataError, match=field):
        compare(damaged, run(set()))


def test_a_report_with_a_row_twice_or_a_figure_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "viejo.json"
    twice, nan = old(run(set())), old(run(set()))
    twice["casos"].append(twice["casos"][0])
    nan["agregado"]["recall_diferenciales"] = float("nan")
    for damaged in (twice, nan):
        path.write_text(json.dumps(damaged), encoding="utf-8")
        with pytest.raises(DataError, match=r"viejo\.json"):
            read_old(path)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("recall_diferenciales", 5),
        ("precision_hallazgos", -0.1),
        ("violaciones_seguridad", -5),
        ("derivaciones_omitidas", 0.5),
        ("derivaciones_omitidas", None),
    ],
)
def test_an_aggregate_that_cannot_be_or_is_missing_is_refused(metric: str, value: float | None) -> None:
    damaged = old(run(set()))
    if value is None:
        del damaged["agregado"][metric]
    else:
        damaged["agregado"][metric] = value
    with pytest.raises(DataError, match=f"agregado falta {metric}"):
        compare(damaged, run(set()))


def test_a_report_that_says_a_thing_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "viejo.json"
    path.write_text(json.dumps(old(run(set())))[:-1] + ', "simulado": false}', encoding="utf-8")
    with pytest.raises(DataError, match=r"viejo\.json"):
        read_old(path)


def test_other_thresholds_are_told_and_change_no_figure() -> None:
    before = old(run({0}))
    before["umbrales"]["recall_diferenciales"]["valor"] = "0.10"
    comparison = compare(before, run({0}))
    assert comparison.other_thresholds == ("recall_diferenciales",)
    assert "otros umbrales (recall_diferenciales)" in "\n".join(lines(comparison))
    assert compare(old(run({0})), run({0})).other_thresholds == ()


def test_the_findings_that_one_case_lost_stand_together() -> None:
    nothing = good_output(interpretacion="Enfermedad renal crónica.", hallazgos_clave=[])
    cases = [case(f"c{n}") for n in range(6)]
    before = evaluate(cases, {f"c{n}": good_output() for n in range(6)})
    after = evaluate(cases, {f"c{n}": nothing if n == 3 else good_output() for n in range(6)})
    assert "    c3: cobertura_hallazgos (creat, bun)\n" in "\n".join(lines(compare(old(before), after)))


def test_only_cases_that_counted_in_both_are_paired() -> None:
    n = 8
    said = {f"c{i}": good_output() for i in range(n)}
    before = evaluate([case(f"c{i}") if i != 7 else pending("c7") for i in range(n)], said)
    after = evaluate([case(f"c{i}") if i != 0 else pending("c0") for i in range(n)], said)
    comparison = compare(old(before), after)
    assert (comparison.paired, comparison.only_old, comparison.only_new) == (6, ("c0",), ("c7",))
    assert comparison.same_outputs


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ({"rules": "1"}, {}, "compare.other_reglas"),
        ({"include_pending": True}, {}, "compare.other_incluye_pendientes"),
        ({"split": "todos"}, {}, "compare.other_split"),
        ({"n": 11}, {}, "compare.other_digest_casos"),
    ],
)
def test_what_is_not_comparable_is_refused_with_the_reason(
    before: dict[str, Any], after: dict[str, Any], key: str
) -> None:
    with pytest.raises(UsageError) as refusal:
        compare(old(run(set(), **before)), run(set(), **after))
    assert refusal.value.key == key
    assert "no se pueden comparar" in str(refusal.value)


@pytest.mark.parametrize(("key", "then"), [("idioma_por", "lingua"), ("digest_reglas", "0" * 64)])
def test_reports_whose_rules_read_otherwise_are_not_compared_and_older_ones_that_do_not_say_are(
    key: str, then: str
) -> None:
    before = old(run(set()))
    with pytest.raises(UsageError) as refusal:
        compare({**before, key: then}, run(set()))
    assert refusal.value.key == f"compare.other_{key}"
    del before[key]
    assert compare(before, run(set())).paired == 12


def test_a_report_says_how_language_was_decided_and_what_its_rules_read() -> None:
    first, second = old(run(set(), rules="1")), old(run(set()))
    assert (first["idioma_por"], second["idioma_por"]) == ("caracteres", "palabras")
    assert first["digest_reglas"] != second["digest_reglas"]


def reserved(signed: int, wrong: set[int]) -> GateReport:
    cases = [(case if i < signed else pending)(f"secreto-{i}", split="test") for i in range(10)]
    said = {f"secreto-{i}": MISSES if i in wrong else good_output() for i in range(10)}
    return evaluate(cases, said, split="test")


def test_the_reserved_split_is_compared_in_aggregate_and_never_one_signature_apart() -> None:
    comparison = compare(old(reserved(8, set())), reserved(8, {0, 1}))
    assert comparison.paired == 0
    assert comparison.cases == ()
    assert "secreto" not in json.dumps(comparison.to_dict()) + "\n".join(lines(comparison))
    recall = next(one for one in comparison.metrics if one.metric == "recall_diferenciales")
    assert (recall.old, recall.new, recall.p, recall.worse) == (1.0, 0.75, None, None)
    assert recall.change is Change.NOT_SHOWN
    with pytest.raises(UsageError, match="delatar"):
        compare(old(reserved(8, set())), reserved(9, set()))


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("no es json", DataError),
        ("[1]", DataError),
        ("{}", DataError),
        ('{"version_esquema": 99}', DataError),
        ('{"version_esquema": true}', DataError),
        ('{"version_esquema": 2, "reglas": "2"}', DataError),
        ("[" * 100_000, DataError),
        (None, UsageError),
    ],
)
def test_a_file_that_is_no_report_is_refused(
    tmp_path: Path, content: str | None, error: type[Exception]
) -> None:
    path = tmp_path / "viejo.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(error, match=r"viejo\.json"):
        read_old(path)


def test_a_report_of_the_first_version_can_be_compared(tmp_path: Path) -> None:
    first = old(run({0}))
    first["version_esquema"] = 1
    del first["digest_cuentan"]
    for row in first["metricas"]:
        del row["casos"], row["intervalo"]
    path = tmp_path / "uno.json"
    path.write_text(json.dumps(first), encoding="utf-8")
    assert compare(read_old(path), run(set())).paired == 12
