"""Rows as they stand in JSONL, decoded many at a time.

Typed decoding (msgspec) sees types and unknown keys, but keeps the last of repeated keys in silence and
takes two objects on one line. So a chunk counts as read only if the text around the values is accounted
for as well; otherwise the answer is None and ``scoring.abstraction.strict`` reads line by line, slowly,
and names the fault. A chunk may be refused here without being wrong; it is never accepted when it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from scoring.abstraction.evidence import ReviewerState, SourceKind, TransformationKind
from scoring.abstraction.grammar import MAX_CASE_ID, MAX_LOCATIONS, MAX_OFFSET, is_field_id
from scoring.abstraction.normalize import AbstractionFieldType  # noqa: TC001 - msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Row = TypeVar("Row")

CaseId = Annotated[str, Meta(min_length=1, max_length=MAX_CASE_ID)]
Offset = Annotated[int, Meta(ge=0, le=MAX_OFFSET)]
Scalar = str | int | float | bool | None


class GoldRow(Struct, forbid_unknown_fields=True, gc=False):
    """A gold line. The field id's grammar is checked once per field, where fields are counted."""

    case_id: CaseId
    field_id: str
    field_type: AbstractionFieldType
    value: Scalar


class LocationRow(Struct, forbid_unknown_fields=True, gc=False):
    """A source location of an output line."""

    source_digest: str
    start_offset: Offset
    end_offset: Offset
    kind: SourceKind | UnsetType = UNSET


class ChainRow(Struct, forbid_unknown_fields=True, gc=False):
    """The evidence chain of an output line."""

    field_id: str
    source_locations: Annotated[list[LocationRow], Meta(max_length=MAX_LOCATIONS)]
    normalized_fact_digest: str
    transformation_kind: TransformationKind
    transformation_digest: str
    uncertainty: Annotated[float, Meta(ge=0, le=1)]
    reviewer_state: ReviewerState


class OutputRow(Struct, forbid_unknown_fields=True, gc=False):
    """An output line. UNSET: the key is not there; None: it is there and null."""

    case_id: CaseId
    field_id: str
    value: Scalar
    normalized_fact_digest: str | UnsetType | None = UNSET
    evidence_chain: ChainRow | UnsetType | None = UNSET


_decode_gold: Final = msgspec.json.Decoder(GoldRow).decode_lines
_decode_outputs: Final = msgspec.json.Decoder(OutputRow).decode_lines
_REFUSALS: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)

# Every name of the format is made of a-z and _, so a name spelt with escapes holds one of these.
_ESCAPED_NAME: Final = re.compile(rb"\\u00[5-7]")
_HEXADECIMAL: Final = b"0123456789abcdef"
_MAX_KNOWN: Final = 100_000


def read_gold(chunk: bytes, lines: int, *, checked_elsewhere: bool = False) -> list[GoldRow] | None:
    """The rows of ``lines`` whole lines, one a line, or None if they have to be read one by one.

    With ``checked_elsewhere`` another process looks for repeated keys and the like in these lines.
    """
    rows = _decode(_decode_gold, chunk)
    if checked_elsewhere:
        return rows if rows is not None and len(rows) == lines else None
    if rows is None or not _is_plain(chunk, lines, len(rows), 4 * len(rows), 0):
        return None
    return rows


