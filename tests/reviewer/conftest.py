"""A data set with one older signature, and keys to sign with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.reviewer.keys_support import PASSPHRASE, make_key
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path


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
