"""The record of adjudications: one line is one decision, nothing said to be saved is lost, tampering shows."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from datetime import timedelta
from importlib.resources import files as resources
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from reviewer.adjudication.desk import Desk, read
from reviewer.adjudication.recording import record_decision
from scoring.adjudication.audit import audit
from scoring.adjudication.entries import CHAIN_VERDICTS, ROW_VERDICTS, Verdict, parse_entry
from scoring.adjudication.record import load_record, lock_path, parse_record, record_path, torn_path
from scoring.errors import ConflictError, IntegrityError, UsageError
from scoring.record.lines import EntryError

from .support import MOMENT, PRIVATE, WHY, chains_file, decide, decision, desk_on, files, item_of

if TYPE_CHECKING:
    from pathlib import Path

A = "a" * 64


def test_the_record_lies_beside_the_gold_behind_a_link_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    sources = files(tmp_path / "datos")
    link = tmp_path / "enlace.jsonl"
    link.symlink_to(sources.gold)
    assert record_path(link) == sources.gold.with_name("gold.adjudicaciones.jsonl")
    old = os.umask(0)
    try:
        decide(desk_on(sources), "p1", "dx", Verdict.OUTPUT)
    finally:
        os.umask(old)
    for path in (sources.record, lock_path(sources.record)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {path.name for path in sources.record.parent.iterdir()} == {
        "gold.jsonl",
        "salidas.jsonl",
        "gold.adjudicaciones.jsonl",
        "gold.adjudicaciones.jsonl.lock",
    }


def test_a_line_says_who_what_when_and_on_which_content_and_holds_no_value(tmp_path: Path) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p1", "dx", Verdict.OUTPUT)
    line = sources.record.read_bytes()
    value = json.loads(line)
    assert {
        key: value[key] for key in ("v", "tipo", "caso", "campo", "dictamen", "comentario", "revisor")
    } == {
        "v": 1,
        "tipo": "adjudica",
        "caso": "p1",
        "campo": "dx",
        "dictamen": "salida",
        "comentario": WHY,
        "revisor": "Ana Ruiz",
    }
    assert (value["utc"], value["desfase"], value["via"]) == ("2026-08-05T10:30:00.000Z", "+00:00", "app")
    assert "eumon" not in line.decode()


def test_a_later_decision_supersedes_and_both_stay_readable(tmp_path: Path) -> None:
    sources = files(tmp_path)
    desk = desk_on(sources)
    decide(desk, "p1", "dx", Verdict.OUTPUT)
    record = decide(desk, "p1", "dx", Verdict.GOLD, "")
    subject = desk.look(item_of(desk, "p1", "dx")).pair.subject
    in_force = record.in_force(subject)
    assert in_force is not None
    assert in_force.verdict is Verdict.GOLD
    assert [entry.verdict for entry in record.entries] == [Verdict.OUTPUT, Verdict.GOLD]
    assert record.entries[1].previous == (record.entries[0].digest,)
    assert not record.breaks


def test_the_same_decision_sent_twice_is_recorded_once(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    first = record_decision(path, decision())
    again = record_decision(path, decision(moment=MOMENT + timedelta(hours=1)))
    assert again.already
    assert again.entry == first.entry
    assert len(load_record(path).entries) == 1


def test_a_decision_that_somebody_has_overtaken_is_refused_until_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    first = record_decision(path, decision())
    with pytest.raises(ConflictError) as refused:
        record_decision(path, decision(verdict=Verdict.GOLD, reviewer="Eva Sol"))
    assert refused.value.key == "adjudicating.overtaken"
    assert "Ana Ruiz" in str(refused.value)
    done = record_decision(
        path, decision(verdict=Verdict.GOLD, reviewer="Eva Sol", seen=(first.entry.digest,))
    )
    assert done.entry.previous == (first.entry.digest,)


def test_undoing_is_a_decision_of_its_own_and_puts_back_what_stood(tmp_path: Path) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources, "Eva Sol"), "p1", "dx", Verdict.BOTH)
    desk = desk_on(sources)
    item = item_of(desk, "p1", "dx")
    decide(desk, "p1", "dx", Verdict.OUTPUT)
    step, done = desk.undo()
    desk.recorded(done, item)
    assert (step.place, desk.standing(item).verdict) == (("p1", "dx"), Verdict.BOTH)
    assert not desk.can_undo
    decide(desk, "p2", "dx", Verdict.OUTPUT)
    _, done = desk.undo()
    desk.recorded(done, item_of(desk, "p2", "dx"))
    assert desk.standing(item_of(desk, "p2", "dx")).entry is None
    assert [entry.verdict for entry in done.record.entries][-2:] == [Verdict.OUTPUT, Verdict.NONE]
    with pytest.raises(ConflictError):
        desk.undo()


def test_what_was_read_counts_and_not_what_the_program_has_read_since(tmp_path: Path) -> None:
    """While a comment is typed the files are read again; somebody's decision may come in by that."""
    sources = files(tmp_path)
    desk = desk_on(sources)
    item = item_of(desk, "p1", "dx")
    look = desk.look(item)
    decide(desk_on(sources, "Eva Sol"), "p1", "dx", Verdict.GOLD, "")
    desk.adopt(read(sources, desk.reading))
    with pytest.raises(ConflictError) as refused:
        desk.decide_row(look, Verdict.OUTPUT, WHY)
    assert refused.value.key == "adjudicating.overtaken"
    done = desk.decide_row(desk.look(item), Verdict.OUTPUT, WHY)
    assert len(done.record.entries) == 2


