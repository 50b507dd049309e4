"""The data set as a store: byte-preserving edits, lock, transaction, recovery.

It is the only writer of cases and record.
"""

from reviewer.store.dataset import Dataset, Entry, require_data_file, unknown_id

__all__ = ["Dataset", "Entry", "require_data_file", "unknown_id"]
