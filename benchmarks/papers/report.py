"""The outcome of an experiment as a table in the terminal, Markdown, JSON and a plot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.narrow_table import print_table
from benchmarks.papers.claims import (
    NOT_MEASURED,
    difference_text,
    figures,
    number,
    range_text,
    verdict,
    word,
)
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.plot import plot
from benchmarks.surroundings import RESULTS, require_clean, sentence, surroundings

PAPER_RESULTS = RESULTS / "papers"
PACKAGES = ("cepheid", "numba", "numpy", "pyarrow")
STYLES = {True: "green", False: "red", None: "dim"}
NOTHING = "-"
CLAIM_HEADINGS = ("claim", "paper", "here", "seen", "differs by", "why")


@dataclass(frozen=True, slots=True)
class Report:
    """An experiment and what one run of it gave."""

    experiment: Experiment
    scale: float
    outcome: Outcome

    @property
    def stem(self) -> str:
        """The name of the files; another scale does not replace the usual one."""
        name = self.experiment.name
        return name if self.scale == 1 else f"{name}-scale-{self.scale:g}"

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the table."""
        return (self.experiment.x_label, *self.outcome.series)

    @property
    def claims(self) -> Sequence[Claim]:
        """What the paper says, tested on the outcome."""
        return self.experiment.claims(self.outcome)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield one row for each point."""
        for place, point in enumerate(self.outcome.points):
            cells = [series[place] for series in self.outcome.series.values()]
            yield (_point(point), *map(_cell, cells))

    def show(self, console: Console) -> None:
        """Print the table and what follows from it."""
        print_table(
            console,
            self.headings,
            list(self.rows()),
            title=f"{self.experiment.name}: {self.experiment.title}",
            caption=f"values: {self.experiment.y_label}",
            texts=(),
        )
        for head, text in self._sentences():
            console.print(Text.assemble((f"{head}: ", "bold"), text))
        console.print(Text.assemble(("Claims of the paper: ", "bold"), f"{verdict(self.claims)}."))
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True, min_width=len(NOT_MEASURED))
        for claim in self.claims:
            grid.add_row(Text(word(claim), STYLES[claim.holds]), _told(claim))
        console.print(grid)

    def write(self, folder: Path) -> Path:
        """Write the JSON file, the plot and the Markdown file, and return the path of the last.

        Raises:
            NotRunnableError: the folder is that of results, and the work tree has changed.
        """
        require_clean(folder)
        folder.mkdir(parents=True, exist_ok=True)
        facts = self.facts()
        (folder / f"{self.stem}.json").write_text(
            json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        plot(self.experiment, self.outcome, folder / f"{self.stem}.svg")
        path = folder / f"{self.stem}.md"
        path.write_text(self._markdown(facts), encoding="utf-8")
        return path

    def facts(self) -> dict[str, Any]:
        """Return everything, for the JSON file."""
        return {
            "experiment": self.experiment.name,
            "title": self.experiment.title,
            "scale": self.scale,
            **surroundings(PACKAGES),
            "x": self.experiment.x_label,
            "y": self.experiment.y_label,
            "points": list(self.outcome.points),
            "series": _as_facts(self.outcome.series),
            "counts": _as_facts(self.outcome.counts),
            "ratios": list(self.outcome.ratios),
            "paper": self.experiment.paper,
            "claims": [
                {
                    "text": each.text,
                    "seen": each.holds,
                    "of_paper": each.of_paper,
                    "ours": each.ours,
                    "paper": each.paper and [number(bound) for bound in each.paper],
                    "why": each.why,
                }
                for each in self.claims
            ],
            "differs": self.experiment.differs,
        }

    def _sentences(self) -> Iterator[tuple[str, str]]:
        for name, cells in self.outcome.series.items():
            reasons = {each.skipped: None for each in cells if each.skipped}
            if reasons:
                yield f"{name} did not run everywhere", "; ".join(map(str, reasons))
        for name, cells in self.outcome.counts.items():
            yield name[:1].upper() + name[1:], ", ".join(map(_cell, cells))
        for ratio in self.outcome.ratios:
            yield "Compared", ratio
        yield "The paper's curve", self.experiment.paper
        yield "Done differently", self.experiment.differs

    def _markdown(self, facts: dict[str, Any]) -> str:
        lines = [
            f"# {self.experiment.name}",
            "",
            f"{self.experiment.title}.",
            "",
            f"![{self.experiment.title}]({self.stem}.svg)",
            "",
            "| " + " | ".join(self.headings) + " |",
            "|" + "---:|" * len(self.headings),
            *("| " + " | ".join(row) + " |" for row in self.rows()),
            "",
            f"Values: {self.experiment.y_label}.",
            "",
            *(f"* **{head}:** {text}" for head, text in self._sentences()),
            "",
            f"{verdict(self.claims)}:",
            "",
            "| " + " | ".join(CLAIM_HEADINGS) + " |",
            "|---|---:|---:|---|---:|---|",
            *map(_claim_row, self.claims),
            "",
            f"Generated by `cepheid bench` at scale {self.scale:g} on {facts['date']} at commit "
            f"{facts['commit']}; do not edit.",
            sentence(facts),
        ]
        return "\n".join(lines) + "\n"


def _as_facts(series: Any) -> dict[str, list[dict[str, float | str | None]]]:
    return {
        name: [{"value": cell.value, "skipped": cell.skipped} for cell in cells]
        for name, cells in series.items()
    }


def _told(claim: Claim) -> str:
    """Return a claim, our number and the paper's, and the reason where they differ."""
    own = "" if claim.of_paper else " (not in the paper)"
    numbers = ""
    if claim.paper is not None and claim.ours is not None:
        numbers = f": {number(claim.ours)}, {range_text(claim.paper)} in the paper"
    differs = ""
    if claim.holds is False:
        differs = "".join(f"; {each}" for each in (difference_text(claim), claim.why) if each)
    return f"{claim.text}{own}{numbers}{differs}"


def _claim_row(claim: Claim) -> str:
    differs = claim.holds is False
    cells = (
        claim.text if claim.of_paper else f"{claim.text} (not in the paper)",
        "" if claim.paper is None else range_text(claim.paper),
        "" if claim.paper is None else figures("{}", claim.ours),
        word(claim),
        difference_text(claim) if differs else "",
        claim.why if differs else "",
    )
    return "| " + " | ".join(cells) + " |"


def _point(point: float | str) -> str:
    return point if isinstance(point, str) else f"{point:,}"


def _cell(cell: Cell) -> str:
    """Return a value as text.

    >>> [_cell(Cell(value)) for value in (1234567.8, 12.345, 0.01234, 0.0)]
    ['1,234,568', '12.3', '0.0123', '0']
    >>> _cell(Cell(None, "too slow"))
    '-'
    """
    if cell.value is None:
        return NOTHING
    return f"{cell.value:,.0f}" if abs(cell.value) >= 1000 else f"{cell.value:.3g}"
