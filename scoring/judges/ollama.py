"""A model behind an Ollama server (``/api/chat``, ``/api/tags``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.judges.errors import ModelError
from scoring.judges.transport import Answer, Ask, call, count, names_of, words

if TYPE_CHECKING:
    from scoring.judges.exchange import Cancel
    from scoring.judges.servers import Server

_STEP = 4096
# Two characters a token is more tokens than any usual text has.
_CHARACTERS_PER_TOKEN = 2


@dataclass(frozen=True, slots=True)
class Ollama:
    """One model of an Ollama server.

    Attributes:
        server: where it is.
        model: its name, tag included.
        context: most tokens of question and answer together.
    """

    server: Server
    model: str
    context: int = 32768
    kind: str = "ollama"

    def ask(self, ask: Ask, cancel: Cancel) -> Answer:
        """Put one question, at temperature 0 and held to the schema.

        The context is set to what the question needs: left to itself the server cuts a long question
        at its beginning, where the rubric stands, and says nothing.
        """
        needed = (len(ask.system) + len(ask.user)) // _CHARACTERS_PER_TOKEN + ask.tokens
        if needed > self.context:
            raise ModelError("judges.too_long", limit=self.context, retry=False)
        content = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": ask.system},
                {"role": "user", "content": ask.user},
            ],
            "stream": False,
            "format": dict(ask.schema),
            "options": {
                "temperature": 0,
                "seed": 0,
                "num_predict": ask.tokens,
                "num_ctx": min(-(-needed // _STEP) * _STEP, self.context),
            },
        }
        reply = call(self.server, "/api/chat", content, seconds=ask.seconds, cancel=cancel)
        message = reply.get("message")
        text = words(message.get("content")) if isinstance(message, dict) else None
        if text is None or reply.get("done") is not True:
            raise ModelError("judges.not_protocol", address=self.server.address)
        if reply.get("done_reason") == "length":
            raise ModelError("judges.cut_by_limit", limit=ask.tokens)
        return Answer(text, count(reply.get("prompt_eval_count")), count(reply.get("eval_count")))


def models(server: Server, *, seconds: float, cancel: Cancel) -> tuple[str, ...]:
    """The models the server has.

    Raises:
        ModelError: it does not answer, or not as an Ollama server does.
    """
    reply = call(server, "/api/tags", None, seconds=seconds, cancel=cancel)
    if not isinstance(reply.get("models"), list):
        raise ModelError("judges.not_protocol", address=server.address)
    return names_of(reply["models"], "name", "model")


def same_model(wanted: str, offered: str) -> bool:
    """Whether two names are one model: a name without a tag is its ``latest``."""

    def full(name: str) -> str:
        return name if ":" in name.rpartition("/")[2] else f"{name}:latest"

    return full(wanted) == full(offered)
