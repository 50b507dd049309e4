"""The report of chart abstraction is followed on the disk: the last good one stays, and it is said why."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from reviewer.abstraction_board import AbstractionBoard, Show, bar
from reviewer.abstraction_report import OVERALL, ReportFiles, ReportState, follow
from reviewer.abstraction_table import table_lines
from scoring.abstraction.normalize import AbstractionFieldType
from scoring.abstraction.ranking import Order
from scoring.abstraction.report import ChartAbstractionBenchmarkReport, report_of
from scoring.abstraction.tally import WIDTH, FieldTally, Tally

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 8, 5, 10, 30, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)


def report(**rows: tuple[int, int]) -> ChartAbstractionBenchmarkReport:
    """Field -> (exact, wrong); «__» in a name stands for a dot. All fields are texts with answers."""
    found = {}
    for name, (exact, wrong) in rows.items():
        counts = [0] * WIDTH
        counts[0], counts[4], counts[8] = exact + wrong, wrong, exact
        found[name.replace("__", ".")] = FieldTally(AbstractionFieldType.TEXT, tuple(counts))
    return report_of(Tally(found))


def save(path: Path, text: str, at: datetime = NOW - timedelta(hours=1)) -> Path:
    """Written whole elsewhere and put in place, as the command does; ``at`` is the time of the file."""
    fresh = path.with_suffix(".neu")
    fresh.write_text(text, encoding="utf-8")
    os.utime(fresh, (at.timestamp(), at.timestamp()))
    return fresh.replace(path)


def first(path: Path) -> tuple[ReportFiles, ReportState]:
    files = ReportFiles(save(path, report(a=(9, 1)).to_json()))
    return files, follow(files, ReportState(), NOW)


def test_a_report_is_read_with_its_times_and_not_again_while_nothing_changes(tmp_path: Path) -> None:
    files, state = first(tmp_path / "i.json")
    assert state.report.value == report(a=(9, 1))
    assert (state.report.written, state.report.read_at) == (NOW - timedelta(hours=1), NOW)
    assert follow(files, state, LATER) is state


def test_a_replaced_report_is_read_and_what_was_worked_out_is_worked_out_anew(tmp_path: Path) -> None:
    files, state = first(tmp_path / "i.json")
    assert state.slices[("field", "a")].field_count == 10
    save(tmp_path / "i.json", report(a=(90, 10)).to_json())
    fresh = follow(files, state, LATER)
    assert fresh.slices[("field", "a")].field_count == 100
    assert fresh.report.read_at == LATER


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "report_empty"),
        ('{"by_field":{"a":{"abst', "report_cut"),
        ('{"by_field":{},"by_field_type":{},"overall":{},"overall":{}}', "report_repeats"),
        ("[URGENTE] \x1b[2J", "not_a_report"),
    ],
)
def test_a_report_that_cannot_be_used_leaves_the_last_good_one_and_says_why(
    tmp_path: Path, text: str, code: str
) -> None:
    path = tmp_path / "i.json"
    files, state = first(path)
    save(path, text)
    bad = follow(files, state, LATER)
    assert bad.report.value == report(a=(9, 1))
    assert bad.report.read_at == NOW
    assert [trouble.code for trouble in bad.troubles] == [code]
    assert "i.json" in str(bad.troubles[0])
    assert "URGENTE" not in str(bad.troubles[0])
    assert follow(files, bad, LATER) is bad
    save(path, report(a=(1, 1)).to_json())
    assert follow(files, bad, LATER).troubles == ()


def test_a_half_written_report_is_told_until_its_end_is_written(tmp_path: Path) -> None:
    path = tmp_path / "i.json"
    files, state = first(path)
    whole = report(a=(5, 5)).to_json()
    for end in (1, len(whole) // 2, len(whole) - 1):
        path.write_text(whole[:end], encoding="utf-8")
        state = follow(files, state, LATER)
        assert [trouble.code for trouble in state.troubles] == ["report_cut"]
        assert state.report.value == report(a=(9, 1))
    path.write_text(whole, encoding="utf-8")
    state = follow(files, state, LATER)
    assert state.troubles == ()
    assert state.report.value == report(a=(5, 5))


def test_a_deleted_report_stays_shown_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "i.json"
    files, state = first(path)
    text = path.read_text(encoding="utf-8")
    path.unlink()
    gone = follow(files, state, LATER)
    assert [trouble.code for trouble in gone.troubles] == ["file_missing"]
    assert gone.report.value == state.report.value
    assert follow(files, gone, LATER) is gone
    save(path, text)
    back = follow(files, gone, LATER)
    assert back.troubles == ()
    assert back.report.value is state.report.value


def test_a_report_written_twice_within_one_tick_of_the_clock_is_not_missed(tmp_path: Path) -> None:
    path = tmp_path / "i.json"
    just = NOW - timedelta(seconds=1)
    files = ReportFiles(save(path, report(a=(9, 1)).to_json(), just))
    state = follow(files, ReportState(), NOW)
    # Same place, same size, same time: only the content tells.
    stamp = path.stat()
    with path.open("r+", encoding="utf-8") as stream:
        stream.write(report(b=(9, 1)).to_json())
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert dict(follow(files, state, NOW).report.value.by_field).keys() == {"b"}  # type: ignore[union-attr]


def test_a_folder_and_a_pipe_are_refused_without_waiting_for_anybody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tubo")
    for path in (tmp_path, tmp_path / "tubo"):
        state = follow(ReportFiles(path), ReportState(), NOW)
        assert [trouble.code for trouble in state.troubles] == ["not_a_file"]


def test_bounds_and_an_earlier_report_are_followed_too_and_their_troubles_are_told(tmp_path: Path) -> None:
    bounds, earlier = tmp_path / "m.toml", tmp_path / "antes.json"
    save(
        bounds,
        '[general]\nexact_agreement = { minimo = 0.95 }\n[campo."b"]\nexact_agreement = { minimo = 0.1 }\n',
    )
    save(earlier, report(a=(100, 0), c=(1, 0)).to_json())
    files = ReportFiles(save(tmp_path / "i.json", report(a=(10, 90)).to_json()), bounds, earlier)
    state = follow(files, ReportState(), NOW)
    # 10 of 100 against a floor of 0.95; the report has no field b
    assert state.fails(OVERALL)
    assert not state.fails(("field", "a"))
    assert [state.count(holds=answer) for answer in (True, False, None)] == [0, 1, 1]
    # from 100/100 to 10/100
    assert [change.worse for change in state.moved[("field", "a")]] == [True, True]
    assert (state.added, state.removed) == ((), ("c",))
    assert str(state.differences("exact_agreement")["a"]) == "-9/10"
    save(bounds, "[general]\n")
    earlier.unlink()
    state = follow(files, state, LATER)
    assert [trouble.code for trouble in state.troubles] == ["bounds_empty", "file_missing"]
    assert state.fails(OVERALL)


def test_nothing_but_the_three_named_files_is_opened(tmp_path: Path) -> None:
    import sys

    files = ReportFiles(
        save(tmp_path / "i.json", report(a=(9, 1)).to_json()),
        save(tmp_path / "m.toml", "[general]\nexact_agreement = { minimo = 0.95 }\n"),
        save(tmp_path / "antes.json", report(a=(9, 1)).to_json()),
    )
    for name in ("gold.jsonl", "outputs.jsonl"):
        (tmp_path / name).write_text("privado", encoding="utf-8")
    opened: set[str] = set()
    watching = True
    sys.addaudithook(lambda event, args: opened.add(str(args[0])) if watching and event == "open" else None)
    board = AbstractionBoard(files)
    board.adopt(follow(files, ReportState(), NOW))
    said = list(table_lines(board))
    watching = False
    assert {path for path in opened if path.startswith(str(tmp_path))} == {
        str(path) for path in (files.report, files.minimums, files.earlier)
    }
    assert "coincidencia exacta" in said[2]


def board_on(path: Path, **rows: tuple[int, int]) -> AbstractionBoard:
    board = AbstractionBoard(ReportFiles(save(path, report(**rows).to_json())))
    board.adopt(follow(board.files, ReportState(), NOW))
    return board


def test_the_list_begins_with_everything_and_the_types_and_a_search_lists_fields_only(tmp_path: Path) -> None:
    board = board_on(tmp_path / "i.json", lab__hct=(9, 1), lab__alt=(5, 5), raza=(7, 3))
    assert board.places() == (
        OVERALL,
        ("type", "text"),
        ("field", "lab.alt"),
        ("field", "raza"),
        ("field", "lab.hct"),
    )
    board.search = "lab"
    assert board.places() == (("field", "lab.alt"), ("field", "lab.hct"))
    board.order = Order.NAME
    board.search = ""
    assert [name for scope, name in board.places() if scope == "field"] == ["lab.alt", "lab.hct", "raza"]


def test_only_what_there_is_ground_for_can_be_chosen(tmp_path: Path) -> None:
    board = board_on(tmp_path / "i.json", a=(9, 1))
    assert Order.CHANGE not in board.orders
    assert board.shows == (Show.ALL,)
    for _ in range(3):
        board.next_order()
        board.next_show()
    assert (board.order, board.show) == (Order.ERRORS, Show.ALL)
    board.choose_metric(9)
    assert board.metric == "normalized_agreement"
    board.next_metric(-1)
    assert board.metric == "exact_agreement"
    board.next_metric(-1)
    assert board.metric == "evidence_support"


def test_what_is_outside_its_bounds_is_listed_be_it_the_whole_or_a_field(tmp_path: Path) -> None:
    """0.95 of everything is asked, 15 of 20 rows are right: the whole is outside, and no field has a bound."""
    bounds = save(tmp_path / "m.toml", "[general]\nexact_agreement = { minimo = 0.95 }\n")
    files = ReportFiles(save(tmp_path / "i.json", report(a=(9, 1), b=(6, 4)).to_json()), bounds, None)
    board = AbstractionBoard(files)
    board.state = follow(files, board.state, NOW)
    board.show = Show.OUT
    assert board.places() == (OVERALL,)
    board.search = "a"
    assert board.places() == ()


def test_a_bar_is_full_only_at_one_and_empty_only_at_zero() -> None:
    from fractions import Fraction

    assert bar(Fraction(0), 4) == ("", "────")
    assert bar(Fraction(1, 1000), 4) == ("━", "───")
    assert bar(Fraction(1, 2), 4) == ("━━", "──")
    assert bar(Fraction(999, 1000), 4) == ("━━━", "─")
    assert bar(Fraction(1), 4) == ("━━━━", "")
    assert bar(None, 4) == ("", "····")
