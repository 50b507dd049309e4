"""The outputs of one run of ``run-evals``, when they are made and not read."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode, NothingToJudgeError, UsageError
from scoring.files import atomic_write
from scoring.judges.choose import AbsentError, connect, destination, detect
from scoring.judges.errors import ModelError
from scoring.judges.generate import PASSAGES, generate, read_template
from scoring.judges.journal import Journal
from scoring.judges.judging import judge_name
from scoring.judges.settings import MODEL

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Mapping, Sequence

    from scoring.cases import Case
    from scoring.clinical import Predictions
    from scoring.judges.exchange import Cancel
    from scoring.judges.judging import Progress


def make_outputs(
    options: argparse.Namespace,
    cases: Sequence[Case],
    passages: Mapping[str, tuple[str, ...]],
    cancel: Cancel,
    data: Mapping[str, Any],
) -> str:
    """Ask the model of ``--modelo`` for the outputs that ``--guardar-predicciones`` lacks.

    Returns:
        Kind and name of the model.

    Raises:
        NothingToJudgeError: the server or the model is not there.
        ProductError: the file or the template cannot be used.
        SystemExit: 130 after Control-C; the outputs received until then are saved.
    """
    path = options.guardar_predicciones
    template = read_template(options.plantilla)
    try:
        settings = detect(options.modelo, os.environ, cancel, role=MODEL, data=data)
        transport = connect(settings, cancel, model=options.modelo_nombre)
    except (ModelError, AbsentError) as error:
        raise NothingToJudgeError("generate.absent", sentence=str(error)) from None
    console.talk(destination(transport))
    if passages and PASSAGES not in template:
        console.talk(messages.text("generate.passages_not_asked", path=options.plantilla))
    wanted = [case for case in cases if options.split in (case.split, "todos")]
    with Journal(path, resume=options.reanudar) as journal:
        if journal.torn:
            console.talk(messages.text("judges.torn", path=path))
        try:
            made = generate(
                wanted,
                cases,
                transport,
                settings,
                journal,
                template=template,
                passages=passages,
                cancel=cancel,
                progress=_tell,
            )
        except KeyboardInterrupt:
            console.talk(messages.text("generate.kept_until_now", path=path))
            raise SystemExit(int(ExitCode.INTERRUPTED)) from None
    seconds = f"{made.seconds:.1f}"
    console.talk(
        messages.text("generate.done", saved=made.saved, reused=made.reused, seconds=seconds, path=path)
    )
    if made.stopped:
        console.talk(messages.text("generate.stopped", sentence=made.stopped))
    without = len(wanted) - made.saved - made.reused
    if without:
        console.talk(messages.text("generate.failed", n=without))
    return judge_name(transport)


def _tell(step: Progress) -> None:
    who = step.case_id if step.case_id is not None else messages.text("judges.reserved_case")
    fields = {"done": step.done, "total": step.total, "who": who}
    if step.error is not None:
        console.talk(messages.text("generate.progress_error", **fields, error=step.error))
    else:
        console.talk(messages.text("generate.progress", **fields, seconds=f"{step.seconds:.1f}"))


def save_simulated(options: argparse.Namespace, predictions: Predictions, open_ids: Collection[str]) -> None:
    """Write the simulated outputs of the open split in one step.

    Those of the reserved split are its answer key and are not written.

    Args:
        options: of the command.
        predictions: the outputs of all cases.
        open_ids: cases that may be told of.

    Raises:
        UsageError: the file exists.
        WriteError: it cannot be written.
    """
    path = options.guardar_predicciones
    if path.exists():
        raise UsageError("judges.journal_exists", path=path)
    lines = [
        json.dumps({"id": case_id, "interpretacion": inner}, ensure_ascii=False)
        for case_id, inner in predictions.by_id.items()
        if case_id in open_ids
    ]
    atomic_write(path, "".join(f"{line}\n" for line in lines).encode())
    if len(lines) < len(predictions.by_id):
        console.talk(messages.text("generate.reserved_not_saved", path=path))
