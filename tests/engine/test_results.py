"""Schemas of results, empty streams, arrival order and events of no partition."""

import logging
import random

import pyarrow as pa
import pytest

import cepheid
from tests.engine.streams import in_any_order, rows_of, run, table_of

NO_EVENTS = pa.schema(
    [
        ("time", pa.timestamp("us", "UTC")),
        ("type", pa.string()),
        ("k", pa.string()),
        ("x", pa.float64()),
    ]
).empty_table()
MOMENT = pa.timestamp("us", "UTC")


class TestEmptyStream:
    @pytest.mark.parametrize(
        ("query", "fields"),
        [
            pytest.param(
                "SEQ(A+ a, B b) WHERE [k] RETURN a.x, b.k AS k",
                {"a_x": pa.list_(pa.float64()), "k": pa.string()},
                id="matches",
            ),
            pytest.param(
                "A a",
                {
                    **{"a_time": MOMENT, "a_type": pa.string(), "a_k": pa.string()},
                    **{"a_x": pa.float64(), "first_time": MOMENT, "last_time": MOMENT},
                },
                id="default-columns",
            ),
            pytest.param("SEQ(A, B) RETURN COUNT(*)", {"count": pa.int64()}, id="bigint"),
            pytest.param("A+ RETURN COUNT(*) AS n", {"n": pa.float64()}, id="double"),
            pytest.param(
                "A RETURN LOG2(COUNT(*)) AS bits GROUP BY k",
                {"k": pa.string(), "bits": pa.float64()},
                id="log2",
            ),
            pytest.param(
                "A WITHIN 9 s SLIDE 3 s RETURN COUNT(*) AS n GROUP BY A.k",
                {"window_start": MOMENT, "window_end": MOMENT, "A_k": pa.string(), "n": pa.int64()},
                id="windows",
            ),
            pytest.param(
                "A WITHIN 9 s RETURN COUNT(*) AS n", {"time": MOMENT, "n": pa.int64()}, id="moments"
            ),
            pytest.param(
                "A WITHIN 9 EVENTS SLIDE 3 EVENTS RETURN COUNT(*) AS n",
                {"window_start": pa.int64(), "window_end": pa.int64(), "n": pa.int64()},
                id="windows-of-events",
            ),
        ],
    )
    @pytest.mark.parametrize("is_encoded", [False, True], ids=["plain", "dictionary"])
    def test_no_rows_but_the_right_schema(self, query, fields, is_encoded):
        table = NO_EVENTS
        if is_encoded:
            encoded = table["type"].dictionary_encode()
            table = table.set_column(1, "type", encoded)
            fields = fields | ({"a_type": encoded.type} if "a_type" in fields else {})
        result = run(query, table)
        assert result.schema == pa.schema(fields)
        assert result.num_rows == 0

    def test_the_schema_does_not_depend_on_the_events(self):
        query = "SEQ(A a, B? b, C c) WHERE a.x > 1"
        some = table_of("a1(x=2) b2(x=1) c3(x=0)")
        assert run(query, some).schema == run(query, some.slice(0, 0)).schema


class TestArrivalOrder:
    QUERIES = (
        "SEQ(A+ a, B b) WHERE [k] RETURN a.time, b.time",
        "SEQ(A, B) SEMANTICS contiguous RETURN A.time, B.time",
        "SEQ(A, B) WHERE [k] AND strict_contiguity RETURN A.time, B.time",
        "SEQ(A+, B) WITHIN 4 RETURN COUNT(*) AS n GROUP BY k",
        "SEQ(A+, B) WITHIN 4 SLIDE 3 RETURN COUNT(*) AS n GROUP BY k",
        "SEQ(A+, B) WITHIN 5 EVENTS RETURN COUNT(*) AS n",
        "(SEQ(A, B?))+ SEMANTICS skip-till-next-match RETURN COUNT(*) AS n",
    )

    @pytest.mark.parametrize("query", QUERIES)
    @pytest.mark.parametrize("order", [(), ("seq",)], ids=["ties", "ordered"])
    def test_results_do_not_depend_on_it(self, query, order):
        draw = random.Random(1)
        events = [
            {
                "type": draw.choice("ABC"),
                "time": time // 2,
                "seq": time % 2,
                "k": draw.choice("xxy"),
            }
            for time in range(24)
        ]
        expected = in_any_order(rows_of(query, pa.Table.from_pylist(events), order=order))
        assert expected
        for _ in range(5):
            draw.shuffle(events)
            found = rows_of(query, pa.Table.from_pylist(events), order=order)
            assert in_any_order(found) == expected

    @pytest.mark.parametrize(
        "seq",
        [
            ["x", "y"],
            [False, True],
            [1.5, 2.5],
            pa.array(["y", "x"]).dictionary_encode().take([1, 0]),
        ],
        ids=["text", "boolean", "float", "dictionary"],
    )
    def test_tie_break_columns_of_any_type(self, seq):
        table = pa.table({"time": [1, 1], "type": ["A", "B"], "seq": seq})
        assert len(rows_of("SEQ(A, B)", table, order=["seq"])) == 1
        assert len(rows_of("SEQ(B, A)", table, order=["seq"])) == 0
        assert len(rows_of("SEQ(A, B)", table)) == 0


