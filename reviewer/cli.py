"""``revision``: the app on a terminal, and its orders for scripts and continuous integration.

This module knows the options and which order goes with which; what an order does is in
``reviewer.commands``, loaded only when it is asked for.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.commands.context import PROGRAM, Context, start_demo_afresh
from scoring import messages
from scoring.cli import console
from scoring.cli.arguments import ArgumentParser, choose_language
from scoring.errors import UsageError
from scoring.sources import find_cases

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

EXAMPLES = (
    "revision",
    "revision --casos mis_casos.jsonl --predicciones salidas.jsonl",
    "revision --estado --json",
    'revision --validar piometra-canino babesiosis-canino --revisor "Ana Ruiz"',
    'revision --devolver babesiosis-canino --revisor "Ana Ruiz" --motivo "Falta la edad"',
    "revision --hoja pendientes.md",
    "revision --comprobar --casos mis_casos.jsonl",
    "revision --auditar --allowed-signers allowed_signers",
    "revision --historial piometra-canino",
)
ORDERS = {
    "estado": "status",
    "validar": "sign",
    "retirar": "withdraw",
    "devolver": "return_case",
    "reparar": "repair",
    "hoja": "paper",
    "comprobar": "check",
    "fusionar": "merge",
    "instalar_git": "install_git",
    "auditar": "audit",
    "historial": "history",
}
"""Option -> module of ``reviewer.commands``; one order at a time."""
COMPANIONS = {
    "refirmar": ("validar",),
    "forzar": ("hoja",),
    "json": ("estado", "comprobar", "auditar", "historial"),
    "clave": ("validar", "retirar", "devolver", "reparar"),
    "motivo": ("retirar", "devolver", "reparar"),
    "nombre_nuevo": ("validar", "retirar", "devolver", "reparar"),
    "segun": ("reparar",),
    "devueltos": ("hoja",),
    "cabeza": ("auditar",),
    "exigir_clave": ("auditar",),
    "allowed_signers": ("auditar", "historial"),
}
"""Option -> orders it belongs to; elsewhere it is refused, never ignored."""


def _help(name: str) -> str:
    return messages.text(f"revision.help_{name}")


def build_parser() -> ArgumentParser:
    """The options of ``revision``, in the language in force."""
    parser = ArgumentParser(
        PROGRAM, description="revision.description", examples=EXAMPLES, notes="revision.exit_codes"
    )
    add = parser.add_argument
    add("--casos", type=Path, metavar="F", help=_help("casos"))
    add("--predicciones", type=Path, metavar="F", help=_help("predicciones"))
    add("--revisor", metavar="NOMBRE", help=_help("revisor"))
    add("--estado", action="store_true", help=_help("estado"))
    add("--validar", nargs="+", metavar="ID", help=_help("validar"))
    add("--refirmar", action="store_true", help=_help("refirmar"))
    add("--retirar", nargs="+", metavar="ID", help=messages.text("deciding.help_retirar"))
    add("--devolver", nargs="+", metavar="ID", help=messages.text("deciding.help_devolver"))
    add("--reparar", nargs="*", metavar="ID", help=messages.text("repair.help_reparar"))
    add("--segun", choices=("registro", "refirmar", "retirar"), help=messages.text("repair.help_segun"))
    add("--motivo", metavar="TEXTO", help=messages.text("deciding.help_motivo"))
    add("--nombre-nuevo", action="store_true", help=messages.text("deciding.help_nombre_nuevo"))
    add("--hoja", nargs="?", const=Path(), type=Path, metavar="F", help=_help("hoja"))
    add("--devueltos", action="store_true", help=messages.text("deciding.help_devueltos"))
    add("--forzar", action="store_true", help=_help("forzar"))
    add("--comprobar", action="store_true", help=_help("comprobar"))
    add("--json", action="store_true", help=_help("json"))
    add("--fusionar", nargs=3, metavar=("BASE", "A", "B"), help=messages.text("merge.help_fusionar"))
    add("--instalar-git", action="store_true", help=messages.text("merge.help_instalar_git"))
    add("--auditar", action="store_true", help=messages.text("audit_order.help_auditar"))
    add(
        "--cabeza",
        nargs="+",
        action="extend",
        metavar="HUELLA",
        help=messages.text("audit_order.help_cabeza"),
    )
    add("--exigir-clave", action="store_true", help=messages.text("audit_order.help_exigir_clave"))
    add("--allowed-signers", type=Path, metavar="F", help=messages.text("audit_order.help_allowed_signers"))
    add("--historial", metavar="ID", help=messages.text("history.help_historial"))
    add("--clave", type=Path, metavar="CLAVE", help=messages.text("audit_order.help_clave"))
    add("--demo-nueva", action="store_true", help=_help("demo_nueva"))
    parser.add_common()
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one call; returns its exit code and never raises."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    choose_language(arguments)
    return console.run(lambda: _run(build_parser().parse(arguments)), program=PROGRAM)


def _run(options: argparse.Namespace) -> int:
    order = _order(options)
    source = find_cases(options.casos, os.environ, Path.cwd())
    if options.demo_nueva:
        source = start_demo_afresh(source)
    context = Context(options, source)
    if order is not None:
        return int(import_module(f"reviewer.commands.{ORDERS[order]}").run(context))
    if not _has_terminal():
        from reviewer.commands import status

        return status.run_without_terminal(context)
    from reviewer.commands import open_app

    return open_app.run(context)


def _order(options: argparse.Namespace) -> str | None:
    """The order that was given, or None.

    Raises:
        UsageError: several orders, or an option that belongs to another one.
    """
    given = [name for name in ORDERS if getattr(options, name) not in (None, False)]
    if len(given) > 1:
        raise UsageError("revision.one_action", first=_option(given[0]), second=_option(given[1]))
    for name, orders in COMPANIONS.items():
        if getattr(options, name) and not set(orders) & set(given):
            needs = " / ".join(_option(order) for order in orders)
            raise UsageError("revision.goes_with", option=_option(name), needs=needs)
    return given[0] if given else None


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _has_terminal() -> bool:
    streams = (sys.stdin, sys.stdout)  # None if the shell closed them
    return all(stream is not None and stream.isatty() for stream in streams) and os.environ.get(
        "TERM", ""
    ) not in {"", "dumb"}
