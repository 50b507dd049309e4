"""Pending first, filters, search without accents, and where to go next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.review_queue import Filter, Progress, Queue
from reviewer.store import Dataset
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path


def queue_of(tmp_path: Path) -> Queue:
    path = write_cases(
        tmp_path / "c.jsonl",
        signed(make_case("a")),
        make_case("b", descripcion="Peritonitis séptica", tanda="2026-08"),
        signed(make_case("c", split="test")),
        make_case("d", paciente={"especie": "felino", "raza": "Siamés"}),
        make_case("e", split="test", valores={"alt": ["x"]}),
    )
    return Queue(Dataset.open(path).entries)


def ids(queue: Queue, which: Filter, search: str = "") -> list[str]:
    return [item.case_id for item in queue.view(which, search)]


def test_pending_cases_come_first_each_group_in_file_order(tmp_path: Path) -> None:
    queue = queue_of(tmp_path)
    assert ids(queue, Filter.ALL) == ["b", "d", "e", "a", "c"]
    assert ids(queue, Filter.PENDING) == ["b", "d", "e"]
    assert ids(queue, Filter.SIGNED) == ["a", "c"]
    assert ids(queue, Filter.RETURNED) == []
    assert [item.faulty for item in queue.view(Filter.PENDING)] == [False, False, True]


def test_search_wants_every_word_and_forgives_accents_and_case(tmp_path: Path) -> None:
    queue = queue_of(tmp_path)
    assert ids(queue, Filter.ALL, "SEPTICA peritonitis") == ["b"]
    assert ids(queue, Filter.ALL, "siames") == ["d"]
    assert ids(queue, Filter.ALL, "ana") == ["a", "c"]
    assert ids(queue, Filter.PENDING, "2026-08") == ["b"]
    assert ids(queue, Filter.ALL, "no existe") == []
    assert ids(queue, Filter.SIGNED, "   ") == ["a", "c"]


def test_progress_counts_the_whole_set(tmp_path: Path) -> None:
    assert queue_of(tmp_path).progress() == Progress(signed=2, awaiting=3, returned=0, total=5)


def test_after_one_case_the_next_that_waits_and_then_from_the_start(tmp_path: Path) -> None:
    queue = queue_of(tmp_path)
    assert queue.next_awaiting() == "b"
    assert queue.next_awaiting("b") == "d"
    assert queue.next_awaiting("c") == "d"
    assert queue.next_awaiting("e") == "b"
    assert queue.next_awaiting("unknown") == "b"


def test_with_everything_signed_there_is_no_next(tmp_path: Path) -> None:
    path = write_cases(tmp_path / "c.jsonl", signed(make_case("a")))
    assert Queue(Dataset.open(path).entries).next_awaiting("a") is None
