"""What of a case a reviewer may change, and how what was typed becomes a value.

Numbers stay as they were typed and are never read into a float; a decimal comma is asked about, never
guessed, because «1,234» may be one number or another.
"""

from __future__ import annotations

import difflib
import math
import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from scoring.cases import MAX_ID, MAX_TEXT
from scoring.errors import UsageError
from scoring.plain import plain
from scoring.strict_json import Number, StrictJSONError, loads
from scoring.tables import ANALYTE_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reviewer.store.edit import Path, Scalar, Value

DIFFERENTIALS: Path = ("esperado", "diferenciales_aceptables")
FINDINGS: Path = ("esperado", "hallazgos_clave")
REFERRAL: Path = ("esperado", "requiere_derivacion")
SCOPE: Path = ("esperado", "fuera_de_alcance")
SIGNS: Path = ("signos_clinicos",)
VALUES = "valores"


class Form(Enum):
    """What a field holds."""

    TEXT = "text"
    NUMBER = "number"
    TRUTH = "truth"
    TEXTS = "texts"


_FORMS: dict[Path, tuple[Form, int]] = {
    ("descripcion",): (Form.TEXT, MAX_TEXT),
    SIGNS: (Form.TEXT, MAX_TEXT),
    ("paciente", "especie"): (Form.TEXT, MAX_ID),
    ("paciente", "raza"): (Form.TEXT, MAX_ID),
    ("paciente", "sexo"): (Form.TEXT, MAX_ID),
    ("paciente", "edad_meses"): (Form.NUMBER, MAX_ID),
    REFERRAL: (Form.TRUTH, 0),
    SCOPE: (Form.TRUTH, 0),
    FINDINGS: (Form.TEXTS, MAX_ID),
    DIFFERENTIALS: (Form.TEXTS, MAX_TEXT),
}


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """A field of a case and its new value.

    Attributes:
        path: the keys that lead to it: ``("valores", "hct")``.
        value: text, :class:`~scoring.strict_json.Number` (as typed), truth, null («not known»), or the
            whole list of texts.
    """

    path: Path
    value: Value

    @property
    def field(self) -> str:
        """The dotted path: «valores.hct»."""
        return ".".join(self.path)


def form_of(path: Path) -> Form:
    """What the field at ``path`` holds.

    Raises:
        UsageError: it is none of those a reviewer changes (id, split, signature, unknown fields).
    """
    if len(path) == 2 and path[0] == VALUES:
        return Form.NUMBER
    found = _FORMS.get(path)
    if found is None:
        raise UsageError("deciding.field_not_editable", field=".".join(path))
    return found[0]


def typed_number(typed: str) -> Number:
    """The number that was typed, spelled as it was: ``24.50`` stays ``24.50``.

    Raises:
        UsageError: it is none, or none that fits; a decimal comma is told from other mistakes.
    """
    text = typed.strip()
    try:
        value = loads(text.encode("utf-8", "surrogatepass"), exact_numbers=True)
    except StrictJSONError:
        value = None
    if isinstance(value, Number):
        if math.isfinite(float(value)):
            return value
        raise UsageError("deciding.number_too_large", found=text[:MAX_ID])
    head, comma, tail = text.partition(",")
    if comma and head.removeprefix("-").isdecimal() and tail.isdecimal():
        raise UsageError("deciding.decimal_comma", found=text[:MAX_ID], near=f"{head}.{tail}"[:MAX_ID])
    raise UsageError("deciding.not_a_number", found=text[:MAX_ID])


def typed_text(typed: str, *, limit: int = MAX_TEXT, multiline: bool = False) -> str:
    """The text that was typed: composed (NFC), without blanks at its ends.

    Raises:
        UsageError: blank, too long, or holding characters that cannot be seen.
    """
    if len(typed) > limit:
        raise UsageError("deciding.text_too_long", length=len(typed), limit=limit)
    kept = unicodedata.normalize("NFC", typed.replace("\r\n", "\n")).strip()
    if not kept:
        raise UsageError("deciding.text_blank")
    if plain(kept, multiline=multiline) != kept:
        raise UsageError("deciding.text_unprintable", found=kept)
    return kept


def scalar_from(path: Path, typed: str) -> Scalar:
    """What was typed into the field at ``path`` as its value; nothing typed is null («not known»).

    Raises:
        UsageError: see :func:`form_of`, :func:`typed_number` and :func:`typed_text`.
    """
    form = form_of(path)
    if form is Form.NUMBER:
        return typed_number(typed) if typed.strip() else None
    if form is not Form.TEXT:
        raise ValueError(f"{path} holds no typed text")
    limit = _FORMS[path][1]
    return typed_text(typed, limit=limit, multiline=path == SIGNS) if typed.strip() else None


def check_field(change: FieldEdit, known: Mapping[str, object], kept: Iterable[str] = ()) -> None:
    """Refuse a change of a field that is not to be changed, or to what it cannot hold.

    Args:
        change: the change.
        known: ``valores`` of the case as it is; its keys may be corrected, others must be in the table.
        kept: texts that the list holds already: they may stay however they are spelled.

    Raises:
        UsageError: names the field and what was wrong.
    """
    form, value = form_of(change.path), change.value
    if change.path[0] == VALUES:
        require_analyte(change.path[1], known)
    if form is Form.NUMBER and isinstance(value, Number):
        fits = typed_number(value) == value
    elif form is Form.TEXT and isinstance(value, str) and not isinstance(value, Number):
        fits = scalar_from(change.path, value) == value
    elif form is Form.TEXTS and isinstance(value, tuple):
        fits = _check_texts(change.path, value, known, frozenset(kept))
    elif form is Form.TRUTH:
        fits = isinstance(value, bool)
    else:
        fits = value is None and form is not Form.TEXTS
    if not fits:
        raise UsageError("deciding.field_value", field=change.field)


def require_analyte(key: str, known: Mapping[str, object]) -> None:
    """Refuse the key of an analyte that neither the case nor the table has.

    Raises:
        UsageError: names the nearest one, if there is any.
    """
    if key in known or key in ANALYTE_KEYS:
        return
    near = difflib.get_close_matches(key[:MAX_ID], ANALYTE_KEYS, n=1)
    if near:
        raise UsageError("deciding.unknown_analyte_near", found=key[:MAX_ID], near=near[0])
    raise UsageError("deciding.unknown_analyte", found=key[:MAX_ID])


def _check_texts(
    path: Path, texts: tuple[str, ...], known: Mapping[str, object], kept: frozenset[str]
) -> bool:
    fresh = [text for text in texts if text not in kept]
    for text in fresh:
        if path == FINDINGS:
            require_analyte(text, known)
        elif typed_text(text, limit=_FORMS[path][1]) != text:
            return False
        if texts.count(text) > 1:
            raise UsageError("deciding.text_twice", found=text)
    return True
