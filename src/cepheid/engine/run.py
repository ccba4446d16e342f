"""Run queries on events: the only way into the engine, in process and in a task of Spark.

Every run is that of a bundle; a query is a bundle of one. What runs each kind of query is imported
when it is needed: a small query should start soon.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from cepheid.engine.bundle import Bundle, bundle_of_one
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.warn_of_events import warn_of_dropped
from cepheid.engine.failed import Failed
from cepheid.engine.process.log import LOG
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.process.threads import stop_if_unwanted
from cepheid.engine.shared.shared_folds import Alone
from cepheid.errors import DataError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program
from cepheid.program.run_record import RAN, FoldRecord, GroupRecord

if TYPE_CHECKING:
    from cepheid.engine.events.report_range import ReportRange
    from cepheid.engine.events.scan import Scans
    from cepheid.engine.matches.forms.compressed import CompressedMatches
    from cepheid.engine.shared.run_lanes import Finish

LocalResult: TypeAlias = "pa.Table | CompressedMatches"
_SomeTables: TypeAlias = tuple[tuple[int, ...], list[pa.Table] | Alone]  # of queries


@dataclass(frozen=True)
class EventColumns:
    """The events of a run, in any order: their columns by name, and how many they are.

    `schema` has the types that results are to have where columns are encoded.
    """

    columns: Mapping[str, Any]
    length: int
    schema: pa.Schema

    @classmethod
    def of(cls, table: pa.Table, schema: pa.Schema | None = None) -> EventColumns:
        """Return the columns of a table."""
        columns = dict(zip(table.column_names, table.columns, strict=True))
        return cls(columns, table.num_rows, table.schema if schema is None else schema)

    @cached_property
    def table(self) -> pa.Table:
        """All columns as one table."""
        return pa.table(dict(self.columns))

    def prepared(self, bundle: Bundle) -> EventColumns:
        """Return the columns with those that queries add; on Spark they are there already.

        An event that belongs to several partitions is copied.
        """
        missing = [each for each in bundle.computed if each.name not in self.columns]
        copies = bundle.copies
        if copies is not None and copies.names[0] in self.columns:
            copies = None
        if not missing and copies is None:
            return self
        from cepheid.program.compute_columns import with_computed
        from cepheid.program.copy_events import with_copies

        table = self.table
        if copies is not None:  # what nobody reads need not be copied
            stored = bundle.stored_columns
            table = table.select([each for each in self.columns if each in stored])
        count = table.num_columns
        table = with_computed(table, missing)
        table = with_copies(table, copies, keeps_all=bundle.keeps_all_types)
        added = [table.schema.field(each) for each in table.column_names[count:]]
        return EventColumns.of(table, pa.schema([*self.schema, *added]))


@dataclass(frozen=True, slots=True)
class RunMode:
    """How a bundle is run.

    Queries whose numbers are in `partially` give rows of groups that others add to. In a step of a
    stream, `report_range` says which results are reported. `as_found`: a list of matches comes in
    many tables, each made when it is asked for, on this thread.
    """

    threads: int = 1
    partially: Collection[int] = ()
    report_range: ReportRange | None = None
    as_found: bool = False


ON_ONE_THREAD = RunMode()


def run(
    bundle: Bundle,
    events: EventColumns,
    mode: RunMode = ON_ONE_THREAD,
    report: RankedFolds | None = None,
) -> Iterator[tuple[int, LocalResult]]:
    """Yield the number of every query with its result.

    `report` chooses the folds, and writes down what ran. An error names its query.
    """
    if len(bundle.programs) == 1:
        events = events.prepared(bundle)
        with errors_of(bundle.programs[0].name):
            one = _Run(bundle, events, mode, report or RankedFolds())
            for each in one.alone(0, events.columns):
                yield 0, each
        return
    for number, result in run_each(bundle, events, mode, report):
        if isinstance(result, Failed):
            raise result.error
        yield number, result


def run_each(
    bundle: Bundle, events: EventColumns, mode: RunMode, report: RankedFolds | None = None
) -> Iterator[tuple[int, LocalResult | Failed]]:
    """Yield the number of every query of several with its result, or with what kept it from one.

    Events that one query cannot take are no concern of the others: after an error those without a
    result are run one by one. If none has a result, the first error is raised.
    """
    done, failed, report = set[int](), dict[int, DataError](), report or RankedFolds()
    with errors_of(None):
        try:
            computed = events.prepared(bundle)
            for number, result in _Run(bundle, computed, mode, report).results():
                done.add(number)
                yield number, result
            return
        except DataError:
            pass
        for number, program in enumerate(bundle.programs):
            if number not in done:
                own = replace(mode, partially=(0,) if number in mode.partially else ())
                try:
                    ((_, result),) = run(bundle_of_one(program), events, own, report)
                except DataError as error:
                    failed[number] = error
                else:
                    done.add(number)
                    yield number, result
        if not done:
            raise next(iter(failed.values()))
        for number, met in failed.items():
            LOG.warning("%s; its result raises this when it is read", met)
            yield number, Failed(met)


@dataclass(frozen=True, slots=True)
class _Run:
    bundle: Bundle
    events: EventColumns
    mode: RunMode
    report: RankedFolds

    def results(self) -> Iterator[tuple[int, LocalResult]]:
        """Yield what queries share first, and then what has nothing in common with others.

        Events are read, typed and ordered once for all queries with the same order and partitions.
        """
        from cepheid.engine.events.scan import Scans
        from cepheid.program.sharing.other_sets import scans

        bundle, events = self.bundle, self.events
        scanned = scans(bundle.programs, bundle.sets, bundle.others)
        shared = Scans(scanned, events.columns, events.length, self.mode.threads)
        alone = list(bundle.others.alone)
        together = chain(self._sets(shared), self._lanes(shared), self._chains(shared))
        for numbers, tables in together:
            if isinstance(tables, Alone):
                alone += numbers
            else:
                yield from zip(numbers, tables, strict=True)
        for number in alone:
            for each in self.alone(number, shared.of(bundle.programs[number])):
                yield number, each

    def _sets(self, shared: Scans) -> Iterator[_SomeTables]:
        if not self.bundle.sets:
            return
        from cepheid.engine.shared.run_set import SetOptions, run_set

        run_one = run_set if self.report.sets is None else self.report.sets.run_set
        for numbers, merged in self.bundle.sets:
            own = self._partially(numbers)
            options = SetOptions(self.report, self.mode.threads, self.bundle.policy, own)
            columns = shared.of_set(numbers, merged)
            given = (merged, columns, self.events.length, self.events.schema, options)
            yield numbers, run_one(*given)

    def _lanes(self, shared: Scans) -> Iterator[_SomeTables]:
        events, threads = self.events, self.mode.threads
        for numbers, lanes in self.bundle.others.lanes:
            from cepheid.engine.shared.run_lanes import LaneTask, run_lanes

            columns, finish = shared.of(lanes.united), self._finisher(numbers, lanes.programs)
            given = (lanes, columns, events.length, events.schema, self.report)
            yield numbers, run_lanes(LaneTask(*given, threads, finish))

    def _finisher(self, numbers: tuple[int, ...], programs: Sequence[Program]) -> Finish:
        own = self._partially(numbers)
        return lambda results, rows: results.tables(programs, rows, own)

    def _chains(self, shared: Scans) -> Iterator[_SomeTables]:
        """Groups of a window that moves with every event are never in several tasks."""
        events, threads = self.events, self.mode.threads
        for numbers, chains in self.bundle.others.chains:
            from cepheid.engine.shared.run_chains import ChainTask, run_chains

            assert not self._partially(numbers)
            columns = shared.of(chains.programs[0])
            given = (chains, columns, events.length, events.schema, self.report)
            yield numbers, run_chains(ChainTask(*given, threads))

    def _partially(self, numbers: tuple[int, ...]) -> list[int]:
        """Return the places in a set of queries that give rows which others add to."""
        return [place for place, each in enumerate(numbers) if each in self.mode.partially]

    def alone(self, number: int, columns: Mapping[str, Any]) -> Iterator[LocalResult]:
        """Yield the result of one query; `columns` may have an order that several share."""
        stop_if_unwanted()
        self.report.record.count("events", self.events.length)
        program, output = self.bundle.programs[number], self.bundle.programs[number].output
        if isinstance(output, AggregateOutput):
            yield self._aggregated(program, output, columns, number in self.mode.partially)
        elif output.is_compressed or program.pair is not None:
            yield self._kept(program, output, columns)
        else:
            yield from self._listed(program, output, columns)

    def _aggregated(
        self,
        program: Program,
        output: AggregateOutput,
        columns: Mapping[str, Any],
        is_partial: bool,
    ) -> pa.Table:
        from cepheid.engine.trends.aggregation import Aggregation
        from cepheid.engine.trends.trend_events import TrendEvents

        mode, schema = self.mode, self.events.schema
        if mode.report_range is None and not is_partial and not self.report.preferred:
            found = self._in_stretches(program, output, columns)
            if found is not None:
                return found
        events = TrendEvents(
            program, output, columns, self.events.length, mode.threads, mode.report_range,
            self.report.record,
        )  # fmt: skip
        table = Aggregation(events, self.report).table(schema, partially=is_partial)
        if not is_partial:
            self._warn_of_dropped(program, events.dropped)
        return table

    def _in_stretches(
        self, program: Program, output: AggregateOutput, columns: Mapping[str, Any]
    ) -> pa.Table | None:
        from cepheid.engine.trends.result_table import finish
        from cepheid.engine.trends.time_stretches import NAME, in_stretches

        record, schema = self.report.record, self.events.schema
        with record.stage("fold"):
            found = in_stretches(program, output, columns, self.events.length, schema)
        if found is None:
            return None
        record.add(GroupRecord((program.name or "",), (FoldRecord(NAME, RAN),), {}))
        record.count("events that matter", found.events)
        record.count("partitions", found.partitions)
        self._warn_of_dropped(program, found.dropped)
        with record.stage("columns"):
            return finish(program, output, schema, found.rows)

    def _kept(
        self, program: Program, output: MatchOutput, columns: Mapping[str, Any]
    ) -> LocalResult:
        from cepheid.engine.matches.match_task import SearchMode

        table, schema = self.events.table, self.events.schema
        search = SearchMode(self.report, 1, self.mode.report_range)
        result: LocalResult
        if program.pair is not None:
            from cepheid.engine.matches.match_pairs import find_pairs

            result, dropped, _ = find_pairs(program, program.pair, table, schema, search, columns)
        else:
            from cepheid.engine.matches.forms.compressed import compress_matches

            result, dropped = compress_matches(program, output, table, schema, search, columns)
        self._warn_of_dropped(program, dropped)
        return result

    def _listed(
        self, program: Program, output: MatchOutput, columns: Mapping[str, Any]
    ) -> Iterator[pa.Table]:
        """Matches that are to be compared with others are known only when all of them are."""
        from cepheid.engine.matches.find_matches import MatchSearch, find_matches
        from cepheid.engine.matches.match_task import SearchMode

        mode, schema, length = self.mode, self.events.schema, self.events.length
        if mode.as_found and output.choice is None:
            one = SearchMode(self.report, 1, mode.report_range)
            search = MatchSearch(program, columns, length, schema, one)
            self._warn_of_dropped(program, search.task.ordered.dropped)
            for batch in search.batches():
                yield pa.Table.from_batches([batch])
            return
        search_mode = SearchMode(self.report, mode.threads, mode.report_range)
        found = find_matches(program, columns, length, schema, search_mode)
        self._warn_of_dropped(program, found.dropped)
        yield found.table

    def _warn_of_dropped(self, program: Program, dropped: int) -> None:
        self.report.record.count("events in no partition", dropped)
        if self.mode.report_range is None:  # a stream tells of events when they arrive
            warn_of_dropped(program.partition_by, dropped)
