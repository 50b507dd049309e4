"""Data sets with two reviews, for the tests of the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.decisions.review import build_opinion
from reviewer.signing import Sign
from reviewer.store import Dataset
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path


COMMENT, ADDED = "comentario reservado", "piroplasmosis reservada"


def two_asked(tmp_path: Path) -> Path:
    """One case for which two reviews are asked for, and another one."""
    (tmp_path / "umbrales.toml").write_text("minimo_casos = 1\n[firmas]\ndev = 2\n", encoding="utf-8")
    return write_cases(tmp_path / "casos.jsonl", make_case("pendiente-bueno"), make_case("otro"))


def reviewed(cases: Path, reviewer: str, **opinion: object) -> Dataset:
    dataset = Dataset.open(cases)
    row = dataset.entry("pendiente-bueno").row
    said = build_opinion(row, **opinion)  # type: ignore[arg-type]  # as the tests spell it
    return dataset.apply(Sign(("pendiente-bueno",), reviewer, opinions={"pendiente-bueno": said})).dataset


def split(tmp_path: Path) -> Path:
    """Ana rejects «ferropenia» and adds another one; Eva takes the differentials and does not refer."""
    cases = two_asked(tmp_path)
    reviewed(cases, "Ana Ruiz", reject=["ferropenia"], add=[ADDED], comment=COMMENT)
    reviewed(cases, "Eva Sanz", referral=False)
    return cases


def decided(tmp_path: Path) -> Path:
    """Both reject «ferropenia», and nobody has written it into the case yet."""
    cases = two_asked(tmp_path)
    for who in ("Ana Ruiz", "Eva Sanz"):
        reviewed(cases, who, reject=["ferropenia"])
    return cases
