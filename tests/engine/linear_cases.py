"""Random aggregate queries of the linear method, run directly, and what the oracle says of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

from cepheid.analysis.bound import BoundQuery
from cepheid.engine.events.order_events import OrderedEvents, order_events
from cepheid.errors import BindingError
from cepheid.kernels.values.value_arrays import NOTHING, Measures, ValueRows
from cepheid.language import ast
from cepheid.language.printer import print_pattern
from cepheid.plan.planner import make_plan
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.program.lower_slots import lower_slots
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram
from tests.oracle import bind, evaluate, schema_of
from tests.properties.drawn_patterns import count_positions, flat, name_events, patterns

BLANK = {"type": "D", "time": 0, "seq": 0, "k": 0, "x": 0}
STRATEGIES = (
    ("", ""),
    ("SEMANTICS skip-till-next-match", ""),
    ("", "skip_till_next_match"),
    ("SEMANTICS contiguous", ""),
    ("", "strict_contiguity"),
)
MODULUS = 7
Values = tuple[Any, ...]


@dataclass(frozen=True)
class LinearCase:
    """A pattern with its clauses, an optional window, and events."""

    pattern: ast.Pattern
    names: tuple[str, ...]
    semantics: str
    where: tuple[str, ...]
    length: int | None
    slide: int
    unit: str
    events: Sequence[dict[str, Any]]
    order: tuple[str, ...]

    @property
    def match_text(self) -> str:
        """The same pattern as a match query, which every version can lower."""
        within = "" if self.length is None else f"WITHIN {self.length}{self.unit}"
        return self._text(("[k]", *self.where), within)

    @property
    def aggregate_text(self) -> str:
        window = ""
        if self.length is not None:
            window = f"WITHIN {self.length}{self.unit} SLIDE {self.slide}{self.unit}"
        returned = ["COUNT(*) AS n"]
        for name in self.names:
            returned += [f"COUNT({name}) AS c_{name}"]
            returned += [
                f"{each}({name}.x) AS {each}_{name}" for each in ("SUM", "AVG", "MIN", "MAX")
            ]
        return f"{self._text(self.where, window)}\nRETURN {', '.join(returned)}\nGROUP BY k"

    def _text(self, where: Sequence[str], window: str) -> str:
        lines = [f"PATTERN {print_pattern(self.pattern)}", self.semantics]
        lines += [f"WHERE {' AND '.join(where)}"] if where else []
        return "\n".join(filter(None, [*lines, window]))


@dataclass(frozen=True)
class Prepared:
    """What the method is called with."""

    query: BoundQuery
    program: Program
    slots: SlotProgram
    ordered: OrderedEvents
    measures: Measures


def prepare(case: LinearCase) -> Prepared | None:
    """Return None if the query is refused or not linear."""
    schema = schema_of([BLANK, *case.events], order=case.order)
    try:
        query = bind(case.match_text, schema)
        bind(case.aggregate_text, schema)
    except BindingError:
        return None
    slots = lower_slots(query)
    if slots is None:
        return None
    program = replace(
        lower(make_plan(query)),
        slide=None if case.length is None else case.slide,
        slots=slots,
        output=AggregateOutput((), (), (), (), ()),
    )
    columns = {
        name: pa.array([each[name] for each in case.events], kind)
        for name, kind in (
            ("type", pa.string()),
            ("time", pa.int64()),
            ("seq", pa.int64()),
            ("k", pa.int64()),
            ("x", pa.int64()),
        )
    }
    ordered = order_events(program, columns, len(case.events))
    return Prepared(query, program, slots, ordered, measures_of(query, case, ordered))


def measures_of(query: BoundQuery, case: LinearCase, ordered: OrderedEvents) -> Measures:
    """Number 1 is a residue of the count; then by variable events, sum of x, values of x."""
    x = [case.events[row]["x"] for row in ordered.row]
    contributions = ([1] * len(x), [each or 0 for each in x], [int(each is not None) for each in x])
    masks = [
        sum(1 << position for position in query.pattern.variables[name].positions)
        for name in case.names
    ]
    nothing = [0] * len(x)
    rows = [nothing, nothing, *(each for _ in masks for each in contributions)]
    least = [
        [NOTHING if each is None else sign * each for each in x] for _ in masks for sign in (1, -1)
    ]
    low = np.array(rows, np.int64).reshape(len(rows), len(x))
    return Measures(
        np.array([0, MODULUS, *(0 for _ in masks for _ in contributions)], np.int64),
        np.array([0, 0, *(mask for mask in masks for _ in contributions)], np.uint64),
        low.astype(np.float64),
        np.zeros_like(low),
        low,
        np.array([mask for mask in masks for _ in (1, -1)], np.uint64),
        np.array(least, np.int64).reshape(len(least), len(x)),
    )


def as_values(rows: ValueRows, case: LinearCase, prepared: Prepared) -> dict[Any, Values]:
    """Return by partition and window count and aggregates; partitions without trends are left."""
    arrays = prepared.ordered.arrays
    found: dict[Any, Values] = {}
    assert (rows.tier == 0).all()
    for at in range(rows.owner.size):
        low, least = rows.low[at].tolist(), rows.least[at].tolist()
        has_modulus = prepared.measures.moduli != 0
        assert (rows.mantissa[at] == np.where(has_modulus, 0, rows.low[at])).all()
        count, residue = low[:2]
        assert residue == count % MODULUS
        if count == 0:
            assert not any(low)
            assert set(least) <= {NOTHING}
            continue
        values: list[Any] = [count]
        for number in range(len(case.names)):
            events, total, known = low[2 + 3 * number : 5 + 3 * number]
            smallest, largest = least[2 * number : 2 * number + 2]
            values += [events, total if known else None, total / known if known else None]
            values += [
                None if smallest == NOTHING else smallest,
                None if largest == NOTHING else -largest,
            ]
        first = arrays.step_offsets[arrays.partition_offsets[rows.owner[at]]]
        partition = case.events[prepared.ordered.row[first]]["k"]
        key = partition, None if case.length is None else int(rows.window[at]) * case.slide
        assert key not in found
        found[key] = tuple(values)
    return found


def expected_values(case: LinearCase) -> dict[Any, Values]:
    """What the oracle says, in the same form."""
    schema = schema_of([BLANK, *case.events], order=case.order)
    result = {}
    for row in evaluate(bind(case.aggregate_text, schema), case.events):
        values = [row["n"]]
        for name in case.names:
            values.append(row[f"c_{name}"])
            values += [row[f"{each}_{name}"] for each in ("SUM", "AVG", "MIN", "MAX")]
        result[row["k"], row.get("window_start")] = tuple(values)
    return result


@st.composite
def streams(draw: st.DrawFn, longest: int = 8) -> list[dict[str, Any]]:
    event = st.fixed_dictionaries(
        {
            "type": st.sampled_from("ABCCD"),
            "time": st.integers(-3, 9),
            "seq": st.integers(0, 1),
            "k": st.sampled_from((1, 1, 2, None)),
            "x": st.sampled_from((-2, 0, 1, 3, None)),
        }
    )
    size = draw(st.integers(0, longest))
    return draw(st.lists(event, min_size=size, max_size=size))


@st.composite
def negated_patterns(draw: st.DrawFn) -> ast.Pattern:
    """Negated events, choices and sub-patterns anywhere in a sequence, perhaps repeated."""
    count = draw(st.integers(1, 3))
    parts: list[ast.Pattern] = []
    for _ in range(count):
        if draw(st.integers(0, 1)) == 0:
            parts.append(ast.Negation(draw(negatable)))
        parts.append(draw(patterns(most_events=draw(st.integers(1, 2)))))
    if draw(st.integers(0, 2)) == 0 or count == len(parts):
        parts.append(ast.Negation(draw(negatable)))
    whole = ast.Sequence(tuple(parts))
    return draw(st.sampled_from((whole, whole, ast.Repeat(whole, 1, None))))


@st.composite
def inner_negations(draw: st.DrawFn) -> ast.Pattern:
    """Negations between events that must occur: they need no window."""
    parts: list[ast.Pattern] = [draw(needed), ast.Negation(draw(negatable))]
    if draw(st.booleans()):
        parts.append(draw(patterns(most_events=1)))
        if draw(st.booleans()):
            parts.append(ast.Negation(draw(negatable)))
    whole = ast.Sequence((*parts, draw(needed)))
    return draw(st.sampled_from((whole, whole, ast.Repeat(whole, 1, None))))


needed = flat | st.builds(ast.Repeat, flat, st.just(1), st.just(None))
repeated = st.builds(ast.Repeat, flat, st.just(1), st.sampled_from((None, 2)))
negatable = flat | flat | st.builds(lambda *each: ast.Alternation(each), flat, flat) | repeated


@st.composite
def linear_cases(draw: st.DrawFn, *, has_negation: bool, has_window: bool) -> LinearCase:
    names: dict[str, bool] = {}
    negated: dict[str, bool] = {}
    negating = negated_patterns() if has_window else inner_negations()
    drawn = negating if has_negation else patterns(most_events=3)
    pattern = name_events(draw(drawn), names, negated=negated)
    assume(names and count_positions(pattern) <= 12)
    semantics, term = draw(st.sampled_from(STRATEGIES))
    where = [term] if term else []
    if draw(st.integers(0, 3)) == 0:
        where.append(f"{draw(st.sampled_from([*names, *negated]))}.x > 0")
    length = draw(st.integers(1, 8)) if has_window else None
    return LinearCase(
        pattern,
        tuple(names),
        semantics,
        tuple(where),
        length,
        draw(st.integers(1, length or 1)),
        draw(st.sampled_from(("", "", " EVENTS"))),
        draw(streams()),
        draw(st.sampled_from(((), ("seq",)))),
    )
