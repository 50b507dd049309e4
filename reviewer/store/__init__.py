"""The data set as a store: byte-preserving edits, lock, transaction, recovery.

It is the only writer of cases and record.
"""

from reviewer.store.dataset import Applied, Dataset, Entry, require_data_file, unknown_id
from reviewer.store.edit import edit_line
from reviewer.store.plan import Decision, LineChange, Plan, Signer

__all__ = [
    "Applied",
    "Dataset",
    "Decision",
    "Entry",
    "LineChange",
    "Plan",
    "Signer",
    "edit_line",
    "require_data_file",
    "unknown_id",
]
