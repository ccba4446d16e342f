"""Queries on events of this process: Arrow tables, or files of which only some columns are read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.analysis.key_copies import KeyCopies
from cepheid.engine.bundle import Bundle, bundle_of_one, whole_bundle
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.derived_events import (
    DerivedStream,
    key_sources,
    own_columns,
    ticks_before_end,
)
from cepheid.engine.events.event_schema import ColumnRoles
from cepheid.engine.events.ticks import from_ticks, to_ticks
from cepheid.engine.events.warn_of_events import warn_of_missing_types
from cepheid.engine.failed import Failed
from cepheid.engine.members import Member
from cepheid.engine.run import EventColumns, LocalResult, RunMode, run, run_each
from cepheid.engine.shared.policy import Sharing
from cepheid.errors import DataError
from cepheid.program.numeric_times import has_digits
from cepheid.program.program import Program
from cepheid.tables.stored_columns import LEAST_ROWS, ColumnReader, StoredEvents


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class InProcess:
    """Arrow tables in this process; `folds` runs the queries, and writes down what it did."""

    def __init__(
        self, events: pa.Table | StoredEvents, roles: ColumnRoles, folds: RankedFolds
    ) -> None:
        self.events = events
        self.schema: pa.Schema = events.schema
        self.roles = roles
        self.folds = folds
        self.record = folds.record

    def run(self, programs: Sequence[Program], sharing: Sharing) -> list[LocalResult | Failed]:
        """Return the result of every program; of several, maybe that one has none.

        Programs that have other copies of events do not read the same ones.
        """
        by_copies: dict[KeyCopies | None, list[int]] = {}
        for place, program in enumerate(programs):
            by_copies.setdefault(program.copies, []).append(place)
        found: dict[int, LocalResult | Failed] = {}
        errors: list[DataError] = []
        for places in by_copies.values():
            try:
                results = self._run_together([programs[each] for each in places], sharing)
            except DataError as error:
                errors.append(error)
                results = [Failed(error) for _ in places]
            found |= zip(places, results, strict=True)
        if len(errors) == len(by_copies):
            raise errors[0]
        return [found[place] for place in range(len(programs))]

    def _run_together(
        self, programs: Sequence[Program], sharing: Sharing
    ) -> list[LocalResult | Failed]:
        bundle, mode = whole_bundle(programs, sharing), RunMode(available_cores())
        run_all = run if len(programs) == 1 else run_each
        with self._columns(bundle) as events:
            found = dict(run_all(bundle, events, mode, self.folds))
            self._warn_of_missing_types(programs, events)
        return [found[number] for number in range(len(programs))]

    def batches(self, program: Program) -> Iterator[pa.RecordBatch]:
        """Return the result of a program, which is found while it is gone through."""
        events = EventColumns.of(self._table)
        self._warn_of_missing_types([program], events)
        mode = RunMode(available_cores(), as_found=True)
        found = run(bundle_of_one(program), events, mode, self.folds)
        return chain.from_iterable(_batches(each) for _, each in found)

    @contextmanager
    def _columns(self, bundle: Bundle) -> Iterator[EventColumns]:
        """Give the columns that programs need; those of files are read meanwhile.

        Event types come as codes, unless they tell partitions apart.
        """
        stored, type_column = self.events, self.roles.type
        if isinstance(stored, pa.Table):
            yield EventColumns.of(stored)
            return
        read = bundle.stored_columns
        needed = [name for name in self.schema.names if name in read]
        shown = {name for each in bundle.programs for name in each.partition_by}
        encoded = [name for name in needed if name == type_column and name not in shown]
        threads = available_cores()
        is_plain = not bundle.computed and bundle.copies is None
        if threads == 1 or stored.row_count < LEAST_ROWS or not is_plain:
            with self.record.stage("read"):
                table = stored.read(needed, encoded)
            yield EventColumns.of(table, self.schema)
            return
        first = [self.roles.time, type_column, *bundle.programs[0].partition_by]
        needed.sort(key=lambda name: first.index(name) if name in first else len(first))
        with ColumnReader(stored, needed, encoded, threads, self.record) as columns:
            yield EventColumns(columns, columns.row_count, self.schema)

    def run_with_results(
        self, program: Program, schema: pa.Schema, streams: Sequence[DerivedStream]
    ) -> LocalResult:
        """Return the result of a program that reads those of others, or is read by others."""
        events = EventColumns.of(self._united(schema, streams))
        found = run(bundle_of_one(program), events, RunMode(available_cores()), self.folds)
        ((_, result),) = found
        self._warn_of_missing_types([program], EventColumns.of(self._table))
        return result

    def as_events(
        self, member: Member, program: Program, result: Any, schema: pa.Schema
    ) -> tuple[pa.Table, DerivedStream]:
        """Return a result without what only its events need, and its events."""
        assert member.stream_type is not None
        assert isinstance(result, pa.Table), "analysis refuses other forms of OUTPUT with INTO"
        own = own_columns(program, result.column_names)
        stream = self._stream(program, result, own, schema, member.stream_type)
        return result.select(own), DerivedStream(
            member.name, member.stream_type, tuple(own), stream.schema, stream
        )

    def _warn_of_missing_types(self, programs: Sequence[Program], events: EventColumns) -> None:
        if self.roles.type is not None and self.roles.schemas is None:
            warn_of_missing_types(programs, events.columns[self.roles.type])

    @cached_property
    def _table(self) -> pa.Table:
        events = self.events
        if isinstance(events, pa.Table):
            return events
        with self.record.stage("read"):
            return events.read(self.schema.names, [])

    def _united(self, schema: pa.Schema, streams: Sequence[DerivedStream]) -> pa.Table:
        parts = [self._table, *(each.events for each in streams)]
        return pa.concat_tables(
            [_fitted(each, schema) for each in parts], promote_options="default"
        )

    def _stream(
        self,
        program: Program,
        result: pa.Table,
        own: Sequence[str],
        events: pa.Schema,
        stream_type: str,
    ) -> pa.Table:
        """Return the results as events: order key, type, attributes."""
        assert self.roles.type is not None
        columns: dict[str, Any] = {each: result.column(each) for each in own}
        for name, source in key_sources(program, own).items():
            kind = events.field(name).type
            columns[name] = (
                pa.nulls(result.num_rows, kind) if source is None else result.column(source)
            )
        early = ticks_before_end(program, events.field(program.time).type)
        if early:
            end = columns[program.time]
            if has_digits(end.type):
                columns[program.time] = from_ticks(to_ticks(end, program.time) - early, end.type)
            else:
                ticks = pc.subtract(end.cast(pa.int64()), early)
                columns[program.time] = ticks.cast(end.type)
        kind = self.schema.field(self.roles.type).type
        columns[self.roles.type] = _repeated(stream_type, result.num_rows, kind)
        return pa.table(columns)


def _batches(result: LocalResult) -> Iterator[pa.RecordBatch]:
    return iter(result.to_batches()) if isinstance(result, pa.Table) else result.batches()


def _fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the table with its columns cast to the types of a schema."""
    fields = [schema.field(each) for each in table.column_names]
    columns = [
        column if column.type == field.type else pc.cast(column, field.type)
        for column, field in zip(table.columns, fields, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=table.column_names)


def _repeated(word: str, count: int, kind: pa.DataType) -> Any:
    if pa.types.is_dictionary(kind):
        codes = pa.array([0] * count, kind.index_type)
        return pa.DictionaryArray.from_arrays(codes, pa.array([word], kind.value_type))
    return pa.array([word] * count, kind)
