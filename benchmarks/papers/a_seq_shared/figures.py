"""Figures 15 and 16: sharing among queries (A-Seq, section 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import cepheid
from benchmarks.papers.a_seq_shared import contenders as made
from benchmarks.papers.a_seq_shared.stream import Shared
from benchmarks.papers.claims import ends, figures, less, quotient, ratio_claim, rises
from benchmarks.papers.experiment import Cell, Claim, Curves, Experiment, Outcome
from benchmarks.papers.race import turns_at
from benchmarks.papers.sweep import OURS, Entry, Sweep, sweep

ONE_BY_ONE = f"{OURS}, one by one"
A_SEQ, SASE, ECUBE = "A-Seq, one by one", "two steps (SASE)", "shared matches (ECube)"
A_SEQ_SHARED = "A-Seq, shared"
EVENTS, FEWEST_EVENTS = 200_000, 2000
WINDOW_MS = 2000
SHORT_WINDOW_MS, SHORT_EVENTS = 500, 60_000
MOST_MATCHES = 5e7
LENGTHS, COUNTS = (2, 3, 4, 5, 6), (2, 3, 4, 5, 6)
USUAL_SHARED, USUAL_QUERIES = 3, 3
FEW_SHARED = (1, 2, 3)
TIME = "µs of processor time per event"
PER_EVENTS = 1000
NAMES = (OURS, ONE_BY_ONE, A_SEQ, A_SEQ_SHARED)
DIFFERS = (
    "A generated stand-in for the trace of stock trades: 24 tickers, a trade every 2 ms, "
    "{events:,} trades, windows of {window} ms. A-Seq is compiled with Numba instead of Java: one "
    "query after the other, and shared by a PreTree or by Chop-Connect. Queries are known before "
    "the clock runs. Cepheid shares every stretch that sequences have in common, at the beginning "
    "or not, so that the prefix and the substring are one method."
)
SIMD = (
    "compiled, the active counters of a query are updated several at a time, so that there is less "
    "to share; Cepheid's own gain has what every query by itself costs in it"
)


def _entries(shared: Shared) -> Mapping[str, Entry]:
    workload = cepheid.workload(shared.texts)
    return {
        OURS: Entry(made.together(workload)),
        ONE_BY_ONE: Entry(made.one_by_one(workload)),
        A_SEQ: Entry(made.published(shared)),
        A_SEQ_SHARED: Entry(made.published_sharing(shared)),
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


def _figure(points: tuple[int, ...], kind: str) -> Callable[[float], Outcome]:
    def run(scale: float) -> Outcome:
        swept = _swept(points, scale, kind)
        return Outcome(swept.points, _times(swept, NAMES), swept.ratios(NAMES[1:]))

    return run


def _claims(first: float | None, last: float, *, grows: bool) -> Callable[[Outcome], list[Claim]]:
    """Return what the paper says of the gain, at the first point and at the last one."""

    def claims(outcome: Outcome) -> list[Claim]:
        curves = outcome.curves
        found = []
        for shared, alone in ((A_SEQ_SHARED, A_SEQ), (OURS, ONE_BY_ONE)):
            gains = [quotient(*pair) for pair in zip(curves[alone], curves[shared], strict=True)]
            places = ("the first point", first, gains[0]), ("the last point", last, gains[-1])
            found += [
                ratio_claim(f"{alone} ÷ {shared} at {place}", gain, paper, SIMD)
                for place, paper, gain in places
                if paper is not None
            ]
            if grows:
                text = f"the gain of {shared} grows" + figures(
                    ": {} to {} times", gains[0], gains[-1]
                )
                found.append(Claim(text, less(gains[0], gains[-1]), why=SIMD))
        return [*found, *_ahead(curves)]

    return claims


def _ahead(curves: Curves) -> list[Claim]:
    """Say whether Cepheid is faster than A-Seq, alone and shared."""
    claims = []
    for other in (A_SEQ, A_SEQ_SHARED):
        pairs = zip(curves[other], curves[OURS], strict=True)
        ratios = [each for each in (quotient(*pair) for pair in pairs) if each is not None]
        least, most = (min(ratios), max(ratios)) if ratios else (None, None)
        text = f"{OURS} is faster than {other}{figures(' ({} to {} times)', least, most)}"
        claims.append(Claim(text, None if least is None else least > 1, of_paper=False))
    return claims


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
    return Outcome(swept.points, _times(swept, names), swept.ratios(names[1:]))


def claims_15(outcome: Outcome) -> list[Claim]:
    """Say that sharing the construction of matches is not enough."""
    curves, at_least_100 = outcome.curves, (100.0, float("inf"))
    few = "windows of 500 ms have fewer matches than the paper's, and these are built in bulk"
    return [
        ratio_claim(
            "SASE ÷ ECube at l = 3",
            quotient(curves[SASE][-1], curves[ECUBE][-1]),
            (2.0, 3.0),
            "the matches of a query are many more than those of the substring, which alone is "
            "shared; joining them to the rest takes as long as building them",
        ),
        *(
            ratio_claim(
                f"ECube ÷ {name} at l = 3",
                quotient(curves[ECUBE][-1], curves[name][-1]),
                at_least_100,
                few,
            )
            for name in (A_SEQ, A_SEQ_SHARED, OURS)
        ),
        Claim(f"SASE takes longer with every type{ends(curves[SASE], ' µs')}", rises(curves[SASE])),
        *_ahead(curves),
    ]


def _times(swept: Sweep[int], names: Sequence[str]) -> dict[str, list[Cell]]:
    parts = [PER_EVENTS] * len(swept.points)
    return {name: swept.milliseconds(name, per_events=parts) for name in names}


def _experiment(
    figure: str,
    title: str,
    x_label: str,
    paper: str,
    run: Callable[[float], Outcome],
    claims: Callable[[Outcome], Sequence[Claim]],
) -> Experiment:
    events, window = (SHORT_EVENTS, SHORT_WINDOW_MS) if figure == "15" else (EVENTS, WINDOW_MS)
    return Experiment(
        name=f"a-seq-shared-fig-{figure}",
        title=f"{title}: time",
        x_label=x_label,
        y_label=TIME,
        paper=paper,
        differs=DIFFERS.format(events=events, window=window),
        run=run,
        claims=claims,
        log_y=figure == "15",
    )


FIGURES: tuple[Experiment, ...] = (
    _experiment(
        "15", f"Three queries, windows of {SHORT_WINDOW_MS} ms, against building matches",
        "length of the shared substring l",
        "ECube shares the construction of matches and is 2 to 3 times as fast as SASE, but at "
        "least 100 times slower than A-Seq, shared or not.",
        figure_15,
        claims_15,
    ),
    _experiment(
        "16a", "Prefix of 3 types, number of queries", "queries k",
        "Sharing the prefix wins around 2 times from 2 to 6 queries.",
        _figure(COUNTS, "prefix, count"),
        _claims(2.0, 2.0, grows=False),
    ),
    _experiment(
        "16b", "Three queries, length of the prefix", "length of the shared prefix l",
        "Sharing is 3 times as fast as A-Seq alone at length 2, and around 5 times at length 6.",
        _figure(LENGTHS, "prefix, length"),
        _claims(3.0, 5.0, grows=True),
    ),
    _experiment(
        "16c", "Three queries, length of the substring", "length of the shared substring l",
        "The gain of Chop-Connect grows from 1.3 to 2.6 times with the length.",
        _figure(LENGTHS, "substring, length"),
        _claims(1.3, 2.6, grows=True),
    ),
    _experiment(
        "16d", "Substring of 3 types, number of queries", "queries k",
        "The gain grows with the number of queries, to about 2 times.",
        _figure(COUNTS, "substring, count"),
        _claims(None, 2.0, grows=True),
    ),
)  # fmt: skip
