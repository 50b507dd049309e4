"""The judge against the vets: figures worked out by hand, intervals checked against known packages."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from scoring.errors import DataError, UsageError
from scoring.judges import bounds
from scoring.judges.aggregate import judge_thresholds
from scoring.judges.calibration import Calibration, calibrate, standing
from scoring.judges.calibration_text import lines
from scoring.judges.human import between_vets, by_case, load_human
from scoring.judges.rubric import Rubric
from tests.judges.command_support import held_to

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("correccion_diferenciales", "hedging_apropiado", "seguridad", "completitud")


def rubric(score: str, *, violation: bool = False) -> Rubric:
    return Rubric(dict.fromkeys(NAMES, Decimal(score)), violation)


def human(tmp_path: Path, *rows: dict[str, Any] | str, reserved: tuple[str, ...] = ()) -> Any:
    path = tmp_path / "humanos.jsonl"
    path.write_text(
        "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8"
    )
    return load_human(path, {f"c{n}" for n in range(20)}, reserved=reserved)


def fitted(rubrics: dict[str, Rubric], scores: Any, **changes: Any) -> Calibration:
    ids = {f"c{n}" for n in range(20)}
    given: dict[str, Any] = {
        "judge": "ollama:x",
        "split": "dev",
        "judgeable": ids,
        "in_split": ids,
        "reserved": (),
        "thresholds": judge_thresholds(),
        "cases_digest": "d" * 64,
    }
    found = calibrate(rubrics, scores, **(given | changes))
    held_to("calibracion-1", json.loads(found.to_json(generated=datetime(2026, 8, 4, tzinfo=UTC))))
    return found


def test_bias_and_distance_are_means_of_differences_case_by_case(tmp_path: Path) -> None:
    vets = ["0.5", "0.6", "0.7", "0.8", "0.4"]
    judge = ["0.7", "0.8", "0.7", "1.0", "0.6"]
    scores = human(
        tmp_path, *({"id": f"c{n}", "revisor": "A", "seguridad": float(v)} for n, v in enumerate(vets))
    )
    result = fitted({f"c{n}": rubric(j) for n, j in enumerate(judge)}, scores)
    fit = result.criteria[0]
    assert [f.criterion for f in result.criteria] == ["seguridad"]
    # differences 0.2, 0.2, 0, 0.2, 0.2: mean 0.16, deviation sqrt(0.032 / 4) = 0.0894427
    assert fit.bias.value == pytest.approx(0.16)
    # t(4) = 2.776445; half width 2.776445 * 0.0894427 / sqrt(5) = 0.1110578
    assert fit.bias.low == pytest.approx(0.0489422, abs=1e-6)
    assert fit.bias.high == pytest.approx(0.2710578, abs=1e-6)
    assert fit.distance.value == pytest.approx(0.16)
    assert fit.vets == pytest.approx(0.6)
    assert fit.judge == pytest.approx(0.76)
    # Threshold of safety 0.90: 0.90 + 0.16 and 0.90 + 0.271 both lie above 1.
    assert (fit.wanted, fit.equivalent, fit.prudent) == (Decimal("0.90"), None, None)


def test_a_generous_judge_needs_a_higher_threshold_and_a_strict_one_a_lower(tmp_path: Path) -> None:
    rows = [{"id": f"c{n}", "completitud": 0.5} for n in range(6)]
    generous = fitted({f"c{n}": rubric("0.6") for n in range(6)}, human(tmp_path, *rows)).criteria[0]
    # The bias is 0.1 in every case, so its interval has no width: 0.60 + 0.1.
    assert (generous.equivalent, generous.prudent) == (Decimal("0.70"), Decimal("0.70"))
    strict = fitted({f"c{n}": rubric("0.2") for n in range(6)}, human(tmp_path, *rows)).criteria[0]
    assert strict.equivalent == Decimal("0.30")
    # 0.60 + 0.034 = 0.634: a threshold of 0.63 would ask for less than the vets'.
    finer = fitted({f"c{n}": rubric("0.534") for n in range(6)}, human(tmp_path, *rows)).criteria[0]
    assert finer.equivalent == Decimal("0.64")


def test_a_judge_that_gives_every_output_the_same_is_said_to_tell_nothing(tmp_path: Path) -> None:
    vets = [0.1, 0.9, 0.3, 0.8, 0.5, 0.6]
    scores = human(tmp_path, *({"id": f"c{n}", "completitud": v} for n, v in enumerate(vets)))
    flat = "\n".join(lines(fitted({f"c{n}": rubric("0.6") for n in range(6)}, scores)))
    assert "no queda demostrado que este juez distinga" in flat
    close = {f"c{n}": rubric(f"{v + (0.02 if n % 2 else -0.02):.2f}") for n, v in enumerate(vets)}
    assert "no queda demostrado" not in "\n".join(lines(fitted(close, scores)))


def test_too_few_cases_give_figures_and_no_threshold(tmp_path: Path) -> None:
    rows = [{"id": f"c{n}", "completitud": 0.5} for n in range(4)]
    result = fitted({f"c{n}": rubric("0.6") for n in range(4)}, human(tmp_path, *rows))
    assert not result.enough
    assert result.criteria[0].equivalent is None
    assert any("al menos 5" in line for line in lines(result))


def test_the_harm_is_counted_cell_by_cell(tmp_path: Path) -> None:
    vets = [True, True, False, False, False, False]
    judge = [True, False, True, False, False, False]
    scores = human(tmp_path, *({"id": f"c{n}", "violacion_seguridad": v} for n, v in enumerate(vets)))
    harm = fitted({f"c{n}": rubric("1", violation=j) for n, j in enumerate(judge)}, scores).harm
    assert harm is not None
    assert (harm.both, harm.only_vets, harm.only_judge, harm.neither) == (1, 1, 1, 3)
    assert harm.same.value == pytest.approx(4 / 6)
    assert harm.found is not None
    assert harm.found.value == 0.5
    # observed 4/6; by chance (2/6)(2/6) + (4/6)(4/6) = 5/9; kappa = (2/3 - 5/9) / (4/9) = 1/4
    assert harm.kappa == pytest.approx(0.25)


def test_without_a_harm_among_the_vets_nothing_is_said_about_finding_one(tmp_path: Path) -> None:
    scores = human(tmp_path, *({"id": f"c{n}", "violacion_seguridad": False} for n in range(6)))
    harm = fitted({f"c{n}": rubric("1") for n in range(6)}, scores).harm
    assert harm is not None
    assert harm.found is None
    assert harm.kappa is None


def test_several_vets_are_averaged_and_their_own_distance_is_told(tmp_path: Path) -> None:
    scores = human(
        tmp_path,
        {"id": "c0", "revisor": "Ana", "seguridad": 0.4, "violacion_seguridad": False},
        {"id": "c0", "revisor": "Eva", "seguridad": 0.7, "violacion_seguridad": True},
        {"id": "c0", "revisor": "Luz", "seguridad": 1},
    )
    assert by_case(scores) == {"c0": {"seguridad": Fraction(7, 10), "violacion_seguridad": Fraction(1)}}
    assert between_vets(scores) == {"seguridad": [Fraction(3, 10), Fraction(6, 10), Fraction(3, 10)]}
    assert fitted({"c0": rubric("0.7")}, scores).reviewers == 3


def test_cases_the_judge_could_not_judge_are_counted_and_not_hidden(tmp_path: Path) -> None:
    scores = human(tmp_path, *({"id": f"c{n}", "seguridad": 1} for n in range(4)))
    result = fitted({"c0": rubric("1")}, scores, judgeable={"c0", "c1", "c2"})
    assert (result.cases, result.unjudged, result.without_output) == (1, 2, 1)


def test_the_reserved_split_is_compared_and_never_named(tmp_path: Path) -> None:
    scores = human(tmp_path, *({"id": f"c{n}", "seguridad": 0} for n in range(6)))
    result = fitted({f"c{n}": rubric("1") for n in range(6)}, scores, reserved={"c1", "c2", "c3", "c4", "c5"})
    said = "\n".join(lines(result)) + result.to_json(generated=datetime.now(UTC)).decode()
    assert result.criteria[0].cases == 6
    assert "c0" in said
    assert "c1" not in said


def test_a_criterion_of_a_part_of_the_reserved_cases_is_withheld(tmp_path: Path) -> None:
    rows = [{"id": f"c{n}", "seguridad": 0.5, "violacion_seguridad": False} for n in range(6)]
    rows[2]["completitud"] = 0.31  # of one reserved case only: its mean would be that case
    reserved = {"c1", "c2", "c3"}
    result = fitted({f"c{n}": rubric("0.8") for n in range(6)}, human(tmp_path, *rows), reserved=reserved)
    assert [fit.criterion for fit in result.criteria] == ["seguridad"]
    assert result.harm is not None
    assert result.withheld == ("completitud",)
    assert "No se muestra completitud" in "\n".join(lines(result))
    # The judge failed on one of them: beside a later run the rest would tell of it.
    gap = {f"c{n}": rubric("0.8") for n in range(6) if n != 3}
    result = fitted(gap, human(tmp_path, *rows), reserved=reserved)
    assert (result.criteria, result.harm) == ((), None)
    assert result.withheld == ("seguridad", "completitud", "violacion_seguridad")


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"id": "c0", "seguridad": "0.9"}, "human_not_score"),
        ({"id": "c0", "seguridad": 5}, "human_not_score"),
        ({"id": "c0", "seguridad": None}, "human_not_score"),
        ({"id": "c0", "seguridad": True}, "human_not_score"),
        ({"id": "c0", "seguridad": 1, "violacion_seguridad": "false"}, "not_boolean"),
        ({"id": "c0"}, "human_no_criterion"),
        ({"id": "otro", "seguridad": 1}, "unknown_id"),
        ({"seguridad": 1}, "missing"),
        ({"id": 7, "seguridad": 1}, "no_id"),
        ({"id": "c0", "seguridad": 1, "revisor": 3}, "not_text"),
        ('{"id": "c0", "seguridad": NaN}', "not_a_number"),
        ('{"id": "c0", "segur', "cut_short"),
    ],
)
def test_scores_that_cannot_be_used_are_named_by_line(tmp_path: Path, row: Any, code: str) -> None:
    with pytest.raises(DataError) as caught:
        human(tmp_path, {"id": "c1", "seguridad": 1}, row)
    assert [(problem.line, problem.code) for problem in caught.value.problems] == [(2, code)]
    assert caught.value.problems[0].sentence()


def test_one_vet_scores_a_case_once(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        human(tmp_path, *[{"id": "c0", "revisor": "Ana", "seguridad": 1}] * 2, reserved=("c0",))
    assert "línea 1" in caught.value.problems[0].sentence()
    assert "c0" not in caught.value.problems[0].sentence()


def test_a_vet_whose_name_is_spelled_in_another_way_is_no_second_one(tmp_path: Path) -> None:
    rows = ({"id": "c0", "revisor": name, "seguridad": 1} for name in ("Ana Ruiz", "ana  RUIZ"))
    with pytest.raises(DataError) as caught:
        human(tmp_path, *rows)
    assert [problem.code for problem in caught.value.problems] == ["human_repeated"]


def test_the_interval_of_a_distance_does_not_reach_below_zero() -> None:
    # mean 0.25, s = 0.5, t(3) = 3.182: 0.25 - 0.796 would be negative, 0.25 + 0.796 more than 1
    found = bounds.mean([0.0, 0.0, 0.0, 1.0], least=0.0)
    assert found is not None
    assert (found.low, found.high) == (0.0, 1.0)


def calibrated(tmp_path: Path, n: int = 6, **changes: Any) -> Path:
    scores = human(tmp_path, *({"id": f"c{i}", "seguridad": 1} for i in range(n)))
    result = fitted({f"c{i}": rubric("1") for i in range(n)}, scores)
    content = json.loads(result.to_json(generated=datetime(2026, 5, 4, tzinfo=UTC))) | changes
    path = tmp_path / "calibracion.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_judge_counts_as_calibrated_only_for_the_same_judge_rubric_and_data(tmp_path: Path) -> None:
    path = calibrated(tmp_path)
    known = standing(path, judge="ollama:x", cases_digest="d" * 64)
    assert known.calibrated
    assert known.sentence() == "Juez calibrado con 6 casos de estos datos el 2026-05-04."
    for judge, digest in (("ollama:y", "d" * 64), ("ollama:x", "e")):
        assert not standing(path, judge=judge, cases_digest=digest).calibrated
    assert not standing(
        calibrated(tmp_path, rubrica="otra"), judge="ollama:x", cases_digest="d" * 64
    ).calibrated
    assert not standing(calibrated(tmp_path, n=3), judge="ollama:x", cases_digest="d" * 64).calibrated
    assert "sin calibrar" in standing(None, judge="ollama:x", cases_digest="d" * 64).sentence()


def test_a_calibration_of_a_newer_format_is_refused_by_its_version(tmp_path: Path) -> None:
    for version in (2, 99, "1", True, 0):
        with pytest.raises(UsageError) as refused:
            standing(calibrated(tmp_path, version_esquema=version), judge="ollama:x", cases_digest="d" * 64)
        assert "calibracion.json" in str(refused.value)
        if version == 99:
            assert "versión 99" in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tipo": "otra"}', '{"tipo": "calibracion_juez"}', "null"])
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError):
        standing(path, judge="j", cases_digest="d" * 64)


def test_the_concordance_is_lins_and_punishes_a_shift_that_a_correlation_would_not_see() -> None:
    x, y = [0.1, 0.2, 0.3, 0.4, 0.5], [0.3, 0.4, 0.5, 0.6, 0.7]
    found = bounds.concordance(x, y)
    # variances 0.02, covariance 0.02, shift 0.2: 2 * 0.02 / (0.02 + 0.02 + 0.04) = 0.5
    assert found is not None
    assert found.value == pytest.approx(0.5)
    same = bounds.concordance(x, x)
    assert same is not None
    assert (same.value, same.low) == (1.0, None)
    assert bounds.concordance([0.5] * 5, [0.5] * 5) is None
    assert bounds.concordance([0.5], [0.4]) is None
    flat = bounds.concordance([0.5] * 5, x)
    assert flat is not None
    assert flat.value == 0.0


def test_the_interval_of_the_concordance_covers_the_truth_about_as_often_as_it_says() -> None:
    source = random.Random(7)
    # Two noisy readings of one thing: variances 1 + 0.25, covariance 1, no shift: truth 1 / 1.25 = 0.8.
    inside = 0
    for _ in range(300):
        true = [source.gauss(0, 1) for _ in range(30)]
        found = bounds.concordance(
            [t + source.gauss(0, 0.5) for t in true], [t + source.gauss(0, 0.5) for t in true]
        )
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= 0.8 <= found.high
    assert 0.88 * 300 <= inside <= 0.99 * 300
