"""Where the files beside a data set lie, and that nothing of them is left out of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.record import companions

if TYPE_CHECKING:
    from pathlib import Path


def test_every_file_the_product_keeps_beside_a_data_set_is_listed(tmp_path: Path) -> None:
    assert {path.name for path in companions(tmp_path / "casos.jsonl")} == {
        "casos.firmas.jsonl",
        "casos.firmas.jsonl.rotas",
        "casos.pendiente",
        "casos.pendiente.rotas",
        "casos.lock",
        "casos.accesos.jsonl",
    }


def test_the_companions_of_a_link_lie_beside_the_file_behind_it(tmp_path: Path) -> None:
    folder = tmp_path / "lejos"
    folder.mkdir()
    (folder / "real.jsonl").write_bytes(b"")
    link = tmp_path / "atajo.jsonl"
    link.symlink_to(folder / "real.jsonl")
    assert {path.parent for path in companions(link)} == {folder}
