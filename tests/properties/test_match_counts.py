"""Matches are counted before they are listed: `max_matches`, `limit` and batches."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.matches import walk_matches
from cepheid.engine.matches.match_chunks import empty_chunk, fold_in_parts, walk_in_chunks
from cepheid.engine.matches.match_task import SearchMode, match_task
from cepheid.kernels.graph.count_matches import count_matches
from cepheid.plan.run_options import RunOptions
from cepheid.program.compute_columns import with_computed
from cepheid.program.copy_events import with_copies
from tests.properties.comparison import as_multiset, expected, table_of
from tests.properties.queries import Case, cases, negation_cases, predicate_cases
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401
from tests.properties.test_non_overlapping import kleene_cases
from tests.properties.test_output_forms import match_cases, runnable, with_output

forms = st.sampled_from(["OUTPUT ALL", "OUTPUT PARTIAL"])
ROLES = {"time": "time", "type": "type"}


def negated_repetitions() -> st.SearchStrategy[Case]:
    """Repetitions with negated parts, with and without conditions on these."""
    drawn = st.one_of(kleene_cases(longest=7), negation_cases())
    return drawn.filter(lambda case: "!" in case.text)


@settings(max_examples=300)
@given(st.one_of(cases(is_aggregate=False), predicate_cases()), st.integers(0, 30))
def test_every_end_is_counted(case: Case, most_work: int) -> None:
    """Exactly, or by a bound that is no less; when the work is limited, the first ends are."""
    query = runnable(with_output(case, "OUTPUT ALL"))
    table = table_of(case)
    roles = ColumnRoles("time", "type", case.order)
    program = query.program(RunOptions(), event_schema(table.schema, roles))
    table = with_computed(table, program.computed)
    table = with_copies(table, program.copies, keeps_all=program.keeps_all_types)
    assume(program.pair is None)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    task = match_task(program, columns, table.num_rows, SearchMode(RankedFolds()))
    clock, window = task.ordered.arrays.clock, program.window_length or 0
    for graph, ends in fold_in_parts(task):
        walked = [
            sum(
                chunk.offsets.size - 1
                for chunk in walk_in_chunks(graph, ends[at : at + 1], clock, window, empty_chunk())
            )
            for at in range(len(ends))
        ]
        exact, bound, few = np.zeros(len(ends)), np.zeros(len(ends)), np.zeros(len(ends))
        assert count_matches(graph, ends, clock, window, True, 2**62, exact) == len(ends)
        assert count_matches(graph, ends, clock, window, False, 2**62, bound) == len(ends)
        counted = count_matches(graph, ends, clock, window, True, most_work, few)
        assert exact.tolist() == walked
        assert (bound >= exact).all()
        assert few.tolist() == walked[:counted] + [0.0] * (len(ends) - counted)


@pytest.fixture
def always_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off of every graph what negated parts block, however few matches it has."""
    monkeypatch.setattr(walk_matches, "LEAST_CUT", 0)


@pytest.mark.usefixtures("always_cut")
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(negated_repetitions(), st.integers(1, 12))
def test_blocked_matches_are_not_counted(case: Case, most: int) -> None:
    """Whether blocked edges are cut off, or matches walked and dropped: those that stay count."""
    query, table, wanted = runnable(case), table_of(case), expected(case)
    found = query.run(table, **ROLES, order=case.order, max_matches=max(1, wanted.total()))
    assert as_multiset(found.to_pylist()) == wanted
    if wanted.total() > most:
        with pytest.raises(cepheid.MatchLimitError, match="max_matches is"):
            query.run(table, **ROLES, order=case.order, max_matches=most)


@settings(max_examples=300)
@given(match_cases, forms, st.integers(1, 12))
def test_more_matches_than_allowed_are_refused(case: Case, form: str, most: int) -> None:
    case = with_output(case, form)
    query = runnable(case)
    matches = expected(case)
    options = {**ROLES, "order": case.order, "max_matches": most}
    if matches.total() <= most and len(query.plan().query.patterns) == 1:
        assert as_multiset(query.run(table_of(case), **options).to_pylist()) == matches
        return
    assume(matches.total() > most)
    with pytest.raises(cepheid.MatchLimitError) as raised:
        query.run(table_of(case), **options)
    assert raised.value.count > most
    if len(query.plan().query.patterns) == 1:
        assert raised.value.count <= matches.total()


@settings(max_examples=300)
@given(match_cases, forms, st.integers(1, 12))
def test_a_limit_gives_some_of_the_matches(case: Case, form: str, limit: int) -> None:
    case = with_output(case, form)
    query = runnable(case)
    matches = expected(case)
    options = {**ROLES, "order": case.order, "limit": limit}
    some = as_multiset(query.run(table_of(case), **options).to_pylist())
    assert some.total() == min(limit, matches.total())
    assert not some - matches


@settings(max_examples=150)
@given(match_cases)
def test_batches_are_the_table(case: Case) -> None:
    query, table = runnable(case), table_of(case)
    reader = query.batches(table, **ROLES, order=case.order)
    assert isinstance(reader, pa.RecordBatchReader)
    whole = query.run(table, **ROLES, order=case.order)
    assert reader.schema == whole.schema
    assert as_multiset(reader.read_all().to_pylist()) == as_multiset(whole.to_pylist())
