"""Every worked example of the semantics page, against the oracle.

HAMLET eq. 8-10 and examples 4.4, 4.6 are about the cost of plans, which the oracle does not have:
they are in test_hamlet_sharing.py.
"""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from cepheid.generate import generate
from cepheid.testing import events
from tests.oracle import ask, bind, evaluate, matches, schema_of

ANY = ""
NEXT = "SEMANTICS skip-till-next-match"
KLEENE_NEXT = "WHERE skip_till_next_match"  # SASE+: leaving a repetition is optional
CONTIGUOUS = "SEMANTICS contiguous"


def count(query, stream, **options):
    """The number of trends; a query is a pattern and any clauses."""
    rows = ask(f"PATTERN {query} RETURN COUNT(*)", _listed(stream), **options)
    return rows[0]["count"] if rows else 0


def found(query, stream, **options):
    """The matches, each as a string of times."""
    stream = _listed(stream)
    bound = bind(f"PATTERN {query}", schema_of(stream, **options))
    return [" ".join(str(event.time) for event, _ in match) for match in matches(bound, stream)]


def count_by_end(query, stream):
    """The number of trends by the time of their last event."""
    return dict(Counter(int(each.split()[-1]) for each in found(query, stream)))


def count_by_time(query, stream):
    """A-Seq: the count at each event that can end a match, and when expiry changes it."""
    stream = _listed(stream)
    bound = bind(f"PATTERN {query} RETURN COUNT(*)", schema_of(stream))
    return {row["time"]: row["count"] for row in evaluate(bound, stream, on_expiry=True)}


def _listed(stream):
    return events(stream) if isinstance(stream, str) else stream


class TestCogra:
    STREAM = "a1 b2 a3 a4 c5 b6 a7 b8"
    PATTERN = "(SEQ(A+, B))+"

    @pytest.mark.parametrize(
        ("strategy", "expected"),
        [
            pytest.param(ANY, {2: 1, 6: 10, 8: 32}, id="example-2.2-any-43"),
            pytest.param(NEXT, {2: 1, 6: 3, 8: 4}, id="table-8-next-8"),
            pytest.param(KLEENE_NEXT, {2: 1, 6: 4, 8: 9}, id="sase-plus-next-14"),
            pytest.param(CONTIGUOUS, {2: 1, 8: 1}, id="table-8-contiguous-2"),
        ],
    )
    def test_example_2_2_tables_6_and_8(self, strategy, expected):
        query = f"{self.PATTERN} {strategy}"
        assert count_by_end(query, self.STREAM) == expected
        assert count(query, self.STREAM) == sum(expected.values())

    def test_table_7_an_edge_that_a_predicate_forbids(self):
        stream = "a1 b2(x=1) a3(x=2) a4(x=2) c5 b6(x=2) a7(x=2) b8(x=1)"
        assert count(f"{self.PATTERN} WHERE B.x < NEXT(A).x", stream) == 33

    @pytest.mark.parametrize(
        ("strategy", "expected"),
        [
            pytest.param(ANY, (100, 66, 352, 3.52, 1, 7, 404), id="any"),
            pytest.param(NEXT, (17, 13, 67, 67 / 17, 1, 7, 74), id="next"),
            pytest.param(CONTIGUOUS, (2, 2, 8, 4, 1, 7, 10), id="contiguous"),
        ],
    )
    def test_table_9_aggregates(self, strategy, expected):
        query = f"""
            PATTERN {self.PATTERN} {strategy}
            RETURN COUNT(A), COUNT(B), SUM(A.time), AVG(A.time), MIN(A.time), MAX(A.time),
                SUM(B.time)
        """
        (row,) = ask(query, events(self.STREAM))
        assert tuple(row.values()) == expected

    @pytest.mark.parametrize(
        ("query", "stream", "expected"),
        [
            pytest.param(f"SEQ(A, B) {NEXT}", "a1 a2 b3", 2, id="def-2.6-every-start"),
            pytest.param(
                f"S+ WHERE S.price > NEXT(S).price {NEXT}",
                "s1(price=10) s2(price=12) s3(price=8)",
                5,
                id="def-2.6-adjacent-predicate",
            ),
            pytest.param("A{3,}", "a1 a2 a3 a4 a5", 16, id="app-c-at-least-any"),
            pytest.param(f"A{{3,}} {NEXT}", "a1 a2 a3 a4 a5", 6, id="app-c-at-least-next"),
            pytest.param("SEQ(A+, B, A)", "a1 a2 b3 a4 a5", 6, id="app-c-type-twice"),
            pytest.param(f"SEQ(S, A*, B) {NEXT}", "s1 a2 b3", 1, id="app-c-star-is-relevant"),
            pytest.param("SEQ(A+, !C, B)", "a1 c2 a3 b4", 2, id="app-c-negation-any"),
            pytest.param(f"SEQ(A+, !C, B) {NEXT}", "a1 c2 a3 b4", 2, id="app-c-negation-next"),
            pytest.param(
                f"SEQ(A+, !C, B) {KLEENE_NEXT}", "a1 c2 a3 b4", 2, id="app-c-negation-sase-plus"
            ),
        ],
    )
    def test_definition_2_6_and_appendix_c(self, query, stream, expected):
        assert count(query, stream) == expected


