"""A correction in progress as the JSON values of its draft, and back. Pure values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reviewer.decisions.edit_state import Differential, EditState
from reviewer.decisions.fields import Form, form_of
from scoring.errors import UsageError
from scoring.strict_json import Number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reviewer.store.edit import Path, Scalar

    Fields = tuple[tuple[Path, Scalar], ...]


def kept_state(state: EditState, overruled: Fields) -> dict[str, Any]:
    """What a draft keeps of a correction.

    Args:
        state: the case as it is corrected now.
        overruled: fields that somebody else's save took over, with what the person had put there.
    """
    return {
        "diferenciales": [
            {
                "texto": item.text,
                "original": item.original,
                "aceptado": item.accepted,
                "quitado": item.removed,
            }
            for item in state.differentials
        ],
        "hallazgos": list(state.findings),
        "campos": _kept_fields(state.fields),
        "desbancados": _kept_fields(overruled),
    }


def read_state(kept: Mapping[str, Any]) -> tuple[EditState, Fields]:
    """What :func:`kept_state` was given.

    Raises:
        ValueError: it is not of that form.
    """
    try:
        differentials = tuple(
            Differential(
                _str(item["texto"]),
                None if item["original"] is None else _str(item["original"]),
                item["aceptado"] is True,
                item["quitado"] is True,
            )
            for item in kept["diferenciales"]
        )
        findings = tuple(_str(key) for key in kept["hallazgos"])
        state = EditState(differentials, findings, _read_fields(kept["campos"]))
        # Drafts of earlier versions have none.
        return state, _read_fields(kept.get("desbancados", ()))
    except (KeyError, TypeError, UsageError) as error:
        raise ValueError("not a kept correction") from error


def _kept_fields(fields: Fields) -> list[dict[str, Any]]:
    return [
        {"campo": list(path), "numero" if isinstance(value, Number) else "valor": value}
        for path, value in fields
    ]


def _read_fields(kept: Iterable[Mapping[str, Any]]) -> Fields:
    found: list[tuple[Path, Scalar]] = []
    for item in kept:
        path = tuple(_str(name) for name in item["campo"])
        value = Number(_str(item["numero"])) if "numero" in item else item["valor"]
        found.append((path, _scalar(path, value)))
    return tuple(found)


def _str(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _scalar(path: Path, value: object) -> Scalar:
    if form_of(path) is Form.TEXTS or not (value is None or isinstance(value, str | bool)):
        raise TypeError("not a scalar")
    return value
