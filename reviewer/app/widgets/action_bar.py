"""The footer: made from the registry of actions, so it cannot promise a key that does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.text import Content, join, literal
from reviewer.app.widgets.zones import Zone, ZoneLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reviewer.app.actions import Action

GAP = 2


def chosen_actions(actions: Sequence[Action], width: int) -> tuple[Action, ...]:
    """The actions that fit in ``width`` cells, in footer order; the lowest ``keep`` leave first."""
    shown = (entry for entry in actions if entry.footer is not None)
    kept = sorted(shown, key=lambda entry: entry.footer or 0)
    while len(kept) > 1 and sum(cell_width(entry) + GAP for entry in kept) + 1 - GAP > width:
        kept.remove(min(kept, key=lambda entry: entry.keep))
    return tuple(kept)


def cell_width(entry: Action) -> int:
    """Cells of an action in the footer."""
    return len(entry.shown_keys[0]) + 1 + len(entry.label)


class ActionBar(ZoneLine):
    """One line with the keys that work now; each can be clicked."""

    def __init__(self, actions: Sequence[Action], usable: Callable[[Action], bool] | None = None) -> None:
        super().__init__()
        self._actions = tuple(actions)
        self._usable = usable

    def zones(self, width: int) -> list[Zone]:
        """A piece per action."""
        usable = [entry for entry in self._actions if self._usable is None or self._usable(entry)]
        zones = [Zone(Content(" "))]
        for number, entry in enumerate(chosen_actions(usable, width)):
            if number:
                zones.append(Zone(Content(" " * GAP)))
            text = join(literal(entry.shown_keys[0], theme.KEY), Content(" "), literal(entry.label))
            zones.append(Zone(text, entry.command, literal(entry.tip)))
        return zones
