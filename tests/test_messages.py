"""Every sentence exists in both languages, with the same fields, and somebody says it."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

from scoring import messages

ROOT = Path(__file__).resolve().parents[1]
CATALOGUES = sorted(
    path for package in ("scoring", "reviewer") for path in ROOT.glob(f"{package}/locale/*.toml")
)


def entries() -> list[tuple[str, str, dict[str, str]]]:
    return [
        (path.stem, key, entry)
        for path in CATALOGUES
        for key, entry in tomllib.loads(path.read_text(encoding="utf-8")).items()
    ]


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def test_each_area_has_one_catalogue() -> None:
    assert len({path.stem for path in CATALOGUES}) == len(CATALOGUES)


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_spanish_and_english_name_the_same_fields(path: Path) -> None:
    for key, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
        where = f"{path.stem}.{key}"
        assert {"es", "en"} <= set(entry) <= {"es", "en", "es_1", "en_1"}, where
        assert fields(entry["es"]) == fields(entry["en"]), where
        for single in ("es_1", "en_1"):
            if single in entry:
                assert "n" in fields(entry["es"]), f"{where}: a singular needs the field n"
                assert fields(entry[single]) <= fields(entry["es"]), where


def spoken() -> tuple[set[str], set[str]]:
    """String constants of the packages, and the fixed beginnings of their f-strings."""
    constants: set[str] = set()
    prefixes: set[str] = set()
    for package in ("scoring", "reviewer"):
        for path in (ROOT / package).rglob("*.py"):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            pieces = {id(v) for node in nodes if isinstance(node, ast.JoinedStr) for v in node.values}
            for node in nodes:
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in pieces:
                    constants.add(node.value)
                elif isinstance(node, ast.JoinedStr) and node.values:
                    first = node.values[0]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        prefixes.add(first.value)
    return constants, prefixes


def test_no_sentence_is_left_that_nobody_says() -> None:
    constants, prefixes = spoken()
    # A screen may say another area's error in its own words: the same name under its own area.
    names = {constant.rpartition(".")[2] for constant in constants}
    beginnings = {p for p in prefixes if p.endswith(("_", "."))} - {f"{area}." for area, _, _ in entries()}
    unsaid = [
        f"{area}.{key}"
        for area, key, _ in entries()
        if key not in names
        and not any(f"{area}.{key}".startswith(p) or key.startswith(p) for p in beginnings)
    ]
    assert unsaid == []


def test_every_key_in_the_code_has_its_sentence() -> None:
    areas = {path.stem for path in CATALOGUES}
    known = {f"{area}.{key}" for area, key, _ in entries()}
    pattern = re.compile(r"(?P<area>[a-z_]+)\.[a-z0-9_]+\Z")
    asked = {c for c in spoken()[0] if (m := pattern.match(c)) and m["area"] in areas}
    files = {c for c in asked if c.endswith((".json", ".jsonl", ".toml", ".py", ".md", ".lock"))}
    assert asked - files - known == set()


def test_text_among_the_fields_is_made_visible() -> None:
    said = messages.text("cases.unknown_split", found="\x1b[2Jdev")
    assert "\x1b" not in said
    assert "␛[2Jdev" in said


def test_one_is_said_in_the_singular() -> None:
    assert "tiene un problema" in messages.text("cases.invalid", path="x", n=1)
    assert "tiene 2 problemas" in messages.text("cases.invalid", path="x", n=2)


def test_the_language_is_fixed_per_process() -> None:
    messages.set_language("en")
    assert messages.text("cases.missing") == "this field is missing. Add it."
