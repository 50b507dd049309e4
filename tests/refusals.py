"""A refusal must leave every file as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scoring.errors import ProductError

if TYPE_CHECKING:
    from reviewer.store import Dataset, Decision


def refused(dataset: Dataset, decision: Decision) -> ProductError:
    """The error of a decision that wrote nothing: no byte of any file, no new file."""
    folder = dataset.resolved.parent
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ProductError) as caught:
        dataset.apply(decision)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert str(caught.value)
    return caught.value
