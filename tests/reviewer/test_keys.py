"""Signatures by key: made by ``ssh-keygen``, verified, and refused when they are not what they say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from reviewer.keys import KeySigner, check_keys, find_key, find_signers, fingerprint
from reviewer.signing import Return, Sign, Withdraw
from reviewer.store import Dataset
from scoring.errors import UsageError
from scoring.record import record_path, take_snapshot
from scoring.record.audit import Audit, audit
from scoring.record.key_checks import KeyCheck, KeyState
from scoring.record.trust import Trust
from tests.reviewer.keys_support import (
    NOW,
    _armoured,
    allow,
    check,
    folder_of,
    make_key,
    sign,
    ssh_fingerprint,
)

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def audited(data: Path, signers: Path) -> Audit:
    snapshot = take_snapshot(data)
    return audit(snapshot, now=NOW, keys=check_keys(snapshot.record.entries, signers))


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


def test_whoever_used_the_wrong_key_signs_again_with_theirs_and_the_record_is_in_order(
    data: Path, key: Path, tmp_path: Path
) -> None:
    """The wrong key used to break the record for ever, whatever was done about it."""
    other = make_key(tmp_path / "otra")
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key))
    sign(data, other)
    sign(data, other, case_id="dos")
    assert [b.line for b in audited(data, signers).breaks] == [2, 3]
    sign(data, key, resign=True)
    found = audited(data, signers)
    assert [b.line for b in found.breaks] == [3], "the case nobody signed again still rests on that key"
    assert [(n.code, n.line) for n in found.notices] == [("key_ajena_left_behind", 2)]
    assert "Nada se apoya ya en ella" in found.notices[0].sentence()
    sign(data, key, case_id="dos", resign=True)
    assert audited(data, signers).breaks == ()


def test_a_reviewer_changes_their_own_open_review_and_the_wrong_key_is_history(
    data: Path, key: Path, tmp_path: Path
) -> None:
    """No signature closes the case yet, and of a person only the last review counts."""
    (data.with_name("umbrales.toml")).write_text("[firmas]\ndev = 2\ntest = 2\n", "utf-8")
    other = make_key(tmp_path / "otra")
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key))
    sign(data, other)
    sign(data, key, resign=True)
    assert audited(data, signers).breaks == ()
    sign(data, other, "Eva Sanz")
    assert [b.line for b in audited(data, signers).breaks] == [4], (
        "another person's review takes no one's place"
    )


@pytest.mark.parametrize("returned", [False, True], ids=["withdrawn", "withdrawn and returned"])
def test_a_withdrawal_leaves_a_wrong_key_behind_and_is_itself_held_to_the_key(
    data: Path, key: Path, tmp_path: Path, *, returned: bool
) -> None:
    other = make_key(tmp_path / "otra")
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key))
    sign(data, other)
    good, bad = KeySigner(key, ask=False), KeySigner(other, ask=False)
    withdrawal = Withdraw(("uno",), "Iñigo Ruiz", "La clave no era la mía", way="cli", signer=good)
    Dataset.open(data).apply(withdrawal, moment=NOW)
    assert audited(data, signers).breaks == ()
    if returned:
        back = Return(("uno",), "Iñigo Ruiz", "Falta la edad", way="cli", signer=bad)
        Dataset.open(data).apply(back, moment=NOW)
        assert [b.line for b in audited(data, signers).breaks] == [4], (
            "the last word on the case is by a wrong key"
        )


def test_a_later_entry_by_a_wrong_key_is_a_break_whatever_lies_behind_it(
    data: Path, key: Path, tmp_path: Path
) -> None:
    other = make_key(tmp_path / "otra")
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key))
    sign(data, key)
    sign(data, other, resign=True)
    assert [(b.code, b.line) for b in audited(data, signers).breaks] == [("key_ajena", 3)]


def test_a_review_that_a_case_counts_by_is_no_history(data: Path, key: Path, tmp_path: Path) -> None:
    """The second review signs the data; the first, behind it, is still half of what the case rests on."""
    (data.with_name("umbrales.toml")).write_text("[firmas]\ndev = 2\ntest = 2\n", "utf-8")
    other = make_key(tmp_path / "otra")
    signers = allow(tmp_path / "quien", ('"Iñigo Ruiz"', key), ('"Eva Sanz"', other))
    sign(data, other)
    sign(data, other, "Eva Sanz")
    assert take_snapshot(data).states["uno"].counts
    assert [(b.code, b.line) for b in audited(data, signers).breaks] == [("key_ajena", 2)]


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


def test_a_key_that_others_may_read_is_told_as_such_with_what_to_do(data: Path, key: Path) -> None:
    key.chmod(0o644)
    before = folder_of(data)
    with pytest.raises(UsageError, match="chmod 600"):
        sign(data, key)
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


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfMRDcfNCYwpPPxsCzGeUQ6rXkPEbCNGzHZ5Xb9aTqZ"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("basura\n", 1),
        (f'# claves\n\n"Ana Ruiz" {KEY}\n{KEY}\n', 4),  # the name is missing
        ('"Ana Ruiz" ssh-ed25519\n', 1),
        ("\x00\x01\x02", 1),
        (f'"Ana Ruiz" namespaces="git" valid-before="20270101" {KEY}\n', 1),  # a blank for the comma
        (f"Ana Ruiz {KEY}\n", 1),  # no quotes
        (f'"Ana Ruiz {KEY}\n', 1),  # quotes left open
        (
            f'"Ana Ruiz" namespaces="git",valid-before="20270101" {KEY} ana@clinica\neva@x,luis@x {KEY}\n',
            None,
        ),
        (f'"Ana Ruiz" cert-authority {KEY}\r\n', None),
        ("", None),
    ],
)
def test_a_file_of_allowed_signers_that_is_none_is_said_by_its_line(
    tmp_path: Path, content: str, line: int | None
) -> None:
    path = tmp_path / "admitidas"
    path.write_text(content, encoding="utf-8")
    if line is None:
        assert find_signers(path, {}, tmp_path, tmp_path / "c.jsonl") == path
    else:
        with pytest.raises(UsageError, match=f"línea {line} de"):
            find_signers(path, {}, tmp_path, tmp_path / "c.jsonl")
