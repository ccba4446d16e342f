"""What negation and further predicates cost (SASE, section 5.3, experiment 4 and what follows it).

The paper's experiment 4 adds simple predicates; the cost of negation is told right after it. The
query is `SEQ(E1, !E4, E2, !E5, E3)` with none, one or both of the negations, and with a simple
predicate on E1 or without. SASE's plan is PAIS with the window pushed down and Negation on top: it
looks up whether a negated event of the same key lies between two events of a sequence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from benchmarks.papers.baselines.compiled import Ints
from benchmarks.papers.claims import at_most, figures, less, quotient
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.race import Answer, Contender, turns_at
from benchmarks.papers.sase_contenders import partitioned
from benchmarks.papers.sase_stream import Workload, number_of_events
from benchmarks.papers.sweep import OURS, THROUGHPUT, Entry, Sweep, sweep

SASE = "SASE (PAIS, Negation on top)"
PUSHED, ON_TOP = "SASE, predicate pushed down", "SASE, predicate in Selection"
WINDOW, EVENTS = 10_000, 200_000
SELECTIVE, PRODUCTIVE = 1000, 20  # values of the key: few matches, and many
NEGATIONS = (0, 1, 2)
MODEST, SIGNIFICANT = 1.25, 1.25
LIMITS = (10, 30, 50, 100)  # percent of the events E1 that the predicate takes


@dataclass(frozen=True, slots=True)
class Negated:
    """A sequence of three types with some negations in it."""

    workload: Workload
    negations: int

    @property
    def query(self) -> str:
        """The query: E4 must not lie between E1 and E2, nor E5 between E2 and E3."""
        parts = ["E1 e1", "E2 e2", "E3 e3"]
        for place in reversed(range(self.negations)):
            parts.insert(place + 1, f"!(E{place + 4} n{place + 1})")
        return (
            f"PATTERN SEQ({', '.join(parts)}) WHERE [attr1] WITHIN {self.workload.window} "
            "RETURN e1.time, e2.time, e3.time"
        )


def engine(query: str) -> Contender:
    """Return the engine: parse, plan and run the query."""
    return lambda events: Answer(cepheid.query(query).run(events, time="time", type="type"))


def negation_on_top(negated: Negated) -> Contender:
    """Return SASE's plan: sequences of PAIS, then those without a negated event in between."""
    sequences = partitioned(negated.workload)
    events_of_key = negated.workload.events + 1  # times are places in the stream

    def run(events: pa.Table) -> Answer:
        found = sequences(events)
        times = [each.to_numpy() for each in found.matches.columns]
        key, time = events["attr1"].to_numpy(), events["time"].to_numpy()
        own = key[np.searchsorted(time, times[0])] * events_of_key
        stays = np.ones(found.matches.num_rows, np.bool_)
        for place in range(negated.negations):
            index = _index(events, f"E{place + 4}", key, time, events_of_key)
            before, after = own + times[place], own + times[place + 1]
            stays &= np.searchsorted(index, before, "right") == np.searchsorted(index, after)
        return Answer(found.matches.filter(pa.array(stays)), found.built)

    return run


def _index(events: pa.Table, name: str, key: Ints, time: Ints, step: int) -> Ints:
    """Return the events of a type by key and time, as the partitioned index of section 3.3."""
    types = events["type"].combine_chunks()
    is_own = types.indices.to_numpy() == pc.index(types.dictionary, name).as_py()
    return np.sort(key[is_own] * step + time[is_own])


def _negating(values: int, scale: float) -> Sweep[int]:
    def negated(negations: int) -> Negated:
        events = number_of_events(EVENTS, scale)
        return Negated(Workload(events, WINDOW, values=(values,)), negations)

    table = negated(0).workload.table()
    return sweep(
        NEGATIONS,
        "N",
        lambda _: table,
        lambda each: {
            OURS: Entry(engine(negated(each).query)),
            SASE: Entry(negation_on_top(negated(each))),
        },
        turns=turns_at(scale),
    )


def negation(scale: float) -> Outcome:
    """Vary the number of negations, where there are few sequences and where there are many."""
    series: dict[str, list[Cell]] = {}
    ratios, counts = [], {}
    for values in (SELECTIVE, PRODUCTIVE):
        swept = _negating(values, scale)
        series |= {f"{name}, V1 = {values:,}": swept.throughput(name) for name in (OURS, SASE)}
        ratios += [f"V1 = {values:,}: {each}" for each in swept.ratios([SASE])]
        counts[f"sequences built in 10,000 events, V1 = {values:,}"] = swept.built(
            SASE, per_events=10_000
        )
    return Outcome(NEGATIONS, series, ratios, counts)


