"""A moment that the tests of signing share."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

MADRID = timezone(timedelta(hours=1))
# Half past midnight of the 2nd in Madrid is still the 1st in UTC.
NIGHT = datetime(2026, 12, 2, 0, 30, 15, 250_000, tzinfo=MADRID)
