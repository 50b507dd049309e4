"""The finalization gate: may the abstraction of one record be called final?

A report says which fields lack approved clinical evidence; without any issue it becomes a receipt.
Both carry digests over canonical JSON, so that anyone holding the same chains can recompute them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.canonical import canonical_json, digest
from scoring.abstraction.evidence import AbstractionEvidenceChain, AbstractionEvidenceError, ReviewerState
from scoring.abstraction.grammar import MAX_COLLECTION, bounded, is_digest, is_field_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


@dataclass(frozen=True, slots=True, order=True, init=False)
class AbstractionEvidenceIssue:
    """One reason why a record cannot be finalized. Ordered by code, then field.

    Raises:
        AbstractionEvidenceError: ``invalid_issue_code`` or ``invalid_field_id``.
    """

    code: str
    field_id: str

    def __init__(self, code: str, field_id: str) -> None:
        refused: tuple[str, str] | None = None
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


@dataclass(frozen=True, slots=True, init=False)
class ChartAbstractionEvidence:
    """The chains of one record, at most one for a field, with what their producer objects to.

    Args:
        chains: any iterable of at most 10,000 chains; kept sorted by field id. May be empty.
        blocking_issues: issues the producer brings; kept sorted, each once.

    Raises:
        AbstractionEvidenceError: ``invalid_collection``, ``too_many_items``, ``invalid_chain``,
            ``invalid_issues`` or ``duplicate_field``, with the name of the argument.
    """

    chains: tuple[AbstractionEvidenceChain, ...] = field(repr=False)
    blocking_issues: tuple[AbstractionEvidenceIssue, ...]

    def __init__(
        self,
        chains: Iterable[AbstractionEvidenceChain],
        *,
        blocking_issues: Iterable[AbstractionEvidenceIssue] = (),
    ) -> None:
        kept, refused = _chains(chains)
        issues: Sequence[AbstractionEvidenceIssue] = ()
        if refused is None:
            issues, refused = _issues(blocking_issues)
        if refused is not None:
            del self, chains, blocking_issues, kept, issues
            raise AbstractionEvidenceError(*refused)
        _set(self, "chains", tuple(kept))
        _set(self, "blocking_issues", tuple(issues))

    @property
    def evidence_digest(self) -> str:
        """Digest over the chain digests in field order, and over the blocking issues if there are any."""
        chains = [chain.chain_digest for chain in self.chains]
        if not self.blocking_issues:
            return digest(chains)
        return digest({"blocking_issues": [i.to_dict() for i in self.blocking_issues], "chains": chains})

    def evaluate(self, required_fields: Iterable[str]) -> AbstractionEvidenceReport:
        """Compare the chains with the field ids that must have evidence.

        Every chain is judged, required or not.

        Args:
            required_fields: 1 to 10,000 distinct field ids.

        Raises:
            AbstractionEvidenceError: ``invalid_collection``, ``too_many_items``, ``empty_collection``,
                ``duplicate_field`` (``required_fields``) or ``invalid_field_id`` (``field_id``).
        """
        outcome = self._judge(required_fields)
        if not isinstance(outcome, AbstractionEvidenceReport):
            del self, required_fields
            raise AbstractionEvidenceError(*outcome)
        return outcome

    def finalize(self, required_fields: Iterable[str]) -> FinalizedAbstractionEvidence:
        """The receipt, if :meth:`evaluate` finds no issue.

        Raises:
            AbstractionEvidenceError: ``evidence_not_finalizable`` with the report attached, or what
                :meth:`evaluate` raises.
        """
        report = self._judge(required_fields)
        del required_fields
        if not isinstance(report, AbstractionEvidenceReport):
            del self
            raise AbstractionEvidenceError(*report)
        if not report.is_finalizable:
            del self
            raise AbstractionEvidenceError("evidence_not_finalizable", report=report)
        return receipt_of(report)

    def _judge(self, required_fields: Iterable[str]) -> AbstractionEvidenceReport | Refusal:
        required, refused = _required(required_fields)
        if refused is not None:
            return refused
        issues = set(self.blocking_issues)
        having = {chain.field_id for chain in self.chains}
        lacking = [name for name in required if name not in having]
        issues.update(AbstractionEvidenceIssue("missing_field_evidence", name) for name in lacking)
        for chain in self.chains:
            if not chain.source_locations:
                issues.add(AbstractionEvidenceIssue("missing_source_evidence", chain.field_id))
            elif not chain.has_clinical_source:
                issues.add(AbstractionEvidenceIssue("generated_only_evidence", chain.field_id))
            if chain.reviewer_state is not ReviewerState.APPROVED:
                issues.add(AbstractionEvidenceIssue("review_not_approved", chain.field_id))
        counted: dict[str, Any] = {
            "evidence_digest": self.evidence_digest,
            "required_fields_digest": digest(required),
            "issues": tuple(sorted(issues)),
            "chain_count": len(self.chains),
            "required_field_count": len(required),
            "clinical_source_count": sum(chain.has_clinical_source for chain in self.chains),
            "approved_field_count": sum(
                chain.reviewer_state is ReviewerState.APPROVED for chain in self.chains
            ),
        }
        hashed = {
            **counted,
            "issues": [issue.to_dict() for issue in counted["issues"]],
            "schema": ABSTRACTION_EVIDENCE_SCHEMA,
        }
        return AbstractionEvidenceReport(report_digest=digest(hashed), **counted)


def receipt_of(report: AbstractionEvidenceReport) -> FinalizedAbstractionEvidence:
    """The receipt of a report without issues; whether it has none is for the caller to ask."""
    return FinalizedAbstractionEvidence(
        report.evidence_digest, report.required_fields_digest, report.report_digest, report.chain_count
    )


def _chains(
    items: Iterable[AbstractionEvidenceChain],
) -> tuple[list[AbstractionEvidenceChain], Refusal | None]:
    found, code = bounded(items, MAX_COLLECTION)
    if found is None:
        return [], (str(code), "chains")
    if any(type(item) is not AbstractionEvidenceChain for item in found):
        return [], ("invalid_chain", "chains")
    found.sort(key=lambda chain: chain.field_id)
    if len({chain.field_id for chain in found}) != len(found):
        return [], ("duplicate_field", "chains")
    return found, None


def _issues(
    items: Iterable[AbstractionEvidenceIssue],
) -> tuple[list[AbstractionEvidenceIssue], Refusal | None]:
    found, code = bounded(items, MAX_COLLECTION)
    if found is None:
        return [], (str(code), "blocking_issues")
    if any(type(item) is not AbstractionEvidenceIssue for item in found):
        return [], ("invalid_issues", "blocking_issues")
    return sorted(set(found)), None


def _required(items: Iterable[str]) -> tuple[list[str], Refusal | None]:
    found, code = bounded(items, MAX_COLLECTION)
    if found is None:
        return [], (str(code), "required_fields")
    if not found:
        return [], ("empty_collection", "required_fields")
    if not all(map(is_field_id, found)):
        return [], ("invalid_field_id", "field_id")
    if len(set(found)) != len(found):
        return [], ("duplicate_field", "required_fields")
    return sorted(found), None


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
