"""The watermark of a stream: the one it has, or one made from the time column."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    DataType,
    DateType,
    DecimalType,
    FractionalType,
    NumericType,
    TimestampNTZType,
    TimestampType,
)

from cepheid.engine.events.event_schema import ColumnRoles, units_per_second
from cepheid.errors import ConfigError, DataError
from cepheid.plan.stream_options import Streaming
from cepheid.program.numeric_times import FAR_LIMIT, FLOAT_DIGITS, TICK_DIGITS
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.query_functions import is_in_query_function, known, plan_has_watermark
from cepheid.spark.push_down.after_watermark import after_watermark

WATERMARK = "spark.watermarkDelayMs"  # metadata of a column that has one
SECONDS_PER_DAY = 86_400
EVENT_TIME, IS_BEAT = "__cepheid_event_time", "__cepheid_is_beat"


def with_watermark(frame: DataFrame, roles: ColumnRoles, options: Streaming) -> DataFrame:
    """Return the stream with a watermark, whose hidden column may be dropped.

    Raises:
        DataError: there is neither a watermark nor a way to make one.
    """
    has_own = has_watermark(frame, roles.time)
    if has_own and options.ahead is not None:
        raise ConfigError(
            f"ahead is given, but column '{roles.time}' has a watermark already, which events that "
            "are too far ahead have moved before Cepheid sees them",
            hint="give the delay as watermark='10 minutes' instead of calling withWatermark",
        )
    if has_own and options.watermark is not None:
        raise ConfigError(
            f"column '{roles.time}' has a watermark already",
            hint="leave watermark= out, or do not call withWatermark",
        )
    if has_own:
        return frame
    if options.watermark is None and not options.ordered:
        raise DataError(
            f"the stream has no watermark on column '{roles.time}', so that no result is ever "
            "final",
            hint=_what_to_write(frame, roles),
        )
    kind = frame.schema[roles.time].dataType
    time = _as_timestamp(kind, roles)
    if options.ahead is not None:
        # In a stream Spark's clock stands still for a micro-batch, also if that is repeated. An
        # event of 1970 moves no watermark.
        limit = F.current_timestamp() + F.expr(f"INTERVAL '{options.ahead_ms}' MILLISECOND")
        time = F.when(time >= limit, F.timestamp_seconds(F.lit(0))).otherwise(time)
    timed = frame.withColumn(EVENT_TIME, time)
    if options.idle is not None:
        timed = _with_beats(timed, options.idle)
    timed = timed.withWatermark(EVENT_TIME, _delay(kind, roles, options.watermark))
    if options.idle is not None:
        timed = timed.filter(after_watermark(column_named(IS_BEAT).isNull()))
    return known(timed.select(*map(column_named, frame.columns)), frame.schema)


def watermark_delay(frame: DataFrame, roles: ColumnRoles, options: Streaming) -> int:
    """Return how many milliseconds the watermark stays behind the latest event."""
    column = roles.time
    if not has_watermark(frame, column):
        kind = frame.schema[roles.time].dataType
        timed = frame.select(_as_timestamp(kind, roles).alias(EVENT_TIME))
        frame = timed.withWatermark(EVENT_TIME, _delay(kind, roles, options.watermark))
        column = EVENT_TIME
    return int(frame.schema[column].metadata[WATERMARK])


def has_watermark(frame: DataFrame, column: str) -> bool:
    """Whether somebody has called withWatermark for the column."""
    if is_in_query_function(frame.sparkSession):
        return plan_has_watermark(frame, column)
    return WATERMARK in frame.schema[column].metadata


def _what_to_write(frame: DataFrame, roles: ColumnRoles) -> str:
    kind = frame.schema[roles.time].dataType
    delay = "600" if _is_number(kind) else "'10 minutes'"
    first = f"say how late events may come, watermark={delay}"
    if isinstance(kind, TimestampType):
        first += f' or stream.withWatermark("{roles.time}", "10 minutes")'
    return f"{first}, or ordered=True if events arrive in the order of time"


def _is_number(kind: DataType) -> bool:
    return isinstance(kind, NumericType)


def _as_timestamp(kind: DataType, roles: ColumnRoles) -> Column:
    """Return the time as a timestamp in UTC, whatever the session's zone is."""
    time = column_named(roles.time)
    if isinstance(kind, TimestampType):
        return time
    if isinstance(kind, TimestampNTZType):
        # Field by field: differences go through the session's zone, which skips an hour a year.
        minutes = F.unix_date(time.cast("date")).cast("long") * 1440
        minutes = minutes + F.hour(time) * 60 + F.minute(time)
        micros = (F.extract(F.lit("SECOND"), time) * 1_000_000).cast("long")
        return F.timestamp_micros(minutes * 60_000_000 + micros)
    if isinstance(kind, DateType):
        return F.timestamp_seconds(F.unix_date(time).cast("long") * SECONDS_PER_DAY)
    per_second = units_per_second(roles)
    if isinstance(kind, FractionalType):
        return _of_fraction(time, kind, Fraction(1_000_000) / per_second)
    if per_second <= 1:
        return F.timestamp_seconds(time * F.lit(int(1 / per_second)))
    if per_second == 1_000:
        return F.timestamp_millis(time)
    # Floors, also below zero.
    return F.timestamp_micros(
        time if per_second == 1_000_000 else F.floor(time / F.lit(1000).cast("decimal(4,0)"))
    )


def _of_fraction(time: Column, kind: DataType, micros: Fraction) -> Column:
    """Return the timestamp of a decimal or a float of so many microseconds, rounded down.

    Through text a float is the decimal that is written for it. What is no time moves no watermark;
    the worker reports it.
    """
    digits = kind.scale if isinstance(kind, DecimalType) else FLOAT_DIGITS
    if not isinstance(kind, DecimalType):
        time = F.when(F.abs(time) < F.lit(FAR_LIMIT), time.cast("string"))
    exact = time.cast(f"decimal({TICK_DIGITS}, {digits})")
    whole = F.floor(exact * F.lit(Decimal(micros.numerator))).cast("long")
    if micros.denominator == 1:
        return F.timestamp_micros(whole)
    divisor = F.lit(micros.denominator).cast("decimal(4,0)")
    return F.timestamp_micros(F.floor(whole / divisor).cast("long"))


def _delay(kind: DataType, roles: ColumnRoles, watermark: str | int | None) -> str:
    if watermark is None:
        return "0 seconds"
    if isinstance(watermark, str):
        return watermark
    if not _is_number(kind):
        raise ConfigError(
            f"watermark={watermark} has no unit, and the time column '{roles.time}' is a "
            f"{kind.typeName()}",
            hint=f"write the unit: watermark='{watermark} seconds'",
        )
    if watermark < 0:
        raise ConfigError(f"watermark is {watermark}, but must not be negative")
    return f"{-(-watermark * 1000 // units_per_second(roles))} milliseconds"


def _with_beats(timed: DataFrame, idle: str) -> DataFrame:
    """Add a row per second whose time is that of the clock, less what a source may be idle."""
    session: Any = timed.sparkSession
    beats = (
        session.readStream.format("rate")
        .option("rowsPerSecond", 1)
        .option("numPartitions", 1)  # by which metrics know them: see HEARTBEATS
        .load()
        .select(
            (F.col("timestamp") - F.lit(idle).cast("interval")).alias(EVENT_TIME),
            F.lit(True).alias(IS_BEAT),
        )
    )
    return timed.unionByName(beats, allowMissingColumns=True)
