"""Sequences in a window that moves with every event: segments that queries share are kept once."""

import random

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.shared.run_chains import ChainTask, run_chains
from cepheid.program.sharing.chain_program import Element
from tests.engine.other_queries import ROLES, others_of, rows_alone, run, table_of

COUNT = "RETURN COUNT(*) AS n"


def chains_of(texts, table):
    return others_of(texts, table).chains


def found_by(program, table):
    tables = run(run_chains, ChainTask, program, table)
    return None if tables is None else [each.to_pylist() for each in tables]


class TestChopConnect:
    TEXTS = (
        f"PATTERN SEQ(A, B, C, D, E) WITHIN 9 s {COUNT}",
        f"PATTERN SEQ(X, B, C, D, Y) WITHIN 9 s {COUNT}",
        f"PATTERN SEQ(B, C, D) WITHIN 9 s {COUNT}",
    )

    def test_a_substring_is_kept_once(self):
        table = table_of("a1 b2 c3 a4 x4 b5 d6 c7 a8 d9 y9 e10")
        ((places, program),) = chains_of(self.TEXTS, table)
        assert places == (0, 1, 2)
        b, c, d = (Element(number, False) for number in (1, 2, 3))
        assert (b, c, d) in program.segments
        # 15 segments of each of the long ones, of which 6 are of B, C, D: all of the third.
        assert len(program.segments) == 15 + 9
        found = found_by(program, table)
        assert found == rows_alone(self.TEXTS, table)
        assert found[0] == [{"time": 10, "n": 1}]  # A-Seq, figure 10

    def test_expiry_by_the_start_of_the_whole_sequence(self):
        """The events of the common part are still in the window; those before it have left."""
        table = table_of("a1 x3 b4 c5 d6 e9 e10 y11 y12")
        ((_, program),) = chains_of(self.TEXTS, table)
        first, second, _ = found_by(program, table)
        assert first == [{"time": 9, "n": 1}, {"time": 10, "n": 0}]
        assert second == [{"time": 11, "n": 1}, {"time": 12, "n": 0}]

    def test_several_common_parts(self):
        texts = [
            f"PATTERN SEQ(A, B, P, C, D) WITHIN 6 {COUNT}",
            f"PATTERN SEQ(Q, A, B, C, D+) WITHIN 6 {COUNT}",
            f"PATTERN SEQ(C, D+, A, B) WITHIN 6 {COUNT}",
        ]
        chooser = random.Random(5)
        names = [chooser.choice("abcdpq") for _ in range(300)]
        table = table_of(" ".join(f"{name}{time // 2}" for time, name in enumerate(names)))
        ((places, program),) = chains_of(texts, table)
        assert places == (0, 1, 2)
        assert found_by(program, table) == rows_alone(texts, table)


