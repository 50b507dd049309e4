"""Signatures as the gate and the reviewer read them: content digest, record, state of each case.

Pure reading: bytes in, values out. The only writer is ``reviewer.store``.
"""

from scoring.record.adoption import Adoption, adopt
from scoring.record.content import (
    CONTENT_VERSION,
    canonical,
    content_digest,
    line_digest,
    number_text,
    reads_alike,
)
from scoring.record.entries import (
    CaseItem,
    Kind,
    Meaning,
    SignatureKeys,
    Transaction,
    signed_bytes,
    with_signature,
)
from scoring.record.intent import Intent, IntentLine, load_intent, steps_under_way
from scoring.record.journal import Record, load_record, parse_record
from scoring.record.lines import clock, entry_digest
from scoring.record.paths import companions, intent_path, lock_path, record_path, torn_path
from scoring.record.snapshot import Snapshot, replace_lines, stored_snapshot, take_snapshot
from scoring.record.states import CaseState, Status, case_states, signed_properly

__all__ = [
    "CONTENT_VERSION",
    "Adoption",
    "CaseItem",
    "CaseState",
    "Intent",
    "IntentLine",
    "Kind",
    "Meaning",
    "Record",
    "SignatureKeys",
    "Snapshot",
    "Status",
    "Transaction",
    "adopt",
    "canonical",
    "case_states",
    "clock",
    "companions",
    "content_digest",
    "entry_digest",
    "intent_path",
    "line_digest",
    "load_intent",
    "load_record",
    "lock_path",
    "number_text",
    "parse_record",
    "reads_alike",
    "record_path",
    "replace_lines",
    "signed_bytes",
    "signed_properly",
    "steps_under_way",
    "stored_snapshot",
    "take_snapshot",
    "torn_path",
    "with_signature",
]
