"""Two reviews in the app: sealed until both are in, then shown, settled by a third person and closed with one key."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewer.app import plans
from reviewer.app.desk import Desk
from reviewer.app.plans import Wish, carry_out, sign_plan
from reviewer.app.refusals import refusal_text
from reviewer.app.reviews import open_reviews, state_sentence
from reviewer.app.reviews_view import review_lines
from reviewer.app.screens.adjudicate import AdjudicateScreen
from reviewer.app.screens.dialog import ConfirmDialog, Dialog, MessageDialog
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.sign import SignDialog, plan_lines
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.sheet_view import sheet_lines
from reviewer.decisions.adjudication import Adjudication
from reviewer.decisions.review import build_opinion
from reviewer.sheet import build_sheet
from reviewer.signing import EditSession, Sign
from reviewer.store import Dataset
from scoring.errors import ConflictError, UsageError
from scoring.record import Kind, Status
from scoring.record.reviews import Stage
from tests.app.support import MOMENT, main_screen, painted, prediction, running, session_on, until
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from reviewer.app.application import ReviewApp

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


def words(app: ReviewApp) -> str:
    return " ".join(painted(app).replace("│", " ").split())


def asked(app: ReviewApp) -> str:
    """The text of the dialog, as running text."""
    screen = app.screen
    assert isinstance(screen, Dialog)
    return " ".join(" ".join(line.plain for line in screen._lines).split())


def said(app: ReviewApp) -> str:
    return " ".join(" ".join(note.message for note in app._notifications).split())


# -- what is shown ----------------------------------------------------------------------------------


def test_the_sheet_shows_both_reviews_side_by_side_or_one_under_the_other(tmp_path: Path) -> None:
    dataset = Dataset.open(split(tmp_path))
    reviews = open_reviews(dataset, dataset.entry("pendiente-bueno"))
    assert reviews is not None
    beside = [line.plain.rstrip() for line in review_lines(reviews, 70, beside=True)]
    assert [line for line in beside if "ferropenia" in line] == [
        "≠ ✗ ferropenia (no vale)          │ ≠ ✓ ferropenia"
    ]
    assert [line for line in beside if "hemorragia" in line] == [
        "  ✓ hemorragia crónica            │   ✓ hemorragia crónica"
    ]
    assert all(len(line) <= 70 for line in beside)
    under = [line.plain.rstrip() for line in review_lines(reviews, 78, beside=False)]
    first, second = under.index("1 Ana Ruiz"), under.index("2 Eva Sanz")
    assert under[first + 2 : second] == [
        "≠ ✗ ferropenia (no vale)",
        "  ✓ hemorragia crónica",
        f"≠ + {ADDED} (lo añade)",
        "≠ → requiere derivación",
        "  → dentro de alcance",
        f"  Comentario: {COMMENT}",
        "",
    ]
    assert under[second + 2 :][:4] == [
        "≠ ✓ ferropenia",
        "  ✓ hemorragia crónica",
        f"≠ · {ADDED} (no lo pone)",
        "≠ → no requiere derivación",
    ]


def shown_to_others(cases: Path) -> str:
    """All that the app shows of the case, and of what it would record, to somebody else."""
    dataset = Dataset.open(cases)
    entry = dataset.entry("pendiente-bueno")
    reviews = open_reviews(dataset, entry)
    sheet = "\n".join(line.plain for line in sheet_lines(build_sheet(entry), 78, (), reviews, beside=True))
    plan = sign_plan(dataset, entry, MOMENT, Wish("Luis Gil"))
    return f"{sheet}\n{state_sentence(entry.state)}\n{replace(plan, line_digest='')!r}"


def test_before_the_second_review_nothing_differs_by_what_the_first_decided(tmp_path: Path) -> None:
    seen = []
    for name, opinion in (
        ("uno", {}),
        ("dos", {"reject": ["ferropenia"], "add": [ADDED], "comment": COMMENT}),
    ):
        folder = tmp_path / name
        folder.mkdir()
        cases = two_asked(folder)
        reviewed(cases, "Ana Ruiz" if name == "uno" else "Zenobia Quirós", **opinion)
        seen.append(shown_to_others(cases))
    assert seen[0] == seen[1]
    assert not [word for word in ("Zenobia", COMMENT, ADDED) if word in seen[1]]
    assert "1 de 2 revisiones" in seen[1]


def test_what_the_app_says_of_reviews_names_no_option_of_the_command_line(tmp_path: Path) -> None:
    for make in (split, decided):
        folder = tmp_path / make.__name__
        folder.mkdir()
        assert "--" not in shown_to_others(make(folder)), make.__name__
    fields = {"id": "a", "names": "Ana", "known": "Ana", "why": "roto.", "n": 1, "ids": "a"}
    for name in (
        "settle_first", "already_yours", "name_alike", "name_alike_hidden", "needs_adjudication", "third_person",
        "nothing_to_adjudicate", "correct_first", "close_other", "close_as_decided", "other_case", "one_at_a_time",
    ):  # fmt: skip
        assert "--" not in refusal_text(UsageError(f"review.{name}", **fields)), name


# -- whose half done work it is ---------------------------------------------------------------------


def test_a_colleagues_half_done_review_does_not_exist_while_the_case_is_blind(tmp_path: Path) -> None:
    cases = two_asked(tmp_path)
    dataset = Dataset.open(cases)
    blind = frozenset({"pendiente-bueno"})
    entry = dataset.entry("pendiente-bueno")
    ana = Desk(cases, tmp_path / "estado")
    ana.attend("Ana Ruiz", blind)
    correction, _ = ana.begin(entry)
    correction.add_differential(ADDED)
    ana.touched(correction, "Ana Ruiz")
    ana.close()

    desk = Desk(cases, tmp_path / "estado")
    desk.attend("Eva Sanz", blind)
    desk.load()
    assert not desk.waiting
    assert desk.draft("pendiente-bueno") is None
    other, _ = desk.begin(entry)
    assert ADDED not in other.current.texts
    other.remove_differential(0)
    desk.touched(other, "Eva Sanz")
    assert desk.correcting == ("pendiente-bueno",)
    # Ana sits down at the same window: hers is there, and Eva's is not.
    desk.attend("Ana Ruiz", blind)
    assert [draft.reviewer for draft in desk.waiting] == ["Ana Ruiz"]
    mine, _ = desk.begin(entry)
    assert mine.current.texts == ("ferropenia", "hemorragia crónica", ADDED)
    desk.decided("pendiente-bueno", Kind.FIRMA)
    desk.attend("Eva Sanz", blind)
    again = desk.correction("pendiente-bueno")
    assert again is not None
    assert again.current.texts == ("hemorragia crónica",)
    # Once both reviews are in, nothing is hidden any more.
    desk.attend("Luis Gil", frozenset())
    assert [draft.reviewer for draft in desk.waiting] == ["Eva Sanz"]
    desk.close()


async def test_changing_who_signs_takes_the_other_persons_correction_off_the_sheet(tmp_path: Path) -> None:
    cases = two_asked(tmp_path)
    session = session_on(cases, reviewer="Ana Ruiz")
    async with running(session) as (app, pilot):
        entry = session.dataset.entry("pendiente-bueno")
        correction, _ = session.desk.begin(entry)
        correction.add_differential(ADDED)
        session.desk.touched(correction, "Ana Ruiz")
        main_screen(app).show_case()
        await pilot.pause()
        assert ADDED in painted(app)
        await pilot.press("r", *["backspace"] * 10, *"Eva Sanz", "enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert session.reviewer == "Eva Sanz"
        assert "reservada" not in painted(app)
        assert "o A medias" not in painted(app)


# -- what is decided --------------------------------------------------------------------------------


def test_a_review_goes_beside_the_case_and_a_wrong_value_into_it(tmp_path: Path) -> None:
    cases = two_asked(tmp_path)
    dataset = Dataset.open(cases)
    entry = dataset.entry("pendiente-bueno")
    correction = EditSession(entry.id, entry.row.row.line.raw)
    correction.add_differential(ADDED)
    correction.set_value("hct", "25")
    plan = sign_plan(dataset, entry, MOMENT, Wish("Ana Ruiz", correction, comment=COMMENT))
    assert [change.path for change in plan.corrected] == ["valores.hct"]
    assert [change.new for change in plan.differs] == [ADDED]
    assert carry_out(dataset, plan, MOMENT).signed
    line = json.loads(cases.read_text(encoding="utf-8").splitlines()[0])
    assert line["valores"]["hct"] == 25
    assert ADDED not in cases.read_text(encoding="utf-8"), "the second reviewer must not read it"
    found = Dataset.open(cases).record.effective("pendiente-bueno")[0].item("pendiente-bueno")
    assert found is not None
    assert found.opinion is not None
    assert (found.opinion.added, found.opinion.comment) == ((ADDED,), COMMENT)


def test_correcting_a_value_says_that_the_reviews_that_are_in_no_longer_hold(tmp_path: Path) -> None:
    cases = two_asked(tmp_path)
    reviewed(cases, "Ana Ruiz")
    dataset = Dataset.open(cases)
    entry = dataset.entry("pendiente-bueno")
    correction = EditSession(entry.id, entry.row.row.line.raw)
    correction.set_value("hct", "25")
    plan = sign_plan(dataset, entry, MOMENT, Wish("Eva Sanz", correction))
    assert plan.voids == 1
    told = " ".join(line.plain for line in plan_lines(plan, []))
    assert "ya hay una revisión. Es de lo que decía antes" in told
    assert carry_out(dataset, plan, MOMENT).signed
    assert Dataset.open(cases).states["pendiente-bueno"].reviews == 1, "Eva's alone"


def test_the_second_of_two_that_ask_for_the_same_corrects_and_signs_the_case(tmp_path: Path) -> None:
    cases = two_asked(tmp_path)
    reviewed(cases, "Ana Ruiz", reject=["ferropenia"])
    dataset = Dataset.open(cases)
    entry = dataset.entry("pendiente-bueno")
    correction = EditSession(entry.id, entry.row.row.line.raw)
    correction.remove_differential(0)
    done = carry_out(dataset, sign_plan(dataset, entry, MOMENT, Wish("Eva Sanz", correction)), MOMENT)
    assert (done.signed, done.corrected, done.refusal) == (True, True, None)
    state = Dataset.open(cases).states["pendiente-bueno"]
    assert (state.status, state.reviewer, state.counts) == (Status.FIRMADO, "Eva Sanz", True)


def test_a_step_that_is_refused_after_the_decision_leaves_a_case_that_can_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = split(tmp_path)
    dataset = Dataset.open(cases)
    entry = dataset.entry("pendiente-bueno")
    reviews = open_reviews(dataset, entry)
    assert reviews is not None
    settling = Adjudication(entry.row, reviews.told)
    settling.follow_all(0)
    plan = sign_plan(dataset, entry, MOMENT, Wish("Luis Gil", adjudication=settling))
    assert [change.path for change in plan.differs] != []
    decide, steps = plans.decide, []

    def second_fails(*arguments: object, **named: object) -> plans.Done:
        steps.append(arguments)
        if len(steps) == 2:
            return plans.Done(refusal=ConflictError("store.locked", path=cases))
        return decide(*arguments, **named)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(plans, "decide", second_fails)
    done = carry_out(dataset, plan, MOMENT)
    assert done.signed
    assert done.refusal is not None
    monkeypatch.undo()
    fresh = Dataset.open(cases)
    entry = fresh.entry("pendiente-bueno")
    assert entry.state.stage is Stage.CORRECT
    stranger = sign_plan(fresh, entry, MOMENT, Wish("Ana Ruiz"))
    assert stranger.refused_by == "review.correct_first"
    closing = sign_plan(fresh, entry, MOMENT, Wish("Luis Gil"))
    assert closing.closes
    assert closing.corrected == plan.differs
    assert carry_out(fresh, closing, MOMENT).refusal is None
    assert Dataset.open(cases).states["pendiente-bueno"].reviewer == "Luis Gil"


# -- in the app -------------------------------------------------------------------------------------


async def test_a_third_person_settles_a_disagreement_and_the_gate_moves_as_said(tmp_path: Path) -> None:
    cases = split(tmp_path)
    outputs = tmp_path / "salidas.jsonl"
    outputs.write_text(json.dumps(prediction("pendiente-bueno")) + "\n", encoding="utf-8")
    session = session_on(cases, outputs, "Luis Gil")
    async with running(session, (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AdjudicateScreen))
        assert "Faltan 3 puntos por decidir" in words(app)
        await pilot.press("f")
        await until(pilot, lambda: "Faltan 3 puntos por decidir: los marcados" in said(app))
        # The first on «ferropenia», the second on what was added; one's own on the referral: yes.
        await pilot.press("1", "down", "down", "2", "down", "down", "space")
        assert "Todo decidido" in words(app)
        await pilot.press("m", *"Visto", "enter", "f")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        told = asked(app)
        assert "ya no está «ferropenia»" in told
        assert "Comentario: Visto" in told
        assert "La puerta pasará de 0 a 1 casos" in told
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        await until(pilot, lambda: "con un caso" in painted(app))
        assert session.desk.waiting == ()
    line = json.loads(cases.read_text(encoding="utf-8").splitlines()[0])
    assert (line["revisor"], line["esperado"]["diferenciales_aceptables"]) == (
        "Luis Gil",
        ["hemorragia crónica"],
    )
    assert line["esperado"]["requiere_derivacion"] is True


async def test_one_of_the_two_is_told_that_another_person_settles_it(tmp_path: Path) -> None:
    session = session_on(split(tmp_path), reviewer="Ana Ruiz")
    async with running(session, (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, MessageDialog))
        assert "tiene que adjudicarlo una persona que no lo haya revisado" in asked(app)
        assert "Ana Ruiz, Eva Sanz" in asked(app)


async def test_an_adjudication_and_its_half_typed_comment_come_back(tmp_path: Path) -> None:
    cases = split(tmp_path)
    async with running(session_on(cases, reviewer="Luis Gil"), (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AdjudicateScreen))
        await pilot.press("1", "m", *"Falta la eco")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        # The app is gone at this moment.
    async with running(session_on(cases, reviewer="Luis Gil"), (80, 24)) as (app, pilot):
        await until(pilot, lambda: "Estaba adjudicando «pendiente-bueno»" in words(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        typing = app.screen
        assert isinstance(typing, TypeDialog)
        assert typing.typed == "Falta la eco"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AdjudicateScreen))
        assert "Faltan 2 puntos" in words(app), "the first answer is there"
        screen = app.screen
        assert isinstance(screen, AdjudicateScreen)
        assert screen.settling.comment == "Falta la eco"


async def test_somebody_else_settling_it_meanwhile_is_said_and_the_answers_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.app.screens.main.POLL_SECONDS", 0.05)
    cases = split(tmp_path)
    session = session_on(cases, reviewer="Luis Gil")
    async with running(session, (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AdjudicateScreen))
        await pilot.press("1")
        dataset = Dataset.open(cases)
        dataset.apply(Sign(("pendiente-bueno",), "Marta Vega", meaning="adjudicado"))
        await until(pilot, lambda: "ya no hay ningún desacuerdo que adjudicar" in words(app))
        await pilot.press("2", "f", "escape")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        draft = session.desk.draft("pendiente-bueno")
        assert draft is not None
        assert draft.settling is not None
    assert Dataset.open(cases).states["pendiente-bueno"].reviewer == "Marta Vega"


async def test_what_the_reviews_have_decided_is_closed_with_one_key_by_one_of_them(tmp_path: Path) -> None:
    cases = decided(tmp_path)
    session = session_on(cases, reviewer="Ana Ruiz")
    async with running(session) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.pause()
        assert "Las revisiones ya lo han decidido" in words(app)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        assert "Al guardar, el caso se corrige así" in asked(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
    assert Dataset.open(cases).states["pendiente-bueno"].reviewer == "Ana Ruiz"


async def test_a_review_takes_a_comment_and_can_be_changed_while_it_is_alone(tmp_path: Path) -> None:
    cases = two_asked(tmp_path)
    async with running(session_on(cases, reviewer="Ana Ruiz"), (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        for comment in ("Primera", "Segunda"):
            await pilot.press("f")
            if comment == "Segunda":
                await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
                assert "¿Cambiar su revisión?" in words(app)
                await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, SignDialog))
            await pilot.press("m", *comment, "enter")
            await until(pilot, lambda: isinstance(app.screen, SignDialog))
            assert f"Comentario: {comment}" in asked(app)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, MainScreen))
            await until(pilot, lambda: app.session.desk.waiting == ())
            main_screen(app).select_case("pendiente-bueno")
    kept = Dataset.open(cases).record.effective("pendiente-bueno")[0].item("pendiente-bueno")
    assert kept is not None
    assert kept.opinion is not None
    assert kept.opinion.comment == "Segunda"


async def test_an_opinion_is_not_saved_into_the_file_where_the_next_reviewer_would_read_it(
    tmp_path: Path,
) -> None:
    cases = two_asked(tmp_path)
    before = cases.read_bytes()
    async with running(session_on(cases, reviewer="Ana Ruiz"), (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("e", "x", "g")
        await until(pilot, lambda: isinstance(app.screen, MessageDialog))
        assert "van a su revisión y no al archivo" in asked(app)
        assert app.session.desk.correcting == ("pendiente-bueno",)
    assert cases.read_bytes() == before
