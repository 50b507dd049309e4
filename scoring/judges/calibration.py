"""How far a judge agrees with the vets, and which thresholds it would need to mean what they mean.

Judges do not share a scale. If this one scores higher than the vets by ``d`` on average, its mean shows
that the vets' mean reaches ``T`` only where it reaches ``T + d``; with what is known after ``n`` cases,
only where it reaches ``T`` plus the upper limit of ``d``.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from scoring import __version__
from scoring.agreement import agreement
from scoring.clinical.calibration_state import NEVER, calibrated_on, calibrated_otherwise
from scoring.clinical.gate import Kind
from scoring.errors import UsageError
from scoring.jsonl import read_bytes
from scoring.judges import bounds
from scoring.judges.human import between_vets, by_case
from scoring.judges.question import rubric_digest
from scoring.judges.rubric import CRITERIA, GROUNDING, VIOLATION
from scoring.people import person_key
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from scoring.clinical.calibration_state import CalibrationState
    from scoring.clinical.gate import Threshold
    from scoring.judges.bounds import Estimate
    from scoring.judges.human import HumanScore
    from scoring.judges.rubric import Rubric

SCHEMA_VERSION = 1
FEWEST = 5
"""Scored cases below which no threshold is derived."""

_FARTHEST = 5


@dataclass(frozen=True, slots=True)
class CriterionFit:
    """Judge and vets on one criterion.

    Attributes:
        criterion: its name.
        cases: cases scored by both.
        vets: mean of the vets.
        judge: mean of the judge.
        bias: mean of judge minus vets; above 0 the judge is the more generous.
        distance: mean absolute difference.
        concordance: Lin's coefficient, or None where it is undefined.
        between_vets: mean absolute difference of two vets on the same case, or None: no judge can be
            expected to come closer.
        wanted: the threshold in force, or None.
        equivalent: the threshold this judge would need by its bias, or None if none or above 1.
        prudent: likewise by the upper limit of the bias; None also with too few cases.
    """

    criterion: str
    cases: int
    vets: float
    judge: float
    bias: Estimate
    distance: Estimate
    concordance: Estimate | None
    between_vets: Estimate | None
    wanted: Decimal | None
    equivalent: Decimal | None
    prudent: Decimal | None


@dataclass(frozen=True, slots=True)
class HarmFit:
    """Judge and vets on the harm: whether acting on the output could hurt the patient.

    Attributes:
        cases: cases both spoke about.
        both: both saw harm.
        only_vets: harm that the judge missed.
        only_judge: harm that no vet saw.
        neither: no harm for both.
        same: share of the same answer.
        found: share of the vets' harms that the judge saw, or None if there were none.
        kappa: Cohen's kappa, or None where it is undefined.
    """

    cases: int
    both: int
    only_vets: int
    only_judge: int
    neither: int
    same: Estimate
    found: Estimate | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The result.

    Attributes:
        judge: name of the judge.
        split: which cases.
        cases: cases that judge and at least one vet scored.
        reviewers: how many vets.
        unjudged: cases with a vet's score and no rubric.
        without_output: cases with a vet's score and nothing to judge.
        criteria: one fit per criterion that was scored.
        harm: the fit on the harm, or None.
        farthest: case id, criterion, vets, judge of the largest differences; open split only.
        cases_digest: of the data set.
        withheld: what is not shown because it is of some of the scored reserved cases only: beside the
            rest it would tell of single ones.
    """

    judge: str
    split: str
    cases: int
    reviewers: int
    unjudged: int
    without_output: int
    criteria: tuple[CriterionFit, ...]
    harm: HarmFit | None
    farthest: tuple[tuple[str, str, float, float], ...]
    cases_digest: str
    withheld: tuple[str, ...] = ()

    @property
    def enough(self) -> bool:
        """There are enough cases to derive thresholds from."""
        return self.cases >= FEWEST

    def to_dict(self) -> dict[str, Any]:
        """The canonical part of the file."""
        return {
            "version_esquema": SCHEMA_VERSION,
            "tipo": "calibracion_juez",
            "version_herramienta": __version__,
            "juez": self.judge,
            "rubrica": rubric_digest(),
            "split": self.split,
            "digest_casos": self.cases_digest,
            "casos": self.cases,
            "veterinarios": self.reviewers,
            "sin_rubrica": self.unjudged,
            "sin_salida": self.without_output,
            "suficientes": self.enough,
            "no_se_muestran": list(self.withheld),
            "criterios": [_criterion_dict(fit) for fit in self.criteria],
            "violacion_seguridad": None if self.harm is None else _harm_dict(self.harm),
            "mayores_diferencias": [
                {"id": case_id, "criterio": name, "veterinarios": vets, "juez": judge}
                for case_id, name, vets, judge in self.farthest
            ],
        }

    def to_json(self, *, generated: datetime) -> bytes:
        """The file as UTF-8 JSON; the time of writing is its last field."""
        content = {**self.to_dict(), "generado": generated.isoformat(timespec="seconds")}
        return (json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def calibrate(
    rubrics: Mapping[str, Rubric],
    human: Sequence[HumanScore],
    *,
    judge: str,
    split: str,
    judgeable: Collection[str],
    in_split: Collection[str],
    reserved: Collection[str],
    thresholds: Sequence[Threshold],
    cases_digest: str,
) -> Calibration:
    """Hold the rubrics of a judge against the vets' scores.

    Args:
        rubrics: case id -> rubric.
        human: the vets' scores; those of cases outside ``in_split`` are left aside.
        judge: name of the judge.
        split: name of the split.
        judgeable: ids with an output.
        in_split: ids of the split.
        reserved: ids that may not be named.
        thresholds: those in force for the judge.
        cases_digest: of the data set.
    """
    mine = [score for score in human if score.case_id in in_split]
    vets = by_case(mine)
    among = between_vets(mine)
    limits = {t.metric: t.value for t in thresholds if t.kind is Kind.FLOOR}
    hidden = {case_id for case_id in vets if case_id in reserved and case_id in judgeable}
    withheld: list[str] = []
    fits: list[CriterionFit] = []
    far: list[tuple[Fraction, str, str, float, float]] = []
    for name in (*CRITERIA, GROUNDING):
        pairs = _pairs(name, vets, rubrics)
        if {case_id for case_id, _, _ in pairs} & hidden != hidden:
            withheld += [name] if pairs else []
            continue
        fit = _fit(name, pairs, among.get(name, []), limits.get(f"juez_{name}"))
        if fit is not None:
            fits.append(fit)
        far += _distances(name, pairs, reserved)
    both = vets.keys() & rubrics.keys()
    spoken = sorted(case_id for case_id in both if VIOLATION in vets[case_id])
    if hidden.difference(spoken):
        withheld += [VIOLATION] if spoken else []
        spoken = []
    scored = [case_id for case_id in vets if case_id in judgeable]
    return Calibration(
        judge=judge,
        split=split,
        cases=len(both),
        reviewers=len({person_key(score.reviewer) for score in mine}),
        unjudged=sum(case_id not in rubrics for case_id in scored),
        without_output=len(vets) - len(scored),
        criteria=tuple(fits),
        harm=_harm([(vets[i][VIOLATION] == 1, rubrics[i].violation) for i in spoken]),
        farthest=tuple(row[1:] for row in sorted(far)[:_FARTHEST]),
        cases_digest=cases_digest,
        withheld=tuple(withheld),
    )


def _pairs(
    name: str, vets: Mapping[str, Mapping[str, Fraction]], rubrics: Mapping[str, Rubric]
) -> list[tuple[str, Fraction, Fraction]]:
    """By id, each case that vets and judge scored on a criterion: its id, what they said, what it said."""
    return [
        (case_id, scores[name], Fraction(rubrics[case_id].scores[name]))
        for case_id, scores in sorted(vets.items())
        if name in scores and case_id in rubrics and name in rubrics[case_id].scores
    ]


def _distances(
    name: str, pairs: Iterable[tuple[str, Fraction, Fraction]], reserved: Collection[str]
) -> list[tuple[Fraction, str, str, float, float]]:
    """The nameable cases on which they differ; sorted, the farthest apart come first."""
    return [
        (-abs(said - own), case_id, name, float(own), float(said))
        for case_id, own, said in pairs
        if case_id not in reserved and said != own
    ]


def _fit(
    name: str,
    pairs: Sequence[tuple[str, Fraction, Fraction]],
    among: Sequence[Fraction],
    wanted: Decimal | None,
) -> CriterionFit | None:
    vets = [float(own) for _, own, _ in pairs]
    said = [float(judge) for _, _, judge in pairs]
    bias = bounds.mean([float(judge - own) for _, own, judge in pairs])
    distance = bounds.mean([float(abs(judge - own)) for _, own, judge in pairs], least=0.0)
    if bias is None or distance is None:
        return None
    enough = len(pairs) >= FEWEST
    return CriterionFit(
        criterion=name,
        cases=len(pairs),
        vets=math.fsum(vets) / len(vets),
        judge=math.fsum(said) / len(said),
        bias=bias,
        distance=distance,
        concordance=bounds.concordance(vets, said),
        between_vets=bounds.mean([float(gap) for gap in among], least=0.0),
        wanted=wanted,
        equivalent=_moved(wanted, bias.value) if enough else None,
        prudent=_moved(wanted, bias.high) if enough else None,
    )


def _moved(wanted: Decimal | None, by: float | None) -> Decimal | None:
    """A threshold moved by ``by``, rounded up to hundredths; None where it would lie above 1."""
    if wanted is None or by is None:
        return None
    # Rounded first, so that a difference of 0.1 in binary does not push the result up by a hundredth.
    moved = (wanted + Decimal(f"{by:.9f}")).quantize(Decimal("0.01"), rounding=ROUND_CEILING)
    return None if moved > 1 else max(moved, Decimal("0.00"))


def _harm(pairs: Sequence[tuple[bool, bool]]) -> HarmFit | None:
    same = bounds.share(sum(vet == judge for vet, judge in pairs), len(pairs))
    if same is None:
        return None
    found = [judge for vet, judge in pairs if vet]
    kappa = agreement(pairs).kappa
    return HarmFit(
        cases=len(pairs),
        both=sum(found),
        only_vets=len(found) - sum(found),
        only_judge=sum(judge and not vet for vet, judge in pairs),
        neither=sum(not judge and not vet for vet, judge in pairs),
        same=same,
        found=bounds.share(sum(found), len(found)),
        kappa=None if kappa is None else float(kappa),
    )


def _optional(estimate: Estimate | None) -> dict[str, float | None] | None:
    return None if estimate is None else estimate.to_dict()


def _criterion_dict(fit: CriterionFit) -> dict[str, Any]:
    return {
        "criterio": fit.criterion,
        "casos": fit.cases,
        "media_veterinarios": fit.vets,
        "media_juez": fit.judge,
        "sesgo": fit.bias.to_dict(),
        "distancia": fit.distance.to_dict(),
        "concordancia": _optional(fit.concordance),
        "distancia_entre_veterinarios": _optional(fit.between_vets),
        "umbral": None if fit.wanted is None else f"{fit.wanted:f}",
        "umbral_equivalente": None if fit.equivalent is None else f"{fit.equivalent:f}",
        "umbral_prudente": None if fit.prudent is None else f"{fit.prudent:f}",
    }


def _harm_dict(fit: HarmFit) -> dict[str, Any]:
    return {
        "casos": fit.cases,
        "ambos": fit.both,
        "solo_veterinarios": fit.only_vets,
        "solo_juez": fit.only_judge,
        "ninguno": fit.neither,
        "misma_respuesta": fit.same.to_dict(),
        "detectadas": _optional(fit.found),
        "kappa": fit.kappa,
    }


def standing(path: Path | None, *, judge: str, cases_digest: str) -> CalibrationState:
    """What is known of this judge on these data.

    Args:
        path: the file a calibration was written to, or None.
        judge: name of the judge in use.
        cases_digest: of the data set in use.

    Raises:
        UsageError: the file is no calibration, or one of a newer format.
    """
    if path is None:
        return NEVER
    try:
        content = loads(read_bytes(path))
        version = content["version_esquema"]
        if type(version) is not int or version < 1:
            raise TypeError(version)  # noqa: TRY301 - one refusal for whatever is no calibration
        if version > SCHEMA_VERSION:
            raise UsageError(
                "compare.unknown_version", path=path, found=str(version), known=str(SCHEMA_VERSION)
            )
        fits = (
            content["tipo"] == "calibracion_juez"
            and content["juez"] == judge
            and content["rubrica"] == rubric_digest()
            and content["digest_casos"] == cases_digest
        )
        n, day, enough = int(content["casos"]), str(content["generado"])[:10], bool(content["suficientes"])
    except (StrictJSONError, KeyError, TypeError, ValueError):
        raise UsageError("judges.calibration_unreadable", path=path) from None
    if content["tipo"] != "calibracion_juez":
        raise UsageError("judges.calibration_unreadable", path=path)
    if not fits:
        return calibrated_otherwise(path)
    return calibrated_on(n, day, least=FEWEST, enough=enough)
