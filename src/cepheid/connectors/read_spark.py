"""Files of events into Spark DataFrames, with the types that `read_local` gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cepheid.connectors.collect_spark import spark_errors
from cepheid.connectors.event_files import (
    FileFormat,
    folder_values,
    is_remote,
    list_files,
    single_format,
)
from cepheid.connectors.read_local import first_values, read_arrow_schema
from cepheid.connectors.spark_session import NANOS_AS_LONG
from cepheid.errors import DataError

# With these, texts with a zone are instants and others are not; `12:00` is no time at all.
CLOCK_TEXT = "HH:mm[:ss][.SSSSSSSSS]"
TIME_FORMATS = {
    "timestampNTZFormat": f"yyyy-MM-dd[['T'][' ']{CLOCK_TEXT}]",
    "timestampFormat": f"yyyy-MM-dd['T'][' ']{CLOCK_TEXT}[XXX][XX]",
}
DELIMITERS = {FileFormat.CSV: ",", FileFormat.TSV: "\t"}


def read_spark(session: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Return the events of files and directories as one DataFrame; missing columns are NULL.

    The session is one of `spark_session`, where a time without a zone is a TIMESTAMP_NTZ.

    Raises:
        ConfigError: a path does not exist or its format is not known.
        DataError: a file cannot be read.
    """
    files = list_files(paths)
    file_format = single_format(files)
    with spark_errors():
        if file_format is FileFormat.PARQUET:
            return _read_parquet(session, files)
        if file_format is FileFormat.JSON:
            return _read_json(session, files)
        groups = _by_header(files).values()
        frames = [_read_csv(session, each, DELIMITERS[file_format]) for each in groups]
        return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)


def fit_empty(frames: Mapping[str, DataFrame], time: str, type: str | None) -> dict[str, DataFrame]:
    """Return frames whose columns of type NULL have the type of another frame, or of their role.

    Text files without events have such columns. Every query accepts an integer time.
    """
    known: dict[str, T.DataType] = {} if type is None else {type: T.StringType()}
    known[time] = T.LongType()
    for frame in frames.values():
        typed = [each for each in frame.schema if not isinstance(each.dataType, T.NullType)]
        known |= {each.name: each.dataType for each in typed}
    fitted = {}
    for name, frame in frames.items():
        empty = [each.name for each in frame.schema if isinstance(each.dataType, T.NullType)]
        columns = {each: F.lit(None).cast(known[each]) for each in empty if each in known}
        fitted[name] = frame.withColumns(columns) if columns else frame
    return fitted


def _read_parquet(session: SparkSession, files: Sequence[str]) -> DataFrame:
    """Spark has no nanoseconds: it reads them as numbers, which become microseconds here."""
    fine = _nanosecond_columns(files)
    if fine:
        session.conf.set(NANOS_AS_LONG, "true")
    reader = session.read.options(mergeSchema="true", **base_path(files))
    frame = reader.parquet(*files)
    numbers = {name for name, kind in frame.dtypes if kind == "bigint"}
    return frame.withColumns(
        {name: _from_nanoseconds(name, zone) for name, zone in fine.items() if name in numbers}
    )


def base_path(files: Sequence[str]) -> dict[str, str]:
    """Return where folders called name=value begin, if there are any: Spark makes columns of them.

    >>> base_path(["events/day=1/a.parquet", "events/day=2/b.parquet"])
    {'basePath': 'events'}
    """
    for file in files:
        depth = 0 if is_remote(file) else len(folder_values(file))
        if depth:
            return {"basePath": str(Path(file).parents[depth])}
    return {}


def _nanosecond_columns(files: Sequence[str]) -> dict[str, str | None]:
    """Return the columns of nanoseconds, with their zone; files elsewhere are not looked at."""
    found: dict[str, str | None] = {}
    for file in files:
        if not is_remote(file):
            schema = read_arrow_schema(file)
            times = [each for each in schema if pa.types.is_timestamp(each.type)]
            found |= {each.name: each.type.tz for each in times if each.type.unit == "ns"}
    return found


def _from_nanoseconds(name: str, zone: str | None) -> Column:
    quoted = name.replace("`", "``")
    column = F.col(f"`{quoted}`")
    micros = F.floor(column / F.lit(1000).cast("decimal(4,0)")).cast("bigint")
    moment = F.timestamp_micros(micros)
    if zone is None:
        seconds = micros.cast("decimal(20,0)") / F.lit(1_000_000).cast("decimal(7,0)")
        begin = F.lit("1970-01-01").cast("timestamp_ntz")
        moment = begin + F.make_dt_interval(F.lit(0), F.lit(0), F.lit(0), seconds)
    finer = (
        f"column '{name}' has times finer than microseconds, which Spark does not have; round it, "
        "or use the local engine"
    )
    return F.when(column % 1000 == 0, moment).when(column.isNotNull(), F.raise_error(finer))


def _by_header(files: Sequence[str]) -> dict[str, list[str]]:
    """Spark takes the header of the first file for all; files with other columns go apart."""
    groups: dict[str, list[str]] = {}
    for file in files:
        groups.setdefault("" if is_remote(file) else _header(file), []).append(file)
    return groups


def _header(file: str) -> str:
    if Path(file).stat().st_size == 0:
        raise DataError(
            f"the file '{file}' is empty, so its columns are not known",
            hint="a CSV file needs a header line, a JSON file at least one event",
        )
    with pa.input_stream(file) as stream:
        start: bytes = stream.read(1 << 16)
    return start.partition(b"\n")[0].decode(errors="replace").rstrip("\r")


def _read_csv(session: SparkSession, files: list[str], delimiter: str) -> DataFrame:
    reader = session.read.options(
        header=True, sep=delimiter, enforceSchema=False, mode="FAILFAST", **TIME_FORMATS,
        **base_path(files),
    )  # fmt: skip
    schema = reader.csv(files, inferSchema=True).schema
    frame = reader.schema(_settle_types(schema)).csv(files)
    is_text = all(isinstance(field.dataType, T.StringType) for field in schema)
    return _without_types(frame) if is_text and frame.isEmpty() else frame


def _read_json(session: SparkSession, files: list[str]) -> DataFrame:
    options = {**TIME_FORMATS, **base_path(files)}
    reader = session.read.options(mode="FAILFAST", inferTimestamp=True, **options)
    schema = _settle_types(reader.json(files).schema)
    if not schema.fields:
        raise DataError(
            f"the file '{files[0]}' is empty, so its columns are not known",
            hint="a CSV file needs a header line, a JSON file at least one event",
        )
    # Spark sorts the keys; here they stay in the order of the file, as in `read_local`.
    order = [] if is_remote(files[0]) else list(first_values(files[0]))
    rank = {name: index for index, name in enumerate(order)}
    fields = sorted(schema.fields, key=lambda field: rank.get(field.name, len(rank)))
    return reader.schema(T.StructType(fields)).json(files)


def _settle_types(schema: T.StructType) -> T.StructType:
    return T.StructType([T.StructField(each.name, _settle(each.dataType)) for each in schema])


def _settle(kind: T.DataType) -> T.DataType:
    if isinstance(kind, T.IntegerType):
        return T.LongType()
    return T.DoubleType() if isinstance(kind, T.DecimalType) else kind


def _without_types(frame: DataFrame) -> DataFrame:
    """A file without events fits every query: its columns are NULL, of the type of NULL."""
    return frame.select(*(F.lit(None).alias(name) for name in frame.columns))
