"""The paper shows data as data, and is not overwritten when somebody wrote on it."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

import pytest

from reviewer.export.markdown import escape, is_untouched, sealed, sheets_markdown, write_sheet
from reviewer.sheet import build_sheet
from reviewer.store import Dataset
from scoring.errors import ConflictError
from tests.support import HOSTILE, make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path


def paper(tmp_path: Path, *cases: dict[str, Any], label: str | None = None) -> str:
    dataset = Dataset.open(write_cases(tmp_path / "c.jsonl", *cases))
    return sheets_markdown(
        [build_sheet(entry) for entry in dataset.entries],
        total=5,
        today=dt.date(2026, 8, 1),
        source="c.jsonl",
        label=label,
        command="revision",
    )


def test_everything_a_vet_needs_is_on_the_paper(tmp_path: Path) -> None:
    text = paper(tmp_path, make_case())
    for piece in (
        "2026-08-01: un caso pendiente de 5.",
        '    revision --validar ID --revisor "Su nombre"',
        "## anemia-canino",
        "grupo dev · tanda prueba",
        "- **Edad:** 4 años y 6 meses (54 meses)",
        "| Hematocrito (Hct) | 24 | % | 37–55 | **L** moderado |",
        "- Hematocrito (Hct): 24 %, bajo (moderado)",
        "- **Anemia** (moderado; Hematocrito (Hct), Hemoglobina (Hgb))",
        "- [ ] ferropenia",
        "- [ ] Requiere derivación: **sí**",
        "- [ ] Fuera de alcance: **no**",
    ):
        assert piece in text, piece
    assert "demostración" not in text


def test_a_synthetic_set_says_so_on_the_paper(tmp_path: Path) -> None:
    assert "> **demostración: datos sintéticos**" in paper(
        tmp_path, make_case(), label="demostración: datos sintéticos"
    )


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_data_never_becomes_structure_or_control(tmp_path: Path, hostile: str) -> None:
    case = make_case(
        "x" if "\n" in hostile else f"x{hostile}",
        descripcion=hostile,
        signos_clinicos=hostile,
        tanda=hostile,
        paciente={"especie": "canino", "raza": hostile, "sexo": hostile},
        valores={hostile: hostile, "hct": hostile},
        esperado={
            "hallazgos_clave": [hostile],
            "diferenciales_aceptables": [hostile],
            "requiere_derivacion": True,
            "fuera_de_alcance": False,
        },
    )
    text = paper(tmp_path, case)
    plain_text = paper(tmp_path, make_case("x"))

    def headings(of: str) -> int:
        return len(re.findall(r"^#+ ", of, re.MULTILINE))

    # one more heading is allowed: draft and engine disagree on the hostile key finding
    assert headings(text) <= headings(plain_text) + 1
    assert not re.search(r"^\s*- \[x\]", text, re.MULTILINE)
    assert not re.search(r"(?<!\\)<|(?<!\\)!?\[[^\] ]|https://|www\.", text)
    assert not [
        c for c in text if c != "\n" and (ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u200b\ufeff")
    ]


def test_the_escape_leaves_ordinary_prose_alone() -> None:
    said = "Poliuria y polidipsia (2 meses); T.ª 39,8 °C - 2.ª visita: glucosa 480 mg/dL."
    assert escape(said) == said


def test_a_paper_somebody_wrote_on_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "hoja.md"
    write_sheet(target, "uno\n", force=False)
    write_sheet(target, "dos\n", force=False)
    assert target.read_text(encoding="utf-8").startswith("dos\n")
    target.write_text(target.read_text(encoding="utf-8").replace("dos", "dos: de acuerdo"), encoding="utf-8")
    with pytest.raises(ConflictError) as caught:
        write_sheet(target, "tres\n", force=False)
    assert "--forzar" in str(caught.value)
    assert "de acuerdo" in target.read_text(encoding="utf-8")
    write_sheet(target, "tres\n", force=True)
    assert target.read_text(encoding="utf-8").startswith("tres\n")


def test_a_file_that_is_no_paper_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "notas.md"
    target.write_text("mis notas\n", encoding="utf-8")
    with pytest.raises(ConflictError):
        write_sheet(target, "tres\n", force=False)
    target.write_bytes(b"")
    write_sheet(target, "tres\n", force=False)
    assert is_untouched(target.read_bytes())


def test_the_seal_sees_any_change() -> None:
    data = sealed("texto ñ\n")
    assert is_untouched(data)
    for place in range(len(data)):
        assert not is_untouched(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
