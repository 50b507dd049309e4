"""The audit of records that came from several branches."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from reviewer.store import Dataset
from scoring.record import (
    parse_record,
    record_path,
)
from scoring.record.audit import record_faults
from tests.record.audit_support import Line, lines_of, look, put, sign
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path


# Branches and merges.


def union(ours: list[Line], theirs: list[Line]) -> list[Line]:
    """What git's union merge makes of two files that were only appended to."""
    return [*ours, *(line for line in theirs if line not in ours)]


def branch(data: Path, name: str) -> Path:
    folder = data.parent.parent / name
    folder.mkdir()
    copy = folder / data.name
    copy.write_bytes(data.read_bytes())
    if record_path(data).exists():
        record_path(copy).write_bytes(record_path(data).read_bytes())
    return copy


def take_line(into: Path, source: Path, case_id: str) -> None:
    """The merged data: one case's line comes from the other branch."""
    theirs = {row.case.id: row.row.line.raw for row in Dataset.open(source).file.rows}
    file = Dataset.open(into).file
    into.write_bytes(
        b"".join((theirs[r.case.id] if r.case.id == case_id else r.row.line.raw) + b"\n" for r in file.rows)
    )


def test_a_merge_of_two_branches_is_in_order_whichever_side_comes_first(data: Path, tmp_path: Path) -> None:
    other = branch(data, "otra")
    sign(data, "tres", "Ana", minute=5)
    sign(other, "uno", "Luis", again=True, minute=6)
    sign(other, "dos", "Luis", again=True, minute=7)
    ours, theirs = lines_of(data), lines_of(other)
    for case_id in ("uno", "dos"):
        take_line(data, other, case_id)
    for merged in (union(ours, theirs), union(theirs, ours), [*ours, *theirs]):
        put(data, merged)
        found = look(data)
        assert found.breaks == ()
        assert len(found.tips) == 2
    sign(data, "uno", "Eva", again=True, minute=8)
    assert look(data).breaks == ()
    assert len(look(data).tips) == 1


def test_two_first_writes_on_two_branches_adopt_alike(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    ours = write_cases(tmp_path / "a" / "c.jsonl", signed(make_case("v")), make_case("x"), make_case("y"))
    theirs = branch(ours, "b")
    sign(ours, "x", "Ana")
    sign(theirs, "y", "Luis")
    put(ours, union(lines_of(ours), lines_of(theirs)))
    take_line(ours, theirs, "y")
    found = look(ours)
    assert (found.breaks, found.entries) == ((), 3)


def test_both_branches_deciding_one_case_is_a_break_until_a_person_settles_it(data: Path) -> None:
    other = branch(data, "otra")
    sign(data, "tres", "Ana", minute=5)
    sign(other, "tres", "Luis", minute=6)
    put(data, union(lines_of(data), lines_of(other)))
    found = look(data)
    assert [(b.code, b.case_id) for b in found.breaks] == [("two_decisions", "tres")]
    assert "Ana, Luis" in found.breaks[0].sentence()
    sign(data, "tres", "Eva", again=True, minute=7)
    assert look(data).breaks == ()


def test_the_same_decision_on_two_branches_counts_once_and_is_told(data: Path) -> None:
    other = branch(data, "otra")
    sign(data, "tres", "Ana", minute=5)
    sign(other, "tres", "Ana", minute=6)
    put(data, union(lines_of(data), lines_of(other)))
    found = look(data)
    assert found.breaks == ()
    assert [n.code for n in found.notices] == ["same_decision_twice"]


def test_a_line_that_a_criss_cross_merge_may_have_moved_is_a_notice(data: Path) -> None:
    """Ours: a, b, n. Theirs: b, a, m. git may leave n before a, which it follows."""
    other = branch(data, "otra")
    base = lines_of(data)
    sign(data, "tres", "Ana", minute=5)
    sign(other, "uno", "Luis", again=True, minute=6)
    a, b = lines_of(data)[-1], lines_of(other)[-1]
    take_line(data, other, "uno")
    put(data, [*base, a, b])
    sign(data, "dos", "Ana", again=True, minute=7)
    n = lines_of(data)[-1]
    put(data, [*base, b, n, a])
    found = look(data)
    assert found.breaks == ()
    assert [(x.code, x.line) for x in found.notices] == [("moved_by_merge", 6)]


@pytest.mark.parametrize("seed", range(12))
def test_whatever_branches_sign_and_merge_the_record_is_in_order(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    ids = [f"c{n}" for n in range(5)]
    (tmp_path / "b0").mkdir()
    cases = [make_case(i) if n else signed(make_case(i)) for n, i in enumerate(ids)]
    places = [write_cases(tmp_path / "b0" / "c.jsonl", *cases)]
    for step in range(14):
        here = chance.choice(places)
        deed = chance.random()
        if deed < 0.25 and len(places) < 4:
            places.append(branch(here, f"b{len(places)}"))
        elif deed < 0.5 and len(places) > 1:
            there = chance.choice(places)
            if record_path(here).exists() and record_path(there).exists():
                put(here, union(lines_of(here), lines_of(there)))
        else:
            sign(here, chance.choice(ids), chance.choice(["Ana", "Luis"]), again=True, minute=step)
        for place in places:
            if record_path(place).exists():
                record = parse_record(record_path(place), record_path(place).read_bytes())
                assert record_faults(record) == ()
    assert any(record_path(place).exists() for place in places)


def test_a_graph_of_many_adoptions_and_long_histories_is_quick(tmp_path: Path) -> None:
    """600 adoptions take gathering lines; they are in order too."""
    path = write_cases(
        tmp_path / "c.jsonl", *(signed(make_case(f"c{n}")) for n in range(600)), make_case("x")
    )
    sign(path, "x", "Ana")
    found = look(path)
    assert found.breaks == ()
    assert found.entries == 600 + 3 + 1
