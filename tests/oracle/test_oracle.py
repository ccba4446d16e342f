"""The oracle against cases worked out by hand, a few per feature."""

import datetime
import math
import random
from itertools import combinations, pairwise, product

import pytest

from tests.oracle import ask, bind, evaluate, matches, schema_of, stream

NEXT = "SEMANTICS skip-till-next-match"
CONTIGUOUS = "SEMANTICS contiguous"


def rows(text):
    """`A,1,x=5 B,2` is an A at 1 with x = 5 and a B at 2; `null` is NULL."""
    result = []
    for word in text.split():
        kind, time, *pairs = word.split(",")
        values = dict(pair.split("=") for pair in pairs)
        result.append({"type": kind, "time": int(time)} | {k: _value(v) for k, v in values.items()})
    return result


def _value(text):
    return None if text == "null" else int(text) if text.lstrip("-").isdigit() else text


def times(query, text, **options):
    """The matches as strings of times."""
    events = rows(text)
    found = matches(bind(query, schema_of(events, **options)), events)
    return [" ".join(str(event.time) for event, _ in match) for match in found]


class TestColumns:
    def test_return_of_a_match(self):
        query = f"""
            PATTERN SEQ(A+ a[], B b) {CONTIGUOUS}
            RETURN a.x, b.x - a[1].x AS rise, SUM(a[].x) AS total, AVG(a[].x) AS mean,
                a.LEN AS n, a[a.LEN].x AS latest
        """
        assert ask(query, rows("A,1,x=1 A,2,x=4 B,3,x=9")) == [
            {"a_x": [1, 4], "rise": 8, "total": 5, "mean": 2.5, "n": 2, "latest": 4},
            {"a_x": [4], "rise": 5, "total": 4, "mean": 4.0, "n": 1, "latest": 4},
        ]

    def test_default_columns_and_unbound_variables(self):
        query = "PATTERN (SEQ(A a, B b) OR C+ c)"
        assert ask(query, rows("A,1 B,2 C,3")) == [
            {
                "a_type": "A", "a_time": 1, "b_type": "B", "b_time": 2, "c_type": [], "c_time": [],
                "first_time": 1, "last_time": 2,
            },
            {
                "a_type": None, "a_time": None, "b_type": None, "b_time": None,
                "c_type": ["C"], "c_time": [3], "first_time": 3, "last_time": 3,
            },
        ]  # fmt: skip

    def test_expressions_over_unbound_variables(self):
        query = (
            "PATTERN SEQ(A a, B* b[]) RETURN COUNT(b[]) AS n, SUM(b[].x) AS s, a.x - b[1].x AS d"
        )
        assert ask(query, rows("A,1,x=1")) == [{"n": 0, "s": None, "d": None}]

    def test_into_gives_the_time_at_which_a_match_is_known(self):
        events = rows("A,1 B,3")
        query = bind("PATTERN SEQ(A a, B) RETURN a.time AS t INTO Pair", schema_of(events))
        assert stream(query, events) == [{"t": 1, "time": 3, "type": "Pair"}]
        query = bind("PATTERN SEQ(A a, !C) RETURN a.time AS t WITHIN 9 INTO Q", schema_of(events))
        assert stream(query, events) == [{"t": 1, "time": 9, "type": "Q"}]


