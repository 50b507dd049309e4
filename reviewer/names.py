"""The names of a data set's people, and the question that a name too much like one of them raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.errors import UsageError
from scoring.people import similar_names
from scoring.record.reviews import sealed_everywhere

if TYPE_CHECKING:
    from reviewer.store import Dataset


def known_names(dataset: Dataset) -> tuple[str, ...]:
    """Everybody who decided on a case, by the record and by the data; each spelling once, sorted.

    Whoever is known by a blind review alone is left out; the review itself compares the two names.
    """
    hidden = sealed_everywhere(dataset.record)
    record = {
        entry.reviewer
        for entry in dataset.record.entries
        if not entry.items or any((entry.digest, item.case_id) not in hidden for item in entry.items)
    }
    data = {case.revisor for case in dataset.cases if case.validado}
    return tuple(sorted(name for name in record | data if name and name.strip()))


def require_clear_name(name: str, dataset: Dataset, *, confirmed: bool) -> None:
    """Refuse a name that only looks like a known one, unless the person says that it is right.

    Args:
        name: as checked by :func:`reviewer.signing.check_reviewer`.
        dataset: where names are known from.
        confirmed: the person was asked, or gave ``--nombre-nuevo``.

    Raises:
        UsageError: names the one it looks like and the ways out.
    """
    if confirmed:
        return
    found = similar_names(name, known_names(dataset))
    if not found:
        return
    if found[0].known:
        raise UsageError("deciding.name_like_another", why=found[0].sentence(), known=found[0].known)
    raise UsageError("deciding.name_odd", why=found[0].sentence())
