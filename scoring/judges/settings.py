"""How a model is asked: ``casos/umbrales.toml``, changed by ``REVISION_JUEZ_*`` and ``REVISION_MODELO_*``.

Numbers are written as text and read as decimals, as the thresholds are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from scoring.errors import UsageError
from scoring.judges.servers import Server, parse_server
from scoring.tables import THRESHOLDS, thresholds_table

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE = THRESHOLDS
JUDGE = "juez"
MODEL = "modelo"
KINDS = ("ollama", "openai", "claude")

_LIMITS: dict[str, tuple[Decimal, Decimal, bool]] = {
    # name -> smallest, largest, whole number
    "segundos": (Decimal("0.1"), Decimal(86_400), False),
    "tokens": (Decimal(1), Decimal(1_000_000), True),
    "espera": (Decimal(0), Decimal(3600), False),
    "espera_maxima": (Decimal(0), Decimal(86_400), False),
    "concurrencia": (Decimal(1), Decimal(64), True),
    "contexto": (Decimal(1024), Decimal(4_194_304), True),
    "precio_entrada": (Decimal(0), Decimal(1_000_000), False),
    "precio_salida": (Decimal(0), Decimal(1_000_000), False),
    "fraccion_medida": (Decimal(0), Decimal(1), False),
    "minimo_medidos": (Decimal(1), Decimal(1_000_000), True),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How one kind of server is asked.

    Attributes:
        kind: ``ollama``, ``openai`` or ``claude``.
        server: where the text goes.
        server_named: an option or the environment named it; otherwise a table did.
        server_shipped: it is the address that comes with the tool.
        model: name of the model; empty if none is set.
        key: the key of the service, from the environment only; never shown or stored.
        concurrency: questions under way at once.
        seconds: for one exchange.
        tokens: most tokens of an answer.
        context: most tokens of question and answer (Ollama).
        pause: seconds before a failed question is put again.
        longest_pause: a server that asks for a longer one is not asked again about that case.
        price_in: price of a million tokens of questions, or None.
        price_out: price of a million tokens of answers, or None.
    """

    kind: str
    server: Server
    server_named: bool
    server_shipped: bool
    model: str
    key: str = field(repr=False)
    concurrency: int
    seconds: float
    tokens: int
    context: int
    pause: float
    longest_pause: float
    price_in: Decimal | None
    price_out: Decimal | None


def number(name: str, written: object, *, source: str) -> Decimal:
    """A setting as a decimal within its limits.

    Raises:
        UsageError: it is none.
    """
    low, high, whole = _LIMITS[name]
    try:
        value = Decimal(written) if isinstance(written, str) else None
    except InvalidOperation:
        value = None
    if value is None or not value.is_finite() or not low <= value <= high or (whole and value % 1):
        raise UsageError(
            "judges.bad_setting", source=source, found=str(written), low=f"{low:f}", high=f"{high:f}"
        )
    return value


def read_settings(
    kind: str,
    env: Mapping[str, str],
    *,
    url: str | None = None,
    role: str = JUDGE,
    data: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings of one kind of server.

    Args:
        kind: ``ollama``, ``openai`` or ``claude``.
        env: the environment; an empty variable counts as absent.
        url: the server where an option named it.
        role: :data:`JUDGE`, or :data:`MODEL` for the model under test, which has its own section and
            variables (``REVISION_MODELO_*``) and no default model.
        data: the table of thresholds in force; None takes the shipped one.

    Raises:
        UsageError: a variable or the table holds no usable value.
    """
    shipped = thresholds_table(None)
    in_force = shipped if data is None else data
    common = in_force[role]
    own = in_force[JUDGE]["servidor"].get(kind, {})
    prefix = f"REVISION_{role.upper()}_"

    def said(name: str) -> tuple[Any, str]:
        variable = prefix + name.upper()
        if env.get(variable, "").strip():
            return env[variable].strip(), variable
        if name == "modelo" and role == MODEL:
            return "", role
        return own.get(name, common.get(name)), f"{TABLE}: {role}.{name}"

    def figure(name: str, default: str | None = None) -> Decimal | None:
        written, source = said(name)
        written = default if written is None else written
        return None if written is None else number(name, written, source=source)

    def needed(name: str, default: str = "0") -> Decimal:
        return figure(name, default) or Decimal(0)

    address, source = (url, "url") if url is not None else said("url")
    model, _ = said("modelo")
    key = env.get(f"{prefix}CLAVE", "").strip()
    if kind == "claude" and not key:
        key = env.get("ANTHROPIC_API_KEY", "").strip()
    return Settings(
        kind=kind,
        server=parse_server(str(address), option=source),
        server_named=url is not None or source.startswith(prefix),
        server_shipped=address == shipped[JUDGE]["servidor"].get(kind, {}).get("url"),
        model=str(model or ""),
        key=key,
        concurrency=int(needed("concurrencia", "1")),
        seconds=float(needed("segundos", "180")),
        tokens=int(needed("tokens", "1200")),
        context=int(needed("contexto", "32768")),
        pause=float(needed("espera")),
        longest_pause=float(needed("espera_maxima")),
        price_in=figure("precio_entrada"),
        price_out=figure("precio_salida"),
    )
