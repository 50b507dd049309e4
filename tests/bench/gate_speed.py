"""What scoring a case costs, as a ratio to parsing the same bytes with orjson; run it by hand or in a test.

    python tests/bench/gate_speed.py [NUMBER OF CASES ...]

The bytes are those of one case line and one output line with 2 kB of prose. Times are CPU times, the
smallest of several repetitions, both sides measured in turn, because a ratio of two such times hardly
depends on the machine or on what else it does. Limits: 16 under rules «1», 32 under rules «2».
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scoring.cases import parse_case
from scoring.clinical import LiveGate, Tally, score_stream
from scoring.clinical.interpretation import read_interpretation
from scoring.clinical.lexicon import rules_named
from scoring.clinical.score import answer_key, score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
LIMITS = {"1": 16.0, "2": 32.0}
PROSE = 2000
COUNTS = tuple(map(int, sys.argv[1:])) if __name__ == "__main__" and sys.argv[1:] else (1000, 10_000)


def objects(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def pairs() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each case with an output whose prose is filled up to 2 kB with that of other cases of the set."""
    cases = objects(ROOT / "casos" / "casos.jsonl")
    outputs = objects(ROOT / "casos" / "predicciones_ejemplo.jsonl")
    proses = [one["interpretacion"]["interpretacion"] for one in outputs]
    filled = []
    for number, (case, output) in enumerate(zip(cases, outputs, strict=True)):
        text, other = proses[number], number
        while len(text.encode()) < PROSE:
            other = (other + 7) % len(proses)
            text += "\n\n" + proses[other]
        inner = {**output["interpretacion"], "interpretacion": text.encode()[:PROSE].decode(errors="ignore")}
        filled.append((case, {**output, "interpretacion": inner}))
    return filled


def cost(body: Callable[[], None], times: int) -> float:
    """CPU seconds of one call, over ``times`` of them."""
    begin = time.process_time()
    for _ in range(times):
        body()
    return (time.process_time() - begin) / times


def ratios(*, rounds: int = 9) -> dict[str, float]:
    """Rules -> CPU time of scoring over CPU time of parsing, both the smallest of ``rounds``."""
    given = pairs()
    raw = [
        (json.dumps(case, ensure_ascii=False).encode(), json.dumps(output, ensure_ascii=False).encode())
        for case, output in given
    ]
    cases = [parse_case(case)[0] for case, _ in given]
    read = [read_interpretation(output["interpretacion"])[0] for _, output in given]

    def parse() -> None:
        for one, other in raw:
            orjson.loads(one)
            orjson.loads(other)

    found: dict[str, float] = {}
    for name in LIMITS:
        rules = rules_named(name)
        keys = [answer_key(case, rules) for case in cases]

        def scored(keys: Any = keys) -> None:
            for key, output in zip(keys, read, strict=True):
                score(key, output)

        scored()
        times = [(cost(scored, 2), cost(parse, 20)) for _ in range(rounds)]
        found[name] = min(one for one, _ in times) / min(other for _, other in times)
    return found


def stream_peak(count: int) -> int:
    """Most bytes held while ``count`` cases stream through the scorer."""
    given = pairs()

    def lines() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        for number in range(count):
            case, output = given[number % len(given)]
            if number % 250 == 0:
                gc.collect()  # empties the interpreter's free lists, which count as held
            yield {**case, "id": f"{case['id']}-{number}"}, output["interpretacion"]

    score_stream((case, output["interpretacion"]) for case, output in given)  # fill the caches first
    tracemalloc.start()
    tally: Tally = score_stream(lines())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    if tally.cases != count:
        raise AssertionError(tally.cases)
    return peak


class Command(NamedTuple):
    """What a run of ``run-evals`` took: peak resident bytes, CPU seconds, bytes of both files."""

    peak: int
    seconds: float
    read: int


def command_run(count: int, folder: Path) -> Command:
    """The command on ``count`` cases whose outputs have 2 kB of prose, in a process of its own."""
    given = pairs()
    cases, outputs = folder / f"casos{count}.jsonl", folder / f"salidas{count}.jsonl"
    with cases.open("w", encoding="utf-8") as one, outputs.open("w", encoding="utf-8") as other:
        for number in range(count):
            case, output = given[number % len(given)]
            own = {"id": f"{case['id']}-{number}"}
            one.write(json.dumps(case | own, ensure_ascii=False) + "\n")
            other.write(json.dumps(output | own, ensure_ascii=False) + "\n")
    body = (
        "import resource, sys; from scoring.cli.run_evals import main; main(sys.argv[1:]); "
        "used = resource.getrusage(resource.RUSAGE_SELF); print(used.ru_maxrss, used.ru_utime + used.ru_stime)"
    )
    options = ["--casos", cases, "--predicciones", outputs, "--juez", "ninguno", "--split", "todos"]
    done = subprocess.run(
        [sys.executable, "-c", body, *map(str, options)], capture_output=True, check=True, cwd=folder
    )
    peak, seconds = done.stdout.split()[-2:]
    return Command(int(peak) * 1024, float(seconds), cases.stat().st_size + outputs.stat().st_size)


def signature_costs(counts: tuple[int, int] = (200, 5000)) -> tuple[float, float]:
    """CPU seconds of the figures after a signature, for a small and for a large set."""
    given = pairs()
    found = []
    for count in counts:
        cases = [
            {**case, "id": f"c{number}", "split": "dev"}
            for number, (case, _) in ((n, given[n % len(given)]) for n in range(count))
        ]
        said = {f"c{number}": given[number % len(given)][1]["interpretacion"] for number in range(count)}
        live = LiveGate(cases, said)

        def sign(live: LiveGate = live) -> None:
            live.set_counted("c3", True)
            live.standing("dev")
            live.set_counted("c3", False)
            live.preview_sign("c3")

        sign()
        found.append(min(cost(sign, 20) for _ in range(7)))
    return found[0], found[1]


def main() -> None:
    for name, ratio in ratios().items():
        print(f"rules {name}: {ratio:.1f} times orjson (limit {LIMITS[name]:.0f})")
    few, many = stream_peak(1000), stream_peak(10_000)
    print(f"streaming: {few / 1e6:.2f} MB for 1,000 cases, {many / 1e6:.2f} MB for 10,000")
    with tempfile.TemporaryDirectory() as folder:
        for count in COUNTS:
            ran = command_run(count, Path(folder))
            print(
                f"run-evals on {count:,} cases: {ran.peak / 1e6:.0f} MB at most, {ran.read / 1e6:.0f} MB read, "
                f"{ran.seconds:.1f} s CPU"
            )
    small, large = signature_costs()
    print(f"after a signature: {small * 1e6:.0f} µs with 200 cases, {large * 1e6:.0f} µs with 5,000")


if __name__ == "__main__":
    main()
