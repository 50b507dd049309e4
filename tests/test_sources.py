from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scoring.errors import UsageError
from scoring.sources import Source, SourceKind, find_cases, shipped_path, working_copy_path

if TYPE_CHECKING:
    from pathlib import Path


def test_the_first_who_names_a_data_set_is_heard(tmp_path: Path) -> None:
    copy = working_copy_path()
    assert find_cases(None, {}, tmp_path) == Source(shipped_path(), SourceKind.SHIPPED)
    copy.parent.mkdir(parents=True)
    copy.write_text("", encoding="utf-8")
    assert find_cases(None, {}, tmp_path) == Source(copy, SourceKind.WORKING_COPY)
    (tmp_path / "revision.toml").write_text('casos = "datos/c.jsonl"\n', encoding="utf-8")
    assert find_cases(None, {}, tmp_path) == Source(tmp_path / "datos" / "c.jsonl", SourceKind.CONFIG)
    env = {"REVISION_CASOS": "otro.jsonl"}
    assert find_cases(None, env, tmp_path).kind is SourceKind.ENVIRONMENT
    option = tmp_path / "x.jsonl"
    assert find_cases(option, env, tmp_path) == Source(option, SourceKind.OPTION)


def test_an_empty_variable_and_a_configuration_without_casos_name_nothing(tmp_path: Path) -> None:
    (tmp_path / "revision.toml").write_text('otra = "cosa"\n', encoding="utf-8")
    assert find_cases(None, {"REVISION_CASOS": " "}, tmp_path).kind is SourceKind.SHIPPED


def test_the_shipped_set_is_where_it_is_said_to_be() -> None:
    assert shipped_path().is_file()
    assert shipped_path("predicciones_ejemplo.jsonl").is_file()
    assert not Source(shipped_path(), SourceKind.SHIPPED).named


@pytest.mark.parametrize("content", ["casos = 3", 'casos = ""', "casos = [", "casos = \xff"])
def test_a_configuration_that_cannot_be_understood_is_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "revision.toml").write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError, match=r"revision\.toml"):
        find_cases(None, {}, tmp_path)
