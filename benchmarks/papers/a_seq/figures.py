"""Figures 12 to 14: one query, its length, its window and negation (A-Seq, section 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from benchmarks.papers.a_seq.contenders import engine, published, two_steps
from benchmarks.papers.a_seq.stream import Sequence as Types
from benchmarks.papers.claims import (
    at_least,
    at_most,
    ends,
    figures,
    less,
    quotient,
    ratio_claim,
    rises,
)
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.race import turns_at
from benchmarks.papers.sweep import OURS, Entry, Sweep, sweep

A_SEQ, TWO_STEPS = "A-Seq", "two steps (SASE)"
ALL = (OURS, A_SEQ, TWO_STEPS)
ONLINE = (OURS, A_SEQ)
MANY = ", 1 M events"
EVENTS, MANY_EVENTS, FEWEST_EVENTS = 60_000, 1_000_000, 2000
MOST_MATCHES = 5e7  # what the two-step approach holds in memory and builds in about a second
LENGTHS, LONG = (2, 3, 4, 5), (6, 7, 8, 9, 10)
WINDOWS = (100, 250, 500, 750, 1000)
LONG_WINDOW = 2000
CLEARLY = 10.0

ENGINE = (
    "matches are built by Cepheid's match engine, compiled and in bulk, instead of SASE in Java"
)
TIME = "µs of processor time per event"
PER_EVENTS = 1000  # a millisecond for as many events is a microsecond for one
MEMORY = "peak of memory beyond the events (bytes)"
DIFFERS = (
    "A generated stand-in for the trace of stock trades: 24 tickers, a trade every 2 ms, "
    f"{EVENTS:,} trades (120,000 in the paper). A-Seq is compiled with Numba instead of Java; the "
    "two-step approach builds its matches with Cepheid's match engine, which is faster than what "
    "the paper compares with. Memory in bytes instead of Java objects."
)


def _events(scale: float, events: int = EVENTS) -> int:
    return max(FEWEST_EVENTS, round(events * scale))


def _entries(sequence: Types) -> Mapping[str, Entry]:
    return {
        OURS: Entry(engine(sequence)),
        A_SEQ: Entry(published(sequence)),
        TWO_STEPS: Entry(two_steps(sequence), sequence.matches, MOST_MATCHES),
    }


@cache
def _by_length(scale: float) -> Sweep[int]:
    def sequence(length: int) -> Types:
        return Types(_events(scale), 1000, length)

    return sweep(
        LENGTHS,
        "l",
        lambda length: sequence(length).table(),
        lambda length: _entries(sequence(length)),
        turns=turns_at(scale),
        memory=True,
    )


def _many_by_length(scale: float) -> Sweep[int]:
    """Return the times of those that build no matches, for many events."""

    def sequence(length: int) -> Types:
        return Types(_events(scale, MANY_EVENTS), 1000, length)

    return sweep(
        LENGTHS,
        "l",
        lambda length: sequence(length).table(),
        lambda length: {name: _entries(sequence(length))[name] for name in ONLINE},
        turns=turns_at(scale),
    )


@cache
def _by_window(scale: float) -> Sweep[int]:
    def sequence(window: int) -> Types:
        return Types(_events(scale), window)

    return sweep(
        WINDOWS,
        "w",
        lambda window: sequence(window).table(),
        lambda window: _entries(sequence(window)),
        turns=turns_at(scale),
        memory=True,
    )


def _time(
    swept: Sweep[int] | Sweep[str], names: Sequence[str] = ALL, more: str = ""
) -> dict[str, list[Cell]]:
    parts = [PER_EVENTS] * len(swept.points)
    return {name + more: swept.milliseconds(name, per_events=parts) for name in names}


def _memory(swept: Sweep[int]) -> dict[str, list[Cell]]:
    return {name: swept.memory(name) for name in ALL}


def figure_12a(scale: float) -> Outcome:
    """Vary the length, time; the online approaches also with many events."""
    few, many = _compared(_by_length(scale)), _many_by_length(scale)
    return Outcome(few.points, {**few.series, **_time(many, ONLINE, MANY)}, few.ratios)


def claims_12a(outcome: Outcome) -> list[Claim]:
    """Say that two steps explode, and A-Seq does not."""
    ours, theirs, built = (outcome.curves[name] for name in ALL)
    factor = quotient(theirs[-1], theirs[0])
    return [
        Claim(f"two steps take longer with every type{ends(built, ' µs')}", rises(built)),
        Claim(
            f"A-Seq is almost constant from l = 2 to 5{figures(': {} times', factor)}",
            at_most(factor, 3),
        ),
        ratio_claim(
            "two steps ÷ A-Seq at l = 5", quotient(built[-1], theirs[-1]), 16_736.0, ENGINE
        ),
        _ours_is_flat(ours, "l = 2 to 5"),
        _as_fast_with_many(outcome),
    ]


def _as_fast_with_many(outcome: Outcome) -> Claim:
    """Say that an event costs us no more among a million events than it costs A-Seq."""
    ours, theirs = (outcome.curves[name + MANY] for name in ONLINE)
    factors = [each for each in map(quotient, ours, theirs) if each is not None]
    most = max(factors, default=None)
    return Claim(
        f"among 1 M events {OURS} takes at most as long as A-Seq"
        f"{figures(' ({} times at most)', most)}",
        at_most(most, 1),
        of_paper=False,
    )


def figure_12b(scale: float) -> Outcome:
    """Vary the length, memory."""
    return _memory_outcome(_by_length(scale))


def figure_13a(scale: float) -> Outcome:
    """Vary the window, time."""
    return _compared(_by_window(scale))


def claims_13a(outcome: Outcome) -> list[Claim]:
    """Say that two steps degrade faster with the window."""
    ours, theirs, built = (outcome.curves[name] for name in ALL)
    factors = [quotient(each[-1], each[0]) for each in (theirs, built)]
    return [
        Claim(
            f"A-Seq takes longer with the window{ends(theirs, ' µs')}",
            rises(theirs),
            why="compiled, a step over the active counters is a small part of what an event costs",
        ),
        Claim(f"two steps take longer with the window, too{ends(built, ' µs')}", rises(built)),
        Claim(
            "two steps degrade faster" + figures(" ({} times, A-Seq {} times)", *factors[::-1]),
            less(*factors),
        ),
        _ours_is_flat(ours, "w = 100 to 1000"),
    ]


def figure_13b(scale: float) -> Outcome:
    """Vary the window, memory."""
    return _memory_outcome(_by_window(scale))


def figure_14a(scale: float) -> Outcome:
    """Long sequences in a long window."""

    def sequence(length: int) -> Types:
        return Types(_events(scale), LONG_WINDOW, length)

    swept = sweep(
        LONG,
        "l",
        lambda length: sequence(length).table(),
        lambda length: _entries(sequence(length)),
    )
    return Outcome(swept.points, _time(swept), swept.ratios((A_SEQ,)))


def claims_14a(outcome: Outcome) -> list[Claim]:
    """Say that A-Seq does not degrade where two steps fail."""
    ours, theirs, built = (outcome.curves[name] for name in ALL)
    factor = quotient(theirs[-1], theirs[0])
    return [
        Claim(
            "A-Seq does not degrade significantly from l = 6 to 10"
            + figures(" ({} times)", factor),
            at_most(factor, 2),
        ),
        Claim("the two-step approach fails at l = 10", built[-1].value is None),
        _ours_is_flat(ours, "l = 6 to 10"),
    ]


def figure_14b(scale: float) -> Outcome:
    """Compare a query with the same and a negation."""
    queries = {
        "q1": Types(_events(scale), 1000),
        "q2, with !QQQ": Types(_events(scale), 1000, without_qqq=True),
    }
    return _compared(
        sweep(
            list(queries),
            "query",
            lambda name: queries[name].table(),
            lambda name: _entries(queries[name]),
        )
    )


def claims_14b(outcome: Outcome) -> list[Claim]:
    """Say who pays for the negation."""
    cost = {name: quotient(*reversed(outcome.curves[name])) for name in ALL}
    return [
        ratio_claim(
            "A-Seq with the negation ÷ without", cost[A_SEQ], 1.0, "a stand-in for the data"
        ),
        Claim(
            "the two-step approach takes significantly longer, since it filters afterwards"
            + figures(" ({} times)", cost[TWO_STEPS]),
            at_least(cost[TWO_STEPS], 1.25),
            why="it filters with a sorted search over all matches at once",
        ),
        Claim(
            f"{OURS} takes at most half as long again{figures(' ({} times)', cost[OURS])}",
            at_most(cost[OURS], 1.5),
            of_paper=False,
        ),
    ]


def _compared(swept: Sweep[int] | Sweep[str]) -> Outcome:
    return Outcome(swept.points, _time(swept), swept.ratios((A_SEQ, TWO_STEPS)))


def _memory_outcome(swept: Sweep[int]) -> Outcome:
    return Outcome(swept.points, _memory(swept), [])


def claims_of_memory(outcome: Outcome) -> list[Claim]:
    """Say that A-Seq needs much less."""
    theirs, built = outcome.curves[A_SEQ], outcome.curves[TWO_STEPS]
    saved = quotient(built[-1], theirs[-1])
    return [
        Claim(f"two steps need more memory with every point{ends(built, ' bytes')}", rises(built)),
        Claim(
            f"A-Seq needs much less than two steps{figures(' ({} times)', saved)}",
            at_least(saved, CLEARLY),
        ),
    ]


def _ours_is_flat(cells: Sequence[Cell], where: str) -> Claim:
    factor = quotient(cells[-1], cells[0])
    return Claim(
        f"{OURS} grows at most 3 times from {where}{figures(' ({} times)', factor)}",
        at_most(factor, 3),
        of_paper=False,
    )


def _experiment(
    figure: str,
    title: str,
    x_label: str,
    paper: str,
    run: Callable[[float], Outcome],
    claims: Callable[[Outcome], Sequence[Claim]],
) -> Experiment:
    is_memory = claims is claims_of_memory
    return Experiment(
        name=f"a-seq-fig-{figure}",
        title=title,
        x_label=x_label,
        y_label=MEMORY if is_memory else TIME,
        paper=paper,
        differs=DIFFERS,
        run=run,
        claims=claims,
        log_y=True,
    )


FIGURES: tuple[Experiment, ...] = (
    _experiment(
        "12a", "Varying the pattern length, window 1000 ms: time", "pattern length l",
        "The two-step approach grows exponentially with the length, A-Seq stays fairly constant; "
        "at length 5 it is 16,736 times faster.",
        figure_12a,
        claims_12a,
    ),
    _experiment(
        "12b", "Varying the pattern length, window 1000 ms: memory", "pattern length l",
        "A-Seq needs significantly less memory: a prefix counter per active START event instead "
        "of all events, pointers and matches.",
        figure_12b,
        claims_of_memory,
    ),
    _experiment(
        "13a", "Varying the window, length 3: time", "window w (ms)",
        "Both take longer as the window grows; the two-step approach degrades significantly "
        "faster, since A-Seq is linear in the active events.",
        figure_13a,
        claims_13a,
    ),
    _experiment(
        "13b", "Varying the window, length 3: memory", "window w (ms)",
        "Memory grows in a similar manner as the time.",
        figure_13b,
        claims_of_memory,
    ),
    _experiment(
        "14a", "Long patterns, window 2000 ms: time", "pattern length l",
        "No significant degradation of A-Seq even at length 10, where the stack-based join fails "
        "(memory overflow).",
        figure_14a,
        claims_14a,
    ),
    _experiment(
        "14b", "Negation: (DELL, IPIX, AMAT) and (DELL, IPIX, !QQQ, AMAT), 1000 ms: time", "query",
        "A-Seq has almost no overhead for the negation, the two-step approach a significant one, "
        "since it checks negation after all matches are built.",
        figure_14b,
        claims_14b,
    ),
)  # fmt: skip
