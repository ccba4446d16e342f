"""What a pipeline file may say: one class for each group of keys.

`docs/reference/pipeline.schema.json` is made from these classes (`json_schema.py`), and
`docs/reference/pipeline.md` explains every key.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from cepheid.pipeline.values import (
    Address,
    Columns,
    Count,
    Duration,
    Name,
    Secret,
    Setting,
    Settings,
    Size,
    Text,
    Texts,
    Trigger,
    Watermark,
)
from cepheid.plan.run_options import MOST_MATCHES

Format = Literal["parquet", "json", "csv"]
TOGETHER = "workload"  # the stream of all queries, and its folder of the checkpoint


class Part(BaseModel):
    """Keys with their values; unknown keys are mistakes, and nothing is converted silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _exactly_one(schema: dict[str, Any]) -> None:
    schema["minProperties"] = schema["maxProperties"] = 1


class Alternatives(Part):
    """A group of which exactly one key is given."""

    model_config = ConfigDict(json_schema_extra=_exactly_one)

    @model_validator(mode="after")
    def _has_one(self) -> Alternatives:
        if len(self.model_fields_set) != 1:
            names = ", ".join(type(self).model_fields)
            given = " and ".join(sorted(self.model_fields_set)) or "none"
            raise PydanticCustomError(
                "several-kinds",
                "exactly one of {names} is needed, not {given}",
                {"names": names, "given": given, "hint": "give one of them"},
            )
        return self

    @property
    def kind(self) -> str:
        """The key that is given."""
        return next(iter(self.model_fields_set))

    @property
    def chosen(self) -> Any:
        """The value of the key that is given."""
        return getattr(self, self.kind)


# --- sources ------------------------------------------------------------------------------------


class FileSource(Part):
    """New files in a folder."""

    format: Format = Field(description="The format of the files.")
    path: Text = Field(description="The folder, or a pattern such as data/*.csv.")
    columns: Columns = Field(
        alias="schema", description="The columns: name TYPE, name TYPE, … with Spark's types."
    )
    max_files_per_trigger: Count | None = Field(
        None, description="How many files a micro-batch takes at most."
    )
    header: bool = Field(True, description="CSV: whether the first line holds the names.")
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = Field(
        ",", description="CSV: what stands between values."
    )
    malformed: Literal["fail", "drop"] = Field(
        "fail", description="What happens to lines of CSV and JSON that do not fit the schema."
    )


class TableSource(Part):
    """A table of Spark's catalogue that can be read as a stream."""

    name: Text = Field(description="The name of the table.")
    columns: Columns | None = Field(
        None, alias="schema", description="The columns, so that --dry-run can check the queries."
    )


class KafkaSource(Part):
    """Topics of Kafka whose values are JSON objects."""

    servers: Text = Field(description="The bootstrap servers: host:port, host:port.")
    topics: Texts = Field(description="The topic, or a list of topics.")
    columns: Columns = Field(alias="schema", description="The keys of the JSON objects with types.")
    starting_offsets: Literal["earliest", "latest"] = Field(
        "earliest", description="Where to begin when there is no checkpoint yet."
    )
    max_offsets_per_trigger: Count | None = Field(
        None, description="How many messages a micro-batch takes at most."
    )
    malformed: Literal["fail", "drop"] = Field(
        "fail", description="What happens to messages that are not such JSON objects."
    )
    options: Settings = Field(
        default_factory=dict, description="Further options of Spark's Kafka source."
    )


class Source(Alternatives):
    """Where events come from: exactly one of the keys."""

    files: FileSource | None = None
    table: TableSource | None = None
    kafka: KafkaSource | None = None


# --- events and queries -------------------------------------------------------------------------


class Events(Part):
    """What the columns of the events mean."""

    time: Text = Field(description="The column with the time: a timestamp, a date or an integer.")
    type: Text | None = Field(None, description="The column with the event type.")
    types: Annotated[dict[Text, Text], Field(min_length=1)] | None = Field(
        None,
        description="Instead of type: a condition in Spark SQL for each event type. The first that "
        "is true counts; events without one are left out.",
    )
    order: Texts | None = Field(None, description="Columns that break ties between equal times.")
    time_unit: Literal["s", "ms", "us", "ns"] = Field(
        "s", description="The unit of a time column of numbers."
    )
    ordered: bool = Field(
        False, description="Whether events arrive in order, so that they need not be held back."
    )


class QueryText(Part):
    """A query, from its text or from a file."""

    text: Text | None = Field(None, description="The text of the query.")
    file: Text | None = Field(None, description="The file with the query (.cep).")
    parameters: dict[Text, Setting] = Field(
        default_factory=dict, description="Values for :name in the query."
    )

    @model_validator(mode="after")
    def _has_one(self) -> QueryText:
        if (self.text is None) == (self.file is None):
            raise PydanticCustomError(
                "several-kinds",
                "a query has either text or file",
                {"hint": "keep exactly one of them"},
            )
        return self


