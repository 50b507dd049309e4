"""The recorded cases, taken through files: the same bytes, the same codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from scoring.abstraction.files import FileProblem, read_files
from scoring.abstraction.report import report_of

from .oracle import NotInJsonError, deep, dump, needs_recorded, recorded

if TYPE_CHECKING:
    from pathlib import Path


def has_lone_surrogate(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(has_lone_surrogate, value.values()))
    if isinstance(value, list):
        return any(map(has_lone_surrogate, value))
    return isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value)


@needs_recorded
@pytest.mark.parametrize("case", recorded("score"), ids=lambda case: case["id"])
@pytest.mark.parametrize("copies", [1, 40])
def test_a_recorded_case_gives_its_report_or_its_code_through_files(
    case: dict[str, Any], copies: int, tmp_path: Path
) -> None:
    """With ``copies`` > 1 right lines stand around the case's own, so that chunks have to be halved."""
    try:
        gold, outputs = deep(case["gold"]), deep(case["pred"])
    except NotInJsonError:
        pytest.skip("holds what no file can hold")
    if not all(isinstance(row, dict) and "case_id" in row for row in [*gold, *outputs]):
        pytest.skip("an item that is no row")
    (tmp_path / "gold.jsonl").write_text("".join(dump(row) + "\n" for row in gold), encoding="ascii")
    (tmp_path / "outputs.jsonl").write_text("".join(dump(row) + "\n" for row in outputs), encoding="ascii")
    if copies > 1:
        extra = [{"case_id": f"extra {n}", "field_id": "zz.extra", "value": n} for n in range(copies)]
        with (tmp_path / "gold.jsonl").open("a", encoding="ascii") as stream:
            stream.writelines(dump({**row, "field_type": "number"}) + "\n" for row in extra)
        with (tmp_path / "outputs.jsonl").open("a", encoding="ascii") as stream:
            stream.writelines(dump(row) + "\n" for row in extra)
    result = read_files(tmp_path / "gold.jsonl", tmp_path / "outputs.jsonl")
    if not result.problems and not result.gold_rows:
        assert copies == 1
        assert case["error"]["code"] == "invalid_gold_fields"
        return
    if result.problems:
        if has_lone_surrogate([gold, outputs]):
            assert "lone_surrogate" in {problem.code for problem in result.problems}
            return
        wanted = case["error"]
        if copies > 1 and not gold:
            pytest.skip("the added rows change what is wrong")
        expected = wanted.get("code") or "invalid_uncertainty"
        first = result.problems[0]
        if wanted["stage"] == "score":
            assert expected in {problem.code for problem in result.problems}
        else:
            assert isinstance(first, FileProblem)
            assert (first.code, first.line, first.source) == (
                expected,
                wanted["index"] + 1,
                "gold" if wanted["stage"] == "gold" else "outputs",
            )
            assert first.where == wanted.get("field", first.where)
        return
    assert not has_lone_surrogate([gold, outputs]), "half a character was accepted"
    if not gold:
        return  # with the added rows there is something to score
    report = report_of(result.tally)
    if copies == 1:
        assert report.to_json() == case["report"]
    else:
        wanted = json.loads(case["report"])["by_field"]
        found = json.loads(report.to_json())["by_field"]
        assert found.pop("zz.extra")["exact_agreement"]["success_count"] == copies
        assert found == wanted
