"""The public query object: text in, results out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, overload

from cepheid.analysis.analyze import analyze
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.dependencies import QueryNode, find_dependencies
from cepheid.analysis.fill_parameters import ParameterValue, plain_values
from cepheid.analysis.schema import OPEN_SCHEMA, EventSchema
from cepheid.errors import UNNAMED, ConfigError, QueryError, last_defence
from cepheid.events import Events, schema_to_explain, source_of
from cepheid.language import ast
from cepheid.language.parser import parse
from cepheid.language.printer import print_query
from cepheid.language.source import Source
from cepheid.plan.physical import PhysicalPlan
from cepheid.plan.planner import make_plan
from cepheid.plan.run_options import Batch, RunOptions

if TYPE_CHECKING:
    from typing import Unpack

    from pyarrow import RecordBatchReader

    from cepheid.analyzed_run import AnalyzedRun
    from cepheid.engine.members import Member
    from cepheid.program.program import Program
    from cepheid.run_keywords import (
        BatchKeywords,
        BatchRunKeywords,
        OptionKeywords,
        Options,
        RunKeywords,
    )
    from cepheid.tables.table_types import AnyTable, ArrowBatch, ArrowTable, StoredPath, Table

MOST_PROGRAMS = 1024  # that are kept
ON_SPARK = ("parallel_in_time", "grouped", "packed")


class Query:
    """A parsed query; it can be run on events of any supported kind, any number of times."""

    def __init__(
        self, text: str, *, name: str | None, parameters: Mapping[str, ParameterValue]
    ) -> None:
        if not isinstance(text, str):
            raise ConfigError(
                f"the text of a query is {text!r}, of type {type(text).__name__}",
                hint="give it as a string; of a file: Path(…).read_text()",
            )
        self.text = text
        self.is_named = name is not None
        self.name = UNNAMED if name is None else name
        self.parameters = plain_values(parameters)
        self.source = Source(text, self.name)
        with self._defence():
            self.tree = parse(text, name=self.name)

    def __repr__(self) -> str:
        return f"Query({self.text!r})"

    def __str__(self) -> str:
        return print_query(self.tree)

    def _repr_html_(self) -> str:
        """Return the text in colours with the automaton, for notebooks."""
        from cepheid.explain.explain_plan import explain_plan
        from cepheid.plot.show_query import show_query

        try:
            explanation = explain_plan(self.plan())
        except QueryError:  # it says so when it is run
            explanation = None
        return show_query(self.text, explanation)

    def _defence(self) -> AbstractContextManager[None]:
        return last_defence(f"query '{self.name}'")

    def called(self, name: str) -> Query:
        """Return the same query under another name."""
        return Query(self.text, name=name, parameters=self.parameters)

    def with_tree(self, tree: ast.Query) -> Query:
        """Return a query of the same name and parameters that says something else."""
        return Query(print_query(tree), name=self.name, parameters=self.parameters)

    def bind(self, schema: EventSchema = OPEN_SCHEMA) -> BoundQuery:
        """Check the query against a schema; without one, every name is accepted."""
        with self._defence():
            return analyze(self.tree, self.source, schema=schema, parameters=self.parameters)

    def plan(self, schema: EventSchema = OPEN_SCHEMA) -> PhysicalPlan:
        """Return the plan for events of a schema."""
        with self._defence():
            return make_plan(self.bind(schema))

    def explain(
        self,
        events: Events[Any] | None = None,
        *,
        format: str = "text",
        schema: EventSchema | None = None,
        facts: Mapping[str, int] | None = None,
    ) -> str:
        """Say how the query will be run and why: as text, json, mermaid or svg.

        A notebook shows a picture of it. With `events`, the names and types of their columns are
        checked and known. Without them, every name is accepted. The folds are ranked for a million
        events in order; `facts`, by the names that `analyze` prints, are those of other events.

        >>> print(query("PATTERN SEQ(A, B+)").explain().splitlines()[0])
        Query
        """
        from cepheid.engine.plan_folds import plan_folds
        from cepheid.explain.explain import explain
        from cepheid.explain.explain_plan import explain_plan
        from cepheid.plot.explained import Explained
        from cepheid.stream.explain_steps import plan_steps

        known = schema_to_explain(events, schema)
        with self._defence():
            plan = self.plan(known)
            folds, steps = plan_folds(plan, facts), plan_steps(plan)
            text = explain(plan, folds, steps, format=format)
            return Explained(text, format, explain_plan(plan, folds, steps))

    @overload
    def analyze(
        self, events: Events[Table], options: Batch | None = None, **keywords: Unpack[BatchKeywords]
    ) -> AnalyzedRun[Table]: ...
    @overload
    def analyze(
        self,
        events: Mapping[str, Table] | Table | StoredPath,
        options: Batch | None = None,
        **keywords: Unpack[BatchRunKeywords],
    ) -> AnalyzedRun[Table]: ...
    def analyze(
        self, events: object, options: Batch | None = None, **keywords: Any
    ) -> AnalyzedRun[Any]:
        """Run the query on a table of this process and say what ran: EXPLAIN ANALYZE.

        The arguments are those of `run`.

        >>> import pyarrow as pa
        >>> events = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"]})
        >>> found = query("PATTERN SEQ(A+, B) RETURN COUNT(*) AS n").analyze(
        ...     events, time="ts", type="kind"
        ... )
        >>> found.result.to_pylist(), found.report.groups[0].ran
        ([{'n': 3.0}], 'grams of events in order')
        """
        from cepheid.analyzed_run import AnalyzedRun
        from cepheid.drawn_runs import Drawing
        from cepheid.engine.catalogue import RankedFolds
        from cepheid.program.run_record import RunRecord
        from cepheid.program.sharing.run_report import make_report
        from cepheid.run_keywords import read_run
        from cepheid.runners.run_queries import run_queries

        given, chosen = read_run(events, options, keywords, method="analyze", without=ON_SPARK)
        folds, start = RankedFolds(record=RunRecord(is_detailed=True)), perf_counter()
        members = [self.member(chosen)]
        with self._defence():
            results = run_queries(members, source_of(given), given.roles, chosen, None, folds)
        report = make_report(folds.record, perf_counter() - start)
        nodes = [QueryNode(self.name, self.tree, self.source)]
        plans = {self.name: self.plan(folds.schema)}
        drawing = Drawing(self, given, chosen)
        return AnalyzedRun(results, report, plans, find_dependencies(nodes), drawing)

    @overload
    def run(
        self, events: Events[Table], options: Options = None, **keywords: Unpack[OptionKeywords]
    ) -> Table: ...
    @overload
    def run(
        self, events: StoredPath, options: Options = None, **keywords: Unpack[RunKeywords]
    ) -> ArrowTable: ...
    @overload
    def run(
        self,
        events: Mapping[str, Table] | Table,
        options: Options = None,
        **keywords: Unpack[RunKeywords],
    ) -> Table: ...
    @overload  # matched where pyarrow has stubs: without any, its tables are of any type
    def run(  # type: ignore[overload-cannot-match]
        self,
        events: Mapping[str, ArrowBatch] | ArrowBatch,
        options: Options = None,
        **keywords: Unpack[RunKeywords],
    ) -> ArrowTable: ...
    def run(self, events: object, options: Options = None, **keywords: Any) -> object:
        """Run the query and return a result of the same kind as `events`.

        OUTPUT COMPRESSED gives a `Compressed` instead, with `count`, `first` and `expand`;
        `late="deliver"` on a stream gives a `ResultsWithLate`.

        Args:
            events: `cepheid.events(…)`, or what that takes: a pyarrow Table or RecordBatch, a
                pandas or polars DataFrame, a Spark DataFrame, or a mapping from event type to one
                of these; or the path of a Parquet, CSV or JSON file or directory, which gives a
                pyarrow Table.
            options: a `cepheid.Batch`, or on a streaming DataFrame a `cepheid.Streaming`.
            keywords: of events that are not `cepheid.events(…)` the roles of their columns:
                `time`, `type`, `order`, `schemas`, `time_unit`; and instead of `options` any option
                of `Batch` or `Streaming`. docs/reference/options.md lists them all.

        >>> import pyarrow as pa
        >>> events = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"]})
        >>> query("PATTERN SEQ(A a, B b)").run(events, time="ts", type="kind").num_rows
        2
        """
        from cepheid.run_keywords import read_run
        from cepheid.runners.run_queries import run_queries

        given, chosen = read_run(events, options, keywords, method="run")
        with self._defence():
            results = run_queries([self.member(chosen)], source_of(given), given.roles, chosen)
            found = results[self.name]
        if not hasattr(type(found), "drawn_by"):  # a table; cepheid.plot draws it
            return found
        from cepheid.drawn_runs import Drawing

        return found.drawn_by(Drawing(self, given, chosen).plot)

    @overload
    def batches(
        self,
        events: Events[Any],
        options: Batch | None = None,
        **keywords: Unpack[BatchKeywords],
    ) -> RecordBatchReader: ...
    @overload
    def batches(
        self,
        events: AnyTable,
        options: Batch | None = None,
        **keywords: Unpack[BatchRunKeywords],
    ) -> RecordBatchReader: ...
    def batches(
        self, events: object, options: Batch | None = None, **keywords: Any
    ) -> RecordBatchReader:
        """Run the query on events of this process and return a reader of Arrow record batches.

        The arguments are those of `run`. Matches are found while they are read, on one thread, so
        that no more than a few of them are in memory.

        >>> import pyarrow as pa
        >>> events = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"]})
        >>> found = query("PATTERN SEQ(A a, B b)").batches(events, time="ts", type="kind")
        >>> sum(batch.num_rows for batch in found)
        2
        """
        from cepheid.run_keywords import read_run
        from cepheid.runners.run_queries import find_batches

        given, chosen = read_run(events, options, keywords, method="batches", without=ON_SPARK)
        with self._defence():
            return find_batches(self.member(chosen), source_of(given), given.roles)

    def member(self, options: RunOptions) -> Member:
        """Return the query as the only one of a run."""
        from cepheid.engine.members import Member

        return Member(self.name, partial(self.program, options))

    def program(
        self, options: RunOptions, schema: EventSchema, *, is_checked: bool = True
    ) -> Program:
        """Return what is run on events of a schema.

        `is_checked`: options that the query cannot have are an error.
        """
        parameters = ((name, type(each), repr(each)) for name, each in self.parameters.items())
        key = (self.source, tuple(parameters), options, schema.key, is_checked)
        return _lowered(_Request(key, self, options, schema, is_checked))


@dataclass(frozen=True, slots=True)
class _Request:
    """What a program is asked for; the key has everything that it depends on, as hashable values.

    Of a parameter that is its type, too: 1, 1.0 and TRUE are equal.
    """

    key: tuple[object, ...]
    query: Query = field(compare=False)
    options: RunOptions = field(compare=False)
    schema: EventSchema = field(compare=False)
    is_checked: bool = field(compare=False)


@lru_cache(maxsize=MOST_PROGRAMS)
def _lowered(request: _Request) -> Program:
    """Programs do not change, so a query that is run again need not be analysed again."""
    from cepheid.program.lower import lower

    plan, options = request.query.plan(request.schema), request.options
    if request.is_checked:
        options.check(plan)
    return lower(options.applied_to(plan))


def query(
    text: str,
    *,
    name: str | None = None,
    parameters: Mapping[str, ParameterValue] | None = None,
) -> Query:
    """Parse a query.

    Args:
        text: the query; see the language reference.
        name: what error messages and workloads call it, for example its file.
        parameters: values for `:name` in the text.

    >>> query("PATTERN SEQ(A, B) WITHIN :w", parameters={"w": "10 s"})
    Query('PATTERN SEQ(A, B) WITHIN :w')
    """
    return Query(text, name=name, parameters=parameters or {})
