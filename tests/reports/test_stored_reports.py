"""Stored reports: which count, in which order, and nothing that anybody wrote into one brings the reader down."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.clinical.compare import compare
from scoring.errors import ProductError
from scoring.judges import calibration, grounding
from scoring.reports import stored as module
from scoring.reports.grounded import StoredGrounding
from scoring.reports.stored import Reports, StoredCalibration, StoredReport, Unreadable, read_any, read_report
from tests.reports.support import BAD, GROUNDING, report, store

if TYPE_CHECKING:
    from pathlib import Path


def test_reports_stand_in_the_order_of_their_own_time_whatever_name_and_file_say(tmp_path: Path) -> None:
    store(tmp_path, "a.json", report(), day=9)
    store(tmp_path, "b.json", report(), day=2)
    undated = store(tmp_path, "c.json", report())
    os.utime(tmp_path / "b.json", (4e9, 4e9))
    shelf = Reports(tmp_path).read()
    assert [(one.path.name, one.at.day if one.at else None) for one in shelf.reports] == [
        ("c.json", None),
        ("b.json", 2),
        ("a.json", 9),
    ]
    assert shelf.reports[0].path == undated
    assert shelf.unreadable == ()


def test_a_stored_report_keeps_the_figures_of_the_report(tmp_path: Path) -> None:
    now = report(BAD)
    kept = read_any(store(tmp_path, "a.json", now, day=1))
    assert isinstance(kept, StoredReport)
    # Two count; «a» misses its diagnosis: 1 of 2.
    assert kept.figures["recall_diferenciales"] == 0.5
    assert kept.figures == {metric: result.value for metric, result in now.aggregate.items()}
    assert (kept.counted, kept.verdict, kept.rules, kept.split) == (2, "falla", "2", "dev")
    assert kept.judge is None


def test_reports_of_the_grounding_and_calibrations_of_a_newer_format_are_named_with_their_version(
    tmp_path: Path,
) -> None:
    written = {"anclaje": grounding.SCHEMA_VERSION, "calibracion_juez": calibration.SCHEMA_VERSION}
    assert written == module.KNOWN_VERSIONS
    for n, kind in enumerate(written):
        (tmp_path / f"{n}.json").write_text(
            json.dumps({**GROUNDING, "tipo": kind, "version_esquema": 99}), "utf-8"
        )
    refused = Reports(tmp_path).read().unreadable
    assert [one.path.name for one in refused] == ["0.json", "1.json"]
    assert all("versión 99" in one.sentence for one in refused)


def test_of_a_report_of_the_reserved_split_no_figure_is_kept(tmp_path: Path) -> None:
    for split in ("test", "todos"):
        kept = read_any(store(tmp_path, f"{split}.json", report(split=split), day=1))
        assert isinstance(kept, StoredReport)
        assert kept.split == split
        assert kept.figures == {}
        assert kept.judge is None


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("cortado.json", '{"version_esquema": 2, "sp', "cortado.json» no es JSON"),
        ("dos.json", '{"a": 1, "a": 2}', "dos.json» no es JSON"),
        ("nan.json", '{"version_esquema": NaN}', "nan.json» no es JSON"),
        ("lista.json", "[1, 2]", "lista.json» no es un informe de run-evals"),
        ("otra.json", '{"tipo": "receta"}', "otra.json» no es un informe de run-evals"),
        ("mia.json", '{"hola": 1}', "no es un informe de run-evals"),
        ("futuro.json", '{"version_esquema": 99}', "versión 99"),
        ("[b]x[u].json", "x", "[b]x[u].json» no es JSON"),
    ],
)
def test_a_file_that_is_no_report_is_named_with_the_reason(
    tmp_path: Path, name: str, content: str, told: str
) -> None:
    store(tmp_path, name, content)
    good = store(tmp_path, "bueno.json", report(), day=1)
    shelf = Reports(tmp_path).read()
    assert [one.path for one in shelf.reports] == [good]
    assert [one.path.name for one in shelf.unreadable] == [name]
    assert told in shelf.unreadable[0].sentence


def test_what_is_no_file_is_named_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tubo.json")
    (tmp_path / "carpeta.json").mkdir()
    (tmp_path / "roto.json").symlink_to(tmp_path / "no-esta")
    (tmp_path / "notas.txt").write_text("x", encoding="utf-8")
    (tmp_path / ".oculto.json").write_text("x", encoding="utf-8")
    told = {one.path.name: one.sentence for one in Reports(tmp_path).read().unreadable}
    assert set(told) == {"tubo.json", "carpeta.json", "roto.json"}
    assert "no es un archivo" in told["tubo.json"]
    assert "no se puede leer" in told["roto.json"]


def test_a_folder_that_is_not_there_is_an_empty_one_and_a_file_is_told(tmp_path: Path) -> None:
    assert Reports(tmp_path / "no").read().reports == ()
    assert Reports(tmp_path / "no").read().unreadable == ()
    file = tmp_path / "informes"
    file.write_text("x", encoding="utf-8")
    assert "no se puede leer la carpeta" in Reports(file).read().unreadable[0].sentence


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(tmp_path, "a.json", report(), day=1)
    changed = store(tmp_path, "b.json", report(), day=2)
    folder = Reports(tmp_path)
    first = folder.read()
    read: list[str] = []

    def noted(path: Path) -> Any:
        read.append(path.name)
        return read_any(path)

    monkeypatch.setattr(module, "read_any", noted)
    assert folder.read() == first
    assert read == []
    store(tmp_path, "b.json", report(BAD), day=2)
    os.utime(changed, (3e9, 3e9))
    assert folder.read().reports[1].figures["recall_diferenciales"] == 0.5
    assert read == ["b.json"]


def test_beyond_the_limit_the_newest_are_read_and_the_rest_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 2)
    for number in range(4):
        os.utime(store(tmp_path, f"{number}.json", report(), day=1), (10**9 + number, 10**9 + number))
    shelf = Reports(tmp_path).read()
    assert {one.path.name for one in shelf.reports} == {"2.json", "3.json"}
    assert shelf.unread == 2


def test_grounding_and_calibration_are_told_apart_from_reports_of_the_gate(tmp_path: Path) -> None:
    store(tmp_path, "anclaje.json", GROUNDING)
    store(
        tmp_path,
        "calibracion.json",
        {
            "version_esquema": 1,
            "tipo": "calibracion_juez",
            "juez": "ollama:m",
            "digest_casos": "d",
            "generado": "2026-08-01",
        },
    )
    shelf = Reports(tmp_path).read()
    found = shelf.groundings[0]
    assert isinstance(found, StoredGrounding)
    assert (found.marks, found.dangling, found.statements, found.unmarked) == (31, 2, 80, 20)
    metric = found.metrics[0]
    assert metric.figure.figure == "0.90"
    assert metric.figure.passes is None, "measured in too few cases, however good"
    assert isinstance(shelf.calibrations[0], StoredCalibration)
    assert shelf.calibrations[0].at is None, "a day without a zone orders nothing"
    reserved = GROUNDING | {"split": "test"}
    assert Reports(store(tmp_path / "t", "x.json", reserved).parent).read().groundings[0].metrics == ()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def _paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    if isinstance(value, dict):
        found += [path for key, inner in value.items() for path in _paths(inner, (*at, key))]
    elif isinstance(value, list):
        found += [path for place, inner in enumerate(value) for path in _paths(inner, (*at, place))]
    return found


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(data=st.data())
def test_whatever_stands_in_a_field_a_report_is_read_or_named_and_never_crashes(
    tmp_path: Path, data: st.DataObject
) -> None:
    now = report(BAD)
    content = json.loads(now.to_json())
    if data.draw(st.booleans(), label="grounding"):
        content = json.loads(json.dumps(GROUNDING))
    path = data.draw(st.sampled_from(_paths(content)))
    place = content
    for step in path[:-1]:
        place = place[step]
    if data.draw(st.booleans(), label="left out") and isinstance(place, dict):
        del place[path[-1]]
    else:
        place[path[-1]] = data.draw(_JSON)
    file = store(tmp_path, "x.json", content)
    found = read_any(file)
    assert isinstance(found, StoredReport | StoredGrounding | StoredCalibration | Unreadable)
    if isinstance(found, StoredReport):
        with contextlib.suppress(ProductError):
            compare(read_report(file), now)
