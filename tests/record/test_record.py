"""The record as it is read: entries, order, adoption, damage, keys."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import messages
from scoring.record import (
    Record,
    Status,
    adopt,
    case_states,
    entry_digest,
    parse_record,
    signed_bytes,
    with_signature,
)
from scoring.record.entries import parse_entry
from scoring.record.lines import EntryError
from scoring.record.paths import intent_path, lock_path, record_path, torn_path
from tests.record.support import Journal, data_line, file_of, record_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scoring.cases import CaseFile


def test_the_files_of_a_set_lie_beside_it(tmp_path: Path) -> None:
    data = tmp_path / "casos.jsonl"
    assert record_path(data).name == "casos.firmas.jsonl"
    assert intent_path(data).name == "casos.pendiente"
    assert lock_path(data).name == "casos.lock"
    assert torn_path(data).name == "casos.firmas.jsonl.rotas"
    assert record_path(tmp_path / "mis.casos.json").name == "mis.casos.json.firmas.jsonl"


def three() -> Journal:
    journal = Journal()
    first = journal.sign("a", data_line("a", "Ana"), "Ana")
    journal.sign("b", data_line("b", "Eva"), "Eva")
    journal.sign("a", data_line("a", "Luis"), "Luis", [first])
    return journal


def codes(record: Record) -> list[str]:
    return [problem.code for problem in record.breaks]


def test_a_sound_record_has_one_tip_and_no_breaks() -> None:
    journal = three()
    record = journal.record()
    assert codes(record) == []
    assert record.tips == (entry_digest(journal.lines[2]),)
    assert [entry.reviewer for entry in record.of_case("a")] == ["Ana", "Luis"]


@pytest.mark.parametrize("taken", [0, 1])
def test_an_entry_taken_out_leaves_a_name_without_a_bearer(taken: int) -> None:
    lines = three().lines
    del lines[taken]
    record = record_of(lines)
    assert "missing_entry" in codes(record)
    assert entry_digest(three().lines[taken])[:12] in record.breaks[0].sentence()


@pytest.mark.parametrize("altered", [0, 1])
def test_an_altered_entry_is_no_longer_the_one_that_was_named(altered: int) -> None:
    lines = three().lines
    lines[altered] = lines[altered].replace(b'"revisado"', b'"aprobado"')
    assert "missing_entry" in codes(record_of(lines))


def test_a_cut_at_the_end_shows_only_against_a_pinned_tip() -> None:
    lines = three().lines
    pinned = record_of(lines).tips
    cut = record_of(lines[:-1])
    assert codes(cut) == []
    assert pinned[0] not in cut.by_digest


def test_an_entry_copied_to_another_case_is_not_genuine() -> None:
    lines = three().lines
    lines.append(lines[2].replace(b'"id":"a"', b'"id":"c"'))
    assert codes(record_of(lines)) == ["wrong_previous"]


@pytest.mark.parametrize(
    "line",
    [b"<<<<<<< HEAD", b"[]", b"{}", b'{"v":1}', b'{"v":2,"tipo":"firma"}', b'{"v":true}', b"\xff", b"{"],
)
def test_a_line_that_is_no_entry_is_a_break(line: bytes) -> None:
    lines = three().lines
    lines.insert(1, line)
    record = record_of(lines)
    assert len(record.breaks) == 1
    assert record.breaks[0].line == 2
    assert record.breaks[0].sentence()
    states = case_states(file_of_any(), record)
    assert (states["a"].status, states["a"].counts) == (Status.DESCUADRADO, False)


def file_of_any() -> CaseFile:
    from pathlib import Path

    return file_of(Path(), data_line("a", "Luis"), data_line("b", "Eva"))


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("v", True),
        ("v", "1"),
        ("v", None),
        ("tipo", "borra"),
        ("casos", {}),
        ("casos", [1]),
        ("puntas", ["abc"]),
        ("puntas", None),
        ("escribe", {"validado": "sí", "revisor": "Ana", "fecha_validacion": "2026-01-02"}),
        ("escribe", {"validado": False, "revisor": None, "fecha_validacion": None}),
        ("revisor", None),
        ("utc", "2026-13-01T00:00:00.000Z"),
        ("utc", "ayer"),
        ("desfase", "+99:00"),
        ("via", 3),
    ],
)
def test_an_entry_with_a_wrong_member_names_it(member: str, value: object) -> None:
    entry = json.loads(three().lines[0])
    entry[member] = value
    with pytest.raises(EntryError) as caught:
        parse_entry(json.dumps(entry).encode(), 1)
    assert caught.value.fields["field"] == member


def test_an_entry_of_a_later_version_says_which(tmp_path: Path) -> None:
    with pytest.raises(EntryError) as caught:
        parse_entry(b'{"v":2,"tipo":"firma"}', 1)
    assert "es de la versión 2, que" in messages.text(caught.value.key, **caught.value.fields)


def test_a_stored_text_that_is_not_the_signed_line_is_a_break() -> None:
    entry = json.loads(three().lines[0])
    entry["casos"][0]["texto"] = entry["casos"][0]["texto"].replace("24", "25")
    with pytest.raises(EntryError) as caught:
        parse_entry(json.dumps(entry).encode(), 1)
    assert caught.value.fields["field"] == "texto"


def test_unknown_members_are_kept_and_ignored() -> None:
    entry = json.loads(three().lines[0])
    entry["futuro"] = {"x": 1}
    assert parse_entry(json.dumps(entry).encode(), 1).reviewer == "Ana"


@given(st.permutations(range(3)))
def test_the_order_of_the_file_does_not_matter(order: Sequence[int]) -> None:
    lines = three().lines
    record = record_of([lines[n] for n in order])
    assert record.breaks == ()
    assert record.tips == (entry_digest(lines[2]),)
    assert [entry.digest for entry in record.entries] == [entry_digest(line) for line in lines]


@given(st.lists(st.integers(0, 2), max_size=4))
def test_repeated_lines_are_one_entry(extra: Sequence[int]) -> None:
    lines = three().lines
    record = record_of([*lines, *(lines[n] for n in extra)])
    assert record.breaks == ()
    assert len(record.entries) == 3
    assert [notice.code for notice in record.notices] == ["repeated_line"] * len(extra)


def test_line_ends_blank_lines_and_a_mark_do_not_matter() -> None:
    from pathlib import Path

    lines = three().lines
    data = b"\xef\xbb\xbf" + b"\r\n\r\n".join(lines) + b"\r\n"
    record = parse_record(Path("r"), data)
    assert record.breaks == ()
    assert record.tips == record_of(lines).tips


@given(st.data())
def test_a_record_cut_anywhere_is_sound_up_to_its_last_whole_line(data: st.DataObject) -> None:
    from pathlib import Path

    lines = three().lines
    whole = b"".join(line + b"\n" for line in lines)
    cut = data.draw(st.integers(0, len(whole)))
    record = parse_record(Path("r"), whole[:cut])
    assert record.breaks == ()
    stored = [entry.digest for entry in record.entries]
    kept, position = [], 0
    for line in lines:
        position += len(line)
        if cut >= position:
            kept.append(entry_digest(line))
        position += 1
    assert stored == kept
    assert whole[:cut].endswith(record.torn)


def test_an_adoption_knows_no_clock_no_host_and_no_neighbour(tmp_path: Path) -> None:
    a, b = data_line("a", "Eva"), data_line("b", "Eva")
    together, alone = adopt(file_of(tmp_path, a, b)), adopt(file_of(tmp_path, data_line("c"), b))
    assert together.lines[1:] == alone.lines
    assert len(together.lines) == 2
    assert b'utc":null' in together.lines[0]
    assert together.tips == tuple(sorted(entry_digest(line) for line in together.lines))
    record = record_of(together.lines)
    assert record.breaks == ()
    assert all(state.counts for state in case_states(file_of(tmp_path, a, b), record).values())


def test_many_adoptions_are_gathered_so_that_no_line_grows_with_the_set(tmp_path: Path) -> None:
    # 600 signatures: three gathering lines (256 + 256 + 88), which are the tips.
    adoption = adopt(file_of(tmp_path, *(data_line(f"c{n}", "Eva") for n in range(600))))
    assert len(adoption.lines) == 603
    assert len(adoption.tips) == 3
    record = record_of(adoption.lines)
    assert record.breaks == ()
    assert record.tips == adoption.tips
    lines = list(adoption.lines)
    del lines[17]
    assert codes(record_of(lines)) == ["missing_entry"]


def test_a_clock_that_goes_back_is_a_notice_and_the_graph_keeps_the_order() -> None:
    journal = Journal()
    journal.minute = 30
    first = journal.sign("a", data_line("a", "Ana"), "Ana")
    journal.minute = 1
    journal.sign("a", data_line("a", "Luis"), "Luis", [first])
    record = record_of(journal.lines[::-1])
    assert record.breaks == ()
    assert [notice.code for notice in record.notices] == ["clock_went_back"]
    assert [entry.reviewer for entry in record.entries] == ["Ana", "Luis"]
    assert [entry.reviewer for entry in record.effective("a")] == ["Luis"]


def test_an_entry_is_read_back_as_it_was_written() -> None:
    record = three().record()
    for entry in record.entries:
        bare = replace(entry, digest="", line_number=0)
        assert parse_entry(bare.encode(), entry.line_number) == entry
    moment = record.entries[0].local_time()
    assert moment is not None
    assert moment.isoformat() == "2026-03-01T10:01:00+01:00"


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
def test_a_key_signs_the_bytes_of_the_line_and_ssh_keygen_verifies_them(tmp_path: Path) -> None:
    key = tmp_path / "clave"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    line = three().lines[0]
    sign = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-f", key, "-n", "revision-clinica"],
        input=line, capture_output=True, check=True,
    )  # fmt: skip
    stored = with_signature(line, sign.stdout.decode("ascii"))
    entry = parse_entry(stored, 1)
    assert entry.has_key
    assert entry.digest == entry_digest(stored)
    bare, armoured = signed_bytes(stored)
    assert bare == line
    assert armoured == sign.stdout.decode("ascii")
    assert signed_bytes(line) == (line, None)
    allowed = tmp_path / "allowed_signers"
    allowed.write_text(f"ana@clinica {key.with_suffix('.pub').read_text()}")
    (tmp_path / "firma").write_text(armoured)
    verify = ["ssh-keygen", "-Y", "verify", "-f", str(allowed), "-I", "ana@clinica"]
    verify += ["-n", "revision-clinica", "-s", str(tmp_path / "firma")]
    assert subprocess.run(verify, input=bare, capture_output=True, check=False).returncode == 0
    forged = bare.replace(b'"id":"a"', b'"id":"b"')
    assert subprocess.run(verify, input=forged, capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: line.replace(b',"clave":', b', "clave":'),
        lambda line: line[:-1] + b',"despues":1}',
        lambda line: line.replace(b'"sshsig"', b'"otra"'),
    ],
)
def test_a_key_that_is_not_where_it_belongs_is_refused(spoil: object) -> None:
    assert callable(spoil)
    with pytest.raises(EntryError):
        signed_bytes(spoil(with_signature(three().lines[0], "-----BEGIN SSH SIGNATURE-----\n")))
