"""The audit names whatever does not hold together in record and data."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import (
    Kind,
    SignatureKeys,
    Status,
    content_digest,
    entry_digest,
    intent_path,
    line_digest,
    record_path,
    take_snapshot,
)
from scoring.record.audit import gate_check
from scoring.record.entries import parse_entry
from scoring.record.trust import Trust
from tests.record.audit_support import NOW, Line, codes, dump, lines_of, look, put, sign
from tests.store.faults import CALLS, Faults, dying_after, dying_before, dying_halfway
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    from scoring.record import Transaction


Tamper = Callable[[list[Line]], list[Line]]


def test_what_the_program_wrote_is_in_order(data: Path) -> None:
    found = look(data)
    assert (found.breaks, found.notices, found.step, found.problems) == ((), (), None, 0)
    assert found.entries == 4
    assert found.tips == (entry_digest(lines_of(data)[-1]),)
    assert [(s.case_id, s.reviewer, s.trust, s.counts) for s in found.signatures] == [
        ("vieja", "Eva", Trust.ADOPTADA, True),
        ("uno", "Ana", Trust.NOMBRE, True),
        ("dos", "Luis", Trust.NOMBRE, True),
    ]


def test_without_a_record_signatures_are_outside_any_record_and_nothing_is_broken(tmp_path: Path) -> None:
    path = write_cases(tmp_path / "c.jsonl", signed(make_case("a")), make_case("b"))
    found = look(path)
    assert (found.exists, found.breaks, found.tips) == (False, (), ())
    assert [(s.case_id, s.trust) for s in found.signatures] == [("a", Trust.SIN_REGISTRO)]


def test_a_record_deleted_whole_shows_only_against_a_pinned_tip(data: Path) -> None:
    (tip,) = look(data).tips
    record_path(data).unlink()
    assert look(data).breaks == ()
    assert codes(look(data, (tip,))) == {"record_gone"}


def test_a_cut_at_the_end_shows_against_the_pinned_tip_and_in_the_data(data: Path) -> None:
    (tip,) = look(data).tips
    sign(data, "tres", "Ana", minute=9)
    assert look(data, (tip,)).breaks == (), "an earlier tip is still held by a longer record"
    whole = lines_of(data)
    put(data, whole[:-2])
    assert codes(look(data, (tip,))) == {"pin_gone", "other_signature", "not_in_record"}
    # Data cut back alike: only the pin knows.
    old = data.read_text("utf-8").replace('"revisor": "Luis"', '"revisor": "Ana"')
    lines = old.splitlines(keepends=True)
    lines[3] = json.dumps(make_case("tres", split="test")) + "\n"
    data.write_text("".join(lines), "utf-8")
    assert look(data).breaks == ()
    assert codes(look(data, (tip,))) == {"pin_gone"}


def altered(index: int, change: Callable[[dict[str, object]], object]) -> Tamper:
    def tamper(lines: list[Line]) -> list[Line]:
        value = json.loads(lines[index])
        change(value)
        return [*lines[:index], dump(value), *lines[index + 1 :]]

    return tamper


def item(value: dict[str, object]) -> dict[str, object]:
    items = value["casos"]
    assert isinstance(items, list)
    first = items[0]
    assert isinstance(first, dict)
    return first


def copied_to_another_case(lines: list[Line]) -> list[Line]:
    value = json.loads(lines[1])
    item(value)["id"] = "tres"
    value["puntas"] = [entry_digest(lines[-1])]
    return [*lines, dump(value)]


def late_adoption(lines: list[Line]) -> list[Line]:
    """A flag set by hand, and an adoption line of it slipped in, which names nobody."""
    raw = json.dumps(signed(make_case("tres", split="test"), "Ana")).encode()
    value = json.loads(lines[0])
    item(value).update(
        id="tres", despues=content_digest(raw), linea=line_digest(raw), texto=raw.decode("utf-8")
    )
    value["escribe"] = {"validado": True, "revisor": "Ana", "fecha_validacion": "2026-08-01"}
    value["revisor"] = "Ana"
    return [*lines, dump(value)]


def passing_over(lines: list[Line]) -> list[Line]:
    """Ana's older signature of «dos» brought back as if Luis had never signed."""
    value = json.loads(lines[2])
    value["puntas"] = [entry_digest(lines[-1])]
    return [*lines, dump(value)]


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (lambda lines: [lines[0], *lines[2:]], {"missing_entry", "suspect"}),
        (lambda lines: lines[1:], {"missing_entry"}),
        (lambda lines: [*lines[:2], lines[3]], {"missing_entry", "suspect"}),
        (altered(1, lambda v: v.update(revisor="Eva")), {"missing_entry", "suspect", "other_name"}),
        (altered(1, lambda v: v.update(motivo="otro")), {"missing_entry", "suspect"}),
        (altered(3, lambda v: v.update(revisor="Eva")), {"other_name"}),
        (altered(3, lambda v: v.update(utc="2026-10-01T10:00:00.000Z")), {"other_date"}),
        (altered(3, lambda v: v.update(revisor=" ")), {"nobody", "other_name"}),
        (altered(3, lambda v: item(v).update(despues="0" * 64)), {"content_moved", "other_content"}),
        (altered(3, lambda v: item(v).update(antes="0" * 64)), {"content_moved"}),
        (altered(3, lambda v: item(v).update(previo=[])), {"passes_over"}),
        (altered(0, lambda v: v.update(utc="2026-01-02T10:00:00.000Z", desfase="+00:00")), {"strange_adoption", "missing_entry", "suspect"}),
        (lambda lines: [*lines[:2], b'{"v":1,"tipo":"firma"', *lines[2:]], {"unreadable_entry"}),
        (copied_to_another_case, {"copied"}),
        (late_adoption, {"late_adoption"}),
        (passing_over, {"passes_over"}),
        (lambda lines: [lines[0], lines[2], lines[1], lines[3]], {"moved"}),
        (lambda lines: lines[::-1], {"moved"}),
    ],
    ids=lambda v: getattr(v, "__name__", "") if callable(v) else "-".join(sorted(v)),
)  # fmt: skip
def test_each_forgery_of_the_record_is_named(data: Path, tamper: Tamper, expected: set[str]) -> None:
    put(data, tamper(lines_of(data)))
    found = look(data)
    assert {problem.code for problem in found.record_breaks} >= expected
    assert {problem.code for problem in found.record_breaks} <= expected | {"missing_entry", "wrong_previous"}
    breaks, states = gate_check(take_snapshot(data), ("vieja", "uno", "dos"))
    assert breaks
    assert not any(state.counts for state in states.values())


