"""The merge of two versions of a data set, bytes in and bytes out.

Lines are short here: a merge needs an id and does not judge the rest of a case.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.merging import Merged, merge
from scoring import messages
from scoring.cases import case_file
from scoring.jsonl import BOM, parse
from tests.support import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable


def line(case_id: str, *, by: str | None = None, on: str = "2026-08-01", n: object = 1) -> str:
    keys: dict[str, object] = {
        "validado": by is not None,
        "revisor": by,
        "fecha_validacion": on if by else None,
    }
    return json.dumps({"id": case_id, **keys, "n": n}, ensure_ascii=False)


def text(*lines: str, end: str = "\n", last: bool = True) -> bytes:
    joined = end.join(lines) + (end if last and lines else "")
    return joined.encode("utf-8")


def a_b_c(**changed: str) -> list[str]:
    return [changed.get(name, line(name)) for name in "abc"]


def clean(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    merged = merge(base, ours, theirs)
    assert merged.conflicts == ()
    return merged.data


def sentence(merged: Merged) -> str:
    (conflict,) = merged.conflicts
    return conflict.sentence("casos.jsonl")


# A line comes from the side that changed it.


def test_signatures_of_different_cases_on_both_sides_are_both_there() -> None:
    ours = text(*a_b_c(a=line("a", by="Ana")))
    theirs = text(*a_b_c(b=line("b", by="Luis")))
    expected = text(line("a", by="Ana"), line("b", by="Luis"), line("c"))
    assert clean(text(*a_b_c()), ours, theirs) == expected


def test_every_byte_that_nobody_changed_stays() -> None:
    odd = ['{"id" : "a" ,"n":24.50,"x":"\\u00f1"}', '{"id":"b","n":1e2}', '  {"id":"c"}  ', "", "\t"]
    ours = [odd[0].replace("24.50", "24.5"), *odd[1:]]
    theirs = [*odd[:2], '  {"id":"c","validado":true}  ', *odd[3:]]
    assert clean(text(*odd), text(*ours), text(*theirs)) == text(ours[0], odd[1], theirs[2], "", "\t")


def test_the_same_decision_on_both_sides_is_one() -> None:
    signed = text(*a_b_c(b=line("b", by="Ana")))
    other = text(*a_b_c(b=line("b", by="Ana"), c=line("c", by="Ana")))
    assert clean(text(*a_b_c()), signed, other) == other


def test_the_same_decision_spelled_differently_is_one() -> None:
    ours = '{"id": "b", "n": 24.50, "validado": true, "revisor": "Ana", "fecha_validacion": "2026-08-01"}'
    theirs = '{"fecha_validacion":"2026-08-01","revisor":"Ana","validado":true,"id":"b","n":24.5}'
    base = text(*a_b_c(b='{"id": "b", "n": 24.50, "validado": false}'))
    merged = clean(base, text(*a_b_c(b=ours)), text(*a_b_c(b=theirs, c=line("c", n=2))))
    assert merged == text(line("a"), ours, line("c", n=2)), "ours, because both say the same"


@pytest.mark.parametrize("swapped", [False, True])
def test_a_new_spelling_on_one_side_and_a_signature_on_the_other_are_both_kept(swapped: bool) -> None:
    base = text('{"id": "a", "n": 24.50, "validado": false, "revisor": null}')
    spelled = text('{"id":"a","n":24.5,"validado":false,"revisor":null}')
    signed = text(
        '{"id": "a", "n": 24.50, "validado": true, "revisor": "Ana", "fecha_validacion": "2026-08-01"}'
    )
    sides = (signed, spelled) if swapped else (spelled, signed)
    expected = '{"id":"a","n":24.5,"validado":true,"revisor":"Ana","fecha_validacion":"2026-08-01"}'
    assert clean(base, *sides) == text(expected)


def test_a_new_spelling_gives_way_to_a_new_content() -> None:
    base, spelled, edited = (
        text('{"id": "a", "n": 1}'),
        text('{"id":"a","n":1.0}'),
        text('{"id": "a", "n": 2}'),
    )
    assert clean(base, spelled, edited) == edited
    assert clean(base, edited, spelled) == edited


# Order, additions, deletions.


def test_the_order_is_that_of_ours_and_additions_stand_after_the_line_they_followed() -> None:
    base = text(*a_b_c())
    ours = text(line("c"), line("a"), line("o"), line("b"))
    theirs = text(line("t0"), line("a"), line("t1"), line("t2"), line("b"), line("c"), line("t3"))
    merged = clean(base, ours, theirs)
    ids = [json.loads(row)["id"] for row in merged.splitlines()]
    # t0 was first; c leads in ours and takes t3 along; t1 and t2 follow a, behind what ours put there.
    assert ids == ["t0", "c", "t3", "a", "o", "t1", "t2", "b"]


def test_both_sides_append_and_ours_comes_first() -> None:
    base = text(*a_b_c())
    ours, theirs = base + text(line("o1"), line("o2")), base + text(line("t1"), line("t2"))
    assert clean(base, ours, theirs) == ours + text(line("t1"), line("t2"))


def test_the_same_case_added_on_both_sides_is_there_once() -> None:
    base = text(line("a"))
    ours, theirs = base + text(line("new"), line("o")), base + text(line("t"), line("new"))
    assert clean(base, ours, theirs) == text(line("a"), line("t"), line("new"), line("o"))


def test_a_case_deleted_on_one_side_goes_and_on_both_sides_too() -> None:
    base = text(*a_b_c())
    ours, theirs = text(line("a"), line("c")), text(line("b"))
    assert clean(base, ours, theirs) == b""
    assert clean(base, ours, text(*a_b_c(c=line("c", by="Ana")))) == text(line("a"), line("c", by="Ana"))


def test_two_files_made_apart_are_one_with_each_case_once() -> None:
    ours, theirs = text(line("a"), line("b")), text(line("b"), line("c"))
    assert clean(b"", ours, theirs) == text(line("a"), line("b"), line("c"))


# What is no case: line ends, blank lines, byte order mark, lines that cannot be read.


def test_windows_line_ends_stay_and_a_line_added_by_the_other_side_takes_them() -> None:
    base = text(*a_b_c(), end="\r\n")
    ours = text(*a_b_c(a=line("a", by="Ana")), end="\r\n")
    theirs = text(*a_b_c(), line("t"), end="\n")
    # theirs alone changed the line ends of the whole file: that change is taken, too.
    assert clean(base, ours, theirs) == text(*a_b_c(a=line("a", by="Ana")), line("t"), end="\n")
    assert clean(base, ours, text(*a_b_c(), line("t"), end="\r\n")) == ours + text(line("t"), end="\r\n")


def test_mixed_line_ends_stay_as_they_are_line_by_line() -> None:
    base = f"{line('a')}\r\n{line('b')}\n{line('c')}\r\n".encode()
    ours = base.replace(line("a").encode(), line("a", by="Ana").encode())
    theirs = base.replace(line("c").encode() + b"\r\n", line("c", by="Luis").encode() + b"\n")
    expected = f"{line('a', by='Ana')}\r\n{line('b')}\n{line('c', by='Luis')}\n".encode()
    assert clean(base, ours, theirs) == expected


def test_a_missing_last_line_end_stays_missing_and_no_two_lines_run_together() -> None:
    base = text(*a_b_c(), last=False)
    ours = text(*a_b_c(c=line("c", by="Ana")), last=False)
    theirs = text(*a_b_c(), line("t"), last=False)
    assert clean(base, ours, theirs) == text(line("a"), line("b"), line("c", by="Ana"), line("t"), last=False)
    ended = text(*a_b_c(a=line("a", n=2)))
    assert clean(base, ours, ended) == text(line("a", n=2), line("b"), line("c", by="Ana")), "theirs ended it"


def test_blank_lines_stay_where_they_are() -> None:
    base = text("", line("a"), "", line("b"), "  ", "")
    ours = text("", line("a", by="Ana"), "", line("b"), "  ", "", line("o"))
    theirs = text("", line("a"), "", line("b", by="Luis"), "  ", "", line("t"))
    signed = line("a", by="Ana"), line("b", by="Luis")
    assert clean(base, ours, theirs) == text("", signed[0], "", signed[1], "  ", "", line("o"), line("t"))


def test_a_byte_order_mark_stays() -> None:
    base = BOM + text(*a_b_c())
    ours, theirs = BOM + text(*a_b_c(a=line("a", n=2))), BOM + text(*a_b_c(c=line("c", n=2)))
    assert clean(base, ours, theirs) == BOM + text(*a_b_c(a=line("a", n=2), c=line("c", n=2)))


def test_a_line_that_cannot_be_read_is_kept_and_told() -> None:
    base = text(line("a"), '{"id": "roto"', line("b"))
    ours = text(line("a", by="Ana"), '{"id": "roto"', line("b"))
    theirs = text(line("a"), '{"id": "roto"', line("b", by="Luis"))
    merged = merge(base, ours, theirs)
    assert merged.data == text(line("a", by="Ana"), '{"id": "roto"', line("b", by="Luis"))
    assert (merged.broken, merged.conflicts) == (1, ())
    mended = text(line("a"), line("roto"), line("b"))
    assert clean(base, ours, mended) == text(line("a", by="Ana"), line("roto"), line("b"))


# Conflicts.


def test_two_people_signed_the_same_case_and_both_are_named() -> None:
    base = text(*a_b_c())
    ours, theirs = line("b", by="Ana Ruiz"), line("b", by="Luis Gil", on="2026-08-02")
    merged = merge(base, text(*a_b_c(b=ours)), text(*a_b_c(b=theirs, c=line("c", by="Luis Gil"))))
    assert sentence(merged) == (
        "Conflicto en «casos.jsonl», caso «b»: esta rama lo tiene firmado por Ana Ruiz el 2026-08-01; "
        "la otra rama lo tiene firmado por Luis Gil el 2026-08-02. "
        "Son dos decisiones sobre el mismo caso: alguien tiene que leerlo y firmarlo de nuevo."
    )
    assert merged.data == text(
        line("a"),
        "<<<<<<< esta rama",
        ours,
        "=======",
        theirs,
        ">>>>>>> la otra rama",
        line("c", by="Luis Gil"),
    )


def test_the_same_person_on_two_days_is_a_conflict_too() -> None:
    sides = text(line("a", by="Ana")), text(line("a", by="Ana", on="2026-08-02"))
    assert len(merge(text(line("a")), *sides).conflicts) == 1


@pytest.mark.parametrize("swapped", [False, True])
def test_a_signature_does_not_pass_to_a_content_that_changed_on_the_other_side(swapped: bool) -> None:
    sides = [text(line("a", by="Ana")), text(line("a", n=2))]
    merged = merge(text(line("a")), *(reversed(sides) if swapped else sides))
    said = sentence(merged)
    assert "lo tiene firmado por Ana el 2026-08-01" in said
    assert "ha cambiado el contenido (n)" in said
    assert "La firma es de otro contenido y no vale para el nuevo" in said


@pytest.mark.parametrize("swapped", [False, True])
def test_a_withdrawal_against_another_decision_names_both(swapped: bool) -> None:
    base = text(line("a", by="Ana"))
    sides = [text(line("a")), text(line("a", by="Luis"))]
    said = sentence(merge(base, *(reversed(sides) if swapped else sides)))
    assert "ha retirado la firma de Ana del 2026-08-01" in said
    assert "lo tiene firmado por Luis el 2026-08-01" in said
    assert "dos decisiones" in said


@pytest.mark.parametrize("swapped", [False, True])
def test_deleted_on_one_side_and_signed_on_the_other_is_a_conflict(swapped: bool) -> None:
    base = text(*a_b_c())
    signed = line("b", by="Ana")
    sides = [text(line("a"), line("c")), text(*a_b_c(b=signed))]
    merged = merge(base, *(reversed(sides) if swapped else sides))
    said = sentence(merged)
    assert "lo ha borrado" in said
    assert "lo tiene firmado por Ana" in said
    middle = ["=======", signed] if not swapped else [signed, "======="]
    expected = text(line("a"), "<<<<<<< esta rama", *middle, ">>>>>>> la otra rama", line("c"))
    assert merged.data == expected


def test_two_edits_of_one_case_are_a_conflict_that_names_the_fields() -> None:
    base = text('{"id": "a", "valores": {"hct": 24, "alt": 4}, "x": 1}')
    ours = text('{"id": "a", "valores": {"hct": 25, "alt": 4}, "x": 1}')
    theirs = text('{"id": "a", "valores": {"hct": 24}, "x": 2, "y": [1]}')
    said = sentence(merge(base, ours, theirs))
    assert "esta rama ha cambiado el contenido (valores.hct)" in said
    assert "la otra rama ha cambiado el contenido (valores.alt, x, y)" in said


def test_the_same_id_added_with_different_contents_is_a_conflict_and_no_repeated_id() -> None:
    merged = merge(text(line("a")), text(line("a"), line("n", by="Ana")), text(line("a"), line("n", n=2)))
    said = sentence(merged)
    assert (
        "esta rama lo ha añadido, firmado por Ana el 2026-08-01; la otra rama lo ha añadido, sin firmar"
        in said
    )
    assert merged.data.count(b'"n"') == 2 + 3, "two versions of n, and the key n of three lines"


def test_windows_line_ends_hold_for_the_markers_too() -> None:
    base, ours, theirs = (text(line("a", by=by), end="\r\n") for by in (None, "Ana", "Luis"))
    data = merge(base, ours, theirs).data
    assert data.count(b"\r\n") == data.count(b"\n") == 5


def test_a_conflict_at_the_end_of_a_file_without_last_line_end_keeps_its_markers_apart() -> None:
    base, ours, theirs = (text(line("a", by=by), last=False) for by in (None, "Ana", "Luis"))
    assert merge(base, ours, theirs).data.splitlines()[-1] == b">>>>>>> la otra rama"


def test_what_a_conflict_leaves_is_refused_marker_by_marker() -> None:
    merged = merge(text(*a_b_c()), text(*a_b_c(b=line("b", by="Ana"))), text(*a_b_c(b=line("b", by="Luis"))))
    problems = case_file(parse(ROOT / "x.jsonl", merged.data)).problems
    assert [p.line for p in problems if p.key == "jsonl.conflict_marker"] == [2, 4, 6]


def test_names_in_a_conflict_cannot_command_the_terminal() -> None:
    sides = text(line("a", by="Ana\x1b[2J")), text(line("a", by="Luis"))
    said = sentence(merge(text(line("a")), *sides))
    assert "\x1b" not in said
    assert "Ana␛[2J" in said


def test_a_conflict_is_told_in_english_too() -> None:
    messages.set_language("en")
    merged = merge(text(line("a")), text(line("a", by="Ana")), text(line("a", n=2)))
    assert (
        "this branch has it signed by Ana on 2026-08-01; the other branch changed the content (n)"
        in sentence(merged)
    )


# Files that repeat an id.


def test_a_repeated_id_that_nobody_touched_stays_where_it_is_and_is_told() -> None:
    base = text(line("a"), line("b"), line("a", n=2), line("c"))
    ours = base.replace(line("b").encode(), line("b", by="Ana").encode())
    theirs = base.replace(line("c").encode(), line("c", by="Luis").encode())
    merged = merge(base, ours, theirs)
    assert merged.data == text(line("a"), line("b", by="Ana"), line("a", n=2), line("c", by="Luis"))
    assert (merged.conflicts, merged.repeated) == ((), ("a",))


def test_a_side_that_settles_a_repeated_id_is_followed() -> None:
    base = text(line("a"), line("b"), line("a", n=2))
    theirs = text(line("a", n=2), line("b"))
    ours = text(line("a"), line("b", by="Ana"), line("a", n=2))
    assert clean(base, ours, theirs) == text(line("a", n=2), line("b", by="Ana"))


def test_the_unsettled_ancestor_of_a_criss_cross_decides_for_nobody() -> None:
    """git may give as BASE a merge with its conflicts in it; each side settled them in its own way."""
    base = merge(text(line("a")), text(line("a", by="Ana")), text(line("a", by="Luis"))).data
    ours, theirs = text(line("a", by="Ana")), text(line("a", by="Luis"))
    assert len(merge(base, ours, theirs).conflicts) == 1
    assert clean(base, ours, ours + text(line("b"))) == ours + text(line("b"))


# Any two sides at all.

ids = st.sampled_from("abcdef")
sides = st.lists(
    st.tuples(ids, st.sampled_from([None, "Ana", "Luis"]), st.integers(0, 1)),
    max_size=6,
    unique_by=lambda row: row[0],
).map(lambda rows: [line(case_id, by=by, n=n) for case_id, by, n in rows])
blanks = st.lists(st.integers(0, 6), max_size=2)


def with_blanks(rows: list[str], places: Iterable[int]) -> list[str]:
    out = list(rows)
    for place in places:
        out.insert(place, "")
    return out


def rows(data: bytes) -> list[str]:
    return [row for row in data.decode("utf-8").splitlines() if row]


@given(sides, sides, sides, blanks, st.booleans())
def test_no_merge_loses_doubles_or_invents_a_line(
    base: list[str], ours: list[str], theirs: list[str], places: list[int], last: bool
) -> None:
    files = text(*base), text(*with_blanks(ours, places), last=last), text(*theirs)
    merged = merge(*files)
    found = rows(merged.data)
    assert set(found) <= {*ours, *theirs, "<<<<<<< esta rama", "=======", ">>>>>>> la otra rama"}
    conflicting = {conflict.case_id for conflict in merged.conflicts}
    settled = [json.loads(row)["id"] for row in found if row.startswith("{")]
    settled = [case_id for case_id in settled if case_id not in conflicting]
    assert len(settled) == len(set(settled)), "no id twice outside a conflict"
    by_id = [{json.loads(row)["id"]: row for row in side} for side in (base, ours, theirs)]
    for case_id in {key for side in by_id for key in side}:
        before, here, there = (side.get(case_id) for side in by_id)
        if there in (here, before):
            expected = here
        elif here == before:
            expected = there
        else:
            assert case_id in conflicting
            assert all(row in found for row in (here, there) if row is not None)
            continue
        assert case_id not in conflicting
        assert (expected is not None) == (case_id in settled)
        assert expected is None or expected in found


@given(sides, sides, sides)
def test_both_directions_agree_on_the_cases_and_the_conflicts(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    there = merge(text(*base), text(*ours), text(*theirs))
    back = merge(text(*base), text(*theirs), text(*ours))
    assert sorted(rows(there.data)) == sorted(rows(back.data))
    assert {c.case_id for c in there.conflicts} == {c.case_id for c in back.conflicts}


@given(
    st.lists(st.binary(max_size=12), max_size=6),
    st.lists(st.binary(max_size=12), max_size=6),
    st.binary(max_size=40),
)
def test_any_bytes_at_all_are_merged_without_an_error(
    base: list[bytes], ours: list[bytes], theirs: bytes
) -> None:
    first, second = b"\n".join(base), b"\r\n".join(ours)
    assert merge(first, first, theirs).data == theirs
    assert merge(first, second, first).data == second
    assert merge(first, second, second).data == second
    merge(first, second, theirs)
