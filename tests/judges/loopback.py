"""Real HTTP servers on loopback that speak the three protocols, and misbehave when told to."""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

MODEL = "qwen2.5:7b"
GOOD: dict[str, Any] = {
    "justificacion": "Correcta.",
    "correccion_diferenciales": 0.9,
    "hedging_apropiado": 0.8,
    "seguridad": 1,
    "completitud": 0.7,
    "violacion_seguridad": False,
}


def rubric(**changes: Any) -> str:
    """A good rubric as text; ``None`` drops a key."""
    return json.dumps({k: v for k, v in (GOOD | changes).items() if v is not None})


@dataclass
class Raw:
    """An answer given as it is."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)


Low = Callable[["Handler"], None]
Reaction = str | Raw | Low
Script = Callable[[int, dict[str, Any]], Reaction]


def stall(seconds: float) -> Low:
    """Say nothing for a while."""

    def act(handler: Handler) -> None:
        handler.server.quiet.wait(seconds)

    return act


def drip(handler: Handler) -> None:
    """Headers, then one byte at a time: no single read ever times out."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    for _ in range(600):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        if handler.server.quiet.wait(0.05):
            return


def drip_headers(handler: Handler) -> None:
    """Never gets to the end of its headers."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for n in range(90):
        handler.wfile.write(f"X-{n}: x\r\n".encode())
        handler.wfile.flush()
        if handler.server.quiet.wait(0.05):
            return


def cut(handler: Handler) -> None:
    """Announces more than it sends."""
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"message": {"content": "')


def cut_chunk(handler: Handler) -> None:
    """Leaves in the middle of a chunk."""
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"message"')


def hang_up(handler: Handler) -> None:
    """Leaves without a word."""


def not_http(handler: Handler) -> None:
    handler.wfile.write(b"220 mail.example ESMTP\r\n")


def endless(handler: Handler) -> None:
    """A body without end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    with contextlib.suppress(OSError):
        for _ in range(1000):
            handler.wfile.write(b"x" * 65536)


def long_header(handler: Handler) -> None:
    with contextlib.suppress(OSError):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000 + b"\r\n\r\n")


class Handler(BaseHTTPRequestHandler):
    server: LoopbackServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        self._send(self.server.listing(self.path))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = {"path": self.path, "headers": dict(self.headers), "json": json.loads(body)}
        with self.server.lock:
            self.server.requests.append(request)
            number = len(self.server.requests)
            self.server.busy += 1
            self.server.most_busy = max(self.server.most_busy, self.server.busy)
        try:
            reaction = self.server.script(number, request)
            if callable(reaction):
                self.close_connection = True
                with contextlib.suppress(OSError):
                    reaction(self)
            elif isinstance(reaction, Raw):
                self._send(reaction)
            else:
                self._send(wrapped(self.path, reaction))
        finally:
            with self.server.lock:
                self.server.busy -= 1

    def _send(self, raw: Raw) -> None:
        with contextlib.suppress(OSError):
            self.send_response(raw.status)
            headers = {"Content-Type": "application/json", "Content-Length": str(len(raw.body))}
            for name, value in (headers | dict(raw.headers)).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw.body)


def wrapped(path: str, text: str, **changes: Any) -> Raw:
    """``text`` as each protocol sends a finished answer."""
    answer: dict[str, Any]
    if path.endswith("/api/chat"):
        answer = {
            "model": MODEL,
            "message": {"role": "assistant", "content": text},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 1000,
            "eval_count": 50,
        }
    elif path.endswith("/chat/completions"):
        message = {"role": "assistant", "content": text}
        answer = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050},
        }
    else:
        thought = {"type": "thinking", "thinking": '{"seguridad": 0}', "signature": "x"}
        answer = {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "stop_reason": "end_turn",
            "content": [thought, {"type": "text", "text": text}],
            "usage": {"input_tokens": 1000, "output_tokens": 50},
        }
    return Raw(body=json.dumps(answer | changes).encode())


class LoopbackServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64  # a connection that finds no room is made again only a second later

    def __init__(self, script: Script, models: tuple[str, ...], tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.script = script
        self.models = models
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.lock = threading.Lock()
        self.quiet = threading.Event()
        self.busy = 0
        self.most_busy = 0
        self.speaks: set[str] = {"/api/tags", "/v1/models"}

    def server_bind(self) -> None:
        # The method of HTTPServer would ask the network for the name of the address.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def listing(self, path: str) -> Raw:
        if path not in self.speaks:
            return Raw(404, b'{"error": "not found"}')
        if path == "/api/tags":
            listed: dict[str, Any] = {"models": [{"name": name, "model": name} for name in self.models]}
        else:
            listed = {"object": "list", "data": [{"id": name} for name in self.models]}
        return Raw(body=json.dumps(listed).encode())

    def said(self, number: int = -1) -> str:
        """Everything one question said to the model."""
        content = self.requests[number]["json"]
        parts = [content.get("system", "")] + [message["content"] for message in content["messages"]]
        return "\n".join(parts)


@contextlib.contextmanager
def serving(
    script: Script | Reaction | None = None,
    *,
    models: tuple[str, ...] = (MODEL,),
    tls: ssl.SSLContext | None = None,
) -> Iterator[LoopbackServer]:
    """A server that reacts to each question as ``script`` says (by default with a good rubric)."""
    wanted: Any = rubric() if script is None else script
    # A script takes the number of the question and the question; a low-level reaction the handler alone.
    scripted = callable(wanted) and wanted.__code__.co_argcount == 2

    def react(number: int, request: dict[str, Any]) -> Reaction:
        reaction: Reaction = wanted(number, request) if scripted else wanted
        return reaction

    server = LoopbackServer(react, models, tls)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.quiet.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


@contextlib.contextmanager
def nobody() -> Iterator[str]:
    """The address of a port that is taken and on which nobody listens, so that no other test gets it meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for a condition."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
