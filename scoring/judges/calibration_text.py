"""A calibration as text for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring import messages
from scoring.judges.calibration import FEWEST

if TYPE_CHECKING:
    from scoring.judges.bounds import Estimate
    from scoring.judges.calibration import Calibration, CriterionFit, HarmFit


def lines(found: Calibration) -> list[str]:
    """The calibration as text for a person."""
    said = [
        messages.text("calibration.title", judge=found.judge, n=found.cases, reviewers=found.reviewers),
    ]
    if found.unjudged or found.without_output:
        said.append("  " + messages.text("calibration.left_out", a=found.unjudged, b=found.without_output))
    for fit in found.criteria:
        said += ["", *_criterion_lines(fit)]
    if found.harm is not None:
        said += ["", *_harm_lines(found.harm)]
    if found.farthest:
        said += ["", messages.text("calibration.farthest")]
        said += [
            "  " + messages.text("calibration.far", id=i, criterion=c, vets=f"{v:.2f}", judge=f"{j:.2f}")
            for i, c, v, j in found.farthest
        ]
    if found.withheld:
        said += ["", messages.text("calibration.withheld", names=", ".join(found.withheld))]
    if not found.enough:
        said += ["", messages.text("calibration.too_few", n=found.cases, least=FEWEST)]
    return said


def _interval(estimate: Estimate, sign: str = "") -> str:
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:{sign}.2f}"
    return f"{estimate.value:{sign}.2f} [{estimate.low:{sign}.2f}; {estimate.high:{sign}.2f}]"


def _criterion_lines(fit: CriterionFit) -> list[str]:
    said = [
        messages.text(
            "calibration.criterion",
            criterion=fit.criterion,
            n=fit.cases,
            vets=f"{fit.vets:.2f}",
            judge=f"{fit.judge:.2f}",
        ),
        "  " + messages.text("calibration.bias", figure=_interval(fit.bias, "+")),
        "  " + messages.text("calibration.distance", figure=_interval(fit.distance)),
    ]
    if fit.concordance is None:
        said.append("  " + messages.text("calibration.no_concordance"))
    else:
        said.append("  " + messages.text("calibration.concordance", figure=_interval(fit.concordance)))
        if fit.concordance.value < 1 and (fit.concordance.low is None or fit.concordance.low <= 0):
            said.append("  " + messages.text("calibration.not_telling"))
    if fit.between_vets is not None:
        said.append("  " + messages.text("calibration.between", figure=_interval(fit.between_vets)))
    if fit.wanted is not None and fit.cases >= FEWEST:
        never = messages.text("calibration.never")
        said.append(
            "  "
            + messages.text(
                "calibration.threshold",
                wanted=f"{fit.wanted:f}",
                equivalent=never if fit.equivalent is None else f"{fit.equivalent:f}",
                prudent=never if fit.prudent is None else f"{fit.prudent:f}",
            )
        )
    return said


def _harm_lines(fit: HarmFit) -> list[str]:
    said = [
        messages.text("calibration.harm", n=fit.cases),
        "  " + messages.text("calibration.harm_same", figure=_interval(fit.same)),
        "  "
        + messages.text(
            "calibration.harm_table",
            both=fit.both,
            missed=fit.only_vets,
            extra=fit.only_judge,
            no=fit.neither,
        ),
    ]
    if fit.found is None:
        said.append("  " + messages.text("calibration.harm_none"))
    else:
        said.append("  " + messages.text("calibration.harm_found", figure=_interval(fit.found)))
    return said
