"""Compare what a query of a random workload gave with what the oracle says."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import cepheid
from tests.properties import comparison
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows
from tests.properties.queries import Case
from tests.properties.workloads import WorkloadCase

Row = dict[str, Any]


def oracle_rows(case: WorkloadCase, name: str, events: Iterable[Row] | None = None) -> list[Row]:
    """Return what the oracle says of a query by itself, on the events of the case or others."""
    alone = case.case(name)
    if events is not None:
        alone = replace(alone, events=tuple(events))
    if case.schema is comparison.SCHEMA:
        return comparison.expected_rows(alone)
    return expected_rows(alone)


def assert_as_expected(
    case: WorkloadCase, name: str, found: Iterable[Row], expected: Iterable[Row]
) -> None:
    """The same rows in any order; of sums, floating point nearly."""
    alone = case.case(name)
    if case.schema is comparison.SCHEMA or bound(alone).aggregates is None:
        assert comparison.as_multiset(found) == comparison.as_multiset(expected)
    else:
        assert_same_rows(bound(alone), found, expected)


def binds(case: Case) -> bool:
    """Whether the language takes a random query."""
    try:
        cepheid.query(case.text).bind()
    except cepheid.BindingError:
        return False
    return True