def claims_of_negation(outcome: Outcome) -> list[Claim]:
    """Say that negation costs little with few intermediate results, and more with many."""
    cost = {
        (name, values): quotient(cells[0], cells[-1])
        for name in (OURS, SASE)
        for values in (SELECTIVE, PRODUCTIVE)
        for cells in (outcome.curves[f"{name}, V1 = {values:,}"],)
    }
    few, many = cost[SASE, SELECTIVE], cost[SASE, PRODUCTIVE]
    ours = [cost[OURS, values] for values in (SELECTIVE, PRODUCTIVE)]
    return [
        Claim(
            "two negations cost SASE little where intermediate results are few"
            + figures(" ({} times the time)", few),
            at_most(few, MODEST),
            why="the index of negated events is sorted anew for every run",
        ),
        Claim(
            "two negations cost SASE more where intermediate results are many"
            + figures(" ({} times the time)", many),
            less(SIGNIFICANT, many),
            why="a lookup for each sequence is cheap in compiled code, beside building it",
        ),
        Claim(
            f"{OURS} takes at most twice as long with two negations"
            + figures(" ({} and {} times)", *ours),
            None if None in ours else max(each or 0.0 for each in ours) <= 2,
            of_paper=False,
        ),
    ]


def _predicates(scale: float) -> Sweep[int]:
    events = number_of_events(EVENTS, scale)
    workload = Workload(events, WINDOW, values=(100,))
    table = workload.table().append_column("x", pa.array(np.arange(events) * 7919 % 100))
    text = workload.query.replace(" WITHIN", " AND e1.x < {} WITHIN")

    def entries(percent: int) -> Mapping[str, Entry]:
        return {
            OURS: Entry(engine(text.format(percent))),
            PUSHED: Entry(with_predicate(workload, percent, is_pushed=True)),
            ON_TOP: Entry(with_predicate(workload, percent, is_pushed=False)),
        }

    return sweep(LIMITS, "selectivity", lambda _: table, entries, turns=turns_at(scale))


def with_predicate(workload: Workload, limit: int, *, is_pushed: bool) -> Contender:
    """Return PAIS with a predicate on E1: before sequence scan, or in Selection."""
    sequences = partitioned(workload)

    def run(events: pa.Table) -> Answer:
        x = events["x"].to_numpy()
        if is_pushed:
            types = events["type"].combine_chunks()
            first = types.indices.to_numpy() == pc.index(types.dictionary, "E1").as_py()
            return sequences(events.filter(pa.array(~first | (x < limit))).combine_chunks())
        found = sequences(events)
        stays = x[np.searchsorted(events["time"].to_numpy(), found.matches[0].to_numpy())] < limit
        return Answer(found.matches.filter(pa.array(stays)), found.built)

    return run


def predicates(scale: float) -> Outcome:
    """Vary how many events a simple predicate takes."""
    swept = _predicates(scale)
    series = {name: swept.throughput(name) for name in (OURS, PUSHED, ON_TOP)}
    counts = {
        f"sequences built in 10,000 events by {name}": swept.built(name, per_events=10_000)
        for name in (PUSHED, ON_TOP)
    }
    return Outcome(LIMITS, series, swept.ratios([PUSHED, ON_TOP]), counts)


def claims_of_predicates(outcome: Outcome) -> list[Claim]:
    """Say that pushing a simple predicate down reduces intermediate results."""
    built = [
        outcome.curves[f"sequences built in 10,000 events by {name}"] for name in (PUSHED, ON_TOP)
    ]
    fewer = [quotient(*pair) for pair in zip(*built, strict=True)]
    faster = quotient(outcome.curves[PUSHED][0], outcome.curves[ON_TOP][0])
    return [
        Claim(
            "a predicate that takes one in ten leaves at most 0.2 of the sequences"
            + figures(" ({})", fewer[0]),
            at_most(fewer[0], 0.2),
        ),
        Claim(
            "pushing such a predicate down raises the throughput" + figures(" ({} times)", faster),
            less(1.0, faster),
            why="the events are filtered by copying them, which costs more than the sequences",
        ),
    ]


DIFFERS = (
    "The paper gives no parameters; L = 3, W = 10,000, one equivalence test. PAIS is compiled with "
    "Numba instead of Java; Negation and Selection look all sequences up at once, in NumPy."
)
NEGATION = Experiment(
    name="sase-negation",
    title="Cost of negation: SEQ(E1, !E4, E2, !E5, E3) with 0 to 2 negations (text of section 5.3)",
    x_label="negations N",
    y_label=THROUGHPUT,
    paper=(
        "Details are omitted: the cost of processing negation is modest when intermediate results "
        "are few, and can become more significant otherwise."
    ),
    differs=DIFFERS,
    run=negation,
    claims=claims_of_negation,
    log_y=True,
)
PREDICATES = Experiment(
    name="sase-predicates",
    title="Experiment 4: a simple predicate pushed down, or in Selection (text of section 5.3)",
    x_label="selectivity of the predicate on E1 (%)",
    y_label=THROUGHPUT,
    paper=(
        "Details are omitted: pushing simple predicates down always helps to reduce intermediate "
        "results, which improves throughput."
    ),
    differs=DIFFERS,
    run=predicates,
    claims=claims_of_predicates,
)
