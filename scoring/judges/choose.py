"""Which judge is used, and the sentence that says so or says why there is none.

``auto`` takes a server on this machine and nothing else, so that no text leaves it because of a default.
A server elsewhere is used only when somebody named it, and then the run says where the text goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.errors import ExitCode, ProductError, UsageError
from scoring.judges import ollama, openai_api
from scoring.judges.errors import ModelError
from scoring.judges.settings import JUDGE, KINDS, Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.judges.exchange import Cancel
    from scoring.judges.transport import Transport

NONE = "ninguno"
AUTO = "auto"
CHOICES = (AUTO, *KINDS, NONE)
_PROBE_SECONDS = 3.0
_MODELS_NAMED = 5
_NAME_SHOWN = 60


class AbsentError(ProductError):
    """A model that was asked for by name cannot be used (exit 7)."""

    exit_code = ExitCode.NO_VERDICT


@dataclass(frozen=True, slots=True)
class Chosen:
    """What ``--juez`` came to.

    Attributes:
        transport: the way to the judge, or None.
        settings: how it is asked, or None.
        by_name: it was asked for by name; its absence withholds the verdict.
        why_not: the sentence that says why there is none; empty when there is one or none was wanted.
    """

    transport: Transport | None = None
    settings: Settings | None = None
    by_name: bool = False
    why_not: str = ""

    @property
    def wanted(self) -> bool:
        """Somebody asked for a judge, or would take one."""
        return self.transport is not None or bool(self.why_not)


def choose(
    asked: str, env: Mapping[str, str], cancel: Cancel, *, data: Mapping[str, Any] | None = None
) -> Chosen:
    """The judge that ``asked`` names, tried with one short request.

    Args:
        asked: ``auto``, ``ollama``, ``openai``, ``claude``, ``ninguno``, or the address of a server.
        env: the environment.
        cancel: ends the trial.
        data: the table of thresholds and settings in force; None takes the shipped one.

    Raises:
        UsageError: an address or a setting that is none.
    """
    if asked == NONE:
        return Chosen()
    by_name = asked != AUTO
    try:
        if asked == AUTO:
            settings = _auto(env, cancel, data)
        elif "://" in asked:
            settings = detect(asked, env, cancel, data=data)
        else:
            settings = _kept_here(read_settings(asked, env, data=data))
        transport = connect(settings, cancel)
    except (ModelError, AbsentError) as error:
        return Chosen(by_name=by_name, why_not=str(error))
    return Chosen(transport, settings, by_name)


def _kept_here(settings: Settings) -> Settings:
    """The settings, unless it is only a file that names a server elsewhere.

    A table that came with the data must not decide where their text goes.
    """
    if settings.server.local or settings.server_named or settings.server_shipped:
        return settings
    raise AbsentError("judges.not_named", address=settings.server.address)


def _auto(env: Mapping[str, str], cancel: Cancel, data: Mapping[str, Any] | None) -> Settings:
    settings = read_settings("ollama", env, data=data)
    if not settings.server.local:
        raise AbsentError("judges.auto_stays_here", address=settings.server.address)
    return detect(settings.server.address, env, cancel, data=data) if settings.server_named else settings


def detect(
    url: str,
    env: Mapping[str, str],
    cancel: Cancel,
    *,
    role: str = JUDGE,
    data: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings of the server at ``url``, after finding out which protocol it speaks.

    Raises:
        UsageError: ``url`` is no address.
        ModelError: nothing usable answers there.
    """
    settings = read_settings("openai", env, url=url, role=role, data=data)
    if settings.server.path.endswith("/v1"):
        return settings
    ollama_settings = read_settings("ollama", env, url=url, role=role, data=data)
    try:
        ollama.models(settings.server, seconds=_PROBE_SECONDS, cancel=cancel)
    except ModelError as error:
        if error.code == "unreachable":
            raise
        # The protocol's usual prefix, for an address that stops at the port.
        return read_settings("openai", env, url=f"{settings.server.address}/v1", role=role, data=data)
    return ollama_settings


def connect(settings: Settings, cancel: Cancel, *, model: str | None = None) -> Transport:
    """The way to the model of ``settings``, after one short request that finds it there.

    Args:
        settings: which server and how.
        cancel: ends the trial.
        model: the model, where an option named it.

    Raises:
        ModelError: the server does not answer as it should.
        AbsentError: it has no such model, or a key or the SDK is missing.
    """
    wanted = settings.model if model is None else model
    if settings.kind == "claude":
        from scoring.judges.claude import Claude, MissingExtraError, load_sdk

        if not settings.key:
            raise AbsentError("judges.no_key")
        try:
            load_sdk()
        except MissingExtraError as error:
            raise AbsentError(error.key, **error.fields) from None
        return Claude(settings.server, wanted, settings.key)
    seconds = min(_PROBE_SECONDS, settings.seconds)
    if settings.kind == "ollama":
        offered = ollama.models(settings.server, seconds=seconds, cancel=cancel)
        if not wanted and len(offered) == 1:
            wanted = offered[0]
        found = [name for name in offered if wanted and ollama.same_model(wanted, name)]
        if not found:
            raise _no_model(wanted, offered, settings)
        return ollama.Ollama(settings.server, found[0], settings.context)
    offered = openai_api.models(settings.server, key=settings.key, seconds=seconds, cancel=cancel)
    if not wanted and len(offered) == 1:
        wanted = offered[0]
    if wanted not in offered:
        raise _no_model(wanted, offered, settings)
    return openai_api.OpenAI(settings.server, wanted, settings.key)


def _no_model(wanted: str, offered: tuple[str, ...], settings: Settings) -> AbsentError:
    names = ", ".join(name[:_NAME_SHOWN] for name in offered[:_MODELS_NAMED]) + (
        ", ..." if len(offered) > _MODELS_NAMED else ""
    )
    key = "judges.no_model" if wanted else "judges.which_model"
    return AbsentError(key, model=wanted, address=settings.server.address, offered=names or "-")


def judge_option(found: str) -> str:
    """A value of ``--juez``: one of the names, or an address.

    Raises:
        UsageError: it is neither.
    """
    import difflib

    if found in CHOICES:
        return found
    if "://" in found:
        from scoring.judges.servers import parse_server

        parse_server(found, option="--juez")
        return found
    near = difflib.get_close_matches(found, CHOICES, n=1)
    choices = ", ".join((*CHOICES, "http://..."))
    if near:
        raise UsageError(
            "cli.unknown_value_near", option="--juez", found=found, near=near[0], choices=choices
        )
    raise UsageError("cli.unknown_value", option="--juez", found=found, choices=choices)


def destination(transport: Transport) -> str:
    """The sentence that says where the text goes."""
    server = transport.server
    if server.local:
        return messages.text("judges.goes_here", address=server.address, model=transport.model)
    key = "judges.goes_away" if server.encrypted else "judges.goes_away_open"
    return messages.text(key, address=server.address, model=transport.model)
