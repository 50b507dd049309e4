"""Keys, allowed signers and signatures for the tests of keys."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.keys import KeySigner, check_keys
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import record_path, signed_bytes, take_snapshot

if TYPE_CHECKING:
    from scoring.record.key_checks import KeyCheck

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
PASSPHRASE = "contraseña larga"


def make_key(path: Path, passphrase: str = "", kind: str = "ed25519") -> Path:
    size = ["-b", "2048"] if kind == "rsa" else []
    subprocess.run(
        ["ssh-keygen", "-q", "-t", kind, *size, "-N", passphrase, "-C", path.name, "-f", str(path)],
        check=True,
    )
    return path


def allow(path: Path, *lines: tuple[str, Path]) -> Path:
    """Allowed signers: the options and names of each line, with the public key of a private one."""
    said = [f"{start} {Path(f'{key}.pub').read_text('utf-8')}" for start, key in lines]
    path.write_text("# quién es quién\n" + "".join(said), "utf-8")
    return path


def sign(
    data: Path, key: Path | None, who: str = "Iñigo Ruiz", case_id: str = "uno", *, resign: bool = False
) -> Dataset:
    signer = None if key is None else KeySigner(key, ask=False)
    order = Sign((case_id,), who, way="cli", signer=signer, resign=resign)
    return Dataset.open(data).apply(order, moment=NOW).dataset


def check(data: Path, signers: Path | None) -> KeyCheck:
    """The check of the only entry with a key."""
    (found,) = check_keys(take_snapshot(data).record.entries, signers).values()
    return found


def folder_of(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in data.parent.iterdir()}


def ssh_fingerprint(key: Path) -> str:
    done = subprocess.run(["ssh-keygen", "-lf", f"{key}.pub"], capture_output=True, text=True, check=True)
    return done.stdout.split()[1]


def _armoured(data: Path) -> str:
    return signed_bytes(record_path(data).read_bytes().splitlines()[-1])[1] or ""
