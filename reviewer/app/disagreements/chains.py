"""The evidence chains: how each stands, what the gate objects to, and approving or rejecting it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.disagreements import view
from reviewer.app.disagreements.drafting import chain_key
from reviewer.app.disagreements.list_screen import ListScreen
from reviewer.app.text import Content, indent, join, literal, say, spread, tell
from reviewer.app.widgets.zones import Zone
from scoring import messages
from scoring.adjudication.chains import chain_counts
from scoring.adjudication.content import chain_digest
from scoring.adjudication.entries import Kind, Verdict
from scoring.adjudication.standing import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from reviewer.adjudication.desk import Desk
    from reviewer.app.actions import Action
    from reviewer.app.disagreements.flows import Flows
    from scoring.adjudication.chains import ChainReview


class ChainsScreen(ListScreen):
    """Every chain of the file, in its order."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.CHAINS)
    PLACE = Place.CHAINS

    def __init__(self, flows: Flows) -> None:
        super().__init__()
        self.flows = flows

    @property
    def desk(self) -> Desk:
        """The session."""
        return self.flows.desk

    @property
    def review(self) -> ChainReview | None:
        """The selected chain."""
        number = self.picked.selected
        chains = self.desk.reading.chains
        return chains[number] if number is not None and number < len(chains) else None

    def on_mount(self) -> None:
        """The first chain."""
        self.refresh_all()
        self.picked.focus()

    def refresh_all(self, number: int | None = None) -> None:
        """Paint everything again."""
        chains = self.desk.reading.chains
        empty = tell(
            "disagreements.no_evidence" if self.desk.sources.evidence is None else "disagreements.no_chains"
        )
        self.picked.show(range(len(chains)), self.picked.selected if number is None else number, empty)
        self.follow()

    # -- what is shown -------------------------------------------------------------------------

    def head(self, width: int) -> Sequence[Content]:
        """Title and person; file and counts."""
        evidence = self.desk.sources.evidence
        name = "" if evidence is None else evidence.name
        counts = chain_counts(self.desk.reading.chains)
        said = messages.text(
            "disagreements.chain_counts",
            approved=counts[Verdict.APPROVE],
            rejected=counts[Verdict.REJECT],
            n=len(self.desk.reading.chains),
        )
        return [
            self.flows.first_line("disagreements.chains_title", width),
            spread(join(Content(" "), literal(name, theme.STRONG)), literal(f"{said} "), width),
        ]

    def shown(self, width: int) -> list[Zone]:
        """What else there is to say of them."""
        counts = chain_counts(self.desk.reading.chains)
        waiting = counts[State.UNDECIDED] + counts[State.EXPIRED] + counts[State.CONFLICT]
        return [Zone(tell("disagreements.chains_waiting", style=theme.QUIET, n=waiting).truncate(width))]

    def row(self, number: int, width: int, chosen: bool) -> Content:  # noqa: FBT001 - a callback
        """One chain."""
        review = self.desk.reading.chains[number]
        drafted = self.flows.comments.has(chain_key(chain_digest(review.chain)))
        return view.chain_line(review, width, chosen=chosen, drafted=drafted)

    def detail(self, width: int) -> Sequence[Content]:
        """The selected chain."""
        review = self.review
        if review is None:
            return indent(tell("disagreements.no_chain_selected", style=theme.QUIET), width, Content(" "))
        subject = (chain_digest(review.chain),)
        lines = view.chain_lines(review, self.desk.reading.record, subject, width - 2)
        return [join(Content(" "), line) for line in lines]

    def follow(self) -> None:
        """Show another chain."""
        review = self.review
        self.pane.show(None if review is None else chain_digest(review.chain))
        self.refresh_bars()

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now."""
        if entry.id in {"chain_approve", "chain_reject"}:
            return self.review is not None
        if entry.id == "chain_undo":
            return self.desk.can_undo
        if entry.id == "chain_withdraw":
            return self.review is not None and self.review.standing.verdict is not None
        return super().usable(entry)

    def leave(self) -> None:
        """Back to the disagreements."""
        self.dismiss(None)

    # -- deciding ------------------------------------------------------------------------------

    @work(exclusive=True, group="deciding")
    async def action_decide(self, name: str) -> None:
        """Approve or reject, then the next chain that waits."""
        review, number = self.review, self.picked.selected
        if review is None or number is None:
            return
        if not await self.flows.decide_chain(review, Verdict(name)):
            return
        chains = self.desk.reading.chains
        order = [*range(number + 1, len(chains)), *range(number)]
        waiting = (place for place in order if chains[place].standing.state.waits)
        self.refresh_all(next(waiting, number))

    @work(exclusive=True, group="deciding")
    async def action_undo(self) -> None:
        """Take the last decision of this session back."""
        step = await self.flows.undo()
        if step is None:
            return
        if step.kind is not Kind.CHAIN:
            say(self.app, messages.text("disagreements.undone_row"))
        self.refresh_all()

    @work(exclusive=True, group="deciding")
    async def action_withdraw(self) -> None:
        """Take back what was decided about this chain."""
        if self.review is not None and self.review.standing.verdict is not None:
            await self.flows.decide_chain(self.review, Verdict.NONE)
            self.refresh_all()
