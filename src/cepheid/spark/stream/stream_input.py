"""The events of a stream: a DataFrame with a watermark, and what its columns are for."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from cepheid.engine.events.event_schema import ColumnRoles, event_schema, ticks_per_second
from cepheid.errors import ConfigError
from cepheid.plan.stream_options import Streaming
from cepheid.spark.batch.run_batch import arrow_schema_of
from cepheid.spark.frames.query_functions import require_setting
from cepheid.spark.stream.event_clock import EventClock
from cepheid.spark.stream.event_time import with_watermark

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


@dataclass(frozen=True, slots=True)
class StreamInput:
    """Events with a watermark; `schema` is how workers see them.

    Results of other queries among them may come `behind` ticks after their own time. Operators are
    counted by the name of their query, and by that of the stream if it has one.
    """

    frame: DataFrame
    schema: pa.Schema
    roles: ColumnRoles
    options: Streaming
    reads_results: bool = False
    behind: int = 0
    name: str | None = None

    @property
    def clock(self) -> EventClock:
        """The clock of the time column."""
        time = self.schema.field(self.roles.time).type
        return EventClock(ticks_per_second(time, self.roles))

    def roles_in_words(self) -> dict[str, str]:
        """Return what the columns of events are for, part by part."""
        roles = self.roles
        return {
            "time": roles.time,
            "type": str(roles.type),
            "order": ", ".join(roles.order) or "none",
            "time_unit": roles.time_unit,
            "schemas": json.dumps(roles.schemas, default=list, sort_keys=True),
        }


def stream_input(frame: DataFrame, roles: ColumnRoles, options: Streaming) -> StreamInput:
    """Check what the stream needs, and give it a watermark."""
    _require_rocks(frame.sparkSession)
    schema = arrow_schema_of(frame)
    event_schema(schema, roles)  # a missing column is told before a missing watermark
    return StreamInput(with_watermark(frame, roles, options), schema, roles, options)


def _require_rocks(session: SparkSession) -> None:
    """Choose the state store that Spark wants for such operators, unless another one is chosen."""
    chosen = session.conf.get(PROVIDER, None)
    if chosen is None or chosen.endswith("HDFSBackedStateStoreProvider"):
        require_setting(session, PROVIDER, ROCKS)
    elif "RocksDB" not in chosen:
        raise ConfigError(
            f"{PROVIDER} is {chosen}, but the state of a stream needs RocksDB",
            hint=f"set it to {ROCKS}",
        )
