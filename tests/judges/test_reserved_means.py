"""Means of a judge and of the grounding over the reserved split: of all of it or of none, never of a case."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from scoring.judges.aggregate import judge_thresholds, measure, untold
from scoring.judges.grounding import metric_results, read_grounding_limits
from scoring.judges.ragas_lib import METRICS, Measured
from scoring.judges.rubric import CRITERIA, GROUNDING, Rubric
from tests.clinical.samples import case, line, write
from tests.judges.command_support import GIVEN, about, report_of
from tests.judges.loopback import rubric, serving
from tests.judges.processes import run

if TYPE_CHECKING:
    from pathlib import Path

GOOD = Rubric({name: Decimal("0.9") for name in CRITERIA}, violation=False, reason="")
GROUNDED = replace(GOOD, scores={**GOOD.scores, GROUNDING: Decimal("0.8")})
MEANS = frozenset(f"juez_{name}" for name in (*CRITERIA, GROUNDING)) | {"violaciones_seguridad_juez"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Five signed reserved cases with good outputs: enough for a verdict."""
    cases = [case(f"secreto{n}", split="test", signos_clinicos=f"signo-{n}.") for n in range(5)]
    write(tmp_path / "casos.jsonl", *cases)
    write(tmp_path / "salidas.jsonl", *(line(one["id"]) for one in cases))
    return tmp_path


@pytest.mark.parametrize(
    ("reserved", "names"),
    [
        ([], frozenset()),
        ([GOOD, GOOD, GOOD], frozenset()),
        ([GROUNDED, GROUNDED, GROUNDED], frozenset()),
        ([GOOD, GOOD, GOOD, None], MEANS),
        ([GOOD, GOOD], MEANS),
        # With passages for one case the mean of that criterion is that case.
        ([GOOD, GOOD, GROUNDED], frozenset({f"juez_{GROUNDING}"})),
    ],
)
def test_what_would_tell_of_a_reserved_case_is_not_told(
    reserved: list[Rubric | None], names: frozenset[str]
) -> None:
    assert untold(reserved) == names


def test_a_withheld_figure_is_named_without_value_and_its_threshold_is_not_met() -> None:
    limits = judge_thresholds()
    metrics, failures = measure([GOOD, GOOD, GROUNDED], 0, limits, {f"juez_{GROUNDING}"})
    found = {one.metric: (one.exact, one.cases, one.passes) for one in metrics}
    assert found[f"juez_{GROUNDING}"] == (None, 0, None)
    assert found["juez_seguridad"] == (Fraction(9, 10), 3, True)
    assert failures == (f"juez_{GROUNDING}=- (no se da: ver el juez)",)


def test_a_judge_that_leaves_out_one_reserved_case_gives_no_mean_and_a_whole_run_does(folder: Path) -> None:
    """Four times 0.9 and one 0.4 are 0.8 in the mean; 0.9 of the first four would give the fifth away."""

    def script(number: int, request: dict[str, Any]) -> Any:
        if about(request) == 4:
            return "no es una rúbrica" if gap else rubric(completitud=0.4)
        return rubric(completitud=0.9)

    asked = (*GIVEN, "--split", "test", "--juez", "ollama")
    with serving(script) as server:
        gap = True
        part = run("run_evals", *asked, cwd=folder, url=server.url)
        told = report_of(folder)
        gap = False
        whole = run("run_evals", *asked, cwd=folder, url=server.url)
    assert part.code == 1, "a gap closes the gate, as ever"
    shown = {
        name: told["agregado"][name] for name in (*MEANS, "casos_no_juzgados") if name in told["agregado"]
    }
    assert {name: value for name, value in shown.items() if value is not None} == {"casos_no_juzgados": 1}
    assert "juez_completitud" in told["juez_detalle"]["no_se_muestran"]
    assert "juez_completitud=- (no se da: ver el juez)" in told["fallos"]
    assert "cifra que no se da, porque es solo de una parte de los casos reservados" in part.out
    judged = [one for one in part.out.splitlines() if one.strip().startswith("juez_") and "=" not in one]
    assert len(judged) == 4
    assert all(one.split()[1] == "-" for one in judged)
    assert report_of(folder)["agregado"]["juez_completitud"] == 0.8
    assert whole.code == 0, whole.out


def test_an_output_for_one_reserved_case_only_is_not_judged_alone(folder: Path) -> None:
    write(folder / "salidas.jsonl", line("secreto0"))
    with serving() as server:
        done = run("run_evals", *GIVEN, "--split", "test", "--juez", "ollama", cwd=folder, url=server.url)
        assert server.requests == []
    assert done.code == 4
    assert "Los textos van a" not in done.err, "nothing is sent"
    assert set(report_of(folder)["agregado"].values()) == {None}


def test_whoever_may_see_single_reserved_cases_sees_the_means_of_some(folder: Path) -> None:
    write(folder / "salidas.jsonl", line("secreto0"))
    own = ("--split", "test", "--juez", "ollama", "--detalle-test", "--revisor", "Ana Ruiz")
    with serving() as server:
        run("run_evals", *GIVEN, *own, cwd=folder, url=server.url)
    assert report_of(folder)["agregado"]["juez_seguridad"] is not None


def test_the_mean_of_a_grounding_metric_lacks_no_reserved_sample() -> None:
    limits = read_grounding_limits()
    whole = [Measured(f"c{n}", METRICS[0], 0.5, "", 0.0) for n in range(20)]
    torn = [*whole[:-1], replace(whole[-1], value=None, reason="nan")]
    for reserved, exact, enough in (
        (frozenset[str](), Fraction(1, 2), True),
        (frozenset({"c19"}), None, False),
    ):
        found = metric_results(torn, limits, reserved=reserved)[0]
        assert (found.figure.exact, found.enough, found.withheld) == (exact, enough, not enough)
    assert metric_results(whole, limits, reserved=frozenset({"c19"}))[0].figure.exact == Fraction(1, 2)
