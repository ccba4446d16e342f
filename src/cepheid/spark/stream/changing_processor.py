"""The stateful operator of queries that come and go while the stream runs.

Every bucket is told of a change in the same micro-batch, and keeps the list of queries as state.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from cepheid.engine.shared.policy import Policy, Sharing
from cepheid.errors import CepheidError, ConfigError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.spark.shuffle.packed_events import EVENTS, from_packets, to_packet
from cepheid.spark.stream.bucket_processor import BucketJob, BucketProcessor
from cepheid.spark.stream.finish_packets import FAILED, QueryForm
from cepheid.spark.stream.pack_events import IDENTITY
from cepheid.spark.stream.step_reports import CHANGE, QUERY, RESULT
from cepheid.stream.stream_bundle import StreamBundle, StreamedQuery, stream_bundle
from cepheid.stream.stream_step import Step

CHANGED = "changed"
FIRST = 0  # the bucket that tells of changes
Listed = dict[str, dict[str, Any]]
Compile = Callable[[str, str], Program]


@dataclass(frozen=True, slots=True)
class QueryCompiler:
    """Makes programs of texts; events of the same `keys` are in the same bucket."""

    compile: Compile
    events: pa.Schema
    keys: tuple[str, ...]

    def query(self, name: str, text: str, since: int | None) -> StreamedQuery:
        """Return a query.

        Raises:
            CepheidError: it is no query for these events, or cannot be run with others.
        """
        from cepheid.program.shuffle_keys import shuffle_keys
        from cepheid.spark.stream.run_stream import as_streamed
        from cepheid.stream.step_rules import keeps_apart
        from cepheid.stream.stream_bundle import reject_unbounded

        program = as_streamed(name, self.compile(name, text)).program
        reject_unbounded(program)
        if keeps_apart(program):
            raise ConfigError(
                f"'{name}' keeps what happened to every event, so it needs a state of its own",
                hint="queries that come and go have windows of time, and no NON OVERLAPPING",
            )
        if program.copies is not None:
            raise ConfigError(
                f"'{name}' joins events by {', '.join(program.copies.names)}, so that an event "
                "belongs to several partitions, and buckets are by columns of events",
                hint="run it as a stream of its own",
            )
        missing = [each for each in self.keys if each not in shuffle_keys(program)]
        if missing:
            raise ConfigError(
                f"events of one partition of '{name}' are in several buckets: buckets are by "
                f"{', '.join(self.keys)}, which it does not partition by",
                hint=f"write [{', '.join(self.keys)}] into WHERE, or start without keys",
            )
        return StreamedQuery(name, program, self._is_partial(program), since)

    def form(self, name: str, text: str | None) -> QueryForm:
        """Return what the packets of a query are."""
        from cepheid.engine.results import result_schema
        from cepheid.program.compute_columns import computed_schema

        program = self.query(name, text or "", None).program
        events = computed_schema(self.events, program.computed)
        columns = result_schema(program, events).names
        return QueryForm(program, events, self._is_partial(program), tuple(columns))

    def _is_partial(self, program: Program) -> bool:
        output = program.output
        if not isinstance(output, AggregateOutput):
            return False
        return not set(self.keys) <= {column for column, _ in output.groups}


@dataclass(frozen=True, slots=True)
class ChangingJob(BucketJob):
    """`delay` is how many milliseconds the watermark stays behind the latest event."""

    compiler: QueryCompiler | None = None
    policy: Policy = Policy.DYNAMIC
    delay: int = 0


class ChangingProcessor(BucketProcessor):
    """Takes changes before the events of their micro-batch."""

    job: ChangingJob
    isolates = True

    def __init__(self, job: ChangingJob) -> None:
        self.job = job
        self.sharing = Sharing(job.policy)
        self.known: tuple[str, StreamBundle] = ("", StreamBundle(()))
        self.texts: dict[str, str] = {}
        self.changes: list[dict[str, Any]] = []

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        super().init(handle)
        self.listed = handle.getValueState("queries", "listed string")

    def handleInputRows(
        self, key: Any, rows: Iterator[Any], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """Take the changes, and then the events of a bucket."""
        packets, changed = [], []
        for frame in rows:
            packets += [each for each in frame[EVENTS] if each is not None]
            changed += [json.loads(each) for each in frame[CHANGED] if each is not None]
        if key[0] == IDENTITY:
            self.store.check()
            return iter(())
        if changed:
            self._change(changed, timerValues.getCurrentWatermarkInMs())
        arrived = from_packets(packets) if packets else None
        return self._advance(key, arrived, timerValues, fired=None)

    def bundle(self) -> StreamBundle:
        """Return the queries of the bucket that Spark has chosen."""
        text, listed = self._load()
        if self.known[0] != text:
            compiler = self._compiler
            queries = [compiler.query(n, e["text"], e["since"]) for n, e in listed.items()]
            columns = compiler.events.names
            self.known = text, stream_bundle(queries, self.sharing, columns)
            self.texts = {name: each["text"] for name, each in listed.items()}
        return self.known[1]

    def text_of(self, name: str) -> str | None:
        """Return the text of a query."""
        return self.texts[name]

    def told(self, bucket: int, done: Step) -> Iterator[dict[str, Any]]:
        """Yield changes, failures and results."""
        changes, self.changes = self.changes, []
        yield from changes if bucket == FIRST else ()
        for name, message in done.failed.items():  # of any bucket: all of them have its groups
            yield _told(name, FAILED, message=message)
        yield from super().told(bucket, done)

    @property
    def _compiler(self) -> QueryCompiler:
        assert self.job.compiler is not None
        return self.job.compiler

    def _load(self) -> tuple[str, Listed]:
        stored = self.listed.get() if self.listed.exists() else None
        text = "{}" if stored is None else stored[0]
        return text, json.loads(text)

    def _change(self, changed: list[Mapping[str, Any]], watermark: int) -> None:
        """Change the list of queries, and remember what to tell of it.

        No event that came before is later than the watermark and its delay: what a new query takes
        begins after that, and so it sees all of it.
        """
        _, listed = self._load()
        since = None
        if watermark > 0:
            since = self.job.clock.horizon(watermark + self.job.delay + 1)
        at = watermark if watermark > 0 else None
        for each in sorted(changed, key=lambda one: str(one["name"])):
            name, text, problem = each["name"], each.get("text"), each.get("problem")
            if text is None and problem is None:
                if listed.pop(name, None) is not None:
                    self._tell(name, "removed", watermark=at)
                continue
            if text is not None:
                try:
                    self._compiler.query(name, text, since)
                except CepheidError as error:
                    problem = str(error)
            if problem is not None:
                self._tell(name, "refused", watermark=at, message=problem)
                continue
            kind = "replaced" if name in listed else "added"
            listed[name] = {"text": text, "since": since}
            self._tell(name, kind, watermark=at, since=since)
        self.listed.update((json.dumps(listed, sort_keys=True),))

    def _tell(self, name: str, change: str, **why: Any) -> None:
        self.changes.append(_told(name, change, **why))


def _told(name: str, change: str, **why: Any) -> dict[str, Any]:
    packet = to_packet(pa.table({"why": [json.dumps(why, ensure_ascii=False)]}))
    return {QUERY: name, CHANGE: change, RESULT: packet}
