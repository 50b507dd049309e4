"""A repository with a signed data set, with our merge driver and without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.git_support import Repo, copied, make_repo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Repo]:
    """A repository made ready with --instalar-git, and one where nobody did."""
    folder = tmp_path_factory.mktemp("plantillas")
    return {
        installed: make_repo(folder / str(installed), folder / "casa", installed=installed)
        for installed in (True, False)
    }


@pytest.fixture
def repo(templates: dict[bool, Repo], tmp_path: Path) -> Repo:
    return copied(templates[True], tmp_path)


@pytest.fixture
def plain(templates: dict[bool, Repo], tmp_path: Path) -> Repo:
    return copied(templates[False], tmp_path)
