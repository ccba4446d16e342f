"""Queries in no sharing set: lanes of adjacent predicates, segments, one scan."""

import logging

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.shared.run_lanes import LaneTask, run_lanes
from cepheid.errors import DataError
from tests.engine.other_queries import ROLES, others_of, rows_alone, run, table_of

COUNT = "RETURN COUNT(*) AS n"
RISING = "WHERE b.x < NEXT(b).x"


class TestLanes:
    STREAM = "a1 c2 b3(x=1) b4(x=3) b5(x=2) a6 b7(x=4) b8(x=3) c9 b10(x=9)"

    def test_windows_patterns_and_sums(self):
        texts = [
            f"PATTERN SEQ(A, B b+) {RISING} {COUNT}",
            f"PATTERN SEQ(C, B b+) {RISING} WITHIN 6 SLIDE 3 RETURN SUM(b.x) AS total",
            f"PATTERN SEQ(A a+, B b+, C) {RISING} WITHIN 4 SLIDE 4 RETURN AVG(b.x) AS mean",
            f"PATTERN SEQ(A, B b{{2,}}) {RISING} WITHIN 5 SLIDE 2 RETURN COUNT(b) AS events",
        ]
        table = table_of(self.STREAM)
        ((places, lanes),) = others_of(texts, table).lanes
        assert places == (0, 1, 2, 3)
        found = run(run_lanes, LaneTask, lanes, table)
        assert [each.to_pylist() for each in found] == rows_alone(texts, table)
        # SEQ(A, B+) after one or two A: rising sequences 1 3 4 9, 2 4 9, 2 3 9, …
        together = cepheid.workload(texts).run(table, **ROLES)
        assert [each.to_pylist() for each in together.values()] == rows_alone(texts, table)

    def test_minima_beside_counts_and_sums(self):
        texts = [
            f"PATTERN SEQ(A, B b+) {RISING} RETURN MIN(b.x) AS low, MAX(b.x) AS high",
            f"PATTERN SEQ(C, B b+) {RISING} WITHIN 6 SLIDE 3 RETURN SUM(b.x) AS total",
            f"PATTERN SEQ(A a+, B b+) {RISING} WITHIN 4 SLIDE 2 RETURN MAX(b.x) AS high, COUNT(*)",
            f"PATTERN SEQ(A, B b{{2,}}) {RISING} WITHIN 5 SLIDE 2 RETURN MIN(b.y) AS low",
        ]
        table = table_of(self.STREAM.replace("x=3", "x=3, y=7").replace("x=2", "x=2, y=5"))
        ((places, lanes),) = others_of(texts, table).lanes
        assert places == (0, 1, 2, 3)
        found = [each.to_pylist() for each in run(run_lanes, LaneTask, lanes, table)]
        assert found == rows_alone(texts, table)
        assert found[0] == [{"low": 1, "high": 9}]

    def test_equal_and_unequal(self):
        texts = [
            f"PATTERN SEQ({first}, B b+) WHERE b.x {sign} NEXT(b).x {COUNT}"
            for first in "AC"
            for sign in ("=", "!=", ">=")
        ]
        table = table_of("a1 c2 b3(x=1) b4(x=3) b5(x=1) b6(x=3) b7(x=2)")
        ((places, lanes), *_) = others_of(texts, table).lanes
        assert places == (0, 3)
        assert len(lanes.edges) == 3
        together = cepheid.workload(texts).run(table, **ROLES)
        assert [each.to_pylist() for each in together.values()] == rows_alone(texts, table)

    @pytest.mark.parametrize(
        ("pattern", "stream"),
        [
            pytest.param("B b+", [{"type": "B", "time": n, "x": n} for n in range(300)],
                         id="counts-beyond-floats"),
            pytest.param("SEQ(B b, B c, B d, B e)", [
                {"type": "B", "time": n, "x": n} for n in range(60_000)
            ], id="bigint-beyond-53-bits"),
            pytest.param("B b+", [{"type": "B", "time": n, "x": x} for n, x in
                         enumerate((1.0, float("nan"), 2.0))], id="nan-has-no-place"),
        ],
    )  # fmt: skip
    def test_what_needs_a_fold_of_its_own(self, pattern, stream):
        test = "WHERE b.x != NEXT(b).x" if isinstance(stream[0]["x"], float) else RISING
        if "d" in pattern:
            test = "WHERE b.x < NEXT(c).x AND c.x < NEXT(d).x AND d.x < NEXT(e).x"
        texts = [f"PATTERN {pattern} {test} {each} {COUNT}" for each in ("", "WITHIN 9 SLIDE 9")]
        table = table_of(stream)
        ((_, lanes),) = others_of(texts, table).lanes
        assert run(run_lanes, LaneTask, lanes, table) is None
        together = cepheid.workload(texts).run(table, **ROLES)
        assert [each.to_pylist() for each in together.values()] == rows_alone(texts, table)

    def test_many_positions_are_cut_into_several_folds(self):
        texts = [
            f"PATTERN SEQ(A a, B b+, C c) WHERE b.x < NEXT(b).x AND a.x > {n} AND c.x > {n} {COUNT}"
            for n in range(60)
        ]
        table = table_of("a1(x=70) b2(x=1) b3(x=2) c4(x=30)")
        sets = others_of(texts, table).lanes
        assert len(sets) > 1
        assert all(len(each.united.tests) <= 64 for _, each in sets)
        found = cepheid.workload(texts).run(table, **ROLES)
        assert [len(each) for each in found.values()] == [1] * 30 + [0] * 30


