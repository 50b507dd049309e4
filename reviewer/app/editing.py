"""The rows of the correction screen: what each shows, and what each key does to the case. No Textual here.

A row stands for one thing that a reviewer can change. The steps are those of ``EditSession``; this module
only says which step a key means on which row.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from reviewer.decisions.fields import REFERRAL, SCOPE, SIGNS, VALUES, scalar_from, typed_text
from reviewer.signing import EditSession
from scoring import messages
from scoring.errors import UsageError
from scoring.tables import ANALYTE_KEYS, analytes

if TYPE_CHECKING:
    from reviewer.decisions.edit_state import Differential
    from reviewer.store.edit import Path


class Section(StrEnum):
    """The groups of rows, in the order of the screen; the value ends the key of their heading."""

    DIFFERENTIALS = "differentials"
    ANSWER = "answer"
    VALUES = "values"
    PATIENT = "patient"


class Mark(StrEnum):
    """What happened to a row; the value ends the key of its word."""

    NONE = "none"
    ACCEPTED = "accepted"
    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"
    NAMED = "named"
    UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class EditRow:
    """One row.

    Attributes:
        section: its group.
        path: the field it changes; empty for a differential and for the rows that add something.
        index: of a differential, from 0; -1 otherwise.
        label: what the row is about; empty for a differential.
        value: what it holds now, as a person reads it.
        before: what it held at first, if that was something else; else None.
        mark: what happened to it.
        finding: the draft names this analyte among its key findings.
        adds: Enter on this row adds something to its group.
    """

    section: Section
    path: Path = ()
    index: int = -1
    label: str = ""
    value: str = ""
    before: str | None = None
    mark: Mark = Mark.NONE
    finding: bool = False
    adds: bool = False

    @property
    def analyte(self) -> str:
        """The key of the analyte of a row of values, else empty."""
        return self.path[1] if self.section is Section.VALUES and self.path else ""

    @property
    def truth(self) -> bool:
        """The row holds yes or no."""
        return self.path in {REFERRAL, SCOPE}


_PATIENT: tuple[tuple[Path, str], ...] = (
    (SIGNS, "signs"),
    (("descripcion",), "description"),
    (("paciente", "especie"), "species"),
    (("paciente", "raza"), "breed"),
    (("paciente", "sexo"), "sex"),
    (("paciente", "edad_meses"), "age"),
)


def rows_of(session: EditSession) -> tuple[EditRow, ...]:
    """Every row of a correction in progress, in the order of the screen."""
    first = EditSession(session.case_id, session.raw)
    rows = [_differential(item, index) for index, item in enumerate(session.current.differentials)]
    rows.append(EditRow(Section.DIFFERENTIALS, adds=True))
    rows += [_truth(session, first, path, name) for path, name in ((REFERRAL, "referral"), (SCOPE, "scope"))]
    rows += _values(session, first)
    rows.append(EditRow(Section.VALUES, adds=True))
    rows += [_text(session, first, path, name) for path, name in _PATIENT]
    return tuple(rows)


def _say(key: str, **fields: object) -> str:
    return messages.text(f"app_edit.{key}", **fields)


def _differential(item: Differential, index: int) -> EditRow:
    if item.removed:
        mark = Mark.REMOVED
    elif item.original is None:
        mark = Mark.ADDED
    elif item.original != item.text:
        mark = Mark.CHANGED
    else:
        mark = Mark.ACCEPTED if item.accepted else Mark.NONE
    before = item.original if item.original not in {None, item.text} else None
    return EditRow(Section.DIFFERENTIALS, index=index, value=item.text, before=before, mark=mark)


def _truth(session: EditSession, first: EditSession, path: Path, name: str) -> EditRow:
    now, old = session.value(path), first.value(path)
    changed = now is not old
    return EditRow(
        Section.ANSWER,
        path,
        label=_say(f"row_{name}"),
        value=shown(now),
        before=shown(old) if changed else None,
        mark=Mark.CHANGED if changed else Mark.NONE,
    )


def _values(session: EditSession, first: EditSession) -> list[EditRow]:
    values = first.value((VALUES,))
    keys = dict.fromkeys(values if isinstance(values, dict) else ())
    keys |= dict.fromkeys(path[1] for path, _ in session.current.fields if path[0] == VALUES)
    keys |= dict.fromkeys((*session.original.findings, *session.current.findings))
    known = {key: place for place, key in enumerate(ANALYTE_KEYS)}
    species = session.value(("paciente", "especie"))
    rows = []
    for key in sorted(keys, key=lambda name: known.get(name, len(known))):
        path = (VALUES, key)
        now, old = session.value(path), first.value(path)
        named, was_named = key in session.current.findings, key in session.original.findings
        changed = shown(now) != shown(old)
        if changed:
            mark = Mark.CHANGED
        else:
            mark = Mark.NONE if named is was_named else Mark.NAMED if named else Mark.UNNAMED
        rows.append(
            EditRow(
                Section.VALUES,
                path,
                label=_name(key, species),
                value=_measured(now, named=named),
                before=_measured(old, named=was_named) if changed else None,
                mark=mark,
                finding=named,
            )
        )
    return rows


def _measured(value: Any, *, named: bool) -> str:
    text = _say("not_measured") if value is None else shown(value)
    return f"{text} ◆" if named else text


def _name(key: str, species: Any) -> str:
    try:
        table = analytes(species if isinstance(species, str) else "")
    except LookupError:
        return key
    if key not in table:
        return key
    entry = table[key]
    return f"{entry.name} ({entry.unit})" if entry.unit else entry.name


def _text(session: EditSession, first: EditSession, path: Path, name: str) -> EditRow:
    now, old = session.value(path), first.value(path)
    changed = shown(now) != shown(old)
    return EditRow(
        Section.PATIENT,
        path,
        label=_say(f"row_{name}"),
        value=shown(now),
        before=shown(old) if changed else None,
        mark=Mark.CHANGED if changed else Mark.NONE,
    )


def shown(value: Any) -> str:
    """A value of a case as a person reads it; numbers as they are spelled."""
    if value is None:
        return _say("unknown")
    if isinstance(value, bool):
        return _say("yes" if value else "no")
    return str(value)


# -- what the keys do ------------------------------------------------------------------------------


def typed_at_first(session: EditSession, row: EditRow) -> str:
    """What stands in the line to type in when a row is changed."""
    if row.index >= 0:
        return session.current.differentials[row.index].text
    value = session.value(row.path) if row.path else None
    return "" if value is None else str(value)


def check_typed(row: EditRow, typed: str) -> None:
    """Refuse what a row cannot hold, while it is being typed.

    Raises:
        UsageError: says what is wrong with it.
    """
    if row.section is Section.DIFFERENTIALS:
        typed_text(typed)
    elif row.adds:
        analyte_and_value(typed)
    else:
        scalar_from(row.path, typed)


def put(session: EditSession, row: EditRow, typed: str) -> None:
    """Change the row to what was typed, or add it.

    Raises:
        UsageError: what the session refuses.
    """
    if row.section is Section.DIFFERENTIALS:
        if row.adds:
            session.add_differential(typed)
        else:
            session.reword_differential(row.index, typed)
    elif row.adds:
        key, value = analyte_and_value(typed)
        session.set_value(key, value)
    elif row.analyte:
        session.set_value(row.analyte, typed)
    else:
        session.set_typed(row.path, typed)


def analyte_and_value(typed: str) -> tuple[str, str]:
    """«alt 120» as the key of an analyte and its value.

    Raises:
        UsageError: it is not of that form, or no number.
    """
    key, _, value = typed.strip().partition(" ")
    if not key or not value.strip():
        raise UsageError("app_edit.analyte_form")
    scalar_from((VALUES, key), value)
    return key, value.strip()


def toggle(session: EditSession, row: EditRow) -> None:
    """The other answer: accept a differential or not, yes or no, key finding or not.

    Raises:
        UsageError: what the session refuses, or a row that has only one answer.
    """
    if row.index >= 0:
        item = session.current.differentials[row.index]
        session.accept_differential(row.index, accepted=item.removed or not item.accepted)
    elif row.path == REFERRAL:
        session.set_referral(needed=session.value(REFERRAL) is not True)
    elif row.path == SCOPE:
        session.set_scope(outside=session.value(SCOPE) is not True)
    elif row.analyte:
        session.set_finding(row.analyte, named=row.analyte not in session.current.findings)
    else:
        raise UsageError("app_edit.nothing_to_accept")


def remove(session: EditSession, row: EditRow) -> None:
    """Take a differential or a value out; a differential that is out comes back.

    Raises:
        UsageError: the row cannot be taken out.
    """
    if row.index >= 0:
        if session.current.differentials[row.index].removed:
            session.accept_differential(row.index, accepted=False)
        else:
            session.remove_differential(row.index)
    elif row.analyte:
        session.set_value(row.analyte, "")
    else:
        raise UsageError("app_edit.nothing_to_remove")
