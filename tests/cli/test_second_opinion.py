"""Two reviews per case from the command line: blind, merged, adjudicated, and how far they agree."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import krippendorff
import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from reviewer.app.desk import Desk
from reviewer.cli import main as revision_main
from reviewer.decisions.review import build_opinion, desk_of
from reviewer.drafts import Drafts
from reviewer.history import history_of
from reviewer.review_queue import Queue
from reviewer.sheet import build_sheet
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.cli.run_evals import main as evals_main
from scoring.record import Intent, IntentLine, Status, intent_path, record_path
from tests.cli.git_support import Repo, make_repo
from tests.cli.processes import revision
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path

TWO = "minimo_casos = 1\n[firmas]\ndev = 2\ntest = 2\n"
FIRST, COMMENT, ADDED = "Zenobia Quirós", "comentario reservado", "piroplasmosis reservada"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "datos"
    folder.mkdir()
    return fill(folder)


def fill(folder: Path) -> Path:
    (folder / "umbrales.toml").write_text(TWO, "utf-8")
    outputs = [{"id": one, "interpretacion": {"prosa": "Anemia."}} for one in ("uno", "dos", "vieja")]
    (folder / "p.jsonl").write_text("".join(json.dumps(one) + "\n" for one in outputs), "utf-8")
    return write_cases(
        folder / "casos.jsonl",
        make_case("uno"),
        make_case("dos", split="test"),
        signed(make_case("vieja"), "Eva", "2026-01-02"),
    )


def order(data: Path, *arguments: object, code: int = 0) -> str:
    """What a process says on both streams."""
    done = revision("--casos", data, *arguments, cwd=data.parent)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


LOOKS: tuple[tuple[str, ...], ...] = (
    (),
    ("--estado",),
    ("--estado", "--json"),
    ("--historial", "uno"),
    ("--historial", "uno", "--json"),
    ("--auditar",),
    ("--auditar", "--json"),
    ("--comprobar",),
    ("--comprobar", "--json"),
    ("--acuerdo",),
    ("--acuerdo", "--json"),
    ("--reparar",),
    ("--hoja", "hoja.md"),
    ("--validar", "uno", "dos", "--revisor", "Luis"),
    ("--validar", "uno", "--revisor", "Luis", "--adjudicar"),
    ("--validar", "uno", "--revisor", "Luis", "--rechazar", "otra cosa"),
    ("--retirar", "uno", "--revisor", "Luis"),
    ("--devolver", "uno", "--revisor", "Luis", "--motivo", "."),
    ("--reparar", "uno", "--segun", "registro", "--revisor", "Luis"),
)


def look(data: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Everything that somebody else can have the program say about the case, digests and sizes masked."""
    monkeypatch.chdir(data.parent)
    said: list[str] = []
    for arguments in LOOKS:
        code = revision_main(["--casos", str(data), *arguments])
        said.append(f"{arguments}: {code}")
        said += capfd.readouterr()
    for extra in ((), ("--formato", "json"), ("--split", "todos", "--incluir-pendientes")):
        code = evals_main(["--casos", str(data), "--predicciones", "p.jsonl", "--informe", "i.json", *extra])
        said.append(f"{extra}: {code}")
        said += capfd.readouterr()
        said.append((data.parent / "i.json").read_text("utf-8"))
    said.append((data.parent / "hoja.md").read_text("utf-8"))
    (data.parent / "hoja.md").unlink()
    found = Dataset.open(data)
    entry = found.entry("uno")
    queue = Queue(found.entries)
    said += [repr(build_sheet(entry)), repr(desk_of(entry.row, found.snapshot)), repr(entry.state)]
    said += [repr(history_of(found, "uno")), repr(queue.view(search="zenobia")), repr(queue.view())]
    text = re.sub(r"[0-9a-f]{12,64}", "·", "\n".join(said))
    return re.sub(r'"generado": "[^"]*"', "·", text)


