"""Plain queries in two source trees, in turns: processor time to parse, plan, explain and run them.

    git archive 9f2d96c src | tar x -C /tmp/before
    python -m benchmarks.compare_trees /tmp/before/src

Each tree has a process of its own. A turn asks one, then the other, and what counts is the median
ratio of many turns, so that what else a machine does concerns both. Compiling comes before.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

TURNS = 41
STAGES = ("parse", "plan", "explain", "run")
WORKER = """
import sys, time
import pyarrow as pa, cepheid
from cepheid.language.parser import parse

size = 20_000
events = pa.table({
    "ts": range(size), "kind": [("A", "B", "C", "D")[i * 7 % 4] for i in range(size)],
    "k": [i * 13 % 50 for i in range(size)], "x": [i * 31 % 97 for i in range(size)],
})
roles = {"time": "ts", "type": "kind"}
queries = (
    "PATTERN SEQ(A a, B b, C c) WHERE [k] AND a.x > 50 WITHIN 300 RETURN a.ts, c.ts",
    "PATTERN SEQ(A a, B b) WHERE [k] AND a.x < b.x WITHIN 500 RETURN a.x, b.x",
    "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 400 SLIDE 100 RETURN COUNT(*), SUM(a.x) GROUP BY k",
)
schema = cepheid.events(events, **roles)

def timed(action, repeats):
    started = time.process_time()
    for _ in range(repeats):
        for text in queries:
            action(text)
    return time.process_time() - started

actions = {"parse": (parse, 20), "plan": (lambda text: cepheid.query(text).plan(), 10),
           "explain": (lambda text: cepheid.query(text).explain(schema), 5),
           "run": (lambda text: cepheid.query(text).run(events, **roles), 2)}
for action, _ in actions.values():
    timed(action, 1)
print("ready", flush=True)
for line in sys.stdin:
    action, repeats = actions[line.strip()]
    print(timed(action, repeats), flush=True)
"""


class Tree:
    """A process that asks the queries of one source tree."""

    def __init__(self, source: Path) -> None:
        environment = os.environ | {"PYTHONPATH": str(source), "NUMBA_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", WORKER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self._line()

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def seconds(self, stage: str) -> float:
        """Return the processor time of a stage."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{stage}\n")
        self.process.stdin.flush()
        return float(self._line())

    def end(self) -> None:
        """Let the process come to its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def ratios(now: Tree, before: Tree, stage: str) -> list[float]:
    """Return the ratio of every turn; which tree begins alternates."""
    found = []
    for turn in range(TURNS):
        trees = (now, before) if turn % 2 else (before, now)
        seconds = {tree: tree.seconds(stage) for tree in trees}
        found.append(seconds[now] / seconds[before])
    return found


def main() -> None:
    """Print the median ratio of every stage, and its quartiles."""
    here = Path(__file__).parent.parent / "src"
    now, before = Tree(here), Tree(Path(sys.argv[1]))
    for stage in STAGES:
        low, middle, high = statistics.quantiles(ratios(now, before, stage), n=4)
        sys.stdout.write(f"{stage:8} {middle:.3f} ({low:.3f} to {high:.3f})\n")
    now.end()
    before.end()


if __name__ == "__main__":
    main()