class TestAggregates:
    EVENTS = "A,1,g=1,x=4 A,2,g=1,x=null B,3,g=1 A,4,g=2,x=7 B,5,g=2 B,6,g=1"

    def test_groups_nulls_and_columns(self):
        query = """
            PATTERN SEQ(A a, B) GROUP BY a.g
            RETURN a.g, COUNT(*), SUM(a.x), AVG(a.x), COUNT(a), COUNT(a.x) AS known
        """
        assert ask(query, rows(self.EVENTS)) == [
            {"a_g": 1, "count": 4, "sum_a_x": 8, "avg_a_x": 4.0, "count_a": 4, "known": 2},
            {"a_g": 2, "count": 1, "sum_a_x": 7, "avg_a_x": 7.0, "count_a": 1, "known": 1},
        ]

    def test_a_group_attribute_that_is_not_returned_leads(self):
        query = "PATTERN SEQ(A a, B) GROUP BY g RETURN COUNT(*) AS n"
        assert [list(row.items()) for row in ask(query, rows(self.EVENTS))] == [
            [("g", 1), ("n", 4)],
            [("g", 2), ("n", 1)],
        ]

    @pytest.mark.parametrize(
        ("having", "groups"),
        [
            ("COUNT(*) > 1", [1]),
            ("n % 2 = 1 AND g < 9", [2]),
            ("SUM(a.x) > 7 OR g = 2", [1, 2]),
            ("NOT MAX(a.x) > 5", [1]),
            ("NOT MAX(b.x) > 5", []),  # MAX of no value: unknown either way
        ],
    )
    def test_having(self, having, groups):
        query = f"PATTERN SEQ(A a, B b) GROUP BY g RETURN g, COUNT(*) AS n HAVING {having}"
        assert [row["g"] for row in ask(query, rows(self.EVENTS))] == groups

    def test_having_with_times_as_text(self):
        day = datetime.datetime(2024, 1, 31)
        events = [{"type": "A", "time": day.replace(day=each), "g": each} for each in (1, 2)]
        query = "PATTERN A GROUP BY g RETURN g, COUNT(*) HAVING MIN(A.time) > '2024-01-01 12:00:00'"
        assert [row["g"] for row in ask(query, events)] == [2]

    def test_exact_and_log2(self):
        query = "PATTERN A+ RETURN EXACT COUNT(*) AS exact, LOG2(COUNT(*)) AS log"
        events = rows(" ".join(f"A,{time}" for time in range(1, 4)))
        assert ask(query, events) == [{"exact": "7", "log": pytest.approx(2.807354922)}]

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ([1.5, math.inf], (math.inf, math.inf, 1.5, math.inf)),
            ([-math.inf, 2.0], (-math.inf, -math.inf, -math.inf, 2.0)),
            ([math.inf, -math.inf], (math.nan, math.nan, -math.inf, math.inf)),
            ([math.nan, 2.0, 1.0], (math.nan, math.nan, 1.0, math.nan)),
            ([1e308, 1e308, -1e308], (1e308, 1e308 / 3, -1e308, 1e308)),
        ],
    )
    def test_infinite_and_undefined_values(self, values, expected):
        query = "PATTERN A RETURN SUM(A.x), AVG(A.x), MIN(A.x), MAX(A.x)"
        events = [{"type": "A", "time": time, "x": x} for time, x in enumerate(values)]
        (row,) = ask(query, events)
        assert list(row.values()) == pytest.approx(list(expected), rel=1e-12, nan_ok=True)

    def test_no_trend_no_row(self):
        assert ask("PATTERN SEQ(A, B) RETURN COUNT(*)", rows("B,1 A,2")) == []

    def test_log2_of_nothing(self):
        query = "PATTERN SEQ(A, B) WITHIN 5 RETURN LOG2(COUNT(*)) AS log"
        assert ask(query, rows("B,1")) == [{"time": 1, "log": None}]