def test_no_output_differs_by_who_came_first_and_what_they_decided(
    data: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two worlds that differ in the first review alone say the same, to the letter, until the second is in."""
    order(data, "--validar", "uno", "--revisor", "Ana")
    accepted = look(data, capfd, monkeypatch)
    shutil.rmtree(data.parent)
    data.parent.mkdir()
    fill(data.parent)
    said = order(
        data, "--validar", "uno", "--revisor", FIRST, "--rechazar", "ferropenia", "--proponer", ADDED,
        "--derivacion", "no", "--comentario", COMMENT,
    )  # fmt: skip
    assert not [word for word in (FIRST, COMMENT, ADDED) if word in said]
    assert FIRST in record_path(data).read_text("utf-8"), "the record itself is no secret"
    rejected = look(data, capfd, monkeypatch)
    assert rejected == accepted
    assert not [word for word in ("Zenobia", "Quirós", COMMENT, ADDED) if word in rejected]
    assert "1 de 2 revisiones" in rejected
    # With the second one everything is there to be read.
    second = order(data, "--validar", "uno", "--revisor", "Luis")
    assert all(word in second for word in (FIRST, COMMENT, ADDED, "Luis"))
    assert "rechaza: ferropenia" in order(data, "--historial", "uno")


def test_errors_that_compare_names_do_not_give_the_hidden_one_away(data: Path) -> None:
    order(data, "--validar", "uno", "--revisor", FIRST)
    said = order(data, "--validar", "uno", "--revisor", "Zenobia Quiros", code=2)
    assert "de personas distintas" in said
    assert "Quirós" not in said
    assert "ya ha revisado" in order(data, "--validar", "uno", "--revisor", "zenobia quirós", code=6)
    assert "Quirós" not in order(data, "--validar", "dos", "--revisor", "Zenobia Quiros")


def test_a_disagreement_is_shown_to_whoever_settles_it_and_the_case_is_corrected(data: Path) -> None:
    order(data, "--validar", "uno", "--revisor", "Ana", "--rechazar", "ferropenia")
    said = order(data, "--validar", "uno", "--revisor", "Luis")
    assert "en desacuerdo (Ana, Luis)" in said
    asked = order(data, "--validar", "uno", "--revisor", "Marta", code=6)
    assert "rechaza: ferropenia" in asked, "both decisions are shown before anybody settles them"
    assert "--adjudicar" in asked
    done = order(data, "--validar", "uno", "--revisor", "Marta", "--adjudicar", "--rechazar", "Ferropenia")
    assert "Firmado: uno — Marta" in done
    line = json.loads(data.read_bytes().splitlines()[0])
    assert line["esperado"]["diferenciales_aceptables"] == ["hemorragia crónica"]
    assert (line["validado"], line["revisor"]) == (True, "Marta")
    order(data, "--auditar")
    counted = json.loads(order(data, "--estado", "--json"))
    assert counted["por_grupo"]["dev"]["firmado"] == 1


def test_a_review_that_could_not_be_saved_is_kept_with_what_it_decided_and_taken_up_again(data: Path) -> None:
    data.chmod(0o444)
    arguments = ("--validar", "uno", "--revisor", "Ana", "--rechazar", "ferropenia", "--comentario", COMMENT)
    assert "borrador" in order(data, *arguments, code=8)
    order(data, *arguments, code=8)
    (kept,) = Drafts(data).all().drafts
    assert (kept.case_id, kept.kind, kept.reviewer) == ("uno", "firma", "Ana"), (
        "the second took the first's place"
    )
    assert kept.refused
    desk = Desk(data)
    desk.attend("Luis", frozenset({"uno"}))
    desk.load()
    assert desk.waiting == (), "it is nobody else's to see"
    desk.attend("Ana", frozenset({"uno"}))
    session, _ = desk.begin(Dataset.open(data).entry("uno"))
    assert session.current.texts == ("hemorragia crónica",)
    desk.close()
    data.chmod(0o644)
    order(data, *arguments)
    assert Drafts(data).waiting() == (), "once it is saved, the draft has done its work"


def test_what_both_reject_is_corrected_and_signed_in_one_go(data: Path) -> None:
    for who in ("Ana", "Luis"):
        said = order(data, "--validar", "uno", "--revisor", who, "--rechazar", "ferropenia")
    assert "caso corregido según lo decidido:\n  diferencial: antes «" in said, "in words, old and new"
    assert "Firmado: uno — Luis" in said
    order(data, "--auditar")


def test_status_says_what_a_set_with_earlier_signatures_waits_for(data: Path) -> None:
    said = order(data, "--estado")
    assert "un caso con una de sus dos revisiones espera la de otra persona: vieja" in said
    assert "lleva una firma anterior, que vale como una revisión" in said
    done = evals_main(["--casos", str(data), "--predicciones", str(data.parent / "p.jsonl")])
    assert done == 4, "nothing counts"


def test_another_file_of_thresholds_asks_for_more_and_never_for_less(
    data: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    loose = data.parent / "otros.toml"
    loose.write_text("minimo_casos = 1\n[firmas]\ndev = 1\n", "utf-8")
    arguments = ["--casos", str(data), "--predicciones", str(data.parent / "p.jsonl")]
    assert evals_main([*arguments, "--umbrales", str(loose)]) == 4
    (data.parent / "umbrales.toml").unlink()
    assert evals_main([*arguments, "--umbrales", str(loose)]) == 1
    loose.write_text("minimo_casos = 1\n[firmas]\ndev = 2\n", "utf-8")
    assert evals_main([*arguments, "--umbrales", str(loose)]) == 4
    capfd.readouterr()


def test_the_options_of_a_review_belong_to_one_case(data: Path) -> None:
    said = order(data, "--validar", "uno", "dos", "--revisor", "Ana", "--rechazar", "ferropenia", code=2)
    assert "un solo caso" in said
    assert "solo tiene sentido con --validar" in order(data, "--estado", "--comentario", "x", code=2)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = make_repo(tmp_path / "repo", tmp_path / "otra casa")
    (made.top / "umbrales.toml").write_text(TWO, "utf-8")
    made.commit("dos revisiones")
    return made


def reviewed_apart(repo: Repo, *options: str) -> None:
    """Ana reviews «uno» on a branch, Luis on main; each of them is the first there."""
    repo.branch("ana")
    repo.revision("--validar", "uno", "--revisor", "Ana")
    repo.commit("Ana")
    repo.to("main")
    repo.revision("--validar", "uno", "--revisor", "Luis", *options)
    repo.commit("Luis")
    repo.git("merge", "-q", "-m", "fusión", "ana")


@pytest.mark.lento
def test_two_first_reviews_from_two_branches_are_two_reviews(repo: Repo) -> None:
    reviewed_apart(repo)
    state = Dataset.open(repo.data).states["uno"]
    assert (state.status, state.reviews, state.counts) == (Status.PENDIENTE, 2, False)
    assert "por_firmar" in repo.revision("--estado", "--json").stdout
    assert "solo falta firmarlo" in repo.revision("--validar", "uno", "--revisor", "Marta", code=6).stderr
    repo.revision("--validar", "uno", "--revisor", "Ana")
    assert "uno" in repo.counted
    audit = repo.revision("--auditar").stdout
    assert "ÍNTEGRO" in audit
    found = json.loads(repo.revision("--acuerdo", "--json").stdout)
    assert found["casos_con_dos_revisiones"] == 1


@pytest.mark.lento
def test_two_first_reviews_that_differ_are_a_disagreement_and_no_conflict(repo: Repo) -> None:
    reviewed_apart(repo, "--derivacion", "no")
    assert repo.states["uno"] is Status.DESACUERDO
    repo.revision("--auditar")
    repo.revision("--validar", "uno", "--revisor", "Marta", "--adjudicar")
    assert "uno" in repo.counted
    repo.revision("--auditar")


@pytest.mark.lento
def test_one_person_on_two_branches_is_one_review(repo: Repo) -> None:
    repo.branch("b")
    repo.revision("--validar", "uno", "--revisor", "Ana", "--derivacion", "no")
    repo.commit("b")
    repo.to("main")
    repo.revision("--validar", "uno", "--revisor", "ana")
    repo.commit("main")
    repo.git("merge", "-q", "-m", "fusión", "b")
    state = Dataset.open(repo.data).states["uno"]
    assert (state.status, state.reviews) == (Status.PENDIENTE, 1)
    repo.revision("--validar", "uno", "--revisor", "Ana", "--refirmar")
    repo.revision("--validar", "uno", "--revisor", "Luis")
    assert "uno" in repo.counted
    repo.revision("--auditar")


def test_figures_are_those_of_statsmodels_and_krippendorff(tmp_path: Path) -> None:
    """Ana rejects the first differential of cases 0-4, Luis of 3-6; only Luis refers 0-8 and Ana 2-8."""
    folder = tmp_path / "datos"
    folder.mkdir()
    (folder / "umbrales.toml").write_text(TWO, "utf-8")
    ids = [f"c{number}" for number in range(10)]
    data = write_cases(folder / "casos.jsonl", *(make_case(one) for one in ids))
    answers: dict[str, list[tuple[bool, bool]]] = {"diferenciales": [], "requiere_derivacion": []}
    for number, one in enumerate(ids):
        rejects = {"Ana": number <= 4, "Luis": 3 <= number <= 6}
        refers = {"Ana": 2 <= number <= 8, "Luis": number <= 8}
        answers["diferenciales"] += [(not rejects["Ana"], not rejects["Luis"]), (True, True)]
        answers["requiere_derivacion"].append((refers["Ana"], refers["Luis"]))
        # Whoever comes first does not matter.
        for who in ("Ana", "Luis") if number % 2 else ("Luis", "Ana"):
            dataset = Dataset.open(data)
            said = build_opinion(
                dataset.entry(one).row,
                reject=("ferropenia",) if rejects[who] else (),
                referral=refers[who],
            )
            dataset.apply(Sign((one,), who, opinions={one: said}))
    found = json.loads(order(data, "--acuerdo", "--json"))
    assert (found["casos_con_dos_revisiones"], found["parejas_de_revisores"]) == (10, 1)
    for kind, pairs in answers.items():
        figures = found["acuerdo"][kind]
        table = np.zeros((2, 2))
        for first, second in pairs:
            table[int(first), int(second)] += 1
        kappa: Any = cohens_kappa(table, return_results=False)
        ratings = np.array(pairs, dtype=float).T
        alpha = krippendorff.alpha(reliability_data=ratings, level_of_measurement="nominal")
        assert figures["n"] == len(pairs)
        assert figures["kappa"] == pytest.approx(float(kappa), abs=1e-12)
        assert figures["alfa"] == pytest.approx(float(alpha), abs=1e-12)
    # Referral: both yes in 2-8, both no in 9, only Luis in 0 and 1. Raw 8/10; base rate (7 + 9)/20 = 4/5;
    # AC1 chance 2 * 4/5 * 1/5 = 8/25, so (4/5 - 8/25) / (17/25) = 12/17.
    referral = found["acuerdo"]["requiere_derivacion"]
    assert (referral["acuerdo"], referral["tasa_base"]) == (0.8, 0.8)
    assert referral["ac1"] == pytest.approx(12 / 17)
    scope = found["acuerdo"]["fuera_de_alcance"]
    assert (scope["acuerdo"], scope["kappa"], scope["alfa"], scope["ac1"]) == (1.0, None, None, 1.0)
    assert scope["indefinido"] == "indefinido (una sola categoría)"
    text = order(data, "--acuerdo")
    assert text.count("indefinido (una sola categoría)") == 2
    assert "NaN" not in text + json.dumps(found)
    assert "c0 — Ana y Luis" in text
    assert "«ferropenia»: Luis lo acepta, Ana no" in text


def test_without_two_reviews_there_is_no_figure_and_what_to_do_is_said(tmp_path: Path) -> None:
    data = write_cases(tmp_path / "c.jsonl", make_case("uno"))
    said = order(data, "--acuerdo", code=4)
    assert "no hay acuerdo que medir" in said
    assert "[firmas]" in said


def test_agreement_leaves_out_what_was_not_blind(data: Path) -> None:
    order(data, "--validar", "vieja", "--revisor", "Luis")
    said = order(data, "--acuerdo", code=4)
    assert "Queda fuera un caso" in said
    assert "vieja" in said


def test_required_keys_are_required_of_both_reviews(data: Path, tmp_path: Path) -> None:
    keys = {}
    for who in ("ana", "luis"):
        keys[who] = tmp_path / who
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(keys[who])],
            check=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    allowed = tmp_path / "allowed_signers"
    allowed.write_text(
        "".join(f"{who} {path.with_suffix('.pub').read_text()}" for who, path in keys.items()), "utf-8"
    )
    strict = ("--auditar", "--exigir-clave", "--allowed-signers", allowed)
    order(data, "--validar", "uno", "--revisor", "Ana")
    order(data, "--validar", "uno", "--revisor", "Luis", "--clave", keys["luis"])
    assert "uno" in order(data, *strict, code=5), "the first review is by name"
    order(data, "--validar", "dos", "--revisor", "Ana", "--clave", keys["ana"])
    order(data, "--validar", "dos", "--revisor", "Luis", "--clave", keys["luis"])
    breaks = json.loads(order(data, *strict, "--json", code=5))["roturas"]
    assert [one["id"] for one in breaks] == ["uno"]


def test_a_first_review_whose_save_was_killed_is_not_told_by_the_audit(data: Path) -> None:
    """The intent left behind names who was saving; of a blind review not even that is told."""
    order(data, "--validar", "uno", "--revisor", FIRST)
    entry = Dataset.open(data).record.entries[-1]
    item = entry.items[0]
    line = IntentLine("uno", item.line_before or "", item.line, (item.text or "").encode())
    intent_path(data).write_bytes(Intent(entry.digest, (line,), FIRST, 1, "equipo", entry.utc).encode())
    for more in ((), ("--json",)):
        assert FIRST not in order(data, "--auditar", *more)


def test_who_withdraws_or_returns_a_case_is_told_that_its_open_review_is_void(data: Path) -> None:
    for way, said in (("--retirar", "Revisión retirada: uno"), ("--devolver", "Devuelto a su autor: uno")):
        order(data, "--validar", "uno", "--revisor", FIRST, "--comentario", COMMENT)
        told = order(data, way, "uno", "--revisor", "Eva Sanz", "--motivo", "La edad no es esa")
        assert said in told
        assert "De uno había una revisión sin cerrar; ya no vale" in told
        assert FIRST not in told
        if way == "--retirar":
            story = order(data, "--historial", "uno")
            assert "Eva Sanz retiró la revisión que había; el caso no estaba firmado." in story
            assert FIRST not in story
