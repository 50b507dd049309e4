"""The words of the dashboard that a vet need not know: what each means, and what to do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.board_view import View
from reviewer.app.panels.common import rule
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS: dict[View, tuple[str, ...]] = {
    View.FIGURES: ("recall", "coverage", "precision", "counts", "threshold", "interval", "splits"),
    View.PARTS: ("parts",),
    View.WHAT_IF: ("supposition",),
    View.COMPARISON: ("not_shown", "mcnemar", "p"),
    View.TREND: ("trend",),
    View.JUDGE: (
        "judge",
        "rubric",
        "calibrated",
        "kappa",
        "unjudged",
        "grounding",
        "faithfulness",
        "context_precision",
        "context_recall",
        "unmeasured",
    ),
    View.CASES: ("marks",),
}
"""View -> keys of the words that it uses first."""

ALSO: dict[View, tuple[str, ...]] = {
    View.PARTS: ("threshold", "counts"),
    View.WHAT_IF: ("threshold", "splits"),
    View.COMPARISON: ("interval", "counts"),
    View.JUDGE: ("threshold", "interval"),
    View.CASES: ("counts",),
}
"""View -> keys of words of other views that it uses too."""


def glossary_lines(view: View, width: int) -> list[Content]:
    """The words of one view, then those of the others."""
    own = (*WORDS[view], *ALSO.get(view, ()))
    others = [key for keys in WORDS.values() for key in keys if key not in own]
    return [
        rule(messages.text("glossary.title"), width),
        *_explained(own, width),
        Content(""),
        rule(messages.text("glossary.title_others"), width),
        *_explained(others, width),
    ]


def _explained(keys: Iterable[str], width: int) -> list[Content]:
    said: list[Content] = []
    for key in keys:
        name = tell(f"glossary.name_{key}", style=theme.STRONG)
        said += indent(join(name, literal(". "), tell(f"glossary.word_{key}")), width, Content(" · "))
    return said