class TestOutput:
    def test_non_overlapping_takes_the_earliest_end_then_the_earliest_start(self):
        query = "PATTERN SEQ(A, B) OUTPUT NON OVERLAPPING"
        assert times(query, "A,1 A,2 B,3 A,4 B,5 B,6") == ["1 3", "4 5"]

    def test_non_overlapping_prefers_the_smaller_sequence(self):
        query = "PATTERN SEQ(A+, B) OUTPUT NON OVERLAPPING"
        assert times(query, "A,1 A,2 B,3") == ["1 2 3"]

    def test_non_overlapping_is_per_partition_but_strict_contiguity_is_the_stream(self):
        query = "PATTERN SEQ(A, B) WHERE [k] OUTPUT NON OVERLAPPING"
        assert times(query, "A,1,k=1 A,2,k=2 B,3,k=1 B,4,k=2") == ["1 3", "2 4"]
        query = "PATTERN A SEMANTICS strict_contiguity WHERE [k] OUTPUT NON OVERLAPPING"
        assert times(query, "A,1,k=1 A,1,k=2 A,2,k=2") == ["1", "2"]

    @pytest.mark.parametrize(
        ("strategy", "expected"),
        [("", ["1", "1 2", "9"]), (NEXT, ["1 2", "9"]), (CONTIGUOUS, ["1 2", "9"])],
    )
    def test_partial_runs_when_their_window_closes(self, strategy, expected):
        query = f"PATTERN SEQ(A, B, C) {strategy} WITHIN 5 OUTPUT PARTIAL"
        assert sorted(times(query, "A,1 B,2 A,9")) == expected

    def test_partial_leaves_out_what_was_completed_or_blocked(self):
        query = f"PATTERN SEQ(A, B, !D, C, E) {NEXT} WITHIN 5 OUTPUT PARTIAL"
        assert times(query, "A,1 B,2 C,3") == ["1 2 3"]
        assert times(query, "A,1 B,2 C,3 E,4") == []
        assert times(query, "A,1 B,2 D,3 C,4") == []


class TestPredicates:
    def test_blocks_restart_in_nested_repetition(self):
        query = f"PATTERN (SEQ(A+ a[], B))+ {CONTIGUOUS} WHERE a[i].x > a[i-1].x"
        events = "A,1,x=5 B,2 A,3,x=1 A,4,x=2 B,5"
        assert times(query, events) == ["1 2", "1 2 3 4 5", "3 4 5", "4 5"]

    def test_running_aggregates_restart_too(self):
        query = f"PATTERN (SEQ(A+ a[], B))+ {CONTIGUOUS} WHERE a[i].x > max(a[..i-1].x)"
        events = "A,1,x=5 B,2 A,3,x=1 A,4,x=2 B,5"
        assert "1 2 3 4 5" in times(query, events)

    def test_next_does_not_restart(self):
        query = f"PATTERN (SEQ(A+ a, B b))+ {CONTIGUOUS} WHERE b.x < NEXT(a).x"
        assert times(query, "A,1,x=0 B,2,x=3 A,3,x=3 B,4,x=9") == ["1 2", "3 4"]

    def test_another_variable_reads_the_latest_block(self):
        """Binding the A at 3 brings a new a[1], which is compared with the B at 2 as well."""
        query = f"PATTERN (SEQ(A+ a[], B b))+ {CONTIGUOUS} WHERE b.x > a[1].x"
        assert times(query, "A,1,x=1 B,2,x=5 A,3,x=4 B,4,x=9") == ["1 2", "1 2 3 4", "3 4"]
        assert times(query, "A,1,x=1 B,2,x=5 A,3,x=6 B,4,x=9") == ["1 2", "3 4"]

    @pytest.mark.parametrize(
        ("strategy", "expected"), [("", ["1 2 3", "1 3", "2 3"]), (NEXT, ["1 2 3", "2 3"])]
    )
    def test_whole_arrays_are_tested_at_the_end_and_never_stop_a_take(self, strategy, expected):
        query = f"PATTERN A+ a[] {strategy} WHERE sum(a[].x) > 3"
        assert times(query, "A,1,x=1 A,2,x=2 A,3,x=3") == expected

    def test_the_last_of_an_array_is_tested_when_it_is_left(self):
        query = f"PATTERN SEQ(A+ a[], B b) {NEXT} WHERE b.x > a[a.LEN].x"
        assert times(query, "A,1,x=1 A,2,x=5 B,3,x=3 B,4,x=6") == ["1 2 4", "2 4"]

    def test_each_reference_to_one_variable_is_the_same_event(self):
        assert times("PATTERN A+ a WHERE a.x < a.y", "A,1,x=1,y=2 A,2,x=3,y=4") == ["1", "1 2", "2"]

    def test_a_clause_is_universal(self):
        query = "PATTERN SEQ(A+ a, B b) WHERE a.x < b.x"
        assert times(query, "A,1,x=1 A,2,x=5 B,3,x=3") == ["1 3"]

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ("a.x = 1", ["1"]),
            ("NOT a.x = 1", ["3"]),
            ("a.x = NULL", []),
            ("a.x = 1 OR a.y = 1", ["1", "2"]),
            ("1 / (a.y - 1) != 7", ["1", "3"]),
            ("a.z % 3 = -1", ["1", "2"]),
            ("a.z / 2 = -3.5", ["1"]),
        ],
    )
    def test_null_and_arithmetic(self, where, expected):
        query = f"PATTERN A a WHERE {where}"
        assert times(query, "A,1,x=1,y=0,z=-7 A,2,x=null,y=1,z=-4 A,3,x=2,y=0,z=7") == expected

    def test_an_attribute_that_the_type_lacks(self):
        declared = {"A": ["x"], "B": ["y"]}
        query = "PATTERN ANY(A, B) v WHERE v.x = 1"
        assert times(query, "A,1,x=1 A,2,x=2 A,3,x=null B,4,y=2", declared=declared) == ["1", "4"]

    def test_unbound_variables_satisfy(self):
        query = "PATTERN SEQ(A a, B? b, C c) WHERE b.x = c.x"
        assert times(query, "A,1,x=0 B,2,x=1 C,3,x=2") == ["1 3"]

    def test_times_as_text(self):
        day = datetime.datetime(2024, 1, 31, 9, 30)
        events = [{"type": "A", "time": day}, {"type": "A", "time": day.replace(hour=12)}]
        query = "PATTERN A a WHERE a.time > '2024-01-31 10:00:00' RETURN a.time AS t"
        assert ask(query, events) == [{"t": day.replace(hour=12)}]


