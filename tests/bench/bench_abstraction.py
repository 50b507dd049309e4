"""Chart-abstraction scoring against openmed 3.1.0 and against merely parsing the same bytes.

End to end from two JSONL files to the canonical bytes, each run in a process of its own, in turns, CPU
time, medians. Import time is left out; peak memory is that of the whole process. The data are made up
from a fixed seed: 1000 fields, 85 % answered, 10 % abstained, 5 % missing, a third with evidence,
outputs shuffled.

    pip install -e '.[bench]'
    python tests/bench/bench_abstraction.py                    # 1e4, 1e5 and 1e6 gold rows, 5 rounds
    python tests/bench/bench_abstraction.py --filas 100000 --tecnicas
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

FIELDS = 1000
TYPES = ("text", "categorical", "number", "boolean")
WORDS = [
    "renal",
    "hepático",
    "leve",
    "moderado",
    "grave",
    "agudo",
    "crónica",
    "ácido",
    "síndrome",
    "perro",
    "gato",
    "normal",
    "alto",
    "bajo",
    "izquierda",
    "derecha",
    "anemia",
    "ictericia",
    "fiebre",
    "tos",
    "disnea",
    "soplo",
    "dolor",
    "vómito",
    "diarrea",
    "prurito",
    "alopecia",
    "masa",
    "nódulo",
    "quiste",
]


def make_data(rows: int, folder: Path, seed: int = 20260803) -> tuple[Path, Path]:
    """Gold and shuffled outputs of ``rows`` gold rows; the same bytes for the same arguments."""
    chance = random.Random(seed)
    rules = [_digest(chance) for _ in range(5)]
    gold, out = folder / "gold.jsonl", folder / "outputs.jsonl"
    outputs: list[str] = []
    with gold.open("w", encoding="ascii") as stream:
        for number in range(rows):
            case = f"caso-{number // FIELDS:07d}"
            index = number % FIELDS
            name, kind = f"seccion_{index // 50}.campo_{index}", TYPES[index % 4]
            value = None if chance.random() < 0.1 else _value(chance, kind)
            row = {"case_id": case, "field_id": name, "field_type": kind, "value": value}
            stream.write(json.dumps(row) + "\n")
            fate = chance.random()
            if fate < 0.05:
                continue
            said = None if fate < 0.15 else _answer(chance, kind, value)
            answer: dict[str, Any] = {"case_id": case, "field_id": name, "value": said}
            if chance.random() < 1 / 3:
                answer |= _evidence(chance, name, rules)
            outputs.append(json.dumps(answer))
    chance.shuffle(outputs)
    with out.open("w", encoding="ascii") as stream:
        stream.writelines(line + "\n" for line in outputs)
    return gold, out


def _digest(chance: random.Random) -> str:
    return f"sha256:{chance.getrandbits(256):064x}"


def _value(chance: random.Random, kind: str) -> Any:
    if kind == "text":
        return " ".join(chance.choices(WORDS, k=chance.randint(1, 6))) + f" {chance.randrange(10**6)}"
    if kind == "categorical":
        return chance.choice(WORDS)
    if kind == "number":
        return chance.choice((chance.randrange(1000), round(chance.random() * 100, 2)))
    return chance.random() < 0.5


def _answer(chance: random.Random, kind: str, value: Any) -> Any:
    """Three quarters to the letter, a seventh spelt otherwise, the rest wrong."""
    if value is None:
        return _value(chance, kind)
    fate = chance.random()
    if fate < 0.75:
        return value
    if fate < 0.9:
        return value.upper() if isinstance(value, str) else str(value) if kind == "number" else value
    return _value(chance, kind)


def _evidence(chance: random.Random, name: str, rules: list[str]) -> dict[str, Any]:
    fact, start = _digest(chance), chance.randrange(10**5)
    place = {
        "source_digest": _digest(chance),
        "start_offset": start,
        "end_offset": start + 12,
        "kind": "clinical_record" if chance.random() < 0.9 else "generated_text",
    }
    chain = {
        "field_id": name,
        "source_locations": [place],
        "normalized_fact_digest": fact if chance.random() < 0.9 else _digest(chance),
        "transformation_kind": "model",
        "transformation_digest": chance.choice(rules),
        "uncertainty": round(chance.random(), 3),
        "reviewer_state": "approved",
    }
    return {"normalized_fact_digest": fact, "evidence_chain": chain}


# --- contestants: each prepares its imports and answers with the run -----------------------------------


def floor() -> Callable[[Path, Path], str]:
    import orjson

    def run(gold: Path, outputs: Path) -> str:
        for path in (gold, outputs):
            with path.open("rb") as stream:
                for line in stream:
                    orjson.loads(line)
        return ""

    return run


def peer() -> Callable[[Path, Path], str]:
    import orjson
    from openmed.agent.workflows import abstraction_evidence as evidence
    from openmed.eval.suites import chart_abstraction as suite

    def chain(value: dict[str, Any]) -> Any:
        return evidence.AbstractionEvidenceChain(
            value["field_id"],
            [
                evidence.SourceLocation(
                    place["source_digest"],
                    place["start_offset"],
                    place["end_offset"],
                    evidence.SourceKind(place["kind"]),
                )
                for place in value["source_locations"]
            ],
            value["normalized_fact_digest"],
            evidence.TransformationKind(value["transformation_kind"]),
            value["transformation_digest"],
            value["uncertainty"],
            evidence.ReviewerState(value["reviewer_state"]),
        )

    def run(gold: Path, outputs: Path) -> str:
        rows, answers = [], []
        with gold.open("rb") as stream:
            for line in stream:
                row = orjson.loads(line)
                kind = suite.AbstractionFieldType(row["field_type"])
                rows.append(
                    suite.ChartAbstractionGoldField(row["case_id"], row["field_id"], kind, row["value"])
                )
        with outputs.open("rb") as stream:
            for line in stream:
                row = orjson.loads(line)
                given = row.get("evidence_chain")
                answers.append(
                    suite.ChartAbstractionPrediction(
                        row["case_id"],
                        row["field_id"],
                        row["value"],
                        row.get("normalized_fact_digest"),
                        None if given is None else chain(given),
                    )
                )
        return str(suite.run_chart_abstraction_benchmark(rows, answers).to_json())

    return run


def ours(processes: int = 1) -> Callable[[Path, Path], str]:
    from scoring.abstraction.parallel import score_files_in_parallel
    from scoring.abstraction.report import report_of

    def run(gold: Path, outputs: Path) -> str:
        return report_of(score_files_in_parallel(gold, outputs, processes).tally).to_json()

    return run


def without(technique: str) -> Callable[[Path, Path], str]:
    """Ours with one technique taken out."""
    from scoring.abstraction import chunks, files, grammar, join, normalize, report, wire

    def slow_comparison(gold: Any, output: Any, kind: Any) -> bool:
        form = normalize.normalize(output, kind)
        return form is not None and form == normalize.normalize(gold, kind)

    changes: dict[str, tuple[Any, str, Any]] = {
        "chunks": (chunks.chunks, "__defaults__", (1,)),
        "typed decoding": (files, "_FEW_LINES", sys.maxsize),
        "digests in batches": (wire, "are_digests", lambda values: all(map(grammar.is_digest, values))),
        "comparing before normalizing": (join, "differ_by_spelling_only", slow_comparison),
        "writing each metric once": (report, "_metric_json", report._metric_json.__wrapped__),
    }
    if technique == "typed decoding":
        wire_none: Any = lambda *_: None  # noqa: E731 - a stand-in
        setattr(files, "read_gold", wire_none)  # noqa: B010 - a name the module only imports
        wire.OutputReader.read = wire_none  # type: ignore[method-assign]
    module, name, value = changes[technique]
    setattr(module, name, value)
    return ours()


TECHNIQUES = (
    "chunks",
    "typed decoding",
    "digests in batches",
    "comparing before normalizing",
    "writing each metric once",
)


def contestant(name: str) -> Callable[[Path, Path], str]:
    if name.startswith("without "):
        return without(name.removeprefix("without "))
    if name.startswith("ours"):
        return ours(int(name.removeprefix("ours") or 1))
    return {"floor": floor, "openmed": peer}[name]()


def run_one(name: str, gold: Path, outputs: Path) -> None:
    """In a process of its own: run and print what it took as JSON."""
    run = contestant(name)
    cpu, wall = _cpu(), time.perf_counter()
    text = run(gold, outputs)
    took = {
        "cpu": _cpu() - cpu,
        "wall": time.perf_counter() - wall,
        "mib": _peak_mib(),
        "sha": hashlib.sha256(text.encode()).hexdigest() if text else "",
    }
    print(json.dumps(took))


def _peak_mib() -> float:
    """Peak memory of this program alone; what getrusage tells includes the process it was started from."""
    status = Path("/proc/self/status")
    if status.exists():
        kib = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM")).split()[1]
        return int(kib) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _cpu() -> float:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def measure(names: list[str], rows: int, rounds: int) -> dict[str, dict[str, float]]:
    """Medians by contestant; stops if two reports differ."""
    with tempfile.TemporaryDirectory() as folder:
        gold, outputs = make_data(rows, Path(folder))
        taken: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
        for _ in range(rounds):
            for name in names:
                done = subprocess.run(
                    [sys.executable, __file__, "--corre", name, str(gold), str(outputs)],
                    check=True,
                    capture_output=True,
                    text=True,
                )
                taken[name].append(json.loads(done.stdout.splitlines()[-1]))
                print(".", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    reports = {run["sha"] for runs in taken.values() for run in runs} - {""}
    if len(reports) > 1:
        raise SystemExit("the reports differ")
    return {
        name: {key: statistics.median(run[key] for run in runs) for key in ("cpu", "wall", "mib")}
        for name, runs in taken.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--filas", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--veces", type=int, default=5)
    parser.add_argument("--tecnicas", action="store_true", help="take out one technique at a time")
    parser.add_argument("--sin-openmed", action="store_true")
    parser.add_argument("--corre", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.corre:
        name, gold, outputs = options.corre
        run_one(name, Path(gold), Path(outputs))
        return
    print(f"CPython {platform.python_version()}, {platform.machine()}, medians of {options.veces}\n")
    for rows in options.filas:
        if options.tecnicas:
            names = ["ours", *(f"without {technique}" for technique in TECHNIQUES)]
            found = measure(names, rows, options.veces)
            print(f"| {rows} gold rows | CPU s | times ours |\n|---|---|---|")
            for name in names:
                print(
                    f"| {name} | {found[name]['cpu']:.2f} | {found[name]['cpu'] / found['ours']['cpu']:.2f} |"
                )
        else:
            names = ["floor", *([] if options.sin_openmed else ["openmed"]), "ours", "ours2"]
            found = measure(names, rows, options.veces)
            print(
                f"| {rows} gold rows | CPU s | wall s | peak MiB | times floor | of openmed |\n|---|---|---|---|---|---|"
            )
            for name in names:
                got = found[name]
                of_peer = f"{found['openmed']['cpu'] / got['cpu']:.1f}" if "openmed" in found else "-"
                print(
                    f"| {name} | {got['cpu']:.2f} | {got['wall']:.2f} | {got['mib']:.0f} "
                    f"| {got['cpu'] / found['floor']['cpu']:.2f} | {of_peer} |"
                )
        print(flush=True)


if __name__ == "__main__":
    main()
