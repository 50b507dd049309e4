"""What a decision needs and does: sign, withdraw, return, edit, settle.

The rules of each are in ``reviewer.decisions``; here is the list of names that the rest of the program,
and other programs, may use.
"""

from __future__ import annotations

from reviewer.decisions.common import MAX_NAME, check_reason, check_reviewer
from reviewer.decisions.edit import Edit
from reviewer.decisions.edit_state import Differential, EditState
from reviewer.decisions.fields import FieldEdit
from reviewer.decisions.send_back import Return
from reviewer.decisions.session import EditSession
from reviewer.decisions.settle import FollowRecord
from reviewer.decisions.sign import Preview, PreviewCase, Sign, preview
from reviewer.decisions.withdraw import Withdraw

__all__ = [
    "MAX_NAME",
    "Differential",
    "Edit",
    "EditSession",
    "EditState",
    "FieldEdit",
    "FollowRecord",
    "Preview",
    "PreviewCase",
    "Return",
    "Sign",
    "Withdraw",
    "check_reason",
    "check_reviewer",
    "preview",
]
