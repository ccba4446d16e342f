"""All queries of a workload as one stream: one pass over the events, one checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.engine.results import result_schema
from cepheid.errors import ConfigError, suggest
from cepheid.spark.frames.query_functions import known
from cepheid.spark.frames.spark_schema import spark_schema
from cepheid.spark.stream.finish_packets import (
    PACKETS,
    ROWS,
    FormOf,
    QueryForm,
    to_json_rows,
    to_result_packets,
    unpacked_frame,
)
from cepheid.spark.stream.step_reports import QUERY, RESULT, TAGGED, tagged_columns
from cepheid.spark.stream.stream_results import WriteBatch


@dataclass(frozen=True, slots=True)
class WorkloadStream:
    """The results of all queries of a workload on a stream, in one streaming DataFrame.

    `rows` has the name of a query and a row of its result as JSON. To write results as they are,
    each to a place of its own and all from one stream, start `packets` with `each_batch`:

        found.packets.writeStream.foreachBatch(found.each_batch({"q1": write})).start()

    Each of both is a stream with a checkpoint of its own if both are started.
    """

    tagged: DataFrame
    forms: Mapping[str, QueryForm]

    @property
    def rows(self) -> DataFrame:
        """The results as rows of query, result: a JSON object each."""
        return as_rows(self._gathered, partial(_form_of, self.forms)).select(QUERY, RESULT)

    @property
    def packets(self) -> DataFrame:
        """The results as packets, for `each_batch`: rows of query, result."""
        finish = to_result_packets(partial(_form_of, self.forms))
        return self._gathered.mapInArrow(finish, spark_schema(PACKETS))

    def unpack(self, name: str, batch: DataFrame) -> DataFrame:
        """Return the result of one query in a micro-batch of `packets`."""
        form = self._form(name)
        schema = result_schema(form.program, form.events)
        shown = pa.schema([schema.field(each) for each in form.columns])
        return unpacked_frame(batch.filter(F.col(QUERY) == name).select(RESULT), shown)

    def each_batch(self, writers: Mapping[str, WriteBatch]) -> WriteBatch:
        """Return a function for `foreachBatch` that hands results to the writers of their queries.

        A writer is called in micro-batches with results of its query: with these, and the number of
        the micro-batch. A micro-batch may be repeated after a failure, with the same results.
        """
        for name in writers:
            self._form(name)
        unpack = self.unpack

        def write(batch: DataFrame, number: int) -> None:
            kept = batch.persist()
            try:  # reading all names computes everything, also what nobody wants: state is written
                found = {row[0] for row in kept.select(QUERY).distinct().collect()}
                for name, each in writers.items():
                    if name in found:
                        each(unpack(name, kept), number)
            finally:
                kept.unpersist()

        return write

    def _form(self, name: str) -> QueryForm:
        if name not in self.forms:
            hint = suggest(name, self.forms, owner="the workload")
            raise ConfigError(f"the workload has no query '{name}'", hint=hint)
        return self.forms[name]

    @property
    def _gathered(self) -> DataFrame:
        is_partial = any(each.partially for each in self.forms.values())
        gathered = self.tagged.repartition(QUERY) if is_partial else self.tagged
        return known(gathered.select(*TAGGED), tagged_columns())


def _form_of(forms: Mapping[str, QueryForm], name: str, text: str | None) -> QueryForm:
    return forms[name]


def as_rows(gathered: DataFrame, form_of: FormOf, *, isolates: bool = False) -> DataFrame:
    """Return the results of all queries, and changes of the set of queries, as JSON."""
    finish = to_json_rows(form_of, isolates=isolates)
    tags = known(gathered.select(*TAGGED), tagged_columns())
    return tags.mapInArrow(finish, spark_schema(ROWS))
