"""Moments and refusals that the tests of signing share."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from scoring.errors import ProductError

if TYPE_CHECKING:
    from reviewer.signing import Sign
    from reviewer.store import Dataset

MADRID = timezone(timedelta(hours=1))
# Half past midnight of the 2nd in Madrid is still the 1st in UTC.
NIGHT = datetime(2026, 12, 2, 0, 30, 15, 250_000, tzinfo=MADRID)


def refused(dataset: Dataset, decision: Sign) -> ProductError:
    """The error of a refusal that wrote nothing: no byte of any file, no new file."""
    folder = dataset.resolved.parent
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ProductError) as caught:
        dataset.apply(decision)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert str(caught.value)
    return caught.value
