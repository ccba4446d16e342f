"""Levels of a funnel, from the runs that Spark found for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import reduce
from itertools import pairwise

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.spark.frames.column_named import column_named

RUN, LEVEL = "run", "level"


def level_frame(runs: Sequence[DataFrame], keys: Sequence[str], times: Sequence[str]) -> DataFrame:
    """Return a row for every key: its level, and the times of its steps.

    `runs` has a DataFrame for every level, with a row for each of the runs that got so far.
    """
    key_columns = [column_named(each) for each in keys]
    kind = runs[-1].schema[times[-1]].dataType
    parts = []
    for level, frame in enumerate(runs, 1):
        first = [times[level - 1], *times[:level]]  # what does not overlap has its times in order
        run = F.struct(*(F.col(each).alias(f"part_{at}") for at, each in enumerate(first)))
        parts.append(
            frame.groupBy(*key_columns)
            .agg(F.min(run).alias(RUN))
            .select(
                *key_columns,
                F.lit(level).alias(LEVEL),
                *(
                    (
                        F.col(f"{RUN}.part_{place}") if place <= level else F.lit(None).cast(kind)
                    ).alias(each)
                    for place, each in enumerate(times, 1)
                ),
            )
        )
    united = reduce(DataFrame.union, parts)
    deepest = F.max_by(F.struct(LEVEL, *times), F.col(LEVEL)).alias(RUN)
    found = united.groupBy(*key_columns).agg(deepest)
    return found.select(*key_columns, *(F.col(f"{RUN}.{each}") for each in (LEVEL, *times)))


def reached_rows(
    levels: DataFrame, times: Sequence[str], ticks_per_second: float
) -> list[tuple[int, float | None]]:
    """Return for every step how many keys reached it, and the median seconds after the one before.

    `ticks_per_second` is of a time column of numbers; it is one job.
    """
    asked = [F.count(each).alias(f"keys_{place}") for place, each in enumerate(times)]
    asked += [
        F.median(F.col(after) - F.col(before)).alias(f"passed_{place}")
        for place, (before, after) in enumerate(pairwise(times), 1)
    ]
    row = levels.agg(*asked).first()
    assert row is not None
    found = [row[f"passed_{place}"] for place in range(1, len(times))]
    seconds = [
        each.total_seconds()
        if isinstance(each, timedelta)
        else each and float(each) / ticks_per_second
        for each in found
    ]
    keys = [row[f"keys_{place}"] for place in range(len(times))]
    return list(zip(keys, [None, *seconds], strict=True))
