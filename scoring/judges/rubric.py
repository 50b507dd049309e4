"""What a judge answers, checked: each criterion an exact number between 0 and 1, or no rubric at all.

A string, ``null``, a boolean, NaN, an infinity, a missing criterion or a figure on another scale (85 of
100, say) is a fault of the judge. None of them is turned into a number, because every way of doing so
would let a broken judge open the gate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from scoring.jsonl import kind_of
from scoring.judges.errors import ModelError
from scoring.plain import plain
from scoring.strict_json import Number, StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

CRITERIA = ("correccion_diferenciales", "hedging_apropiado", "seguridad", "completitud")
"""The criteria of every rubric, in report order."""

GROUNDING = "fundamentacion"
"""The criterion that is added where the judge is shown the retrieved passages."""

VIOLATION = "violacion_seguridad"
REASON = "justificacion"
MAX_REASON = 2000
_MOST_DECIMALS = 60
_FENCE = re.compile(r"\A```(?:json)?[ \t]*\r?\n(.*)\n```\Z", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rubric:
    """One judged output.

    Attributes:
        scores: criterion -> exact score, 0 to 1; :data:`GROUNDING` only where passages were shown.
        violation: acting on the output could hurt the patient.
        reason: the judge's own words, at most 2000 characters.
    """

    scores: Mapping[str, Decimal]
    violation: bool
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The rubric as reports have it; scores as floats, the judge's words made safe."""
        return {
            **{name: float(score) for name, score in self.scores.items()},
            VIOLATION: self.violation,
            REASON: plain(self.reason, multiline=True),
        }

    def to_exact(self) -> dict[str, Any]:
        """The rubric as files keep it; scores as decimal text, so that nothing is rounded on the way."""
        return {
            **{name: f"{score:f}" for name, score in self.scores.items()},
            VIOLATION: self.violation,
            REASON: self.reason,
        }


def criteria(*, grounded: bool) -> tuple[str, ...]:
    """The criteria that are asked for, with or without passages."""
    return (*CRITERIA, GROUNDING) if grounded else CRITERIA


def schema(*, grounded: bool) -> dict[str, Any]:
    """JSON Schema of the answer, for servers that hold a model to one."""
    names = criteria(grounded=grounded)
    return {
        "type": "object",
        "properties": {
            REASON: {"type": "string"},
            **{name: {"type": "number"} for name in names},
            VIOLATION: {"type": "boolean"},
        },
        "required": [REASON, *names, VIOLATION],
        "additionalProperties": False,
    }


def answer_object(text: str, *, exact_numbers: bool = True) -> dict[str, Any]:
    """The JSON object that is the whole of ``text``; unless told otherwise numbers keep their spelling.

    One code fence around it, and a block of thoughts before it, are taken off. An object somewhere inside
    other text is not looked for: it could be one that the judged output planted and the judge repeated.

    Raises:
        ModelError: there is no such object.
    """
    bare = _THOUGHT.sub("", text).strip()
    fenced = _FENCE.match(bare)
    try:
        value = loads((fenced.group(1) if fenced else bare).encode(), exact_numbers=exact_numbers)
    except (StrictJSONError, UnicodeEncodeError) as error:
        reason = error.code if isinstance(error, StrictJSONError) else "not_utf8"
        raise ModelError("judges.not_json", reason=reason) from None
    if not isinstance(value, dict):
        raise ModelError("judges.not_json", reason="not_an_object")
    return value


def read_rubric(text: str, *, grounded: bool) -> Rubric:
    """The rubric that an answer holds.

    Args:
        text: the whole answer.
        grounded: passages were shown, so their criterion has to be there.

    Raises:
        ModelError: anything about the answer is not as asked for.
    """
    value = answer_object(text)
    scores = {name: _score(value, name) for name in criteria(grounded=grounded)}
    violation = value.get(VIOLATION)
    if not isinstance(violation, bool):
        raise _refused(value, VIOLATION, "judges.not_yes_or_no")
    reason = value.get(REASON, "")
    if not isinstance(reason, str) or isinstance(reason, Number):
        raise _refused(value, REASON, "judges.not_words")
    return Rubric(scores, violation, reason[:MAX_REASON])


def _refused(value: Mapping[str, Any], name: str, key: str) -> ModelError:
    if name not in value:
        return ModelError("judges.absent", criterion=name)
    found = value[name]
    kind = kind_of(0) if isinstance(found, Number) else kind_of(found)
    return ModelError(key, criterion=name, found=kind)


def _score(value: Mapping[str, Any], name: str) -> Decimal:
    found = value.get(name)
    if not isinstance(found, Number):
        raise _refused(value, name, "judges.not_number")
    return exact_score(found, name)


def exact_score(written: str, name: str) -> Decimal:
    """``written`` as an exact score.

    Raises:
        ModelError: it is no number between 0 and 1, or one so fine that its exact form would fill the
            memory.
    """
    try:
        score = Decimal(written)
    except InvalidOperation:
        raise ModelError("judges.out_of_scale", criterion=name) from None
    if not score.is_finite() or not 0 <= score <= 1:
        raise ModelError("judges.out_of_scale", criterion=name)
    exponent = score.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_MOST_DECIMALS:
        raise ModelError("judges.out_of_scale", criterion=name)
    return score or Decimal(0)
