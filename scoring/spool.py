"""What a run works out of each case and needs again, kept on the disk and not in memory.

The file has no name from the moment it is made where the system can do that, is for its owner alone, and
goes with the process, however it ends. Every piece carries its checksum: what comes back is what was put
in, or an error.
"""

from __future__ import annotations

import json
import struct
import tempfile
import weakref
import zlib
from typing import Any

from scoring.errors import WriteError, system_reason

_HEAD = struct.Struct("<II")
_BUFFER = 1 << 13
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_decode = json.JSONDecoder().raw_decode


class Spool:
    """Values of JSON in a temporary file, each found again by its place. For one thread at a time."""

    def __init__(self) -> None:
        try:
            self._stream = tempfile.TemporaryFile(prefix="revision-", buffering=_BUFFER)  # noqa: SIM115 - lives as long as this
        except OSError as error:
            raise _refused(error) from None
        weakref.finalize(self, _close, self._stream)
        self._end = 0
        self._writing = True

    def put(self, value: Any) -> int:
        """Keep ``value``; answers with its place.

        Raises:
            WriteError: the disk refused it.
        """
        data = _encode(value).encode("ascii")
        place = self._end
        try:
            if not self._writing:
                self._stream.seek(place)
                self._writing = True
            self._stream.write(_HEAD.pack(len(data), zlib.crc32(data)) + data)
        except OSError as error:
            raise _refused(error) from None
        self._end += _HEAD.size + len(data)
        return place

    def get(self, place: int) -> Any:
        """The value at ``place``; tuples come back as lists.

        Raises:
            WriteError: the disk did not take it after all, or does not give back what it took.
        """
        try:
            if self._writing:
                self._stream.flush()
                self._writing = False
            self._stream.seek(place)
            head = self._stream.read(_HEAD.size)
            size, checksum = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, -1)
            data = self._stream.read(size)
        except OSError as error:
            raise _refused(error) from None
        if not size or len(data) != size or zlib.crc32(data) != checksum:
            raise WriteError("spool.not_as_written", folder=tempfile.gettempdir())
        return _decode(data.decode("ascii"))[0]


def _refused(error: OSError) -> WriteError:
    return WriteError("spool.refused", folder=_folder(), reason=system_reason(error))


def _folder() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:  # there is none that could be written to
        return "TMPDIR"


def _close(stream: Any) -> None:
    try:
        stream.close()
    except OSError:
        # What the disk refused last was told when it was asked for; the file is gone either way.
        return
