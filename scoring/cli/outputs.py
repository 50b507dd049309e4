"""In which forms a report leaves ``run-evals``: ``--formato NAME`` or ``--formato NAME=FILE``, repeated."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.cli import console
from scoring.cli.runner_log import inert, inert_json
from scoring.clinical.pieces import encoded
from scoring.clinical.render import each_line
from scoring.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scoring.clinical import GateReport

FORMATS = ("texto", "json", "junit", "markdown", "github", "html")


@dataclass(frozen=True, slots=True)
class Wanted:
    """One form of the report: to ``path``, or to stdout."""

    name: str
    path: Path | None


def wanted(found: str) -> Wanted:
    """The converter of ``--formato``."""
    name, equals, file = found.partition("=")
    if name not in FORMATS:
        raise UsageError("outputs.unknown", found=name, known=", ".join(FORMATS))
    if equals and not file:
        raise UsageError("outputs.no_file", found=found)
    return Wanted(name, Path(file) if file else None)


def check_formats(formats: Sequence[Wanted]) -> None:
    """Refuse two forms on stdout.

    Raises:
        UsageError: naming them.
    """
    on_stdout = [one.name for one in formats if one.path is None]
    if len(on_stdout) > 1:
        raise UsageError("outputs.two_on_stdout", names=", ".join(on_stdout))


def rendered(report: GateReport, name: str) -> bytes:
    """``report`` in the form called ``name``, UTF-8."""
    return b"".join(rendered_pieces(report, name))


def rendered_pieces(report: GateReport, name: str) -> Iterator[bytes]:
    """The bytes of :func:`rendered`, piece by piece, so that a long report is never held whole."""
    return encoded(
        _pieces(report, name), errors="strict" if name in {"json", "junit"} else "backslashreplace"
    )


def _pieces(report: GateReport, name: str) -> Iterator[str]:
    if name == "json":
        return report.json_pieces(generated=datetime.now(UTC))
    if name == "texto":
        return (f"{line}\n" for line in each_line(report))
    from scoring.clinical import formats

    if name == "junit":
        return formats.junit_pieces(report)
    if name == "html":
        return formats.page_pieces(report)
    if name == "markdown":
        return (f"{line}\n" for line in formats.summary_lines(report))
    return iter((formats.workflow_commands(report),))


_HARMLESS: dict[str, Callable[[str], str]] = {"texto": inert, "markdown": inert, "json": inert_json}
"""What each form is made of where a runner reads along; the annotations are meant for it."""


def show(report: GateReport, formats: Sequence[Wanted]) -> None:
    """Print the report in the form wanted on stdout, the text unless another one was asked for."""
    name = next((one.name for one in formats if one.path is None), "texto")
    harmless = _HARMLESS.get(name, str)
    console.out_pieces(harmless(piece.decode()) for piece in rendered_pieces(report, name))
