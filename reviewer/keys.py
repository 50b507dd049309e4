"""Signatures by key: made and verified by ``ssh-keygen``, which alone ever opens a private key.

What is signed are the bytes that ``docs/data.md`` defines. A key vouches for a name only through the
allowed signers: one of the names on the key's line there must be the reviewer's. The time that counts
for a key's validity is the one the entry bears, as with git.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING

from scoring import messages
from scoring.cli import console
from scoring.errors import UsageError, system_reason
from scoring.files import resolve, write_error
from scoring.plain import plain
from scoring.record import Kind, signed_bytes
from scoring.record.entries import SIGNATURE_NAMESPACE
from scoring.record.key_checks import KeyCheck, KeyState
from scoring.record.lines import EntryError
from scoring.sources import configured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reviewer.store.plan import Signer
    from scoring.record import Transaction

PROGRAM = "ssh-keygen"
KEY_VARIABLE = "REVISION_CLAVE"
SIGNERS_VARIABLE = "REVISION_ALLOWED_SIGNERS"
SIGNERS_NAME = "allowed_signers"
_OPTION = rb'(?:[a-z-]+="[^"]*"|[a-z]+-[a-z-]+)'
_SIGNER = re.compile(
    rb'(?:"[^"]+"|[^\s"]+)\s+'
    rb"(?:" + _OPTION + rb"(?:," + _OPTION + rb")*\s+)?"
    rb"(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+\s+AAAA[\w+/=]+(?:\s|$)"
)
"""Somebody, options, the kind of a key and the key (ssh-keygen(1), ALLOWED SIGNERS).