class TestRecent:
    """Of queries with WITHIN alone only counts of sequences are folded together."""

    def test_a_seq_figure_10_with_queries_that_begin_alike(self):
        count = "RETURN COUNT(*) AS n, COUNT(B) AS events"
        texts = [
            f"PATTERN SEQ(A, B, C, D, E) WITHIN 9 s {count}",
            f"PATTERN SEQ(A, B, C, D) WITHIN 9 s {count}",
            f"PATTERN SEQ(A, B, D) WITHIN 9 s {count}",
            f"PATTERN SEQ(B, C) WITHIN 9 s {count}",
        ]
        table = table_of("a1 b2 c3 a4 b5 d6 c7 a8 d9 e10")
        assert others_of(texts, table).alone == ()  # they have segments in common
        together = cepheid.workload(texts).run(table, **ROLES)
        found = [each.to_pylist() for each in together.values()]
        assert found == rows_alone(texts, table)
        assert found[0] == [{"time": 10, "n": 1, "events": 1}]

    def test_groups_sums_and_minima(self):
        texts = [
            "PATTERN SEQ(A a, B b, C) WHERE [k] WITHIN 9 RETURN k, MIN(b.x) AS n GROUP BY k",
            "PATTERN SEQ(A a, B b, D) WHERE [k] WITHIN 9 RETURN k, MIN(b.x) AS n GROUP BY k",
            "PATTERN SEQ(A a, B b+) WHERE [k] WITHIN 9 RETURN k, MIN(b.x) AS n GROUP BY k",
        ]
        table = table_of(
            "a1(k=1) a1(k=2) b2(k=1, x=4) b2(k=2, x=7) b3(k=1, x=2) c4(k=1) d4(k=2) c15(k=1)"
        )
        together = cepheid.workload(texts).run(table, **ROLES)
        found = [sorted(map(str, each.to_pylist())) for each in together.values()]
        assert found == [sorted(map(str, each)) for each in rows_alone(texts, table)]

    def test_other_windows_and_groups_are_other_sets(self):
        texts = [
            f"PATTERN SEQ(A, B, {last}) WHERE [k] WITHIN {window} {COUNT} {group}"
            for window in (5, 6)
            for group in ("", "GROUP BY k")
            for last in "CD"
        ]
        found = others_of(texts, table_of("a1(k=1)"))
        assert [places for places, _ in found.chains] == [(0, 1), (2, 3), (4, 5), (6, 7)]


