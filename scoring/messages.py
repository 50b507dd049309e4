"""Every sentence people read, in Spanish and English, kept beside the code that says it.

The sentences live in ``<package>/locale/<area>.toml``, one table per key with ``es`` and ``en`` (and
``es_1``/``en_1``, used when the field ``n`` is 1). ``text("area.key", ...)`` finds and fills them. The
language is fixed per process.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal, cast

from scoring.plain import plain

Language = Literal["es", "en"]
LANGUAGES: tuple[Language, ...] = ("es", "en")

_state: dict[str, Language] = {"language": "es"}
_sources: list[str] = ["scoring"]


def add_source(package: str) -> None:
    """Let ``package`` bring areas of its own from its ``locale`` folder."""
    if package not in _sources:
        _sources.append(package)


def set_language(language: Language) -> None:
    """Fix the language of all that follows in this process."""
    _state["language"] = language


def language() -> Language:
    """The language in force."""
    return _state["language"]


@cache
def catalogue(area: str) -> dict[str, dict[str, str]]:
    """The sentences of one area: key -> language -> text. ``KeyError`` for an unknown area."""
    for package in _sources:
        entry = files(package).joinpath("locale", f"{area}.toml")
        if entry.is_file():
            return cast("dict[str, dict[str, str]]", tomllib.loads(entry.read_text(encoding="utf-8")))
    raise KeyError(area)


def text(key: str, /, **fields: object) -> str:
    """The sentence of ``key`` in the language in force, with its fields filled in.

    Text among the fields comes from data or from the user, so it is made visible and harmless
    (:func:`scoring.plain.plain`) before it enters the sentence.
    """
    area, _, name = key.partition(".")
    entry = catalogue(area)[name]
    tongue = language()
    template = entry[tongue]
    if fields.get("n") == 1:
        template = entry.get(f"{tongue}_1", template)
    safe = {
        name: plain(value) if isinstance(value, str) else value
        for name, value in ((n, str(v) if hasattr(v, "__fspath__") else v) for n, v in fields.items())
    }
    return template.format_map(safe)
