"""The argument parser of every command: in the reader's language, helpful with typing mistakes.

The standard parser writes its headings and errors in English and ends the process by itself. Here the
help comes from the catalogue and every mistake is a :class:`~scoring.errors.UsageError`, so that each
command reports it in the same way. ``--idioma`` is looked for before anything is parsed, because help
and errors have to come out in that language too.
"""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from scoring import __version__, messages
from scoring.cli import console
from scoring.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LANGUAGE_OPTION = "--idioma"
_GIVEN = "_given"


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of description and examples and names the usage line in the language."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(
            usage, actions, groups, messages.text("cli.usage_prefix") if prefix is None else prefix
        )


class _Store(argparse.Action):
    """Keeps what was given; the standard action would let a second value take the place of the first, unsaid.

    An option that takes any number of values collects them all. One that takes a single value, or a fixed
    number, refuses another one.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        del parser
        given: dict[str, Any] = vars(namespace).setdefault(_GIVEN, {})
        if self.dest in given and self.nargs in {"+", "*"}:
            values = [*given[self.dest], *values]
        elif self.dest in given and given[self.dest] != values:
            name = option_string or self.dest
            first, second = map(_written, (given[self.dest], values))
            raise UsageError("cli.given_twice", option=name, first=first, second=second)
        given[self.dest] = values
        setattr(namespace, self.dest, values)


def _written(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


class ArgumentParser(argparse.ArgumentParser):
    """An ``argparse`` parser that speaks the language in force.

    Options are not abbreviated: a shortened or mistyped option is refused and the nearest one named. One
    given twice with different values is refused too, unless it collects them.

    Args:
        prog: name of the command.
        description: catalogue key of what the command does.
        examples: command lines shown at the end of the help.
        notes: catalogue key of a closing paragraph (exit codes, say), or None.
    """

    def __init__(
        self, prog: str, *, description: str, examples: Sequence[str] = (), notes: str | None = None
    ) -> None:
        ending = []
        if examples:
            ending.append("\n".join([messages.text("cli.examples"), *(f"  {line}" for line in examples)]))
        if notes is not None:
            ending.append(messages.text(notes))
        super().__init__(
            prog=prog,
            description=messages.text(description),
            epilog="\n\n".join(ending) or None,
            formatter_class=_Formatter,
            add_help=False,
            allow_abbrev=False,
            exit_on_error=False,
        )
        self.register("action", None, _Store)
        self.register("action", "store", _Store)
        self.color = False  # Python 3.14 would colour the help
        self._positionals.title = messages.text("cli.arguments")
        self._optionals.title = messages.text("cli.options")

    def add_common(self) -> None:
        """Add ``--idioma``, ``--version`` and ``--help``; call it last, so that they are shown last."""
        self.add_argument(
            _LANGUAGE_OPTION,
            metavar="es|en",
            type=one_of(_LANGUAGE_OPTION, messages.LANGUAGES),
            default=messages.language(),
            help=messages.text("cli.help_language"),
        )
        self.add_argument(
            "--version",
            action="version",
            version=f"{self.prog} {__version__}",
            help=messages.text("cli.help_version"),
        )
        self.add_argument("-h", "--help", action="help", help=messages.text("cli.help_help"))

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """The options of ``argv``.

        Raises:
            UsageError: an unknown option, a missing or superfluous value.
        """
        try:
            namespace, unknown = self.parse_known_args(list(argv))
        except argparse.ArgumentError as error:
            raise self._refusal(error) from None
        if unknown:
            raise self._unknown(unknown[0])
        vars(namespace).pop(_GIVEN, None)
        return namespace

    def _print_message(self, message: str, file: Any = None) -> None:
        """Help and version are results: stdout, also when its reader has gone."""
        del file
        console.out(message.rstrip("\n"))

    def error(self, message: str) -> NoReturn:
        """Whatever the standard parser refuses beyond what :meth:`parse` names."""
        raise UsageError("cli.refused", reason=message)

    def _known(self) -> list[str]:
        return sorted(name for name in self._option_string_actions if name.startswith("--"))

    def _unknown(self, argument: str) -> UsageError:
        name = argument.partition("=")[0]
        if not name.startswith("-") or name in {"-", "--"}:
            return UsageError("cli.unexpected", found=argument)
        near = _nearest(name, self._known())
        if near is not None:
            return UsageError("cli.unknown_option_near", found=name, near=near)
        return UsageError("cli.unknown_option", found=name)

    def _refusal(self, error: argparse.ArgumentError) -> UsageError:
        name = error.argument_name or ""
        option = name.rpartition("/")[2]
        action = self._option_string_actions.get(option)
        if action is None:
            return UsageError("cli.refused", reason=error.message)
        if action.nargs == 0:
            return UsageError("cli.takes_no_value", option=option)
        return UsageError("cli.needs_value", option=option)


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The option that was meant, as far as can be told: one that begins so, else one that looks alike."""
    beginnings = [option for option in known if option.startswith(name) and name not in {"-", "--"}]
    if beginnings:
        return min(beginnings, key=len)
    # The dashes, which all options share, say nothing about what was meant.
    words = {option.lstrip("-"): option for option in known}
    near = difflib.get_close_matches(name.lstrip("-"), words, n=1)
    return words[near[0]] if near else None


def one_of(option: str, allowed: Sequence[str]) -> Callable[[str], str]:
    """A converter that takes one of ``allowed`` and refuses everything else by name."""

    def convert(found: str) -> str:
        if found in allowed:
            return found
        choices = ", ".join(allowed)
        near = difflib.get_close_matches(found, allowed, n=1)
        if near:
            raise UsageError(
                "cli.unknown_value_near", option=option, found=found, near=near[0], choices=choices
            )
        raise UsageError("cli.unknown_value", option=option, found=found, choices=choices)

    return convert


STANDARD_OUTPUT = Path("/dev/stdout")


def file_path(option: str, *, dash: bool = False) -> Callable[[str], Path]:
    """A converter of a file's path.

    Refused are an empty one, which would stand for the current folder, and ``-``, which people mean as a
    stream and would find as a file of that name; with ``dash`` it is the standard output.
    """

    def convert(found: str) -> Path:
        if not found.strip():
            raise UsageError("cli.empty_path", option=option)
        if found == "-":
            if dash and STANDARD_OUTPUT.exists():
                return STANDARD_OUTPUT
            raise UsageError("cli.dash_path", option=option)
        return Path(found)

    return convert


def choose_language(argv: Sequence[str]) -> None:
    """Fix the language of the process if ``argv`` asks for a known one; the parser judges anything else."""
    found: str | None = None
    for index, argument in enumerate(argv):
        if argument == "--":
            break
        if argument == _LANGUAGE_OPTION and index + 1 < len(argv):
            found = argv[index + 1]
        elif argument.startswith(f"{_LANGUAGE_OPTION}="):
            found = argument.partition("=")[2]
    for tongue in messages.LANGUAGES:
        if found == tongue:
            messages.set_language(tongue)
