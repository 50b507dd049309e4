"""Arrows of import run one way, and what is rare is loaded late."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

NAMED = re.compile(r"`([\w.-]+)`")
ROOT = Path(__file__).resolve().parents[1]


def loaded_after(code: str) -> set[str]:
    """Names of the modules a fresh interpreter holds after running ``code``."""
    script = f"import sys\n{code}\nprint('\\n'.join(['MODULES', *sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    return set(done.stdout.partition("MODULES\n")[2].split())


def test_the_scorer_loads_neither_reviewer_nor_textual_nor_rich() -> None:
    modules = sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in (ROOT / "scoring").rglob("*.py")
        if path.name != "__main__.py"
    )
    found = loaded_after("\n".join(f"import {name}" for name in modules))
    assert {"scoring.cases", "scoring.engine", "scoring.clinical"} <= found
    assert {name.partition(".")[0] for name in found} & {"reviewer", "textual", "rich", "jsonschema"} == set()


@pytest.mark.parametrize("arguments", [["--estado"], ["--help"], ["--version"]])
def test_the_status_does_not_load_textual(arguments: list[str]) -> None:
    found = loaded_after(f"from reviewer.cli import main\ntry: main({arguments!r})\nexcept SystemExit: pass")
    assert "reviewer.cli" in found
    assert {name.partition(".")[0] for name in found} & {"textual", "rich", "jsonschema"} == set()


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def test_only_the_app_knows_textual_and_nothing_below_it_knows_the_app() -> None:
    for path in (ROOT / "reviewer").rglob("*.py"):
        inside = path.is_relative_to(ROOT / "reviewer" / "app")
        named = imports(path)
        if not inside:
            assert not {n for n in named if n.startswith("textual")}, path
            if path.name != "open_app.py":
                assert not {n for n in named if n.startswith("reviewer.app")}, path
    for path in (ROOT / "scoring").rglob("*.py"):
        assert not {n for n in imports(path) if n.startswith("reviewer")}, path


def module_graph() -> dict[str, set[str]]:
    """Imports between our own modules as they stand at the top of each, those for annotations included."""
    paths = [p for package in ("scoring", "reviewer", "casos") for p in (ROOT / package).rglob("*.py")]
    names = {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in paths}
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found: set[str] = set()
        guarded = [inner for node in tree.body if isinstance(node, ast.If) for inner in node.body]
        for node in [*tree.body, *guarded]:
            if isinstance(node, ast.Import):
                found.update(a.name for a in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.update(
                    f"{node.module}.{a.name}" if f"{node.module}.{a.name}" in names else node.module
                    for a in node.names
                )
        graph[name] = {f for f in found if f in names and f != name}
    return graph


def test_no_two_modules_import_one_another_in_a_circle() -> None:
    graph = module_graph()
    done: set[str] = set()

    def walk(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail[trail.index(name) :], name))
        if name in done:
            return
        for inner in sorted(graph[name]):
            walk(inner, (*trail, name))
        done.add(name)

    for name in sorted(graph):
        walk(name, ())


def is_file(path: Path | None) -> bool:
    """The module is a file of its own and no package."""
    return path is not None and path.name != "__init__.py"


def test_the_architecture_names_every_package_and_no_module_that_is_not_there() -> None:
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for package in ("scoring", "reviewer", "casos")
        for path in (ROOT / package).rglob("*.py")
    }
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:scoring|reviewer)[a-z_.]*|casos)`", text))
    for row in re.findall(r"^\| (`(?:scoring|reviewer)\..*?) \|", text, re.MULTILINE):
        # In the first cell `cues` stands beside the module that is named in full before it.
        first, *others = re.findall(r"`([a-z_.]+)`", row)
        package = first.rpartition(".")[0]
        named |= {name if name in named else f"{package}.{name}" for name in others}
    functions = {name for name in named if is_file(modules.get(name.rpartition(".")[0]))}
    assert named - functions - set(modules) == set()
    expected = {name for name, path in modules.items() if path.name == "__init__.py" or name.count(".") == 1}
    assert expected - named - {"scoring", "reviewer", "reviewer.__main__"} == set()


def test_the_architecture_gives_a_reason_for_every_dependency_and_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {re.split(r"[<>=!~\[; ]", line)[0] for line in project["dependencies"]}
    asked |= set(project["optional-dependencies"])
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text[text.index("## Dependencies, and why") : text.index("## Decisions worth knowing")]
    told = {
        name for cell in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE) for name in NAMED.findall(cell)
    }
    assert told == asked


def test_every_dependency_is_one_that_the_product_imports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {re.split(r"[<>=!~\[; ]", line)[0] for line in project["dependencies"]}
    paths = [path for package in ("scoring", "reviewer") for path in (ROOT / package).rglob("*.py")]
    assert asked - {name.partition(".")[0] for path in paths for name in imports(path)} == set()


def test_every_exception_to_the_checkers_gives_its_reason() -> None:
    bare = re.compile(r"# (?:noqa(?:: [A-Z0-9, ]+)?|type: ignore(?:\[[a-z, -]+\])?)\s*$")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for package in ("scoring", "reviewer", "casos")
        for path in (ROOT / package).rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if bare.search(line)
    ]
    assert found == []


def test_modules_stay_small_enough_to_hold_one_purpose() -> None:
    sizes = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for package in ("scoring", "reviewer", "tests")
        for path in (ROOT / package).rglob("*.py")
    }
    most = {name: 450 if name.startswith("tests") else 400 for name in sizes}
    assert {name: size for name, size in sizes.items() if size > most[name]} == {}
