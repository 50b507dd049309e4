"""What the orders say of reviews: both decisions side by side, and how many are still missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring import messages

if TYPE_CHECKING:
    from reviewer.decisions.review import ReviewDesk, Told


def desk_lines(desk: ReviewDesk) -> list[str]:
    """Every review that may be seen; nothing before two persons have reviewed the case."""
    if not desk.told:
        return []
    say = messages.text
    said = [say("review.both_head", id=desk.case_id)]
    for one in desk.told:
        when = f"{one.moment:%Y-%m-%d %H:%M}" if one.moment is not None else say("review.no_date")
        key = "review.told_adjudicates" if one.adjudicates else "review.told"
        said.append(say(key, name=one.reviewer, when=when))
        said += [f"    {line}" for line in opinion_lines(one)]
    return said


def opinion_lines(told: Told) -> list[str]:
    """One review, a line per thing decided."""
    say = messages.text
    nothing = say("review.nothing")
    said = [say("review.plain")] if told.plain else []
    said.append(say("review.accepts", texts="; ".join(told.accepted) or nothing))
    if told.rejected:
        said.append(say("review.rejects", texts="; ".join(told.rejected)))
    if told.added:
        said.append(say("review.adds", texts="; ".join(told.added)))
    said.append(say("review.referral_yes" if told.referral else "review.referral_no"))
    said.append(say("review.scope_out" if told.out_of_scope else "review.scope_in"))
    if told.comment:
        said.append(say("review.comment", text=told.comment))
    return said
