"""Figures 12 to 14: one query, its length, its window and negation (A-Seq, section 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from benchmarks.papers.a_seq.contenders import engine, published, two_steps
from benchmarks.papers.a_seq.stream import Sequence
from benchmarks.papers.claims import Claim, at_least, at_most, judge, less, number, quotient, rises
from benchmarks.papers.experiment import Cell, Experiment, Outcome
from benchmarks.papers.race import turns_at
from benchmarks.papers.sweep import OURS, Entry, Sweep, sweep

A_SEQ, TWO_STEPS = "A-Seq", "two steps (SASE)"
ALL = (OURS, A_SEQ, TWO_STEPS)
EVENTS, FEWEST_EVENTS = 60_000, 2000
MOST_MATCHES = 5e7  # what the two-step approach holds in memory and builds in about a second
LENGTHS, LONG = (2, 3, 4, 5), (6, 7, 8, 9, 10)
WINDOWS = (100, 250, 500, 750, 1000)
LONG_WINDOW = 2000
CLEARLY = 10.0

TIME = "µs of processor time per event"
PER_EVENTS = 1000  # a millisecond for as many events is a microsecond for one
MEMORY = "peak of memory beyond the events (bytes)"
DIFFERS = (
    "A generated stand-in for the trace of stock trades: 24 tickers, a trade every 2 ms, "
    f"{EVENTS:,} trades (120,000 in the paper). A-Seq is compiled with Numba instead of Java; the "
    "two-step approach builds its matches with Cepheid's match engine, which is faster than what "
    "the paper compares with. Memory in bytes instead of Java objects."
)


def _events(scale: float) -> int:
    return max(FEWEST_EVENTS, round(EVENTS * scale))


def _entries(sequence: Sequence) -> Mapping[str, Entry]:
    return {
        OURS: Entry(engine(sequence)),
        A_SEQ: Entry(published(sequence)),
        TWO_STEPS: Entry(two_steps(sequence), sequence.matches, MOST_MATCHES),
    }


@cache
def _by_length(scale: float) -> Sweep[int]:
    def sequence(length: int) -> Sequence:
        return Sequence(_events(scale), 1000, length)

    return sweep(
        LENGTHS,
        "l",
        lambda length: sequence(length).table(),
        lambda length: _entries(sequence(length)),
        turns=turns_at(scale),
        memory=True,
    )


@cache
def _by_window(scale: float) -> Sweep[int]:
    def sequence(window: int) -> Sequence:
        return Sequence(_events(scale), window)

    return sweep(
        WINDOWS,
        "w",
        lambda window: sequence(window).table(),
        lambda window: _entries(sequence(window)),
        turns=turns_at(scale),
        memory=True,
    )


def _time(swept: Sweep[int] | Sweep[str]) -> dict[str, list[Cell]]:
    parts = [PER_EVENTS] * len(swept.points)
    return {name: swept.milliseconds(name, per_events=parts) for name in ALL}


def _memory(swept: Sweep[int]) -> dict[str, list[Cell]]:
    return {name: swept.memory(name) for name in ALL}


def figure_12a(scale: float) -> Outcome:
    """Vary the length, time."""
    swept = _by_length(scale)
    series = _time(swept)
    ours, theirs, built = (series[name] for name in ALL)
    faster = quotient(built[-1], theirs[-1])
    shape = judge(
        [
            Claim(f"two steps take longer with every type: {_ends(built)} µs", rises(built)),
            Claim(
                f"A-Seq is almost constant: {number(quotient(theirs[-1], theirs[0]))} times from "
                "l = 2 to 5",
                at_most(quotient(theirs[-1], theirs[0]), 3),
            ),
            Claim(
                f"and orders of magnitude faster at l = 5 ({number(faster)} times, 16,736 in the "
                "paper)",
                at_least(faster, CLEARLY),
            ),
            _ours_is_flat(ours, "l = 2 to 5"),
        ]
    )
    return Outcome(swept.points, series, swept.ratios((A_SEQ, TWO_STEPS)), shape)


def figure_12b(scale: float) -> Outcome:
    """Vary the length, memory."""
    return _memory_outcome(_by_length(scale))


def figure_13a(scale: float) -> Outcome:
    """Vary the window, time."""
    swept = _by_window(scale)
    series = _time(swept)
    ours, theirs, built = (series[name] for name in ALL)
    shape = judge(
        [
            Claim(f"A-Seq takes longer with the window: {_ends(theirs)} µs", rises(theirs)),
            Claim(f"so do two steps: {_ends(built)} µs", rises(built)),
            Claim(
                f"two steps degrade faster: {number(quotient(built[-1], built[0]))} times, A-Seq "
                f"{number(quotient(theirs[-1], theirs[0]))} times",
                less(quotient(theirs[-1], theirs[0]), quotient(built[-1], built[0])),
            ),
            _ours_is_flat(ours, "w = 100 to 1000"),
        ]
    )
    return Outcome(swept.points, series, swept.ratios((A_SEQ, TWO_STEPS)), shape)


def figure_13b(scale: float) -> Outcome:
    """Vary the window, memory."""
    return _memory_outcome(_by_window(scale))


def figure_14a(scale: float) -> Outcome:
    """Long sequences in a long window."""

    def sequence(length: int) -> Sequence:
        return Sequence(_events(scale), LONG_WINDOW, length)

    swept = sweep(
        LONG,
        "l",
        lambda length: sequence(length).table(),
        lambda length: _entries(sequence(length)),
    )
    series = _time(swept)
    ours, theirs = series[OURS], series[A_SEQ]
    shape = judge(
        [
            Claim(
                f"no significant degradation of A-Seq ({number(quotient(theirs[-1], theirs[0]))} "
                "times from l = 6 to 10)",
                at_most(quotient(theirs[-1], theirs[0]), 2),
            ),
            Claim(
                "the two-step approach fails",
                all(each.value is None for each in series[TWO_STEPS]) if scale == 1 else None,
            ),
            _ours_is_flat(ours, "l = 6 to 10"),
        ]
    )
    return Outcome(swept.points, series, swept.ratios((A_SEQ,)), shape)


def figure_14b(scale: float) -> Outcome:
    """Compare a query with the same and a negation."""
    queries = {
        "q1": Sequence(_events(scale), 1000),
        "q2, with !QQQ": Sequence(_events(scale), 1000, without_qqq=True),
    }
    swept = sweep(
        list(queries),
        "query",
        lambda name: queries[name].table(),
        lambda name: _entries(queries[name]),
    )
    series = _time(swept)
    cost = {name: quotient(cells[1], cells[0]) for name, cells in series.items()}
    shape = judge(
        [
            Claim(
                f"A-Seq has almost no overhead for the negation ({number(cost[A_SEQ])} times)",
                at_most(cost[A_SEQ], 1.25),
            ),
            Claim(
                "the two-step approach has, since it filters afterwards "
                f"({number(cost[TWO_STEPS])} times)",
                at_least(cost[TWO_STEPS], 1.25),
            ),
            Claim(
                f"{OURS} takes at most half as long again ({number(cost[OURS])} times)",
                at_most(cost[OURS], 1.5),
                of_paper=False,
            ),
        ]
    )
    return Outcome(swept.points, series, swept.ratios((A_SEQ, TWO_STEPS)), shape)


def _memory_outcome(swept: Sweep[int]) -> Outcome:
    series = _memory(swept)
    theirs, built = series[A_SEQ], series[TWO_STEPS]
    saved = quotient(built[-1], theirs[-1])
    shape = judge(
        [
            Claim(f"two steps need more with every point: {_ends(built)} bytes", rises(built)),
            Claim(f"A-Seq needs much less ({number(saved)} times)", at_least(saved, CLEARLY)),
        ]
    )
    return Outcome(swept.points, series, [], shape)


def _ours_is_flat(cells: list[Cell], where: str) -> Claim:
    factor = quotient(cells[-1], cells[0])
    return Claim(
        f"{OURS} from {where}: {number(factor)} times, at most 3",
        at_most(factor, 3),
        of_paper=False,
    )


def _ends(cells: list[Cell]) -> str:
    known = [each.value for each in cells if each.value is not None]
    return f"{number(known[0])} to {number(known[-1])}" if known else "?"


def _experiment(
    figure: str, title: str, x_label: str, paper: str, run: Callable[[float], Outcome]
) -> Experiment:
    is_memory = figure in ("12b", "13b")
    return Experiment(
        name=f"a-seq-fig-{figure}",
        title=title,
        x_label=x_label,
        y_label=MEMORY if is_memory else TIME,
        paper=paper,
        differs=DIFFERS,
        run=run,
        log_y=True,
    )


FIGURES: tuple[Experiment, ...] = (
    _experiment(
        "12a", "Varying the pattern length, window 1000 ms: time", "pattern length l",
        "The two-step approach grows exponentially with the length, A-Seq stays fairly constant; "
        "at length 5 it is 16,736 times faster.",
        figure_12a,
    ),
    _experiment(
        "12b", "Varying the pattern length, window 1000 ms: memory", "pattern length l",
        "A-Seq needs significantly less memory: a prefix counter per active START event instead "
        "of all events, pointers and matches.",
        figure_12b,
    ),
    _experiment(
        "13a", "Varying the window, length 3: time", "window w (ms)",
        "Both take longer as the window grows; the two-step approach degrades significantly "
        "faster, since A-Seq is linear in the active events.",
        figure_13a,
    ),
    _experiment(
        "13b", "Varying the window, length 3: memory", "window w (ms)",
        "Memory grows in a similar manner as the time.",
        figure_13b,
    ),
    _experiment(
        "14a", "Long patterns, window 2000 ms: time", "pattern length l",
        "No significant degradation of A-Seq even at length 10, where the stack-based join fails "
        "(memory overflow).",
        figure_14a,
    ),
    _experiment(
        "14b", "Negation: (DELL, IPIX, AMAT) and (DELL, IPIX, !QQQ, AMAT), 1000 ms: time", "query",
        "A-Seq has almost no overhead for the negation, the two-step approach a significant one, "
        "since it checks negation after all matches are built.",
        figure_14b,
    ),
)  # fmt: skip