class TestNegation:
    @pytest.mark.parametrize(
        ("events", "expected"),
        [
            pytest.param("A,1,x=1 C,2,x=2 B,3", ["1 3"], id="other-value"),
            pytest.param("A,1,x=1 C,2,x=1 B,3", [], id="blocked"),
            pytest.param("A,1,x=3 B,3", [], id="not-formed"),
        ],
    )
    def test_or_over_negated_events(self, events, expected):
        query = """
            PATTERN SEQ(A a, !C c, B) WHERE (a.x = 1 AND c.x = 1) OR (a.x = 2 AND c.x = 2)
        """
        assert times(query, events) == expected

    def test_or_needs_one_branch_that_nothing_blocks(self):
        query = "PATTERN SEQ(A, !C c, B) WHERE c.x = 1 OR c.y = 1"
        assert times(query, "A,1 C,2,x=1,y=0 B,4") == ["1 4"]
        assert times(query, "A,1 C,2,x=1,y=0 C,3,x=0,y=1 B,4") == []

    def test_any_and_partitions(self):
        query = "PATTERN SEQ(A, !ANY(C, D), B) WHERE [k]"
        assert times(query, "A,1,k=1 C,2,k=2 B,3,k=1 D,4,k=1 B,5,k=1") == ["1 3"]

    def test_sub_patterns_and_nested_negation(self):
        query = "PATTERN SEQ(A, !(SEQ(B, !D, C)), E)"
        assert times(query, "A,1 B,2 C,4 E,5") == []
        assert times(query, "A,1 B,2 D,3 C,4 E,5") == ["1 5"]
        assert times(query, "A,1 C,2 B,3 E,5") == ["1 5"]

    def test_events_beside_the_gap_do_not_block(self):
        assert times("PATTERN SEQ(A, !C, B)", "C,1 A,1 B,2 C,2") == ["1 2"]

    def test_optional_parts(self):
        query = "PATTERN SEQ(A, !C, B?, D)"
        assert times(query, "A,1 C,2 B,3 D,4") == []
        assert times(query, "A,1 B,2 C,3 D,4") == ["1 2 4"]

    def test_at_the_border_of_a_repeated_group(self):
        query = "PATTERN SEQ((SEQ(A, !C))+, B)"
        assert times(query, "A,1 C,2 A,3 B,4") == ["3 4"]

    def test_start_and_end_with_within_alone(self):
        query = "PATTERN SEQ(A, B, !C) WITHIN 9 RETURN COUNT(*) AS n"
        assert ask(query, rows("A,1 B,2 C,3 B,4")) == [{"time": 2, "n": 1}, {"time": 4, "n": 1}]
        query = "PATTERN SEQ(!C, A, B) WITHIN 5 RETURN COUNT(*) AS n"
        # at 6 the C has expired: it lies before the reach of (4, 6), but in that of (4, 5)
        assert ask(query, rows("C,1 A,4 B,5 B,6")) == [{"time": 5, "n": 0}, {"time": 6, "n": 1}]

    @pytest.mark.parametrize("unit", ["", " EVENTS"])
    def test_a_start_negation_with_within_alone_is_a_property_of_the_match(self, unit):
        """What expires while a match lies in the window does not bring the match back."""
        events = rows("C,0 A,1 B,2 B,3 B,4")
        query = f"PATTERN SEQ(!C, A, B) WITHIN 3{unit} RETURN COUNT(*) AS n"
        found = [(row["time"], row["n"]) for row in ask(query, events)]
        assert found == [(2, 0), (3, 1), (4, 0)]

    def test_with_slide_start_and_end_negations_see_the_window(self):
        query = "PATTERN SEQ(!C, A, B) WITHIN 4 SLIDE 2 RETURN COUNT(*) AS n"
        assert ask(query, rows("C,1 A,2 B,3")) == [{"window_start": 2, "window_end": 6, "n": 1}]
        query = "PATTERN SEQ(A, B, !C) WITHIN 4 SLIDE 2 RETURN COUNT(*) AS n"
        assert ask(query, rows("A,2 B,3 C,4")) == [{"window_start": 0, "window_end": 4, "n": 1}]

    def test_predicates_with_a_negated_array(self):
        query = "PATTERN SEQ(A, !(C{2} c[]), B) WHERE c[i].x > c[i-1].x"
        assert times(query, "A,1 C,2,x=2 C,3,x=1 B,4") == ["1 4"]
        assert times(query, "A,1 C,2,x=1 C,3,x=2 B,4") == []


