"""What was typed and not yet saved survives whatever ends the program, and is its owner's alone."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewer.drafts import Draft, Drafts, state_folder
from reviewer.signing import EditSession
from scoring.errors import WriteError
from scoring.record import Kind
from tests.support import ROOT

RAW = (
    b'{"id": "uno", "paciente": {}, "valores": {"hct": 24.50}, "esperado": {"hallazgos_clave": [], '
    b'"diferenciales_aceptables": ["anemia"], "requiere_derivacion": false}}'
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "datos" / "casos.jsonl"
    path.parent.mkdir()
    path.write_bytes(RAW + b"\n")
    return path


def test_a_draft_comes_back_as_it_was_typed(data: Path) -> None:
    session = EditSession("uno", RAW)
    session.set_value("hct", "30.10")
    session.add_differential("leucemia")
    draft = Draft(
        "uno", Kind.EDITA, "Ana", "a medias\n[URGENTE] \x1b", "preguntar a Luis", RAW.decode(), session.to_dict(),
        refused="disco lleno", utc="2026-11-30T10:00:00.000+00:00",
    )  # fmt: skip
    Drafts(data).save(draft)
    again = Drafts(data).load("uno")
    assert again == draft
    assert again is not None
    assert again.edit is not None
    assert EditSession.restore("uno", again.line.encode(), again.edit).changes() == session.changes()
    assert Drafts(data).load("dos") is None
    Drafts(data).discard("uno")
    Drafts(data).discard("uno")
    assert Drafts(data).load("uno") is None
    assert Drafts(data).all() == type(Drafts(data).all())((), ())


def test_drafts_are_for_their_owner_alone_and_their_names_tell_nothing(data: Path) -> None:
    old = os.umask(0)
    try:
        drafts = Drafts(data)
        drafts.save(Draft("perro-de-luis", comment="x"))
        drafts.save(Draft("perro-de-luis", comment="y"))
    finally:
        os.umask(old)
    paths = list(drafts.folder.iterdir())
    assert sorted(path.suffix for path in paths) == [".json", ".sesion"], "the second took the first's place"
    for path in paths:
        assert "luis" not in str(path.relative_to(state_folder()))
        if os.name == "posix":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {p.name for p in data.parent.iterdir()} == {"casos.jsonl"}, "nothing of it lies beside the data"


def test_a_link_shares_the_drafts_and_another_data_set_does_not(data: Path, tmp_path: Path) -> None:
    link = tmp_path / "enlace.jsonl"
    link.symlink_to(data)
    Drafts(link).save(Draft("uno", comment="por el enlace"))
    assert Drafts(data).load("uno") is not None
    assert Drafts(tmp_path / "otro.jsonl").load("uno") is None


def test_drafts_are_offered_in_the_order_in_which_they_were_kept(data: Path) -> None:
    for case_id, minute in (("b", "02"), ("a", "03"), ("c", "01")):
        Drafts(data).save(Draft(case_id, comment="x", utc=f"2026-11-30T10:{minute}:00.000+00:00"))
    assert [draft.case_id for draft in Drafts(data).all().drafts] == ["c", "b", "a"]


def test_an_empty_draft_is_none(data: Path) -> None:
    drafts = Drafts(data)
    drafts.save(Draft("uno", comment="algo"))
    drafts.save(Draft("uno", reviewer="Ana", comment="  "))
    assert drafts.load("uno") is None


DAMAGED = [
    b"", b"\x00\xff", b"{", b"[]", b"null", b'{"v": 1}', b'{"v": 2}', b"[" * 100_000, b'{"a": 1, "a": 2}',
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGED, ids=lambda value: repr(value[:12]))
def test_a_damaged_draft_is_set_aside_and_the_others_are_offered(data: Path, damage: bytes) -> None:
    drafts = Drafts(data)
    drafts.save(Draft("uno", comment="bien"))
    drafts.save(Draft("dos", comment="mal"))
    drafts.path_of("dos").write_bytes(damage)
    found = drafts.all()
    assert [draft.case_id for draft in found.drafts] == ["uno"]
    assert [path.read_bytes() for path in found.set_aside] == [damage]
    assert drafts.all().set_aside == ()
    drafts.save(Draft("dos", comment="otra vez"))
    assert len(drafts.all().drafts) == 2


def test_a_draft_under_another_cases_name_is_not_offered_as_that_case(data: Path) -> None:
    drafts = Drafts(data)
    drafts.save(Draft("uno", comment="de uno"))
    drafts.path_of("uno").rename(drafts.path_of("dos"))
    assert drafts.load("dos") is None
    assert drafts.all().drafts == ()


def test_a_state_folder_that_cannot_be_written_is_said_and_nothing_is_lost(data: Path) -> None:
    drafts = Drafts(data)
    drafts.folder.parent.mkdir(parents=True)
    drafts.folder.write_text("no es una carpeta")
    with pytest.raises(WriteError):
        drafts.save(Draft("uno", comment="x"))
    assert drafts.load("uno") is None
    assert drafts.all().drafts == ()


texts = st.text(st.characters(), max_size=20) | st.sampled_from(["\ud800", "\x1b[2J", "a\u202eb"])


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=30,
    deadline=None,
)
@given(texts, texts, texts, st.booleans(), st.sampled_from([None, Kind.FIRMA, Kind.RETIRA]))
def test_anything_typed_comes_back(
    data: Path, case_id: str, reason: str, comment: str, resign: bool, kind: Kind | None
) -> None:
    draft = Draft(case_id, kind, None, reason, comment, resign=resign)
    drafts = Drafts(data)
    drafts.discard(case_id)
    drafts.save(draft)
    found = drafts.load(case_id)
    if draft.empty:
        assert found is None
    else:
        assert found is not None
        assert replace(found, utc="") == draft


TYPING = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from reviewer.drafts import Draft, Drafts
    drafts = Drafts(Path(sys.argv[1]))
    for n in range(100_000):
        drafts.save(Draft("uno", comment="x" * (n % 5000) + f" {n}"))
        print(n, flush=True)
    """
)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_draft_survives_kill_9(data: Path) -> None:
    for _ in range(4):
        process: Any = subprocess.Popen(
            [sys.executable, "-c", TYPING, str(data)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(20):
            last = process.stdout.readline()
        process.kill()
        last = ([last, *process.stdout.read().splitlines()])[-1]
        process.wait(timeout=30)
        found = Drafts(data).all()
        assert found.set_aside == ()
        assert int(found.drafts[-1].comment.split()[-1]) >= int(last), "what was said to be kept is there"
    drafts = Drafts(data)
    assert len(drafts.take_over().drafts) == 4, "no sitting has overwritten another"
    drafts.discard("uno")
    drafts.close()
    assert {path.name for path in drafts.folder.iterdir()} <= {"turno.lock"}, "no half-written file stays"


# -- two sittings -----------------------------------------------------------------------------------

OPEN = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from reviewer.drafts import Draft, Drafts
    drafts = Drafts(Path(sys.argv[1]))
    drafts.save(Draft("uno", comment=sys.argv[2]))
    print("ready", flush=True)
    sys.stdin.readline()
    drafts.save(Draft("uno", comment=sys.argv[2] + ", y más"))
    print("saved", flush=True)
    sys.stdin.readline()
    """
)


def sitting(data: Path, comment: str) -> subprocess.Popen[str]:
    """A program that works on the case «uno», ready."""
    process = subprocess.Popen(
        [sys.executable, "-c", OPEN, str(data), comment],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_two_sittings_do_not_overwrite_one_another_and_a_live_one_is_never_robbed(data: Path) -> None:
    with sitting(data, "de la primera") as first, sitting(data, "de la segunda") as second:
        third = Drafts(data)
        assert third.take_over().drafts == (), "both are alive"
        assert third.waiting() == ("uno",)
        second.kill()
        second.wait(timeout=30)
        assert [draft.comment for draft in third.take_over().drafts] == ["de la segunda"]
        fourth = Drafts(data)
        assert fourth.take_over().drafts == (), "what the third has taken over is the third's"
        assert first.stdin is not None
        assert first.stdout is not None
        print(file=first.stdin, flush=True)
        assert first.stdout.readline() == "saved\n"
        third.save(replace(third.all().drafts[0], comment="seguida"))
        first.kill()
        first.wait(timeout=30)
    assert [draft.comment for draft in fourth.take_over().drafts] == ["de la primera, y más"]
    assert [draft.comment for draft in third.all().drafts] == ["seguida"]
    third.close()
    assert {draft.comment for draft in fourth.take_over().drafts} == {"de la primera, y más", "seguida"}
    fourth.close()


def test_the_drafts_of_the_first_version_are_taken_over(data: Path) -> None:
    old = {
        "v": 1, "conjunto": str(data), "caso": "uno", "tipo": "edita", "revisor": "Ana", "motivo": "porque sí",
        "comentario": "leucem", "linea": "", "correccion": None, "sustituye": False, "rechazado": "", "utc": "x",
    }  # fmt: skip
    drafts = Drafts(data)
    drafts.folder.mkdir(parents=True)
    name = hashlib.sha256(b"uno").hexdigest()[:32]
    (drafts.folder / f"{name}.json").write_text(json.dumps(old), encoding="utf-8")
    assert drafts.waiting() == ("uno",)
    (found,) = drafts.take_over().drafts
    assert (found.kind, found.reviewer, found.reason) == (Kind.EDITA, "Ana", "porque sí")
    assert (found.half, found.comment) == ({"texto": "leucem"}, ""), "it was a line of the correction"
    assert [path.name for path in drafts.folder.glob("*.json")] == [drafts.path_of("uno", found.slot).name]
    drafts.close()


def test_where_the_folder_can_only_be_read_drafts_are_offered_all_the_same(data: Path) -> None:
    left = Drafts(data)
    left.save(Draft("uno", comment="algo"))
    left.close()
    later = Drafts(data)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "read-only")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        assert [draft.comment for draft in later.take_over().drafts] == ["algo"]
    assert [draft.comment for draft in later.take_over().drafts] == ["algo"]
    later.close()
