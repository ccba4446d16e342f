"""COGRA's tables 6 to 9, step by step: what each event of the stream adds.

The tables show the state after every event. A result shows it too: the counts of trends that end
at a position are those of a pattern that ends there, on the events so far.
"""

from typing import Any

import pytest

from tests.engine.streams import rows_of

NESTED = "(SEQ(A+, B))+"
ENDS_AT_A = "SEQ((SEQ(A+, B))*, A+)"
STREAM = ["a1(x=0)", "b2(x=1)", "a3(x=2)", "a4(x=2)", "c5(x=0)", "b6(x=2)", "a7(x=2)", "b8(x=1)"]
ANY = ""
NEXT = "SEMANTICS skip-till-next-match"
KLEENE_NEXT = "WHERE skip_till_next_match"
CONTIGUOUS = "SEMANTICS contiguous"
NOT_AFTER_B6 = "WHERE B.x < NEXT(A).x"  # table 7: a7 is adjacent to b2 but not to b6
COLUMNS = "COUNT(*), COUNT(A), COUNT(B), SUM(A.time), MIN(A.time), MAX(A.time), SUM(B.time)"


def after_each_event(query: str) -> list[tuple[Any, ...] | None]:
    """Return the row of the query on the first one, two, … events; None where there is none."""
    found = []
    for size in range(1, len(STREAM) + 1):
        rows = rows_of(query, " ".join(STREAM[:size]))
        found.append(tuple(rows[0].values()) if rows else None)
    return found


@pytest.mark.parametrize(
    ("clauses", "at_a", "at_b"),
    [
        pytest.param(ANY, [1, 1, 4, 10, 10, 10, 32, 32], [0, 1, 1, 1, 1, 11, 11, 43], id="6-any"),
        pytest.param(
            NOT_AFTER_B6,
            [1, 1, 4, 10, 10, 10, 22, 22],
            [0, 1, 1, 1, 1, 11, 11, 33],
            id="7-adjacent",
        ),
        pytest.param(NEXT, [1, 1, 4, 8, 8, 8, 16, 16], [0, 1, 1, 1, 1, 4, 4, 8], id="8-next"),
        pytest.param(
            KLEENE_NEXT, [1, 1, 4, 8, 8, 8, 17, 17], [0, 1, 1, 1, 1, 5, 5, 14], id="sase-plus-next"
        ),
        pytest.param(
            CONTIGUOUS, [1, 1, 3, 6, 6, 6, 7, 7], [0, 1, 1, 1, 1, 1, 1, 2], id="8-contiguous"
        ),
    ],
)
def test_tables_6_to_8(clauses: str, at_a: list[int], at_b: list[int]) -> None:
    for pattern, expected in ((ENDS_AT_A, at_a), (NESTED, at_b)):
        found = after_each_event(f"{pattern} {clauses} RETURN COUNT(*)")
        assert [0 if row is None else row[0] for row in found] == expected


FIRST = (1, 1, 1, 1, 1, 1, 2)  # a1 b2


@pytest.mark.parametrize(
    ("clauses", "after_b6", "after_b8"),
    [
        pytest.param(ANY, (11, 20, 14, 50, 1, 4, 68), (43, 100, 66, 352, 1, 7, 404), id="any"),
        pytest.param(
            NOT_AFTER_B6, (11, 20, 14, 50, 1, 4, 68), (33, 71, 43, 233, 1, 7, 258), id="adjacent"
        ),
        pytest.param(NEXT, (4, 7, 5, 20, 1, 4, 22), (8, 17, 13, 67, 1, 7, 74), id="next"),
        pytest.param(
            KLEENE_NEXT, (5, 10, 6, 28, 1, 4, 28), (14, 37, 21, 145, 1, 7, 128), id="sase-plus-next"
        ),
        pytest.param(CONTIGUOUS, FIRST, (2, 2, 2, 8, 1, 7, 10), id="contiguous"),
    ],
)
def test_table_9(clauses: str, after_b6: tuple[int, ...], after_b8: tuple[int, ...]) -> None:
    found = after_each_event(f"{NESTED} {clauses} RETURN {COLUMNS}, AVG(A.time)")
    steps = [None, FIRST, FIRST, FIRST, FIRST, after_b6, after_b6, after_b8]
    expected = [None if row is None else (*row, pytest.approx(row[3] / row[1])) for row in steps]
    assert found == expected


@pytest.mark.parametrize("window", ["WITHIN 100", "WITHIN 100 SLIDE 100"])
def test_the_last_row_of_a_window_is_the_table(window: str) -> None:
    rows = rows_of(f"{NESTED} {window} RETURN {COLUMNS}", " ".join(STREAM))
    assert tuple(rows[-1].values())[-7:] == (43, 100, 66, 352, 1, 7, 404)