ssh-keygen passes over a line it cannot read in silence, and that person's signatures look like nobody's.
"""
_ARMOUR = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----")
_MAGIC = b"SSHSIG"
# What ssh-keygen says when somebody has to touch a hardware key; everything else is kept for the error.
_FOR_THE_PERSON = "Confirm user presence"
_TOO_OPEN = "are too open"
_WORKERS = 4


def available() -> bool:
    """``ssh-keygen`` is on this computer."""
    return shutil.which(PROGRAM) is not None


def find_key(option: Path | None, env: Mapping[str, str], cwd: Path) -> Path | None:
    """The key to sign with: the option, then ``REVISION_CLAVE``, then ``clave`` in ``revision.toml``.

    Raises:
        UsageError: ``revision.toml`` cannot be read or its ``clave`` is no text.
    """
    return _named(option, env.get(KEY_VARIABLE, ""), "clave", cwd)


def find_signers(option: Path | None, env: Mapping[str, str], cwd: Path, data_path: Path) -> Path | None:
    """The allowed signers: the option, ``REVISION_ALLOWED_SIGNERS``, ``revision.toml``, or beside the data.

    Raises:
        UsageError: the file that was named is not there or cannot be read, or a line of it is none of such a
            file: every key would seem to be nobody's.
    """
    path = _named(option, env.get(SIGNERS_VARIABLE, ""), SIGNERS_NAME, cwd)
    if path is None:
        path = resolve(data_path).with_name(SIGNERS_NAME)
        if not path.exists():
            return None
    try:
        lines = path.read_bytes().splitlines()
    except (OSError, ValueError) as error:
        raise UsageError("keys.signers_unreadable", path=path, reason=system_reason(error)) from None
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare and not bare.startswith(b"#") and _SIGNER.match(bare) is None:
            raise UsageError("keys.signers_line", path=path, line=number)
    return path.absolute()


def _named(option: Path | None, variable: str, setting: str, cwd: Path) -> Path | None:
    if option is not None:
        return option
    if variable.strip():
        return Path(variable.strip()).expanduser()
    path = configured(cwd, setting)
    if path is None or not path.is_relative_to(cwd):
        return path
    return cwd / path.relative_to(cwd).expanduser()


@dataclass(frozen=True, slots=True)
class KeySigner:
    """Signs record lines with the SSH key at ``path`` (a public one, if its private half is in an agent).

    Attributes:
        path: given to ``ssh-keygen`` as it is; this program does not open it.
        ask: ``ssh-keygen`` may ask for a passphrase on the terminal; otherwise only an agent helps.
    """

    path: Path
    ask: bool = True

    def __call__(self, message: bytes) -> str:
        """The armoured signature of ``message``.

        Raises:
            UsageError: there is no such key, no ``ssh-keygen``, or it refused or was cancelled.
            WriteError: the temporary folder cannot be written to.
        """
        if not available():
            raise UsageError("keys.no_program")
        if not self.path.exists():
            raise UsageError("keys.no_key", path=self.path)
        try:
            with tempfile.TemporaryDirectory(prefix="revision-clave-") as folder:
                return self._sign(Path(folder), message)
        except OSError as error:
            raise write_error(Path(tempfile.gettempdir()), error) from None

    def _sign(self, folder: Path, message: bytes) -> str:
        line, made = folder / "linea", folder / "linea.sig"
        line.write_bytes(message)
        code, said = self._run(line)
        if code != 0 or not made.exists():
            raise self._refusal(said)
        armoured = made.read_text(encoding="ascii", errors="replace")
        # A program that only pretends to be ssh-keygen, or a faulty token, would be recorded for ever.
        if not fingerprint(armoured) or not _genuine(made, message):
            raise UsageError("keys.bad_signature", path=self.path)
        return armoured

    def _run(self, line: Path) -> tuple[int, list[str]]:
        """Exit code and what it said on stderr; prompts go to the terminal by themselves."""
        command = [PROGRAM, "-Y", "sign", "-n", SIGNATURE_NAMESPACE, "-f", str(self.path), str(line)]
        with ExitStack() as stack:
            process = stack.enter_context(
                subprocess.Popen(
                    command,
                    stdin=self._terminal(stack),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    env=_environment(),
                    start_new_session=not self.ask,
                )
            )
            said: list[str] = []
            for raw in process.stderr or ():
                text = raw.decode("utf-8", "replace").strip()
                if text.startswith(_FOR_THE_PERSON):
                    console.talk(plain(text))
                elif text:
                    said.append(text)
        return process.returncode, said

    def _terminal(self, stack: ExitStack) -> int | IO[bytes] | None:
        """What ``ssh-keygen`` gets as its input: it asks on the terminal only if this is one."""
        if self.ask and sys.stdin is not None and sys.stdin.isatty():
            return None
        if self.ask:
            try:
                return stack.enter_context(Path("/dev/tty").open("rb"))
            except OSError:
                pass
        return subprocess.DEVNULL

    def _refusal(self, said: list[str]) -> UsageError:
        if any(_TOO_OPEN in text for text in said):
            # The last line says that there is no key, which sends people looking for the wrong thing.
            return UsageError("keys.too_open", path=self.path)
        reason = said[-1] if said else "?"
        if "passphrase" in reason:
            key = (
                "keys.wrong_passphrase"
                if self.ask and _has_terminal()
                else "keys.passphrase_without_terminal"
            )
            return UsageError(key, path=self.path)
        return UsageError("keys.refused", path=self.path, reason=reason)


class Occasion(StrEnum):
    """What a key is about to sign."""

    FIRST = "first"
    CORRECTION = "correction"
    SIGNATURE = "signature"
    AGAIN = "again"
    """The same once more: somebody else saved meanwhile, and the line has to follow theirs."""


class Announced:
    """A signer that says before each signature what it is for.

    Each line of the record is signed by itself, so a correction and its signature ask twice; without a
    word the second time looks as if the first passphrase had been wrong.
    """

    def __init__(self, signer: Signer, tell: Callable[[Occasion], None]) -> None:
        self._signer, self._tell = signer, tell
        self._before = ""

    def __call__(self, message: bytes) -> str:
        """The signature of a record line; see :class:`KeySigner`."""
        before, self._before = self._before, str(json.loads(message).get("tipo"))
        if not before:
            occasion = Occasion.FIRST
        elif before == self._before:
            occasion = Occasion.AGAIN
        else:
            occasion = Occasion.CORRECTION if self._before == Kind.EDITA else Occasion.SIGNATURE
        self._tell(occasion)
        return self._signer(message)


def find_signer(
    option: Path | None, env: Mapping[str, str], cwd: Path, *, ask: bool = True
) -> KeySigner | None:
    """The signer of :func:`find_key`'s key; None when nobody named one: then signatures are by name."""
    path = find_key(option, env, cwd)
    return None if path is None else KeySigner(path, ask=ask)


def _has_terminal() -> bool:
    try:
        with Path("/dev/tty").open("rb"):
            return True
    except OSError:
        return False


