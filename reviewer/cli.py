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
from scoring.cli.arguments import ArgumentParser, choose_language, file_path, one_of
from scoring.errors import UsageError
from scoring.jsonl import require_file
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
    'revision --abstraccion --gold gold.jsonl --outputs outputs.jsonl --revisor "Ana Ruiz"',
    "revision --informe-abstraccion informe.json --comparar-abstraccion anterior.json",
)
ORDERS = {
    "estado": "status",
    "validar": "sign",
    "retirar": "reasoned",
    "devolver": "reasoned",
    "reparar": "repair",
    "hoja": "paper",
    "comprobar": "check",
    "fusionar": "merge",
    "instalar_git": "install_git",
    "auditar": "audit",
    "historial": "history",
    "acuerdo": "agreement",
    "abstraccion": "disagreements",
}
"""Option -> module of ``reviewer.commands``; one order at a time."""
WITHOUT_CASES = ("abstraccion",)
"""Orders on other files than a set of cases."""
APP = "app"
"""No order: the app is opened, or without a terminal the status is told."""
SIGNING = ("validar", "retirar", "devolver", "reparar")
COMPANIONS = {
    "predicciones": (APP,),
    "gold": ("abstraccion",),
    "outputs": ("abstraccion",),
    "evidencia": ("abstraccion",),
    "registro": ("abstraccion",),
    "revisor": (*SIGNING, "abstraccion", APP),
    "informe_abstraccion": (APP,),
    "minimos_abstraccion": (APP,),
    "comparar_abstraccion": (APP,),
    "demo_nueva": (APP, "estado", "validar", "retirar", "devolver", "hoja", "comprobar"),
    "refirmar": ("validar",),
    "forzar": ("hoja",),
    "rechazar": ("validar",),
    "proponer": ("validar",),
    "derivacion": ("validar",),
    "alcance": ("validar",),
    "comentario": ("validar",),
    "adjudicar": ("validar",),
    "json": ("estado", "comprobar", "auditar", "historial", "acuerdo"),
    "clave": (*SIGNING, APP),
    "motivo": ("retirar", "devolver", "reparar"),
    "nombre_nuevo": SIGNING,
    "segun": ("reparar",),
    "devueltos": ("hoja",),
    "cabeza": ("auditar",),
    "exigir_clave": ("auditar",),
    "allowed_signers": ("auditar", "historial"),
}
"""Option -> orders it belongs to; elsewhere it is refused, never ignored."""
ABSTRACTION = (
    ("--informe-abstraccion", "report"),
    ("--minimos-abstraccion", "minimums"),
    ("--comparar-abstraccion", "earlier"),
)
ANSWERS = ("si", "no")
SCOPES = ("dentro", "fuera")
REPAIRS = ("registro", "refirmar", "retirar")


def _help(name: str) -> str:
    return messages.text(f"revision.help_{name}")


def _metavar(name: str) -> str:
    return messages.text(f"revision.metavar_{name}")