def test_two_decisions_on_one_row_are_undone_one_after_the_other(tmp_path: Path) -> None:
    desk = desk_on(files(tmp_path))
    item = item_of(desk, "p1", "dx")
    decide(desk, "p1", "dx", Verdict.OUTPUT)
    decide(desk, "p1", "dx", Verdict.BOTH)
    found = []
    while desk.can_undo:
        desk.recorded(desk.undo()[1], item)
        found.append(desk.standing(item).verdict)
    assert found == [Verdict.OUTPUT, None]
    assert len(desk.reading.record.entries) == 4


def test_undoing_goes_back_to_a_colleague_s_decision_without_claiming_those_words(tmp_path: Path) -> None:
    """The entry that puts it back carries the name of who undoes, so it has to say whose decision it was."""
    sources = files(tmp_path)
    decide(desk_on(sources, "Eva Sol"), "p1", "dx", Verdict.BOTH, WHY)
    decide(desk_on(sources, "Eva Sol"), "p2", "dx", Verdict.GOLD, "")
    desk = desk_on(sources)
    for case in ("p1", "p2"):
        decide(desk, case, "dx", Verdict.UNANSWERABLE, "no consta")
        desk.recorded(desk.undo()[1], item_of(desk, case, "dx"))
    back = [entry for entry in desk.reading.record.entries[2:] if entry.verdict is not Verdict.UNANSWERABLE]
    assert [(entry.reviewer, entry.verdict, entry.comment) for entry in back] == [
        ("Ana Ruiz", Verdict.BOTH, f"Vuelve a lo que decidió Eva Sol: {WHY}"),
        ("Ana Ruiz", Verdict.GOLD, "Vuelve a lo que decidió Eva Sol."),
    ]


def test_a_decision_that_somebody_superseded_is_not_undone_over_it(tmp_path: Path) -> None:
    sources = files(tmp_path)
    desk = desk_on(sources)
    decide(desk, "p1", "dx", Verdict.OUTPUT)
    decide(desk_on(sources, "Eva Sol"), "p1", "dx", Verdict.GOLD, "")
    with pytest.raises(ConflictError) as refused:
        desk.undo()
    assert refused.value.key == "adjudicating.overtaken"
    assert len(load_record(sources.record).entries) == 2


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"comment": "  "}, "deciding.no_reason"),
        ({"comment": "x"}, "deciding.reason_too_short"),
        ({"comment": "y" * 20_001}, "deciding.reason_too_long"),
        ({"comment": "porque \x1b[2J sí"}, "deciding.reason_unprintable"),
        ({"reviewer": " "}, "signing.no_reviewer"),
        ({"reviewer": "Ana\u202eRuiz"}, "signing.reviewer_unprintable"),
        ({"reviewer": "a" * 121}, "signing.reviewer_too_long"),
    ],
)
def test_a_decision_against_the_gold_needs_a_person_and_a_reason(
    tmp_path: Path, change: dict[str, Any], key: str
) -> None:
    with pytest.raises(UsageError) as refused:
        record_decision(tmp_path / "r.jsonl", decision(**change))
    assert refused.value.key == key
    assert list(tmp_path.glob("*.jsonl*")) == []


def test_a_decision_for_the_gold_needs_no_reason(tmp_path: Path) -> None:
    assert (
        record_decision(tmp_path / "r.jsonl", decision(verdict=Verdict.GOLD, comment=" ")).entry.comment == ""
    )


