"""A set that asks for two reviews: the app promises no signature that one person alone does not give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app.history_view import history_lines
from reviewer.app.plans import Wish, carry_out, sign_plan
from reviewer.app.reviews import open_reviews
from reviewer.app.screens.drafts import DraftsDialog
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.sign import SignDialog, plan_lines
from reviewer.decisions.adjudication import Adjudication
from reviewer.history import history_of
from reviewer.signing import EditSession, Sign
from reviewer.store import Dataset
from scoring.record import Kind, Status
from scoring.record.opinion import Opinion
from tests.app.reviewed import split
from tests.app.support import MOMENT, painted, running, session_on, small_predictions, small_set, until

if TYPE_CHECKING:
    from pathlib import Path


async def review(cases: Path, outputs: Path, reviewer: str) -> tuple[str, str]:
    """Sign ``pendiente-bueno`` as ``reviewer``: the text of the dialog and that of the toast."""
    session = session_on(cases, outputs, reviewer)
    async with running(session) as (app, pilot):
        # The signatures that are there count as one of two, so those cases wait in the queue as well.
        for _ in range(6):
            if session.entry is not None and session.entry.id == "pendiente-bueno":
                break
            await pilot.press("n")
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        dialog = " ".join(painted(app).split())
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        return dialog, "\n".join(note.message for note in app._notifications)


async def test_the_first_of_two_reviews_is_not_called_a_signature(tmp_path: Path) -> None:
    cases, outputs = small_set(tmp_path), small_predictions(tmp_path)
    (tmp_path / "umbrales.toml").write_text("minimo_casos = 1\n[firmas]\ndev = 2\n", encoding="utf-8")
    before = cases.read_bytes()

    dialog, toast = await review(cases, outputs, "Ana Ruiz")
    assert "pide dos revisiones de personas distintas" in dialog
    assert "La puerta pasará" not in dialog, "what it does depends on another person's review"
    assert "Revisión guardada: pendiente-bueno. Pendiente: 1 de 2" in toast
    assert "1 de 2 revisiones" in toast
    assert "firmado por" not in toast
    assert cases.read_bytes() == before, "the first review lives in the record only"
    assert Dataset.open(cases).states["pendiente-bueno"].status is Status.PENDIENTE

    dialog, toast = await review(cases, outputs, "Eva Sanz")
    assert "Ana Ruiz" not in dialog
    assert "Guardado: pendiente-bueno" in toast
    assert Dataset.open(cases).states["pendiente-bueno"].counts


def test_the_history_says_that_a_blind_review_is_there_and_both_once_they_are(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    (tmp_path / "umbrales.toml").write_text("[firmas]\ndev = 2\n", encoding="utf-8")

    def shown() -> str:
        history = history_of(Dataset.open(cases), "pendiente-bueno")
        return "\n".join(line.plain for line in history_lines(history, {}, 76))

    Dataset.open(cases).apply(Sign(("pendiente-bueno",), "Ana Ruiz"))
    said = shown()
    assert "Hay una revisión a ciegas" in said
    assert "Ana Ruiz" not in said
    Dataset.open(cases).apply(Sign(("pendiente-bueno",), "Eva Sanz"))
    said = shown()
    assert "Ana Ruiz" in said
    assert "Eva Sanz" in said


def test_what_a_reviewer_would_change_is_kept_apart_from_the_next_one(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    (tmp_path / "umbrales.toml").write_text("[firmas]\ndev = 2\n", encoding="utf-8")
    before = cases.read_bytes()
    dataset = Dataset.open(cases)
    entry = dataset.entry("pendiente-bueno")
    correction = EditSession(entry.id, entry.row.row.line.raw)
    correction.remove_differential(0)  # «ferropenia»
    correction.add_differential("babesiosis")
    correction.set_referral(needed=False)

    plan = sign_plan(dataset, entry, MOMENT, Wish("Ana Ruiz", correction))
    assert plan.refusals == ()
    assert plan.correction is None, "the line stays as it was drafted"
    assert plan.opinion == Opinion(
        ("hemorragia crónica",), ("babesiosis",), referral=False, out_of_scope=False
    )
    said = " ".join(line.plain for line in plan_lines(plan, []))
    assert "se guarda aparte y el archivo no cambia" in said
    done = carry_out(dataset, plan, MOMENT)
    assert done.refusal is None
    assert cases.read_bytes() == before

    fresh = Dataset.open(cases)
    other = sign_plan(fresh, fresh.entry("pendiente-bueno"), MOMENT, Wish("Eva Sanz"))
    seen = " ".join(line.plain for line in plan_lines(other, [])) + fresh.states["pendiente-bueno"].sentence()
    assert "babesiosis" not in seen
    assert "Ana Ruiz" not in seen
    assert carry_out(fresh, other, MOMENT).refusal is None
    assert Dataset.open(cases).states["pendiente-bueno"].status is Status.DESACUERDO


def test_a_wrong_value_is_a_correction_of_the_case_and_not_an_opinion(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    (tmp_path / "umbrales.toml").write_text("[firmas]\ndev = 2\n", encoding="utf-8")
    dataset = Dataset.open(cases)
    entry = dataset.entry("pendiente-bueno")
    correction = EditSession(entry.id, entry.row.row.line.raw)
    correction.set_value("hct", "25")
    plan = sign_plan(dataset, entry, MOMENT, Wish("Ana Ruiz", correction))
    assert plan.opinion is None
    assert plan.correction is not None


async def test_an_adjudication_cut_off_after_its_first_entry_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """It led to a refusal that told the person to ask one of those who decided: themselves."""
    cases = split(tmp_path)
    session = session_on(cases, reviewer="Luis Gil")
    entry = session.dataset.entry("pendiente-bueno")
    reviews = open_reviews(session.dataset, entry)
    assert reviews is not None
    settling = Adjudication(entry.row, reviews.told)
    settling.follow_all(0)
    session.desk.note(entry.id, kind=Kind.FIRMA, reviewer="Luis Gil", settling=settling.to_dict())
    session.desk.close()
    plan = sign_plan(session.dataset, entry, MOMENT, Wish("Luis Gil", adjudication=settling))
    session.dataset.apply(plan.decision())  # and then the power went
    async with running(session_on(cases, reviewer="Luis Gil")) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, DraftsDialog))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        assert "Cerrar este caso" in painted(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        await until(pilot, lambda: app.session.desk.waiting == ())
    assert Dataset.open(cases).states["pendiente-bueno"].counts