class TestMatches:
    def test_a_common_beginning(self):
        texts = [
            "PATTERN SEQ(A a, B b+, C c) WITHIN 9",
            "PATTERN SEQ(A x, B y+, D z) WITHIN 9 RETURN x.time, y.time, z.time",
            "PATTERN SEQ(A a, B b+) WITHIN 9",
            "PATTERN SEQ(A a, (B b OR D d), C c) WITHIN 9",
            "PATTERN SEQ(A a, B b+, C c) WITHIN 5",
        ]
        table = table_of("a1 b2 b3 d4 c5 a6 b7 c8 d9 c30")
        together = cepheid.workload(texts).run(table, **ROLES)
        assert [each.to_pylist() for each in together.values()] == rows_alone(texts, table)

    def test_all_forms(self):
        texts = [
            "PATTERN SEQ(A a, B b, C c) WHERE a.x < c.x WITHIN 9",
            "PATTERN SEQ(A a, !D, B b) WITHIN 9",
            "PATTERN SEQ(A a, B b) WITHIN 9 OUTPUT NON OVERLAPPING",
            "PATTERN SEQ(A a, B b) WITHIN 9 OUTPUT PARTIAL",
            "PATTERN SEQ(A a, B b) WITHIN 9 OUTPUT COMPRESSED",
            "PATTERN SEQ(A a, B b) WHERE skip_till_next_match WITHIN 9",
            "PATTERN SEQ(A a, B b) WITHIN 9",
        ]
        table = table_of("a1(x=1) b2(x=2) a3(x=5) d4(x=1) b5(x=1) c6(x=3)")
        assert len(others_of(texts, table).alone) == len(texts)
        found = cepheid.workload(texts).run(table, **ROLES)
        for name, text in zip(found, texts, strict=True):
            alone = cepheid.query(text).run(table, **ROLES)
            if "COMPRESSED" in text:
                assert found[name].expand().to_pylist() == alone.expand().to_pylist()
            else:
                assert found[name].to_pylist() == alone.to_pylist()


class TestScan:
    TEXTS = (
        f"PATTERN SEQ(A, B+) SEMANTICS contiguous WHERE [k] {COUNT}",
        f"PATTERN SEQ(A, B+) SEMANTICS skip-till-next-match WHERE [k] {COUNT}",
        f"PATTERN SEQ(A, B) WHERE [k] WITHIN 3 EVENTS {COUNT}",
        f"PATTERN A AND B WHERE [k] WITHIN 9 {COUNT}",
        "PATTERN SEQ(A a, B b) WHERE [k] AND strict_contiguity",
    )

    def test_strategies_pairs_and_windows_of_events(self):
        table = table_of("a1(k=1) d2(k=1) b3(k=1) a3(k=2) b4(k=2) b5(k=2) c6(k=1) b6(k=1)")
        found = cepheid.workload(self.TEXTS).run(table, **ROLES)
        assert [each.to_pylist() for each in found.values()] == rows_alone(self.TEXTS, table)

    def test_events_without_a_partition_are_told_of(self, caplog):
        table = table_of("a1(k=1) b2(k=1)")
        null = pa.array([None, 1], pa.int64())
        table = table.set_column(table.column_names.index("k"), "k", null)
        with caplog.at_level(logging.WARNING, logger="cepheid"):
            cepheid.workload(self.TEXTS[:2]).run(table, **ROLES)
        assert caplog.text.count("1 event has NULL in k and belongs to no partition") == 2

    def test_a_time_that_is_too_far_out_concerns_only_queries_that_see_it(self):
        table = table_of([{"type": "A", "time": 1}, {"type": "C", "time": -(2**63) + 1}])
        texts = ["PATTERN A a WITHIN 5", "PATTERN A WITHIN 5 OUTPUT PARTIAL", "PATTERN SEQ(C, A)"]
        found = cepheid.workload(texts).run(table, **ROLES)
        assert found["q1"].num_rows == 1
        with pytest.raises(DataError, match="too close to the limit of 64 bits"):
            cepheid.workload([*texts, "PATTERN SEQ(C, D) WITHIN 5"]).run(table, **ROLES)["q4"]
