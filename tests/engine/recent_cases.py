"""Aggregate queries with WITHIN alone that the queue of steps can run."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import assume, reject
from hypothesis import strategies as st

from cepheid.analysis.bound import BoundQuery, WindowUnit
from cepheid.errors import BindingError
from cepheid.plan.physical import AggregateMethod
from cepheid.plan.planner import make_plan
from cepheid.program.lower import lower
from tests.engine.run_one import run_one
from tests.oracle import evaluate
from tests.properties.aggregate_streams import bound, table_of
from tests.properties.aggregates import bodies, open_negations
from tests.properties.queries import Case, name_events, opening

Row = dict[str, Any]


@dataclass(frozen=True)
class RecentCase:
    """A query on a stream; results may be wanted at expiries too."""

    case: Case
    on_expiry: bool

    @property
    def query(self) -> BoundQuery:
        return bound(self.case)

    def expected(self) -> list[Row]:
        return evaluate(self.query, self.case.events, on_expiry=self.on_expiry)

    def found(self) -> list[Row]:
        return rows_of(self.query, table_of(self.case), on_expiry=self.on_expiry)


def rows_of(
    query: BoundQuery, table: pa.Table, *, on_expiry: bool = False, is_enumerated: bool = False
) -> list[Row]:
    """Run a query as it is planned, or by enumeration of its matches."""
    program = lower(replace(make_plan(query), shows_expiry=on_expiry))
    if is_enumerated:
        program = replace(program, slots=None)
    result = run_one(program, table)
    assert isinstance(result, pa.Table)
    return list(result.to_pylist())


@st.composite
def short_streams(draw: st.DrawFn) -> list[Row]:
    """Few types and times, three partitions: many trends, ties and expiries."""
    event = st.fixed_dictionaries(
        {
            "type": st.sampled_from("AABBCCD"),
            "time": st.integers(0, 9),
            "seq": st.integers(0, 1),
            "k": st.sampled_from((1, 1, 2, 3, None)),
            "x": st.sampled_from((1, 2, 0, -1, None)),
            "f": st.sampled_from((0.5, 2.0, -1.25, None)),
            "s": st.sampled_from(("a", "b", None)),
            "at": st.none(),
        }
    )
    size = draw(st.integers(5, 11))
    return draw(st.lists(event, min_size=size, max_size=size))


@st.composite
def recent_cases(draw: st.DrawFn, *, is_negated: bool) -> RecentCase:
    """All aggregates of one variable, over groups of one partition or several."""
    body = draw(bodies(is_negated=is_negated, most_events=3))
    if is_negated and draw(st.booleans()):
        names: dict[str, bool] = {}
        body = body._replace(pattern=name_events(draw(open_negations()), names, negated={}))
        body = body._replace(names=names, where=[])
    if draw(st.booleans()) and "[k]" not in body.where:
        body.where.append("[k]")
    name = draw(st.sampled_from(list(body.names)))
    unit = draw(st.sampled_from(("", "", " EVENTS")))
    group = draw(st.sampled_from(("", "GROUP BY k", "GROUP BY seq")))
    functions = (f"{each}({name}.x)" for each in ("SUM", "AVG", "MIN", "MAX"))
    text = "\n".join(
        [
            *draw(opening(body.pattern, body.where)),
            f"WITHIN {draw(st.integers(1, 7))}{unit}",
            f"RETURN COUNT(*), EXACT COUNT(*) AS e, COUNT({name}) AS c, {', '.join(functions)}"
            if draw(st.booleans())
            else "RETURN COUNT(*)",
            group,
        ]
    )
    case = Case(text, draw(short_streams()), draw(st.sampled_from(((), ("seq",)))))
    try:
        query = bound(case)
    except BindingError:
        reject()
    assume(make_plan(query).method.value is AggregateMethod.POSITIONS)
    is_time = query.window is not None and query.window.unit is WindowUnit.TIME
    return RecentCase(case, is_time and draw(st.booleans()))


def long_stream(seed: int, size: int, names: str) -> pa.Table:
    """Events of many partitions, some of them concurrent."""
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "type": np.array(list(names))[random.integers(0, len(names), size)],
            "time": np.sort(random.integers(0, size, size)),
            "seq": random.integers(0, 2, size),
            "k": random.integers(0, 5, size),
            "x": random.integers(-3, 9, size),
            "g": random.integers(0, 2, size),
        }
    )
