"""The local runner: Arrow in, Arrow out, one process.

What runs each kind of query is imported when it is needed: a small query should start soon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from cepheid.engine.events.report_range import Settled
from cepheid.engine.events.warn_of_events import warn_of_dropped
from cepheid.engine.process.interruptible import stop_if_unwanted
from cepheid.engine.process.name_errors import errors_of
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program

if TYPE_CHECKING:
    from cepheid.engine.fold import Folding
    from cepheid.engine.matches.forms.compressed import CompressedMatches

LocalResult: TypeAlias = "pa.Table | CompressedMatches"


def result_schema(program: Program, events: pa.Schema) -> pa.Schema:
    """Return the schema of the result for events of a schema."""
    output = program.output
    if isinstance(output, AggregateOutput):
        from cepheid.engine.trends.result_table import aggregate_schema

        return aggregate_schema(program, output, events)
    if program.pair is not None:
        from cepheid.engine.matches.match_pairs import pair_schema

        return pair_schema(program, program.pair, events)
    from cepheid.engine.matches.match_rows import match_schema

    return match_schema(program, output, events)


def run_local(  # noqa: PLR0913
    program: Program,
    table: pa.Table,
    schema: pa.Schema | None = None,
    *,
    threads: int = 1,
    settled: Settled | None = None,
    columns: Mapping[str, Any] | None = None,
    folding: Folding | None = None,
) -> LocalResult:
    """Run a program on one table of events, in any order.

    `schema` has the types that results are to have where columns of the table are encoded. In a
    step of a stream, `settled` says which results are reported. `columns` are those of the table,
    if their order is found for several programs at once. `folding` chooses the folds, and writes
    down what was done.
    """
    stop_if_unwanted()
    schema = table.schema if schema is None else schema
    # What is wrong with columns of several programs may be that of another one.
    name = program.name if columns is None else None
    if columns is None:
        columns = dict(zip(table.column_names, table.columns, strict=True))
    with errors_of(name):
        if reads_columns(program):
            return run_columns(
                program,
                columns,
                table.num_rows,
                schema,
                threads=threads,
                settled=settled,
                folding=folding,
            )
        return _run_table(program, table, schema, settled, columns)


def run_in_batches(
    program: Program, table: pa.Table, *, threads: int = 1
) -> Iterator[pa.RecordBatch]:
    """Yield the result as it is found, matches on this thread.

    Matches that are to be compared with others, and aggregates, are yielded when all are known.
    """
    output = program.output
    is_listed = isinstance(output, MatchOutput) and output.tie_columns is None
    if not is_listed or not reads_columns(program):
        result = run_local(program, table, threads=threads)
        yield from result.to_batches() if isinstance(result, pa.Table) else result.batches()
        return
    from cepheid.engine.matches.find_matches import MatchSearch

    columns = dict(zip(table.column_names, table.columns, strict=True))
    with errors_of(program.name):
        search = MatchSearch(program, columns, table.num_rows, table.schema, threads=1)
        warn_of_dropped(program.partition_by, search.ordered.dropped)
        yield from search.batches()


def _run_table(
    program: Program,
    table: pa.Table,
    schema: pa.Schema,
    settled: Settled | None,
    columns: Mapping[str, Any],
) -> LocalResult:
    output = program.output
    assert isinstance(output, MatchOutput)
    result: LocalResult
    if program.pair is not None:
        from cepheid.engine.matches.match_pairs import find_pairs

        result, dropped, _ = find_pairs(program, program.pair, table, schema, settled, columns)
    else:
        from cepheid.engine.matches.forms.compressed import compress_matches

        result, dropped = compress_matches(program, output, table, schema, settled, columns)
    if settled is None:  # a stream tells of events when they arrive
        warn_of_dropped(program.partition_by, dropped)
    return result


def reads_columns(program: Program) -> bool:
    """Whether a program can be run on columns that come one by one."""
    output = program.output
    if isinstance(output, AggregateOutput):
        return True
    return program.pair is None and not output.is_compressed


def run_columns(  # noqa: PLR0913
    program: Program,
    columns: Mapping[str, Any],
    length: int,
    schema: pa.Schema,
    *,
    threads: int,
    settled: Settled | None = None,
    folding: Folding | None = None,
) -> pa.Table:
    """Run a program on columns of so many events; see `run_local`."""
    output = program.output
    if isinstance(output, AggregateOutput):
        from cepheid.engine.results import aggregated
        from cepheid.engine.trends.trend_events import TrendEvents

        events = TrendEvents(program, output, columns, length, threads, settled)
        result, dropped = aggregated(events, schema, folding), events.dropped
    else:
        from cepheid.engine.matches.find_matches import find_matches

        result, dropped, _ = find_matches(program, columns, length, schema, threads, settled)
    if settled is None:  # a stream tells of events when they arrive
        warn_of_dropped(program.partition_by, dropped)
    return result


def run_partially(
    program: Program,
    output: AggregateOutput,
    events: pa.Table,
    columns: Mapping[str, Any] | None = None,
) -> pa.Table:
    """Return rows of groups that other tasks add to."""
    from cepheid.engine.results import aggregated
    from cepheid.engine.trends.trend_events import TrendEvents

    name = program.name if columns is None else None
    if columns is None:
        columns = dict(zip(events.column_names, events.columns, strict=True))
    with errors_of(name):
        given = TrendEvents(program, output, columns, events.num_rows)
        return aggregated(given, events.schema, partially=True)
