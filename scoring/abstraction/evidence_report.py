"""What the finalization gate answers with: issues, the report, the receipt, and the error that refuses.

All of them are value-free: digests, counts, codes and field ids. They check themselves when made, and drop
what they refuse before they raise, so that a traceback printed with local variables does not show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.canonical import canonical_json
from scoring.abstraction.grammar import MAX_COLLECTION, is_digest, is_field_id

if TYPE_CHECKING:
    from collections.abc import Sequence

ABSTRACTION_EVIDENCE_SCHEMA: Final = "openmed.agent.workflows.abstraction_evidence.v1"
"""Enters the report digest; the name is part of the compatible format."""

ISSUE_CODES: Final = frozenset(
    {
        # the four that the gate finds by itself
        "generated_only_evidence",
        "missing_field_evidence",
        "missing_source_evidence",
        "review_not_approved",
        # what a producer of chains may add
        "missing_locator_evidence",
        "non_text_locator_evidence",
        "missing_artifact_evidence",
        "conflicting_facts",
        "derived_only_evidence",
        "source_kind_undeclared",
        "subject_mismatch",
        "review_receipt_mismatch",
    }
)

_set: Final = object.__setattr__

Refusal = tuple[str, str]
"""A code and the public name of the attribute that broke it."""


class AbstractionEvidenceError(ValueError):
    """A refused piece of evidence, or evidence that cannot be finalized.

    Attributes:
        code: stable name of the fault.
        field_name: public attribute concerned, or None.
        report: with the code ``evidence_not_finalizable``, the report that says why; else None.
    """

    def __init__(
        self, code: str, field_name: str | None = None, *, report: AbstractionEvidenceReport | None = None
    ) -> None:
        super().__init__(code if field_name is None else f"{field_name}: {code}")
        self.code = code
        self.field_name = field_name
        self.report = report


@dataclass(frozen=True, slots=True, order=True, init=False)
class AbstractionEvidenceIssue:
    """One reason why a record cannot be finalized. Ordered by code, then field.

    Raises:
        AbstractionEvidenceError: ``invalid_issue_code`` or ``invalid_field_id``.
    """

    code: str
    field_id: str

    def __init__(self, code: str, field_id: str) -> None:
        refused: Refusal | None = None
        if type(code) is not str or code not in ISSUE_CODES:
            refused = "invalid_issue_code", "code"
        elif not is_field_id(field_id):
            refused = "invalid_field_id", "field_id"
        if refused is not None:
            del self, code, field_id
            raise AbstractionEvidenceError(*refused)
        _set(self, "code", code)
        _set(self, "field_id", field_id)

    def to_dict(self) -> dict[str, str]:
        """Code and field id."""
        return {"code": self.code, "field_id": self.field_id}


@dataclass(frozen=True, slots=True)
class AbstractionEvidenceReport:
    """What the gate found. Value-free: digests, counts, codes and field ids.

    Raises:
        AbstractionEvidenceError: a report made by hand breaks a rule (``invalid_digest``,
            ``invalid_issues``, ``issues_not_sorted``, ``invalid_count``, ``count_out_of_range``,
            ``invalid_schema``). That ``report_digest`` fits the rest is not verified.
    """

    evidence_digest: str
    required_fields_digest: str
    report_digest: str
    issues: tuple[AbstractionEvidenceIssue, ...]
    chain_count: int
    required_field_count: int
    clinical_source_count: int
    approved_field_count: int
    schema: str = ABSTRACTION_EVIDENCE_SCHEMA

    def __post_init__(self) -> None:
        refused = _report_refusal(self)
        if refused is not None:
            del self
            raise AbstractionEvidenceError(*refused)

    @property
    def is_finalizable(self) -> bool:
        """No issue at all."""
        return not self.issues

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON values, with ``is_finalizable``."""
        return {
            **_hashed_part(self),
            "report_digest": self.report_digest,
            "is_finalizable": self.is_finalizable,
        }

    def to_json(self) -> str:
        """Canonical JSON."""
        return canonical_json(self.to_dict())


@dataclass(frozen=True, slots=True)
class FinalizedAbstractionEvidence:
    """The receipt: these chains were found final for these required fields.

    Raises:
        AbstractionEvidenceError: ``invalid_digest``, ``invalid_count`` or ``invalid_schema``.
    """

    evidence_digest: str
    required_fields_digest: str
    report_digest: str
    chain_count: int
    schema: str = ABSTRACTION_EVIDENCE_SCHEMA

    def __post_init__(self) -> None:
        refused = (
            _digest_refusal(self, ("evidence_digest", "required_fields_digest", "report_digest"))
            or _count_refusal(self, ("chain_count",))
            or _schema_refusal(self.schema)
        )
        if refused is not None:
            del self
            raise AbstractionEvidenceError(*refused)

    def to_dict(self) -> dict[str, str | int]:
        """The five attributes."""
        return {
            "schema": self.schema,
            "evidence_digest": self.evidence_digest,
            "required_fields_digest": self.required_fields_digest,
            "report_digest": self.report_digest,
            "chain_count": self.chain_count,
        }

    def to_json(self) -> str:
        """Canonical JSON."""
        return canonical_json(self.to_dict())


def receipt_of(report: AbstractionEvidenceReport) -> FinalizedAbstractionEvidence:
    """The receipt of a report without issues; whether it has none is for the caller to ask."""
    return FinalizedAbstractionEvidence(
        report.evidence_digest, report.required_fields_digest, report.report_digest, report.chain_count
    )


def _hashed_part(report: AbstractionEvidenceReport) -> dict[str, Any]:
    return {
        "schema": report.schema,
        "evidence_digest": report.evidence_digest,
        "required_fields_digest": report.required_fields_digest,
        "issues": [issue.to_dict() for issue in report.issues],
        "chain_count": report.chain_count,
        "required_field_count": report.required_field_count,
        "clinical_source_count": report.clinical_source_count,
        "approved_field_count": report.approved_field_count,
    }


def _digest_refusal(value: object, names: Sequence[str]) -> Refusal | None:
    for name in names:
        if not is_digest(getattr(value, name)):
            return "invalid_digest", name
    return None


def _count_refusal(value: object, names: Sequence[str]) -> Refusal | None:
    for name in names:
        count = getattr(value, name)
        if type(count) is not int or not 0 <= count <= MAX_COLLECTION:
            return "invalid_count", name
    return None


def _schema_refusal(schema: object) -> Refusal | None:
    if type(schema) is not str or schema != ABSTRACTION_EVIDENCE_SCHEMA:
        return "invalid_schema", "schema"
    return None


def _report_refusal(report: AbstractionEvidenceReport) -> Refusal | None:
    refused = _digest_refusal(report, ("evidence_digest", "required_fields_digest", "report_digest"))
    if refused is not None:
        return refused
    issues: object = report.issues
    if type(issues) is not tuple or any(type(issue) is not AbstractionEvidenceIssue for issue in issues):
        return "invalid_issues", "issues"
    if list(report.issues) != sorted(report.issues):
        return "issues_not_sorted", "issues"
    refused = _count_refusal(
        report, ("chain_count", "required_field_count", "clinical_source_count", "approved_field_count")
    )
    if refused is not None:
        return refused
    for name in ("clinical_source_count", "approved_field_count"):
        if getattr(report, name) > report.chain_count:
            return "count_out_of_range", name
    return _schema_refusal(report.schema)
