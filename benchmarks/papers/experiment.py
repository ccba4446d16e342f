"""What an experiment of a paper consists of, and what running it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

NEAR = 2.0  # a ratio is that of the paper if it is at most so many times larger or smaller
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Cell:
    """One measured value, or the reason why there is none."""

    value: float | None
    skipped: str | None = None


class Curves(dict[str, Sequence[Cell]]):
    """Series by name; one that a recorded result does not have is empty."""

    def __missing__(self, name: str) -> Sequence[Cell]:
        length = max(map(len, self.values()), default=0)
        return [Cell(None, "not recorded")] * length


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper says about its curves; `holds` is None where a number is missing.

    `ours` and `paper` are the ratio here and the range of it in the paper; the claim is seen only
    if ours is near that. `why` is our reason for a difference. `of_paper` is False for what we want
    of our own curves.
    """

    text: str
    holds: bool | None
    of_paper: bool = True
    ours: float | None = None
    paper: Range | None = None
    why: str = ""

    @property
    def difference(self) -> float | None:
        """How many times larger (or smaller, below 1) than the paper's range our ratio is."""
        if self.ours is None or self.paper is None:
            return None
        low, high = self.paper
        return self.ours / (low if self.ours < low else high if self.ours > high else self.ours)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The series of one figure or table: `series[name][k]` belongs to `points[k]`.

    `ratios` are the sentences that compare ours with the baselines in this run. `counts` are series
    of what contenders did on their way, such as decisions; they are not drawn.
    """

    points: Sequence[float | str]
    series: Mapping[str, Sequence[Cell]]
    ratios: Sequence[str]
    counts: Mapping[str, Sequence[Cell]] = field(default_factory=dict)

    @property
    def curves(self) -> Curves:
        """All series by name, those that were counted, too."""
        return Curves({**self.series, **self.counts})


@dataclass(frozen=True, slots=True)
class Experiment:
    """One figure or table of a paper.

    `run` takes the scale: 1.0 is the default size of this machine's runs, less is a quick look; the
    numbers of events follow from it. `claims` tests what the paper says on an outcome, of this run
    or of one that was recorded. `paper` says what the paper shows there, `differs` what is done
    differently here and why.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    paper: str
    differs: str
    run: Callable[[float], Outcome]
    claims: Callable[[Outcome], Sequence[Claim]]
    log_x: bool = False
    log_y: bool = False
