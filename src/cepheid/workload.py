"""Several queries over the same events, of which some read the results of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from itertools import count
from os import PathLike, fspath
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, overload

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.dependencies import QueryNode, find_dependencies
from cepheid.analysis.derived_types import check_stream, result_columns, with_derived_types
from cepheid.analysis.schema import OPEN_SCHEMA, EventSchema
from cepheid.analyzed_run import AnalyzedRun
from cepheid.errors import ConfigError, QueryError, last_defence, suggest
from cepheid.events import Events, schema_to_explain, source_of
from cepheid.plan.physical import PhysicalPlan
from cepheid.plan.planner import make_plan
from cepheid.plan.run_options import Batch, RunOptions
from cepheid.program.sharing.merged_sets import MergedSets
from cepheid.program.sharing.run_report import make_report
from cepheid.query import ON_SPARK, Query, query
from cepheid.tables.table_types import Table

if TYPE_CHECKING:
    from typing import Unpack

    from cepheid.drawn_runs import WorkloadResults
    from cepheid.engine.members import Member
    from cepheid.engine.shared.policy import Policy, Sharing
    from cepheid.plan.stream_options import Streaming
    from cepheid.program.program import Program
    from cepheid.run_keywords import (
        BatchKeywords,
        BatchRunKeywords,
        OptionKeywords,
        Options,
        RunKeywords,
        StreamKeywords,
    )
    from cepheid.spark.stream.workload_stream import WorkloadStream
    from cepheid.tables.table_types import ArrowBatch, ArrowTable, SparkFrame, StoredPath

# Programs of a folder are made anew on the way, each like the others.
NOT_FOR_FOLDERS = ("live_limit", "max_matches", "on_expiry", "late", "end")


class Workload:
    """A set of queries; each is run once, after those whose results it reads."""

    def __init__(self, queries: Sequence[Query]) -> None:
        self.queries = {each.name: each for each in queries}
        with self._defence():
            self.dependencies = find_dependencies(
                [QueryNode(each.name, each.tree, each.source) for each in queries]
            )
        self._merged = MergedSets()

    def __repr__(self) -> str:
        return f"Workload({', '.join(self.queries)})"

    def _repr_html_(self) -> str:
        """Return the queries in colours, and how they will be run, for notebooks."""
        from cepheid.plot.show_query import show_workload

        texts = {name: each.text for name, each in self.queries.items()}
        reads = {name: self.dependencies.givers(name) for name in self.queries}
        try:
            plan = self.explain()
        except QueryError as error:  # it says so when it is run
            plan = str(error)
        return show_workload(texts, reads, plan)

    def with_query(self, added: Query | str, *, name: str | None = None) -> Workload:
        """Return a workload with one more query; without a name it is q1, q2, … as far as free.

        >>> workload(["PATTERN A a"]).with_query("PATTERN B b", name="late")
        Workload(q1, late)
        >>> workload(["PATTERN A a", "PATTERN B b"]).without("q1").with_query("PATTERN C c")
        Workload(q2, q1)
        """
        free = next(each for each in map("q{}".format, count(1)) if each not in self.queries)
        chosen = _named(added, free) if name is None else _named(added, name, replaces=True)
        if chosen.name in self.queries:
            raise ConfigError(
                f"the workload has a query '{chosen.name}' already",
                hint=f"choose another name, or take that one out: without('{chosen.name}')",
            )
        return Workload([*self.queries.values(), chosen])

    def without(self, name: str) -> Workload:
        """Return a workload without a query.

        >>> workload(["PATTERN A a", "PATTERN B b"]).without("q1")
        Workload(q2)
        """
        if name not in self.queries:
            raise ConfigError(
                f"the workload has no query {name!r}",
                hint=suggest(str(name), self.queries, owner="the workload"),
            )
        return workload([each for each in self.queries.values() if each.name != name])

    def plans(self, schema: EventSchema = OPEN_SCHEMA) -> dict[str, PhysicalPlan]:
        """Return the plan of every query for events of a schema, by name."""
        bound: dict[str, BoundQuery] = {}
        for name in self.dependencies.order:
            streams: dict[str, dict[str, AttributeType]] = {}
            for giver in self.dependencies.givers(name):
                into = str(bound[giver].into)
                streams[into] = streams.get(into, {}) | result_columns(bound[giver])
            bound[name] = self._bind(name, with_derived_types(schema, streams))
        with self._defence():
            return {name: make_plan(bound[name]) for name in self.queries}

    def explain(
        self,
        events: Events[Any] | None = None,
        *,
        format: str = "text",
        schema: EventSchema | None = None,
        sharing: str = "dynamic",
        facts: Mapping[str, int] | None = None,
    ) -> str:
        """Say who reads whose results and how each query will be run: as text or json.

        As mermaid or svg, the patterns of queries that are folded together are drawn as one: every
        type once, edges with the names of the queries that have them.

        With `events`, the names and types of their columns are checked and known. Without them,
        every name is accepted. `sharing` is as of `run`, `facts` are as of `Query.explain`.

        >>> set_of_queries = workload(["PATTERN SEQ(A, B) INTO Pair", "PATTERN Pair p"])
        >>> set_of_queries.explain().splitlines()[:3]
        ['Workload', '  q1  reads A, B        INTO Pair', '  q2  reads Pair of q1']
        """
        from cepheid.engine.plan_folds import plan_workload_folds
        from cepheid.explain.explain_workload import explain_workload
        from cepheid.stream.explain_steps import plan_workload_steps

        known = schema_to_explain(events, schema)
        with self._defence():
            plans, dependencies = self.plans(known), self.dependencies
            folds = plan_workload_folds(plans, dependencies, _policy(sharing), facts)
            steps = plan_workload_steps(plans, dependencies)
            return explain_workload(plans, dependencies, folds, steps, format=format)

    @overload
    def run(
        self,
        events: Events[Table],
        options: Options = None,
        *,
        sharing: str = "dynamic",
        **keywords: Unpack[OptionKeywords],
    ) -> WorkloadResults[Table]: ...
    @overload
    def run(
        self,
        events: StoredPath,
        options: Options = None,
        *,
        sharing: str = "dynamic",
        **keywords: Unpack[RunKeywords],
    ) -> WorkloadResults[ArrowTable]: ...
    @overload
    def run(
        self,
        events: Mapping[str, Table] | Table,
        options: Options = None,
        *,
        sharing: str = "dynamic",
        **keywords: Unpack[RunKeywords],
    ) -> WorkloadResults[Table]: ...
    @overload  # matched where pyarrow has stubs: without any, its tables are of any type
    def run(  # type: ignore[overload-cannot-match]
        self,
        events: Mapping[str, ArrowBatch] | ArrowBatch,
        options: Options = None,
        *,
        sharing: str = "dynamic",
        **keywords: Unpack[RunKeywords],
    ) -> WorkloadResults[ArrowTable]: ...
    def run(
        self, events: object, options: Options = None, *, sharing: str = "dynamic", **keywords: Any
    ) -> WorkloadResults[Any]:
        """Run all queries and return their results by name, of the same kind as `events`.

        The arguments are those of `Query.run`; `limit`, `on_expiry` and `parallel_in_time` concern
        the queries that can have them. Of results that another query reads, `limit` leaves all. The
        path of a file or directory gives pyarrow Tables. `plot()` of the results draws them.

        `sharing` is how queries that are folded together take a burst of events that several of
        them match: "dynamic" decides for every burst whether to share the work, "always" and
        "never" do not.

        Events that one query cannot take, such as those whose sum exceeds BIGINT, are an error of
        that query: it is raised when its result is read, here or, on Spark, by an action. Others
        have their results. If no query has one, the error is raised at once.

        >>> import pyarrow as pa
        >>> events = pa.table({"ts": [1, 2, 3, 4], "kind": ["A", "B", "A", "B"]})
        >>> pairs = query("PATTERN SEQ(A a, B b) WITHIN 2 RETURN a.ts INTO Pair", name="pairs")
        >>> twice = query("PATTERN SEQ(Pair p, Pair q) RETURN p.a_ts, q.a_ts", name="twice")
        >>> workload([twice, pairs]).run(events, time="ts", type="kind")["twice"].to_pylist()
        [{'p_a_ts': 1, 'q_a_ts': 3}]
        """
        from cepheid.drawn_runs import Drawing, WorkloadResults
        from cepheid.run_keywords import read_run
        from cepheid.runners.query_results import in_order
        from cepheid.runners.run_queries import run_queries

        given, chosen = read_run(events, options, keywords, method="run", without=["grouped"])
        in_ranges = isinstance(chosen, Batch) and chosen.parallel_in_time is True
        members = self._members(chosen)
        shared = replace(self._sharing(sharing), in_ranges=in_ranges)
        with self._defence():
            results = run_queries(members, source_of(given), given.roles, chosen, shared)
        ordered = in_order(results, self.queries)
        return WorkloadResults(ordered, Drawing(self, given, chosen))

    def stream(
        self,
        events: Events[SparkFrame] | Mapping[str, SparkFrame] | SparkFrame,
        options: Streaming | None = None,
        *,
        sharing: str = "dynamic",
        **keywords: Unpack[StreamKeywords],
    ) -> WorkloadStream:
        """Run all queries on a streaming DataFrame as one stream, in one pass over the events.

        The arguments are those of `run`. The result has `rows`, a streaming DataFrame with the name
        of a query and a row of its result as JSON; `packets` and `each_batch` write the results of
        every query to a place of its own. See docs/how-to/workloads.md.
        """
        from cepheid.run_keywords import read_stream
        from cepheid.runners.run_queries import stream_workload

        given, chosen = read_stream(events, options, keywords, without=["late"])
        members, shared = self._members(chosen), self._sharing(sharing)
        with self._defence():
            found: WorkloadStream = stream_workload(
                members, given.table, given.roles, chosen, shared
            )
        return found

    def release(self, results: Mapping[str, object]) -> None:
        """Let Spark forget what it keeps for the results of a run on a batch DataFrame.

        Results stay what they are: one that is asked for again is computed anew. Without this, what
        is kept goes when all results of a run are gone and a workload runs again.
        """
        from cepheid.runners.run_queries import release_results

        kept = dict.values(results) if isinstance(results, dict) else results.values()
        release_results(kept)  # errors of queries without a result are not raised

    @overload
    def analyze(
        self,
        events: Events[Table],
        options: Batch | None = None,
        *,
        sharing: str = "dynamic",
        compare: bool = False,
        **keywords: Unpack[BatchKeywords],
    ) -> AnalyzedRun[Table]: ...
    @overload
    def analyze(
        self,
        events: StoredPath,
        options: Batch | None = None,
        *,
        sharing: str = "dynamic",
        compare: bool = False,
        **keywords: Unpack[BatchRunKeywords],
    ) -> AnalyzedRun[ArrowTable]: ...
    @overload
    def analyze(
        self,
        events: Mapping[str, Table] | Table,
        options: Batch | None = None,
        *,
        sharing: str = "dynamic",
        compare: bool = False,
        **keywords: Unpack[BatchRunKeywords],
    ) -> AnalyzedRun[Table]: ...
    @overload  # as of `run`
    def analyze(  # type: ignore[overload-cannot-match]
        self,
        events: Mapping[str, ArrowBatch] | ArrowBatch,
        options: Batch | None = None,
        *,
        sharing: str = "dynamic",
        compare: bool = False,
        **keywords: Unpack[BatchRunKeywords],
    ) -> AnalyzedRun[ArrowTable]: ...
    def analyze(
        self,
        events: object,
        options: Batch | None = None,
        *,
        sharing: str = "dynamic",
        compare: bool = False,
        **keywords: Any,
    ) -> AnalyzedRun[Any]:
        """Run all queries on a table of this process and say what they shared: EXPLAIN ANALYZE.

        The arguments are those of `run`. With `compare`, queries that are folded together are
        folded once more with and without sharing, to see how much time it saves.

        >>> import pyarrow as pa
        >>> events = pa.table({"ts": [1, 2, 3, 4], "kind": ["A", "C", "B", "B"]})
        >>> texts = [f"PATTERN SEQ({each}, B+) RETURN COUNT(*) AS n" for each in "AC"]
        >>> found = workload(texts).analyze(events, time="ts", type="kind", sharing="always")
        >>> found.results["q1"].to_pylist(), found.report.sets[0].parts[0].text
        ([{'n': 3.0}], 'B+')
        """
        from cepheid.drawn_runs import Drawing
        from cepheid.engine.catalogue import RankedFolds
        from cepheid.engine.shared.analyze_set import SetAnalysis
        from cepheid.program.run_record import RunRecord
        from cepheid.run_keywords import read_run
        from cepheid.runners.run_queries import run_queries

        given, chosen = read_run(events, options, keywords, method="analyze", without=ON_SPARK)
        members, shared = self._members(chosen), self._sharing(sharing)
        analysis, start = SetAnalysis(compare=compare), perf_counter()
        folds = RankedFolds(record=RunRecord(is_detailed=True), sets=analysis)
        with self._defence():
            results = run_queries(members, source_of(given), given.roles, chosen, shared, folds)
        report = make_report(folds.record, perf_counter() - start, sharing, analysis.sets)
        ordered = {name: results[name] for name in self.queries}
        drawing = Drawing(self, given, chosen)
        return AnalyzedRun(ordered, report, self.plans(folds.schema), self.dependencies, drawing)

    def _defence(self) -> AbstractContextManager[None]:
        return last_defence(f"the workload of {', '.join(self.queries)}")

    def _members(self, options: RunOptions) -> list[Member]:
        from cepheid.engine.members import Member

        return [
            Member(
                name,
                partial(self._program, name, options),
                self.dependencies.givers(name),
                self.queries[name].tree.into if self.dependencies.is_read(name) else None,
            )
            for name in self.dependencies.order
        ]

    def _sharing(self, policy: str) -> Sharing:
        from cepheid.engine.shared.policy import Sharing

        return Sharing(_policy(policy), self._merged)

    def _bind(self, name: str, schema: EventSchema) -> BoundQuery:
        bound = self.queries[name].bind(schema)
        return check_stream(bound) if self.dependencies.is_read(name) else bound

    def _program(self, name: str, options: RunOptions, schema: EventSchema) -> Program:
        if not self.dependencies.is_read(name):
            return self.queries[name].program(options, schema, is_checked=False)
        from cepheid.program.lower import lower

        unlimited = replace(options, limit=None) if isinstance(options, Batch) else options
        plan = unlimited.applied_to(make_plan(self._bind(name, schema)))
        return lower(plan, as_stream=True)


def workload(queries: Iterable[Query | str] | Mapping[str, Query | str]) -> Workload:
    """Put queries together, so that one can read what another one gives `INTO` a type.

    Args:
        queries: queries or their texts; those without a name are called q1, q2, … by their place.
            A mapping has them by name.

    >>> workload(["PATTERN A a INTO B", query("PATTERN B b", name="all")])
    Workload(q1, all)
    >>> workload({"pairs": "PATTERN SEQ(A, B)", "all": "PATTERN B b"})
    Workload(pairs, all)
    """
    if isinstance(queries, str | Query) or not isinstance(queries, Iterable):
        raise ConfigError("a workload needs a list of queries", hint="write workload([query, …])")
    if isinstance(queries, Mapping):
        named = [_named(each, name, replaces=True) for name, each in queries.items()]
    else:
        named = [_named(each, f"q{place}") for place, each in enumerate(queries, start=1)]
    if not named:
        raise ConfigError("a workload needs a list of queries", hint="write workload([query, …])")
    name, times = Counter(each.name for each in named).most_common(1)[0]
    if times > 1:
        raise ConfigError(
            f"{times} queries of the workload are called '{name}'",
            hint="give each a name of its own: query(text, name='…')",
        )
    return Workload(named)


class QueryFolder:
    """Query files, one each, that may come and go while a stream runs; see `query_folder`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"QueryFolder({self.path!r})"

    def workload(self) -> Workload:
        """Return the queries that are there now."""
        from cepheid.stream.query_files import SUFFIX, read_folder

        found = read_folder(Path(self.path))
        problems = [problem for _, problem in found.values() if problem is not None]
        if problems:
            raise ConfigError(f"{self.path}: {problems[0]}", hint="write queries in UTF-8")
        if not found:
            raise ConfigError(
                f"the folder {self.path} has no queries", hint=f"put files NAME{SUFFIX} into it"
            )
        return workload([query(str(text), name=name) for name, (text, _) in found.items()])

    def stream(
        self,
        events: Events[SparkFrame] | Mapping[str, SparkFrame] | SparkFrame,
        options: Streaming | None = None,
        *,
        keys: str | Sequence[str] = (),
        sharing: str = "dynamic",
        **keywords: Unpack[StreamKeywords],
    ) -> SparkFrame:
        """Run the queries of the folder on a streaming DataFrame; it is read in every micro-batch.

        `keys` are attributes that all queries partition by: events are spread by them. Without any,
        one task takes all events. The others are those of `Workload.stream`.

        The result is a streaming DataFrame with columns query, change, result. A row has a result
        as JSON; or, where `change` is 'added', 'replaced', 'removed', 'refused' or 'failed', what
        is known of that. See docs/how-to/workloads.md.
        """
        from cepheid.engine.members import ChangingQueries
        from cepheid.run_keywords import read_stream
        from cepheid.runners.run_queries import stream_changing

        given, chosen = read_stream(events, options, keywords, without=NOT_FOR_FOLDERS)
        spread = (keys,) if isinstance(keys, str) else tuple(keys)
        queries = ChangingQueries(self.path, spread, _program)
        with last_defence(f"the queries in {self.path}"):
            found: SparkFrame = stream_changing(
                queries, given.table, given.roles, chosen, _policy(sharing)
            )
        return found