class TestASeq:
    @pytest.mark.parametrize(
        ("query", "stream", "expected"),
        [
            pytest.param(
                "SEQ(A, B, C) WITHIN 5 s", "a1 b2 c3 c4 b6", {3: 1, 4: 2, 6: 0}, id="example-1"
            ),
            pytest.param(
                "SEQ(A, B, C) WITHIN 100 s", "a1 b2 c3 a4 b5 c6", {3: 1, 6: 4}, id="figure-2"
            ),
            pytest.param("SEQ(A, B) WITHIN 100 s", "a1 a2 b3 a4 b5", {3: 2, 5: 5}, id="example-2"),
            pytest.param(
                "SEQ(A, B, C, D) WITHIN 7 s",
                "a1 b2 c3 a4 c5 b6 d7 c8 a9 d10",
                {7: 2, 8: 0, 10: 1},
                id="example-3-figure-6",
            ),
            pytest.param(
                "SEQ(A, B, C, D) WITHIN 7 s",
                "a1 b2 c3 a4 c5 b6 d7 c8 a9 d11",
                {7: 2, 8: 0, 11: 0},
                id="example-3-later",
            ),
            pytest.param(
                "SEQ(A, B, !C, D) WITHIN 100 s",
                "a1 b2 c3 a4 b5 d6",
                {6: 2},
                id="example-4-figure-7",
            ),
            pytest.param(
                "SEQ(A, B, C, D, E) WITHIN 9 s",
                "a1 b2 c3 a4 b5 d6 c7 a8 d9 e10",
                {10: 1},
                id="figure-10",
            ),
            pytest.param(
                "SEQ(A, B, C, D, E) WITHIN 100 s",
                "a1 b2 c3 a4 b5 d6 c7 a8 d9 e10",
                {10: 5},
                id="figure-10-no-window",
            ),
        ],
    )
    def test_count_over_time(self, query, stream, expected):
        counts = count_by_time(query, stream)
        assert {time: counts[time] for time in expected} == expected

    def test_section_5_sum_is_over_the_matches(self):
        query = "PATTERN SEQ(A, B, C, D) RETURN SUM(C.time) AS total"
        assert ask(query, events("a1 b2 c3 d4 c5 d6")) == [{"total": 11}]  # paper's formula: 12


