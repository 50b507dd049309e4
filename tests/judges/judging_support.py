"""Cases to be judged and runs of the judge against a server of the tests."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scoring.cases import parse_case
from scoring.judges.choose import Chosen
from scoring.judges.exchange import Cancel
from scoring.judges.judging import Candidate, Judgement, Progress, judge
from scoring.judges.ollama import Ollama
from scoring.judges.servers import parse_server
from scoring.judges.settings import Settings, read_settings
from tests.clinical.samples import case, good_output
from tests.judges.loopback import MODEL

if TYPE_CHECKING:
    from scoring.judges.journal import Journal
    from tests.judges.loopback import LoopbackServer

FAST = replace(read_settings("ollama", {}), pause=0.01, longest_pause=0.5, seconds=60.0)


def candidates(n: int, **changes: Any) -> list[Candidate]:
    made: list[Candidate] = []
    for index in range(n):
        parsed, _ = parse_case(case(f"c{index}", signos_clinicos=f"signo-{index}.", **changes))
        made.append(Candidate(parsed, good_output(), counted=True))
    return made


def run(
    server: LoopbackServer,
    cases: list[Candidate],
    settings: Settings = FAST,
    journal: Journal | None = None,
    steps: list[Progress] | None = None,
    cancel: Cancel | None = None,
) -> Judgement:
    way = Ollama(parse_server(server.url, option="t"), MODEL)
    told = steps.append if steps is not None else None
    return judge(cases, way, settings, cancel=cancel or Cancel(), journal=journal, progress=told)


def about(request: dict[str, Any]) -> int:
    """Which case a question is about."""
    text = json.dumps(request["json"])
    return next(n for n in range(100) if f"signo-{n}." in text)


def chosen(server: LoopbackServer, *, by_name: bool = True) -> Chosen:
    return Chosen(Ollama(parse_server(server.url, option="t"), MODEL), FAST, by_name)
