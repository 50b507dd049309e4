"""Cases, outputs and data card are this project's own words: no values and no phrase of the real data set."""

from __future__ import annotations

import json
import re
import unicodedata
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = Path(__file__).resolve().parents[2] / "../shared/real"
FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "predicciones_buenas.jsonl"
CASOS = resources.files("casos")
RUN = 6
"""So many words in a row are a phrase; shorter runs are the vocabulary of the trade."""

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared real data set")


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def runs(text: str) -> set[tuple[str, ...]]:
    folded = unicodedata.normalize("NFD", text.casefold())
    words = re.findall(r"\w+", "".join(char for char in folded if not unicodedata.combining(char)))
    return {tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}


def all_runs(texts: Iterator[str]) -> set[tuple[str, ...]]:
    return set().union(*map(runs, texts))


@pytest.fixture(scope="module")
def real_cases() -> list[dict[str, Any]]:
    return objects((SHARED / "casos.jsonl").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def real_runs(real_cases: list[dict[str, Any]]) -> set[tuple[str, ...]]:
    found = all_runs(strings(real_cases))
    for path in SHARED.glob("preds/*/preds_*.jsonl"):
        found |= all_runs(strings(objects(path.read_text(encoding="utf-8"))))
    assert len(found) > 1000
    return found


def test_no_case_has_the_values_of_a_real_one(real_cases: list[dict[str, Any]]) -> None:
    real = [case["valores"] for case in real_cases]
    for case in objects((CASOS / "casos.jsonl").read_text(encoding="utf-8")):
        assert case["valores"] not in real, case["id"]


@pytest.mark.parametrize("name", ["casos.jsonl", "predicciones_ejemplo.jsonl", "predicciones_buenas.jsonl"])
def test_no_text_shares_a_run_of_six_words_with_the_real_data(
    name: str, real_runs: set[tuple[str, ...]]
) -> None:
    source = FIXTURE if name == FIXTURE.name else CASOS / name
    for item in objects(source.read_text(encoding="utf-8")):
        shared = all_runs(strings(item)) & real_runs
        assert not shared, (item["id"], [" ".join(run) for run in shared])


@pytest.mark.parametrize("name", ["README.md", "caso.schema.json"])
def test_the_data_card_and_the_schema_share_none_with_the_real_cases(
    name: str, real_cases: list[dict[str, Any]]
) -> None:
    # Only the cases: real outputs quote the titles of the books that the card cites too.
    shared = runs((CASOS / name).read_text(encoding="utf-8")) & all_runs(strings(real_cases))
    assert not shared, [" ".join(run) for run in shared]
