"""The fields of one case, read by type: each answer usable, each fault a problem with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.jsonl import kind_of
from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping


class FieldReader:
    """Reads the fields of one case by type and collects what is wrong with them.

    A field that fails its check is answered with the empty value of its type (None for text).

    Args:
        line: 1-based line of the case in its file, or None.

    Attributes:
        case_id: stands in every problem from the moment it is set.
        problems: what was found so far, in the order of reading.
    """

    def __init__(self, line: int | None) -> None:
        self.line = line
        self.case_id: str | None = None
        self.problems: list[Problem] = []

    def add(self, where: str, key: str, **fields: object) -> None:
        """Note that ``where`` (``esperado.hallazgos_clave[2]``) is wrong; ``key`` names the sentence."""
        self.problems.append(
            Problem(f"cases.{key}", line=self.line, case_id=self.case_id, where=where, fields=fields)
        )

    def text(
        self, obj: Mapping[str, Any], key: str, where: str, *, limit: int, required: bool = False
    ) -> str | None:
        """The text of ``key``; None if it is absent, null or no text. One too long is kept and noted."""
        value = obj.get(key)
        if value is None:
            if required:
                self.add(where, "missing" if key not in obj else "null_not_allowed")
            return None
        if not isinstance(value, str):
            self.add(where, "not_text", found=kind_of(value))
            return None
        if len(value) > limit:
            self.add(where, "text_too_long", length=len(value), limit=limit)
        return value

    def boolean(self, obj: Mapping[str, Any], key: str, where: str, *, required: bool) -> bool:
        """The truth value of ``key``; False if it is absent or something else."""
        if key not in obj:
            if required:
                self.add(where, "missing")
            return False
        value = obj[key]
        if not isinstance(value, bool):
            self.add(where, "not_boolean", found=kind_of(value))
            return False
        return value

    def texts(self, obj: Mapping[str, Any], key: str, where: str, *, limit: int) -> tuple[str, ...]:
        """The texts of the list ``key`` that are neither blank nor too long."""
        if key not in obj:
            self.add(where, "missing")
            return ()
        value = obj[key]
        if not isinstance(value, list):
            self.add(where, "not_list", found=kind_of(value))
            return ()
        good: list[str] = []
        for index, item in enumerate(value):
            place = f"{where}[{index}]"
            if not isinstance(item, str):
                self.add(place, "not_text", found=kind_of(item))
            elif not item.strip():
                self.add(place, "blank")
            elif len(item) > limit:
                self.add(place, "text_too_long", length=len(item), limit=limit)
            else:
                good.append(item)
        return tuple(good)

    def object(self, obj: Mapping[str, Any], key: str, where: str, *, required: bool) -> Mapping[str, Any]:
        """The object under ``key``; empty if it is absent or something else."""
        if key not in obj:
            if required:
                self.add(where, "missing")
            return {}
        value = obj[key]
        if not isinstance(value, dict):
            self.add(where, "not_object", found=kind_of(value))
            return {}
        return value