def test_the_line_that_was_altered_is_pointed_at(data: Path) -> None:
    put(data, altered(1, lambda v: v.update(motivo="otro"))(lines_of(data)))
    assert {(b.code, b.line) for b in look(data).record_breaks} == {("suspect", 2), ("missing_entry", 3)}


def test_a_copied_signature_names_both_cases(data: Path) -> None:
    put(data, copied_to_another_case(lines_of(data)))
    (found,) = [b for b in look(data).record_breaks if b.code == "copied"]
    assert found.sentence().startswith("línea 5, caso «tres»: la firma es del caso «uno»")


def test_an_altered_last_entry_whose_keys_no_longer_fit_its_own_line_is_named(data: Path) -> None:
    """The line digest still fits the data; name and date inside the entry do not."""

    def change(value: dict[str, object]) -> None:
        value["revisor"] = "Eva"
        value["escribe"] = {"validado": True, "revisor": "Eva", "fecha_validacion": "2026-12-01"}

    put(data, altered(3, change)(lines_of(data)))
    found = look(data)
    assert codes(found) == {"other_keys", "other_signature"}
    assert not take_snapshot(data).states["dos"].counts


def edited(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return edit


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            edited(
                '"split": "test", "tanda": "prueba", "validado": false',
                '"split": "test", "tanda": "prueba", "validado": true, "revisor": "Ana", "fecha_validacion": "2026-12-01"',
            ),
            [("not_in_record", "tres", 4)],
        ),
        (edited('"revisor": "Luis"', '"revisor": "Otra"'), [("other_signature", "dos", 3)]),
        (lambda text: text.splitlines(keepends=True)[0], [("case_gone", "dos", None), ("case_gone", "uno", None)]),
        (edited('{"id": "uno"', '"id": "uno"'), [("case_gone_or_unreadable", "uno", None)]),
    ],
    ids=["set by hand", "other name", "removed", "unreadable"],
)  # fmt: skip
def test_data_that_contradict_the_record_are_named_case_by_case(
    data: Path, edit: Callable[[str], str], expected: list[tuple[str, str, int | None]]
) -> None:
    data.write_text(edit(data.read_text("utf-8")), "utf-8")
    found = look(data)
    assert found.record_breaks == ()
    assert [(b.code, b.case_id, b.line) for b in found.data_breaks] == expected


