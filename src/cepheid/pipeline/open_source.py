"""The source of a pipeline as a stream of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cepheid.connectors.read_kafka import SERVERS, read_kafka_stream
from cepheid.connectors.read_spark import TIME_FORMATS
from cepheid.connectors.stream_sources import (
    name_types,
    parse_json_values,
    read_file_stream,
    read_table_stream,
)
from cepheid.pipeline.load import CheckedPipeline
from cepheid.pipeline.model import FileSource, KafkaSource

if TYPE_CHECKING:
    from cepheid.connectors.spark_session import SparkRun

MODES = {"fail": "FAILFAST", "drop": "DROPMALFORMED"}


def open_source(spark: SparkRun, pipeline: CheckedPipeline) -> Any:
    """Return the events as a streaming DataFrame, with a type column if types have conditions."""
    settings = pipeline.filled
    source = settings.source
    session = spark.session
    if source.files is not None:
        path = pipeline.places.absolute(source.files.path)
        options = _file_options(source.files)
        files = source.files
        stream = read_file_stream(session, files.format, path, files.columns, options)
    elif source.kafka is not None:
        records = read_kafka_stream(session, _kafka_options(source.kafka))
        drops = source.kafka.malformed == "drop"
        stream = parse_json_values(records, source.kafka.columns, drops_malformed=drops)
    else:
        stream = read_table_stream(session, source.chosen.name)
    types, column = settings.events.types, pipeline.columns.roles.type
    return stream if types is None or column is None else name_types(stream, types, column)


def _file_options(files: FileSource) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if files.max_files_per_trigger is not None:
        options["maxFilesPerTrigger"] = files.max_files_per_trigger
    if files.format in ("csv", "json"):
        options |= {"mode": MODES[files.malformed], **TIME_FORMATS}
    if files.format == "csv":
        # Without the last one, Spark takes columns by their place and not by their name.
        options |= {"header": files.header, "sep": files.delimiter, "enforceSchema": False}
    return options


def _kafka_options(kafka: KafkaSource) -> dict[str, str]:
    options = {
        SERVERS: kafka.servers,
        "subscribe": ",".join(kafka.topics),
        "startingOffsets": kafka.starting_offsets,
    }
    if kafka.max_offsets_per_trigger is not None:
        options["maxOffsetsPerTrigger"] = str(kafka.max_offsets_per_trigger)
    return {**options, **{key: str(value) for key, value in kafka.options.items()}}
