"""With ``--idioma en`` the orders speak English: no Spanish word of ours is left among those of the data.

A word of ours is one of the Spanish catalogue that the English one does not use. What the data set and its
tables say is left out, and so are keys of the data and of the command line, which are the same in both.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from functools import cache
from typing import TYPE_CHECKING

import pytest

from reviewer.cli import main as revision
from scoring.cli.run_evals import main as run_evals
from scoring.record import record_path
from tests.support import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WORD = re.compile(r"[^\W\d_]{3,}")
# Options and their values, file names, metrics and figures: keys, not words. The name of an IRIS stage is that
# of a pattern, which the tables give in Spanish.
_KEYS = re.compile(
    r"""--[\w-]+|\S*[_=/|]\S*|\w+(?:\.\w+)+|\[(?:registro|refirmar|retirar|firmas)\]|\{\w+\}|"[^"]*"|— estadio \d"""
)


def words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


@cache
def ours() -> frozenset[str]:
    """Words of the Spanish sentences that no English one has."""
    spoken: dict[str, set[str]] = {"es": set(), "en": set()}
    for package in ("scoring", "reviewer"):
        for path in ROOT.glob(f"{package}/locale/*.toml"):
            for entry in tomllib.loads(path.read_text("utf-8")).values():
                for name, sentence in entry.items():
                    spoken[name[:2]] |= words(_KEYS.sub(" ", re.sub(r"\{[^}]*\}", " ", sentence)))
    found = spoken["es"] - spoken["en"]
    assert {"pendiente", "firmado", "devuelto", "retirado", "revisado", "adoptada", "leve"} <= found
    return frozenset(found)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, str):
        yield from map(str.strip, re.split(r"\{\w+\}", value))


@cache
def of_data() -> tuple[str, ...]:
    """What the cases and the tables say, the longest first."""
    found: set[str] = set()
    for path in (ROOT / "casos").iterdir():
        if path.suffix == ".jsonl":
            for line in path.read_text("utf-8").splitlines():
                found.update(strings(json.loads(line)))
        elif path.suffix == ".json" and "schema" not in path.name:
            found.update(strings(json.loads(path.read_text("utf-8"))))
    return tuple(sorted((text for text in found if len(text) > 2), key=len, reverse=True))