def test_repeated_types_and_conditions():
    texts = [
        f"PATTERN SEQ(A a+, B b+, A z) WHERE a.x > 1 WITHIN 8 {COUNT}",
        f"PATTERN SEQ(A a{{2,}}, B b) WITHIN 8 {COUNT}",
        f"PATTERN SEQ(A a, A z) WHERE z.x > 1 WITHIN 8 {COUNT}",
    ]
    chooser = random.Random(7)
    rows = [
        {"type": chooser.choice("AAB"), "time": time // 3, "x": chooser.randrange(4)}
        for time in range(200)
    ]
    table = pa.Table.from_pylist(rows)
    ((places, program),) = chains_of(texts, table)
    assert places == (0, 1, 2)
    assert found_by(program, table) == rows_alone(texts, table)


def test_groups_on_several_threads():
    texts = [
        f"PATTERN SEQ(A, B, {last}) WHERE [k] WITHIN 30 RETURN k, COUNT(*) AS n GROUP BY k"
        for last in "CD"
    ]
    chooser = random.Random(3)
    size = 60_000
    table = pa.table(
        {
            "type": [chooser.choice("ABCD") for _ in range(size)],
            "time": list(range(size)),
            "k": [chooser.randrange(5) for _ in range(size)],
        }
    )
    found = cepheid.workload(texts).run(table, **ROLES)
    for text, result in zip(texts, found.values(), strict=True):
        expected = cepheid.query(text).run(table, **ROLES)
        keys = [("time", "ascending")]
        assert result.sort_by(keys) == expected.sort_by(keys)


class TestSeveralPartitions:
    """A result adds up the partitions of its group, of which others change when no event comes."""

    TEXTS = (
        "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 9 RETURN COUNT(*) AS n, SUM(b.x) AS s",
        "PATTERN SEQ(A a, B+ b) WHERE [k] WITHIN 9 RETURN MAX(b.x) AS n",
        "PATTERN SEQ(C c, !D, A a, B b) WHERE [k] WITHIN 9 RETURN COUNT(*) AS n",
    )

    @staticmethod
    def table(keys, groups=1):
        chooser = random.Random(keys)
        return table_of(
            [
                {
                    "type": chooser.choice("AABBCD"),
                    "time": time // 3,
                    "k": chooser.randrange(keys),
                    "g": chooser.randrange(groups),
                    "x": chooser.randint(-5, 9),
                }
                for time in range(400)
            ]
        )

    def test_another_partition_expires(self):
        texts = [f"PATTERN SEQ(A, B{more}) WHERE [k] WITHIN 9 {COUNT}" for more in ("", "+")]
        table = table_of("a1(k=1) a2(k=2) b3(k=1) b4(k=2) b10(k=2) b11(k=1)")
        ((_, program),) = chains_of(texts, table)
        assert [row["n"] for row in found_by(program, table)[0]] == [1, 2, 2, 0]
        assert found_by(program, table) == rows_alone(texts, table)

    @pytest.mark.parametrize("keys", [1, 2, 7, 90])
    def test_all_functions(self, keys):
        table = self.table(keys)
        ((places, program),) = chains_of(self.TEXTS, table)
        assert places == (0, 1, 2)
        assert program.adds_partitions
        assert found_by(program, table) == rows_alone(self.TEXTS, table)

    @pytest.mark.parametrize("returned", ["COUNT(*) AS n", "SUM(a.x) AS n"])
    def test_groups_with_several_partitions_each(self, returned):
        texts = [
            f"PATTERN SEQ(A a, B b{more}) WHERE [g, k] WITHIN 9 RETURN {returned} GROUP BY g"
            for more in ("", ", C c")
        ]
        table = self.table(5, groups=3)
        ((_, program),) = chains_of(texts, table)
        assert found_by(program, table) == rows_alone(texts, table)


def test_numbers_beyond_exact_doubles_are_folded_otherwise():
    texts = [f"PATTERN SEQ(A+, {last}) WITHIN 100 {COUNT}" for last in "BC"]
    table = table_of(" ".join(f"a{time}" for time in range(1, 61)) + " b61 c62")
    ((_, program),) = chains_of(texts, table)
    assert found_by(program, table) is None
    found = cepheid.workload(texts).run(table, **ROLES)
    assert [each.to_pylist() for each in found.values()] == [
        [{"time": 61, "n": 2.0**60 - 1}],
        [{"time": 62, "n": 2.0**60 - 1}],
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"PATTERN SEQ(A, B?) WITHIN 9 {COUNT}",
        f"PATTERN SEQ(A, B) OR SEQ(B, A) WITHIN 9 {COUNT}",
        f"PATTERN (SEQ(A, B))+ WITHIN 9 {COUNT}",
        f"PATTERN SEQ(!C, A, B) WITHIN 9 {COUNT}",
        f"PATTERN SEQ(A, B, !C) WITHIN 9 {COUNT}",
        f"PATTERN SEQ(A+, !C, B) WITHIN 9 {COUNT}",
        f"PATTERN SEQ(A, !SEQ(C, D), B) WITHIN 9 {COUNT}",
        "PATTERN SEQ(A, B) WITHIN 9 RETURN COUNT(B) AS n",
        f"PATTERN SEQ(A, B) WHERE [k] WITHIN 9 {COUNT}",
        f"PATTERN SEQ(A, B) WITHIN 8 {COUNT}",
        f"PATTERN SEQ(A, B) WITHIN 9 SLIDE 3 {COUNT}",
        f"PATTERN SEQ(P, Q) WITHIN 9 {COUNT}",
    ],
)
def test_others_are_not_among_them(text):
    texts = [f"PATTERN SEQ(A, B, C) WITHIN 9 {COUNT}", f"PATTERN SEQ(A, B) WITHIN 9 {COUNT}", text]
    table = table_of("a1(k=1) b2(k=1)")
    ((places, _),) = chains_of(texts, table)
    assert places == (0, 1)


class TestValues:
    """Sums, minima and negated events share segments, too."""

    TEXTS = (
        "PATTERN SEQ(A a, B b, C c) WITHIN 6 RETURN SUM(b.x) AS n",
        "PATTERN SEQ(A a, B b, D d) WITHIN 6 RETURN MAX(b.x) AS n, COUNT(*) AS m",
        "PATTERN SEQ(A a, B b) WITHIN 6 RETURN AVG(b.x) AS n",
        "PATTERN SEQ(A a, !D, B b, C+ c) WITHIN 6 RETURN MIN(c.x) AS n, SUM(b.x) AS s",
    )

    @staticmethod
    def table():
        chooser = random.Random(11)
        rows = [
            f"{chooser.choice('aabbccd')}{at // 2}(x={chooser.randint(-5, 9)})" for at in range(400)
        ]
        return table_of(" ".join(rows))

    def test_all_of_them_in_one_set(self):
        table = self.table()
        ((places, program),) = chains_of(self.TEXTS, table)
        assert places == (0, 1, 2, 3)
        assert not program.only_counts
        assert found_by(program, table) == rows_alone(self.TEXTS, table)

    def test_a_common_beginning_is_kept_once_whatever_is_asked_for(self):
        ((_, program),) = chains_of(self.TEXTS[:3], self.table())
        first, second, third = program.chains
        assert first[:2] == second[:2] == third

    def test_what_may_not_be_between_is_part_of_a_segment(self):
        ((_, program),) = chains_of(self.TEXTS, self.table())
        assert program.chains[3][0] != program.chains[0][0]
        assert len(program.chains[3][0].gap) == 1

    def test_explained(self):
        text = cepheid.workload(list(self.TEXTS)).explain(events=None)
        assert "segment  SEQ(A, B)  q1, q2, q3" in text

    def test_sums_beyond_all_digits_are_folded_alone(self):
        texts = [f"PATTERN SEQ({each}, B b) WITHIN 9 RETURN SUM(b.x) AS n" for each in "AC"]
        table = table_of(f"a1(x=1) c2(x=1) b3(x={2**60}) b4(x={2**60 + 1})")
        ((_, program),) = chains_of(texts, table)
        assert found_by(program, table) is None
        found = cepheid.workload(texts).run(table, **ROLES)
        assert [each.to_pylist() for each in found.values()] == rows_alone(texts, table)
        assert found["q1"].to_pylist()[-1]["n"] == 2**61 + 1
