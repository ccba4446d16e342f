"""The page of the documentation that says for every figure which claims hold.

python -m benchmarks.papers.claims_page

It reads the results that are recorded, and tests the claims on them by today's rule. A result that
was recorded before its experiment had claims as data is marked, and so is one of a work tree that
had changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.papers.catalogue import PAPERS, experiments_of
from benchmarks.papers.claims import (
    NOT_MEASURED,
    difference_text,
    number,
    range_text,
    verdict,
    word,
)
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.report import PAPER_RESULTS
from benchmarks.surroundings import is_clean

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "claims-of-papers.md"
OLDER, CHANGED = "older", "changed"
TITLES = {
    "sase": "SASE",
    "sase-plus": "SASE+",
    "a-seq": "A-Seq",
    "a-seq-shared": "A-Seq, several queries",
    "cogra": "COGRA",
    "hamlet": "HAMLET",
    "beyond": "Beyond the papers",
}
INTRODUCTION = """# Claims of papers

`cepheid bench hamlet --figure 8a` says whether what the paper writes about its figure 8(a) is seen
here, too. This page says it for every figure, from the results that are
[recorded](../../benchmarks/results/papers). [Benchmarks of papers](benchmarks-of-papers.md) says
what is measured, and how.

- A claim with a ratio in it is *seen* only if ours is at most twice, and at least half, what the
  paper has. Otherwise the table says by how much it differs, and why. The reason is how we read the
  two setups; it was not measured by itself.
- A claim without a number, such as that a curve rises, is seen if our curve does that.
- *Not measured*: a number is missing in the result that is recorded, most often because the
  contender is newer than the result.
- **older**: the result was recorded before the experiment had its contenders, queries and claims of
  today. It is judged by today's rule all the same.
- **changed**: the work tree had changed since the commit that the result names. Results are no
  longer written from such a tree.

Do not edit this page: `python -m benchmarks.papers.claims_page` writes it from the results, and a
test compares the two.
"""


def page_text() -> str:
    """Return the page."""
    parts = [INTRODUCTION]
    for paper in PAPERS:
        parts.append("\n".join(_part(TITLES[paper], experiments_of(paper))) + "\n")
    return "\n".join(parts)


def _part(title: str, experiments: tuple[Experiment, ...]) -> Iterator[str]:
    recorded = [(each, _recorded(each)) for each in experiments]
    yield f"## {title}"
    yield ""
    yield "| figure | claims of the paper | recorded |"
    yield "|---|---|---|"
    for experiment, facts in recorded:
        judged = "not recorded yet" if facts is None else verdict(_claims(experiment, facts))
        yield f"| `{experiment.name}` | {judged} | {_when(facts)} |"
    yield ""
    yield "| figure | claim | paper | here | seen | differs by, and why |"
    yield "|---|---|---:|---:|---|---|"
    for experiment, facts in recorded:
        for claim in () if facts is None else _claims(experiment, facts):
            yield _row(experiment, claim)


def _recorded(experiment: Experiment) -> dict[str, Any] | None:
    path = PAPER_RESULTS / f"{experiment.name}.json"
    facts: dict[str, Any] | None = json.loads(path.read_text("utf-8")) if path.exists() else None
    return facts


def _claims(experiment: Experiment, facts: dict[str, Any]) -> list[Claim]:
    return list(experiment.claims(outcome_of(facts)))


def outcome_of(facts: dict[str, Any]) -> Outcome:
    """Return a recorded outcome."""

    def cells(of_name: dict[str, list[dict[str, Any]]]) -> dict[str, list[Cell]]:
        return {
            name: [Cell(each["value"], each["skipped"]) for each in found]
            for name, found in of_name.items()
        }

    return Outcome(
        facts["points"], cells(facts["series"]), facts["ratios"], cells(facts.get("counts", {}))
    )


def _when(facts: dict[str, Any] | None) -> str:
    if facts is None:
        return ""
    marks = [OLDER] * ("claims" not in facts) + [CHANGED] * (not is_clean(facts))
    date = facts["date"].split("T")[0]
    return f"{date}, {', '.join(f'**{each}**' for each in marks)}" if marks else date


def _row(experiment: Experiment, claim: Claim) -> str:
    has_ratio = claim.paper is not None and claim.holds is not None
    differs = [difference_text(claim), claim.why] if claim.holds is False else []
    cells = (
        f"`{experiment.name}`",
        claim.text if claim.of_paper else f"{claim.text} (ours, not the paper's)",
        "" if claim.paper is None else range_text(claim.paper),
        number(claim.ours) if has_ratio else "",
        word(claim) if claim.holds is not None else NOT_MEASURED,
        ": ".join(each for each in differs if each),
    )
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
