"""Aggregates at the limits: times and numbers near 64 bits, unsorted streams, odd types."""

import datetime
import math
from decimal import Decimal

import pyarrow as pa
import pytest

import cepheid
from cepheid.plan.physical import AggregateMethod, Parallelism
from cepheid.plan.rules.choose_parallelism import choose_parallelism


def run(text, events, **options):
    table = events if isinstance(events, pa.Table) else pa.table(events)
    return cepheid.query(text).run(table, time="t", type="type", **options).to_pylist()


def of_type_a(times, **columns):
    return {"t": times, "type": ["A"] * len(times), **columns}


class TestTimes:
    def test_the_last_of_many_events_is_early(self):
        rows = run(
            "PATTERN A WITHIN 10 SLIDE 10 RETURN COUNT(*) AS n", of_type_a([*range(19_999), 5])
        )
        assert len(rows) == 2000
        assert rows[0]["n"] == 11

    @pytest.mark.parametrize("times", [[1, 2**62 + 1], [2**62 + 100, 2**62 + 101]])
    def test_late_times_are_counted(self, times):
        assert run("PATTERN A RETURN COUNT(*) AS n", of_type_a(times)) == [{"n": 2}]

    def test_late_windows_belong_to_their_group(self):
        late = 2**62 + 100
        events = of_type_a([late, late + 1], x=[1, 2], g=[1, 2])
        text = "PATTERN A WITHIN 10 SLIDE 5 RETURN g, COUNT(*) AS n, SUM(A.x) AS s GROUP BY g"
        rows = run(text, events)
        assert (
            sorted((row["g"], row["n"], row["s"]) for row in rows)
            == [(1, 1, 1)] * 2 + [(2, 1, 2)] * 2
        )

    def test_windows_before_all_time_are_refused(self):
        with pytest.raises(cepheid.DataError, match="too close to the limit"):
            run("PATTERN A WITHIN 10 SLIDE 5 RETURN COUNT(*)", of_type_a([-(2**62) - 5]))


class TestNumbers:
    def test_a_sum_of_the_smallest_integers_overflows(self):
        with pytest.raises(cepheid.DataError, match="exceeds BIGINT"):
            run("PATTERN A RETURN SUM(A.x)", of_type_a([1, 2], x=[-(2**63)] * 2))

    @pytest.mark.parametrize(
        "text", ["PATTERN A RETURN AVG(A.x) AS x", "PATTERN A+ RETURN MAX(A.x) AS x"]
    )
    def test_unsigned_integers_beyond_63_bits(self, text):
        events = of_type_a([1, 2], x=pa.array([2**63] * 2, pa.uint64()))
        assert run(text, events) == [{"x": 2**63}]

    def test_a_sum_of_such_integers_is_a_double_where_counts_are(self):
        events = of_type_a([1, 2], x=pa.array([2**63] * 2, pa.uint64()))
        assert run("PATTERN A+ RETURN SUM(A.x) AS x", events) == [{"x": 4.0 * 2**63}]


class TestHaving:
    def test_no_column_can_be_called_like_a_hidden_one(self):
        text = "PATTERN A RETURN COUNT(*) AS __having_0 HAVING SUM(A.x) > 5"
        assert run(text, of_type_a([1, 2], x=[10, 20])) == [{"__having_0": 2}]

    def test_arithmetic_on_text(self):
        text = "PATTERN A RETURN g, COUNT(*) GROUP BY g HAVING g + 1 > 2"
        with pytest.raises(cepheid.CepheidError):
            run(text, of_type_a([1], g=["a"]))

    @pytest.mark.parametrize(
        ("condition", "holds"),
        [
            (f"= {2**70 - 1}", True),
            (f"= {2**70}", False),
            (f"> {2**70 - 2}", True),
            (f"< {2**70 - 1}", False),
            ("< COUNT(*)", True),
            ("= EXACT COUNT(*)", True),
            ("!= MIN(A.x)", False),
            ("/ 2 > 1", True),
        ],
    )
    def test_exact_counts_beyond_64_bits(self, condition, holds):
        text = f"PATTERN A+ RETURN COUNT(*) AS n HAVING EXACT COUNT(*) {condition}"
        rows = run(text, of_type_a(range(70), x=pa.array([None] * 70, pa.int64())))
        assert rows == [{"n": 2.0**70}] * holds


