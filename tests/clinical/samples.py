"""Small cases and outputs written for these tests, and strategies that make more of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.clinical.naive import LEXICON

if TYPE_CHECKING:
    from pathlib import Path


def case(case_id: str = "caso-a", **changes: Any) -> dict[str, Any]:
    """A signed dev case; ``changes`` replace keys of the case, or of ``esperado`` where they live there."""
    expected: dict[str, Any] = {
        "hallazgos_clave": ["creat", "bun"],
        "diferenciales_aceptables": ["enfermedad renal crónica", "erc"],
        "requiere_derivacion": True,
        "fuera_de_alcance": False,
    }
    full: dict[str, Any] = {
        "id": case_id,
        "descripcion": "Caso de prueba",
        "split": "dev",
        "validado": True,
        "revisor": "Ana Prueba",
        "fecha_validacion": "2026-01-02",
        "paciente": {"especie": "canino", "raza": None, "edad_meses": 60, "sexo": "Macho"},
        "valores": {"creat": 3.1, "bun": 60},
        "signos_clinicos": "Poliuria",
    }
    for key, value in changes.items():
        (expected if key in expected else full)[key] = value
    return {**full, "esperado": expected}


def pending(case_id: str, **changes: Any) -> dict[str, Any]:
    unsigned = case(case_id, **{"validado": False, **changes})
    del unsigned["revisor"], unsigned["fecha_validacion"]
    return unsigned


def good_output(**changes: Any) -> dict[str, Any]:
    full: dict[str, Any] = {
        "interpretacion": "Azotemia: creatinina y urea elevadas, compatibles con enfermedad renal crónica.",
        "hallazgos_clave": [{"analito": "Creatinina"}, {"analito": "BUN/Urea"}],
        "diferenciales": [{"nombre": "Enfermedad renal crónica"}],
        "requiere_derivacion": True,
        "fuera_de_alcance": False,
    }
    return {**full, **changes}


def prose(text: str) -> dict[str, Any]:
    """An output that is free text only, as the production route gives it."""
    return good_output(interpretacion=text, hallazgos_clave=[], diferenciales=[])


def line(case_id: str, output: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"id": case_id, "interpretacion": good_output() if output is None else output}


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    text = "".join(
        (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows
    )
    path.write_text(text, encoding="utf-8")
    return path


_KEYS = sorted(LEXICON["analitos"])
_TERMS = sorted({t for row in LEXICON["analitos"].values() for t in (*row["nombre"], *row["alteracion"])})
_LABELS = (
    *(row["diagnostico"] for row in LEXICON["sinonimos"]),
    "Anemia Ferropénica",
    "daño hepatocelular",
    "enfermedad renal crónica",
    "erc",
    "cad",
    "c.i.d.",
    "shunt (portosistémico)",
    "linfoma",
    "neoplasia",
    " hemólisis ",
)
_FORMS = (*_LABELS, *(form for row in LEXICON["sinonimos"] for form in row["formas"]))
_GLUE = st.sampled_from(
    [" ", "", ",", ".", "-", "_", "\n", "/", "s", "es", "as", "o", "a", "os", "x", "₃", "²", "1"]
)
_ACCENTS = st.sampled_from(["", "á", "Ñ", "¿", "n\u0303", "i\u0301", "\u0301", "ü", "é", "ß", "İ", "Σ", "ﬁ"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Words the lexicon knows, glued with what may or may not be a word boundary."""
    pieces: list[str] = []
    words = st.sampled_from((*_FORMS, *_TERMS, *_KEYS, "de", "el paciente", "cada", "cadera"))
    for word in draw(st.lists(words, max_size=7)):
        said = draw(st.sampled_from([word, word.upper(), word.title()]))
        pieces += [draw(_GLUE), said, draw(_GLUE), draw(_ACCENTS)]
    return "".join(pieces)


@st.composite
def cases(draw: st.DrawFn, case_id: str = "caso-a") -> dict[str, Any]:
    outside = draw(st.booleans())
    keys = st.one_of(
        st.sampled_from(_KEYS), st.sampled_from(["zinc_serico", "Cobre Total", "t4", "x", "HCT"])
    )
    return case(
        case_id,
        hallazgos_clave=draw(st.lists(keys, max_size=6, unique_by=str.lower)),
        diferenciales_aceptables=draw(st.lists(st.sampled_from(_LABELS), max_size=4)),
        requiere_derivacion=outside or draw(st.booleans()),
        fuera_de_alcance=outside,
    )


@st.composite
def outputs(draw: st.DrawFn) -> dict[str, Any]:
    full = {
        "interpretacion": draw(texts()),
        "hallazgos_clave": [{"analito": t, "direccion": "alto"} for t in draw(st.lists(texts(), max_size=3))],
        "diferenciales": [{"nombre": t, "probabilidad": "alta"} for t in draw(st.lists(texts(), max_size=3))],
        "requiere_derivacion": draw(st.booleans()),
        "fuera_de_alcance": draw(st.booleans()),
    }
    kept = draw(st.sets(st.sampled_from(sorted(full))))
    return {key: full[key] for key in full if key in kept}