def check_keys(entries: Iterable[Transaction], signers: Path | None) -> dict[str, KeyCheck]:
    """What is known of the key behind each entry that has one, by digest.

    Args:
        entries: of a record; those without a key are passed over.
        signers: the allowed signers, or None: then only that the key signed the line is verified.

    Raises:
        UsageError: there are keys to verify against ``signers`` and no ``ssh-keygen``.
        WriteError: the temporary folder cannot be written to.
    """
    keyed = [entry for entry in entries if entry.has_key]
    if not keyed:
        return {}
    if not available():
        if signers is not None:
            raise UsageError("keys.no_program")
        return {entry.digest: KeyCheck(KeyState.SIN_PROGRAMA, _fingerprint_of(entry)) for entry in keyed}
    try:
        with (
            tempfile.TemporaryDirectory(prefix="revision-clave-") as folder,
            ThreadPoolExecutor(_WORKERS) as pool,
        ):
            checks = pool.map(lambda entry: _check(Path(folder), entry, signers), keyed)
            return {entry.digest: check for entry, check in zip(keyed, checks, strict=True)}
    except OSError as error:
        raise write_error(Path(tempfile.gettempdir()), error) from None


def stranger_notice(entry: Transaction, signers: Path | None) -> str:
    """What to say when the key behind a saved entry is not the named person's; empty if nobody can tell.

    Raises:
        WriteError: the temporary folder cannot be written to.
    """
    if signers is None or not entry.has_key or not available():
        return ""
    found = check_keys([entry], signers)[entry.digest]
    if found.state is not KeyState.AJENA:
        return ""
    return messages.text("keys.stranger", key=found.fingerprint, reviewer=entry.reviewer or "?", path=signers)


def _fingerprint_of(entry: Transaction) -> str:
    try:
        return fingerprint(signed_bytes(entry.raw)[1] or "")
    except EntryError:
        return ""


def _check(folder: Path, entry: Transaction, signers: Path | None) -> KeyCheck:
    try:
        message, armoured = signed_bytes(entry.raw)
    except EntryError:
        return KeyCheck(KeyState.FALSA)
    text = armoured or ""
    signature = folder / f"{entry.digest}.sig"
    signature.write_text(text, encoding="utf-8")
    key = fingerprint(text)
    if not key or not _genuine(signature, message):
        return KeyCheck(KeyState.FALSA, key)
    if signers is None:
        return KeyCheck(KeyState.SIN_COMPROBAR, key)
    principal = _principal(signers, signature, message, entry)
    if principal is None:
        return KeyCheck(KeyState.AJENA, key)
    return KeyCheck(KeyState.COMPROBADA, key, principal)


def _genuine(signature: Path, message: bytes) -> bool:
    """The key that the signature names signed ``message`` in our namespace."""
    done = _keygen("check-novalidate", "-n", SIGNATURE_NAMESPACE, "-s", str(signature), message=message)
    return done.returncode == 0


def _principal(signers: Path, signature: Path, message: bytes, entry: Transaction) -> str | None:
    """The name of the reviewer for which the allowed signers admit this key at that time."""
    name = entry.reviewer or ""
    moment = (entry.utc or "")[:19].replace("-", "").replace("T", "").replace(":", "")
    when = [f"-Overify-time={moment}"] if moment else []
    files = ["-f", str(signers), "-s", str(signature)]
    listed = _keygen("find-principals", *files, *when, message=b"")
    others = [
        found
        for found in listed.stdout.decode("utf-8", "replace").splitlines()
        if _fold(found) == _fold(name)
    ]
    for candidate in dict.fromkeys([name, *others]):
        done = _keygen("verify", *files, "-I", candidate, "-n", SIGNATURE_NAMESPACE, *when, message=message)
        if done.returncode == 0:
            return candidate
    return None


def _fold(name: str) -> str:
    """Names that differ only in blanks or case are one person's."""
    return " ".join(unicodedata.normalize("NFC", name).split()).casefold()


def _keygen(action: str, *arguments: str, message: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [PROGRAM, "-Y", action, *arguments],
        input=message,
        capture_output=True,
        env=_environment(),
        check=False,
    )


def _environment() -> dict[str, str]:
    # Times without a zone are read in the local one.
    return {**os.environ, "TZ": "UTC"}


def fingerprint(armoured: str) -> str:
    """``SHA256:...`` of the public key inside an armoured SSH signature; empty if it is none of ours."""
    lines = armoured.strip().splitlines()
    if len(lines) < 3 or (lines[0], lines[-1]) != _ARMOUR:
        return ""
    try:
        blob = base64.b64decode("".join(lines[1:-1]), validate=True)
    except (binascii.Error, ValueError):
        return ""
    if not blob.startswith(_MAGIC):
        return ""
    start = len(_MAGIC) + 4
    size = int.from_bytes(blob[start : start + 4], "big")
    key = blob[start + 4 : start + 4 + size]
    if not key or len(key) != size:
        return ""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode("ascii").rstrip("=")
