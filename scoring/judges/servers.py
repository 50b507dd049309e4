"""Where text may be sent: the address of a server, and whether it is this machine."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from scoring.errors import UsageError
from scoring.plain import plain

_PORTS = {"http": 80, "https": 443}
_LOCAL_NAME = "localhost"


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a server, checked.

    Attributes:
        scheme: ``http`` or ``https``.
        host: name or address, without the brackets of IPv6.
        port: TCP port.
        path: prefix of every request, without a final slash; often empty.
    """

    scheme: str
    host: str
    port: int
    path: str = ""

    @property
    def local(self) -> bool:
        """It is this machine: ``localhost`` (held to loopback when connecting) or a loopback address.

        A name that merely looks like one, ``127.0.0.1.example.org`` say, is remote.
        """
        if self.host == _LOCAL_NAME:
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def encrypted(self) -> bool:
        """What is sent cannot be read on the way."""
        return self.scheme == "https"

    @property
    def address(self) -> str:
        """The address as it is told to people and sent in reports."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


def parse_server(found: str, *, option: str) -> Server:
    """The server that ``found`` names.

    Args:
        found: ``http://`` or ``https://``, host, optional port and path.
        option: who named it, for the refusal.

    Raises:
        UsageError: no such address; also one with a user or password, a query or a fragment, which
            would hide where the text really goes or end up in reports.
    """
    try:
        parts = urlsplit(found)
        port = parts.port
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        raise UsageError("judges.bad_url", option=option, found=found) from None
    unwanted = "@" in parts.netloc or parts.query or parts.fragment or "\\" in found
    printable = found.isascii() and plain(found) == found and " " not in found
    if parts.scheme not in _PORTS or not host or unwanted or not printable or port == 0:
        raise UsageError("judges.bad_url", option=option, found=found)
    return Server(parts.scheme, host, port or _PORTS[parts.scheme], parts.path.rstrip("/"))
