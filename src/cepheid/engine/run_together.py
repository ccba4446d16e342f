"""Run the queries of a bundle on one table: the same in process and in a task of Spark."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pyarrow as pa

from cepheid.engine.bundle import Bundle
from cepheid.engine.events.scan import Scans
from cepheid.engine.run import LocalResult
from cepheid.engine.run_others import RunAlone, run_others
from cepheid.engine.shared.run_set import RunSet, SetOptions, run_set
from cepheid.program.sharing.other_sets import scans


def run_together(
    bundle: Bundle,
    table: pa.Table,
    run_alone: RunAlone,
    *,
    run_set: RunSet = run_set,
    partially: Collection[int] = (),
    threads: int = 1,
) -> Iterator[tuple[int, LocalResult]]:
    """Yield the number of every query with its result.

    Events are read, typed and ordered once for all queries with the same order and partitions.
    `run_alone` runs what has nothing else in common with others. Queries whose numbers are in
    `partially` give rows of groups that others add to.
    """
    columns = dict(zip(table.column_names, table.columns, strict=True))
    scanned = scans(bundle.programs, bundle.sets, bundle.others)
    shared_columns = Scans(scanned, columns, table.num_rows, threads)
    for numbers, merged in bundle.sets:
        own = [place for place, number in enumerate(numbers) if number in partially]
        tables = run_set(
            merged,
            shared_columns.of(merged.programs[0]),
            table.num_rows,
            table.schema,
            SetOptions(threads, bundle.policy, own),
        )
        yield from zip(numbers, tables, strict=True)
    yield from run_others(
        bundle, table, shared_columns, run_alone, partially=partially, threads=threads
    )
