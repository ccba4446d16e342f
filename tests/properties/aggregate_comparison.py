"""Compare the rows of aggregate queries: what must be exact is, floating point nearly."""

import datetime
import math
from collections.abc import Iterable, Mapping
from typing import Any

from cepheid.analysis.bound import BoundQuery

Row = Mapping[str, Any]


def assert_same_rows(query: BoundQuery, found: Iterable[Row], expected: Iterable[Row]) -> None:
    """The same windows, moments and groups, each once, with the same values."""
    by_place, by_place_expected = _by_place(query, found), _by_place(query, expected)
    assert by_place.keys() == by_place_expected.keys()
    for place, row in by_place_expected.items():
        other = by_place[place]
        assert other.keys() == row.keys()
        wrong = {
            name: (other[name], value)
            for name, value in row.items()
            if not alike(other[name], value)
        }
        assert not wrong, f"found and expected at {place}"


def alike(found: Any, expected: Any) -> bool:
    """Whether a value is what was expected; rounding differs with the order of additions."""
    if isinstance(found, float) and isinstance(expected, int | float):
        return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)
    return type(found) is type(expected) and bool(found == expected)


def _by_place(query: BoundQuery, rows: Iterable[Row]) -> dict[tuple[Any, ...], Row]:
    assert query.aggregates is not None
    values = {each.output for each in (*query.aggregates, *query.arithmetic)}
    result: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        place = tuple((name, value) for name, value in sorted(row.items()) if name not in values)
        assert place not in result, f"two rows for {place}"
        result[place] = row
    return result


def without_zone(value: Any) -> Any:
    """A timestamp that went through JSON, as it was before."""
    return datetime.datetime.fromisoformat(value).replace(tzinfo=None)
