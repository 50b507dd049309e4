"""One HTTP exchange with a server that may be slow, cut, malformed or malicious.

The standard library's client is used for what it leaves out: it follows no redirect and reads no
proxy setting, so the text goes to the named server or nowhere. What it lacks is added here: a deadline
for the whole exchange (a server that sends one byte a second never trips a socket timeout), a limit on
the size of an answer, and a way to give up at once from another thread.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import math
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from scoring import __version__
from scoring.judges.errors import CancelledError, ModelError
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scoring.judges.servers import Server

MAX_ANSWER_BYTES = 4 << 20
_CONNECT_SECONDS = 10.0
_CHUNK = 1 << 16
_LONGEST_WAIT = 86_400.0
_RETRY_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_STOP_STATUS = frozenset({401, 402, 403, 404, 405})
_QUOTA_CODES = frozenset(
    {"insufficient_quota", "quota_exceeded", "billing_error", "billing_hard_limit_reached"}
)
# Codes of the protocols. A server may write any other word there, one of the case it was sent among them.
_CODES = _QUOTA_CODES | {
    "account_deactivated",
    "api_error",
    "authentication_error",
    "billing_not_active",
    "content_filter",
    "content_policy_violation",
    "context_length_exceeded",
    "invalid_api_key",
    "invalid_request_error",
    "invalid_value",
    "model_not_found",
    "not_found_error",
    "overloaded_error",
    "permission_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "request_too_large",
    "server_error",
    "timeout_error",
    "unsupported_parameter",
    "unsupported_value",
}


class Cancel:
    """Lets one thread make all exchanges of the others end at once."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    @property
    def cancelled(self) -> bool:
        """:meth:`cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """End what is under way and refuse what comes."""
        self._event.set()
        with self._lock:
            for sock in self._open:
                hang_up(sock)

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than wanted.

        Raises:
            CancelledError: the wait was ended.
        """
        if self._event.wait(seconds):
            raise CancelledError

    @contextlib.contextmanager
    def watching(self, sock: socket.socket) -> Iterator[None]:
        """Have ``sock`` hung up on if :meth:`cancel` is called inside the block."""
        with self._lock:
            self._open.add(sock)
        try:
            if self.cancelled:
                raise CancelledError
            yield
        finally:
            with self._lock:
                self._open.discard(sock)


def hang_up(sock: socket.socket) -> None:
    """End an exchange from outside: whoever reads or writes ``sock`` returns at once."""
    with contextlib.suppress(OSError):
        # The plain socket method: that of TLS would first try to take leave of the other side.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers in lower case and body of an answer that arrived whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Connection(http.client.HTTPConnection):
    """A connection that goes to loopback addresses only if the server is said to be local."""

    def __init__(self, server: Server, seconds: float) -> None:
        super().__init__(server.host, server.port, timeout=min(seconds, _CONNECT_SECONDS))
        self._server = server
        self._seconds = seconds

    def connect(self) -> None:
        server = self._server
        if server.local:
            self.sock = _connect_local(server.host, server.port, self.timeout or _CONNECT_SECONDS)
        else:
            self.sock = socket.create_connection((server.host, server.port), self.timeout)
        self.sock.settimeout(self._seconds)
        if server.encrypted:
            # The handshake is done later, when the deadline already watches this socket.
            self.sock = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=server.host, do_handshake_on_connect=False
            )


def _connect_local(host: str, port: int, seconds: float) -> socket.socket:
    refused: OSError | None = None
    for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        address = str(place[0])
        if not ipaddress.ip_address(address).is_loopback:
            continue
        try:
            return socket.create_connection((address, port), seconds)
        except OSError as error:
            refused = error
    raise refused or OSError("no loopback address")


