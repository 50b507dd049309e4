"""``python -m scoring.engine [FILE]``: one JSON answer line for every patient line.

Lines are answered as they come, so that it serves in a pipe; a broken one is told on stderr with file,
line, column and code, gets no answer, and makes the command end with 3.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from scoring import jsonl, messages
from scoring.cli import console
from scoring.cli.arguments import ArgumentParser, choose_language
from scoring.engine.analysis import analyse
from scoring.errors import DataError, ExitCode, UsageError
from scoring.problems import Problem
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROGRAM = "python -m scoring.engine"
EXAMPLES = (
    "python -m scoring.engine casos/casos.jsonl",
    "python -m scoring.engine --rangos pacientes.jsonl > respuestas.jsonl",
    """echo '{"paciente": {"especie": "canino"}, "valores": {"hct": 24}}' | python -m scoring.engine""",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; answers with the exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    choose_language(arguments)
    return console.run(lambda: _run(arguments), program=PROGRAM)


def answer(row: dict[str, Any], *, ranges: bool = False) -> dict[str, Any]:
    """The answer to one patient line: ``id`` if given, ``hallazgos``, ``patrones``, ``avisos`` if any."""
    found = analyse(row.get("valores"), row.get("paciente")).to_dict()
    keys = ["hallazgos", "patrones"] + ["rangos"] * ranges + ["avisos"] * bool(found["avisos"])
    own = {"id": row["id"]} if "id" in row else {}
    return own | {key: found[key] for key in keys}


def _run(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        PROGRAM, description="engine.command", examples=EXAMPLES, notes="engine.command_exit"
    )
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help=messages.text("engine.command_file")
    )
    parser.add_argument("--rangos", action="store_true", help=messages.text("engine.command_ranges"))
    parser.add_common()
    options = parser.parse(arguments)
    _write_utf8()
    if options.file == "-":
        if sys.stdin is None:  # the shell closed it
            raise UsageError("engine.no_input")
        name, stream = messages.text("engine.standard_input"), sys.stdin.buffer
        if sys.stdin.isatty():
            console.talk(messages.text("engine.waiting"))
    else:
        name, stream = options.file, io.BytesIO(jsonl.read_bytes(Path(options.file)))
    return _answer_all(stream, name, ranges=options.rangos)


def _write_utf8() -> None:
    """JSON is UTF-8 with line feeds on every system, whatever the terminal of this one prefers."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", newline="\n")


def _answer_all(stream: BinaryIO, name: str, *, ranges: bool) -> int:
    broken = 0
    for number, raw in _lines(stream):
        if number == 1 and jsonl.looks_utf16(raw[:4]):
            utf16 = Problem("jsonl.utf16")
            raise DataError("engine.unreadable_file", file=name, sentence=utf16.sentence())
        try:
            row = jsonl.parse_object(raw)
        except StrictJSONError as error:
            broken += 1
            problem = Problem(f"json.{error.code}", line=number, column=error.column, fields=error.fields)
            console.talk(
                messages.text("engine.broken_line", file=name, sentence=problem.sentence(), code=error.code)
            )
            continue
        console.out(json.dumps(answer(row, ranges=ranges), ensure_ascii=False, allow_nan=False))
        if console.reader_gone():
            break
    if broken:
        console.talk(messages.text("engine.broken_total", n=broken))
        return ExitCode.DATA_INVALID
    return ExitCode.OK


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Line number and bytes, without line end, byte order mark or blank lines.

    Of a line beyond the limit only as much is kept as shows that it is.
    """
    number = 0
    while raw := stream.readline(jsonl.MAX_LINE_BYTES + 2):
        number += 1
        rest = raw
        while not rest.endswith(b"\n") and (rest := stream.readline(jsonl.MAX_LINE_BYTES)):
            pass
        line = raw.removesuffix(b"\n").removesuffix(b"\r")
        if number == 1:
            line = line.removeprefix(jsonl.BOM)
        if line.strip(b" \t\r\n"):
            yield number, line


if __name__ == "__main__":
    sys.exit(main())
