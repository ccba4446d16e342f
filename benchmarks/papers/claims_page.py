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
    figures,
    number,
    range_text,
    verdict,
    word,
)
from benchmarks.papers.experiment import NEAR, Cell, Claim, Experiment, Outcome
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
WORKED = "sase-fig-8"
HEADING = """| figure | claim | paper | here | seen | differs by, and why |
|---|---|---:|---:|---|---|"""
INTRODUCTION = """# Claims of papers

The papers that Cepheid builds on say how fast their algorithms are. Each experiment here repeats a
figure or a table of a paper, and this page says which claims are seen again. Take one row:

{heading}
{row}

- The row is about figure 8 of the SASE paper. The figure shows the throughput of two algorithms,
  AIS and Basic. V1 is how many different values an attribute of the events has.
- `AIS ÷ Basic` is the throughput of AIS divided by that of Basic. At V1 = 100 it is {paper} in the
  paper, and we measured {ours}.
- A ratio is *seen* if ours is at least half, and at most twice, that of the paper. Here this means
  from {least} to {most}. Ours is {within} that, so the claim is *{seen}*.
- Every row with a number in the column *paper* is a quantity, as this one is. The other claims are
  sentences.
- If a claim is *not seen*, the last column says by how much ours differs, and why. The reason is
  how we read the two setups. It was not measured by itself.

The other words of the tables:

- *Seen*, without two numbers: the claim has no ratio. It says, for example, that a curve rises, and
  ours does. A number in brackets is ours.
- *Not measured*: the recorded result lacks a number that the claim needs. Most often the contender
  is newer than the result.
- *Not recorded yet*: there is no result of this experiment.
- *Ours, not the paper's*: we ask this of our own curves. It is not counted among the claims of the
  paper.
- **older**: the result was recorded before the experiment had the contenders, queries and claims of
  today. It is judged by the claims of today all the same.
- **changed**: the work tree had changed since the commit that the result names. Results are no
  longer written from such a tree.

The numbers are [recorded](../../benchmarks/results/papers) in files. To measure those of this row
anew, run `cepheid bench sase --figure 8`. [Benchmarks of papers](benchmarks-of-papers.md) says what
is measured, and how.

Do not edit this page: `python -m benchmarks.papers.claims_page` writes it from the results, and a
test compares the two.
"""


def page_text() -> str:
    """Return the page."""
    parts = [_introduction()]
    for paper in PAPERS:
        parts.append("\n".join(_part(TITLES[paper], experiments_of(paper))) + "\n")
    return "\n".join(parts)


def _introduction() -> str:
    experiment = next(each for each in experiments_of("sase") if each.name == WORKED)
    facts = _recorded(experiment)
    claim = _claims(experiment, facts)[0] if facts is not None else None
    if claim is None or claim.paper is None or claim.ours is None:
        raise ValueError(f"the worked row needs a ratio that is measured, recorded for {WORKED}")
    low, high = claim.paper
    return INTRODUCTION.format(
        heading=HEADING,
        row=_row(experiment, claim),
        paper=range_text(claim.paper),
        ours=number(claim.ours),
        least=number(low / NEAR),
        most=number(high * NEAR),
        within="within" if claim.holds else "outside",
        seen=word(claim),
    )


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
    yield HEADING
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
    text = claim.text[:1].upper() + claim.text[1:]
    cells = (
        f"`{experiment.name}`",
        text if claim.of_paper else f"{text} (ours, not the paper's)",
        "" if claim.paper is None else range_text(claim.paper),
        figures("{}", claim.ours) if has_ratio else "",
        word(claim) if claim.holds is not None else NOT_MEASURED,
        ": ".join(each for each in differs if each),
    )
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
