"""Signing with a real SSH key and verifying it: whose key it is, what it signed, and what is saved when it fails."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reviewer.keys import KeySigner, check_keys, find_key, find_signers, fingerprint
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.errors import UsageError
from scoring.record import record_path, signed_bytes, take_snapshot
from scoring.record.audit import KeyCheck, KeyState, Trust, audit
from tests.support import ROOT, make_case, signed, write_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
PASSPHRASE = "contraseña larga"


def make_key(path: Path, passphrase: str = "", kind: str = "ed25519") -> Path:
    size = ["-b", "2048"] if kind == "rsa" else []
    subprocess.run(
        ["ssh-keygen", "-q", "-t", kind, *size, "-N", passphrase, "-C", path.name, "-f", str(path)],
        check=True,
    )
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "datos"
    folder.mkdir()
    return write_cases(folder / "casos.jsonl", signed(make_case("vieja")), make_case("uno"), make_case("dos"))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path / "ana")


@pytest.fixture
def locked_key(tmp_path: Path) -> Path:
    return make_key(tmp_path / "con contraseña", PASSPHRASE)


def allow(path: Path, *lines: tuple[str, Path]) -> Path:
    """Allowed signers: the options and names of each line, with the public key of a private one."""
    said = [f"{start} {Path(f'{key}.pub').read_text('utf-8')}" for start, key in lines]
    path.write_text("# quién es quién\n" + "".join(said), "utf-8")
    return path


def sign(
    data: Path, key: Path | None, who: str = "Iñigo Ruiz", case_id: str = "uno", **more: bool
) -> Dataset:
    signer = None if key is None else KeySigner(key, ask=False)
    return Dataset.open(data).apply(Sign((case_id,), who, way="cli", signer=signer), moment=NOW).dataset


def check(data: Path, signers: Path | None) -> KeyCheck:
    """The check of the only entry with a key."""
    (found,) = check_keys(take_snapshot(data).record.entries, signers).values()
    return found


def folder_of(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in data.parent.iterdir()}


def ssh_fingerprint(key: Path) -> str:
    done = subprocess.run(["ssh-keygen", "-lf", f"{key}.pub"], capture_output=True, text=True, check=True)
    return done.stdout.split()[1]


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_a_signature_by_key_is_verified_for_the_name_it_was_made_in(
    data: Path, tmp_path: Path, kind: str
) -> None:
    key = make_key(tmp_path / kind, kind=kind)
    dataset = sign(data, key)
    assert dataset.states["uno"].counts
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz,inigo@clinica.example"', key))
    assert check(data, signers) == KeyCheck(KeyState.COMPROBADA, ssh_fingerprint(key), "Iñigo Ruiz")


def test_anybody_can_verify_it_with_ssh_keygen_alone(data: Path, key: Path, tmp_path: Path) -> None:
    """As docs/data.md says: the line without its last member is the message."""
    sign(data, key)
    line = record_path(data).read_bytes().splitlines()[-1]
    head, _, tail = line.rpartition(b',"clave":')
    block = json.loads(tail[:-1])
    assert (block["formato"], block["espacio"]) == ("sshsig", "revision-clinica")
    (tmp_path / "f.sig").write_text(block["firma"], "ascii")
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key))
    done = subprocess.run(
        ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", "Iñigo Ruiz", "-n", "revision-clinica", "-s", tmp_path / "f.sig"],
        input=head + b"}", capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_without_allowed_signers_the_key_is_verified_and_whose_it_is_stays_open(
    data: Path, key: Path
) -> None:
    sign(data, key)
    assert check(data, None) == KeyCheck(KeyState.SIN_COMPROBAR, ssh_fingerprint(key))
    snapshot = take_snapshot(data)
    found = audit(snapshot, now=NOW, keys=check_keys(snapshot.record.entries, None), require_keys=True)
    assert {b.code for b in found.breaks} == {"key_required"}


@pytest.mark.parametrize(
    "start",
    ['"Eva Sanz"', "inigo@clinica.example", '"Iñigo Ruiz" namespaces="git"', '"Iñigo Ruiz" valid-before="20260101"'],
    ids=["another person", "only an address", "another purpose", "no longer valid"],
)  # fmt: skip
def test_a_key_that_is_not_the_named_persons_is_a_break(
    data: Path, key: Path, tmp_path: Path, start: str
) -> None:
    sign(data, key)
    signers = allow(tmp_path / "quien", (start, key))
    assert check(data, signers).state is KeyState.AJENA
    snapshot = take_snapshot(data)
    found = audit(snapshot, now=NOW, keys=check_keys(snapshot.record.entries, signers))
    assert [b.code for b in found.breaks] == ["key_ajena"]
    assert ssh_fingerprint(key) in found.breaks[0].sentence()


def test_a_key_that_has_expired_since_still_vouches_for_what_it_signed_before(
    data: Path, key: Path, tmp_path: Path
) -> None:
    sign(data, key)
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz" valid-after="20261201",valid-before="20261202"', key))
    assert check(data, signers).state is KeyState.COMPROBADA


def test_blanks_and_case_do_not_make_two_people(data: Path, key: Path, tmp_path: Path) -> None:
    sign(data, key, "iñigo  RUIZ")
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key))
    assert check(data, signers) == KeyCheck(KeyState.COMPROBADA, ssh_fingerprint(key), "Iñigo Ruiz")


def test_another_persons_key_behind_a_name_is_told(data: Path, key: Path, tmp_path: Path) -> None:
    other = make_key(tmp_path / "otra")
    sign(data, other)
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key), ('"Eva Sanz"', other))
    assert check(data, signers).state is KeyState.AJENA


@pytest.mark.parametrize(
    "change",
    [
        ('"revisor":"Iñigo Ruiz","rol"', '"revisor":"Iñigo Ruis","rol"'),
        ('"via":"cli"', '"via":"app"'),
        ("revisado", "aprobado"),
    ],
)
def test_an_altered_line_is_no_longer_what_the_key_signed(
    data: Path, key: Path, tmp_path: Path, change: tuple[str, str]
) -> None:
    sign(data, key)
    record = record_path(data)
    record.write_text(record.read_text("utf-8").replace(*change), "utf-8")
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz,Iñigo Ruis"', key))
    assert check(data, signers).state is KeyState.FALSA
    snapshot = take_snapshot(data)
    found = audit(snapshot, now=NOW, keys=check_keys(snapshot.record.entries, signers))
    assert "key_falsa" in {b.code for b in found.breaks}


def test_a_signature_moved_to_another_line_does_not_fit_there(data: Path, key: Path) -> None:
    sign(data, key)
    sign(data, None, case_id="dos")
    lines = record_path(data).read_bytes().splitlines()
    block = lines[1][lines[1].rindex(b',"clave":') :]
    record_path(data).write_bytes(b"".join(line + b"\n" for line in [*lines[:2], lines[2][:-1] + block]))
    states = {
        e.line_number: c.state
        for e in take_snapshot(data).record.entries
        for d, c in check_keys([e], None).items()
    }
    assert states == {2: KeyState.SIN_COMPROBAR, 3: KeyState.FALSA}


@pytest.mark.parametrize(
    "block",
    ['{"formato":"pgp","firma":"x"}', '"x"', "null", '{"formato":"sshsig","espacio":"revision-clinica","firma":"basura"}'],
)  # fmt: skip
def test_a_key_that_is_none_is_a_break_and_no_crash(data: Path, block: str) -> None:
    sign(data, None)
    record = record_path(data)
    record.write_bytes(record.read_bytes()[:-2] + f',"clave":{block}}}\n'.encode())
    assert check(data, None).state is KeyState.FALSA
    snapshot = take_snapshot(data)
    found = audit(snapshot, now=NOW, keys=check_keys(snapshot.record.entries, None))
    assert "key_falsa" in {b.code for b in found.breaks}


def test_by_name_and_by_key_are_told_apart_and_keys_can_be_required(
    data: Path, key: Path, tmp_path: Path
) -> None:
    sign(data, key)
    sign(data, None, "Eva Sanz", "dos")
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key))
    snapshot = take_snapshot(data)
    keys = check_keys(snapshot.record.entries, signers)
    found = audit(snapshot, now=NOW, keys=keys)
    assert found.breaks == ()
    assert {s.case_id: s.trust for s in found.signatures} == {
        "vieja": Trust.ADOPTADA, "uno": Trust.CLAVE, "dos": Trust.NOMBRE,
    }  # fmt: skip
    strict = audit(snapshot, now=NOW, keys=keys, require_keys=True)
    assert [(b.code, b.case_id) for b in strict.breaks] == [
        ("key_required", "vieja"),
        ("key_required", "dos"),
    ]


# Failing to sign: nothing is saved.


def test_a_key_that_is_not_there_saves_nothing(data: Path, tmp_path: Path) -> None:
    before = folder_of(data)
    with pytest.raises(UsageError, match="no existe la clave"):
        sign(data, tmp_path / "nada")
    assert folder_of(data) == before


def test_a_file_that_is_no_key_saves_nothing(data: Path, tmp_path: Path) -> None:
    (tmp_path / "texto").write_text("no soy una clave\n", "utf-8")
    before = folder_of(data)
    with pytest.raises(UsageError, match="ssh-keygen no pudo firmar"):
        sign(data, tmp_path / "texto")
    assert folder_of(data) == before


def test_a_passphrase_that_nobody_can_type_saves_nothing_and_names_the_agent(
    data: Path, locked_key: Path
) -> None:
    before = folder_of(data)
    with pytest.raises(UsageError, match="ssh-add"):
        sign(data, locked_key)
    assert folder_of(data) == before


def test_without_ssh_keygen_nothing_is_saved_and_keys_stay_unverified(
    data: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign(data, key)
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key))
    monkeypatch.setenv("PATH", str(tmp_path / "vacio"))
    before = folder_of(data)
    with pytest.raises(UsageError, match="no está en este equipo"):
        sign(data, key, case_id="dos")
    assert folder_of(data) == before
    assert check(data, None) == KeyCheck(KeyState.SIN_PROGRAMA, fingerprint(_armoured(data)))
    with pytest.raises(UsageError, match="no está en este equipo"):
        check(data, signers)


def _armoured(data: Path) -> str:
    return signed_bytes(record_path(data).read_bytes().splitlines()[-1])[1] or ""


@pytest.mark.parametrize("faulty", ["exit 0", 'for last; do :; done; echo basura > "$last.sig"'])
def test_a_program_that_only_pretends_to_sign_is_found_out(
    data: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faulty: str
) -> None:
    program = tmp_path / "bin" / "ssh-keygen"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{faulty}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    before = folder_of(data)
    with pytest.raises(UsageError):
        sign(data, key)
    assert folder_of(data) == before


def test_who_saves_while_a_key_signs_is_not_lost_and_the_key_is_asked_again(data: Path, key: Path) -> None:
    asked: list[bytes] = []
    real = KeySigner(key, ask=False)

    def slow(message: bytes) -> str:
        asked.append(message)
        if len(asked) == 1:
            sign(data, None, "Eva Sanz", "dos")
        return real(message)

    dataset = Dataset.open(data).apply(Sign(("uno",), "Iñigo Ruiz", signer=slow), moment=NOW).dataset
    assert len(asked) == 2
    assert asked[0] != asked[1]
    assert (dataset.states["uno"].reviewer, dataset.states["dos"].reviewer) == ("Iñigo Ruiz", "Eva Sanz")
    found = audit(dataset.snapshot, now=NOW + timedelta(days=1))
    assert (found.breaks, len(found.tips)) == ((), 1)
    assert check(data, None).state is KeyState.SIN_COMPROBAR


# The agent, and a passphrase typed at a terminal.


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if shutil.which("ssh-agent") is None:
        pytest.skip("ssh-agent is not installed")
    # A socket path has a short limit; the test's own folder may be too deep.
    done = subprocess.run(["ssh-agent", "-s"], capture_output=True, text=True, check=True)
    for name in ("SSH_AUTH_SOCK", "SSH_AGENT_PID"):
        found = re.search(rf"{name}=([^;]+);", done.stdout)
        assert found is not None
        monkeypatch.setenv(name, found[1])
    pid = int(os.environ["SSH_AGENT_PID"])
    yield
    os.kill(pid, signal.SIGTERM)


def add_to_agent(key: Path, tmp_path: Path) -> None:
    askpass = tmp_path / "contesta"
    askpass.write_text(f"#!/bin/sh\necho '{PASSPHRASE}'\n", "utf-8")
    askpass.chmod(0o700)
    environment = {**os.environ, "SSH_ASKPASS": str(askpass), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0"}
    subprocess.run(
        ["ssh-add", str(key)], env=environment, capture_output=True, stdin=subprocess.DEVNULL, check=True
    )


def test_the_agent_signs_for_a_locked_key_and_for_its_public_half(
    data: Path, locked_key: Path, tmp_path: Path, agent: None
) -> None:
    add_to_agent(locked_key, tmp_path)
    sign(data, locked_key)
    assert check(data, None).fingerprint == ssh_fingerprint(locked_key)
    locked_key.unlink()
    sign(data, Path(f"{locked_key}.pub"), case_id="dos")
    assert {c.state for c in check_keys(take_snapshot(data).record.entries, None).values()} == {
        KeyState.SIN_COMPROBAR
    }


def at_a_terminal(command: list[str], answers: list[str], cwd: Path) -> tuple[int, str]:
    """Run ``command`` on a terminal of its own and type an answer at each «passphrase» prompt."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.environ.update(PYTHONPATH=str(ROOT), TERM="xterm")
        os.environ.pop("SSH_AUTH_SOCK", None)
        os.environ.pop("DISPLAY", None)
        os.execv(command[0], command)
    said = b""
    seen = 0
    end = time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 1)
        if not ready:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if said.count(b"nter passphrase") > seen and answers:
            seen += 1
            os.write(terminal, answers.pop(0).encode())
    else:
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    return code, said.decode("utf-8", "replace")


