"""Match queries over extreme integers, floats and times, and over a column that is NULL throughout.

Either the result is that of the definitions, digit by digit, or an integer leaves 64 bits and the
error says so.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import cepheid
from tests.oracle import evaluate
from tests.properties.extreme_matches import (
    BASES,
    LIMIT,
    SCHEMA,
    bound,
    extreme_matches,
    extreme_streams,
    table_of,
)
from tests.properties.queries import Case
from tests.properties.stream_steps import Batch, Row, drive, ended, program_of, rows_of, splits

PATTERNS = (
    *("A a", "A+ a", "SEQ(A a, B b)", "A+ SEMANTICS contiguous", "SEQ(A a, B b) AND A w"),
    *("SEQ(A+ a, !C, B b)", "SEQ(A a, !B b)", "SEQ(!C c, A a)"),
    *("A+ a WHERE a[1].x <= a.x", "A+ WHERE A.seq < NEXT(A).seq"),
)
WINDOWS = (
    *("WITHIN 1", "WITHIN 5", "WITHIN 9", "WITHIN 4 SLIDE 2", "WITHIN 3 SLIDE 3"),
    *("WITHIN 9 EVENTS", f"WITHIN {LIMIT - 2} EVENTS", f"WITHIN {LIMIT // 2}"),
)
SLOW = settings.get_profile("quick").suppress_health_check
BEYOND = ("leaves the range of 64-bit integers", "cannot be computed: overflow", "leaves 64 bits")


def as_multiset(rows: Iterable[Mapping[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Rows as hashable tuples, every digit of them."""
    return Counter(tuple((name, _plain(value)) for name, value in row.items()) for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_plain(each) for each in value)
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def assume_binds(case: Case) -> None:
    """Reject the few random queries that the language refuses."""
    try:
        bound(case)
    except cepheid.BindingError:
        assume(False)


def check(case: Case, run: Any) -> None:
    try:
        rows = run()
    except cepheid.DataError as error:
        has_extremes = any(abs(each["x"] or 0) >= LIMIT // 16 for each in case.events)
        if not any(each in str(error) for each in BEYOND) or not (
            has_extremes or str(LIMIT) in case.text
        ):
            raise
        return
    assert as_multiset(rows) == as_multiset(evaluate(bound(case), case.events))


@settings(max_examples=400)
@given(extreme_matches())
def test_matches(case: Case) -> None:
    assume_binds(case)
    query = cepheid.query(case.text)
    check(case, lambda: query.run(table_of(case), time="time", type="type").to_pylist())


@settings(max_examples=100, suppress_health_check=[*SLOW, HealthCheck.large_base_example])
@given(extreme_matches(bases=(0,)), st.data())
def test_streams(case: Case, data: st.DataObject) -> None:
    assume_binds(case)
    program = program_of(case, SCHEMA)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    ends = data.draw(st.booleans())
    if ends:
        batches = data.draw(ended(batches))
    base = data.draw(st.sampled_from((*BASES, LIMIT - 13)))
    # Time ends before the windows of the last events do: they are over only if the stream is.
    assume(ends or base != LIMIT - 13)
    batches = [Batch(moved(each.events, base), _moved(each.until, base), each.ends)
               for each in batches]  # fmt: skip
    case = replace(case, events=moved(case.events, base))
    try:
        check(case, lambda: rows_of(program, drive(program, batches, schema=SCHEMA), SCHEMA))
    except cepheid.DataError as error:
        if "too close to the limit of 64 bits" not in str(error) or base != LIMIT - 13:
            raise


def moved(events: Iterable[Row], base: int) -> list[Row]:
    return [{**each, "time": _moved(each["time"], base)} for each in events]


def _moved(time: int | None, base: int) -> int | None:
    """A time so much later; none is later than the last one."""
    return None if time is None else min(time + base, LIMIT - 1)


@settings(max_examples=300)
@given(st.sampled_from(PATTERNS), st.sampled_from(WINDOWS), st.sampled_from(BASES), st.data())
def test_counts(pattern: str, window: str, base: int, data: st.DataObject) -> None:
    """Windows that would begin or end beyond 64 bits are refused where a result shows them."""
    events = data.draw(extreme_streams(base=base))
    case = Case(f"PATTERN {pattern} {window} RETURN COUNT(*) AS n", events, ())
    is_far = "SLIDE" in window or str(LIMIT // 2) in window
    try:
        rows = cepheid.query(case.text).run(table_of(case), time="time", type="type").to_pylist()
    except cepheid.BindingError as error:
        if "more events than can be counted" not in str(error) or "EVENTS" not in window:
            raise
        return
    except cepheid.DataError as error:
        if "too close to the limit of 64 bits" not in str(error) or not (is_far and base):
            raise
        return
    assert as_multiset(rows) == as_multiset(evaluate(bound(case), case.events))
