"""Asks who signs; the name is remembered until the app is left, and kept as a draft while it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from textual import on, work
from textual.widgets import Input, Static

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.refusals import refusal_text
from reviewer.app.screens.alike import AlikeDialog
from reviewer.app.screens.dialog import Dialog
from reviewer.app.text import Content, literal, tell
from reviewer.app.widgets.safe_input import SafeInput
from reviewer.signing import check_reviewer
from scoring import messages
from scoring.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.binding import BindingType
    from textual.widget import Widget

    from scoring.people import Lookalike


class KnowsNames(Protocol):
    """A session, as far as asking for a name goes."""

    @property
    def reviewer(self) -> str | None:
        """The name in force."""
        ...

    def lookalikes(self, name: str) -> tuple[Lookalike, ...]:
        """What has to be asked about a name."""
        ...

    def confirm_name(self, name: str) -> None:
        """The person says that this name is right."""
        ...


class NameDialog(Dialog["str | None"]):
    """Answers with a checked name, or None.

    Args:
        session: knows the names that others signed with.
        typed: what stands there at first; the name in force when left out.
        on_typed: is told the name at every key.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.NAME)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.NAME, Place.CANCEL)
    GENERAL: ClassVar[tuple[str, ...]] = ("help_typing", "quit_now")

    def __init__(
        self, session: KnowsNames, typed: str | None = None, on_typed: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(tell("name_title"), [tell("name_explained", style=theme.QUIET)])
        self._session = session
        self._known = session.reviewer or ""
        self._typed = self._known if typed is None else typed
        self._on_typed = on_typed

    def extra(self) -> Iterable[Widget]:
        """The line to type in and the place for what is wrong with it."""
        yield SafeInput(
            self._typed, placeholder=messages.text("app.name_placeholder"), select_on_focus=False, id="name"
        )
        yield Static(Content(""), id="name-error")

    def on_mount(self) -> None:
        """Typing can begin at once."""
        self.query_one(SafeInput).focus()

    @property
    def unsaved(self) -> bool:
        """Something was typed that leaving would lose."""
        return self.query_one(SafeInput).value.strip() != self._known

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        if self._on_typed is not None and event.value != self._typed:
            self._typed = event.value
            self._on_typed(event.value)

    def on_input_submitted(self) -> None:
        """Enter in the input."""
        self.action_accept()

    @work(exclusive=True, group="name")
    async def action_accept(self) -> None:
        """Check the name; a bad one stays to be corrected, with the reason under it."""
        try:
            name = check_reviewer(self.query_one(SafeInput).value)
        except ProductError as error:
            said = literal(refusal_text(error), theme.BAD, multiline=True)
            self.query_one("#name-error", Static).update(said)
            return
        found = self._session.lookalikes(name)
        if found:
            chosen = await self.app.push_screen_wait(AlikeDialog(found))
            if chosen is None:
                return
            self._session.confirm_name(chosen)
            name = chosen
        self.dismiss(name)
