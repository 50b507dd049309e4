"""Control-C at the moment at which an answer is being written."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from scoring import files
from scoring.judges.exchange import Cancel
from scoring.judges.generate import generate, read_template
from scoring.judges.journal import Journal
from scoring.judges.ollama import Ollama
from scoring.judges.servers import parse_server
from tests.clinical.samples import good_output
from tests.judges.loopback import MODEL, serving
from tests.judges.test_judging import FAST, candidates, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("after_the_line", [False, True])
def test_an_interruption_while_an_answer_is_being_written_keeps_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_the_line: bool
) -> None:
    path = tmp_path / "j.jsonl"
    _interrupted_at_the_second_line(monkeypatch, after_the_line=after_the_line)
    with serving() as server, Journal(path, resume=False) as journal:
        with pytest.raises(KeyboardInterrupt):
            run(server, candidates(2), journal=journal)
        assert journal.added == 2
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == ["c0", "c1"]


@pytest.mark.parametrize("after_the_line", [False, True])
def test_an_interruption_while_an_output_is_being_written_keeps_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_the_line: bool
) -> None:
    path = tmp_path / "s.jsonl"
    cases = [candidate.case for candidate in candidates(2)]
    _interrupted_at_the_second_line(monkeypatch, after_the_line=after_the_line)
    with serving(json.dumps(good_output())) as server, Journal(path, resume=False) as journal:
        way = Ollama(parse_server(server.url, option="t"), MODEL)
        with pytest.raises(KeyboardInterrupt):
            generate(cases, cases, way, FAST, journal, template=read_template(None), cancel=Cancel())
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == ["c0", "c1"]


def _interrupted_at_the_second_line(monkeypatch: pytest.MonkeyPatch, *, after_the_line: bool) -> None:
    """Control-C before the line is begun, or when it stands in the file and waits for the disk."""
    real, calls = (os.fsync if after_the_line else files.write_all), 0

    def interrupted(*args: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        real(*args)

    if after_the_line:
        monkeypatch.setattr(os, "fsync", interrupted)
    else:
        monkeypatch.setattr("scoring.judges.journal.write_all", interrupted)
