"""Declarations of columns are read as Spark reads them."""

import pyarrow as pa
import pytest

from cepheid.connectors.parse_columns import OPAQUE, parse_columns
from cepheid.errors import ConfigError


def test_types():
    text = """
        a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(8, 2),
        i STRING, j BINARY, k DATE, l TIMESTAMP, m TIMESTAMP_NTZ, n VARCHAR(10), o decimal
    """
    assert parse_columns(text).types == [
        pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64(),
        pa.decimal128(8, 2), pa.string(), pa.binary(), pa.date32(), pa.timestamp("us", "UTC"),
        pa.timestamp("us"), pa.string(), pa.decimal128(10, 0),
    ]  # fmt: skip


def test_types_with_parts_are_opaque():
    parsed = parse_columns("a ARRAY<INT>, b STRUCT<x: INT, y: MAP<STRING, INT>>, c INT")
    assert parsed.names == ["a", "b", "c"]
    assert parsed.types == [OPAQUE, OPAQUE, pa.int32()]


def test_names_and_remarks():
    text = "`the time`: TIMESTAMP NOT NULL COMMENT 'when, in UTC', `a``b` INT, c INT COMMENT \"x\""
    assert parse_columns(text).names == ["the time", "a`b", "c"]


@pytest.mark.parametrize("text", ["", "a", "a INT,", "a INT b INT", "a INTT", "a INT, A INT"])
def test_refuses(text):
    with pytest.raises(ConfigError):
        parse_columns(text)
