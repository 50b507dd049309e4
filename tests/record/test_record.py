"""The record read back: its graph, what breaks it, what git may do to it, and the state it gives each case."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import messages
from scoring.cases import case_file
from scoring.jsonl import parse
from scoring.record import (
    CaseItem,
    CaseState,
    Kind,
    Record,
    SignatureKeys,
    Status,
    Transaction,
    adopt,
    case_states,
    clock,
    content_digest,
    entry_digest,
    line_digest,
    parse_record,
    signed_bytes,
    with_signature,
)
from scoring.record.entries import EntryError, parse_entry
from scoring.record.paths import intent_path, lock_path, record_path, torn_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scoring.cases import CaseFile

EXPECTED = '"esperado": {"hallazgos_clave": [], "diferenciales_aceptables": [], "requiere_derivacion": false}'
REST = f'"paciente": {{}}, "valores": {{"hct": 24}}, {EXPECTED}'
UNSIGNED = SignatureKeys(validado=False, revisor=None, fecha_validacion=None)


def data_line(case_id: str, signer: str | None = None, *, rest: str = REST) -> str:
    keys = f'"validado": true, "revisor": "{signer}", "fecha_validacion": "2026-01-02", ' if signer else ""
    return f'{{"id": "{case_id}", {keys}{rest}}}'


def file_of(tmp_path: Path, *lines: str) -> CaseFile:
    return case_file(parse(tmp_path / "casos.jsonl", "".join(f"{line}\n" for line in lines).encode()))


class Journal:
    """Writes stored lines as the product would, one transaction after another."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.minute = 0

    def add(
        self,
        kind: Kind,
        case_id: str,
        line: str,
        *,
        writes: SignatureKeys | None,
        previous: Sequence[str] = (),
        tips: Sequence[str] | None = None,
        who: str = "Ana",
        reason: str | None = None,
    ) -> str:
        raw = line.encode()
        self.minute += 1
        utc, offset = clock(datetime(2026, 3, 1, 10, self.minute, tzinfo=timezone(timedelta(hours=1))))
        item = CaseItem(
            case_id, content_digest(raw), content_digest(raw), line_digest(raw), line_digest(raw),
            tuple(previous), line,
        )  # fmt: skip
        entry = Transaction(
            kind, (item,), tuple(self.tips() if tips is None else tips), writes, who,
            None, "revisado", reason, utc, offset, "0.1.0", "cli",
        )  # fmt: skip
        self.lines.append(entry.encode())
        return entry_digest(self.lines[-1])

    def sign(self, case_id: str, line: str, who: str, previous: Sequence[str] = ()) -> str:
        keys = SignatureKeys(validado=True, revisor=who, fecha_validacion="2026-01-02")
        return self.add(Kind.FIRMA, case_id, line, writes=keys, previous=previous, who=who)

    def tips(self) -> tuple[str, ...]:
        return self.record().tips

    def record(self) -> Record:
        return record_of(self.lines)


def record_of(lines: Sequence[bytes], end: bytes = b"\n") -> Record:
    from pathlib import Path

    return parse_record(Path("casos.firmas.jsonl"), b"".join(line + end for line in lines))


def state_of(file: CaseFile, record: Record, case_id: str = "a") -> CaseState:
    return case_states(file, record)[case_id]


def test_the_files_of_a_set_lie_beside_it(tmp_path: Path) -> None:
    data = tmp_path / "casos.jsonl"
    assert record_path(data).name == "casos.firmas.jsonl"
    assert intent_path(data).name == "casos.pendiente"
    assert lock_path(data).name == "casos.lock"
    assert torn_path(data).name == "casos.firmas.jsonl.rotas"
    assert record_path(tmp_path / "mis.casos.json").name == "mis.casos.json.firmas.jsonl"


def test_without_a_record_a_named_signature_stands_alone(tmp_path: Path) -> None:
    file = file_of(tmp_path, data_line("a", "Eva"), data_line("b"), data_line("c", " "))
    states = case_states(file, Record(tmp_path / "casos.firmas.jsonl"))
    assert [(s.status, s.counts, s.registered) for s in states.values()] == [
        (Status.FIRMADO, True, False),
        (Status.PENDIENTE, False, False),
        (Status.PENDIENTE, False, False),
    ]
    assert (states["a"].reviewer, states["a"].date) == ("Eva", "2026-01-02")
    assert states["c"].reason == "record.signed_by_nobody"


def test_a_case_with_problems_or_a_repeated_id_never_counts(tmp_path: Path) -> None:
    bad = data_line("a", "Eva").replace('"requiere_derivacion": false', '"requiere_derivacion": 1')
    twice = data_line("b", "Eva")
    states = case_states(file_of(tmp_path, bad, twice, twice), Record(tmp_path / "r"))
    assert [(s.counts, s.reason) for s in states.values()] == [
        (False, "record.invalid_case"),
        (False, "record.repeated_id"),
    ]


def test_signed_withdrawn_signed_again(tmp_path: Path) -> None:
    journal = Journal()
    signed, unsigned = data_line("a", "Ana"), data_line("a")
    first = journal.sign("a", signed, "Ana")
    assert state_of(file_of(tmp_path, signed), journal.record()).status is Status.FIRMADO
    second = journal.add(
        Kind.RETIRA, "a", unsigned, writes=UNSIGNED, previous=[first], who="Luis", reason="dudas"
    )
    withdrawn = state_of(file_of(tmp_path, unsigned), journal.record())
    assert (withdrawn.status, withdrawn.counts, withdrawn.reviewer) == (Status.RETIRADO, False, "Luis")
    assert withdrawn.status.waits
    assert "dudas" in withdrawn.sentence()
    assert state_of(file_of(tmp_path, signed), journal.record()).reason == "record.signed_after_withdrawal"
    journal.sign("a", signed, "Ana", [second])
    assert state_of(file_of(tmp_path, signed), journal.record()).status is Status.FIRMADO