def test_a_torn_last_line_never_happened_and_is_set_aside_at_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    record_decision(path, decision())
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    record = load_record(path)
    assert (len(record.entries), record.breaks) == (1, ())
    done = record_decision(path, decision(1))
    assert len(done.record.entries) == 2
    assert path.read_bytes().startswith(whole)
    aside = torn_path(path)
    assert aside.read_bytes() == whole[: len(whole) // 2] + b"\n"
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600


def test_a_whole_last_line_without_its_end_counts(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    record_decision(path, decision())
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    assert len(record_decision(path, decision(1)).record.entries) == 2


def three(path: Path) -> list[bytes]:
    """Three decisions, the second superseding the first."""
    first = record_decision(path, decision())
    record_decision(path, decision(verdict=Verdict.GOLD, seen=(first.entry.digest,)))
    record_decision(path, decision(1))
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("gone", [0, 1])
def test_an_entry_taken_out_shows_and_nothing_is_added_to_such_a_record(tmp_path: Path, gone: int) -> None:
    path = tmp_path / "r.jsonl"
    lines = three(path)
    path.write_bytes(b"".join(line for n, line in enumerate(lines) if n != gone))
    found = audit(load_record(path), now=MOMENT)
    assert [problem.key for problem in found.breaks] == ["record.missing_entry"]
    before = path.read_bytes()
    with pytest.raises(IntegrityError):
        record_decision(path, decision(2))
    assert path.read_bytes() == before


@pytest.mark.parametrize("edited", [0, 1])
def test_an_entry_that_was_edited_shows(tmp_path: Path, edited: int) -> None:
    path = tmp_path / "r.jsonl"
    lines = three(path)
    lines[edited] = lines[edited].replace(b"Ana Ruiz", b"Eva Ruiz")
    path.write_bytes(b"".join(lines))
    assert load_record(path).breaks


def test_an_entry_moved_behind_what_it_supersedes_shows(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = three(path)
    value = json.loads(lines[1])
    value["previo"] = []  # rewritten so that it supersedes nothing
    forged = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    path.write_bytes(lines[0] + forged + b"\n")
    assert [problem.key for problem in load_record(path).breaks] == ["adjudicated.wrong_previous"]


def test_a_record_cut_at_its_end_shows_only_against_a_pinned_tip(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = three(path)
    tip = load_record(path).tips[0]
    path.write_bytes(lines[0] + lines[1])
    assert audit(load_record(path), now=MOMENT).breaks == ()
    assert [p.key for p in audit(load_record(path), now=MOMENT, pins=[tip]).breaks] == ["audit.pin_gone"]
    path.unlink()
    assert [p.key for p in audit(load_record(path), now=MOMENT, pins=[tip]).breaks] == ["audit.record_gone"]


def test_a_record_cut_while_the_app_is_open_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = three(path)
    known = load_record(path)
    path.write_bytes(lines[0])
    with pytest.raises(IntegrityError) as refused:
        record_decision(path, decision(3), known)
    assert refused.value.key == "adjudicating.record_cut"
    path.unlink()
    with pytest.raises(IntegrityError):
        record_decision(path, decision(3), known)
    assert not path.exists()


def test_two_branches_merge_in_any_order_and_disagreement_is_a_conflict_that_counts_for_nothing(
    tmp_path: Path,
) -> None:
    base, left, right = (tmp_path / name for name in ("base", "left", "right"))
    record_decision(base, decision(9))
    for side, verdict, name in ((left, Verdict.OUTPUT, "Ana Ruiz"), (right, Verdict.GOLD, "Eva Sol")):
        side.write_bytes(base.read_bytes())
        record_decision(side, decision(0, verdict, reviewer=name))
        record_decision(side, decision(1, Verdict.BOTH, reviewer=name))
    mine, theirs = (side.read_bytes().splitlines(keepends=True)[1:] for side in (left, right))
    subject = decision(0).subject
    for order in (mine + theirs, theirs + mine, [mine[1], theirs[1], theirs[0], mine[0]]):
        merged = parse_record(base, base.read_bytes() + b"".join(order))
        assert merged.breaks == ()
        assert merged.in_conflict(subject)
        assert merged.in_force(subject) is None
        agreed = merged.in_force(decision(1).subject)
        assert agreed is not None
        assert agreed.verdict is Verdict.BOTH
    base.write_bytes(base.read_bytes() + b"".join(mine + theirs))
    heads = load_record(base).heads[subject]
    done = record_decision(base, decision(0, Verdict.GOLD, seen=tuple(head.digest for head in heads)))
    assert done.record.breaks == ()
    assert not done.record.in_conflict(subject)
    assert len(done.entry.previous) == 2


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("tipo", "firma"),
        ("dictamen", "aprueba"),
        ("caso", None),
        ("campo", "Señor Privado"),
        ("gold", "abc"),
        ("cadena", A),
        ("comentario", " "),
        ("previo", [A, A]),
        ("revisor", ""),
        ("utc", "2026-13-01T00:00:00.000Z"),
        ("desfase", "2"),
        ("via", "web"),
        ("v", True),
    ],
)
def test_a_member_the_program_never_writes_so_is_named_without_its_content(
    tmp_path: Path, member: str, value: object
) -> None:
    path = tmp_path / "r.jsonl"
    record_decision(path, decision())
    line = json.dumps(json.loads(path.read_bytes()) | {member: value}).encode()
    with pytest.raises(EntryError) as refused:
        parse_entry(line, 1)
    assert refused.value.fields == {"field": member}
    path.write_bytes(line + b"\n")
    sentence = load_record(path).breaks[0].sentence()
    assert member in sentence
    assert "Privado" not in sentence


def test_an_unknown_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    record_decision(path, decision())
    path.write_bytes(json.dumps(json.loads(path.read_bytes()) | {"v": 2}).encode() + b"\n")
    assert [problem.key for problem in load_record(path).breaks] == ["record.unknown_version"]


def test_the_schema_that_ships_takes_what_is_written_and_refuses_the_rest(tmp_path: Path) -> None:
    schema = json.loads(resources("scoring.adjudication").joinpath("record.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema)
    sources = files(tmp_path)
    sources = replace(sources, evidence=chains_file(tmp_path))
    desk = desk_on(sources)
    decide(desk, "p1", "dx", Verdict.OUTPUT)
    desk.recorded(desk.decide_chain(desk.reading.chains[0], Verdict.REJECT, WHY))
    desk.recorded(desk.undo()[1])
    rows = [json.loads(line) for line in sources.record.read_bytes().splitlines()]
    assert [row["tipo"] for row in rows] == ["adjudica", "cadena", "cadena"]
    for row in rows:
        judge.validate(row)
    row, of_chain = rows[0], rows[1]
    for wrong in (
        row | {"dictamen": "aprueba"},
        row | {"gold": None},
        row | {"comentario": ""},
        row | {"revisor": ""},
        of_chain | {"dictamen": "gold"},
        of_chain | {"caso": "p1"},
        of_chain | {"cadena": "sha256:" + A},
        {key: value for key, value in row.items() if key != "puntas"},
    ):
        assert not judge.is_valid(wrong)


def test_an_audit_counts_and_names_without_case_ids_or_comments(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    record_decision(path, decision(case_id=PRIVATE, comment=f"{PRIVATE} dice otra cosa"))
    record_decision(path, decision(1, Verdict.GOLD, reviewer="Ana Ruíz"))
    path.chmod(0o644)
    found = audit(load_record(path), now=MOMENT)
    assert found.entries == 2
    assert found.people == {"Ana Ruiz": 1, "Ana Ruíz": 1}
    assert (found.in_force[Verdict.OUTPUT], found.in_force[Verdict.GOLD]) == (1, 1)
    assert {problem.key for problem in found.notices} == {
        "adjudicated.alike",
        "adjudicated.readable_by_others",
    }
    assert PRIVATE not in repr(found) + "".join(problem.sentence() for problem in found.notices)
    future = audit(load_record(path), now=MOMENT - timedelta(days=3))
    assert "audit.from_the_future" in {problem.key for problem in future.notices}


def test_a_broken_record_counts_for_nothing_on_the_desk(tmp_path: Path) -> None:
    sources = files(tmp_path)
    desk = desk_on(sources)
    decide(desk, "p1", "dx", Verdict.OUTPUT)
    decide(desk, "p2", "dx", Verdict.OUTPUT)
    lines = sources.record.read_bytes().splitlines(keepends=True)
    sources.record.write_bytes(lines[1])
    reading = read(sources)
    assert reading.record.breaks
    assert reading.standing == {}
    assert Desk(sources, reading).decided == 0


def test_every_verdict_is_of_rows_or_of_chains() -> None:
    assert {*ROW_VERDICTS, *CHAIN_VERDICTS, Verdict.NONE} == set(Verdict)
