"""Figures 15 and 16: sharing among queries (A-Seq, section 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import cepheid
from benchmarks.papers.a_seq_shared import contenders as made
from benchmarks.papers.a_seq_shared.stream import Shared
from benchmarks.papers.claims import Claim, at_least, less, number, quotient, rises
from benchmarks.papers.claims import judge as judged
from benchmarks.papers.experiment import Cell, Experiment, Outcome
from benchmarks.papers.race import turns_at
from benchmarks.papers.sweep import OURS, Entry, Sweep, sweep

ONE_BY_ONE = f"{OURS}, one by one"
A_SEQ, SASE, ECUBE = "A-Seq, one by one", "two steps (SASE)", "shared matches (ECube)"
EVENTS, FEWEST_EVENTS = 200_000, 2000
WINDOW_MS = 2000
SHORT_WINDOW_MS, SHORT_EVENTS = 500, 60_000
MOST_MATCHES = 5e7
LENGTHS, COUNTS = (2, 3, 4, 5, 6), (2, 3, 4, 5, 6)
USUAL_SHARED, USUAL_QUERIES = 3, 3
FEW_SHARED = (1, 2, 3)
TIME = "µs of processor time per event"
PER_EVENTS = 1000
NAMES = (OURS, ONE_BY_ONE, A_SEQ)
DIFFERS = (
    "A generated stand-in for the trace of stock trades: 24 tickers, a trade every 2 ms, "
    f"{EVENTS:,} trades, windows of {WINDOW_MS} ms. A-Seq takes one query after the other, and is "
    "compiled with Numba instead of Java. Queries are known before the clock runs. Cepheid shares "
    "every stretch that sequences have in common, at the beginning or not, so that the prefix and "
    "the substring are one method."
)
Curves = dict[str, list[Cell]]


def _entries(shared: Shared) -> Mapping[str, Entry]:
    workload = cepheid.workload(shared.texts)
    return {
        OURS: Entry(made.together(workload)),
        ONE_BY_ONE: Entry(made.one_by_one(workload)),
        A_SEQ: Entry(made.published(shared)),
    }


@cache
def _swept(points: tuple[int, ...], scale: float, kind: str) -> Sweep[int]:
    events = max(FEWEST_EVENTS, round(EVENTS * scale))

    def shared(x: int) -> Shared:
        is_prefix = kind.startswith("prefix")
        if kind.endswith("length"):
            return Shared(events, WINDOW_MS, x, USUAL_QUERIES, is_prefix)
        return Shared(events, WINDOW_MS, USUAL_SHARED, x, is_prefix)

    return sweep(
        points,
        "l" if kind.endswith("length") else "k",
        lambda x: shared(x).table(),
        lambda x: _entries(shared(x)),
        turns=turns_at(scale),
    )


def _figure(
    points: tuple[int, ...], kind: str, paper: str, grows: bool
) -> Callable[[float], Outcome]:
    def run(scale: float) -> Outcome:
        swept = _swept(points, scale, kind)
        curves = _times(swept, NAMES)
        claims = [
            _faster(curves, ONE_BY_ONE, paper),
            _faster(curves, A_SEQ, paper, of_paper=False),
        ]
        if grows:
            pairs = zip(curves[ONE_BY_ONE], curves[OURS], strict=True)
            ratios = [quotient(*pair) for pair in pairs]
            claims.append(
                Claim(
                    f"the gain grows from the first to the last point: {number(ratios[0])} to "
                    f"{number(ratios[-1])} times",
                    less(ratios[0], ratios[-1]),
                )
            )
        return Outcome(swept.points, curves, swept.ratios(NAMES[1:]), judged(claims))

    return run


def figure_15(scale: float) -> Outcome:
    """Compare with building matches, of every query or of what they share."""
    events = max(FEWEST_EVENTS, round(SHORT_EVENTS * scale))

    def shared(x: int) -> Shared:
        return Shared(events, SHORT_WINDOW_MS, x, USUAL_QUERIES, is_prefix=False)

    def entries(x: int) -> Mapping[str, Entry]:
        built = shared(x).matches
        return {
            **_entries(shared(x)),
            SASE: Entry(made.two_steps(shared(x)), built, MOST_MATCHES),
            ECUBE: Entry(made.shared_construction(shared(x)), built, MOST_MATCHES),
        }

    swept = sweep(FEW_SHARED, "l", lambda x: shared(x).table(), entries, turns=turns_at(scale))
    names = (*NAMES, SASE, ECUBE)
    curves = _times(swept, names)
    slower = quotient(curves[ECUBE][-1], curves[OURS][-1])
    gain = quotient(curves[SASE][-1], curves[ECUBE][-1])
    claims = [
        Claim(
            f"ECube is faster than SASE at l = 3 ({number(gain)} times; 2 to 3 in the paper)",
            at_least(gain, 1.0),
        ),
        Claim(
            f"it takes much longer than shared aggregation at l = 3 ({number(slower)} times; 100 "
            "in the paper)",
            at_least(slower, 10),
        ),
        Claim(f"SASE takes longer with every type: {_ends(curves[SASE])} µs", rises(curves[SASE])),
    ]
    return Outcome(swept.points, curves, swept.ratios(names[1:]), judged(claims))


def _times(swept: Sweep[int], names: Sequence[str]) -> Curves:
    parts = [PER_EVENTS] * len(swept.points)
    return {name: swept.milliseconds(name, per_events=parts) for name in names}


def _faster(curves: Curves, other: str, paper: str, *, of_paper: bool = True) -> Claim:
    pairs = zip(curves[other], curves[OURS], strict=True)
    ratios = [each for each in (quotient(*pair) for pair in pairs) if each is not None]
    least, most = (min(ratios), max(ratios)) if ratios else (None, None)
    said = f"; {paper} in the paper" if of_paper else ""
    return Claim(
        f"{OURS} is faster than {other} at every point ({number(least)} to {number(most)} "
        f"times{said})",
        None if least is None else least > 1,
        of_paper=of_paper,
    )


def _ends(cells: Sequence[Cell]) -> str:
    known = [each.value for each in cells if each.value is not None]
    return f"{number(known[0])} to {number(known[-1])}" if known else "?"


def _experiment(
    figure: str, title: str, x_label: str, paper: str, run: Callable[[float], Outcome]
) -> Experiment:
    return Experiment(
        name=f"a-seq-shared-fig-{figure}",
        title=f"{title}: time",
        x_label=x_label,
        y_label=TIME,
        paper=paper,
        differs=DIFFERS,
        run=run,
        log_y=figure == "15",
    )


FIGURES: tuple[Experiment, ...] = (
    _experiment(
        "15", f"Three queries, windows of {SHORT_WINDOW_MS} ms, against building matches",
        "length of the shared substring l",
        "ECube shares the construction of matches and is 2 to 3 times as fast as SASE, but at "
        "least 100 times slower than A-Seq, shared or not.",
        figure_15,
    ),
    _experiment(
        "16a", "Prefix of 3 types, number of queries", "queries k",
        "Sharing the prefix wins around 2 times from 2 to 6 queries.",
        _figure(COUNTS, "prefix, count", "around 2", grows=False),
    ),
    _experiment(
        "16b", "Three queries, length of the prefix", "length of the shared prefix l",
        "Sharing is 3 times as fast as A-Seq alone at length 2, and around 5 times at length 6.",
        _figure(LENGTHS, "prefix, length", "3 to 5", grows=True),
    ),
    _experiment(
        "16c", "Three queries, length of the substring", "length of the shared substring l",
        "The gain of Chop-Connect grows from 1.3 to 2.6 times with the length.",
        _figure(LENGTHS, "substring, length", "1.3 to 2.6", grows=True),
    ),
    _experiment(
        "16d", "Substring of 3 types, number of queries", "queries k",
        "The gain grows with the number of queries, to about 2 times.",
        _figure(COUNTS, "substring, count", "about 2", grows=True),
    ),
)  # fmt: skip