def build_parser() -> ArgumentParser:
    """The options of ``revision``, in the language in force."""
    parser = ArgumentParser(
        PROGRAM, description="revision.description", examples=EXAMPLES, notes="revision.exit_codes"
    )
    add = parser.add_argument
    add("--casos", type=file_path("--casos"), metavar="F", help=_help("casos"))
    add("--predicciones", type=file_path("--predicciones"), metavar="F", help=_help("predicciones"))
    for name, key in ABSTRACTION:
        add(name, type=file_path(name), metavar="F", help=messages.text(f"informe.help_{key}"))
    add("--revisor", metavar=messages.text("run_evals.metavar_name"), help=_help("revisor"))
    add("--estado", action="store_true", help=_help("estado"))
    add("--validar", nargs="+", metavar="ID", help=_help("validar"))
    add("--refirmar", action="store_true", help=_help("refirmar"))
    for name in ("rechazar", "proponer"):
        add(
            f"--{name}",
            nargs="+",
            action="extend",
            metavar=_metavar("differential"),
            help=messages.text(f"review.help_{name}"),
        )
    for name, answers in (("derivacion", ANSWERS), ("alcance", SCOPES)):
        add(
            f"--{name}",
            metavar="|".join(answers),
            type=one_of(f"--{name}", answers),
            help=messages.text(f"review.help_{name}"),
        )
    add("--comentario", metavar=_metavar("text"), help=messages.text("review.help_comentario"))
    add("--adjudicar", action="store_true", help=messages.text("review.help_adjudicar"))
    add("--retirar", nargs="+", metavar="ID", help=messages.text("deciding.help_retirar"))
    add("--devolver", nargs="+", metavar="ID", help=messages.text("deciding.help_devolver"))
    add("--reparar", nargs="*", metavar="ID", help=messages.text("repair.help_reparar"))
    add(
        "--segun",
        metavar="|".join(REPAIRS),
        type=one_of("--segun", REPAIRS),
        help=messages.text("repair.help_segun"),
    )
    add("--motivo", metavar=_metavar("text"), help=messages.text("deciding.help_motivo"))
    add("--nombre-nuevo", action="store_true", help=messages.text("deciding.help_nombre_nuevo"))
    add(
        "--hoja",
        nargs="?",
        const=Path(),
        type=file_path("--hoja", dash=True),
        metavar="F",
        help=_help("hoja"),
    )
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
        metavar=_metavar("digest"),
        help=messages.text("audit_order.help_cabeza"),
    )
    add("--exigir-clave", action="store_true", help=messages.text("audit_order.help_exigir_clave"))
    add(
        "--allowed-signers",
        type=file_path("--allowed-signers"),
        metavar="F",
        help=messages.text("audit_order.help_allowed_signers"),
    )
    add("--historial", metavar="ID", help=messages.text("history.help_historial"))
    add("--acuerdo", action="store_true", help=messages.text("review.help_acuerdo"))
    add(
        "--clave",
        type=file_path("--clave"),
        metavar=_metavar("key"),
        help=messages.text("audit_order.help_clave"),
    )
    add("--demo-nueva", action="store_true", help=_help("demo_nueva"))
    add("--abstraccion", action="store_true", help=messages.text("disagreements.help_abstraccion"))
    for name in ("gold", "outputs", "evidencia", "registro"):
        option = f"--{name}"
        add(option, type=file_path(option), metavar="F", help=messages.text(f"disagreements.help_{name}"))
    parser.add_common()
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one call; returns its exit code and never raises."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    choose_language(arguments)
    return console.run(lambda: _run(build_parser().parse(arguments)), program=PROGRAM)


def _run(options: argparse.Namespace) -> int:
    order = _order(options)
    if order in WITHOUT_CASES:
        if options.casos is not None:
            raise UsageError("revision.one_action", first="--casos", second=_option(order))
        return int(import_module(f"reviewer.commands.{ORDERS[order]}").run(options, _has_terminal()))
    if order is None:
        _require_app_options(options)
    source = find_cases(options.casos, os.environ, Path.cwd())
    if options.demo_nueva:
        source = start_demo_afresh(source)
    context = Context(options, source)
    if order is not None:
        context.say_what_takes_long()
        return int(import_module(f"reviewer.commands.{ORDERS[order]}").run(context))
    if not _has_terminal():
        if options.informe_abstraccion is not None:
            from reviewer.commands import abstraction

            return abstraction.print_table(options)
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
        is_given = getattr(options, name) not in (None, False)
        if is_given and not set(orders) & set(given or [APP]):
            raise UsageError("revision.goes_with", option=_option(name), needs=_said(orders))
    return given[0] if given else None


def _said(orders: Sequence[str]) -> str:
    """«con --estado, --comprobar o --auditar», «al abrir la aplicación», or both."""
    names = [_option(order) for order in orders if order != APP]
    if not names:
        return messages.text("revision.needs_app")
    listed = messages.text("revision.or", first=", ".join(names[:-1]), last=names[-1])
    key = "revision.needs_orders_or_app" if APP in orders else "revision.needs_orders"
    return messages.text(key, orders=listed if names[1:] else names[0])


def _require_app_options(options: argparse.Namespace) -> None:
    """What names the reviewer and the files of the app must be good, also where no app can be opened.

    Raises:
        UsageError: the reviewer has no name that can be shown, or a file is not there.
        DataError: the report of chart abstraction is none.
    """
    if options.revisor is not None:
        from reviewer.signing import check_reviewer

        check_reviewer(options.revisor)
    if options.predicciones is not None:
        require_file(options.predicciones)
    if any(getattr(options, name[2:].replace("-", "_")) is not None for name, _ in ABSTRACTION):
        from reviewer.commands import abstraction

        abstraction.require(options)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _has_terminal() -> bool:
    streams = (sys.stdin, sys.stdout)  # None if the shell closed them
    return all(stream is not None and stream.isatty() for stream in streams) and os.environ.get(
        "TERM", ""
    ) not in {"", "dumb"}