def query_folder(path: str | PathLike[str]) -> QueryFolder:
    """Return a folder of query files `NAME.cep` for a stream whose queries come and go.

    The folder must be one that the driver of Spark can read, also after a restart.
    """
    return QueryFolder(str(Path(fspath(path)).absolute()))


def _program(name: str, text: str, schema: EventSchema) -> Program:
    return query(text, name=name).program(RunOptions(), schema)


def _policy(name: str) -> Policy:
    from cepheid.engine.shared.policy import Policy

    if name not in tuple(Policy):
        raise ConfigError(
            f"there is no way of sharing called {name!r}",
            hint=suggest(str(name), tuple(Policy), owner="sharing"),
        )
    return Policy(name)


def _named(given: Query | str, name: str, *, replaces: bool = False) -> Query:
    """Return a query that has a name: this one if it has none, or if it `replaces` its own."""
    if not isinstance(name, str):
        raise ConfigError(
            f"the name of a query is {name!r}, of type {type(name).__name__}",
            hint="names are texts",
        )
    if isinstance(given, str):
        return query(given, name=name)
    if not isinstance(given, Query):
        raise ConfigError(
            f"a query of a workload is {given!r}, of type {type(given).__name__}",
            hint="give its text, or query(text)",
        )
    return given if given.is_named and not replaces else given.called(name)
