"""Drafts: what a reviewer has typed and not yet saved, kept outside the data set until it is.

Small files in the user's own state folder, readable by the owner alone, each replaced in one step: whatever
ends the program, the last draft is there. Drafts never count and nobody else sees them. A file that cannot be
understood is set aside, never thrown away and never fatal.

Each sitting (:mod:`reviewer.sittings`) writes files of its own, so two windows never overwrite one another;
what a sitting that has ended left behind is offered to the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewer.sittings import Sitting, ended, one_at_a_time
from scoring.errors import WriteError
from scoring.files import atomic_write, remove_leftovers, resolve, write_error
from scoring.record import Kind
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 2
"""Of the files; those of version 1 are read too."""
MAX_BYTES = 16 << 20
_APPLICATION = "revision-clinica"
_FOLDER = "borradores"
_END = ".json"
_JOINT = "-"
"""Between the parts of a file name: case, sitting, number."""
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
        reason, comment: as typed, checked or not; the comment is that of a review.
        line: the data line as the person read it, without its end; empty if that was not kept.
        edit: the correction in progress (:meth:`~reviewer.decisions.session.EditSession.to_dict`), or None.
        half: a line that was being typed, and where (:mod:`reviewer.app.half_typed`), or None.
        opinion: what a review decided, as the record keeps it (``Opinion.to_dict``), or None.
        settling: an adjudication in progress (``Adjudication.to_dict``), or None.
        adjudicates: ``opinion`` was to settle a disagreement.
        resign: the decision was to replace a signature or settle a mismatch.
        refused: why saving it failed, in a sentence; empty for work that nobody tried to save yet.
        utc: when it was kept, ISO 8601.
        slot: which sitting keeps it, and under which number; given by :class:`Drafts`, part of the file name.
    """

    case_id: str
    kind: Kind | None = None
    reviewer: str | None = None
    reason: str = ""
    comment: str = ""
    line: str = field(default="", repr=False)
    edit: Mapping[str, Any] | None = field(default=None, repr=False)
    half: Mapping[str, Any] | None = field(default=None, repr=False)
    opinion: Mapping[str, Any] | None = field(default=None, repr=False)
    settling: Mapping[str, Any] | None = field(default=None, repr=False)
    adjudicates: bool = False
    resign: bool = False
    refused: str = ""
    utc: str = ""
    slot: str = field(default="", compare=False)

    @property
    def empty(self) -> bool:
        """Nothing was typed or decided that somebody would miss."""
        return self.bare and self.kind is None

    @property
    def bare(self) -> bool:
        """It holds no more than which decision it was to become."""
        typed = self.reason.strip() or self.comment.strip() or self.refused
        return not (typed or self.edit or self.half or self.opinion or self.settling)


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
    """The drafts of one data set as one sitting keeps them; links to the set share them.

    Attributes:
        folder: where they are kept; made at the first save.
        sitting: whose they are.
    """

    def __init__(self, data_path: Path, folder: Path | None = None) -> None:
        """For the data set at ``data_path``; ``folder`` stands for the user's state folder."""
        self.data_path = resolve(data_path)
        self.folder = (folder or state_folder()) / _FOLDER / _name(str(self.data_path))
        self.sitting = Sitting(self.folder)
        self._slots = 0
        self._own: dict[str, str] = {}

    def new_slot(self) -> str:
        """A slot of this sitting that no draft has had."""
        self._slots += 1
        return f"{self.sitting.name}{_JOINT}{self._slots}"

    def path_of(self, case_id: str, slot: str = "") -> Path:
        """The file of a draft of a case; its name tells nothing about the case."""
        return self.folder / f"{_name(case_id)}{_JOINT}{slot or self._only_slot(case_id)}{_END}"

    def _only_slot(self, case_id: str) -> str:
        """The slot of a case for whoever keeps one draft of it and no more."""
        if case_id not in self._own:
            self._own[case_id] = self.new_slot()
        return self._own[case_id]

    def save(self, draft: Draft) -> None:
        """Keep a draft in place of an earlier one of that slot; an empty one is discarded instead.

        When this returns, the draft is on the disk. Drafts of other slots stand beside it.

        Raises:
            WriteError: the state folder does not let itself be written; the earlier draft stands.
        """
        slot = draft.slot or self._only_slot(draft.case_id)
        if draft.empty:
            self.discard(draft.case_id, slot)
            return
        path = self.path_of(draft.case_id, slot)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(self.folder, error) from None
        self.sitting.begin()
        try:
            atomic_write(path, _encode(draft, self.data_path), private=True)
        except WriteError as error:
            if error.key != "files.unsure":
                raise

    def load(self, case_id: str) -> Draft | None:
        """The latest draft of a case, of this sitting or one that has ended; None if there is none."""
        found = [draft for draft in self.all().drafts if draft.case_id == case_id]
        return found[-1] if found else None

    def all(self) -> FoundDrafts:
        """The drafts of this sitting and of those that have ended; damaged ones are set aside and named."""
        with one_at_a_time(self.folder):
            return self._gather()

    def take_over(self) -> FoundDrafts:
        """Make the drafts of sittings that have ended those of this one, so that no other is offered them."""
        with one_at_a_time(self.folder):
            found = self._gather()
            taken = [self._take(draft) for draft in found.drafts]
            self._sweep()
        return FoundDrafts(tuple(taken), found.set_aside)

    def _gather(self) -> FoundDrafts:
        drafts: list[Draft] = []
        set_aside: list[Path] = []
        over: dict[str, bool] = {self.sitting.name: True, "": True}
        for path in self._files():
            sitting = _sitting_of(path)
            if sitting not in over:
                over[sitting] = ended(self.folder, sitting)
            if not over[sitting]:
                continue
            found = self._read(path)
            if found is not None and _name(found.case_id) == _case_part(path):
                drafts.append(found)
            elif path.exists() or found is None:
                aside = _aside(path)
                if not path.exists() and aside.exists():
                    set_aside.append(aside)
        drafts.sort(key=lambda draft: (draft.utc, draft.case_id))
        return FoundDrafts(tuple(drafts), tuple(set_aside))

    def _take(self, draft: Draft) -> Draft:
        """The draft under the name of this sitting; as it was, where the folder cannot be written."""
        if draft.slot.partition(_JOINT)[0] == self.sitting.name:
            return draft
        slot = self.new_slot()
        try:
            self.sitting.begin()
            self._path(draft).replace(self.path_of(draft.case_id, slot))
        except OSError:
            return draft
        return replace(draft, slot=slot)

    def _sweep(self) -> None:
        """Clear away after sittings that have ended: half-written files, and their own if nothing is left."""
        left = {_sitting_of(path) for path in self._files()}
        for path in _half_written(self.folder):
            sitting = _sitting_of(path)
            if sitting != self.sitting.name and ended(self.folder, sitting):
                remove_leftovers(path)
        for name in Sitting.names(self.folder):
            if name not in left and name != self.sitting.name and ended(self.folder, name):
                Sitting.forget(self.folder, name)

    def waiting(self) -> tuple[str, ...]:
        """The cases that have a draft, of whatever sitting, sorted; looks without touching any file."""
        found = (self._read(path, tidy=False) for path in self._files())
        return tuple(sorted({draft.case_id for draft in found if draft is not None}))

    def discard(self, case_id: str, slot: str | None = None) -> None:
        """Forget a draft of a case, if there is one: it was saved, or nobody wants it.

        Args:
            case_id: the case.
            slot: which draft; None for those of this sitting and of those that have ended.
        """
        if slot is None:
            paths = [self._path(draft) for draft in self.all().drafts if draft.case_id == case_id]
        else:
            paths = [self.path_of(case_id, slot)]
        for path in paths:
            with contextlib.suppress(OSError):
                path.unlink()
            with contextlib.suppress(OSError):
                remove_leftovers(path)

    def close(self) -> None:
        """This sitting ends: what it kept will be offered to the next one."""
        self.sitting.end()

    def _path(self, draft: Draft) -> Path:
        """Where a draft that was read lies; those of version 1 have no slot in their name."""
        if draft.slot:
            return self.path_of(draft.case_id, draft.slot)
        return self.folder / f"{_name(draft.case_id)}{_END}"

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
            return replace(_decode(data), slot=_slot_of(path))
        except (StrictJSONError, KeyError, TypeError, ValueError):
            if tidy:
                with contextlib.suppress(OSError):
                    path.replace(_aside(path))
            return None