class TestEventsOfNoPartition:
    STREAM = "a1(k=1) a2(k=null) b3(k=1)"

    def test_they_are_dropped_and_logged(self, caplog):
        with caplog.at_level(logging.WARNING, logger="cepheid"):
            rows = rows_of("SEQ(A, B) WHERE [k] RETURN A.time", self.STREAM)
        assert rows == [{"A_time": 1}]
        assert "1 event has NULL in k and belongs to no partition" in caplog.text

    def test_nothing_is_logged_without_any(self, caplog):
        with caplog.at_level(logging.WARNING, logger="cepheid"):
            run("SEQ(A, B) WHERE [k]", "a1(k=1) b3(k=1)")
        assert caplog.text == ""

    def test_they_make_no_group(self):
        assert rows_of("A RETURN COUNT(*) AS n GROUP BY k", self.STREAM) == [{"k": 1, "n": 1}]

    @pytest.mark.parametrize(
        ("strategy", "matches"), [("strict_contiguity", 0), ("partition_contiguity", 1)]
    )
    def test_they_break_strict_contiguity(self, strategy, matches):
        query = f"SEQ(A, B) WHERE [k] AND {strategy}"
        assert len(rows_of(query, self.STREAM)) == matches

    def test_any_of_several_attributes(self):
        stream = "a1(k=1, j=1) a2(k=1, j=null) b3(k=1, j=1) b4(k=null, j=1)"
        assert len(rows_of("SEQ(A, B) WHERE [k, j]", stream)) == 1


def test_one_order_column_may_be_given_as_a_string() -> None:
    table = pa.table({"ts": [1, 1], "kind": ["B", "A"], "seq": [2, 1]})
    query = cepheid.query("PATTERN SEQ(A a, B b)")
    assert query.run(table, time="ts", type="kind", order="seq").num_rows == 1
    assert query.run(table, time="ts", type="kind").num_rows == 0


@pytest.mark.parametrize(
    "values",
    [
        [2**63 + 5, 2**63 + 5, 2**63 + 6, 2**63 + 6],
        [2**64 - 1, 2**64 - 1, 0, 0],
        [5, 5, 6, 6],
    ],
    ids=str,
)
def test_partitions_by_unsigned_integers(values):
    table = pa.table({"time": range(4), "type": list("ABAB"), "u": pa.array(values, pa.uint64())})
    assert run("SEQ(A a, B b) WHERE [u]", table).num_rows == 2


@pytest.mark.parametrize(
    "values",
    [
        [{"a": 2}, {"a": None}, {"a": 1}, {"a": 3}],
        [[None], [2], [1, None], [3]],
        [float("nan"), 2.0, 1.0, 3.0],
    ],
    ids=["structs", "lists", "nan"],
)
@pytest.mark.parametrize("pattern", ["SEQ(A a, B b)", "A a AND B b"])
def test_ties_are_broken_by_values_of_any_kind(values, pattern):
    """Whatever the order of the rows, the same match is taken."""
    rows = list(zip([1, 1, 1, 2], "AAAB", values, range(4), strict=True))
    chosen = []
    for order in ([0, 1, 2, 3], [2, 1, 0, 3], [3, 1, 0, 2]):
        listed = [rows[place] for place in order]
        table = pa.table(
            dict(
                zip(
                    ["time", "type", "v", "place"],
                    map(list, zip(*listed, strict=True)),
                    strict=True,
                )
            )
        )
        chosen.append(rows_of(f"{pattern} RETURN a.place OUTPUT NON OVERLAPPING", table))
    assert chosen[0] == chosen[1] == chosen[2]
    assert len(chosen[0]) == 1