def test_data_older_than_the_record_are_a_break(tmp_path: Path) -> None:
    path = write_cases(tmp_path / "c.jsonl", make_case("a"))
    old = path.read_bytes()
    sign(path, "a", "Ana")
    path.write_bytes(old)
    assert [(b.code, b.case_id) for b in look(path).data_breaks] == [("data_older", "a")]


def test_an_edited_case_is_expired_and_no_break(data: Path) -> None:
    data.write_text(edited('"hct": 24', '"hct": 25')(data.read_text("utf-8")), "utf-8")
    found = look(data)
    assert found.breaks == ()
    assert {(n.code, n.case_id) for n in found.notices} == {
        ("expired", "vieja"), ("expired", "uno"), ("expired", "dos"),
    }  # fmt: skip
    assert {s.status for s in found.signatures} == {Status.CADUCADO}


def test_line_ends_and_a_missing_last_one_are_no_break(data: Path) -> None:
    for path in (data, record_path(data)):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert look(data).breaks == ()
    record_path(data).write_bytes(record_path(data).read_bytes()[:-2])
    assert look(data).breaks == ()


def test_a_torn_last_line_is_a_notice(data: Path) -> None:
    record = record_path(data)
    record.write_bytes(record.read_bytes() + b'{"v":1,"tipo":"fir')
    found = look(data)
    assert found.breaks == ()
    assert [n.code for n in found.notices] == ["torn_line"]


def test_a_moment_that_has_not_come_is_a_notice(data: Path) -> None:
    Dataset.open(data).apply(Sign(("tres",), "Ana"), moment=NOW + timedelta(days=3))
    found = look(data)
    assert found.breaks == ()
    assert [n.code for n in found.notices] == ["from_the_future"]


def test_of_the_reserved_split_the_gate_tells_only_how_many(data: Path) -> None:
    text = data.read_text("utf-8")
    data.write_text(
        edited(
            '"split": "test", "tanda": "prueba", "validado": false',
            '"split": "test", "tanda": "prueba", "validado": true, "revisor": "Ana", "fecha_validacion": "2026-12-01"',
        )(text),
        "utf-8",
    )
    breaks, states = gate_check(take_snapshot(data), ("vieja", "uno", "dos"))
    assert [(b.code, b.fields.get("n")) for b in breaks] == [("reserved", 1)]
    assert "tres" not in " ".join(b.sentence() for b in breaks)
    assert states["uno"].counts, "the others still count; there is only no verdict"


# Crashes.


def save_dying(path: Path, at: int, wrong: Callable[..., object]) -> int:
    """A child process signs «tres» and dies at that call; its exit code."""
    child = os.fork()
    if child == 0:
        try:
            with Faults(at, wrong):
                sign(path, "tres", "Ana", minute=5)
        except BaseException:  # noqa: BLE001
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("wrong", [dying_before, dying_after, dying_halfway], ids=lambda w: w.__name__)
@pytest.mark.parametrize(
    "first",
    [pytest.param(False, id="record"), pytest.param(True, id="first write", marks=pytest.mark.lento)],
)
def test_after_a_kill_at_any_call_of_a_save_nothing_is_broken(
    data: Path, wrong: Callable[..., object], first: bool
) -> None:
    if first:
        record_path(data).unlink()
    files = {p: p.read_bytes() for p in data.parent.iterdir()}
    under_way = 0
    for at in range(1, 200):
        for path in data.parent.iterdir():
            path.unlink()
        for path, content in files.items():
            path.write_bytes(content)
        code = save_dying(data, at, wrong)
        found = look(data)
        assert found.breaks == (), (at, [b.sentence() for b in found.breaks])
        if found.step is not None and found.step.committed and found.step.case_ids:
            under_way += 1
            assert [n.code for n in found.notices] == ["step_under_way"]
            assert "tres" in found.notices[0].sentence()
            assert intent_path(data).exists()
        if code == 0:
            break
    else:
        pytest.fail("the save never came to its end")
    assert at > len(CALLS)
    assert under_way > 0


def test_an_entry_is_judged_by_its_bytes_each_time_they_differ(data: Path) -> None:
    """Entries found in order are remembered by digest; another line is another digest."""
    raw = lines_of(data)[1]
    entry: Transaction = parse_entry(raw, 2)
    assert look(data).breaks == ()
    forged = replace(entry, reviewer="Eva", writes=SignatureKeys(True, "Ana", "2026-12-01"))
    assert forged.kind is Kind.FIRMA
    put(data, [*lines_of(data)[:1], forged.encode()])
    assert "other_name" in codes(look(data))
