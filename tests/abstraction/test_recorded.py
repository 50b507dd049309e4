"""The recorded cases through the library: byte-equal reports and receipts, equal codes."""

from __future__ import annotations

from typing import Any

import pytest

from scoring import abstraction as A  # noqa: N812 - one letter keeps the rows readable

from .oracle import decoded, needs_recorded, recorded


def label(kind: Any, value: Any) -> Any:
    plain = decoded(value)
    try:
        return kind(plain)
    except ValueError:
        return plain


def code(error: ValueError) -> dict[str, str]:
    found = {"code": getattr(error, "code", None) or str(error)}
    name = getattr(error, "field_name", None)
    return found | ({"field": name} if name else {})


def location(value: Any) -> Any:
    if not isinstance(value, dict) or "source_digest" not in value:
        return decoded(value)
    return A.SourceLocation(
        decoded(value["source_digest"]),
        decoded(value["start_offset"]),
        decoded(value["end_offset"]),
        label(A.SourceKind, value.get("kind", "clinical_record")),
    )


def chain(value: Any) -> Any:
    if not isinstance(value, dict) or "$py" in value:
        return decoded(value)
    places = value["source_locations"]
    return A.AbstractionEvidenceChain(
        decoded(value["field_id"]),
        [location(place) for place in places] if isinstance(places, list) else decoded(places),
        decoded(value["normalized_fact_digest"]),
        label(A.TransformationKind, value["transformation_kind"]),
        decoded(value["transformation_digest"]),
        decoded(value["uncertainty"]),
        label(A.ReviewerState, value["reviewer_state"]),
    )


def scored(case: dict[str, Any]) -> Any:
    stage, index = "gold", 0
    try:
        rows = []
        for index, row in enumerate(case["gold"]):  # noqa: B007 - the place of a refusal is told
            rows.append(
                A.ChartAbstractionGoldField(
                    decoded(row["case_id"]),
                    decoded(row["field_id"]),
                    label(A.AbstractionFieldType, row["field_type"]),
                    decoded(row["value"]),
                )
                if "case_id" in row
                else decoded(row)
            )
        outputs = []
        for index, row in enumerate(case["pred"]):  # noqa: B007 - the place of a refusal is told
            stage = "evidence"
            evidence = chain(row["evidence_chain"]) if row.get("evidence_chain") is not None else None
            stage = "prediction"
            outputs.append(
                A.ChartAbstractionPrediction(
                    decoded(row["case_id"]),
                    decoded(row["field_id"]),
                    decoded(row["value"]),
                    decoded(row.get("normalized_fact_digest")),
                    evidence,
                )
                if "case_id" in row
                else decoded(row)
            )
        stage, index = "score", -1
        return A.run_chart_abstraction_benchmark(rows, outputs).to_json()
    except ValueError as error:
        return {"stage": stage, "index": None if index < 0 else index, **code(error)}


@needs_recorded
@pytest.mark.parametrize("case", recorded("score"), ids=lambda case: case["id"])
def test_a_recorded_scoring_gives_the_same_bytes_or_the_same_code(case: dict[str, Any]) -> None:
    wanted = case.get("report") or dict(case["error"])
    if isinstance(wanted, dict) and wanted.pop("uncontrolled", None):
        wanted |= {"code": "invalid_uncertainty", "field": "uncertainty"}
    found = scored(case)
    if isinstance(wanted, str) or isinstance(found, str):
        assert found == wanted
    else:
        assert {key: found.get(key) for key in wanted} == wanted


@needs_recorded
@pytest.mark.parametrize("case", recorded("finalize"), ids=lambda case: case["id"])
def test_a_recorded_finalization_gives_the_same_digests_report_and_receipt(case: dict[str, Any]) -> None:
    stage = "evidence"
    try:
        chains = [chain(value) for value in case["chains"]]
        stage = "issue"
        issues = [
            A.AbstractionEvidenceIssue(decoded(issue["code"]), decoded(issue["field_id"]))
            for issue in case["blocking_issues"]
        ]
        stage = "collection"
        evidence = A.ChartAbstractionEvidence(chains, blocking_issues=issues)
        required = decoded(case["required_fields"])
        required = [decoded(name) for name in required] if isinstance(required, list) else required
        stage = "evaluate"
        report = evidence.evaluate(required)
    except ValueError as error:
        found = {"stage": stage, **code(error)}
        wanted = {key: value for key, value in case["error"].items() if key != "index"}
        assert found == wanted
        return
    assert "error" not in case
    assert {c.field_id: c.chain_digest for c in evidence.chains} == case["chain_digests"]
    assert {
        c.field_id: [place.location_digest for place in c.source_locations] for c in evidence.chains
    } == case["location_digests"]
    assert report.to_json() == case["report"]
    if case.get("finalize_error") is None:
        assert evidence.finalize(required).to_json() == case["receipt"]
    else:
        with pytest.raises(A.AbstractionEvidenceError, match=case["finalize_error"]):
            evidence.finalize(required)


@needs_recorded
def test_the_recorded_intervals_are_equal_to_the_last_bit() -> None:
    (case,) = recorded("interval")
    for successes, trials, wanted in case["rows"]:
        interval = A.AbstractionMetric(successes, trials).interval
        assert (None if interval is None else list(interval)) == wanted


@needs_recorded
def test_the_recorded_metric_counts_are_refused() -> None:
    (case,) = recorded("metric_error")
    for successes, trials, wanted in case["rows"]:
        with pytest.raises(ValueError, match=wanted):
            A.AbstractionMetric(decoded(successes), decoded(trials))
