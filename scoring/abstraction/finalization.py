"""The finalization gate: may the abstraction of one record be called final?

It compares the evidence chains of a record with the fields that must have evidence. What it answers is in
:mod:`scoring.abstraction.evidence_report`: the report says which fields lack approved clinical evidence; a
report without issues becomes a receipt. Both carry digests over canonical JSON, so that anyone who holds
the same chains can recompute them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.canonical import digest
from scoring.abstraction.evidence import AbstractionEvidenceChain, ReviewerState
from scoring.abstraction.evidence_report import (
    ABSTRACTION_EVIDENCE_SCHEMA,
    AbstractionEvidenceError,
    AbstractionEvidenceIssue,
    AbstractionEvidenceReport,
    FinalizedAbstractionEvidence,
    receipt_of,
)
from scoring.abstraction.grammar import MAX_COLLECTION, bounded, is_field_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scoring.abstraction.evidence_report import Refusal

_set: Final = object.__setattr__


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
