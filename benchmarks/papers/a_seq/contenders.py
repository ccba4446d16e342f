"""Cepheid, A-Seq and the two-step approach, from an Arrow table to time and count of every result.

The two-step approach builds all matches with Cepheid's match engine, which stands for SASE's
sequence scan and construction, and counts them: a match counts from its last event until its first
one expires. It filters negated events afterwards, as the paper says of SASE.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import cepheid
from benchmarks.papers.a_seq.stream import Sequence
from benchmarks.papers.baselines.compiled import Ints, States
from benchmarks.papers.baselines.prefix_counters import NO_PLACE, prefix_counters
from benchmarks.papers.race import Answer, Contender


def engine(sequence: Sequence) -> Contender:
    """Return the engine: parse, plan and run the query."""

    def run(events: pa.Table) -> Answer:
        found = cepheid.query(sequence.query).run(events, time="time", type="type")
        return Answer(_results(found["time"], found["count"]))

    return run


def published(sequence: Sequence) -> Contender:
    """Return A-Seq; what it built is how many prefix counters there were at most."""

    def run(events: pa.Table) -> Answer:
        negated = {"QQQ": sequence.length - 2} if sequence.without_qqq else {}
        times, counts, counters = prefix_counters(
            places(events, {name: place for place, name in enumerate(sequence.tickers)}),
            places(events, negated),
            events.column("time").chunk(0).to_numpy(),
            sequence.length,
            sequence.window_ms,
        )
        return Answer(_results(times, counts), counters)

    return run


def two_steps(sequence: Sequence) -> Contender:
    """Return the two-step approach; what it built is how many matches there are."""

    def run(events: pa.Table) -> Answer:
        matches = cepheid.query(sequence.all_matches).run(
            events, time="time", type="type", max_matches=None
        )
        first, last = matches["first"].to_numpy(), matches["last"].to_numpy()
        time = events.column("time").chunk(0).to_numpy()
        types = events.column("type").chunk(0)
        if sequence.without_qqq:
            before = matches["before"].to_numpy()
            negative = time[of_type(types, "QQQ")]
            stays = np.searchsorted(negative, before) == np.searchsorted(negative, last)
            first, last = first[stays], last[stays]
        triggers = time[of_type(types, sequence.tickers[-1])]
        return Answer(
            _results(triggers, alive(first, last, triggers, sequence.window_ms)),
            matches.num_rows,
        )

    return run


def alive(first: Ints, last: Ints, triggers: Ints, window: int) -> Ints:
    """Count the matches that have ended and not yet expired at every trigger."""
    ended = np.bincount(np.searchsorted(triggers, last), minlength=triggers.size + 1)
    expired = np.bincount(np.searchsorted(triggers, first + window), minlength=triggers.size + 1)
    return np.cumsum(ended - expired)[: triggers.size]


def places(events: pa.Table, place_by_name: dict[str, int]) -> States:
    """Return the place of every event in a sequence."""
    types = events.column("type").chunk(0)
    names = types.dictionary.to_pylist()
    by_code = np.array([place_by_name.get(name, NO_PLACE) for name in names], np.int8)
    found: States = by_code[types.indices.to_numpy()]
    return found


def of_type(types: pa.DictionaryArray, name: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return by event whether it is of a type."""
    code = pc.index(types.dictionary, name).as_py()
    return np.asarray(types.indices.to_numpy() == code)


def _results(times: object, counts: object) -> pa.Table:
    return pa.table({"time": times, "count": counts})
