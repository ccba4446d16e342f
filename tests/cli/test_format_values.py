from datetime import UTC, datetime

import pyarrow as pa
import pytest

from cepheid.cli.format_values import format_column


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, None, 20], ["1", None, "20"]),
        ([43.0, 7.0], ["43", "7"]),
        ([0.5, 12.25], ["0.50", "12.25"]),
        ([8.344295907915816, 10.0], ["8.344", "10.000"]),
        ([1e-9, 0.123456], ["1e-09", "0.123"]),
        ([2.0**70, 1.0], ["1.181e+21", "1"]),
        ([float("inf"), float("nan")], ["∞", "NaN"]),
        ([True, False], ["true", "false"]),
        (["a\x1b[31m\nb"], ["a�[31m�b"]),
        ([[], [None, 1]], ["[]", "[null, 1]"]),
        ([[0.5, 1.0], None], ["[0.5, 1.0]", None]),
    ],
)
def test_columns(values, texts):
    assert format_column(pa.chunked_array([pa.array(values)])) == texts


def test_times_have_the_parts_of_a_second_that_they_need():
    whole, milli, micro = (datetime(2026, 1, 1, 12, 0, 0, each) for each in (0, 1000, 1))
    assert format_column(pa.chunked_array([[whole]])) == ["2026-01-01 12:00:00"]
    assert format_column(pa.chunked_array([[whole, milli]]))[0] == "2026-01-01 12:00:00.000"
    assert format_column(pa.chunked_array([[milli, micro]]))[1] == "2026-01-01 12:00:00.000001"
    zoned = pa.array([whole.replace(tzinfo=UTC)], pa.timestamp("us", "UTC"))
    assert format_column(pa.chunked_array([zoned])) == ["2026-01-01 12:00:00Z"]
