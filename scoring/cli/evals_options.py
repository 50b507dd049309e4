"""The options of ``run-evals`` and which of them go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring import messages
from scoring.access import person
from scoring.cli.arguments import ArgumentParser, file_path, one_of
from scoring.cli.outputs import FORMATS, check_formats, wanted
from scoring.clinical import SPLIT_CHOICES, known_rules
from scoring.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

PROGRAM = "run-evals"
JUDGES = "auto|ollama|openai|claude|ninguno|URL"


def parser() -> ArgumentParser:
    """The parser of ``run-evals``."""
    built = ArgumentParser(
        PROGRAM,
        description="run_evals.description",
        examples=(
            "run-evals --predicciones salidas.jsonl",
            "run-evals --casos casos.jsonl --predicciones salidas.jsonl --informe informe.json",
            "run-evals --predicciones salidas.jsonl --split test",
            "run-evals --predicciones salidas.jsonl --comparar informe_anterior.json",
            "run-evals --predicciones salidas.jsonl --formato junit=puerta.xml --formato markdown=resumen.md",
            "run-evals --predicciones salidas.jsonl --juez ollama --reanudar",
            "run-evals --modelo http://127.0.0.1:11434 --guardar-predicciones salidas.jsonl",
            "run-evals --simular",
        ),
        notes="run_evals.exit_codes",
    )

    def say(name: str) -> str:
        return messages.text(f"run_evals.help_{name}")

    file = messages.text("run_evals.metavar_file")
    name = messages.text("run_evals.metavar_name")
    add = built.add_argument
    add("--casos", metavar=file, type=file_path("--casos"), help=say("cases"))
    add("--predicciones", metavar=file, type=file_path("--predicciones"), help=say("predictions"))
    add("--simular", action="store_true", help=say("simulate"))
    add("--modelo", metavar="URL", type=_server("--modelo"), help=say("model"))
    add("--modelo-nombre", metavar=name, help=say("model_name"))
    add("--plantilla", metavar=file, type=file_path("--plantilla"), help=say("template"))
    add(
        "--guardar-predicciones",
        metavar=file,
        type=file_path("--guardar-predicciones"),
        help=say("save_outputs"),
    )
    add(
        "--split",
        metavar="|".join(SPLIT_CHOICES),
        type=one_of("--split", SPLIT_CHOICES),
        default="dev",
        help=say("split"),
    )
    add("--incluir-pendientes", action="store_true", help=say("pending"))
    add("--reglas", metavar="|".join(known_rules()), type=_rules, help=say("rules"))
    add("--umbrales", metavar=file, type=file_path("--umbrales"), help=say("thresholds"))
    add("--juez", metavar=JUDGES, type=judge_type, default="auto", help=say("judge"))
    add("--juez-informativo", action="store_true", help=say("judge_informative"))
    add("--fragmentos", metavar=file, type=file_path("--fragmentos"), help=say("passages"))
    add("--guardar-juicios", metavar=file, type=file_path("--guardar-juicios"), help=say("save_judgements"))
    add("--reanudar", action="store_true", help=say("resume"))
    add("--calibrar-juez", metavar=file, type=file_path("--calibrar-juez"), help=say("calibrate"))
    add("--calibracion", metavar=file, type=file_path("--calibracion"), help=say("calibration"))
    add("--informe", metavar=file, type=file_path("--informe"), help=say("report"))
    add("--formato", metavar="|".join(FORMATS), type=wanted, action="append", default=[], help=say("format"))
    add("--comparar", metavar=file, type=file_path("--comparar"), help=say("compare"))
    add("--detalle-test", action="store_true", help=say("reserved_detail"))
    add("--revisor", metavar=name, help=say("reviewer"))
    add("--ignorar-desconocidas", action="store_true", help=say("ignore_unknown"))
    built.add_common()
    return built


def _rules(found: str) -> str:
    return one_of("--reglas", known_rules())(found)


def judge_type(found: str) -> str:
    """The converter of ``--juez``."""
    from scoring.judges.choose import judge_option

    return judge_option(found)


def _server(option: str) -> Callable[[str], str]:
    def convert(found: str) -> str:
        from scoring.judges.servers import parse_server

        parse_server(found, option=option)
        return found

    return convert


def check(options: argparse.Namespace) -> None:
    """Refuse options that contradict one another or would have no effect.

    Raises:
        UsageError: naming them.
    """
    check_formats(options.formato)
    if options.detalle_test and options.split == "dev":
        raise UsageError("access.not_reserved")
    if options.revisor is not None and not options.detalle_test:
        raise UsageError("access.name_alone")
    if options.detalle_test:
        options.revisor = person(options.revisor)
    given = [options.predicciones is not None, options.simular, options.modelo is not None]
    if sum(given) > 1:
        raise UsageError("run_evals.both_sources")
    if not any(given):
        raise UsageError("run_evals.no_source")
    if options.modelo is None:
        for option, value in (
            ("--modelo-nombre", options.modelo_nombre),
            ("--plantilla", options.plantilla),
        ):
            if value is not None:
                raise UsageError("generate.without_model", option=option)
        if options.guardar_predicciones is not None and not options.simular:
            raise UsageError("generate.file_without_model")
        if options.reanudar and options.juez == "ninguno":
            raise UsageError("generate.nothing_to_resume")
    elif options.guardar_predicciones is None:
        raise UsageError("generate.no_file")
    if options.calibrar_juez is not None and (options.juez == "ninguno" or options.simular):
        raise UsageError("run_evals.calibrate_without_judge")
