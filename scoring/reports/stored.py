"""The reports of a folder: which files count, what they hold, and which cannot be read and why.

Only summaries are kept; the rows of a report are read again when it is compared. Nothing of the reserved
split is taken over: a report of it is known to exist, and no more.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.clinical.calibration_state import stored_state
from scoring.clinical.compare import read_old
from scoring.clinical.gate import METRICS
from scoring.clinical.judged import NO_JUDGE, JudgePart
from scoring.errors import DataError, ProductError, UsageError, system_reason
from scoring.files import identity
from scoring.jsonl import read_bytes
from scoring.reports.fields import (
    FieldError,
    count,
    counts,
    figure,
    judge_metric,
    of_type,
    texts,
    when,
)
from scoring.reports.grounded import StoredGrounding, read_grounding
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENDING = ".json"
MOST_FILES = 300
"""Files of a folder that are read, the newest; more reports than that say nothing on a screen."""
MOST_BYTES = 64 * 1024 * 1024
KNOWN_VERSIONS = {"anclaje": 1, "calibracion_juez": 1}
"""The newest format of each kind of file that this reader understands; that of the gate is read elsewhere."""


@dataclass(frozen=True, slots=True)
class StoredReport:
    """What an earlier run of the gate found, without its cases.

    Attributes:
        path: the file.
        at: its own time of writing; None where it does not say.
        split: ``dev``, ``test`` or ``todos``.
        rules, cases_digest, predictions_digest: what was scored, and how.
        include_pending, simulated: what makes it another kind of run.
        counted: cases that counted.
        verdict: as the report names it.
        generator: where the outputs came from.
        figures: metric -> figure; empty unless the split is ``dev``.
        judge: what a judge found; None without one, and unless the split is ``dev``.
        language_method, rules_digest: how language was decided, and what the rules read; empty where the
            report does not say.
    """

    path: Path
    at: datetime | None
    split: str
    rules: str
    cases_digest: str
    predictions_digest: str
    include_pending: bool
    simulated: bool
    counted: int
    verdict: str
    generator: str
    figures: Mapping[str, float | None] = field(repr=False)
    judge: JudgePart | None = field(repr=False)
    language_method: str = ""
    rules_digest: str = ""


@dataclass(frozen=True, slots=True)
class StoredCalibration:
    """A calibration of a judge: which judge, on which cases, in which file."""

    path: Path
    at: datetime | None
    judge: str
    cases_digest: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that is no report of ours, or one that cannot be read."""

    path: Path
    sentence: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """The stored reports of a folder, the oldest first; those without a time of their own stand before all.

    Attributes:
        folder: which; None where there is none.
        reports: of the gate.
        groundings: of ``run-ragas``.
        calibrations: of a judge.
        unreadable: the files that could not be used, by name.
        unread: files beyond the limit that were not looked at.
    """

    folder: Path | None = None
    reports: tuple[StoredReport, ...] = ()
    groundings: tuple[StoredGrounding, ...] = ()
    calibrations: tuple[StoredCalibration, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    unread: int = 0


_Found = StoredReport | StoredGrounding | StoredCalibration | Unreadable
_BEFORE_ALL = datetime(1, 1, 2, tzinfo=UTC)


class Reports:
    """A folder of reports; what was read is read again only when the file has changed.

    Args:
        folder: the folder; it need not exist.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._known: dict[Path, tuple[object, _Found]] = {}

    def read(self) -> Shelf:
        """What the folder holds now; a folder that is not there is an empty one."""
        if self.folder is None:
            return Shelf()
        try:
            paths = [p for p in self.folder.iterdir() if p.suffix == ENDING and not p.name.startswith(".")]
        except FileNotFoundError:
            return Shelf(self.folder)
        except (OSError, ValueError) as error:
            sentence = messages.text("reports.folder", path=self.folder, reason=system_reason(error))
            return Shelf(self.folder, unreadable=(Unreadable(self.folder, sentence),))
        stamped = sorted(((identity(path), path) for path in paths), key=_age, reverse=True)
        found: list[_Found] = []
        known: dict[Path, tuple[object, _Found]] = {}
        for stamp, path in stamped[:MOST_FILES]:
            before = self._known.get(path)
            one = before[1] if before is not None and before[0] == stamp else read_any(path)
            known[path] = (stamp, one)
            found.append(one)
        self._known = known
        return Shelf(
            self.folder,
            tuple(sorted((r for r in found if isinstance(r, StoredReport)), key=_order)),
            tuple(sorted((r for r in found if isinstance(r, StoredGrounding)), key=_order)),
            tuple(sorted((r for r in found if isinstance(r, StoredCalibration)), key=_order)),
            tuple(sorted((r for r in found if isinstance(r, Unreadable)), key=lambda one: one.path.name)),
            max(0, len(stamped) - MOST_FILES),
        )


def _age(item: tuple[tuple[int, int, int, int] | None, Path]) -> tuple[int, str]:
    stamp, path = item
    return (stamp[2] if stamp is not None else 0), path.name


def _order(one: StoredReport | StoredGrounding | StoredCalibration) -> tuple[datetime, str]:
    return one.at or _BEFORE_ALL, one.path.name


def read_any(path: Path) -> _Found:
    """The report in ``path``, or why there is none to be had."""
    try:
        return _read(path)
    except FieldError as error:
        return Unreadable(path, messages.text("reports.field", name=path.name, field=str(error)))
    except StrictJSONError:
        return Unreadable(path, messages.text("reports.not_json", name=path.name))
    except ProductError as error:
        return Unreadable(path, str(error))


def _read(path: Path) -> _Found:
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        sentence = messages.text("reports.unreadable", name=path.name, reason=system_reason(error))
        return Unreadable(path, sentence)
    if not stat.S_ISREG(status.st_mode):
        return Unreadable(path, messages.text("reports.no_file", name=path.name))
    if status.st_size > MOST_BYTES:
        return Unreadable(path, messages.text("reports.too_large", name=path.name, limit=MOST_BYTES >> 20))
    data = loads(read_bytes(path))
    kind = data.get("tipo") if isinstance(data, dict) else None
    if isinstance(kind, str) and kind in KNOWN_VERSIONS:
        version = count(data, "version_esquema")
        if version > KNOWN_VERSIONS[kind]:
            raise DataError(
                "compare.unknown_version", path=path, found=str(version), known=str(KNOWN_VERSIONS[kind])
            )
    if kind == "anclaje":
        return read_grounding(path, data)
    if kind == "calibracion_juez":
        return StoredCalibration(
            path, when(data), of_type(data, "juez", str), of_type(data, "digest_casos", str)
        )
    if kind is not None or not isinstance(data, dict):
        return Unreadable(path, messages.text("reports.other", name=path.name))
    return report_of(path, data)


def read_report(path: Path) -> Mapping[str, Any]:
    """A report of the gate with its rows, ready to be compared.

    Raises:
        ProductError: it cannot be read, or is none.
    """
    found = read_any(path)
    if isinstance(found, StoredReport):
        return read_old(path)
    sentence = found.sentence if isinstance(found, Unreadable) else None
    raise UsageError("reports.refused", why=sentence or messages.text("reports.other", name=path.name))


def report_of(path: Path, data: Mapping[str, Any]) -> StoredReport:
    """The summary of a report of the gate.

    Raises:
        FieldError: a field that is used is missing or of another kind.
        ProductError: it is no report, or one of a version this tool does not know.
    """
    read_old(path)  # what a comparison asks of a report is asked here too, in the same words
    split = of_type(data, "split", str)
    figures: dict[str, float | None] = {}
    judge = None
    aggregate = of_type(data, "agregado", dict)
    for name in aggregate:
        figure(aggregate, name)
    rows = of_type(data, "metricas", list)
    if not all(isinstance(row, dict) for row in rows):
        raise FieldError("metricas")
    if split == "dev":
        figures = {metric: figure(aggregate, metric) for metric in aggregate}
        judge = _judge_of(data, rows)
    return StoredReport(
        path,
        when(data),
        split,
        of_type(data, "reglas", str),
        of_type(data, "digest_casos", str),
        str(data.get("digest_predicciones", "")),
        of_type(data, "incluye_pendientes", bool),
        of_type(data, "simulado", bool),
        count(data, "casos_cuentan"),
        of_type(data, "veredicto", str),
        str(data.get("generador", "")),
        figures,
        judge,
        str(data.get("idioma_por", "")),
        str(data.get("digest_reglas", "")),
    )


def _judge_of(data: Mapping[str, Any], rows: list[Mapping[str, Any]]) -> JudgePart | None:
    name = data.get("juez", NO_JUDGE)
    if name == NO_JUDGE:
        return None
    part = of_type(data, "juez_detalle", dict)
    judged = count(part, "casos_juzgados")
    own = [{**row, "_n": row.get("casos", judged)} for row in rows if row.get("metrica") not in METRICS]
    return JudgePart(
        name=of_type(data, "juez", str),
        destination=of_type(part, "destino", str),
        local=of_type(part, "en_este_equipo", bool),
        informative=of_type(part, "informativo", bool),
        why_not=str(part.get("motivo_ausencia") or ""),
        calibration=stored_state(
            part, of_type(part, "calibracion", str), calibrated=of_type(part, "calibrado", bool)
        ),
        metrics=tuple(judge_metric(row, "_n") for row in own),
        judged=judged,
        judgeable=count(part, "casos_juzgables"),
        unjudged=texts(data, "no_juzgados"),
        reserved_unjudged=count(data, "no_juzgados_reservados"),
        reasons=counts(part, "errores"),
        addressed=texts(part, "se_dirigen_al_juez"),
        reserved_addressed=count(part, "se_dirigen_al_juez_reservados"),
        failures=texts(part, "fallos"),
        withheld=texts(part, "no_se_muestran") if "no_se_muestran" in part else (),
        rubric=str(part.get("rubrica") or ""),
    )