class OutputReader:
    """Reads chunks of output lines; remembers what it has seen to be well formed and comes again."""

    def __init__(self) -> None:
        self._known_fields: set[str] = set()
        self._known_transformations: set[str] = set()

    def read(self, chunk: bytes, lines: int) -> list[OutputRow] | None:
        """As :func:`read_gold`; what it answers with is valid but for the join with gold."""
        rows = _decode(_decode_outputs, chunk)
        if rows is None:
            return None
        given = [row.evidence_chain for row in rows]
        facts = [row.normalized_fact_digest for row in rows]
        digests = [fact for fact in facts if fact]
        absent = facts.count(UNSET)
        if len(digests) + absent + facts.count(None) != len(rows):  # an empty text is no digest
            return None
        keys = 5 * len(rows) - absent - given.count(UNSET)
        chains = [chain for chain in given if chain]
        if chains:
            places = [place for chain in chains for place in chain.source_locations]
            keys += 7 * len(chains) + 4 * len(places) - _fill_kinds(places)
            if not self._are_chains(chains, places, digests):
                return None
        colons = len(digests) + len(chains)  # one in each digest; those of the rules are not listed
        if not _is_plain(chunk, lines, len(rows), keys, colons) or not are_digests(digests):
            return None
        return rows

    def _are_chains(
        self, chains: Sequence[ChainRow], places: Sequence[LocationRow], digests: list[str]
    ) -> bool:
        """What typed decoding does not see of the chains; their digests are added to ``digests``."""
        digests += [chain.normalized_fact_digest for chain in chains]
        digests += [place.source_digest for place in places]
        transformations = {chain.transformation_digest for chain in chains} - self._known_transformations
        if transformations:
            if not are_digests(list(transformations)):
                return False
            _remember(self._known_transformations, transformations)
        fields = {chain.field_id for chain in chains} - self._known_fields
        if fields:
            if not all(map(is_field_id, fields)):
                return False
            _remember(self._known_fields, fields)
        if [place for place in places if place.end_offset <= place.start_offset]:
            return False
        several = [chain.source_locations for chain in chains if len(chain.source_locations) > 1]
        return not any(map(_repeats, several))


def _remember(known: set[str], new: set[str]) -> None:
    if len(known) > _MAX_KNOWN:
        known.clear()
    known |= new


def _fill_kinds(places: Sequence[LocationRow]) -> int:
    """Give the locations without a kind the default one; answers with their number."""
    absent = [place for place in places if place.kind is UNSET]
    for place in absent:
        place.kind = SourceKind.CLINICAL_RECORD
    return len(absent)


def are_digests(values: Sequence[str]) -> bool:
    """Whether all of ``values`` are ``sha256:`` and 64 lower-case hexadecimal digits.

    One pass over all of them joined: every one is 71 long and begins with an ``s``; ``sha256:`` occurs
    once for each; and with the hexadecimal digits taken out nothing is left but ``sh:`` for each.
    """
    if not values:
        return True
    count = len(values)
    joined = "".join(values)
    if len(joined) != 71 * count or not joined.isascii() or set(map(len, values)) != {71}:
        return False
    raw = joined.encode("ascii")
    return (
        raw[::71] == b"s" * count
        and raw.count(b"sha256:") == count
        and raw.translate(None, _HEXADECIMAL) == b"sh:" * count
    )


def _decode(decode: Callable[[bytes], list[Row]], chunk: bytes) -> list[Row] | None:
    try:
        return decode(chunk)
    except _REFUSALS:
        return None


def _is_plain(chunk: bytes, lines: int, rows: int, keys: int, colons: int) -> bool:
    r"""One object a line and no key twice.

    A line end followed by ``{"case_id"`` begins a row, nothing else can; so with as many of them as
    rows (the one at the very beginning counted) and as many lines as rows, every row has its line. The
    same holds for one fewer ``}\n{`` than rows, which is slower to find and serves rows that begin
    with another key.

    Every key brings a colon, so if there are only those of the keys that must be there and those of
    the digests, no key is repeated. Should texts hold colons, the keys are found by ``":``. (Texts that
    hold that, too, make the lines be read one by one.)
    """
    if lines != rows:
        return False
    begun = chunk.count(b'\n{"case_id"') + chunk.startswith(b'{"case_id"')
    if begun != rows and chunk.count(b"}\n{") != rows - 1:
        return False
    if chunk.count(b":") != keys + colons and chunk.count(b'":') != keys:
        return False
    return b"\\" not in chunk or _ESCAPED_NAME.search(chunk) is None


def _repeats(places: Sequence[LocationRow]) -> bool:
    seen = {(p.source_digest, p.start_offset, p.end_offset, p.kind) for p in places}
    return len(seen) != len(places)
