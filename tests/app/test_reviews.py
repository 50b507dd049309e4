"""Two reviews in the app: what may be seen of them, whose half done work it is, and what is recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reviewer.app import plans
from reviewer.app.board_view import board_lines
from reviewer.app.desk import Desk
from reviewer.app.gate_board import GateBoard
from reviewer.app.plans import Wish, carry_out, sign_plan
from reviewer.app.refusals import refusal_text
from reviewer.app.refused import keep_refused
from reviewer.app.reviews import open_reviews, state_sentence
from reviewer.app.reviews_view import review_lines
from reviewer.app.rows import row_lines
from reviewer.app.screens.saving import refused_lines
from reviewer.app.screens.sign import plan_lines
from reviewer.app.sheet_view import sheet_lines
from reviewer.decisions.adjudication import Adjudication, followed
from reviewer.review_queue import Queue, QueueItem
from reviewer.sheet import build_sheet
from reviewer.signing import EditSession, Return, Sign
from reviewer.store import Dataset
from scoring.errors import ConflictError, UsageError
from scoring.record import Kind, Status, content_digest
from scoring.record.reviews import Stage
from tests.app.support import MOMENT, prediction, session_on
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path


from tests.app.reviewed import ADDED, COMMENT, decided, reviewed, split, two_asked

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
    return f"{sheet}\n{state_sentence(entry.state)}\n{plan!r}"


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
        cases = make(folder)
        assert "--" not in shown_to_others(cases), make.__name__
        outputs = folder / "salidas.jsonl"
        outputs.write_text(json.dumps(prediction("pendiente-bueno")) + "\n", encoding="utf-8")
        board = GateBoard(outputs)
        board.load(Dataset.open(cases))
        painted = "\n".join(line.plain for line in board_lines(board, 90))
        assert "pendiente-bueno" in painted
        assert "--validar" not in painted, make.__name__
    fields = {"id": "a", "names": "Ana", "known": "Ana", "why": "roto.", "n": 1, "ids": "a"}
    for name in (
        "settle_first", "already_yours", "name_alike", "name_alike_hidden", "needs_adjudication", "third_person",
        "nothing_to_adjudicate", "correct_first", "close_other", "close_as_decided", "other_case", "one_at_a_time",
    ):  # fmt: skip
        assert "--" not in refusal_text(UsageError(f"review.{name}", **fields)), name


def test_who_may_not_close_a_case_is_not_told_that_its_line_is_faulty(tmp_path: Path) -> None:
    dataset = Dataset.open(decided(tmp_path))
    plan = sign_plan(dataset, dataset.entry("pendiente-bueno"), MOMENT, Wish("Pepe Nuevo"))
    assert plan.refusals
    said = [line.plain for line in plan_lines(plan, ())]
    assert "Así no se puede firmar:" in said
    assert not any("tiene algo que corregir" in line for line in said)
    assert [line.split()[0] for line in said[:4] if line] == ["Caso", "Firma", "Cómo"], (
        "nothing else is known"
    )


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
    assert plan.opinion is not None
    assert plan.digest == content_digest(followed(entry.raw, plan.opinion))[:12], "of what will be signed"
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


def test_a_refused_decision_is_kept_with_what_was_said_and_a_bare_one_needs_no_draft(tmp_path: Path) -> None:
    session = session_on(split(tmp_path), reviewer="Luis Gil")
    entry = session.dataset.entry("pendiente-bueno")
    taken = ConflictError("store.locked", path=tmp_path)
    assert not keep_refused(session, entry, Kind.FIRMA, taken), "nothing was typed that could be lost"
    settling = session.begin_adjudication(entry)
    assert settling is not None
    settling.follow_all(1)
    said_so = settling.to_dict()
    session.desk.note(entry.id, kind=Kind.FIRMA, reviewer="Luis Gil", settling=said_so, comment="Visto")
    assert keep_refused(session, entry, Kind.FIRMA, taken)
    session.desk.close()
    later = session_on(session.dataset.path, reviewer="Luis Gil")
    later.desk.load()
    (draft,) = later.desk.waiting
    assert draft.refused
    again = later.begin_adjudication(later.dataset.entry("pendiente-bueno"))
    assert again is not None
    assert (again.to_dict(), again.comment) == (said_so, "Visto")
    later.desk.close()


# -- what was overtaken by somebody else ------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        (Sign(("a",), "Eva Sanz"), "Eva Sanz ha firmado «a»"),
        (Return(("a",), "Eva Sanz", "Falta el peso"), "ha sido devuelto a su autor por Eva Sanz"),
    ],
)
def test_a_signature_that_comes_too_late_is_refused_in_the_words_of_the_app(
    tmp_path: Path, theirs: Sign | Return, said: str
) -> None:
    """The dialog was open while a colleague decided: it names keys, not options of the command line."""
    cases = write_cases(tmp_path / "casos.jsonl", make_case("a"), make_case("b"))
    session = session_on(cases)
    plan = session.plan()
    assert plan is not None
    Dataset.open(cases).apply(theirs)
    done = session.commit(plan)
    assert done.applied is None
    assert done.refusal is not None
    told = refusal_text(done.refusal)
    assert said in told
    assert "pulse f" in told
    assert "--" not in told


def test_a_lock_held_by_somebody_else_does_not_send_anybody_to_read_the_case_again() -> None:
    busy = ConflictError("store.locked_by", path="c.jsonl", reviewer="Eva Sanz", process=1, host="clínica")
    told = " ".join(line.plain.strip() for line in refused_lines(busy, kept=False))
    assert "Eva Sanz está guardando" in told
    assert "nada ha cambiado" in told
    assert "léalo" not in told
    assert "lea el caso" not in told


def test_a_refusal_that_goes_on_after_error_on_the_command_line_begins_a_sentence_in_the_app() -> None:
    told = refusal_text(UsageError("keys.wrong_passphrase", path="~/.ssh/id_ed25519"))
    assert told.startswith("La contraseña de la clave")
    assert "orden" not in told, "there is no command to repeat"


def test_list_and_head_of_the_sheet_say_how_many_reviews_a_case_has(tmp_path: Path) -> None:
    """Without it a vet opens, and reads again, what she has reviewed already."""
    dataset = reviewed(two_asked(tmp_path), "Ana Ruiz", comment=COMMENT)
    half, none = Queue(dataset.entries).view()
    for width, two_lines in ((78, False), (46, True)):
        assert "○ 1 de 2 rev." in shown_row(half, width, two_lines=two_lines)
        assert "○ pendiente" in shown_row(none, width, two_lines=two_lines)
    head = [line.plain for line in sheet_lines(build_sheet(dataset.entry("pendiente-bueno")), 78)][:4]
    assert any("1 de 2 revisiones" in line for line in head)


def test_a_case_that_is_decided_and_not_closed_is_told_from_the_pending_ones_in_the_list(
    tmp_path: Path,
) -> None:
    """After a power cut it looked like one that nobody had read."""
    decided_one, other = Queue(Dataset.open(decided(tmp_path)).entries).view()
    for width, two_lines in ((78, False), (46, True)):
        assert "○ por cerrar" in shown_row(decided_one, width, two_lines=two_lines)
        assert "○ pendiente" in shown_row(other, width, two_lines=two_lines)


def shown_row(item: QueueItem, width: int, *, two_lines: bool) -> str:
    lines = row_lines(item, width, chosen=False, two_lines=two_lines)
    assert all(line.cell_length <= width for line in lines)
    # In two lines the symbol stands on the first and the word on the second.
    return "○ " + lines[1].plain.strip() if two_lines else lines[0].plain