class TestWindows:
    def test_counts_of_events(self):
        query = "PATTERN SEQ(A, B) WHERE [k] WITHIN 2 EVENTS"
        events = "A,1,k=1 Z,2,k=2 B,3,k=1 B,3,k=1 B,4,k=1"
        assert times(query, events) == ["1 3", "1 3"]

    def test_negation_reaches_as_many_events(self):
        query = "PATTERN SEQ(A, !C) WITHIN 3 EVENTS"
        assert times(query, "A,1 Z,2 C,3") == []
        assert times(query, "A,1 Z,2 Z,3 C,4") == ["1"]

    def test_sliding_counts(self):
        query = "PATTERN SEQ(A, B) WITHIN 4 EVENTS SLIDE 2 EVENTS RETURN COUNT(*) AS n"
        assert ask(query, rows("A,10 A,20 B,30 A,40 B,50")) == [
            {"window_start": 0, "window_end": 4, "n": 2},
            {"window_start": 2, "window_end": 6, "n": 1},
        ]

    def test_counts_alone(self):
        query = "PATTERN SEQ(A, B) WITHIN 3 EVENTS RETURN COUNT(*) AS n"
        assert ask(query, rows("A,10 A,20 B,30 B,40")) == [
            {"time": 30, "n": 2},
            {"time": 40, "n": 2},
        ]

    def test_a_group_is_the_sum_of_its_partitions_expiry_included(self):
        query = "PATTERN SEQ(A, B) WHERE [k] WITHIN 5 GROUP BY g RETURN g, COUNT(*) AS n"
        events = "A,1,g=1,k=1 B,2,g=1,k=1 A,3,g=1,k=2 B,4,g=1,k=2 B,6,g=1,k=3 B,7,g=2,k=1"
        assert ask(query, rows(events)) == [
            {"time": 2, "g": 1, "n": 1},
            {"time": 4, "g": 1, "n": 2},
            {"time": 6, "g": 1, "n": 1},
            {"time": 7, "g": 2, "n": 0},
        ]

    def test_a_row_needs_the_local_predicates_of_a_last_position(self):
        query = "PATTERN SEQ(A a, B b) WHERE b.x > 1 AND a.x < b.x WITHIN 5 RETURN COUNT(*) AS n"
        events = rows("A,1,x=3 B,2,x=1 B,3,x=2 B,4,x=5")
        assert ask(query, events) == [{"time": 3, "n": 0}, {"time": 4, "n": 1}]

    def test_order_columns_tell_rows_of_one_time_apart(self):
        query = "PATTERN SEQ(A, B) WITHIN 5 RETURN COUNT(*) AS n"
        events = rows("B,1,seq=3 A,1,seq=2 B,1,seq=1")
        assert ask(query, events, order=["seq"]) == [
            {"time": 1, "seq": 1, "n": 0},
            {"time": 1, "seq": 3, "n": 1},
        ]
        assert ask(query, events) == [{"time": 1, "n": 0}]

    def test_expiry_on_request(self):
        events = rows("A,1 B,2 A,3 B,4")
        query = bind("PATTERN SEQ(A, B) WITHIN 5 RETURN COUNT(*) AS n", schema_of(events))
        found = evaluate(query, events, on_expiry=True)
        assert [(row["time"], row["n"]) for row in found] == [(2, 1), (4, 3), (6, 1), (8, 0)]

    def test_sliding_windows_are_aligned_and_hold_whole_trends(self):
        query = "PATTERN SEQ(A, B) WITHIN 4 SLIDE 2 RETURN COUNT(*) AS n"
        assert ask(query, rows("A,-1 B,1 A,3 B,4")) == [
            {"window_start": -2, "window_end": 2, "n": 1},
            {"window_start": 2, "window_end": 6, "n": 1},
        ]

    def test_timestamps(self):
        noon = datetime.datetime(2024, 5, 1, 12)
        minutes = [("A", 0), ("B", 50), ("B", 60)]
        events = [{"type": t, "time": noon + datetime.timedelta(minutes=m)} for t, m in minutes]
        query = "PATTERN SEQ(A, B) WITHIN 1 hour SLIDE 1 hour RETURN COUNT(*) AS n"
        end = noon.replace(hour=13)
        assert ask(query, events) == [{"window_start": noon, "window_end": end, "n": 1}]

    def test_within_between(self):
        query = "PATTERN SEQ(A+ a, B b) WITHIN 3 BETWEEN a, b"
        assert times(query, "A,1 A,2 B,4") == ["1 2 4", "2 4"]
        assert times(f"{query} {NEXT}", "A,1 B,4 A,5 B,6") == ["1 5 6", "5 6"]


