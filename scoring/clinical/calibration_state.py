"""What is known of how far a judge agrees with the vets: kept in parts, told in the language in force."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEVER, _OTHERWISE, _TOO_FEW, _DONE = "nunca", "de_otro", "pocos_casos", "calibrado"
_SENTENCES = {
    _NEVER: "judges.never_calibrated",
    _OTHERWISE: "judges.calibrated_otherwise",
    _TOO_FEW: "calibration.too_few",
    _DONE: "judges.calibrated",
}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_FIELDS = {"n": r"\d{1,9}", "least": r"\d{1,9}", "date": _DAY.pattern, "path": ".+"}
_MOST = 10**9


@dataclass(frozen=True, slots=True)
class CalibrationState:
    """The state, and what its sentence names.

    Attributes:
        state: ``nunca``, ``de_otro`` (of another judge, rubric or data set), ``pocos_casos``, ``calibrado``;
            empty where nothing is known but ``said``.
        cases: cases of the calibration, for the last two.
        least: cases it would have needed, for ``pocos_casos``.
        day: day of the calibration, as ``2026-08-04``.
        file: of the calibration, for ``de_otro``.
        said: a stored sentence of which the parts cannot be told.
    """

    state: str = ""
    cases: int = 0
    least: int = 0
    day: str = ""
    file: str = ""
    said: str = ""

    @property
    def calibrated(self) -> bool:
        """A calibration of this judge on this set was given, on enough cases."""
        return self.state == _DONE

    def sentence(self) -> str:
        """The state in words; empty where nothing is known."""
        key = _SENTENCES.get(self.state)
        if key is None:
            return self.said
        return messages.text(key, n=self.cases, least=self.least, date=self.day, path=self.file)

    def to_dict(self) -> dict[str, Any]:
        """The parts as the report has them under ``calibracion_partes``."""
        return {
            "estado": self.state or None,
            "casos": self.cases,
            "minimo": self.least,
            "fecha": self.day or None,
            "archivo": self.file or None,
        }


NEVER = CalibrationState(_NEVER)
"""No calibration was given."""


def calibrated_otherwise(file: object) -> CalibrationState:
    """A calibration was given, of something else."""
    return CalibrationState(_OTHERWISE, file=str(file))


def calibrated_on(cases: int, day: str, *, least: int, enough: bool) -> CalibrationState:
    """A calibration of this judge on this set, on enough cases or not."""
    if not enough:
        return CalibrationState(_TOO_FEW, cases, least)
    return CalibrationState(_DONE, cases, day=day)


def stored_state(part: Mapping[str, Any], sentence: str, *, calibrated: bool) -> CalibrationState:
    """The state that a stored report tells of.

    Args:
        part: its ``juez_detalle``.
        sentence: ``calibracion``; reports of before the parts were kept have nothing else, so that the
            parts are read off the sentences of this tool, in either language.
        calibrated: ``calibrado``; parts that say otherwise are not believed.
    """
    parts = part.get("calibracion_partes")
    found = _from_parts(parts) if isinstance(parts, dict) else _from_sentence(sentence)
    if found is None or found.calibrated != calibrated:
        return CalibrationState(said=sentence)
    return found


def _from_parts(parts: Mapping[str, Any]) -> CalibrationState | None:
    state, cases, least = parts.get("estado"), parts.get("casos"), parts.get("minimo")
    day, file = parts.get("fecha") or "", parts.get("archivo") or ""
    if not isinstance(state, str) or state not in _SENTENCES:
        return None
    if not (type(cases) is int and type(least) is int and isinstance(day, str) and isinstance(file, str)):
        return None
    if not (0 <= cases < _MOST and 0 <= least < _MOST) or (state == _DONE and not _DAY.fullmatch(day)):
        return None
    return CalibrationState(state, cases, least, day, file)


def _from_sentence(sentence: str) -> CalibrationState | None:
    for state, key in _SENTENCES.items():
        area, _, name = key.partition(".")
        for tongue, template in messages.catalogue(area)[name].items():
            pattern = re.escape(template)
            for field, body in _FIELDS.items():
                pattern = pattern.replace(re.escape("{" + field + "}"), f"(?P<{field}>{body})")
            match = re.fullmatch(pattern, sentence)
            if match is not None:
                got = match.groupdict()
                return CalibrationState(
                    state,
                    int(got.get("n") or tongue.endswith("_1")),
                    int(got.get("least") or 0),
                    got.get("date") or "",
                    got.get("path") or "",
                )
    return None