def exchange(
    server: Server,
    method: str,
    path: str,
    body: bytes = b"",
    *,
    headers: Mapping[str, str] | None = None,
    seconds: float,
    cancel: Cancel,
    limit: int = MAX_ANSWER_BYTES,
) -> Reply:
    """Send one request and read its whole answer, whatever its status.

    Args:
        server: where to.
        method: ``GET`` or ``POST``.
        path: appended to the path of the server.
        body: of the request.
        headers: beyond those every request has.
        seconds: from the first packet to the last.
        cancel: ends the exchange from another thread.
        limit: largest body that is read.

    Raises:
        ModelError: no connection, too slow, cut off, too large, or no HTTP.
        CancelledError: ``cancel`` was used.
    """
    if cancel.cancelled:
        raise CancelledError
    connection = _Connection(server, seconds)
    late = threading.Event()
    start = time.monotonic()
    try:
        try:
            connection.connect()
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise _too_slow(server, seconds) from None
            raise ModelError("judges.unreachable", address=server.address) from None
        sock = connection.sock

        def ring() -> None:
            late.set()
            hang_up(sock)

        alarm = threading.Timer(max(seconds - (time.monotonic() - start), 0.001), ring)
        alarm.daemon = True
        with cancel.watching(sock):
            alarm.start()
            try:
                if isinstance(sock, ssl.SSLSocket):
                    sock.do_handshake()
                reply = _converse(connection, server, method, server.path + path, body, headers or {}, limit)
            finally:
                alarm.cancel()
        # The client takes the end of a connection for the end of headers, also when we hung up.
        if cancel.cancelled:
            raise CancelledError
        if late.is_set():
            raise _too_slow(server, seconds)
        return reply  # noqa: TRY300 - what went wrong meanwhile is looked at first
    except (OSError, http.client.HTTPException, ValueError) as error:
        if cancel.cancelled:
            raise CancelledError from None
        if late.is_set() or isinstance(error, TimeoutError):
            raise _too_slow(server, seconds) from None
        raise _broken(server, error) from None
    except ModelError:
        if cancel.cancelled:
            raise CancelledError from None
        if late.is_set():
            raise _too_slow(server, seconds) from None
        raise
    finally:
        connection.close()


def _too_slow(server: Server, seconds: float) -> ModelError:
    return ModelError("judges.too_slow", address=server.address, seconds=f"{seconds:g}")


def _broken(server: Server, error: Exception) -> ModelError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return ModelError("judges.not_trusted", address=server.address, retry=False, stop=True)
    if isinstance(error, ssl.SSLError):
        return ModelError("judges.not_http", address=server.address)
    if isinstance(error, OSError | http.client.IncompleteRead | http.client.RemoteDisconnected):
        return ModelError("judges.cut", address=server.address)
    return ModelError("judges.not_http", address=server.address)


def _converse(
    connection: _Connection,
    server: Server,
    method: str,
    path: str,
    body: bytes,
    headers: Mapping[str, str],
    limit: int,
) -> Reply:
    own = {
        "accept": "application/json",
        "accept-encoding": "identity",
        "connection": "close",
        "user-agent": f"revision-clinica/{__version__}",
    }
    if body:
        own["content-type"] = "application/json"
    given = {name.lower(): value for name, value in headers.items()}
    connection.request(method, path, body or None, {**own, **given})
    response = connection.getresponse()
    parts: list[bytes] = []
    size = 0
    while part := response.read1(_CHUNK):
        size += len(part)
        if size > limit:
            raise ModelError("judges.too_large", address=server.address, limit=limit)
        parts.append(part)
    if response.length:  # fewer bytes than were announced
        raise ModelError("judges.cut", address=server.address)
    found = {name.lower(): value for name, value in response.getheaders()}
    if found.get("content-encoding", "identity").lower() != "identity":
        raise ModelError("judges.not_http", address=server.address)
    return Reply(response.status, found, b"".join(parts))


def require_ok(reply: Reply, server: Server) -> None:
    """Refuse an answer whose status is not 200.

    Raises:
        ModelError: a redirect or a missing right stops the run, a busy server may be asked again.
    """
    status = reply.status
    if status == 200:
        return
    code = error_code(reply.body)
    fields: dict[str, Any] = {
        "address": server.address,
        "status": status,
        "code": f" ({code})" if code else "",
    }
    if 300 <= status < 400:
        raise ModelError("judges.redirect", retry=False, stop=True, **fields)
    if status == 402 or code in _QUOTA_CODES:
        raise ModelError("judges.quota", retry=False, stop=True, **fields)
    if status == 429:
        raise ModelError("judges.busy", wait=retry_after(reply.headers), **fields)
    stop = status in _STOP_STATUS
    wait = retry_after(reply.headers) if status == 503 else None
    raise ModelError("judges.status", retry=status in _RETRY_STATUS, stop=stop, wait=wait, **fields)


def error_code(body: bytes) -> str | None:
    """The code of an error answer, if it has a known one; anything else could be text of a case."""
    try:
        content = loads(body)
    except StrictJSONError:
        return None
    inner = content.get("error") if isinstance(content, dict) else None
    if isinstance(inner, dict):
        for name in ("code", "type"):
            said = inner.get(name)
            if isinstance(said, str) and said in _CODES:
                return said
    return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait: a number or a date; None if it says nothing usable."""
    said = headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
    if not math.isfinite(seconds):
        return None
    return min(max(seconds, 0.0), _LONGEST_WAIT)
