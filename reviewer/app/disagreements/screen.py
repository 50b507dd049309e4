"""The disagreements, field by field: read both answers, decide, go on with the next."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, ClassVar

from textual import work

from reviewer.adjudication.desk import Desk, Show, read, refusal
from reviewer.app import theme
from reviewer.app.actions import Place, action
from reviewer.app.background import in_background
from reviewer.app.bindings import bindings
from reviewer.app.disagreements import view
from reviewer.app.disagreements.chains import ChainsScreen
from reviewer.app.disagreements.dialog import VerdictDialog
from reviewer.app.disagreements.drafting import row_key
from reviewer.app.disagreements.flows import Flows
from reviewer.app.disagreements.list_screen import ListScreen
from reviewer.app.text import Content, indent, join, literal, say, spread, tell
from reviewer.app.widgets.header import BAR_FROM_WIDTH, bar
from reviewer.app.widgets.zones import Zone
from scoring import messages
from scoring.adjudication.entries import Kind, Verdict
from scoring.adjudication.standing import State
from scoring.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from reviewer.adjudication.desk import Look
    from reviewer.app.actions import Action
    from reviewer.app.disagreements.drafting import Comments
    from scoring.adjudication.disagreements import Disagreement

POLL_SECONDS = 2.0
_SHOWN = tuple(Show)
_ACTIONS = {Show.WAITING: "dis_waiting", Show.DECIDED: "dis_decided", Show.ALL: "dis_all"}
_VERDICTS = {
    "dis_gold": Verdict.GOLD,
    "dis_output": Verdict.OUTPUT,
    "dis_both": Verdict.BOTH,
    "dis_nothing": Verdict.UNANSWERABLE,
}


class DisagreementsScreen(ListScreen):
    """List by field, both values beside it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.DISAGREEMENTS)
    PLACE = Place.DISAGREEMENTS

    def __init__(self, desk: Desk, comments: Comments) -> None:
        super().__init__()
        self.desk = desk
        self.comments = comments
        self._listed: list[int] = []
        self._fields: list[tuple[str, int]] = []
        self._place: tuple[str, str] | None = None
        self._look: Look | None = None
        self._unreadable = ""
        self._unkept = ""
        self._polling = False

    def on_mount(self) -> None:
        """Show the first one, read the drafts and watch the files."""
        self.flows = Flows(self.app, self.desk, self.comments, self.read_again)
        self.refresh_all()
        self.picked.focus()
        if self.desk.reading.record.breaks:
            self.banner(messages.text("disagreements.record_broken", n=len(self.desk.reading.record.breaks)))
        self._load_drafts()
        self.set_interval(POLL_SECONDS, self.poll)

    @work(group="drafts")
    async def _load_drafts(self) -> None:
        found = await in_background(self.comments.load)
        if found:
            say(self.app, messages.text("disagreements.drafts", n=found), timeout=12)
            self.picked.refresh()

    # -- showing -------------------------------------------------------------------------------

    @property
    def item(self) -> Disagreement | None:
        """The selected disagreement."""
        number = self.picked.selected
        items = self.desk.reading.found.items
        return items[number] if number is not None and number < len(items) else None

    def refresh_all(self, number: int | None = None) -> None:
        """List again; ``number`` is selected, or what was selected, or what stands in its place."""
        items = self.desk.reading.found.items
        self._listed = self.desk.listed()
        rows: list[int] = []
        self._fields = []
        counts: dict[str, int] = {}
        for place in self._listed:
            counts[items[place].field_id] = counts.get(items[place].field_id, 0) + 1
        last = None
        for place in self._listed:
            name = items[place].field_id
            if name != last:
                self._fields.append((name, counts[name]))
                rows.append(-len(self._fields))
                last = name
            rows.append(place)
        if number is None and self._place is not None:
            number = next((place for place in self._listed if items[place].place == self._place), None)
        self.picked.show(rows, number, self._empty_text())
        self.follow()

    def _empty_text(self) -> Content:
        if not self.desk.reading.found.items:
            return tell("disagreements.none")
        return tell(f"disagreements.empty_{self.desk.show}")

    def head(self, width: int) -> Sequence[Content]:
        """Title and person; files, progress and what needs a second look."""
        found = self.desk.reading.found
        states = self.desk.states()
        total = len(found.items)
        names = f"{found.gold_path.name} · {found.outputs_path.name}"
        left = [
            Content(" "),
            literal(names, theme.STRONG),
            Content("  "),
            tell("disagreements.progress", decided=states[State.DECIDED], n=total),
        ]
        if width >= BAR_FROM_WIDTH and total:
            left += [Content("  "), bar(states[State.DECIDED], total)]
        odd = [
            messages.text(f"disagreements.head_{state}", n=states[state])
            for state in (State.EXPIRED, State.CONFLICT, State.IMPOSSIBLE)
            if states[state]
        ]
        return [
            self.flows.first_line("disagreements.title", width),
            spread(join(*left), literal(" · ".join(odd) + " ", theme.CARE), width),
        ]

    def shown(self, width: int) -> list[Zone]:
        """The filters, the one in force in brackets, and the field if only one is shown."""
        waiting = sum(count for state, count in self.desk.states().items() if state.waits)
        total = len(self.desk.reading.found.items)
        counts = {Show.WAITING: waiting, Show.DECIDED: total - waiting, Show.ALL: total}
        zones = []
        for which in _SHOWN:
            entry = action(_ACTIONS[which])
            chosen = which is self.desk.show
            left, right = ("[", "]") if chosen else (" ", " ")
            style = theme.STRONG if chosen else theme.QUIET
            text = join(
                literal(left),
                literal(f"{entry.shown_keys[0]} ", theme.KEY),
                literal(f"{entry.label} {counts[which]}", style),
                literal(right),
            )
            zones.append(Zone(text, entry.command, literal(entry.tip)))
        if self.desk.only_field is not None:
            entry = action("dis_field")
            words = tell("disagreements.only", style=theme.CARE, name=self.desk.only_field)
            only = Zone(join(Content(" "), words), entry.command, literal(entry.tip))
            # Where there is no room, what narrows the list is said instead of the filters.
            used = sum(zone.text.cell_length for zone in zones)
            zones = [*zones, only] if used + only.text.cell_length <= width else [only]
        return zones

    def row(self, number: int, width: int, chosen: bool) -> Content:  # noqa: FBT001 - a callback
        """A heading or a disagreement."""
        if number < 0:
            name, count = self._fields[-number - 1]
            return view.heading(name, count, width)
        item = self.desk.reading.found.items[number]
        drafted = self.comments.has(row_key(item.place))
        return view.row_line(item, self.desk.standing(item), width, chosen=chosen, drafted=drafted)

    def detail(self, width: int) -> Sequence[Content]:
        """Both values of the selected one."""
        if self._look is not None:
            return [
                join(Content(" "), line)
                for line in view.look_lines(self._look, self.desk.reading.record, width - 2)
            ]
        if self._unreadable:
            return indent(literal(self._unreadable, theme.BAD, multiline=True), width, Content(" "))
        found = self.desk.reading.found
        key = "disagreements.nothing_selected" if found.items else "disagreements.none_at_all"
        if found.items and self.desk.decided == len(found.items):
            key = "disagreements.all_decided"
        return indent(tell(key, style=theme.QUIET, n=found.rows, missing=found.missing), width, Content(" "))

    def follow(self) -> None:
        """Read the two rows of the selected one; small reads, so at once."""
        item = self.item
        self._look, self._unreadable = None, ""
        if item is not None:
            self._place = item.place
            try:
                self._look = self.desk.look(item)
            except ProductError as error:
                self._unreadable = str(error)
        self.pane.show(None if item is None else item.place)
        self.refresh_bars()

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now."""
        if entry.id in _VERDICTS:
            return self._look is not None and _VERDICTS[entry.id] in self._look.verdicts
        if entry.id == "dis_undo":
            return self.desk.can_undo
        if entry.id == "dis_withdraw":
            return self._look is not None and self._look.standing.verdict is not None
        if entry.id == "dis_chains":
            return self.desk.sources.evidence is not None
        if entry.id == "dis_field":
            return self.item is not None or self.desk.only_field is not None
        return super().usable(entry)

    def leave(self) -> None:
        """Where something lies below, back to it."""
        if len(self.app.screen_stack) > 1:
            self.dismiss(None)

    # -- filters -------------------------------------------------------------------------------

    def action_show(self, name: str) -> None:
        """Waiting, decided or all."""
        self.desk.show = Show(name)
        self.refresh_all()

    def action_show_next(self) -> None:
        """The next filter."""
        self.action_show(_SHOWN[(_SHOWN.index(self.desk.show) + 1) % len(_SHOWN)])

    def action_only_field(self) -> None:
        """This field alone, or all of them."""
        item = self.item
        self.desk.only_field = None if self.desk.only_field is not None or item is None else item.field_id
        self.refresh_all()

    def action_step_field(self, direction: int) -> None:
        """The first row of the next or previous field."""
        item = self.item
        if item is None:
            return
        names = list(self.desk.reading.found.by_field)
        if self.desk.only_field is not None:
            place = names.index(self.desk.only_field) + direction
            self.desk.only_field = names[max(0, min(place, len(names) - 1))]
            self.refresh_all()
            return
        items = self.desk.reading.found.items
        order = [name for name, _ in self._fields]
        place = max(0, min(order.index(item.field_id) + direction, len(order) - 1))
        self.refresh_all(next(p for p in self._listed if items[p].field_id == order[place]))

    # -- deciding ------------------------------------------------------------------------------

    @work(exclusive=True, group="deciding")
    async def action_decide(self, name: str) -> None:
        """Record a verdict, then the next disagreement that waits."""
        look, number, verdict = self._look, self.picked.selected, Verdict(name)
        if look is None or number is None:
            return
        if verdict not in look.verdicts:
            say(self.app, str(refusal(look, verdict)), severity="warning", timeout=8)
            return
        if await self.flows.decide_row(look, verdict):
            self.refresh_all(self._next(number))
        else:
            self.picked.refresh()

    def _next(self, number: int) -> int | None:
        """The next one shown that waits, from the top again at the end; the same if none does."""
        items = self.desk.reading.found.items
        listed = self.desk.listed()
        start = bisect_right(listed, number)
        for place in (*listed[start:], *listed[:start]):
            if place != number and self.desk.standing(items[place]).state.waits:
                return place
        return number

    @work(exclusive=True, group="deciding")
    async def action_undo(self) -> None:
        """Take the last decision of this session back and show what it was about."""
        step = await self.flows.undo()
        if step is None:
            return
        if step.kind is Kind.CHAIN:
            say(self.app, messages.text("disagreements.undone_chain", name=step.place[1]))
            self.refresh_all()
            return
        self._place = step.place
        self.refresh_all()

    @work(exclusive=True, group="deciding")
    async def action_withdraw(self) -> None:
        """Take back what was decided about this row."""
        if self._look is not None and self._look.standing.verdict is not None:
            await self.flows.decide_row(self._look, Verdict.NONE)
            self.refresh_all()

    @work(exclusive=True, group="deciding")
    async def action_reviewer(self) -> None:
        """Say who decides from now on."""
        await self.flows.ask_name()
        self.refresh_bars()

    @work(group="chains")
    async def action_chains(self) -> None:
        """The evidence chains; afterwards what was decided about them shows here too."""
        if self.desk.sources.evidence is None:
            say(self.app, messages.text("disagreements.no_evidence"))
            return
        await self.app.push_screen_wait(ChainsScreen(self.flows))
        self.refresh_all()

    # -- following the files -------------------------------------------------------------------

    async def poll(self) -> None:
        """Every two seconds: are files and record still what the screen shows?"""
        problem = self.comments.keeper.problem
        if problem and problem != self._unkept:
            told = messages.text("app_drafts.not_kept", why=problem)
            say(self.app, told, severity="warning", timeout=12)
        self._unkept = problem
        if self._polling or any(isinstance(s, VerdictDialog) and s.busy for s in self.app.screen_stack):
            return
        self._polling = True
        try:
            if await in_background(self.desk.changed):
                await self._read_again()
        finally:
            self._polling = False

    def read_again(self) -> None:
        """Read the files again soon."""
        self.action_reload()

    @work(exclusive=True, group="reload")
    async def action_reload(self) -> None:
        """Read files and record again because the person asks."""
        await self._read_again()

    async def _read_again(self) -> None:
        before = self.desk.reading
        try:
            fresh = await in_background(lambda: read(self.desk.sources, before))
        except ProductError as error:
            self.banner(messages.text("disagreements.unreadable", sentence=str(error)))
            return
        if self.desk.reading is not before:
            return  # a decision was recorded meanwhile; the next look reads again
        moved = fresh.found is not before.found or fresh.evidence_identity != before.evidence_identity
        others = len(fresh.record.entries) - len(before.record.entries)
        self.desk.adopt(fresh)
        self.refresh_all()
        if fresh.record.breaks:
            self.banner(messages.text("disagreements.record_broken", n=len(fresh.record.breaks)))
        elif moved:
            self.banner(messages.text("disagreements.reread"))
        elif others > 0:
            self.banner(messages.text("disagreements.others_decided", n=others))
        for screen in self.app.screen_stack:
            if isinstance(screen, ChainsScreen):
                screen.refresh_all()