class TestHamlet:
    STREAM = "a1 a2 c3 b4 b5 b6 b7 a8 a9 c10 c11 c12 b13"

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            pytest.param("SEQ(A, B+)", {4: 2, 5: 4, 6: 8, 7: 16, 13: 34}, id="q1-64"),
            pytest.param("SEQ(C, B+)", {4: 1, 5: 2, 6: 4, 7: 8, 13: 19}, id="q2-34"),
        ],
    )
    def test_example_3_10_tables_3_and_4(self, query, expected):
        assert count_by_end(query, self.STREAM) == expected

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            pytest.param("SEQ(A, B+)", {4: 2, 5: 4, 6: 8, 7: 16, 13: 34}, id="q1-z-8"),
            pytest.param(
                "SEQ(C, B+) WHERE B.low != NEXT(B).high",
                {4: 1, 5: 2, 6: 2, 7: 6, 13: 15},
                id="q2-z-2-sum-26",
            ),
        ],
    )
    def test_example_3_12_table_5_an_edge_for_one_query_only(self, query, expected):
        stream = """
            a1 a2 c3 b4(low=0, high=1) b5(low=5, high=1) b6(low=0, high=5) b7(low=0, high=1)
            a8 a9 c10 c11 c12 b13(low=0, high=1)
        """
        assert count_by_end(query, stream) == expected

    def test_q1_end_negation_means_in_the_same_window(self):
        query = "PATTERN SEQ(R, T+, NOT P) WITHIN 30 SLIDE 10 RETURN COUNT(*)"
        assert ask(query, events("r0 t5 p20")) == [
            {"window_start": -20, "window_end": 10, "count": 1},
            {"window_start": -10, "window_end": 20, "count": 1},
        ]


