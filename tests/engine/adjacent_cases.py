"""Aggregates by the last event of a run, put beside what the oracle says."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.analysis.bound import BoundQuery
from cepheid.engine.events.order_events import OrderedEvents, order_events
from cepheid.kernels.values.value_arrays import NOTHING, Measures, ValueRows
from cepheid.plan.planner import make_plan
from cepheid.program.adjacent_program import AdjacentProgram, StructureCode
from cepheid.program.lower import lower
from cepheid.program.lower_adjacent import lower_adjacent
from cepheid.program.program import Program
from tests.engine.fold_trends import fold_trends
from tests.oracle import bind, evaluate, schema_of

Rows = Sequence[Mapping[str, Any]]
MODULUS = 1_000_003
# What the oracle is asked for: the same numbers and minima that `measures_of` makes.
ASKED = "COUNT(*) AS n, COUNT({v}) AS c, SUM({v}.x) AS s, MIN({v}.x) AS low, MAX({v}.x) AS high"
EXAMPLE = {"type": "D", "time": 0, "seq": 0, "k": 0, "x": 0, "y": 0.5, "t": "text"}
ARROW = pa.schema(
    [
        ("type", pa.string()),
        ("time", pa.int64()),
        ("seq", pa.int64()),
        ("k", pa.int64()),
        ("x", pa.int64()),
        ("y", pa.float64()),
        ("t", pa.string()),
    ]
)


def bound_of(
    text: str,
    events: Rows,
    order: Sequence[str] = (),
    declared: Mapping[str, Sequence[str]] | None = None,
) -> BoundQuery:
    return bind(text, schema_of([EXAMPLE, *events], order=order, declared=declared))


def program_of(query: BoundQuery) -> tuple[Program, AdjacentProgram | None]:
    program = lower(replace(make_plan(query), unsupported=()))
    return program, lower_adjacent(query, program.runs)


def measures_of(
    query: BoundQuery, variable: str, ordered: OrderedEvents, xs: list[Any]
) -> Measures:
    """COUNT(*), COUNT(v), SUM(v.x), the number of trends by a modulus; MIN and MAX of v.x."""
    mask = sum(1 << each for each in set(query.pattern.variables[variable].positions))
    values = [xs[row] for row in ordered.row]
    known = np.array([each is not None for each in values], np.bool_)
    x = np.array([0 if each is None else each for each in values], np.int64)
    low = np.stack([0 * x, 1 + 0 * x, x, 0 * x])
    return Measures(
        np.array([0, 0, 0, MODULUS], np.int64),
        np.array([0, mask, mask, 0], np.uint64),
        low.astype(np.float64),
        np.zeros_like(low),
        low,
        np.array([mask, mask], np.uint64),
        np.stack([np.where(known, each, NOTHING) for each in (x, -x)]),
    )


def value_rows(
    query: BoundQuery,
    variable: str,
    events: Rows,
    *,
    only: StructureCode | None = None,
    counts_only: bool = False,
    folds: Sequence[str] = (),
) -> ValueRows | None:
    """Return what the method gives; None if the query's predicates are not adjacent."""
    program, adjacent = program_of(query)
    if adjacent is None:
        return None
    if only is not None:
        edges = tuple(replace(each, structure=only) for each in adjacent.edges)
        adjacent = replace(adjacent, edges=edges)
    table = pa.Table.from_pylist(list(events), schema=ARROW)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    ordered = order_events(program, columns, table.num_rows)
    measures = measures_of(query, variable, ordered, table["x"].to_pylist())
    if counts_only:
        measures = Measures(*(each[:1] for each in measures[:5]), *(e[:0] for e in measures[5:]))
    program = replace(program, adjacent=adjacent, slots=None)
    return fold_trends(program, ordered, measures, columns=columns, folds=folds)


def counted(rows: ValueRows) -> dict[int, int]:
    """Return how many trends every window has, with all partitions added up."""
    result: dict[int, int] = {}
    for count, window in zip(rows.mantissa[:, 0].tolist(), rows.window.tolist(), strict=True):
        if count:
            result[window] = result.get(window, 0) + int(count)
    return result


def summed(rows: ValueRows) -> dict[int, tuple[Any, ...]]:
    """Return count, sums and minima by window, with all partitions added up."""
    result: dict[int, list[Any]] = {}
    for at, window in enumerate(rows.window.tolist()):
        numbers = rows.mantissa[at] * 2.0 ** (512.0 * rows.tier[at])
        assert numbers[:3].tolist() == rows.low[at, :3].tolist()
        assert rows.low[at, 3] == rows.low[at, 0] % MODULUS
        if rows.mantissa[at, 0] == 0:
            assert rows.least[at].tolist() == [NOTHING, NOTHING]
            continue
        known = result.setdefault(window, [0, 0, 0, NOTHING, NOTHING])
        for place in range(3):
            known[place] += int(rows.low[at, place])
        for place in range(2):
            known[3 + place] = min(known[3 + place], int(rows.least[at, place]))
    return {window: tuple(each) for window, each in result.items()}


def expected(query: BoundQuery, events: Rows) -> dict[int, tuple[Any, ...]]:
    """Return the same from the enumerated matches."""
    slide = 0 if query.window is None else query.window.slide or 0
    result = {}
    for row in evaluate(query, events):
        low = NOTHING if row["low"] is None else row["low"]
        high = NOTHING if row["high"] is None else -row["high"]
        window = row["window_start"] // slide if slide else 0
        result[window] = (row["n"], row["c"], row["s"] or 0, low, high)
    return result
