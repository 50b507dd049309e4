"""The order of the cases, their filters and the progress: pending first, each group in file order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring.clinical.normalize import normalize
from scoring.record import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reviewer.store import Entry


class Filter(StrEnum):
    """Which cases are shown."""

    PENDING = "pendientes"
    SIGNED = "firmados"
    RETURNED = "devueltos"
    ALL = "todos"


# A withdrawn or expired case waits for a signature again; a mismatched one waits for a person too.
AWAITING = frozenset({status for status in Status if status not in {Status.FIRMADO, Status.DEVUELTO}})
_GROUP = {
    Status.PENDIENTE: 0,
    Status.RETIRADO: 0,
    Status.CADUCADO: 0,
    Status.DESCUADRADO: 1,
    Status.DESACUERDO: 1,
    Status.DEVUELTO: 2,
    Status.FIRMADO: 3,
}


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One row of the queue.

    Attributes:
        position: place of the case in the file, from 0; tells repeated ids apart.
        faulty: the line has problems, so it cannot be signed as it is.
        reviews: how many of the ``asked`` reviews are in, while that leaves it pending.
    """

    position: int
    case_id: str
    status: Status
    split: str
    species: str
    batch: str
    description: str
    faulty: bool
    reviews: int = 0
    asked: int = 1


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the review is: ``signed`` of ``total``; ``awaiting`` and ``returned`` are among the rest."""

    signed: int
    awaiting: int
    returned: int
    total: int


class Queue:
    """The cases of one data set in reviewing order. Immutable; a changed data set makes a new one."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)
        items = [
            QueueItem(
                position=position,
                case_id=entry.case.id,
                status=entry.state.status,
                split=entry.case.split,
                species=entry.case.paciente.especie or "",
                batch=entry.case.tanda or "",
                description=entry.case.descripcion,
                faulty=bool(entry.problems),
                reviews=entry.state.reviews,
                asked=entry.state.asked,
            )
            for position, entry in enumerate(self._entries)
        ]
        self._items = tuple(sorted(items, key=lambda item: _GROUP[item.status]))
        self._haystacks: dict[int, str] = {}

    def view(self, which: Filter = Filter.ALL, search: str = "") -> tuple[QueueItem, ...]:
        """The items of a filter that hold every word of ``search`` (accents and case do not matter)."""
        wanted = tuple(item for item in self._items if _shows(which, item.status))
        words = normalize(search).split()
        if not words:
            return wanted
        return tuple(item for item in wanted if all(word in self._haystack(item) for word in words))

    def progress(self) -> Progress:
        """Counts over the whole data set, whatever filter is on the screen."""
        statuses = [item.status for item in self._items]
        return Progress(
            signed=statuses.count(Status.FIRMADO),
            awaiting=sum(status in AWAITING for status in statuses),
            returned=statuses.count(Status.DEVUELTO),
            total=len(statuses),
        )

    def next_awaiting(self, after: str | None = None) -> str | None:
        """The id of the next case that waits for a signature, in file order and starting over at the end."""
        waiting = [item for item in self._items if item.status in AWAITING and item.case_id]
        if not waiting:
            return None
        waiting.sort(key=lambda item: item.position)
        place = next((item.position for item in self._items if item.case_id == after), -1)
        later = (item.case_id for item in waiting if item.position > place)
        return next(later, waiting[0].case_id)

    def _haystack(self, item: QueueItem) -> str:
        known = self._haystacks.get(item.position)
        if known is None:
            case = self._entries[item.position].case
            known = normalize(
                "\n".join(
                    (
                        case.id,
                        case.descripcion,
                        case.split,
                        case.tanda or "",
                        case.paciente.especie or "",
                        case.paciente.raza or "",
                        case.signos_clinicos,
                        (case.revisor or "") if item.status is not Status.PENDIENTE else "",
                        *case.valores,
                        *case.esperado.diferenciales_aceptables,
                    )
                )
            )
            self._haystacks[item.position] = known
        return known


def _shows(which: Filter, status: Status) -> bool:
    if which is Filter.ALL:
        return True
    if which is Filter.SIGNED:
        return status is Status.FIRMADO
    if which is Filter.RETURNED:
        return status is Status.DEVUELTO
    return status in AWAITING