class TestPartitions:
    EVENTS = "A,1,k=1 Z,2,k=null Z,3,k=2 A,4,k=1 Z,5,k=1 A,6,k=1"

    @pytest.mark.parametrize(
        ("strategy", "expected"),
        [
            pytest.param("strict_contiguity", ["1", "4", "6"], id="strict"),
            pytest.param("contiguous", ["1", "1 4", "4", "6"], id="contiguous"),
        ],
    )
    def test_what_breaks_contiguity(self, strategy, expected):
        assert times(f"PATTERN A+ SEMANTICS {strategy} WHERE [k]", self.EVENTS) == expected

    def test_a_predicate_hides_no_event_from_contiguity(self):
        query = f"PATTERN A+ a {CONTIGUOUS} WHERE a.x > 0"
        assert times(query, "A,1,x=1 A,2,x=0 A,3,x=1") == ["1", "3"]

    def test_an_event_without_partition_matches_nothing(self):
        assert times("PATTERN A WHERE [k]", "A,1,k=null A,2,k=1") == ["2"]


class TestAnd:
    @pytest.mark.parametrize(
        ("pattern", "events", "expected"),
        [
            pytest.param("A AND B", "A,1 A,2 B,3", 2, id="disjoint"),
            pytest.param("A AND A", "A,1 A,2 A,3", 3, id="same"),
            # C1 = {1, 2, 3}, C2 = {1, 2, 3, 12, 13, 23, 123}: 0 + 0 + 4·3 + 3
            pytest.param("A AND A+", "A,1 A,2 A,3", 15, id="overlapping"),
            pytest.param("(A OR A) AND B", "A,1 B,2", 1, id="positions-forgotten"),
        ],
    )
    def test_pairs(self, pattern, events, expected):
        assert ask(f"PATTERN {pattern} RETURN COUNT(*) AS n", rows(events)) == [{"n": expected}]

    def test_a_type_is_of_both_trends_and_a_variable_of_its_side(self):
        query = "PATTERN A+ a AND SEQ(A, B) RETURN COUNT(*) AS n, SUM(A.x) AS s, SUM(a.x) AS own"
        # {1} and {1, 2} is the only pair; its one A event is in both trends
        assert ask(query, rows("A,1,x=5 B,2,x=7")) == [{"n": 1, "s": 10, "own": 5}]

    def test_a_variable_of_a_pair_whose_trends_are_of_both_sides(self):
        query = "PATTERN A a AND A w RETURN SUM(a.x) AS a, SUM(w.x) AS w"
        assert ask(query, rows("A,1,x=1 A,2,x=10 A,3,x=100")) == [{"a": 12, "w": 210}]

    def test_one_span_and_one_partition(self):
        assert times("PATTERN A AND B WITHIN 3", "A,1 A,2 B,4") == ["2 4"]
        assert times("PATTERN A AND B WHERE [k]", "A,1,k=1 B,2,k=2 B,3,k=1") == ["1 3"]