class TestSase:
    @pytest.mark.parametrize(
        ("clauses", "expected"),
        [
            pytest.param("", ["1 3 9", "1 6 9", "4 6 9"], id="figure-3"),
            pytest.param("WITHIN 6", ["4 6 9"], id="figure-3-window"),
            pytest.param("WHERE [k]", ["4 6 9"], id="figure-4-partitioned"),
        ],
    )
    def test_figures_3_and_4(self, clauses, expected):
        stream = "a1(k=1) b3(k=1) a4(k=2) b6(k=2) d9(k=2)"
        assert found(f"SEQ(A, B, D) {clauses}", stream) == expected

    @pytest.mark.parametrize(
        ("attributes", "expected"), [("[attr1]", 3), ("[attr2]", 3), ("[attr1, attr2]", 1)]
    )
    def test_figure_5(self, attributes, expected):
        pairs = {"a1": (1, 1), "a2": (2, 3), "a3": (1, 3), "b5": (2, 1), "b6": (1, 3)}
        stream = " ".join(f"{name}(attr1={x},attr2={y})" for name, (x, y) in pairs.items())
        assert count(f"SEQ(A, B) WHERE {attributes}", stream) == expected

    @pytest.mark.parametrize(
        ("query", "stream", "expected"),
        [
            pytest.param("SEQ(A, !B)", "a1 b5", [], id="end-blocked"),
            pytest.param("SEQ(A, !B)", "a1 b6", ["1"], id="end-free"),
            pytest.param("SEQ(!B, A)", "b2 a6", [], id="start-blocked"),
            pytest.param("SEQ(!B, A)", "b1 a6", ["6"], id="start-free"),
        ],
    )
    def test_2_2_2_negation_at_the_borders(self, query, stream, expected):
        assert found(f"{query} WITHIN 5", stream) == expected

    @pytest.mark.parametrize(
        ("counter_minute", "expected"),
        [pytest.param(30, 0, id="paid"), pytest.param(61, 1, id="misplaced")],
    )
    def test_2_3_misplaced_inventory(self, counter_minute, expected):
        """A counter reading has no shelf_id, so the predicate on it is true."""
        query = """
            SEQ(SHELF-READING x, SHELF-READING y, ! (ANY(COUNTER-READING, SHELF-READING) z))
            WHERE [id] AND x.shelf_id != y.shelf_id AND x.shelf_id = z.shelf_id
            WITHIN 1 hour
        """
        stream = f"""
            SHELF-READING@0(id=7, shelf_id=1) SHELF-READING@600(id=7, shelf_id=2)
            COUNTER-READING@{counter_minute * 60}(id=7)
        """
        declared = {"SHELF-READING": ["id", "shelf_id"], "COUNTER-READING": ["id"]}
        assert len(found(query, stream, declared=declared)) == expected

    @pytest.mark.parametrize(
        ("values", "expected", "tolerance"),
        [pytest.param(100, 0.208, 0.1, id="V-100"), pytest.param(10_000, 2.08e-5, 0.8, id="V-1e4")],
    )
    def test_equation_1_selectivity_of_the_generator(self, values, expected, tolerance):
        """SEQ(E1, E2, E3), [attr1]: (W choose L) / (T^L · V^(L-1) · W) results per event.

        So many lie in one window of W events, per event of it. With a window that slides by every
        event, the last event of a result is given: (W-1 choose L-1) / (T^L · V^(L-1)), L times as
        many.
        """
        window, size = 10_000, 300_000
        stream = generate("typed", events=size, attr1_values=values)
        types = stream["type"].to_numpy(zero_copy_only=False)
        attribute = stream["attr1"].to_numpy()
        prefixes: dict[tuple[int, int], list[int]] = {}  # E1, E1 E2, E1 E2 E3 so far
        for time in np.flatnonzero(np.isin(types, ["E1", "E2", "E3"])):
            counts = prefixes.setdefault((time // window, attribute[time]), [1, 0, 0, 0])
            length = int(types[time][1:])
            counts[length] += counts[length - 1]
        results = sum(counts[3] for counts in prefixes.values())
        assert results / size == pytest.approx(expected, rel=tolerance)


class TestSasePlus:
    PRICES = (100, 120, 120, 121, 120, 125, 120, 120)
    VOLUMES = (1010, 990, 1005, 999, 999, 750, 950, 700)
    STREAM = " ".join(
        f"Stock@{time}(symbol=X, price={price}, volume={volume})"
        for time, (price, volume) in enumerate(zip(PRICES, VOLUMES, strict=True), start=1)
    )
    NEXT_MATCHES = ("1 2 3 4 5 6", "3 4 6", "1 2 3 4 5 6 7 8")

    def query_3(self, strategy, aggregate="avg", semantics=""):
        return f"""
            SEQ(Stock+ a[], Stock b) {semantics}
            WHERE {strategy} {{
                [symbol]
                and a[1].volume > 1000
                and a[i].price > {aggregate}(a[..i-1].price)
                and b.volume < 80%*a[a.LEN].volume }}
            WITHIN 1 hour
        """

    def test_figure_3_skip_till_next(self):
        query = self.query_3("skip_till_next_match(a[], b)")
        assert sorted(found(query, self.STREAM)) == sorted(self.NEXT_MATCHES)

    def test_figure_3_skip_till_next_by_definition_2_6(self):
        query = self.query_3("skip_till_next_match(a[], b)")
        query = query.replace("skip_till_next_match(a[], b) {", "").replace("}", "")
        assert sorted(found(f"{query} {NEXT}", self.STREAM)) == sorted(self.NEXT_MATCHES)

    @pytest.mark.parametrize(
        ("strategy", "expected"), [("partition_contiguity", 2), ("skip_till_any_match", 68)]
    )
    def test_figure_3_other_strategies(self, strategy, expected):
        assert len(found(self.query_3(strategy), self.STREAM)) == expected

    def test_section_6_2_non_overlapping(self):
        query = self.query_3("skip_till_next_match") + "OUTPUT NON OVERLAPPING"
        assert len(found(query, self.STREAM)) == 1

    def test_figure_6_merging_runs(self):
        query = self.query_3("skip_till_next_match", "max")
        assert sorted(found(query, self.STREAM)) == ["1 2 4 6", "3 4 6"]
        assert len(found(self.query_3("skip_till_any_match", "max"), self.STREAM)) == 19

    @pytest.mark.parametrize(
        ("strategy", "expected"), [("skip_till_any_match", 3), ("skip_till_next_match", 2)]
    )
    def test_query_2_contamination(self, strategy, expected):
        query = f"""
            SEQ(Alert a, Shipment+ b[])
            WHERE {strategy}(a, b[]) {{
                a.kind = 'contaminated' and b[1].from = a.site and b[i].from = b[i-1].to }}
            WITHIN 3 hours
        """
        stream = """
            Alert@1(kind=contaminated, site=1) Shipment@2(from=1, to=2) Shipment@3(from=1, to=3)
            Shipment@4(from=2, to=4)
        """
        assert len(found(query, stream)) == expected


class TestDecisions:
    @pytest.mark.parametrize(("strategy", "expected"), [(ANY, ["1 4"]), (NEXT, [])])
    def test_negation_a_blocked_match_still_took_its_event(self, strategy, expected):
        query = f"SEQ(A a, !C c, B b) WHERE c.x = b.x {strategy}"
        assert found(query, "a1 c2(x=1) b3(x=1) b4(x=2)") == expected

    @pytest.mark.parametrize(
        ("query", "stream", "expected"),
        [
            pytest.param(f"SEQ(A, B, C) {CONTIGUOUS}", "a@1 b@2 b@2 c@3", 2, id="pairwise"),
            pytest.param("SEQ(A+, B)", "a@1 a@1 b@2 b@2 b@3", 6, id="any"),
            pytest.param(f"SEQ(A+, B) {NEXT}", "a@1 a@1 b@2 b@2 b@3", 4, id="next"),
            pytest.param(f"SEQ(A+, B) {KLEENE_NEXT}", "a@1 a@1 b@2 b@2 b@3", 6, id="sase-plus"),
            pytest.param(f"SEQ(A+, B) {CONTIGUOUS}", "a@1 a@1 b@2 b@2 b@3", 4, id="contiguous"),
        ],
    )
    def test_ties(self, query, stream, expected):
        assert count(query, stream) == expected

    @pytest.mark.parametrize(
        ("strategy", "expected"),
        [
            pytest.param(ANY, 5, id="any"),
            pytest.param(NEXT, 2, id="next"),
            pytest.param(KLEENE_NEXT, 3, id="sase-plus-next"),
        ],
    )
    def test_groups(self, strategy, expected):
        query = f"SEQ((SEQ(A, B))+, C) {strategy}"
        assert count(query, "a1 b2 c3 a4 b5 c6") == expected

    @pytest.mark.parametrize(("size", "expected"), [(4, 11), (6, 57), (8, 247), (10, 1013)])
    def test_growth_of_contiguous_ambiguity(self, size, expected):
        stream = " ".join(f"a{time}" for time in range(1, size + 1))
        assert count(f"(SEQ(A+, A+))+ {CONTIGUOUS}", stream) == expected

    @pytest.mark.parametrize(("size", "expected"), [(2, 8), (4, 52), (6, 240), (8, 1004)])
    def test_growth_of_contiguous_ties(self, size, expected):
        stream = " ".join(f"a@{time} a@{time}" for time in range(1, size + 1))
        assert count(f"A+ {CONTIGUOUS}", stream) == expected

    @pytest.mark.parametrize(
        ("pairs", "kleene_next", "next_"), [(2, 8, 6), (4, 52, 20), (6, 240, 42), (8, 1004, 72)]
    )
    def test_growth_of_options(self, pairs, kleene_next, next_):
        stream = " ".join(f"a{2 * each} b{2 * each + 1}" for each in range(pairs))
        assert count(f"(SEQ(A, B?))+ {KLEENE_NEXT}", stream) == kleene_next
        assert count(f"(SEQ(A, B?))+ {NEXT}", stream) == next_

    @pytest.mark.parametrize(
        ("query", "stream", "expected"),
        [
            pytest.param("A{1,3}", "a1 a2 a3", 7, id="one-path-per-count"),
            pytest.param(f"(A+){{2,}} {CONTIGUOUS}", "a1 a2 a3 a4", 10, id="of-a-repetition"),
            pytest.param(f"SEQ(A{{1,3}}, B) {KLEENE_NEXT}", "a1 b2 a3 b4", 3, id="copies-loop"),
        ],
    )
    def test_repetition(self, query, stream, expected):
        assert count(query, stream) == expected

    @pytest.mark.parametrize("stream", [*permutations(events("a@1(x=1) a@1(x=2) b@2(x=0)"))])
    def test_non_overlapping_does_not_depend_on_arrival(self, stream):
        rows = ask("PATTERN SEQ(A, B) RETURN A.x AS x OUTPUT NON OVERLAPPING", list(stream))
        assert rows == [{"x": 1}]
