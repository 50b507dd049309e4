"""What every way to a model has in common: a question goes out, one text comes back, or a named error."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from scoring.judges.errors import ModelError
from scoring.judges.exchange import Cancel, exchange, require_ok
from scoring.strict_json import Number, StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.judges.servers import Server


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to a model.

    Attributes:
        system: standing instructions.
        user: the question.
        schema: JSON Schema of the answer, used where the server offers it.
        seconds: for the whole exchange.
        tokens: most tokens of an answer.
    """

    system: str
    user: str
    schema: Mapping[str, Any]
    seconds: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, whole.

    Attributes:
        text: its words; for a forced tool call the JSON of its input.
        tokens_in: tokens of the question as the server counts them, or None.
        tokens_out: tokens of the answer, or None.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None


class Transport(Protocol):
    """A way to one model on one server; used by several threads at once."""

    @property
    def kind(self) -> str:
        """``ollama``, ``openai`` or ``claude``."""

    @property
    def model(self) -> str:
        """Name of the model."""

    @property
    def server(self) -> Server:
        """Where the text goes."""

    def ask(self, ask: Ask, cancel: Cancel) -> Answer:
        """Put one question.

        Raises:
            ModelError: no usable answer.
            CancelledError: ``cancel`` was used.
        """


def call(
    server: Server,
    path: str,
    content: Mapping[str, Any] | None,
    *,
    seconds: float,
    cancel: Cancel,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """POST ``content`` as JSON, or GET without it; the JSON object of the answer, numbers as spelled.

    Raises:
        ModelError: no answer, one with another status than 200, or one that is no JSON object.
    """
    body = b"" if content is None else json.dumps(content, ensure_ascii=True, allow_nan=False).encode()
    method = "GET" if content is None else "POST"
    reply = exchange(server, method, path, body, headers=headers, seconds=seconds, cancel=cancel)
    require_ok(reply, server)
    return protocol_object(reply.body, server)


def protocol_object(body: bytes, server: Server) -> dict[str, Any]:
    """The JSON object an answer consists of.

    Raises:
        ModelError: it is something else.
    """
    try:
        value = loads(body, exact_numbers=True)
    except StrictJSONError:
        value = None
    if not isinstance(value, dict):
        raise ModelError("judges.not_protocol", address=server.address)
    return value


def count(found: object) -> int | None:
    """A token count of the protocol; None for anything that is none."""
    if not isinstance(found, Number) or not found.isascii() or not found.isdigit() or len(found) > 12:
        return None
    return int(found)


def words(found: object) -> str | None:
    """``found`` if it is text (and not a number that kept its spelling)."""
    return found if isinstance(found, str) and not isinstance(found, Number) else None


def names_of(found: object, *fields: str) -> tuple[str, ...]:
    """The model names of a list the server gave, in its order; entries without one are left out."""
    names: list[str] = []
    for entry in found if isinstance(found, list) else ():
        for field in fields:
            name = words(entry.get(field)) if isinstance(entry, dict) else None
            if name:
                names.append(name)
                break
    return tuple(names)