def _half_written(folder: Path) -> Iterator[Path]:
    """The drafts beside which a killed writer left a file, whether or not they are there themselves."""
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir()):
            name, end, _ = path.name.removeprefix(".").partition(_END)
            if path.name.startswith(".") and end:
                yield folder / f"{name}{end}"


def _case_part(path: Path) -> str:
    return path.name.removesuffix(_END).partition(_JOINT)[0]


def _slot_of(path: Path) -> str:
    return path.name.removesuffix(_END).partition(_JOINT)[2]


def _sitting_of(path: Path) -> str:
    return _slot_of(path).partition(_JOINT)[0]


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
        "a_medias": draft.half,
        "decision": draft.opinion,
        "adjudicacion": draft.settling,
        "adjudica": draft.adjudicates,
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
    if value["v"] == 1:
        value = _from_first(value)
    if value["v"] != VERSION:
        raise ValueError("version")
    kind = None if value["tipo"] is None else Kind(value["tipo"])
    if kind not in _KINDS:
        raise ValueError("kind")
    reviewer = value["revisor"]
    return Draft(
        case_id=_text(value["caso"]),
        kind=kind,
        reviewer=None if reviewer is None else _text(reviewer),
        reason=_text(value["motivo"]),
        comment=_text(value["comentario"]),
        line=_text(value["linea"]),
        edit=_object(value["correccion"]),
        half=_object(value["a_medias"]),
        opinion=_object(value["decision"]),
        settling=_object(value["adjudicacion"]),
        adjudicates=value["adjudica"] is True,
        resign=value["sustituye"] is True,
        refused=_text(value["rechazado"]),
        utc=_text(value["utc"]),
    )


def _from_first(value: dict[str, Any]) -> dict[str, Any]:
    """A file of version 1, where the comment of a correction was the line being typed in it."""
    fresh: dict[str, Any] = {"a_medias": None, "decision": None, "adjudicacion": None, "adjudica": False}
    if value["tipo"] == Kind.EDITA and value["comentario"]:
        fresh |= {"a_medias": {"texto": value["comentario"]}, "comentario": ""}
    return {**value, **fresh, "v": VERSION}


def _object(value: object) -> dict[str, Any] | None:
    if not (value is None or isinstance(value, dict)):
        raise TypeError("not an object")
    return value


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
