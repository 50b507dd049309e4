"""A layer over the calls of ``os`` that touch the disk: it counts them, and makes one of them go wrong."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from typing import Any, Self

CALLS = ("open", "write", "fsync", "replace", "ftruncate", "unlink", "fchmod", "lseek", "read", "setxattr")
Wrong = Callable[[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


def raising(number: int) -> Wrong:
    """The call is refused with this errno."""

    def wrong(name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise OSError(number, os.strerror(number))

    return wrong


def short_then_full(
    name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A write stores half and then the disk is full; other calls are refused."""
    if name == "write":
        real(args[0], bytes(args[1])[: len(args[1]) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def dying_before(name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The process is gone before the call, as with kill -9."""
    os._exit(137)


def dying_after(name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The process is gone after the call."""
    try:
        real(*args, **kwargs)
    finally:
        os._exit(137)


def dying_halfway(name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The process is gone in the middle of a write."""
    if name == "write":
        real(args[0], bytes(args[1])[: len(args[1]) // 2])
    os._exit(137)


class Faults:
    """Patches ``os`` while active: call number ``at`` (from 1) goes wrong, if ``lasting`` all later ones too.

    Attributes:
        made: names of the calls so far.
    """

    def __init__(self, at: int = 0, wrong: Wrong | None = None, *, lasting: bool = False) -> None:
        self.at, self.wrong, self.lasting = at, wrong, lasting
        self.made: list[str] = []
        self._real: dict[str, Any] = {}
        self._thread = threading.get_ident()

    def __enter__(self) -> Self:
        for name in CALLS:
            self._real[name] = getattr(os, name)
            setattr(os, name, self._patched(name, self._real[name]))
        return self

    def __exit__(self, *_: object) -> None:
        for name, real in self._real.items():
            setattr(os, name, real)

    def _patched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != self._thread:
                return real(*args, **kwargs)
            self.made.append(name)
            hit = len(self.made) == self.at or (self.lasting and len(self.made) > self.at > 0)
            if hit and self.wrong is not None:
                return self.wrong(name, real, args, kwargs)
            return real(*args, **kwargs)

        return call


def interrupted_before(
    name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Control-C arrives as the call begins."""
    raise KeyboardInterrupt


def interrupted_after(
    name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Control-C arrives as the call ends."""
    result = real(*args, **kwargs)
    if name == "open":
        os.close(result)
    raise KeyboardInterrupt
