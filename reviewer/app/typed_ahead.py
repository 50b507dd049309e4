"""Keys act in the order in which they were pressed, also when they come faster than they are worked off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.events import Key

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.widget import Widget


def after_typing(app: App[Any], step: Callable[[], None]) -> None:
    """Run ``step`` once the widget that has the keys has worked off those that were pressed before.

    A priority binding is obeyed when its key arrives, while letters still wait in the queue of the input
    they go to: on a slow connection Enter would take half a sentence.
    """
    typed_in = app.focused
    if typed_in is None or not typed_in.message_queue_size or not typed_in.call_later(step):
        step()


def passed_on(widget: Widget, event: Key) -> bool:
    """Whether ``event`` came to an input whose dialog is gone: it was meant for what stands there now."""
    if widget.screen.is_current:
        return False
    event.stop()
    event.prevent_default()
    widget.app.post_message(Key(event.key, event.character))
    return True
