"""The registry of actions as Textual bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from reviewer.app.actions import action, of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType

    from reviewer.app.actions import Action, Place

PRIORITY = frozenset({"quit_now", "confirm_decision", "accept_typed"})
"""Actions whose keys work even while something is being typed."""


def bindings(*places: Place) -> list[BindingType]:
    """One binding per key of every action of these places; words come from the catalogue when painted."""
    return _made(of(*places))


def bindings_of(*names: str) -> list[BindingType]:
    """The bindings of these actions alone."""
    return _made([action(name) for name in names])


def _made(entries: Iterable[Action]) -> list[BindingType]:
    return [
        Binding(
            ",".join(entry.keys),
            entry.command,
            description=entry.id,
            id=entry.id,
            show=False,
            priority=entry.id in PRIORITY,
        )
        for entry in entries
    ]
