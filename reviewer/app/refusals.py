"""Why a decision was refused, in the words of the app. No Textual here."""

from __future__ import annotations

from scoring import messages
from scoring.errors import DataError, ProductError

_OWN_WORDS = {
    "deciding.mismatch": "app_decide.mismatch",
    "signing.mismatch": "app_decide.mismatch",
    "signing.already_signed": "app_decide.signed_meanwhile",
    "signing.already_yours": "app_decide.signed_by_you",
    "signing.returned": "app_decide.returned_meanwhile",
    "deciding.return_signed": "app_decide.return_signed",
    "deciding.no_reason": "app_decide.no_reason",
    "signing.no_reviewer": "app_decide.no_reviewer",
}
"""Refusals whose usual sentence names an option of the command line; here a key does it."""
_REVIEW_WORDS = frozenset(
    {
        "review.settle_first",
        "review.already_yours",
        "review.name_alike",
        "review.name_alike_hidden",
        "review.needs_adjudication",
        "review.nothing_to_adjudicate",
        "review.correct_first",
        "review.close_as_decided",
    }
)
"""Refusals of a review whose usual sentence names an option of the command line; the app has its own."""


def refusal_text(error: ProductError) -> str:
    """Why a decision was refused: what the command line says, but for what names an option of it."""
    if error.key in _REVIEW_WORDS:
        return messages.text(f"app_review.{error.code}", **error.fields)
    text = messages.text(_OWN_WORDS.get(error.key, error.key), **error.fields)
    # Some go on after «Error:» on the command line; here they begin the sentence.
    return text[:1].upper() + text[1:]


def problem_sentences(error: ProductError) -> tuple[str, ...]:
    """The problems an error carries, a sentence each; empty when it carries none."""
    return tuple(problem.sentence() for problem in error.problems) if isinstance(error, DataError) else ()
