"""Drafts: what a reviewer has typed and not yet saved, kept outside the data set until it is.

One small file per case in the user's own state folder, readable by the owner alone, replaced in one step:
whatever ends the program, the last draft is there. Drafts never count and nobody else sees them. A file
that cannot be understood is set aside, never thrown away and never fatal.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.errors import WriteError
from scoring.files import atomic_write, remove_leftovers, resolve, write_error
from scoring.record import Kind
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 1
MAX_BYTES = 16 << 20
_APPLICATION = "revision-clinica"
_FOLDER = "borradores"
_END = ".json"
_NAME_LENGTH = 32
_KINDS = (None, Kind.FIRMA, Kind.RETIRA, Kind.DEVUELVE, Kind.EDITA)


@dataclass(frozen=True, slots=True)
class Draft:
    """What was typed about one case.

    Attributes:
        case_id: the case.
        kind: the decision it was to become (``firma``, ``retira``, ``devuelve``, ``edita``), or None for
            notes in passing.
        reviewer: who typed it, as far as that was known.
        reason, comment: as typed, checked or not.
        line: the data line as the person read it, without its end; empty if that was not kept.
        edit: the correction in progress (:meth:`~reviewer.decisions.session.EditSession.to_dict`), or None.
        resign: the decision was to replace a signature or settle a mismatch.
        refused: why saving it failed, in a sentence; empty for work that nobody tried to save yet.
        utc: when it was kept, ISO 8601.
    """

    case_id: str
    kind: Kind | None = None
    reviewer: str | None = None
    reason: str = ""
    comment: str = ""
    line: str = field(default="", repr=False)
    edit: Mapping[str, Any] | None = field(default=None, repr=False)
    resign: bool = False
    refused: str = ""
    utc: str = ""

    @property
    def empty(self) -> bool:
        """Nothing was typed or decided that somebody would miss."""
        return not (self.kind or self.reason.strip() or self.comment.strip() or self.edit or self.refused)


@dataclass(frozen=True, slots=True)
class FoundDrafts:
    """The drafts of a data set, older ones first, and the files that could not be understood."""

    drafts: tuple[Draft, ...]
    set_aside: tuple[Path, ...]


def state_folder() -> Path:
    """The user's folder for what programs keep between two runs."""
    import platformdirs

    return Path(platformdirs.user_state_path(_APPLICATION, appauthor=False))


class Drafts:
    """The drafts of one data set; links to it share them.

    Attributes:
        folder: where they are kept; made at the first save.
    """

    def __init__(self, data_path: Path, folder: Path | None = None) -> None:
        """For the data set at ``data_path``; ``folder`` stands for the user's state folder."""
        self.data_path = resolve(data_path)
        self.folder = (folder or state_folder()) / _FOLDER / _name(str(self.data_path))

    def path_of(self, case_id: str) -> Path:
        """The file of the draft of a case; its name tells nothing about the case."""
        return self.folder / f"{_name(case_id)}{_END}"

    def save(self, draft: Draft) -> None:
        """Keep a draft in place of an earlier one of that case; an empty one is discarded instead.

        When this returns, the draft is on the disk.

        Raises:
            WriteError: the state folder does not let itself be written; the earlier draft stands.
        """
        if draft.empty:
            self.discard(draft.case_id)
            return
        path = self.path_of(draft.case_id)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(self.folder, error) from None
        try:
            atomic_write(path, _encode(draft, self.data_path), private=True)
        except WriteError as error:
            if error.key != "files.unsure":
                raise

    def load(self, case_id: str) -> Draft | None:
        """The draft of a case, or None; a damaged one is set aside."""
        found = self._read(self.path_of(case_id))
        return found if found is not None and found.case_id == case_id else None

    def all(self) -> FoundDrafts:
        """Every draft of the data set, to be offered; damaged ones are set aside and named."""
        drafts: list[Draft] = []
        set_aside: list[Path] = []
        for path in self._files():
            found = self._read(path)
            if found is not None and path == self.path_of(found.case_id):
                drafts.append(found)
            elif path.exists() or found is None:
                aside = _aside(path)
                if not path.exists() and aside.exists():
                    set_aside.append(aside)
        drafts.sort(key=lambda draft: (draft.utc, draft.case_id))
        return FoundDrafts(tuple(drafts), tuple(set_aside))

    def waiting(self) -> tuple[str, ...]:
        """The cases that have a draft, sorted; looks without touching any file."""
        found = (self._read(path, tidy=False) for path in self._files())
        return tuple(sorted(draft.case_id for draft in found if draft is not None))

    def discard(self, case_id: str) -> None:
        """Forget the draft of a case, if there is one: it was saved, or nobody wants it."""
        with contextlib.suppress(OSError):
            self.path_of(case_id).unlink()
        with contextlib.suppress(OSError):
            remove_leftovers(self.path_of(case_id))

    def _files(self) -> Iterator[Path]:
        try:
            names = sorted(self.folder.iterdir())
        except OSError:
            return
        yield from (path for path in names if path.name.endswith(_END))

    def _read(self, path: Path, *, tidy: bool = True) -> Draft | None:
        try:
            with path.open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        except OSError:
            return None
        try:
            return _decode(data)
        except (StrictJSONError, KeyError, TypeError, ValueError):
            if tidy:
                with contextlib.suppress(OSError):
                    path.replace(_aside(path))
            return None


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.rotas")


def _name(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME_LENGTH]


def _encode(draft: Draft, data_path: Path) -> bytes:
    value = {
        "v": VERSION,
        "conjunto": str(data_path),
        "caso": draft.case_id,
        "tipo": None if draft.kind is None else str(draft.kind),
        "revisor": draft.reviewer,
        "motivo": draft.reason,
        "comentario": draft.comment,
        "linea": draft.line,
        "correccion": draft.edit,
        "sustituye": draft.resign,
        "rechazado": draft.refused,
        "utc": draft.utc or datetime.now(UTC).isoformat(timespec="milliseconds"),
    }
    # ASCII, because what is typed may hold half a character; it must not be lost for that.
    return json.dumps(value, ensure_ascii=True, indent=1).encode("ascii") + b"\n"


def _decode(data: bytes) -> Draft:
    if len(data) > MAX_BYTES:
        raise ValueError("too large")
    value = _loads(data)
    if value["v"] != VERSION:
        raise ValueError("version")
    kind = None if value["tipo"] is None else Kind(value["tipo"])
    edit = value["correccion"]
    if kind not in _KINDS or not (edit is None or isinstance(edit, dict)):
        raise ValueError("kind")
    reviewer = value["revisor"]
    return Draft(
        case_id=_text(value["caso"]),
        kind=kind,
        reviewer=None if reviewer is None else _text(reviewer),
        reason=_text(value["motivo"]),
        comment=_text(value["comentario"]),
        line=_text(value["linea"]),
        edit=edit,
        resign=value["sustituye"] is True,
        refused=_text(value["rechazado"]),
        utc=_text(value["utc"]),
    )


def _loads(data: bytes) -> dict[str, Any]:
    """Strictly, but for half characters, which somebody may have typed."""
    try:
        value = loads(data)
    except StrictJSONError as error:
        if error.code != "lone_surrogate":
            raise
        value = json.loads(data)
    except RecursionError as error:
        raise ValueError("too deep") from error
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value