def spanish_in(told: str) -> list[str]:
    """The lines that hold a Spanish word of ours, with the words."""
    found: list[str] = []
    for line in told.splitlines():
        rest = line
        if words(_KEYS.sub(" ", rest)) & ours():
            for text in of_data():
                if text in rest:
                    rest = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", " ", rest)
        left = words(_KEYS.sub(" ", rest)) & ours()
        if left:
            found.append(f"{sorted(left)}: {line}")
    return found


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shipped cases in a folder of their own."""
    folder = tmp_path / "set"
    folder.mkdir()
    monkeypatch.chdir(folder)
    shutil.copy(ROOT / "casos" / "casos.jsonl", folder / "casos.jsonl")
    return folder / "casos.jsonl"


def tell(capsys: pytest.CaptureFixture[str], demo: Path, *arguments: str, code: int | None = 0) -> str:
    """Both streams of an order in English, of which no word is Spanish."""
    found = revision(["--idioma", "en", "--casos", str(demo), *arguments])
    streams = capsys.readouterr()
    told = streams.out + streams.err
    assert code is None or found == code, told
    assert told
    assert spanish_in(told) == [], arguments
    return told


def test_the_catch_of_spanish_words_catches_them() -> None:
    assert spanish_in("meaning: revisado") == ["['revisado']: meaning: revisado"]
    assert spanish_in("[registro] --retirar acierto_derivacion=0.5 a|registro") == []


def test_orders_on_a_set_of_one_signature_speak_english(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = [json.loads(line)["id"] for line in demo.read_text("utf-8").splitlines()]
    signed, pending = ids[0], [i for i in ids if i.startswith(("erc-canino", "ciclosporina", "cid-"))]
    by = ("--revisor", "Ann Reed")
    tell(capsys, demo, "--estado")
    tell(capsys, demo, "--comprobar")
    tell(capsys, demo, "--validar", pending[0], *by)
    tell(capsys, demo, "--validar", pending[0], *by, code=6)
    tell(capsys, demo, "--devolver", pending[1], *by, "--motivo", "age is missing")
    tell(capsys, demo, "--devolver", pending[2], *by, "--motivo", ".", code=2)
    tell(capsys, demo, "--retirar", signed, *by, "--motivo", "another animal")
    assert "meaning: reviewed" in tell(capsys, demo, "--historial", pending[0])
    assert "adopted (" in tell(capsys, demo, "--historial", signed)
    assert "adopted: " in tell(capsys, demo, "--auditar")
    for more in ((), ("--devueltos",)):
        tell(capsys, demo, "--hoja", "paper.md", "--forzar", *more)
        sheet = (demo.parent / "paper.md").read_text("utf-8")
        assert spanish_in(sheet) == []
    tell(capsys, demo, "--acuerdo", code=4)
    tell(capsys, demo, "--instalar-git", code=None)
    tell(capsys, demo, "--nope", code=2)


def test_broken_states_are_told_in_english(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = demo.read_text("utf-8").splitlines()
    by = ("--revisor", "Ann Reed")
    first = json.loads(lines[0])["id"]
    tell(capsys, demo, "--validar", first, *by, "--refirmar")
    whole = demo.read_bytes()
    # A flag set by hand on a case that nobody signed, and an expired signature.
    changed = whole.replace(
        b'"validado": false,', b'"validado": true, "revisor": "Eve", "fecha_validacion": "2026-08-01",', 1
    )
    changed = changed.replace(b'"potasio": 7.6', b'"potasio": 7.7', 1)
    demo.write_bytes(changed)
    tell(capsys, demo, "--estado", code=5)
    tell(capsys, demo, "--auditar", code=5)
    tell(capsys, demo, "--reparar", code=5)
    demo.write_bytes(whole + b'{"id": 3, "valores": {"hct": "x"}}\n{broken\n')
    tell(capsys, demo, "--comprobar", code=3)
    demo.write_bytes(whole)
    record = record_path(demo)
    record.write_bytes(record.read_bytes().replace(b"Ann Reed", b"Ann Read", 1))
    tell(capsys, demo, "--auditar", code=5)
    tell(capsys, demo, "--reparar", code=5)
    tell(capsys, demo, "--validar", first, *by, code=5)


def test_reviews_by_two_speak_english(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (demo.parent / "umbrales.toml").write_text("[firmas]\ndev = 2\ntest = 2\n", "utf-8")
    case = "cid-hemangiosarcoma-canino"
    tell(
        capsys, demo, "--validar", case, "--revisor", "Ann Reed", "--derivacion", "no", "--comentario", "odd"
    )
    tell(capsys, demo, "--estado")
    tell(capsys, demo, "--historial", case)
    tell(capsys, demo, "--validar", case, "--revisor", "Bob Ray", "--proponer", "thing")
    tell(capsys, demo, "--estado")
    tell(capsys, demo, "--acuerdo")
    tell(capsys, demo, "--validar", case, "--revisor", "Cat Fox", code=6)
    tell(capsys, demo, "--validar", case, "--revisor", "Cat Fox", "--adjudicar")
    told = tell(capsys, demo, "--historial", case)
    assert "meaning: adjudicated" in told
    tell(capsys, demo, "--auditar")


def test_the_gate_and_every_help_speak_english(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = str(ROOT / "casos" / "predicciones_ejemplo.jsonl")
    run_evals(["--idioma", "en", "--casos", str(demo), "--predicciones", outputs, "--juez", "ninguno"])
    told = "".join(capsys.readouterr())
    assert "cases: with findings" in told
    assert spanish_in(told) == []
    for command in (revision, run_evals):
        assert command(["--idioma", "en", "--help"]) == 0
        assert spanish_in(capsys.readouterr().out) == []
