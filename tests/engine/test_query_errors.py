"""Errors of the data say which query of a workload met them."""

import pyarrow as pa
import pytest

import cepheid

HALF = 2**62
EVENTS = pa.table(
    {
        "t": [1, 2, 3, 4],
        "type": ["A", "B", "C", "B"],
        "x": [1, HALF, 1, HALF],
        "k": ["a"] * 4,
    }
)
SUM = "RETURN SUM(b.x) AS total"
FAILING = {
    "in a set": f"PATTERN SEQ(A, B b) WITHIN 10 SLIDE 10 {SUM}",
    "of all windows": f"PATTERN SEQ(A, B b) {SUM}",
    "of one moving window": f"PATTERN SEQ(A, B b) WITHIN 10 {SUM}",
    "with adjacent predicates": f"PATTERN SEQ(A a, B b) WHERE a.t < NEXT(b).t {SUM}",
    "with having": f"PATTERN SEQ(A, B b) {SUM} HAVING SUM(b.x) > 0",
    "matches": "PATTERN SEQ(A a, B b) WHERE a.x + 2 * b.x > 0",
    "of one event": "PATTERN SEQ(A, B+ b) WHERE b.x * 4 > 0 RETURN COUNT(*) AS n",
    "matches of one event": "PATTERN SEQ(A a, B b) WHERE b.x * 4 > 0 WITHIN 9",
    "contiguous": "PATTERN SEQ(A a, B b) WHERE a.x + 2 * b.x > 0 AND strict_contiguity",
}


@pytest.mark.parametrize("text", FAILING.values(), ids=FAILING)
def test_the_query_is_named(text: str) -> None:
    """Also where another query with the same kind of result is finished with it."""
    other = text.replace("SEQ(A", "SEQ(C").replace("WHERE b.x * 4 > 0", "")
    queries = [cepheid.query(other, name="fine"), cepheid.query(text, name="too much")]
    with pytest.raises(cepheid.DataError, match=r"^query 'too much': ") as caught:
        cepheid.workload(queries[::-1] if "+ 2" in text else queries).run(
            EVENTS, time="t", type="type"
        )["too much"]
    assert caught.value.query == "too much"
    assert caught.value.hint is not None


def test_one_query_without_a_name() -> None:
    with pytest.raises(cepheid.DataError, match=r"^'total' exceeds BIGINT") as caught:
        cepheid.query(FAILING["in a set"]).run(EVENTS, time="t", type="type")
    assert caught.value.query is None
