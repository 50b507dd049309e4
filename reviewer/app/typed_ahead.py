"""Keys that came before this one first: a key that works at once must not overtake what was typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App


def after_typing(app: App[Any], step: Callable[[], None]) -> None:
    """Run ``step`` once the widget that has the keys has worked off those that were pressed before.

    A priority binding is obeyed when its key arrives, while letters still wait in the queue of the input
    they go to: on a slow connection Enter would take half a sentence.
    """
    typed_in = app.focused
    if typed_in is None or not typed_in.call_later(step):
        step()