@pytest.mark.lento
@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        ([f"{PASSPHRASE}\n"], 0, "Firmado: uno"),
        (["otra cosa\n"], 2, "no es correcta"),
        (["\x03"], 130, "Interrumpido"),
    ],
    ids=["right", "wrong", "control-c"],
)
def test_a_passphrase_is_typed_at_the_terminal(
    data: Path, locked_key: Path, typed: list[str], code: int, said: str
) -> None:
    before = folder_of(data)
    command = [
        sys.executable,
        "-m",
        "reviewer",
        "--casos",
        str(data),
        "--validar",
        "uno",
        "--revisor",
        "Ana Ruiz",
    ]
    got, shown = at_a_terminal([*command, "--clave", str(locked_key)], typed, data.parent)
    assert (got, said in shown) == (code, True), shown
    assert PASSPHRASE not in shown
    if code == 0:
        assert check(data, None).fingerprint == ssh_fingerprint(locked_key)
    else:
        assert folder_of(data) == before


# Where key and allowed signers come from.


def test_the_key_is_named_by_option_environment_or_configuration(tmp_path: Path) -> None:
    assert find_key(None, {}, tmp_path) is None
    (tmp_path / "revision.toml").write_text('clave = "~/.ssh/id_ed25519"\n', "utf-8")
    assert find_key(None, {}, tmp_path) == Path.home() / ".ssh" / "id_ed25519"
    assert find_key(None, {"REVISION_CLAVE": "~/otra"}, tmp_path) == Path.home() / "otra"
    assert find_key(Path("x"), {"REVISION_CLAVE": "y"}, tmp_path) == Path("x")
    (tmp_path / "revision.toml").write_text('clave = "claves/mia"\n', "utf-8")
    assert find_key(None, {}, tmp_path) == tmp_path / "claves" / "mia"
    (tmp_path / "revision.toml").write_text("clave = 3\n", "utf-8")
    with pytest.raises(UsageError, match="clave"):
        find_key(None, {}, tmp_path)


def test_the_allowed_signers_lie_beside_the_data_unless_they_are_named(data: Path, tmp_path: Path) -> None:
    assert find_signers(None, {}, tmp_path, data) is None
    beside = data.with_name("allowed_signers")
    beside.write_text("", "utf-8")
    assert find_signers(None, {}, tmp_path, data) == beside
    other = tmp_path / "otros"
    with pytest.raises(UsageError, match="otros"):
        find_signers(other, {}, tmp_path, data)
    other.write_text("", "utf-8")
    assert find_signers(None, {"REVISION_ALLOWED_SIGNERS": str(other)}, tmp_path, data) == other
    with pytest.raises(UsageError, match="claves admitidas"):
        find_signers(tmp_path, {}, tmp_path, data)


@pytest.mark.parametrize(
    "text", ["", "x", "-----BEGIN SSH SIGNATURE-----\n!!\n-----END SSH SIGNATURE-----\n"]
)
def test_what_is_no_signature_names_no_key(text: str) -> None:
    assert fingerprint(text) == ""
