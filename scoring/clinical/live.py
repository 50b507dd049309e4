"""The gate that follows the signatures: every case is scored once, then only counted in or out.

The full run is this gate asked once (:func:`scoring.clinical.evaluate.evaluate`), so screen and CI
cannot disagree.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scoring.cases import CaseFile
from scoring.clinical import gate
from scoring.clinical.advice import advice
from scoring.clinical.entries import Entry, checked_cases, is_stored, state_from_data
from scoring.clinical.gate import Verdict
from scoring.clinical.interpretation import EMPTY
from scoring.clinical.lexicon import decided_by, rules_named, tables_digest
from scoring.clinical.listing import listed, open_parts, traits_by_id
from scoring.clinical.policy import shipped_policy
from scoring.clinical.predictions import Predictions, from_mapping
from scoring.clinical.report import RESERVED_SPLIT, SPLIT_CHOICES, GateReport
from scoring.clinical.rows import Row
from scoring.clinical.score import answer_key, score
from scoring.clinical.slices import slices
from scoring.clinical.standing import SignPreview, Standing
from scoring.clinical.stored_entries import StoredEntries
from scoring.clinical.tally import Tally
from scoring.errors import UsageError
from scoring.record import CaseState, Status
from scoring.record.audit import DataBreak

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scoring.cases import Case
    from scoring.clinical.gate import Threshold
    from scoring.clinical.score import CaseScore
    from scoring.problems import Problem

_DIGEST_TAG = "casos-v1"


class LiveGate:
    """Scores every case once and answers for any set of counted cases.

    After any sequence of calls ``report(split)`` equals, byte for byte, the report of a fresh gate on
    the same cases and states.

    Args:
        casos: the data set, or its cases (parsed, or as their lines say them), in file order.
        predicciones: checked predictions, or case id -> the object under ``interpretacion``.
        states: case id -> state of its signature; None goes by the lines alone («sin registro»).
        rules: name of the scoring rules; None for those in force.
        thresholds: what to hold the figures against; None for those in force. Those of metrics that the
            rules do not measure do not bind.
        breaks: what is broken in the record, or in the data against it; any of it withholds the verdict.
        min_cases: with fewer counted cases there is no verdict; None for the number in force.
        language: ``palabras`` or ``lingua``; None for the method in force.

    Raises:
        DataError: the data set has problems, repeated ids included, or an output has mistyped fields.
        UsageError: there are no such rules.
    """

    def __init__(
        self,
        casos: CaseFile | Iterable[Case | Mapping[str, Any]],
        predicciones: Predictions | Mapping[str, Mapping[str, Any]],
        states: Mapping[str, CaseState] | None = None,
        *,
        rules: str | None = None,
        thresholds: Sequence[Threshold] | None = None,
        breaks: Sequence[Problem] = (),
        min_cases: int | None = None,
        language: str | None = None,
    ) -> None:
        policy = shipped_policy()
        own = rules_named(policy.rules if rules is None else rules)
        self._rules = decided_by(own, policy.language if language is None else language)
        asked = policy.thresholds if thresholds is None else thresholds
        self._thresholds = tuple(limit for limit in asked if limit.metric in own.metrics)
        self._min_cases = policy.min_cases if min_cases is None else min_cases
        self._predictions = (
            predicciones if isinstance(predicciones, Predictions) else from_mapping(predicciones)
        )
        self.set_breaks(breaks)
        self._keeps_cases = not is_stored(casos)
        self._entries: dict[str, Entry] | StoredEntries = {} if self._keeps_cases else _stored(casos)
        self._synthetic = False
        self._counted = {"dev": Tally(), RESERVED_SPLIT: Tally()}
        self._all = {"dev": Tally(), RESERVED_SPLIT: Tally()}
        self._digest: str | None = None
        for case, raw in checked_cases(casos):
            known = states.get(case.id) if states is not None else None
            state = known if known is not None else state_from_data(case)
            self._enter(case, state, raw)
        # What is told does not depend on the order of the lines.
        if isinstance(self._entries, dict):
            self._entries = dict(sorted(self._entries.items()))

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._entries

    def _score(self, case: Case) -> CaseScore:
        return score(answer_key(case, self._rules), self._predictions.outputs.get(case.id) or EMPTY)

    def _enter(self, case: Case, state: CaseState, raw: bytes | None) -> None:
        row = Row(
            case_id=case.id,
            split=case.split,
            validado=case.validado,
            counted=state.counts,
            state=state,
            predicted=case.id in self._predictions.outputs,
            score=self._score(case),
        )
        entry = Entry(row, case.synthetic, (case.revisor, case.fecha_validacion), case, raw)
        if not self._keeps_cases:
            entry.let_go()
        self._entries[row.case_id] = entry
        self._synthetic = self._synthetic or entry.synthetic
        self._all[row.split].add(row.score, predicted=row.predicted)
        if row.counted:
            self._counted[row.split].add(row.score, predicted=row.predicted)

    def _entry(self, case_id: str) -> Entry:
        entry = self._entries.get(case_id)
        if entry is None:
            raise UsageError("clinical.unknown_case", found=case_id)
        return entry

    def set_breaks(self, breaks: Sequence[Problem]) -> None:
        """What is broken from now on."""
        self._breaks = tuple(problem.sentence() for problem in breaks)
        self._record_is_sound = all(isinstance(problem, DataBreak) for problem in breaks)

    def set_state(self, case_id: str, state: CaseState, *, validado: bool | None = None) -> None:
        """Take over the state of a signature; the case is not scored again.

        Args:
            case_id: the case.
            state: its state now.
            validado: what its line claims now; None leaves it as it was.

        Raises:
            UsageError: the gate has no such case.
        """
        entry = self._entry(case_id)
        before = entry.row
        entry.row = replace(
            before,
            state=state,
            counted=state.counts,
            validado=before.validado if validado is None else validado,
        )
        self._entries[case_id] = entry
        if before.counted != state.counts:
            tally = self._counted[before.split]
            move = tally.add if state.counts else tally.remove
            move(before.score, predicted=before.predicted)

    def set_counted(self, case_id: str, counted: bool) -> None:  # noqa: FBT001 - the value set
        """Count a case in or out, as if it were signed by its line, or pending."""
        entry = self._entry(case_id)
        reviewer, date = entry.signed_by
        state = CaseState(
            case_id,
            Status.FIRMADO if counted else Status.PENDIENTE,
            counts=counted,
            reviewer=reviewer,
            date=date,
            registered=entry.row.state.registered,
            reason="record.signed" if counted else "record.pending",
            fields={"reviewer": reviewer or "", "date": date or ""},
        )
        self.set_state(case_id, state, validado=counted)

    def preview_sign(self, case_id: str, corrected: Case | None = None) -> SignPreview:
        """What signing ``case_id`` would do, perhaps as it was ``corrected``; the gate stays as it is."""
        entry = self._entry(case_id)
        row, split = entry.row, entry.row.split
        counted = self._counted[split].cases
        after = counted if row.counted else counted + 1
        if split == RESERVED_SPLIT:
            return SignPreview(case_id, split, counted, after, None, None)
        now = self.standing(split)
        if row.counted and corrected is None:
            return SignPreview(case_id, split, counted, after, now, now)
        tally = self._counted[split]
        judged = row.score if corrected is None else self._score(corrected)
        if row.counted:
            tally.remove(row.score, predicted=row.predicted)
        tally.add(judged, predicted=row.predicted)
        then = self.standing(split)
        tally.remove(judged, predicted=row.predicted)
        if row.counted:
            tally.add(row.score, predicted=row.predicted)
        return SignPreview(case_id, split, counted, after, now, then)

    def what_if(self, ids: Iterable[str]) -> Standing:
        """What the gate would say of ``dev`` if these pending cases were signed; nothing changes.

        For all that are pending, of any split, ask :meth:`standing` with ``include_pending``.

        Raises:
            UsageError: the gate has no such case, or it belongs to the reserved split.
        """
        chosen = {case_id: self._entry(case_id).row for case_id in ids}
        reserved = next((row.case_id for row in chosen.values() if row.split == RESERVED_SPLIT), None)
        if reserved is not None:
            raise UsageError("clinical.what_if_reserved")
        added = [row for row in chosen.values() if not row.counted]
        tally = self._counted["dev"]
        for row in added:
            tally.add(row.score, predicted=row.predicted)
        then = self.standing("dev")
        for row in added:
            tally.remove(row.score, predicted=row.predicted)
        return then

    def _tally(self, split: str, *, include_pending: bool) -> Tally:
        if split not in SPLIT_CHOICES:
            raise UsageError("clinical.unknown_split", found=split, known=", ".join(SPLIT_CHOICES))
        tallies = self._all if include_pending else self._counted
        return tallies["dev"] + tallies[RESERVED_SPLIT] if split == "todos" else tallies[split]

    def standing(self, split: str = "dev", *, include_pending: bool = False) -> Standing:
        """The figures and verdict of ``split`` now, at a cost that no number of cases raises.

        Raises:
            UsageError: there is no such split.
        """
        tally = self._tally(split, include_pending=include_pending)
        total = self._tally(split, include_pending=True).cases
        return self._stand(split, tally, total)

    def _stand(self, split: str, tally: Tally, total: int) -> Standing:
        results = gate.measure(tally, self._thresholds, metrics=self._rules.metrics)
        failed = gate.failures(results, self._thresholds)
        verdict, reason = self._verdict(tally, total, failed)
        return Standing(split, total, tally.cases, results, failed, verdict, reason)

    def report(
        self, split: str = "dev", *, include_pending: bool = False, show_reserved: bool = False
    ) -> GateReport:
        """The report of ``split`` for the cases that count now.

        Args:
            split: ``dev``, ``test`` or ``todos``.
            include_pending: every case counts, signed or not.
            show_reserved: with the cases of the reserved split; for those who maintain it, and only after
                the look was recorded.

        Raises:
            UsageError: there is no such split.
        """
        tally = self._tally(split, include_pending=include_pending)
        found = listed(self._entries, split, include_pending=include_pending, show_reserved=show_reserved)
        standing = self._stand(split, tally, found.total)
        parts = open_parts(self._entries, split, include_pending=include_pending)
        return GateReport(
            split=split,
            rules=self._rules.name,
            language_method=self._rules.language_method,
            rules_digest=tables_digest(self._rules.name),
            include_pending=include_pending,
            generator=self._predictions.generator,
            simulated=self._predictions.simulated,
            synthetic=self._synthetic,
            thresholds=self._thresholds,
            total=found.total,
            counted=found.counted,
            aggregate=standing.aggregate,
            failures=standing.failures,
            verdict=standing.verdict,
            reason=standing.reason,
            rows=found.rows,
            pending=found.pending,
            reserved_pending=found.reserved_pending,
            aside=found.aside,
            reserved_aside=found.reserved_aside,
            missing=found.missing,
            reserved_missing=found.reserved_missing,
            breaks=self._breaks,
            cases_digest=self.cases_digest,
            predictions_digest=self._predictions.digest,
            min_cases=self._min_cases,
            advice=advice(tally, standing.aggregate),
            undecided=found.undecided,
            slices=slices(parts, self._thresholds, metrics=self._rules.metrics, min_cases=self._min_cases),
            counted_digest=found.counted_digest,
            shows_reserved=show_reserved,
        )

    def _verdict(self, tally: Tally, total: int, failures: tuple[str, ...]) -> tuple[Verdict, str | None]:
        """The first thing that prevents a verdict, or the verdict."""
        if self._breaks:
            reason = "datos_descuadrados" if self._record_is_sound else "registro_roto"
            return Verdict.INTEGRITY_BROKEN, reason
        if not tally.cases:
            return Verdict.NOTHING_TO_JUDGE, "ningun_caso_cuenta" if total else "sin_casos"
        if not tally.predicted:
            return Verdict.NOTHING_TO_JUDGE, "ninguna_prediccion"
        if tally.cases < self._min_cases:
            return Verdict.NOTHING_TO_JUDGE, "pocos_casos"
        if failures:
            return Verdict.FAILS, "umbrales_incumplidos"
        if self._predictions.simulated:
            return Verdict.SIMULATED, "simulacion"
        return Verdict.PASSES, None

    def reserved_ids(self, *, include_pending: bool = False) -> frozenset[str]:
        """The cases of the reserved split that count now; for bookkeeping, never for an output."""
        return frozenset(
            case_id
            for case_id, traits in traits_by_id(self._entries, RESERVED_SPLIT)
            if traits.counted or include_pending
        )

    def answered(self, ids: Iterable[str]) -> int:
        """How many of these cases have an output that says anything; all others are scored alike."""
        by_id = self._predictions.by_id
        return sum(any(by_id.get(case_id, {}).values()) for case_id in ids)

    @property
    def cases_digest(self) -> str:
        """SHA-256 (hex) over ``casos-v1`` and, sorted by id, each id with its content digest."""
        if self._digest is None:
            total = hashlib.sha256(f"{_DIGEST_TAG}\n".encode())
            for case_id in sorted(self._entries):
                line = json.dumps([case_id, self._entries[case_id].content()], separators=(",", ":"))
                total.update(f"{line}\n".encode())
            self._digest = total.hexdigest()
        return self._digest


def _stored(casos: CaseFile | Iterable[Case | Mapping[str, Any]]) -> StoredEntries:
    """Nothing yet, over the index of a data set that is read case by case."""
    return StoredEntries(casos.index() if isinstance(casos, CaseFile) else {})
