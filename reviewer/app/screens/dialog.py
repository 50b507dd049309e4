"""The frame of every dialog: a title, text that scrolls, perhaps an input, and its keys.

Screens return typed answers; a dialog that only informs answers None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.await_complete import AwaitComplete
from textual.containers import Vertical, VerticalScroll
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.widgets import Static

from reviewer.app import theme
from reviewer.app.actions import Place, action, of
from reviewer.app.bindings import bindings, bindings_of
from reviewer.app.text import Content, lines_of
from reviewer.app.widgets.action_bar import ActionBar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    from reviewer.app.actions import Action

Answer = TypeVar("Answer")
_CHOSEN = "▌ "


class Dialog(ModalScreen[Answer]):
    """A modal with the answer type ``Answer``; subclasses name their places and fill the body."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Place.CANCEL),
        *bindings_of("help", "help_typing"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012 - the type is Textual's
    PLACES: ClassVar[tuple[Place, ...]] = (Place.CANCEL,)
    GENERAL: ClassVar[tuple[str, ...]] = ("help", "quit_now")
    """General actions that a dialog offers too."""

    def __init__(self, title: Content, lines: Sequence[Content]) -> None:
        super().__init__()
        self._title = title
        self._lines = tuple(lines)
        self._gone = False
        self._kept: tuple[Answer | None] | None = None

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Answer, once, and leave; behind another screen (the help, the palette) not before that is left.

        Textual takes the screen in front away, whichever it is; a save may well end while the help is read.
        """
        if self._gone or self._kept is not None:
            return AwaitComplete()
        if self.app.screen is not self:
            self._kept = (result,)
            return AwaitComplete()
        self._gone = True
        return super().dismiss(result)

    def on_screen_resume(self) -> None:
        """In front again: what was answered meanwhile is handed on."""
        if self._kept is not None:
            (answer,), self._kept = self._kept, None
            self.dismiss(answer)

    def compose(self) -> ComposeResult:
        """Title, text, extra widgets, keys."""
        with Vertical(id="dialog"):
            yield Static(self._title.stylize(theme.HEADING), id="dialog-title")
            with VerticalScroll(id="dialog-body", can_focus=False):
                yield Static(lines_of(self._lines), id="dialog-text")
            yield from self.extra()
            yield ActionBar(self.offered(), self.usable)

    def on_resize(self) -> None:
        """The text gives way before the keys do, at any size."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if not self.is_mounted:
            return
        frame, body = self.query_one("#dialog"), self.query_one("#dialog-body")
        beside = sum(
            child.outer_size.height + child.styles.margin.height
            for child in frame.children
            if child is not body
        )
        room = self.size.height - frame.gutter.height - frame.styles.margin.height - beside
        body.styles.max_height = max(1, room)

    def extra(self) -> Iterable[Widget]:
        """Widgets between the text and the keys."""
        return ()

    def offered(self) -> tuple[Action, ...]:
        """The actions of the footer."""
        return (*of(*self.PLACES), *(action(name) for name in self.GENERAL))

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now."""
        return bool(entry)

    def set_lines(self, lines: Sequence[Content]) -> None:
        """Show another text."""
        self._lines = tuple(lines)
        if self.is_mounted:
            self.query_one("#dialog-text", Static).update(lines_of(self._lines))
            self.query_one(ActionBar).refresh()
            self.call_after_refresh(self._fit)

    def key_down(self) -> None:
        """Scroll the text."""
        self.query_one("#dialog-body", VerticalScroll).scroll_relative(y=1, animate=False)

    def key_up(self) -> None:
        """Scroll the text back."""
        self.query_one("#dialog-body", VerticalScroll).scroll_relative(y=-1, animate=False)

    def key_pagedown(self) -> None:
        """Scroll the text by a page."""
        self.query_one("#dialog-body", VerticalScroll).scroll_page_down(animate=False)

    def key_pageup(self) -> None:
        """Scroll the text back by a page."""
        self.query_one("#dialog-body", VerticalScroll).scroll_page_up(animate=False)

    def action_cancel(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)


class ChoiceDialog(Dialog[Answer]):
    """A dialog whose arrows choose from a list in its text; subclasses say how long it is and lay it out."""

    def __init__(self, title: Content) -> None:
        self._cursor = 0
        super().__init__(title, self.laid_out())

    def count(self) -> int:
        """How many there are to choose from."""
        raise NotImplementedError

    def laid_out(self) -> list[Content]:
        """The text, with the chosen one marked."""
        raise NotImplementedError

    def action_move(self, rows: int) -> None:
        """Choose another one."""
        self._cursor = max(0, min(self._cursor + rows, self.count() - 1))
        self.set_lines(self.laid_out())
        self.call_after_refresh(self._show_chosen)

    @staticmethod
    def edge(*, chosen: bool) -> Content:
        """What stands before each line of the chosen one, and before the others."""
        return Content.styled(_CHOSEN, theme.KEY) if chosen else Content(" " * len(_CHOSEN))

    def _show_chosen(self) -> None:
        rows = [row for row, line in enumerate(self._lines) if line.plain.startswith(_CHOSEN)]
        if rows and self.is_mounted:
            region = Region(0, rows[0], 1, len(rows))
            self.query_one("#dialog-body").scroll_to_region(region, animate=False)

    def key_down(self) -> None:
        """The arrows do not scroll: they are bound to :meth:`action_move`."""

    def key_up(self) -> None:
        """See :meth:`key_down`."""


class MessageDialog(Dialog[None]):
    """Says something that must not pass by as a toast would."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.MESSAGE)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.MESSAGE,)


class ConfirmDialog(Dialog[bool]):
    """A question answered with yes (True) or left (None)."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.CONFIRM)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.CONFIRM, Place.CANCEL)

    def action_yes(self) -> None:
        """The person agrees."""
        self.dismiss(True)
