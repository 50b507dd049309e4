"""What the scorer reads of one model output, checked once.

A field that is absent counts as empty or false. A field that is there with another type, ``null``
included, is a problem: ``"false"`` is no refusal and ``null`` is no empty list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.jsonl import kind_of
from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One output of the assistant, as far as it is scored. The default is the empty output.

    Attributes:
        prose: the free text.
        declared_findings: ``analito`` of each structured finding that names one.
        finding_directions: ``direccion`` of each of those; empty where it is no text.
        differentials: ``nombre`` of each structured differential, empty ones included.
        refers: ``requiere_derivacion``.
        out_of_scope: ``fuera_de_alcance``.
    """

    prose: str = ""
    declared_findings: tuple[str, ...] = ()
    finding_directions: tuple[str, ...] = ()
    differentials: tuple[str, ...] = ()
    refers: bool = False
    out_of_scope: bool = False


EMPTY = Interpretation()
"""What a case without prediction is scored against."""


class _Reader:
    """Types the fields of one output and collects their problems."""

    def __init__(
        self, inner: Mapping[str, Any], *, line: int | None, case_id: str | None, prefix: str
    ) -> None:
        self.inner = inner
        self.line = line
        self.case_id = case_id
        self.prefix = prefix
        self.problems: list[Problem] = []

    def add(self, where: str, key: str, value: object) -> None:
        self.problems.append(
            Problem(
                key,
                line=self.line,
                case_id=self.case_id,
                where=self.prefix + where,
                fields={"found": kind_of(value)},
            )
        )

    def text(self, key: str) -> str:
        value = self.inner.get(key, "")
        if isinstance(value, str):
            return value
        self.add(key, "cases.not_text", value)
        return ""

    def boolean(self, key: str) -> bool:
        value = self.inner.get(key, False)
        if isinstance(value, bool):
            return value
        self.add(key, "cases.not_boolean", value)
        return False

    def names(self, key: str, name: str, beside: str = "") -> tuple[tuple[str, str], ...]:
        """``name`` of each object of a list, with the text it has under ``beside``."""
        value = self.inner.get(key)
        if value is None and key not in self.inner:
            return ()
        if not isinstance(value, list | tuple):
            self.add(key, "cases.not_list", value)
            return ()
        names: list[tuple[str, str]] = []
        for index, item in enumerate(value):
            if not isinstance(item, dict):
                self.add(f"{key}[{index}]", "cases.not_object", item)
                continue
            said = item.get(name, "")
            if isinstance(said, str):
                other = item.get(beside, "")
                names.append((said, other if isinstance(other, str) else ""))
            else:
                self.add(f"{key}[{index}].{name}", "cases.not_text", said)
        return tuple(names)


def read_interpretation(
    inner: Mapping[str, Any],
    *,
    line: int | None = None,
    case_id: str | None = None,
    prefix: str = "",
) -> tuple[Interpretation, tuple[Problem, ...]]:
    """The scored part of ``inner`` and every problem of its fields.

    Args:
        inner: the object under ``interpretacion`` of a predictions line.
        line: where it stands, for the problems.
        case_id: whose output it is, for the problems.
        prefix: path of the object in its line (``"interpretacion."``).
    """
    read = _Reader(inner, line=line, case_id=case_id, prefix=prefix)
    prose = read.text("interpretacion")
    findings = [pair for pair in read.names("hallazgos_clave", "analito", "direccion") if pair[0]]
    interpretation = Interpretation(
        prose=prose,
        declared_findings=tuple(name for name, _ in findings),
        finding_directions=tuple(direction for _, direction in findings),
        differentials=tuple(name for name, _ in read.names("diferenciales", "nombre")),
        refers=read.boolean("requiere_derivacion"),
        out_of_scope=read.boolean("fuera_de_alcance"),
    )
    return interpretation, tuple(read.problems)
