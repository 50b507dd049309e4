"""``revision``: the app on a terminal, and its commands for scripts and continuous integration.

Each command is a function of the data set and the options; what it knows comes from the modules that
the app uses too, so both always say the same.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer import demo
from reviewer.signing import Sign, check_reviewer
from reviewer.status import StatusReport, status_lines, status_of
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.cli.arguments import ArgumentParser, choose_language
from scoring.errors import ExitCode, UsageError
from scoring.plain import plain
from scoring.sources import (
    PREDICTIONS_NAME,
    Source,
    SourceKind,
    find_cases,
    shipped_path,
    working_copy_path,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

PROGRAM = "revision"
EXAMPLES = (
    "revision",
    "revision --casos mis_casos.jsonl --predicciones salidas.jsonl",
    "revision --estado --json",
    'revision --validar anemia-canino erc-felino --revisor "Ana Ruiz"',
    "revision --hoja pendientes.md",
    "revision --comprobar --casos mis_casos.jsonl",
)


def _t(key: str, **fields: object) -> str:
    return messages.text(f"revision.{key}", **fields)


def build_parser() -> ArgumentParser:
    """The options of ``revision``, in the language in force."""
    parser = ArgumentParser(
        PROGRAM, description="revision.description", examples=EXAMPLES, notes="revision.exit_codes"
    )
    add = parser.add_argument
    add("--casos", type=Path, metavar="F", help=_t("help_casos"))
    add("--predicciones", type=Path, metavar="F", help=_t("help_predicciones"))
    add("--revisor", metavar="NOMBRE", help=_t("help_revisor"))
    add("--estado", action="store_true", help=_t("help_estado"))
    add("--validar", nargs="+", metavar="ID", help=_t("help_validar"))
    add("--refirmar", action="store_true", help=_t("help_refirmar"))
    add("--hoja", nargs="?", const=Path(), type=Path, metavar="F", help=_t("help_hoja"))
    add("--forzar", action="store_true", help=_t("help_forzar"))
    add("--comprobar", action="store_true", help=_t("help_comprobar"))
    add("--json", action="store_true", help=_t("help_json"))
    add("--demo-nueva", action="store_true", help=_t("help_demo_nueva"))
    parser.add_common()
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code and never raises."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    choose_language(arguments)
    return console.run(lambda: _run(build_parser().parse(arguments)), program=PROGRAM)


def _run(options: argparse.Namespace) -> int:
    _check_combination(options)
    source = find_cases(options.casos, os.environ, Path.cwd())
    if options.demo_nueva:
        source = _start_demo_afresh(source)
    if options.comprobar:
        return _check(source, as_json=options.json)
    if options.validar is not None:
        return _sign(_working(source), options)
    if options.hoja is not None:
        return _write_paper(_working(source), options)
    if options.estado:
        return _show_status(source, as_json=options.json)
    if not _has_terminal():
        code = _show_status(source, as_json=False)
        console.out()
        console.out(_t("how_to_open", command=_command_for(source)))
        return code
    return _open_app(source, options)


def _check_combination(options: argparse.Namespace) -> None:
    actions = [
        name
        for name in ("estado", "validar", "hoja", "comprobar")
        if getattr(options, name) not in (None, False)
    ]
    if len(actions) > 1:
        raise UsageError("revision.one_action", first=f"--{actions[0]}", second=f"--{actions[1]}")
    for option, needs in (
        ("refirmar", ("validar",)),
        ("forzar", ("hoja",)),
        ("json", ("estado", "comprobar")),
    ):
        if getattr(options, option) and not set(needs) & set(actions):
            raise UsageError(
                "revision.goes_with", option=f"--{option}", needs=" / ".join(f"--{n}" for n in needs)
            )


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in {"", "dumb"}


def _working(source: Source) -> Path:
    """The path to work on: the user's own file, or the demo's working copy, made if need be."""
    if source.kind is not SourceKind.SHIPPED:
        return source.path
    path = working_copy_path()
    if demo.ensure_working_copy(path):
        console.talk(_t("demo_made", path=path))
    return path


def _start_demo_afresh(source: Source) -> Source:
    if source.named:
        raise UsageError("revision.demo_only", path=source.path)
    path = working_copy_path()
    aside = demo.start_afresh(path)
    if aside is not None:
        console.talk(_t("demo_set_aside", path=aside))
    console.talk(_t("demo_made", path=path))
    return Source(path, SourceKind.WORKING_COPY)


def _command_for(source: Source) -> str:
    if source.kind is SourceKind.OPTION:
        return f"{PROGRAM} --casos {shlex.quote(str(source.path))}"
    return PROGRAM


def _show_status(source: Source, *, as_json: bool) -> int:
    report = status_of(Dataset.open(source.path))
    if as_json:
        console.out(json.dumps(report.to_dict(), ensure_ascii=False, indent=1))
        return int(report.exit_code)
    for line in status_lines(report):
        console.out(plain(line))
    _tell_problems(report)
    return int(report.exit_code)


def _tell_problems(report: StatusReport) -> None:
    if not report.problems:
        return
    console.talk(_t("problems", n=len(report.problems)))
    for problem in report.problems[: console.MAX_PROBLEMS_SHOWN]:
        console.talk(f"  {problem.sentence()}")
    rest = len(report.problems) - console.MAX_PROBLEMS_SHOWN
    if rest > 0:
        console.talk("  " + messages.text("cli.more_problems", n=rest))


def _check(source: Source, *, as_json: bool) -> int:
    dataset = Dataset.open(source.path)
    problems = dataset.problems
    if as_json:
        found = {"archivo": str(dataset.path), "problemas": [problem.to_dict() for problem in problems]}
        console.out(json.dumps(found, ensure_ascii=False, indent=1))
    elif problems:
        console.out(_t("check_bad", path=dataset.path, n=len(problems)))
        for problem in problems:
            console.out(f"  {problem.sentence()}")
    else:
        console.out(_t("check_good", path=dataset.path, n=len(dataset.entries)))
    return int(ExitCode.DATA_INVALID if problems else ExitCode.OK)


def _sign(path: Path, options: argparse.Namespace) -> int:
    if options.revisor is None:
        raise UsageError("revision.no_reviewer")
    reviewer = check_reviewer(options.revisor)
    applied = Dataset.open(path).apply(
        Sign(ids=tuple(options.validar), reviewer=reviewer, resign=options.refirmar, way="cli")
    )
    for case_id in applied.signed:
        state = applied.dataset.states[case_id]
        console.out(_t("signed", id=case_id, reviewer=state.reviewer or "", date=state.date or ""))
    for notice in applied.notices:
        console.talk(notice.sentence())
    console.out()
    for line in status_lines(status_of(applied.dataset)):
        console.out(plain(line))
    return int(ExitCode.OK)


def _write_paper(path: Path, options: argparse.Namespace) -> int:
    from reviewer.export.markdown import sheets_markdown, write_sheet
    from reviewer.review_queue import Filter, Queue
    from reviewer.sheet import build_sheet

    dataset = Dataset.open(path)
    pending = Queue(dataset.entries).view(Filter.PENDING)
    text = sheets_markdown(
        [build_sheet(dataset.entries[item.position]) for item in pending],
        total=len(dataset.entries),
        today=date.today(),  # noqa: DTZ011 - the day on the reader's wall
        source=str(path),
        label=messages.text("status.label") if dataset.synthetic else None,
        command=PROGRAM if options.casos is None else f"{PROGRAM} --casos {shlex.quote(str(options.casos))}",
    )
    target = path.with_name("revision_pendiente.md") if options.hoja == Path() else options.hoja
    write_sheet(target, text, force=options.forzar)
    console.out(_t("paper_written", path=target, n=len(pending)))
    report = status_of(dataset)
    _tell_problems(report)
    return int(ExitCode.DATA_INVALID if report.problems else ExitCode.OK)


def _open_app(source: Source, options: argparse.Namespace) -> int:
    reviewer = check_reviewer(options.revisor) if options.revisor is not None else None
    path = _working(source)
    from reviewer.app import Settings, run

    return run(
        Settings(
            dataset_path=path, predictions_path=_predictions(source, options.predicciones), reviewer=reviewer
        )
    )


def _predictions(source: Source, option: Path | None) -> Path | None:
    """The outputs the dashboard scores: named ones, or for the demo its example; else none."""
    if option is not None:
        return option
    named = os.environ.get("REVISION_PREDICCIONES", "").strip()
    if named:
        return Path(named)
    return None if source.named else shipped_path(PREDICTIONS_NAME)
