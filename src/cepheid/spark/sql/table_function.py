"""A query as a table function: SELECT * FROM found(TABLE(events) PARTITION BY user).

Spark makes an instance per partition and has it say what it finds before the next one begins. To
run a query for each of them would take most of the time. So events wait, in what instances share,
until the last of an Arrow batch is there, and then the query runs once for all of them. That is the
same if the query itself keeps partitions apart; if not, it runs for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from cepheid.engine.bundle import bundle_of_one
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.run import EventColumns, RunMode, run
from cepheid.errors import ConfigError, DataError, InternalError, suggest
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program
from cepheid.program.shuffle_keys import shuffle_keys
from cepheid.spark.batch.run_batch import is_whole_group
from cepheid.spark.sql.cut_partitions import cut_quickly, partition_beginnings

PARTITION = "__cepheid_partition"


@dataclass(slots=True)
class WaitingEvents:
    """Events of partitions that are complete but for the last one, and what runs on them."""

    program: Program
    events: pa.Schema
    name: str
    parts: list[tuple[int, pa.RecordBatch]] = field(default_factory=list)
    partition: int = 0
    is_at_end: bool = False

    def add(self, batch: pa.RecordBatch) -> None:
        """Take events of the partition that is going on."""
        self.is_at_end = _ends_its_batch(batch, self.program.time)
        self.parts.append((self.partition, self._fitting(batch)))

    def end_partition(self) -> Iterator[pa.Table]:
        """Yield what is found, if it is known that this may be the last partition."""
        self.partition += 1
        if self.is_at_end:
            parts, self.parts = self.parts, []
            with errors_of(None):
                yield from self._found(parts)

    def _found(self, parts: Sequence[tuple[int, pa.RecordBatch]]) -> Iterator[pa.Table]:
        if not parts:
            return
        # In one piece: what is done for every piece would take longer than the query.
        table = pa.Table.from_batches([batch for _, batch in parts]).combine_chunks()
        rows = [batch.num_rows for _, batch in parts]
        number = np.repeat([number for number, _ in parts], rows)
        if _keeps_apart(self.program, table, number):
            yield from self._run(table)
            return
        begins = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(number)]
        for begin, end in pairwise(begins):
            yield from self._run(table.slice(begin, end - begin))

    def _run(self, table: pa.Table) -> Iterator[pa.Table]:
        mode = RunMode(as_found=True)
        for _, result in run(bundle_of_one(self.program), EventColumns.of(table), mode):
            assert isinstance(result, pa.Table), "a function for other forms is not made"
            yield result

    def _fitting(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the columns that the query reads, as it was compiled for them."""
        arrays = []
        for each in self.events:
            place = batch.schema.get_field_index(each.name)
            if place < 0:
                hint = suggest(each.name, batch.schema.names, owner="the table")
                raise DataError(f"the table of {self.name} has no column '{each.name}'", hint=hint)
            column = batch.column(place)
            if column.type != each.type:
                is_same = pa.types.is_timestamp(each.type) and pa.types.is_timestamp(column.type)
                if not is_same or (each.type.tz is None) != (column.type.tz is None):
                    raise DataError(
                        f"column '{each.name}' of the table of {self.name} is {column.type}, and "
                        f"the query was registered for {each.type}",
                        hint="cast it, or register the query for such a table",
                    )
                column = column.cast(each.type)
            arrays.append(column)
        return pa.RecordBatch.from_arrays(arrays, schema=self.events)


def make_function(program: Program, events: pa.Schema, name: str) -> type[Any]:
    """Return the class that Spark makes instances of; in each task it is another one.

    Raises:
        ConfigError: results of the query are no rows.
    """
    output = program.output
    if isinstance(output, MatchOutput) and output.is_compressed:
        raise ConfigError(
            "OUTPUT COMPRESSED gives no rows", hint="leave it out of a query that is registered"
        )
    waiting = WaitingEvents(program, events, name)

    class Found:
        def __init__(self) -> None:
            self.is_complete = False
            self.is_cut = cut_quickly()

        def eval(self, batch: pa.RecordBatch) -> None:
            if self.is_cut is False:
                _refuse_parts(name)
            waiting.add(batch)

        def terminate(self) -> Iterator[pa.Table]:
            self.is_complete = True
            return waiting.end_partition()

        def cleanup(self) -> None:
            if self.is_complete and waiting.parts:  # Spark hands events over in another way
                raise InternalError("events were left that no partition has ended")

    return Found


def _keeps_apart(program: Program, table: pa.Table, number: Any) -> bool:
    """Whether a run on events of several partitions finds what runs on each of them find."""
    if number.size == 0 or number[0] == number[-1]:
        return True
    keys, output = shuffle_keys(program), program.output
    if not keys or program.limit is not None:
        return False
    if isinstance(output, AggregateOutput) and not is_whole_group(program, output):
        return False
    if _has_key_each(table.select(keys), number):
        return True
    tagged = table.select(keys).append_column(PARTITION, pa.array(number))
    both = tagged.group_by([*keys, PARTITION]).aggregate([]).num_rows
    return bool(both == table.select(keys).group_by(list(keys)).aggregate([]).num_rows)


def _has_key_each(keys: pa.Table, number: Any) -> bool:
    """Whether every partition is known to have one key, which no other partition has.

    PARTITION BY what the query has in brackets is like that, and grouping would take longer.
    """
    found = partition_beginnings([each.chunk(0) for each in keys.columns])
    if found is None:
        return False
    begins = np.asarray(found[:-1])
    numbers = number[begins]
    if np.unique(numbers).size != numbers.size:
        return False
    distinct = keys.take(begins).group_by(keys.column_names).aggregate([])
    return bool(distinct.num_rows == begins.size)


def _refuse_parts(name: str) -> None:
    """Raise a DataError in a task that is not the only one, of a table without partitions."""
    context = TaskContext.get()
    if context is not None and context.partitionId() > 0:
        raise DataError(
            f"several tasks read the table of {name}, and which events belong together is not said",
            hint="write PARTITION BY or WITH SINGLE PARTITION: "
            f"{name}(TABLE(events) PARTITION BY user)",
        )


def _ends_its_batch(part: pa.RecordBatch, time: str) -> bool:
    """Whether the events are the last ones of the batch that Spark has cut them from.

    The time column has a width, so that the size of its buffer tells how many rows the batch has.
    If it tells less than that, the query only runs more often.
    """
    column = part.column(part.schema.get_field_index(time)) if time in part.schema.names else None
    if column is None:
        return True
    data = column.buffers()[1]
    rows = 0 if data is None else data.size * 8 // column.type.bit_width
    return bool(column.offset + len(column) >= rows)
