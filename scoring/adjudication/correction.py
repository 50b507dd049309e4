"""A new gold file with the adjudicated values in it: only the decided rows' values change, byte for byte.

The output's value is taken over as it is spelled in its line, so that ``1.0`` does not become ``1``.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scoring.abstraction import strict
from scoring.abstraction.chunks import BOM, open_file
from scoring.abstraction.private import link_hidden, open_hidden, require_private_target
from scoring.abstraction.strict import Fault
from scoring.adjudication.entries import Verdict
from scoring.adjudication.standing import new_value
from scoring.errors import ConflictError, NothingToJudgeError, UsageError
from scoring.files import sync_folder, write_all, write_error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scoring.adjudication.disagreements import Disagreements, Pair
    from scoring.adjudication.standing import Standing

_CHANGES: Final = frozenset({Verdict.OUTPUT, Verdict.UNANSWERABLE})
_NULL: Final = "null"
_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Correction:
    """What was written.

    Attributes:
        lines: 1-based numbers of the lines that changed, by field; value-free.
        kept: rows decided ``gold`` or ``ambos``, which stay as they were.
    """

    lines: Mapping[str, tuple[int, ...]]
    kept: int

    @property
    def changed(self) -> int:
        """How many lines changed."""
        return sum(map(len, self.lines.values()))


def write_correction(
    found: Disagreements, standing: Mapping[tuple[str, str], Standing], target: Path
) -> Correction:
    """Write the adjudicated gold to ``target``, which must not be there yet; mode 0600.

    Raises:
        UsageError: ``target`` is there already, or cannot be a private file.
        NothingToJudgeError: no decision changes a value; nothing was written.
        ConflictError: a file changed since it was listed; nothing was written.
        WriteError: nothing was written.
    """
    changes: dict[int, bytes] = {}
    lines: dict[str, list[int]] = {}
    kept = 0
    for item in found.items:
        state = standing.get(item.place)
        verdict = None if state is None else state.verdict
        if verdict is None:
            continue
        if verdict not in _CHANGES:
            kept += 1
            continue
        pair = found.pair(item)
        if new_value(verdict, pair) is None and pair.gold.value is None:
            kept += 1
            continue
        changes[item.gold_line] = _corrected(verdict, pair)
        lines.setdefault(item.field_id, []).append(item.gold_line)
    if not changes:
        raise NothingToJudgeError("adjudicated.nothing_to_correct")
    _write(found, changes, target)
    return Correction({name: tuple(sorted(numbers)) for name, numbers in sorted(lines.items())}, kept)


def _corrected(verdict: Verdict, pair: Pair) -> bytes:
    """The gold line with another value; parsed again, because what was written is what counts."""
    old = pair.gold_raw.decode("utf-8")
    start, end = _value_span(old)
    if verdict is Verdict.OUTPUT:
        other = pair.output_raw.decode("utf-8")
        token = other[slice(*_value_span(other))]
    else:
        token = _NULL
    made = (old[:start] + token + old[end:]).encode("utf-8")
    row = strict.gold_row(made)
    wanted = new_value(verdict, pair)
    fits = (
        not isinstance(row, Fault)
        and (row.case_id, row.field_id, row.field_type)
        == (pair.gold.case_id, pair.gold.field_id, pair.gold.field_type)
        and type(row.value) is type(wanted)
        and row.value == wanted
    )
    if not fits:
        del old, token, made, row, wanted, pair
        raise ConflictError("adjudicated.files_changed")
    return made


def _value_span(source: str) -> tuple[int, int]:
    """Where the value of the top-level member ``value`` stands in a strictly valid line."""
    position = _skip(source, _skip(source, 0) + 1)
    while source[position] != "}":
        if source[position] == ",":
            position = _skip(source, position + 1)
        name, position = _decoder.raw_decode(source, position)
        start = _skip(source, _skip(source, position) + 1)
        _, position = _decoder.raw_decode(source, start)
        if name == "value":
            return start, position
        position = _skip(source, position)
    raise ValueError("no value")


def _skip(source: str, position: int) -> int:
    while source[position] in " \t\r\n":
        position += 1
    return position


def _write(found: Disagreements, changes: Mapping[int, bytes], target: Path) -> None:
    """The gold file line by line, changed lines replaced; the name is taken only when all is written."""
    path = require_private_target(target)
    if path.exists() or path.is_symlink():
        raise UsageError("adjudicated.target_exists", path=target)
    failed: OSError | ValueError | None = None
    taken = False
    temporary: Path | None = None
    try:
        descriptor, temporary = open_hidden(path)
        try:
            with open_file(found.gold_path) as stream:
                for number, line in enumerate(stream, 1):
                    write_all(descriptor, _replaced(line, changes.get(number), first=number == 1))
            os.fsync(descriptor)
            if found.changed:
                raise ConflictError("adjudicated.files_changed")
            taken = not _take_name(descriptor, temporary, path)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        failed = error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    if taken:
        raise UsageError("adjudicated.target_exists", path=target)
    if failed is not None:
        raise write_error(target, failed)


def _take_name(descriptor: int, temporary: Path | None, path: Path) -> bool:
    """Give the file its name, unless somebody else has taken it meanwhile."""
    try:
        try:
            link_hidden(descriptor, temporary, path)  # a rename would take the place of a file made meanwhile
        except FileExistsError:
            raise
        except OSError:  # a file system without links: the name is reserved first
            if temporary is None:
                raise
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            temporary.replace(path)
    except FileExistsError:
        return False
    sync_folder(path.parent)
    return True


def _replaced(line: bytes, change: bytes | None, *, first: bool) -> bytes:
    if change is None:
        return line
    mark = BOM if first and line.startswith(BOM) else b""
    end = b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""
    return mark + change + end
