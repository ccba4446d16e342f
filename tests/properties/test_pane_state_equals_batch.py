"""Matrices kept between the steps of a stream give what the whole input gives."""

from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cepheid.engine.trends.folds.panes import pane_length
from cepheid.engine.trends.partial_table import NUMBERS, from_collected
from cepheid.plan.planner import make_plan
from cepheid.program.compute_columns import with_computed
from cepheid.program.copy_events import with_copies
from cepheid.program.lower import lower
from cepheid.program.program import Program
from cepheid.stream.pane_state import close, fold, keeps_panes, merge, next_close
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.aggregates import METHODS
from tests.properties.queries import Case
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401

START, END = -40, 40  # before and after every window of these streams
cases = st.one_of(METHODS["plain"], METHODS["negated"])
cuts = st.lists(st.integers(-3, 9), max_size=5).map(sorted)


@settings(max_examples=150)
@given(cases, cuts, st.lists(st.booleans(), min_size=6, max_size=6), st.booleans())
def test_any_steps_give_the_whole(
    case: Case, horizons: list[int], closes: list[bool], partially: bool
) -> None:
    """Every step folds; some close windows, the last one all of them."""
    program = lower(make_plan(bound(case)))
    events = with_computed(table_of(case), program.computed)
    events = with_copies(events, program.copies, keeps_all=program.keeps_all_types)
    assume(keeps_panes(program, events.schema))
    rows = merge(program, events.schema, [])
    closed, results = None, []
    bounds = [START, *horizons, END]
    for (low, high), closes_now in zip(pairwise(bounds), closes, strict=False):
        settled = events.filter((pc.field("time") >= low) & (pc.field("time") < high))
        rows = merge(program, events.schema, [rows, fold(program, settled)])
        if closes_now or high == END:
            result, rows = close(program, events.schema, rows, closed, high, partially=partially)
            results.append(result)
            closed = high
            assert_bounded(program, rows, high)
    assert rows.num_rows == 0
    found = pa.concat_tables(results)
    if partially:
        found = combined(program, events.schema, found)
    assert_same_rows(bound(case), found.to_pylist(), expected_rows(case))


def assert_bounded(program: Program, rows: pa.Table, horizon: int) -> None:
    """One row for every partition and pane, and no more panes than a window has."""
    others = [each for each in ("range", "matrix", "largest") if each in rows.column_names]
    keys = [tuple(row.values()) for row in rows.drop_columns(others).to_pylist()]
    assert len(set(keys)) == len(keys)
    length, slide = program.window_length, program.slide
    assert length is not None
    partitions = len({key[:-1] for key in keys})
    assert len(keys) <= partitions * length // pane_length(length, slide)
    due = next_close(program, rows, horizon)
    assert (due is None) == (not keys)
    assert due is None or horizon < due <= horizon + length


def combined(program: Program, events: pa.Schema, partial: pa.Table) -> pa.Table:
    """Finish partial rows; here every group has one for each window."""
    numbers = partial.column(NUMBERS).combine_chunks()
    single = pa.ListArray.from_arrays(pa.array(range(len(numbers) + 1), pa.int32()), numbers)
    at = partial.schema.get_field_index(NUMBERS)
    return from_collected(program, program.output, events, partial.set_column(at, NUMBERS, single))
