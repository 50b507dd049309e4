"""What both apps of the product do alike: signals, the palette, the theme, and a fault that tells no data."""

from __future__ import annotations

import gc
import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding
from textual.command import CommandPalette

from reviewer.app import leaving
from reviewer.app.in_turn import KeysInTurn
from reviewer.app.text import say
from reviewer.app.theme import DARK, LIGHT, THEMES
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType


LAST_KEYS_SECONDS = 0.5
"""How long a program that is told to end works off the keys that are in."""
LOOK_SECONDS = 0.01


class TerminalApp(KeysInTurn):
    """An app that ends in order whoever ends it.

    A subclass says what it has to put on the disk before it ends (:meth:`keep`), what closes with it
    (:meth:`close`), and perhaps what it opens first (:meth:`begin`).

    Attributes:
        on_a_terminal: it has a terminal of its own; signals are listened to before that is taken.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "how_to_leave", show=False, system=True)]
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self.on_a_terminal = False
        self._forget_signals: Callable[[], None] | None = None
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    # -- for subclasses ------------------------------------------------------------------------

    def keep(self) -> None:
        """Put on the disk what was typed."""
        raise NotImplementedError

    def close(self) -> None:
        """What is half done is left to the next sitting."""
        raise NotImplementedError

    def begin(self) -> None:
        """Open what was asked for, once the first screen stands."""

    # -- beginning and ending ------------------------------------------------------------------

    def run_on_terminal(self) -> int:
        """Take this terminal; the program's exit code when the app is left."""
        # What was read stays: looking through it for rubbish again and again would stop the screen.
        gc.freeze()
        self.on_a_terminal = True
        self.run()
        return self.return_code or 0

    def on_load(self) -> None:
        """Listen before the terminal is taken: a program that is ended while it opens gives it back too."""
        if self.on_a_terminal:
            leaving.listen(partial(leaving.once_it_stands, self, self.told_to_end))

    def on_mount(self) -> None:
        """From here on, being told to end means ending in order."""
        if not self.is_headless:
            self._forget_signals = leaving.install(partial(leaving.once_it_stands, self, self.told_to_end))
        self.begin()

    def on_unmount(self) -> None:
        """The signals go back to whoever had them."""
        self.close()
        if self._forget_signals is not None:
            self._forget_signals()

    def told_to_end(self, code: int) -> None:
        """Told to from outside: what was typed until then is kept too, if that takes no time."""
        self._end_when_typed(code, time.monotonic() + LAST_KEYS_SECONDS)

    def _end_when_typed(self, code: int, until: float) -> None:
        if self.keys_in_hand and time.monotonic() < until:
            self.set_timer(LOOK_SECONDS, partial(self._end_when_typed, code, until))
        else:
            self.end(code)

    def end(self, code: int) -> None:
        """End with an exit code; what was typed is kept, and the terminal is restored on the way out."""
        self.keep()
        self.exit(return_code=code)

    def _fatal_error(self) -> None:
        """A fault of ours: the kind and the place are told, local variables and data are not."""
        self._return_code = leaving.CRASH_CODE
        self.keep()
        error = self._exception
        report = leaving.crash_report(error) if error is not None else messages.text("app.crashed", kind="?")
        self._exit_renderables.append(Text(report))
        self._close_messages_no_wait()

    # -- actions -------------------------------------------------------------------------------

    def action_command_palette(self) -> None:
        """Open the palette, in the language of the screens."""
        if not any(isinstance(screen, CommandPalette) for screen in self.screen_stack):
            hint = messages.text("app.palette_placeholder")
            self.push_screen(CommandPalette(placeholder=hint, id="--command-palette"))

    def action_switch_theme(self) -> None:
        """Dark or light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_how_to_leave(self) -> None:
        """Ctrl+C does not end the program in the middle of something; it says what does."""
        say(self, messages.text("app.how_to_leave"))