class TestExact:
    def test_a_logarithm_has_no_digits(self):
        with pytest.raises(cepheid.BindingError, match=r"EXACT applies to COUNT\(\*\) only"):
            cepheid.query("PATTERN A+ RETURN EXACT LOG2(COUNT(*))").plan()


class TestNames:
    def test_an_order_column_called_time(self):
        events = of_type_a([1, 2], time=[1, 1])
        with pytest.raises(cepheid.BindingError, match="called 'time'"):
            run("PATTERN A+ WITHIN 5 RETURN COUNT(*)", events, order=["time"])


class TestExpiry:
    def test_both_sides_of_and_expire(self):
        events = {"t": [1, 3], "type": ["B", "A"]}
        rows = run("PATTERN A AND B WITHIN 5 RETURN COUNT(*) AS n", events, on_expiry=True)
        assert [(row["time"], row["n"]) for row in rows] == [(1, 0), (3, 1), (6, 0)]

    def test_nan_stays_what_it_was(self):
        events = of_type_a([1, 3], x=[math.nan] * 2)
        rows = run("PATTERN A WITHIN 5 RETURN MAX(A.x) AS x", events, on_expiry=True)
        assert [row["time"] for row in rows] == [1, 3, 8]

    def test_a_time_that_does_not_fit_its_column(self):
        events = of_type_a(pa.array([32766], pa.int16()))
        with pytest.raises(cepheid.DataError, match="does not fit"):
            run("PATTERN A WITHIN 5 RETURN COUNT(*)", events, on_expiry=True)

    def test_dates_that_expire_at_noon(self):
        events = of_type_a([datetime.date(2024, 1, 2)])
        with pytest.raises(cepheid.DataError, match="not at midnight"):
            run("PATTERN A WITHIN 36 hours RETURN COUNT(*)", events, on_expiry=True)

    def test_it_is_refused_where_nothing_expires(self):
        with pytest.raises(cepheid.ConfigError, match="on_expiry"):
            run("PATTERN A RETURN COUNT(*)", of_type_a([1]), on_expiry=True)


class TestRanges:
    @pytest.mark.parametrize("having", ["EXACT COUNT(*) > 1", "MAX(A.n) > 'b'"])
    def test_having_is_looked_at_too(self, having):
        events = of_type_a([1], n=["a"])
        query = cepheid.query(f"PATTERN A RETURN COUNT(*) HAVING {having}")
        from cepheid.engine.events.event_schema import ColumnRoles, event_schema

        plan = query.plan(event_schema(pa.table(events).schema, ColumnRoles("t", "type")))
        assert plan.parallelism.value is Parallelism.NONE
        chosen = choose_parallelism(plan.query, AggregateMethod.POSITIONS)
        assert chosen == plan.parallelism

    @pytest.mark.parametrize("is_maximum", [False, True])
    def test_keys_of_integers_at_the_limits(self, is_maximum):
        from cepheid.engine.trends.min_max_keys import Sortable

        values = [-(2**63), 3 - 2**63, -1, 0, 2**62, 2**63 - 3, 2**63 - 1, None]
        column = Sortable(pa.array(values), is_maximum=is_maximum)
        assert not column.is_ranked
        keys = column.keys()
        ordered = sorted(keys.tolist()[:-1], reverse=is_maximum)
        assert keys.tolist()[:-1] == ordered
        assert keys[-1] > max(ordered)
        assert column.values(keys).to_pylist() == values

    def test_decimals_have_no_keys_of_their_own(self):
        from cepheid.engine.trends.min_max_keys import Sortable, has_own_keys

        assert not has_own_keys(pa.decimal128(5, 1))
        assert Sortable(pa.array([Decimal("1.5")]), is_maximum=False).is_ranked
        assert Sortable(pa.array([2**63 - 2]), is_maximum=False).is_ranked
        assert Sortable(pa.array([1 - 2**63]), is_maximum=True).is_ranked
        assert not Sortable(pa.array([1.5, None]), is_maximum=True).is_ranked