def _short_query(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    is_file = value.endswith(".cep") and "\n" not in value
    return {"file" if is_file else "text": value}


ShortQuery = Annotated[
    QueryText, BeforeValidator(_short_query, json_schema_input_type=str | QueryText)
]


# --- sinks --------------------------------------------------------------------------------------


class FileSink(Part):
    """Files that Spark adds to, each micro-batch as a whole or not at all."""

    format: Format = Field(description="The format of the files.")
    path: Text = Field(description="The folder.")
    header: bool = Field(True, description="CSV: whether the first line of a file has the names.")


class TableSink(Part):
    """A table of Spark's catalogue; it is made if it does not exist."""

    name: Text = Field(description="The name of the table.")


class KafkaSink(Part):
    """A topic of Kafka; values are JSON, and the same result always has the same key."""

    servers: Text = Field(description="The bootstrap servers: host:port, host:port.")
    topic: Text = Field(description="The topic.")
    options: Settings = Field(
        default_factory=dict, description="Further options of Spark's Kafka sink."
    )


class ConsoleSink(Part):
    """Standard output."""

    format: Literal["table", "json"] = Field("table", description="A table, or lines of JSON.")
    limit: Annotated[int, Field(ge=0)] = Field(
        20, description="Rows shown of a micro-batch; 0 for all."
    )


class PostgresqlSink(Part):
    """A table of PostgreSQL; a micro-batch that is repeated changes nothing."""

    url: Address = Field(description="The address: jdbc:postgresql://host:port/database.")
    table: Text = Field(description="The table; it is made if it does not exist.")
    user: Text | None = Field(None, description="The user.")
    password: Secret | None = Field(None, description="The password, as ${NAME}.")


def _empty(value: Any) -> Any:
    return {} if value is None else value


class Sink(Alternatives):
    """Where results go: exactly one of the keys."""

    files: FileSink | None = None
    table: TableSink | None = None
    kafka: KafkaSink | None = None
    console: Annotated[
        ConsoleSink | None, BeforeValidator(_empty, json_schema_input_type=ConsoleSink | None)
    ] = None
    postgresql: PostgresqlSink | None = None


def _drop(value: Any) -> Any:
    return None if value == "drop" else value


LateSink = Annotated[
    Sink | None, BeforeValidator(_drop, json_schema_input_type=Literal["drop"] | Sink)
]


# --- the rest -----------------------------------------------------------------------------------


class State(Part):
    """The state that queries keep between micro-batches."""

    buckets: Count | None = Field(
        None, description="How many parts the state has; it cannot change with a checkpoint."
    )
    limit: Size | None = Field(
        None, description="How large a part may grow before the query fails, such as 256 MB."
    )


class Metrics(Alternatives):
    """Where metrics go, as Prometheus text."""

    file: Text | None = Field(None, description="A file, replaced after each micro-batch.")
    port: Annotated[int, Field(ge=0, le=65535)] | None = Field(
        None, description="A port of 127.0.0.1 that answers GET /metrics; 0 for a free one."
    )


NO_OTHER_NAMES: dict[str, JsonValue] = {"additionalProperties": False}


class Pipeline(Part):
    """A pipeline of `cepheid pipeline`."""

    source: Source = Field(description="Where events come from.")
    events: Events = Field(description="What the columns of the events mean.")
    watermark: Watermark | None = Field(
        None,
        description="How late events may come, such as 10 minutes; a whole number in the unit of "
        "a time column of numbers.",
    )
    idle: Duration | None = Field(
        None,
        description="How long the source may be silent before time goes on without it, such as "
        "1 minute; needs watermark.",
    )
    queries: Annotated[dict[Name, ShortQuery], Field(min_length=1)] = Field(
        description="The queries by name: the text, a file that ends in .cep, or text or file "
        "with parameters.",
        json_schema_extra=NO_OTHER_NAMES,
    )
    sinks: dict[Name, Sink] = Field(
        description="Where the results of each query go.", json_schema_extra=NO_OTHER_NAMES
    )
    together: bool = Field(
        False,
        description="Whether all queries are one stream, in one pass over the events, instead of "
        "one stream each.",
    )
    late: LateSink = Field(None, description="What happens to late events: drop, or a sink.")
    ahead: Duration | None = Field(
        None,
        description="How far ahead of the clock an event may be, such as 1 day; what is further "
        "ahead is set aside like a late event.",
    )
    bad: Literal["error", "drop", "deliver"] = Field(
        "error",
        description="What happens to events without time or order key: error, drop, or deliver to "
        "the sink of late events.",
    )
    checkpoint: Text = Field(description="The folder that remembers how far the pipeline has come.")
    trigger: Trigger | None = Field(
        None,
        description="When a micro-batch starts: 'available now' (all that is there, then end) or "
        "'every 10 seconds'. Default: when the one before is done.",
    )
    finish: bool = Field(
        False,
        description="Whether the input is complete: what waits for later events is final when all "
        "are read, and the checkpoint is finished; needs trigger: available now.",
    )
    max_matches: Count = Field(
        MOST_MATCHES,
        description="How many matches a query may list in one bucket and micro-batch before it "
        "fails.",
    )
    state: State = Field(State(buckets=None, limit=None), description="Settings of the state.")
    spark: Settings = Field(default_factory=dict, description="Settings of the Spark session.")
    metrics: Metrics | None = Field(None, description="Where metrics go.")
