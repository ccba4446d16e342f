"""Ranges of time that are folded apart and composed give what the whole gives."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.trends.partial_table import (
    NUMBERS,
    from_collected,
    partial_schema,
    to_partial,
)
from cepheid.engine.trends.range_table import compose, fold_range
from cepheid.plan.physical import Parallelism
from cepheid.plan.run_options import Batch
from cepheid.program.compute_columns import with_computed
from cepheid.program.copy_events import with_copies
from cepheid.program.lower import lower
from cepheid.program.program import Program
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.aggregates import METHODS
from tests.properties.queries import Case
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401

cases = st.one_of(METHODS["plain"], METHODS["negated"])


@settings(max_examples=200)
@given(cases, st.lists(st.integers(-3, 9), max_size=4))
def test_any_cut_gives_the_whole(case: Case, cuts: list[int]) -> None:
    program = ranged_program(case)
    assume(program.cuts_time)
    events = with_computed(table_of(case), program.computed)
    events = with_copies(events, program.copies, keeps_all=program.keeps_all_types)
    found = run_in_ranges(program, events, sorted(cuts))
    assert_same_rows(bound(case), found.to_pylist(), expected_rows(case))


def ranged_program(case: Case) -> Program:
    roles = ColumnRoles("time", "type", tuple(case.order), None, "s")
    plan = cepheid.query(case.text).plan(event_schema(table_of(case).schema, roles))
    plan = Batch(parallel_in_time=True).applied_to(plan)
    assert (plan.parallelism.value is Parallelism.TIME) == lower(plan).cuts_time
    return lower(plan)


def run_in_ranges(program: Program, events: pa.Table, cuts: list[int]) -> pa.Table:
    """What Spark does, in one process: tasks for ranges, one that composes, one per group."""
    bounds = [-(2**40), *cuts, 2**40]
    parts = [
        events.filter((pc.field("time") >= low) & (pc.field("time") < high))
        for low, high in pairwise(bounds)
    ]
    return run_ranges(program, events.schema, parts)


def run_ranges(program: Program, events: pa.Schema, parts: Sequence[pa.Table]) -> pa.Table:
    """The same, given the events of every range."""
    program = replace(program, cuts_time=True)
    slots, output = program.slots, program.output
    ranges = pa.concat_tables(fold_range(program, slots, output, each) for each in reversed(parts))
    schema = partial_schema(program, output, events)
    if ranges.num_rows == 0:
        partial = schema.empty_table()
    else:
        partial = to_partial(schema, compose(program, slots, output, events, ranges))
    numbers = partial.column(NUMBERS).combine_chunks()
    single = pa.ListArray.from_arrays(pa.array(range(len(numbers) + 1), pa.int32()), numbers)
    at = partial.schema.get_field_index(NUMBERS)
    return from_collected(program, output, events, partial.set_column(at, NUMBERS, single))
