"""A correction in progress: what was, what is now, and the way back, step by step, until it is decided.

Pure values: nothing here reads or writes a file. Each step makes a new state; undoing takes the one
before. What is saved in the end is the difference between the first line and the last state.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reviewer.decisions.edit import Edit
from reviewer.decisions.edit_kept import kept_state, read_state
from reviewer.decisions.edit_state import Differential, EditState, merged_differentials, merged_findings
from reviewer.decisions.fields import (
    DIFFERENTIALS,
    FINDINGS,
    REFERRAL,
    SCOPE,
    SIGNS,
    VALUES,
    FieldEdit,
    require_analyte,
    scalar_from,
    typed_text,
)
from scoring.clinical.normalize import normalize
from scoring.errors import UsageError
from scoring.record import number_text, reads_alike
from scoring.strict_json import Number, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reviewer.store.edit import Path, Scalar
    from reviewer.store.plan import Signer


class EditSession:
    """The correction of one case line, with undo and redo.

    Attributes:
        case_id: the case.
        raw: the line as it was read.
        original, current: the state at the beginning and now.
        overruled: fields that somebody else's save took over, with what the person had put there; it comes
            back with :meth:`redo`, and is kept until then.
    """

    def __init__(self, case_id: str, raw: bytes) -> None:
        """Begin with a line of the data set (without its end); a field it lacks counts as null."""
        self.case_id = case_id
        self.raw = raw
        self._line: Mapping[str, Any] = loads(raw, exact_numbers=True)
        self.original = EditState(
            tuple(Differential(text, text) for text in self._texts(DIFFERENTIALS)), self._texts(FINDINGS)
        )
        self.current = self.original
        self.overruled: tuple[tuple[Path, Scalar], ...] = ()
        self._before: list[EditState] = []
        self._after: list[EditState] = []

    # -- looking -------------------------------------------------------------------------------

    @property
    def can_undo(self) -> bool:
        """There is a step to take back."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """There is a step that was taken back, or something that somebody else's save took over."""
        return bool(self._after or self.overruled)

    @property
    def unsaved(self) -> bool:
        """Something was typed that is not in the data."""
        return bool(self.changes() or self.overruled)

    @property
    def idle(self) -> bool:
        """Nothing would be lost with it."""
        return not (self.unsaved or self.accepted)

    def value(self, path: Path) -> Any:
        """What the field at ``path`` holds now; numbers as they are spelled."""
        for changed, value in self.current.fields:
            if changed == path:
                return value
        return self._first(path)

    @property
    def accepted(self) -> tuple[str, ...]:
        """The differentials that the reviewer accepted, as they read now."""
        return tuple(item.text for item in self.current.differentials if item.accepted and not item.removed)

    def changes(self) -> tuple[FieldEdit, ...]:
        """What the line would have to change; empty when nothing would."""
        found: list[FieldEdit] = []
        if self.current.texts != self.original.texts:
            found.append(FieldEdit(DIFFERENTIALS, self.current.texts))
        if self.current.findings != self.original.findings:
            found.append(FieldEdit(FINDINGS, self.current.findings))
        found += [FieldEdit(path, value) for path, value in self.current.fields]
        return tuple(found)

    def decision(
        self,
        reviewer: str,
        reason: str | None = None,
        *,
        way: str = "app",
        role: str | None = None,
        signer: Signer | None = None,
    ) -> Edit:
        """The correction as the store takes it; only for what it began with."""
        return Edit(
            self.case_id,
            self.changes(),
            reviewer,
            reason,
            way=way,
            expected={self.case_id: self.raw},
            role=role,
            signer=signer,
        )

    # -- changing ------------------------------------------------------------------------------

    def add_differential(self, typed: str) -> None:
        """Add a differential at the end; one that was taken out comes back instead.

        Raises:
            UsageError: blank, unprintable, too long, or there already (case and accents aside).
        """
        text = typed_text(typed)
        items = self.current.differentials
        for index, item in enumerate(items):
            if normalize(item.text) == normalize(text) and item.removed:
                self._set(index, replace(item, text=text, accepted=True, removed=False))
                return
        self._refuse_twice(text)
        self._step(replace(self.current, differentials=(*items, Differential(text, None, accepted=True))))

    def reword_differential(self, index: int, typed: str) -> None:
        """Write differential number ``index`` (from 0) in other words; what is reworded is accepted.

        Raises:
            UsageError: as for :meth:`add_differential`.
        """
        text = typed_text(typed)
        self._refuse_twice(text, but=index)
        item = self.current.differentials[index]
        self._set(index, replace(item, text=text, accepted=True, removed=False))

    def remove_differential(self, index: int) -> None:
        """Take differential number ``index`` out."""
        self._set(index, replace(self.current.differentials[index], accepted=False, removed=True))

    def accept_differential(self, index: int, *, accepted: bool = True) -> None:
        """Say that differential number ``index`` is right as it reads; or take that back.

        Raises:
            UsageError: it was taken out, and another one has its words by now.
        """
        item = self.current.differentials[index]
        self._refuse_twice(item.text, but=index)
        self._set(index, replace(item, accepted=accepted, removed=False))

    def set_referral(self, *, needed: bool) -> None:
        """Say whether the case has to be referred.

        Raises:
            UsageError: a case out of scope always has to be.
        """
        if not needed and self.value(SCOPE) is True:
            raise UsageError("deciding.scope_needs_referral")
        self._step(self._with(self.current, REFERRAL, needed))

    def set_scope(self, *, outside: bool) -> None:
        """Say whether the case is out of scope; then it has to be referred too, in one step."""
        state = self._with(self.current, SCOPE, outside)
        self._step(self._with(state, REFERRAL, value=True) if outside else state)

    def set_finding(self, key: str, *, named: bool) -> None:
        """Name an analyte among the key findings, or no longer.

        Raises:
            UsageError: neither the case nor the table has it.
        """
        found = self.current.findings
        if named and key not in found:
            require_analyte(key, self._values())
            found = (*found, key)
        elif not named:
            found = tuple(other for other in found if other != key)
        self._step(replace(self.current, findings=found))

    def set_value(self, key: str, typed: str) -> None:
        """Correct a measured value, as typed; nothing typed means «not measured».

        Raises:
            UsageError: no number, or an analyte that neither the case nor the table has.
        """
        require_analyte(key, self._values())
        self.set_typed((VALUES, key), typed)

    def set_signs(self, typed: str) -> None:
        """Correct the clinical signs."""
        self.set_typed(SIGNS, typed)

    def set_typed(self, path: Path, typed: str) -> None:
        """Correct another field by what was typed; nothing typed means «not known».

        Raises:
            UsageError: a field that is not to be changed, or what it cannot hold.
        """
        self._step(self._with(self.current, path, scalar_from(path, typed)))

    def undo(self) -> bool:
        """Take the last step back; False when there is none."""
        if not self._before:
            return False
        self._after.append(self.current)
        self.current = self._before.pop()
        return True

    def redo(self) -> bool:
        """Take again the step that was taken back last, or else what was overruled; False for neither."""
        if self._after:
            self._before.append(self.current)
            self.current = self._after.pop()
            return True
        if not self.overruled:
            return False
        state = self.current
        for path, value in self.overruled:
            state = self._with(state, path, value)
        self.overruled = ()
        self._step(state)
        return True

    # -- keeping and carrying over ---------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The state as JSON values, for a draft; the steps are not kept."""
        return kept_state(self.current, self.overruled)

    @classmethod
    def restore(cls, case_id: str, raw: bytes, kept: Mapping[str, Any]) -> EditSession:
        """A session as :meth:`to_dict` kept it, with one step to undo: back to the line.

        Args:
            case_id: the case.
            raw: the line that the session began with.
            kept: what :meth:`to_dict` gave.

        Raises:
            ValueError: it is not of that form.
        """
        session = cls(case_id, raw)
        found, overruled = read_state(kept)
        state = replace(found, fields=())
        for path, value in found.fields:
            state = session._with(state, path, value)
        session._step(state)
        session.overruled = overruled
        return session

    def respelled(self, raw: bytes) -> bool:
        """Go on, steps and all, with a line that says the same in another spelling; False if it does not."""
        if not reads_alike(self.raw, raw):
            return False
        if raw != self.raw:
            self.raw, self._line = raw, loads(raw, exact_numbers=True)
        return True

    def onto(self, raw: bytes) -> tuple[EditSession, tuple[str, ...]]:
        """The same correction on a line that somebody changed meanwhile.

        Each differential, key finding and field that only one side changed is carried over. Where both
        changed the same one, each in its own way, the line wins, and the field is named, so that the person
        is asked; what they had put in such a field is :attr:`overruled`, and a differential that they
        reworded or added is there beside the other.

        Returns:
            The session on ``raw`` (one step to undo), and the dotted fields to ask about.
        """
        fresh = EditSession(self.case_id, raw)
        asked: list[str] = []
        differentials, unsure = merged_differentials(self.original, self.current, fresh.original)
        if unsure:
            asked.append(".".join(DIFFERENTIALS))
        findings = merged_findings(self.original, self.current, fresh.original)
        state = replace(fresh.original, differentials=differentials, findings=findings)
        overruled = dict(self.overruled)
        for path, value in self.current.fields:
            theirs, ours = fresh.value(path), self._first(path)
            if _equal(theirs, ours):
                state = fresh._with(state, path, value)
            elif not _equal(theirs, value):
                asked.append(".".join(path))
                overruled[path] = value
        fresh._step(state)
        fresh.overruled = tuple(
            (path, value) for path, value in overruled.items() if not _equal(fresh.value(path), value)
        )
        return fresh, tuple(asked)

    # -- inside --------------------------------------------------------------------------------

    def _step(self, state: EditState) -> None:
        if state != self.current:
            self._before.append(self.current)
            self._after.clear()
            self.current = state

    def _set(self, index: int, item: Differential) -> None:
        items = list(self.current.differentials)
        if item.removed and item.original is None:
            del items[index]
        else:
            items[index] = item
        self._step(replace(self.current, differentials=tuple(items)))

    def _refuse_twice(self, text: str, but: int | None = None) -> None:
        for index, item in enumerate(self.current.differentials):
            if index != but and not item.removed and normalize(item.text) == normalize(text):
                raise UsageError("deciding.text_twice", found=item.text)

    def _with(self, state: EditState, path: Path, value: Scalar) -> EditState:
        """``state`` with a field set; a field that reads as at first is no change."""
        changed = dict(state.fields)
        if _equal(value, self._first(path)):
            changed.pop(path, None)
        else:
            changed[path] = value
        return replace(state, fields=tuple(changed.items()))

    def _first(self, path: Path) -> Any:
        place: Any = self._line
        for name in path:
            place = place.get(name) if isinstance(place, dict) else None
        return False if place is None and path == SCOPE else place

    def _texts(self, path: Path) -> tuple[str, ...]:
        found = self._first(path)
        return tuple(item for item in found if isinstance(item, str)) if isinstance(found, list) else ()

    def _values(self) -> Mapping[str, object]:
        found = self._first((VALUES,))
        return found if isinstance(found, dict) else {}


def _equal(left: Any, right: Any) -> bool:
    """One value, however its number is spelled."""
    if isinstance(left, Number) and isinstance(right, Number):
        return number_text(left) == number_text(right)
    return type(left) is type(right) and bool(left == right)