def test_a_returned_case_comes_back_when_its_author_changes_it(tmp_path: Path) -> None:
    journal = Journal()
    line = data_line("a")
    journal.add(Kind.DEVUELVE, "a", line, writes=None, reason="faltan unidades")
    returned = state_of(file_of(tmp_path, line), journal.record())
    assert (returned.status, returned.status.waits) == (Status.DEVUELTO, False)
    changed = line.replace("24", "25")
    assert state_of(file_of(tmp_path, changed), journal.record()).status is Status.PENDIENTE
    respelled = line.replace("24", "24.0")
    assert state_of(file_of(tmp_path, respelled), journal.record()).status is Status.DEVUELTO


def test_a_note_changes_no_state(tmp_path: Path) -> None:
    journal = Journal()
    line = data_line("a", "Ana")
    first = journal.sign("a", line, "Ana")
    journal.add(Kind.NOTA, "a", line, writes=None, previous=[first], who="Luis", reason="visto en sesión")
    state = state_of(file_of(tmp_path, line), journal.record())
    assert (state.status, state.reviewer, state.entry) == (Status.FIRMADO, "Ana", first)


def test_a_first_of_two_signatures_lives_in_the_record_only(tmp_path: Path) -> None:
    journal = Journal()
    journal.add(Kind.FIRMA, "a", data_line("a"), writes=None)
    state = state_of(file_of(tmp_path, data_line("a")), journal.record())
    assert (state.status, state.registered) == (Status.PENDIENTE, True)


@pytest.mark.parametrize(
    ("line", "status", "reason"),
    [
        (data_line("a", "Ana"), Status.FIRMADO, "record.signed"),
        (data_line("a", "Ana", rest=REST.replace("24", "24.00")), Status.FIRMADO, "record.signed"),
        (data_line("a", "Ana", rest=REST.replace("24", "25")), Status.CADUCADO, "record.expired"),
        (data_line("a", "Luis"), Status.DESCUADRADO, "record.other_signature"),
        (data_line("a"), Status.DESCUADRADO, "record.data_older"),
        (data_line("a", "Ana").replace("01-02", "01-03"), Status.DESCUADRADO, "record.other_signature"),
        (data_line("b", "Ana"), Status.DESCUADRADO, "record.not_in_record"),
    ],
)
def test_data_held_against_the_record(tmp_path: Path, line: str, status: Status, reason: str) -> None:
    journal = Journal()
    journal.sign("a", data_line("a", "Ana"), "Ana")
    file = file_of(tmp_path, line)
    state = state_of(file, journal.record(), file.rows[0].case.id)
    assert (state.status, state.counts, state.reason) == (status, status is Status.FIRMADO, reason)


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


def branches() -> tuple[Journal, Journal, list[bytes]]:
    """Two branches from one first entry: each signs on its own."""
    base = Journal()
    base.sign("a", data_line("a", "Ana"), "Ana")
    left, right = Journal(), Journal()
    left.lines, right.lines = list(base.lines), list(base.lines)
    return left, right, base.lines


def test_two_branches_that_sign_different_cases_merge_into_one_sound_record(tmp_path: Path) -> None:
    left, right, base = branches()
    left.sign("b", data_line("b", "Eva"), "Eva")
    right.sign("c", data_line("c", "Luis"), "Luis")
    merged = Journal()
    merged.lines = [right.lines[1], *base, left.lines[1]]
    record = merged.record()
    assert record.breaks == ()
    assert len(record.tips) == 2
    file = file_of(tmp_path, data_line("a", "Ana"), data_line("b", "Eva"), data_line("c", "Luis"))
    assert all(state.counts for state in case_states(file, record).values())
    merged.sign("d", data_line("d", "Ana"), "Ana")
    assert len(merged.record().tips) == 1, "the next entry ties the branches together"


def test_two_decisions_on_one_case_do_not_count_until_somebody_settles_them(tmp_path: Path) -> None:
    left, right, base = branches()
    first = left.sign("b", data_line("b", "Eva"), "Eva")
    second = right.sign("b", data_line("b", "Luis"), "Luis")
    merged = Journal()
    merged.lines = [*base, left.lines[1], right.lines[1]]
    file = file_of(tmp_path, data_line("b", "Luis"))
    state = state_of(file, merged.record(), "b")
    assert (state.status, state.counts, state.reason) == (Status.DESCUADRADO, False, "record.two_decisions")
    assert "Eva" in state.sentence()
    assert "Luis" in state.sentence()
    merged.sign("b", data_line("b", "Luis"), "Luis", sorted([first, second]))
    assert state_of(file, merged.record(), "b").counts


def test_the_same_decision_in_two_branches_is_one_decision(tmp_path: Path) -> None:
    left, right, base = branches()
    left.sign("b", data_line("b", "Eva"), "Eva")
    right.minute += 7
    right.sign("b", data_line("b", "Eva"), "Eva")
    merged = Journal()
    merged.lines = [*base, left.lines[1], right.lines[1]]
    assert state_of(file_of(tmp_path, data_line("b", "Eva")), merged.record(), "b").counts


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
