"""Random tables of a few events, with columns of every type that Arrow has.

They are made by a random generator, whose seed a test draws: a table by Hypothesis itself takes as
long as hundreds of these.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

ROLES = {"time": "ts", "type": "kind"}
ATTRIBUTES = ("x", "y", "z")
EVENT_TYPES = ("A", "B", "C")
ZONES = (None, "UTC", "Europe/Berlin", "+05:30")
UNITS = ("s", "ms", "us", "ns")
WHOLE = (pa.int8(), pa.int16(), pa.int32(), pa.int64(),
         pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())  # fmt: skip
TEXTS = (pa.string(), pa.large_string(), pa.string_view())
TIMESTAMPS = tuple(pa.timestamp(unit, zone) for unit in UNITS for zone in ZONES)
DECIMALS = (pa.decimal128(38, 2), pa.decimal128(5, 0), pa.decimal256(76, 3), pa.decimal32(5, 1),
            pa.decimal64(12, 0))  # fmt: skip
FLOATS = (pa.float16(), pa.float32(), pa.float64())
BINARIES = (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2))
DATES = (pa.date32(), pa.date64())
NESTED = (
    pa.list_(pa.int64()), pa.large_list(pa.string()), pa.list_(pa.float64(), 2),
    pa.list_view(pa.int64()), pa.struct({"u": pa.int64(), "v": pa.string()}),
    pa.map_(pa.string(), pa.int64()), pa.large_list_view(pa.int64()),
    pa.list_(pa.list_(pa.int64())),
    pa.large_list(pa.string_view()), pa.struct({"u": pa.float32(), "v": pa.string_view()}),
)  # fmt: skip
UNION = pa.sparse_union([pa.field("u", pa.int64()), pa.field("v", pa.string())])
OTHERS = (
    *BINARIES, *NESTED, pa.time32("s"), pa.time64("ns"), pa.duration("us"), pa.null(),
    pa.month_day_nano_interval(), pa.run_end_encoded(pa.int32(), pa.int64()),
    pa.run_end_encoded(pa.int32(), pa.string()), pa.bool8(), pa.uuid(), UNION,
)  # fmt: skip
DICTIONARIES = tuple(
    pa.dictionary(pa.int8(), each)
    for each in (pa.string(), pa.int64(), pa.float64(), pa.timestamp("us"), pa.binary())
)
TIMES = (*WHOLE, *TIMESTAMPS, *DATES)
CLASSES = (WHOLE, FLOATS, DECIMALS, TEXTS, TIMESTAMPS, DATES, (pa.bool_(),), OTHERS, DICTIONARIES)
# What Spark gives to Python.
ON_SPARK = (
    (pa.int8(), pa.int16(), pa.int32(), pa.int64()), (pa.float32(), pa.float64()), (pa.string(),),
    (pa.decimal128(38, 2), pa.decimal128(5, 0)), (pa.timestamp("us", "UTC"), pa.timestamp("us")),
    (pa.date32(),), (pa.bool_(),), (pa.binary(), pa.null(), *NESTED[:2], NESTED[4]),
)  # fmt: skip
VALUES: tuple[tuple[Callable[[pa.DataType], bool], Sequence[Any]], ...] = (
    (pa.types.is_boolean, (True, False)),
    (pa.types.is_floating, (0.0, 1.0, 2.5, -0.0, float("nan"), float("inf"), 6e4)),
    (pa.types.is_decimal, (Decimal(0), Decimal(1), Decimal(2), Decimal(-1234))),
    (pa.types.is_timestamp, [dt.datetime(2024, 3, 31, hour, 30) for hour in range(5)]),
    (pa.types.is_date, (dt.date(2024, 3, 31), dt.date(1969, 12, 31), dt.date(2024, 4, 1))),
    (pa.types.is_time, (dt.time(1, 2), dt.time(23))),
    (pa.types.is_duration, (dt.timedelta(1), dt.timedelta(0, 5))),
    (pa.types.is_interval, (pa.MonthDayNano([1, 2, 3]),)),
    (pa.types.is_map, ([("k", 1)], [])),
    (pa.types.is_struct, ({"u": 1, "v": "w"}, {"u": None, "v": None})),
    (pa.types.is_fixed_size_list, ([1.0, 2.0], [0.0, None])),
    (pa.types.is_large_list, (["v"], [])),
    (lambda each: pa.types.is_list(each) and pa.types.is_list(each.value_type), ([[1], None], [])),
    (pa.types.is_list, ([1, 2], [])),
    (pa.types.is_large_list_view, ([1, 2], [])),
    (pa.types.is_list_view, ([1, 2], [])),
    (pa.types.is_null, (None,)),
    (lambda each: each in BINARIES, (b"ab", b"cd")),
    (lambda each: each in TEXTS, ("u", "v", "", "é", "10", "2024-03-31")),
)


def _values(kind: pa.DataType) -> Sequence[Any]:
    """Values of a type, as Python has them."""
    if pa.types.is_integer(kind):
        limits = np.iinfo(kind.to_pandas_dtype())
        return (*range(6), int(limits.min), int(limits.max), int(limits.max) - 1)
    return next(values for test, values in VALUES if test(kind))


def column(random: Random, kind: pa.DataType, size: int, *, nulls: bool = True) -> pa.ChunkedArray:
    """Return a column of a type, in one chunk or two, a slice of a longer one."""
    if pa.types.is_dictionary(kind):
        plain = column(random, kind.value_type, size, nulls=nulls)
        return plain.dictionary_encode().cast(kind)
    if isinstance(kind, pa.BaseExtensionType):
        stored = pa.array([b"0123456789abcdef"] * size, pa.binary(16))
        if kind == pa.bool8():
            stored = pa.array(range(size), pa.int8())
        return pa.chunked_array([pa.ExtensionArray.from_storage(kind, stored)])
    if pa.types.is_union(kind):
        which = pa.array([number % 2 for number in range(size)], pa.int8())
        parts = [column(random, each.type, size).combine_chunks() for each in kind]
        joined = pa.UnionArray.from_sparse(which, parts, [each.name for each in kind])
        return pa.chunked_array([joined], kind)
    if pa.types.is_run_end_encoded(kind):
        one = column(random, kind.value_type, 1, nulls=nulls).combine_chunks()
        ends = pa.array([size], pa.int32())
        encoded = [pa.RunEndEncodedArray.from_arrays(ends, one)] if size else []
        return pa.chunked_array(encoded, kind)
    known = _values(kind)
    listed = [
        None if nulls and random.random() < 0.2 else random.choice(known) for _ in range(size + 1)
    ]
    whole = pa.array(listed, kind).slice(1)
    cut = random.randint(0, size)
    return pa.chunked_array([whole.slice(0, cut), whole.slice(cut)] if cut else [whole], kind)


def any_table(random: Random, classes: Sequence[Sequence[pa.DataType]] = CLASSES) -> pa.Table:
    """Return a few events with a time, a type and three attributes of some kinds."""
    size = random.choice((0, 1, 3, 4, 5, 6))
    if random.random() < 0.6:
        times = pa.chunked_array([pa.array(random.choices(range(7), k=size), pa.int64())])
    else:
        known = [each for kinds in classes for each in kinds]
        time = random.choice([each for each in known if each in TIMES])
        times = column(random, time, size, nulls=False)
    texts = (pa.string(), *TEXTS, DICTIONARIES[0]) if classes is CLASSES else (pa.string(),)
    type_of = random.choice(texts)
    kinds = [random.choice(random.choice(classes)) for _ in ATTRIBUTES]
    attributes = {
        name: column(random, kind, size) for name, kind in zip(ATTRIBUTES, kinds, strict=True)
    }
    names = pa.array(random.choices(EVENT_TYPES, k=size), pa.string()).cast(type_of)
    return pa.table({"ts": times, "kind": names, **attributes})