def test_skip_till_any_is_every_sequence_that_satisfies_where():
    """Without LAST and ALL, testing step by step is the same as testing whole sequences."""
    chooser = random.Random(7)
    query = "PATTERN SEQ((SEQ(A+ a[], B? b))+, C c) WHERE a.x <= c.x AND A.x != NEXT(A).x WITHIN 6"
    for _ in range(60):
        size = chooser.randint(1, 7)
        events = [
            {
                "type": chooser.choice("AABC"),
                "time": chooser.randint(0, 7),
                "x": chooser.choice((0, 1, 2, None)),
            }
            for _ in range(size)
        ]
        found = matches(bind(query, schema_of([{"x": 0}, *events])), events)
        assert len(found) == sum(
            _is_a_match(sequence)
            for length in range(1, size + 1)
            for sequence in combinations(sorted(events, key=lambda event: event["time"]), length)
        )


def _is_a_match(sequence):
    word = "".join(event["type"] for event in sequence)
    last = sequence[-1]
    return (
        word[-1] == "C"
        and word[0] == "A"
        and set(word[:-1]) <= {"A", "B"}
        and "BB" not in word
        and all(left["time"] < right["time"] for left, right in pairwise(sequence))
        and last["time"] - sequence[0]["time"] < 6
        and all(_at_most(event["x"], last["x"]) for event in sequence if event["type"] == "A")
        and all(
            None not in (left["x"], right["x"]) and left["x"] != right["x"]
            for left, right in pairwise(sequence)
            if left["type"] == right["type"] == "A"
        )
    )


def _at_most(left, right):
    return None not in (left, right) and left <= right


@pytest.mark.parametrize("strategy", ["", NEXT, "WHERE skip_till_next_match", CONTIGUOUS])
def test_aggregates_equal_those_over_the_matches(strategy):
    for types in product("AB", repeat=6):
        events = [{"type": kind, "time": time} for time, kind in enumerate(types)]
        pattern = f"PATTERN SEQ(A+, B?) {strategy}"
        found = matches(bind(pattern, schema_of(events)), events)
        counted = ask(f"{pattern} RETURN COUNT(*) AS n, COUNT(A) AS a", events)
        a_events = sum(event.type == "A" for match in found for event, _ in match)
        assert counted == ([{"n": len(found), "a": a_events}] if found else [])
