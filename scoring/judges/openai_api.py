"""A model behind any server that speaks the OpenAI chat protocol (``/chat/completions``, ``/models``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring.judges.errors import ModelError
from scoring.judges.exchange import exchange, require_ok
from scoring.judges.transport import Answer, Ask, call, count, names_of, protocol_object, words

if TYPE_CHECKING:
    from scoring.judges.exchange import Cancel
    from scoring.judges.servers import Server

# Not every server knows every way of holding a model to a form; the strictest it takes is kept.
_FORMS = ("json_schema", "json_object", "")
_NOT_UNDERSTOOD = frozenset({400, 422, 501})
_OLDER = (b"max_tokens", b"temperature")
"""Settings that models which think before they answer refuse, by name."""


@dataclass(slots=True)
class OpenAI:
    """One model of a server with the OpenAI chat protocol.

    Attributes:
        server: where it is; its path usually ends in ``/v1``.
        model: its name.
        key: sent as a bearer token; empty sends none.
    """

    server: Server
    model: str
    key: str = field(default="", repr=False)
    kind: str = "openai"
    _form: int = 0
    _newer: bool = False

    def ask(self, ask: Ask, cancel: Cancel) -> Answer:
        """Put one question, at temperature 0 and held to the schema as far as the model can be."""
        form, newer = self._form, self._newer
        while True:
            reply = exchange(
                self.server,
                "POST",
                "/chat/completions",
                self._body(ask, _FORMS[form], newer=newer),
                headers=bearer(self.key),
                seconds=ask.seconds,
                cancel=cancel,
            )
            if reply.status in _NOT_UNDERSTOOD:
                if not newer and any(name in reply.body for name in _OLDER):
                    newer = True
                    continue
                if form + 1 < len(_FORMS):
                    form += 1
                    continue
            require_ok(reply, self.server)
            # Kept only once it worked: a question that is refused for another reason teaches nothing.
            self._form, self._newer = form, newer
            return self._read(protocol_object(reply.body, self.server), ask)

    def _body(self, ask: Ask, form: str, *, newer: bool) -> bytes:
        import json

        content: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": ask.system},
                {"role": "user", "content": ask.user},
            ],
            "stream": False,
            **(
                {"max_completion_tokens": ask.tokens}
                if newer
                else {"temperature": 0, "max_tokens": ask.tokens}
            ),
        }
        if form == "json_schema":
            content["response_format"] = {
                "type": form,
                "json_schema": {"name": "respuesta", "strict": True, "schema": dict(ask.schema)},
            }
        elif form:
            content["response_format"] = {"type": form}
        return json.dumps(content, allow_nan=False).encode()

    def _read(self, reply: dict[str, Any], ask: Ask) -> Answer:
        choices = reply.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, dict) else None
        if not isinstance(first, dict) or not isinstance(message, dict):
            raise ModelError("judges.not_protocol", address=self.server.address)
        if first.get("finish_reason") == "length":
            raise ModelError("judges.cut_by_limit", limit=ask.tokens)
        if words(message.get("refusal")) or first.get("finish_reason") == "content_filter":
            raise ModelError("judges.declined")
        text = words(message.get("content"))
        if text is None:
            raise ModelError("judges.not_protocol", address=self.server.address)
        usage = reply.get("usage")
        used = usage if isinstance(usage, dict) else {}
        return Answer(text, count(used.get("prompt_tokens")), count(used.get("completion_tokens")))


def bearer(key: str) -> dict[str, str]:
    """The header that shows ``key``; none without one."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def models(server: Server, *, key: str, seconds: float, cancel: Cancel) -> tuple[str, ...]:
    """The models the server has.

    Raises:
        ModelError: it does not answer, or not in this protocol.
    """
    reply = call(server, "/models", None, seconds=seconds, cancel=cancel, headers=bearer(key))
    if not isinstance(reply.get("data"), list):
        raise ModelError("judges.not_protocol", address=server.address)
    return names_of(reply["data"], "id")
