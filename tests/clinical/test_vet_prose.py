"""What the scorer takes from sentences as vets write them, against what a vet takes from them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from scoring.clinical import score_case
from scoring.engine.ranges import adjusted_ranges
from tests.clinical.samples import case, prose

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = ROOT / "tests" / "fixtures" / "notas_clinicas.txt"


class Judgement(NamedTuple):
    """One differential or finding in one sentence, as a vet reads it."""

    sentence: str
    target: str
    stands: bool
    misread: bool

    def reading(self) -> bool:
        """Whether the scorer lets it stand."""
        key, colon, way = self.target.partition(":")
        if not colon:
            asked = case(diferenciales_aceptables=[key.replace("_", " ")], hallazgos_clave=[])
            return score_case(asked, prose(self.sentence)).recall_diferenciales == 1
        limits = adjusted_ranges("canino", 60, None)[key]
        value = float(limits.high) * 2 if way == "alto" else float(limits.low) / 2
        asked = case(diferenciales_aceptables=[], hallazgos_clave=[key], valores={key: value})
        return score_case(asked, prose(self.sentence)).cobertura_hallazgos == 1


def judgements() -> list[Judgement]:
    found: list[Judgement] = []
    for line in SENTENCES.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        targets, _, sentence = line.partition(" | ")
        for target in targets.split():
            name, _, stands = target.removeprefix("!").rpartition("=")
            found.append(
                Judgement(sentence.replace("\\n", "\n"), name, stands == "1", target.startswith("!"))
            )
    return found


ALL = judgements()


def by_sentence() -> dict[str, list[Judgement]]:
    grouped: dict[str, list[Judgement]] = {}
    for one in ALL:
        if not one.misread:
            grouped.setdefault(one.sentence, []).append(one)
    return grouped


@pytest.mark.parametrize(("sentence", "judged"), by_sentence().items())
def test_the_scorer_reads_the_sentence_as_the_vet_does(sentence: str, judged: list[Judgement]) -> None:
    assert {one.target: one.reading() for one in judged} == {one.target: one.stands for one in judged}, (
        sentence
    )


def test_what_is_marked_as_misread_still_is() -> None:
    """Whoever mends one takes its mark away, so that the documented figure stays true."""
    mended = [one for one in ALL if one.misread and one.reading() == one.stands]
    assert mended == []


def test_the_document_tells_how_many_judgements_are_misread() -> None:
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    told = re.search(r"misreads (\d+) of (\d+) judgements", text)
    assert told is not None
    assert (int(told[1]), int(told[2])) == (sum(one.misread for one in ALL), len(ALL))
