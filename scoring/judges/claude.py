"""A model behind the Anthropic SDK (extra ``juez``).

The SDK brings its own HTTP client, which would follow redirects, read proxy settings and wait for ever on
a server that drips. It is given a transport that goes through :mod:`scoring.judges.exchange` instead, so
that every promise about where the text goes holds for it too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring.errors import ExitCode, ProductError
from scoring.judges.errors import ModelError
from scoring.judges.exchange import exchange, require_ok
from scoring.judges.transport import Answer, Ask, count, protocol_object

if TYPE_CHECKING:
    from scoring.judges.exchange import Cancel, Reply
    from scoring.judges.servers import Server


class MissingExtraError(ProductError):
    """An optional part of the tool is not installed, so there is no verdict (exit 7)."""

    exit_code = ExitCode.NO_VERDICT


@dataclass(frozen=True, slots=True)
class Claude:
    """One model behind the Anthropic SDK.

    Attributes:
        server: where it is.
        model: its name.
        key: the key of the service.
    """

    server: Server
    model: str
    key: str = field(repr=False)
    kind: str = "claude"

    def ask(self, ask: Ask, cancel: Cancel) -> Answer:
        """Put one question; the answer is the text of the reply, held to the schema.

        A tool the model has to call would do the same, but models that think first refuse it.
        """
        sdk = load_sdk()
        replies: list[Reply] = []
        client = sdk.Anthropic(
            api_key=self.key,
            base_url=self.server.address,
            max_retries=0,
            http_client=_client(self.server, ask.seconds, cancel, replies),
        )
        try:
            with client:
                client.messages.with_raw_response.create(
                    model=self.model,
                    max_tokens=ask.tokens,
                    system=ask.system,
                    messages=[{"role": "user", "content": ask.user}],
                    output_config={"format": {"type": "json_schema", "schema": ask.schema}},
                )
        except sdk.APIStatusError:
            pass  # the status is read below, from the answer itself
        except sdk.APIError as error:
            raise _cause(error) from None
        if not replies:
            raise ModelError("judges.not_protocol", address=self.server.address)
        # Read from the bytes: the SDK would have turned the scores into floats, NaN among them.
        require_ok(replies[-1], self.server)
        return self._read(protocol_object(replies[-1].body, self.server), ask)

    def _read(self, reply: dict[str, Any], ask: Ask) -> Answer:
        if reply.get("stop_reason") == "max_tokens":
            raise ModelError("judges.cut_by_limit", limit=ask.tokens)
        if reply.get("stop_reason") == "refusal":
            raise ModelError("judges.declined")
        content = reply.get("content")
        # What the model thought before it answered stands in blocks of another type.
        said = [
            block["text"]
            for block in (content if isinstance(content, list) else ())
            if isinstance(block, dict) and block.get("type") == "text" and type(block.get("text")) is str
        ]
        if not said:
            raise ModelError("judges.not_protocol", address=self.server.address)
        used = reply.get("usage")
        usage = used if isinstance(used, dict) else {}
        return Answer("".join(said), count(usage.get("input_tokens")), count(usage.get("output_tokens")))


def load_sdk() -> Any:
    """The SDK.

    Raises:
        MissingExtraError: the extra ``juez`` is not installed.
    """
    try:
        import anthropic
    except ImportError:
        raise MissingExtraError("judges.no_extra", extra="juez") from None
    return anthropic


def _cause(error: BaseException) -> BaseException:
    """The error our transport raised, found again inside the one the SDK made of it."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, _CarriedError):
            return inner.carried
        inner = inner.__cause__ or inner.__context__
    return ModelError("judges.not_protocol", address="")


class _CarriedError(Exception):
    """Takes an error of ours through the SDK, which wraps what it does not know."""

    def __init__(self, carried: BaseException) -> None:
        super().__init__()
        self.carried = carried


def _client(server: Server, seconds: float, cancel: Cancel, replies: list[Reply]) -> Any:
    import httpx2  # the HTTP library of the SDK

    class Through(httpx2.BaseTransport):
        def handle_request(self, request: Any) -> Any:
            # What the SDK names is not trusted to be the server that was named to us.
            path = request.url.raw_path.decode("ascii").removeprefix(server.path)
            unwanted = {"host", "content-length", "connection", "accept-encoding", "transfer-encoding"}
            headers = {k: v for k, v in request.headers.items() if k.lower() not in unwanted}
            try:
                reply = exchange(
                    server,
                    request.method,
                    path,
                    request.read(),
                    headers=headers,
                    seconds=seconds,
                    cancel=cancel,
                )
            except Exception as error:  # noqa: BLE001 - taken out again on the other side of the SDK
                raise _CarriedError(error) from None
            replies.append(reply)
            kept = {name: value for name, value in reply.headers.items() if name == "content-type"}
            return httpx2.Response(reply.status, headers=kept, content=reply.body, request=request)

    return httpx2.Client(transport=Through(), trust_env=False, follow_redirects=False)
