"""Results as a table in the terminal, as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.contender import Benchmark
from benchmarks.measure import Measurement
from benchmarks.narrow_table import print_table
from benchmarks.surroundings import require_clean, sentence, surroundings

HEADINGS = (
    "contender",
    "time",
    "CPU time",
    "events/s",
    "memory",
    "time ÷ baseline",
    "CPU ÷ baseline",
    "answer",
)
MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Report:
    """The measurements of one benchmark in one run."""

    benchmark: Benchmark
    events: int
    repeat: int
    measurements: Sequence[Measurement]

    @property
    def baseline(self) -> Measurement:
        """What ratios refer to; the floor, if the baseline could not run."""
        ran = [each for each in self.measurements if each.best is not None]
        chosen = [each for each in ran if each.contender == self.benchmark.baseline]
        return (chosen or ran)[-1 if not chosen else 0]

    def ratio(self, measurement: Measurement) -> float | None:
        """Return how many times as long as the baseline it takes."""
        best, base = measurement.best, self._baseline_of(measurement).best
        return None if best is None or not base else best / base

    def cpu_ratio(self, measurement: Measurement) -> float | None:
        """Return how many times as much processor time as the baseline it takes."""
        best, base = measurement.best_cpu, self._baseline_of(measurement).best_cpu
        return None if best is None or not base else best / base

    def _baseline_of(self, measurement: Measurement) -> Measurement:
        own = {each.name: each.baseline for each in self.benchmark.contenders}
        name = own.get(measurement.contender)
        return next((e for e in self.measurements if e.contender == name), self.baseline)

    def rows(self) -> Iterable[tuple[str, ...]]:
        """Return the cells of the table."""
        for each in self.measurements:
            if each.best is None:
                yield (
                    each.contender,
                    *["-"] * (len(HEADINGS) - 2),
                    each.skipped or "too disturbed to tell",
                )
                continue
            yield (
                each.contender,
                _text(each.best, "{:,.1f} ms", 1000),
                _text(each.best_cpu, "{:,.1f} ms", 1000),
                f"{self.events * self._share(each) / each.best:,.0f}",
                _text(each.peak_bytes or None, "{:,.0f} MB", 1 / MEGABYTE),
                _text(self.ratio(each), "{:.2f}"),
                _text(self.cpu_ratio(each), "{:.2f}"),
                "exact" if each.checked else "none (floor)",
            )

    def _share(self, measurement: Measurement) -> float:
        shares = {each.name: each.share for each in self.benchmark.contenders}
        return shares.get(measurement.contender, 1.0)

    def facts(self) -> dict[str, Any]:
        """Return everything, for the JSON file."""
        packages = sorted({name for each in self.benchmark.contenders for name in each.packages})
        return {
            "benchmark": self.benchmark.name,
            "question": self.benchmark.question,
            "events": self.events,
            "repeat": self.repeat,
            **surroundings(packages),
            "baseline": self.baseline.contender,
            "contenders": [
                {
                    "name": each.contender,
                    "seconds": [round(second, 6) for second in each.seconds],
                    "shorter_seconds": [round(second, 6) for second in each.shorter_seconds],
                    "best_seconds": None if each.best is None else round(each.best, 6),
                    "cpu_seconds": [round(second, 6) for second in each.cpu_seconds],
                    "ratio": self.ratio(each),
                    "cpu_ratio": self.cpu_ratio(each),
                    "peak_bytes": each.peak_bytes,
                    "answer": "exact" if each.checked else None,
                    "skipped": each.skipped,
                }
                for each in self.measurements
            ],
        }

    def show(self, console: Console) -> None:
        """Print the table."""
        title = f"{self.benchmark.name}: {self.benchmark.question}; {self.events:,} events"
        caption = f"best of {self.repeat}; baseline: {self.baseline.contender}"
        print_table(
            console,
            HEADINGS,
            list(self.rows()),
            title=title,
            caption=caption,
            texts=("contender", "answer"),
        )

    def write(self, folder: Path) -> Path:
        """Write NAME-EVENTS.json and .md, and return the path of the latter.

        Raises:
            NotRunnableError: the folder is that of results, and the work tree has changed.
        """
        require_clean(folder)
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{self.benchmark.name}-{self.events}"
        facts = self.facts()
        (folder / f"{stem}.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
        path = folder / f"{stem}.md"
        path.write_text(self._markdown(facts), encoding="utf-8")
        return path

    def _markdown(self, facts: dict[str, Any]) -> str:
        lines = [
            f"# {self.benchmark.name}",
            "",
            f"{self.benchmark.question}; {self.events:,} events.",
            "",
            f"Generated by `python -m benchmarks {self.benchmark.name} --events {self.events} "
            f"--repeat {self.repeat}` on {facts['date']} at commit {facts['commit']}; do not edit.",
            sentence(facts),
            f"Best of {self.repeat}; the baseline is {facts['baseline']}.",
            "",
            "| " + " | ".join(HEADINGS) + " |",
            "|---|" + "---:|" * (len(HEADINGS) - 2) + "---|",
            *("| " + " | ".join(row) + " |" for row in self.rows()),
        ]
        return "\n".join(lines) + "\n"


def _text(value: float | None, pattern: str, factor: float = 1.0) -> str:
    return "-" if value is None else pattern.format(value * factor)
