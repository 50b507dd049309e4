"""What a CI runner would obey in the log of a step, made mere text.

Runners read commands off the lines a step prints: ``::name ...::`` at the start of a line, blanks aside,
and ``##[name]`` or ``##vso[name]`` (GitHub Docs, «Workflow commands for GitHub Actions»; Azure Pipelines
Docs, «Logging commands»). An id or a name out of a file must not be able to give one.
"""

from __future__ import annotations

import os
import re

_RUNNERS = ("GITHUB_ACTIONS", "TF_BUILD")
"""Environment variables by which the runners that obey such lines make themselves known."""
_AT_START = re.compile(r"^(\s*)(?=::)", re.MULTILINE)
_ANYWHERE = re.compile(r"##(?=(?:vso)?\[)", re.IGNORECASE)


def inert(text: str) -> str:
    """``text`` with no line that the runner it is printed under would obey; as it is elsewhere."""
    if not _under_a_runner():
        return text
    return _ANYWHERE.sub("## ", _AT_START.sub(r"\1· ", text))


def inert_json(text: str) -> str:
    """The same for JSON, which has such words inside of strings only and keeps its meaning."""
    return _ANYWHERE.sub(r"#\\u0023", text) if _under_a_runner() else text


def _under_a_runner() -> bool:
    return any(os.environ.get(name) for name in _RUNNERS)
