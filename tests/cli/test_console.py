"""The one way out of a command: a sentence, the right code, and never any data in a crash."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scoring import messages
from scoring.cli import console
from scoring.cli.arguments import STANDARD_OUTPUT, ArgumentParser, choose_language, file_path, one_of
from scoring.errors import ConflictError, DataError, UsageError
from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable


def raising(error: BaseException) -> Callable[[], int]:
    def body() -> int:
        raise error

    return body


def test_the_code_of_the_body_is_the_code_of_the_command() -> None:
    assert console.run(lambda: 4, program="x") == 4


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("cli.unexpected", found="a"), 2),
        (DataError("cases.invalid", path="p", n=1), 3),
        (ConflictError("cli.unexpected", found="a"), 6),
        (KeyboardInterrupt(), 130),
        (SystemExit(0), 0),
        (ZeroDivisionError("Luna, mestiza de 6 años"), 70),
    ],
)
def test_every_end_has_its_code_and_one_sentence(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert console.run(raising(error), program="orden") == code
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    assert ("orden --help" in said.err) is (code == 2)


def test_what_was_carried_out_is_told_again_when_the_rest_fails(capsys: pytest.CaptureFixture[str]) -> None:
    def half() -> int:
        console.carried_out("Lo primero está hecho.")
        raise ConflictError("cli.unexpected", found="a")

    def whole() -> int:
        console.carried_out("Todo está hecho.")
        return 0

    assert console.run(half, program="orden") == 6
    assert capsys.readouterr().err.endswith("\nLo primero está hecho.\n")
    assert console.run(whole, program="orden") == 0
    assert console.run(raising(KeyboardInterrupt()), program="orden") == 130
    assert "hecho" not in capsys.readouterr().err


def test_a_crash_tells_where_and_nothing_of_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    console.run(raising(ValueError("Luna, mestiza de 6 años")), program="orden")
    said = capsys.readouterr().err
    assert "Luna" not in said
    assert "ValueError" in said
    assert "test_console.py:" in said


def test_the_problems_of_an_error_follow_it_twenty_at_most(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [Problem("cases.missing", line=n, where="id") for n in range(1, 22)]
    console.report(DataError("cases.invalid", problems=problems, path="p", n=21))
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("Error: «p» tiene 21 problemas")
    assert len(said) == 22
    assert said[-1].strip() == "... y un problema más."


def test_the_language_is_taken_from_the_call_before_anything_is_parsed() -> None:
    choose_language(["--x", "--idioma", "en"])
    assert messages.language() == "en"
    choose_language(["--idioma=es"])
    assert messages.language() == "es"
    choose_language(["--idioma", "fr"])  # left to the parser, which refuses it
    choose_language(["--", "--idioma", "en"])  # no option any more
    choose_language(["--idioma"])
    assert messages.language() == "es"


def parser() -> ArgumentParser:
    made = ArgumentParser("orden", description="run_evals.description")
    made.add_argument("--nombre", nargs="+")
    made.add_argument("--modo", type=one_of("--modo", ("uno", "dos")))
    made.add_common()
    return made


def test_options_are_read_with_spaces_or_equals() -> None:
    options = parser().parse(["--nombre", "a", "b", "--modo=dos"])
    assert (options.nombre, options.modo, options.idioma) == (["a", "b"], "dos", "es")


@pytest.mark.parametrize(
    ("argv", "key"),
    [
        (["--nombre"], "cli.needs_value"),
        (["--modo"], "cli.needs_value"),
        (["--modo", "tres"], "cli.unknown_value"),
        (["--modo", "dso"], "cli.unknown_value_near"),
        (["--nombr", "a"], "cli.unknown_option_near"),
        (["--nom", "a"], "cli.unknown_option_near"),  # no abbreviations
        (["-z"], "cli.unknown_option"),
        (["suelto"], "cli.unexpected"),
        (["--version=3"], "cli.takes_no_value"),
        (["--modo", "uno", "--modo=dos"], "cli.given_twice"),
    ],
)
def test_each_mistake_is_named_for_what_it_is(argv: list[str], key: str) -> None:
    with pytest.raises(UsageError) as refused:
        parser().parse(argv)
    assert refused.value.key == key


def test_an_option_given_twice_collects_if_it_can_and_the_same_value_twice_is_one() -> None:
    options = parser().parse(["--nombre", "a", "b", "--modo", "uno", "--nombre", "c", "--modo", "uno"])
    assert (options.nombre, options.modo) == (["a", "b", "c"], "uno")
    assert parser().parse(["--modo", "uno"]).nombre is None


@pytest.mark.parametrize(
    ("found", "near"),
    [
        ("--inc", "--incluir-pendientes"),  # what begins so comes before what looks alike
        ("--jue", "--juez"),
        ("--infrome", "--informe"),
        ("--casso", "--casos"),
        ("--json", None),  # shares letters with --version, and is nothing like it
        ("--es", None),
    ],
)
def test_the_option_suggested_is_one_that_could_have_been_meant(found: str, near: str | None) -> None:
    made = parser()
    for option in (
        "--casos",
        "--incluir-pendientes",
        "--ignorar-desconocidas",
        "--informe",
        "--juez",
        "--reglas",
    ):
        made.add_argument(option)
    with pytest.raises(UsageError) as refused:
        made.parse([found])
    assert refused.value.fields.get("near") == near


def test_a_dash_is_no_file_where_nothing_is_read_from_or_written_to_a_stream() -> None:
    """A report in a file called «-» is one that nobody finds."""
    convert = file_path("--informe")
    with pytest.raises(UsageError) as refused:
        convert("-")
    assert refused.value.key == "cli.dash_path"
    assert "./-" in str(refused.value)
    assert convert("./-") == Path("-")
    if STANDARD_OUTPUT.exists():
        assert file_path("--hoja", dash=True)("-") == STANDARD_OUTPUT


@pytest.mark.parametrize("path", ["", "  "])
def test_an_empty_path_is_said_and_not_taken_for_the_current_folder(path: str) -> None:
    with pytest.raises(UsageError) as refused:
        file_path("--casos")(path)
    assert refused.value.key == "cli.empty_path"
    assert "la ruta de --casos está vacía" in str(refused.value)


def test_help_has_no_english_heading_left(capsys: pytest.CaptureFixture[str]) -> None:
    assert console.run(lambda: vars(parser().parse(["--help"]))["x"], program="orden") == 0
    said = capsys.readouterr().out
    assert said.startswith("uso: orden")
    assert "opciones:" in said
    assert not {"usage", "options", "show this", "positional"} & set(said.replace(":", " ").split())
