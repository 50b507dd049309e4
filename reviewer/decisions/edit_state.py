"""The case between two steps of a correction, and two corrections of one case made one. Pure values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoring.clinical.normalize import normalize

if TYPE_CHECKING:
    from reviewer.store.edit import Path, Scalar


@dataclass(frozen=True, slots=True)
class Differential:
    """One differential on the table.

    Attributes:
        text: as it reads now.
        original: as the draft of the case had it; None for one that the reviewer added.
        accepted: the reviewer has said that it is right as it reads now.
        removed: the reviewer has taken it out; it is still shown, and can be brought back.
    """

    text: str
    original: str | None
    accepted: bool = False
    removed: bool = False


@dataclass(frozen=True, slots=True)
class EditState:
    """The case between two steps.

    Attributes:
        differentials: all of them, those taken out too.
        findings: the key findings.
        fields: the other fields that differ from the line, with their new values, in the order in which
            they were first changed.
    """

    differentials: tuple[Differential, ...]
    findings: tuple[str, ...]
    fields: tuple[tuple[Path, Scalar], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The differentials as the case would hold them."""
        return tuple(item.text for item in self.differentials if not item.removed)


def merged_differentials(
    first: EditState, ours: EditState, theirs: EditState
) -> tuple[tuple[Differential, ...], bool]:
    """The differentials of a line that somebody changed, with our steps on those that are still there.

    One that we added or reworded is never dropped; where the other side has reworded or taken out the same
    one, ours stands beside what they have.

    Args:
        first: the case on which our steps were taken.
        ours: the case after them.
        theirs: the case as it is now.

    Returns:
        The differentials, and whether both sides changed the same one, each in its own way.
    """
    if ours.differentials == first.differentials:
        return theirs.differentials, False
    if theirs.texts == first.texts:
        return ours.differentials, False
    steps = {item.original: item for item in ours.differentials if item.original is not None}
    found = [steps.get(item.text, item) for item in theirs.differentials]
    reworded = set(theirs.texts) - set(first.texts)
    unsure = False
    for item in ours.differentials:
        if item.original is not None and item.original in theirs.texts:
            continue
        if item.removed:
            # Perhaps they gave it other words: then it is still there, and we wanted it gone.
            unsure = unsure or bool(reworded)
        elif item.original != item.text and _lacks(found, item):
            unsure = unsure or item.original is not None
            found.append(replace(item, original=None))
    return _each_once(found), unsure


def _lacks(found: list[Differential], item: Differential) -> bool:
    return all(normalize(other.text) != normalize(item.text) for other in found)


def _each_once(found: list[Differential]) -> tuple[Differential, ...]:
    """Without what we reworded into something that they have put in themselves."""
    kept: list[Differential] = []
    for item in found:
        twice = item.original != item.text and not all(
            other is item or other.removed or normalize(other.text) != normalize(item.text) for other in found
        )
        kept.append(replace(item, text=item.original or item.text, removed=True) if twice else item)
    return tuple(kept)


def merged_findings(first: EditState, ours: EditState, theirs: EditState) -> tuple[str, ...]:
    """The key findings of a line that somebody changed, with those we named and without those we took out."""
    if theirs.findings == first.findings:
        return ours.findings  # in our order, too
    named = [key for key in ours.findings if key not in first.findings and key not in theirs.findings]
    taken_out = set(first.findings) - set(ours.findings)
    return (*(key for key in theirs.findings if key not in taken_out), *named)
