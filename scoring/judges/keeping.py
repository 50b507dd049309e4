"""Where judgements are kept while a run lasts, and which candidates a run has."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.judges.judging import Candidate, judge_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.clinical import Predictions
    from scoring.judges.transport import Transport
    from scoring.record import Snapshot

_APPLICATION = "revision-clinica"


def candidates_of(
    snapshot: Snapshot,
    predictions: Predictions,
    split: str,
    passages: Mapping[str, tuple[str, ...]],
    *,
    everyone: bool,
) -> list[Candidate]:
    """The cases of ``split`` with their outputs, in file order; ``everyone`` counts the unsigned too."""
    return [
        Candidate(
            case=row.case,
            output=predictions.by_id.get(row.case.id),
            counted=everyone or snapshot.states[row.case.id].counts,
            passages=passages.get(row.case.id) or None,
        )
        for row in snapshot.file.rows
        if split in (row.case.split, "todos")
    ]


def own_path(candidates: Sequence[Candidate], transport: Transport) -> Path:
    """Where judgements are kept unless somebody says so: one file per judge and set of cases."""
    import platformdirs

    ids = "\n".join(sorted(c.case.id for c in candidates if not c.reserved))
    named = hashlib.sha256(f"{judge_name(transport)}\n{transport.server.address}\n{ids}".encode())
    folder = Path(platformdirs.user_data_path(_APPLICATION, appauthor=False)) / "juicios"
    return folder / f"{named.hexdigest()[:16]}.jsonl"


def set_aside(path: Path) -> None:
    """A run that does not take up an interrupted one sets its file aside, so that nothing is lost."""
    with contextlib.suppress(OSError):
        if path.exists():
            path.replace(path.with_name(f"{path.stem}.anterior.jsonl"))


def forget(path: Path) -> None:
    """A finished run leaves no clinical text behind in a folder nobody thinks of."""
    for place in (path, Path(f"{path}.lock")):
        with contextlib.suppress(OSError):
            place.unlink()
