"""What Spark does before Python sees an event: drop it, or keep of it only what breaks trends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    AttributeReference,
    Compare,
    Condition,
    Truth,
)
from cepheid.program.fitting_events import FittingEvents, fitting_events
from cepheid.program.program import Clock, Program, Ranking
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.query_functions import known
from cepheid.spark.push_down.after_watermark import after_watermark
from cepheid.spark.push_down.compare_in_spark import Known, SparkComparisons, all_of, any_of

MOST_COMPARISONS = 200  # beyond that, planning would take longer than a filter saves


def drop_or_bare(program: Program, frame: DataFrame, *, keeps_all_times: bool = False) -> DataFrame:
    """Return the events that Python must see; those that fit no position are dropped or bare.

    `keeps_all_times`: the watermark of the frame must see the others, too.
    """
    return drop_or_bare_for_all((program,), frame, keeps_all_times=keeps_all_times)


def drop_or_bare_for_all(
    programs: Sequence[Program],
    frame: DataFrame,
    *,
    keeps_all_times: bool = False,
    keeps_types: bool = False,
) -> DataFrame:
    """Return the events that one of several programs must see; see `drop_or_bare`.

    `keeps_types`: bare events have types.
    """
    fits = could_fit(programs, frame.schema)
    if not any(each.keeps_all_types for each in programs):
        if fits is True:
            return frame
        condition = F.lit(False) if fits is False else fits
        if keeps_all_times:
            condition = after_watermark(condition)
        return known(frame.filter(condition), frame.schema)
    if fits is True:
        return frame
    columns = {each.type_column for each in programs if each.type_column is not None}
    kept = columns if keeps_types else set()
    return _with_bare_marks(programs, frame, fits, kept)


def could_fit(programs: Sequence[Program], schema: StructType) -> Known:
    """Return a condition that holds for every event that fits a position, and for few others.

    The types are a conjunct of their own, and conditions that all of them share need no type: so a
    data source understands as much of it as possible.
    """
    columns = list(dict.fromkeys(each.type_column for each in programs))
    if len(columns) > 1:  # to some of them types are conditions like others
        apart = [[each for each in programs if each.type_column == one] for one in columns]
        return any_of(could_fit(each, schema) for each in apart)
    types = tuple(sorted({name for each in programs for name in each.types}))
    type_column = programs[0].type_column
    groups = fitting_events(*programs)
    atoms = [atom for each in groups for one in each.conditions for atom in _atoms(one)]
    if len(atoms) > MOST_COMPARISONS:
        groups = (FittingEvents(types, (Truth(True),)),)
    conditions = [_any_group(type_column, groups, SparkComparisons(schema, pushable=True))]
    if any(_compares_columns(each) for each in atoms):
        conditions.append(_any_group(type_column, groups, SparkComparisons(schema, pushable=False)))
    return all_of([_has_type(type_column, types), *conditions])


def _any_group(
    type_column: str | None, groups: Sequence[FittingEvents], comparisons: SparkComparisons
) -> Known:
    known = [any_of(_column(one, comparisons) for one in each.conditions) for each in groups]
    if all(each is True for each in known):
        return True
    if len(groups) == 1:
        return known[0]
    return any_of(
        all_of((_has_type(type_column, each.types), condition))
        for each, condition in zip(groups, known, strict=True)
    )


def _has_type(type_column: str | None, types: Sequence[str]) -> Known:
    return True if type_column is None else column_named(type_column).isin(*types)


def _column(condition: Condition, comparisons: SparkComparisons) -> Known:
    match condition:
        case Truth():
            return condition.value
        case AllOf():
            return all_of(_column(each, comparisons) for each in condition.operands)
        case AnyOf():
            return any_of(_column(each, comparisons) for each in condition.operands)
        case Compare():
            return comparisons.column(condition)
    assert_never(condition)


def _atoms(condition: Condition) -> list[Compare]:
    match condition:
        case AllOf() | AnyOf():
            return [atom for each in condition.operands for atom in _atoms(each)]
        case Compare():
            return [condition]
    return []


def _compares_columns(atom: Compare) -> bool:
    return isinstance(atom.left, AttributeReference) and isinstance(atom.right, AttributeReference)


def _with_bare_marks(
    programs: Sequence[Program], frame: DataFrame, fits: Known, kept: set[str]
) -> DataFrame:
    """Blank what a break mark does not need; comparisons with NULL hold no more than before.

    The order key and the partition stay. Under strict contiguity the partition of a mark does not
    matter, only whether it has one, which is counted: texts become empty. Numbers would take the
    same room.
    """
    is_strict = all(e.ranking is Ranking.STREAM and e.clock is Clock.TIME for e in programs)
    key = {programs[0].time, *programs[0].order, *kept}
    # What a program computes of an event is computed again of what was kept: from the same values.
    key = key.union(*(column.sources for each in programs for column in each.computed))
    partition_by = {name for each in programs for name in each.partition_by}
    condition = F.lit(fits) if isinstance(fits, bool) else fits
    columns: list[Column] = []
    for field in frame.schema.fields:
        column = column_named(field.name)
        if field.name in partition_by and field.name not in key:
            if is_strict and field.dataType.simpleString() == "string":
                empty = F.when(column.isNotNull(), F.lit(""))
                column = F.when(condition, column).otherwise(empty).alias(field.name)
        elif field.name not in key:
            column = F.when(condition, column).alias(field.name)
        columns.append(column)
    return known(frame.select(*columns), frame.schema)
