"""A decision that stands is never told as one that was not saved, nor offered again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reviewer.commands.deciding import carry_out, draft_of, lost
from reviewer.drafts import Drafts
from reviewer.signing import Sign, Withdraw
from reviewer.store import Dataset
from reviewer.store.transaction import save
from scoring.errors import UsageError, WriteError
from scoring.jsonl import read_bytes
from scoring.record import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.store.transaction import Saved


def test_a_decision_that_was_saved_and_cannot_be_read_again_is_told_as_saved(
    casos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault: «no se puede leer», exit 2, and «record.never_still» left a draft of what stood already."""
    seen = Dataset.open(casos)

    def save_and_lose_the_file(path: Path, *args: object, **more: object) -> Saved:
        saved = save(path, *args, **more)  # type: ignore[arg-type]
        path.rename(path.with_name("movido.jsonl"))
        return saved

    monkeypatch.setattr("reviewer.store.dataset.save", save_and_lose_the_file)
    with pytest.raises(WriteError, match="La decisión está guardada") as told:
        seen.apply(Sign(("uno",), "Ana"))
    assert "No la repita" in str(told.value)
    assert not lost(told.value), "nothing to keep as a draft"
    casos.with_name("movido.jsonl").rename(casos)
    assert Dataset.open(casos).states["uno"].counts


@pytest.mark.parametrize("at", [1, 2], ids=["before the record", "after the record"])
def test_a_disk_that_cannot_be_read_in_mid_save_saves_nothing_and_the_decision_is_kept(
    casos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], at: int
) -> None:
    """The last looks at the data fail, one before and one after the record line: what was typed is a draft."""
    Dataset.open(casos).apply(Sign(("dos",), "Eva"))
    before = {path.name: path.read_bytes() for path in casos.parent.iterdir()}
    looks = iter(range(1, 9))

    def failing(path: Path) -> bytes:
        if next(looks) == at:
            raise UsageError("jsonl.file_unreadable", path=path, reason="EIO")
        return read_bytes(path)

    monkeypatch.setattr("reviewer.store.transaction.read_bytes", failing)
    decision = Withdraw(("firmado",), "Ana", "es de otro animal")
    draft = draft_of(Kind.RETIRA, "Ana", reason="es de otro animal")
    with pytest.raises(UsageError):
        carry_out(Dataset.open(casos), decision, draft, ("firmado",))
    assert {path.name: path.read_bytes() for path in casos.parent.iterdir()} == before
    kept = Drafts(casos).load("firmado")
    assert kept is not None
    assert (kept.kind, kept.reviewer, kept.reason) == (Kind.RETIRA, "Ana", "es de otro animal")
    assert "firmado" in capsys.readouterr().err
