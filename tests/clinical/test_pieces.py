"""What leaves piece by piece is what would leave whole."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scoring.clinical.pieces import OneByOne, encoded, json_pieces, whole
from scoring.clinical.wrapping import wrapped_list
from scoring.plain import plain

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=5), VALUES, min_size=1, max_size=4),
    st.lists(VALUES, max_size=4),
)
def test_json_in_pieces_is_the_json_of_the_whole(content: dict[str, Any], items: list[Any]) -> None:
    content = {**content, "casos": OneByOne(items, lambda one: {"fila": one}), "fin": 1}
    expected = json.dumps(whole(content), ensure_ascii=False, indent=2)
    assert whole(content)["casos"] == [{"fila": one} for one in items]
    assert "".join(json_pieces(content)) == expected


@given(
    st.lists(st.text(st.sampled_from("ab- \u00a0ñ"), max_size=30).map(plain), min_size=1, max_size=300),
    st.integers(12, 60),
)
def test_a_long_list_is_broken_into_the_lines_that_textwrap_makes(items: list[str], width: int) -> None:
    expected = textwrap.wrap(
        ", ".join(items),
        width=width,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    assert list(wrapped_list(items, width=width)) == expected


def test_pieces_are_written_in_larger_ones_and_nothing_is_lost() -> None:
    pieces = ["á" * 1000] * 100
    written = list(encoded(iter(pieces)))
    assert b"".join(written) == ("á" * 100_000).encode()
    assert 1 < len(written) < 10
    assert list(encoded([])) == []
