"""A plan as flat data."""

import pickle
from dataclasses import replace

import pytest

import cepheid
from cepheid.analysis.analyze import analyze
from cepheid.errors import InternalError
from cepheid.language.parser import parse
from cepheid.language.source import Source
from cepheid.plan.planner import make_plan
from cepheid.program.aggregate_output import AggregateOutput, Content, NumberKind
from cepheid.program.lower import lower
from cepheid.program.program import (
    Clock,
    MatchOutput,
    Program,
    Ranking,
    StrategyCode,
)
from tests.program.programs import SCHEMA, program_of


class TestAutomaton:
    @pytest.mark.parametrize(
        ("pattern", "first", "last", "follow", "mandatory"),
        [
            pytest.param("A", 0b1, 0b1, (0,), (0,), id="one-event"),
            pytest.param("SEQ(A, B)", 0b01, 0b10, (0b10, 0), (0b10, 0), id="sequence"),
            pytest.param("A+", 0b1, 0b1, (0b1,), (0b1,), id="loop"),
            # Leaving A+ for B is optional under SASE+'s next: only the loop is mandatory.
            pytest.param("SEQ(A+, B)", 0b01, 0b10, (0b11, 0), (0b01, 0), id="leave-a-loop"),
            pytest.param("SEQ(A, B?, C)", 0b001, 0b100, (0b110, 0b100, 0), (0b110, 0b100, 0),
                id="option"),
            pytest.param("SEQ(A?, B?)", 0b11, 0b11, (0b10, 0), (0b10, 0), id="all-optional"),
            pytest.param("A OR B", 0b11, 0b11, (0, 0), (0, 0), id="alternatives"),
            pytest.param("(SEQ(A+, B))+", 0b01, 0b10, (0b11, 0b01), (0b01, 0b01), id="nested"),
            pytest.param("A{2,3}", 0b001, 0b110, (0b010, 0b100, 0), (0b010, 0b100, 0), id="copies"),
            pytest.param("SEQ(A{1,2}, B)", 0b001, 0b100, (0b110, 0b100, 0), (0b010, 0b100, 0),
                id="the-next-copy-is-a-loop"),
        ],
    )  # fmt: skip
    def test_masks(self, pattern, first, last, follow, mandatory):
        automaton = program_of(pattern).automaton
        assert (automaton.first, automaton.last) == (first, last)
        assert automaton.follow == follow
        assert automaton.mandatory == mandatory

    def test_edges_are_the_pairs_of_follow(self):
        automaton = program_of("SEQ((SEQ(A+, B?))+, C{1,3})").automaton
        pairs = {
            (source, target)
            for source, mask in enumerate(automaton.follow)
            for target in range(len(automaton.follow))
            if mask >> target & 1
        }
        assert set(automaton.edges) == pairs
        assert len(automaton.edges) == len(pairs)

    def test_64_positions_fit(self):
        automaton = program_of("A{64}").automaton
        assert automaton.last == 1 << 63

    def test_65_do_not(self):
        with pytest.raises(cepheid.UnsupportedQueryError, match="more than 64 events"):
            program_of("A{65}")


class TestTests:
    def test_types_and_conditions_by_position(self):
        program = program_of("SEQ(A a, ANY(B, C) b) WHERE a.x > 1 AND b.y < 2.0 AND b.x = 3")
        assert [each.types for each in program.tests] == [("A",), ("B", "C")]
        assert program.types == {"A", "B", "C"}

    def test_no_condition(self):
        assert program_of("SEQ(A, B)").tests[0].condition is None

    def test_a_type_name_covers_all_its_positions(self):
        first, second, third = program_of("SEQ(A a, A b, C) WHERE A.x > 1").tests
        assert first.condition == second.condition
        assert first.condition is not None
        assert third.condition is None

    def test_exempt_pairs_of_declared_schemas(self):
        declared = {"A": frozenset({"x"}), "B": frozenset({"y"})}
        schema = replace(SCHEMA, attributes_by_type=declared)
        (test,) = program_of("ANY(A, B) v WHERE v.x > 1", schema).tests
        assert test.exempt == (("B", "x"),)


class TestSettings:
    @pytest.mark.parametrize(
        ("clause", "strategy", "ranking"),
        [
            ("", StrategyCode.SKIP_TILL_ANY, Ranking.NONE),
            ("SEMANTICS skip-till-next-match", StrategyCode.SKIP_TILL_NEXT, Ranking.NONE),
            ("WHERE skip_till_next_match", StrategyCode.SKIP_TILL_NEXT_KLEENE, Ranking.NONE),
            ("SEMANTICS contiguous", StrategyCode.CONTIGUOUS, Ranking.PARTITION),
            ("WHERE strict_contiguity", StrategyCode.CONTIGUOUS, Ranking.STREAM),
        ],
    )
    def test_strategy(self, clause, strategy, ranking):
        program = program_of(f"SEQ(A, B) {clause}")
        assert (program.strategy, program.ranking) == (strategy, ranking)
        assert program.keeps_all_types is (ranking is not Ranking.NONE)

    @pytest.mark.parametrize(
        ("clause", "clock", "length", "slide"),
        [
            ("", Clock.TIME, None, None),
            ("WITHIN 2 minutes", Clock.TIME, 120, None),
            ("WITHIN 9 SLIDE 3", Clock.TIME, 9, 3),
            ("WITHIN 9 EVENTS", Clock.EVENTS, 9, None),
        ],
    )
    def test_window(self, clause, clock, length, slide):
        program = program_of(f"SEQ(A, B) {clause} RETURN COUNT(*)")
        assert (program.clock, program.window_length, program.slide) == (clock, length, slide)

    def test_roles(self):
        program = program_of("SEQ(A, B) WHERE [k]")
        assert (program.time, program.type_column, program.order) == ("ts", "kind", ("seq",))
        assert program.partition_by == ("k",)


class TestOutput:
    def test_matches(self):
        output = program_of("SEQ(A+ a, B b) RETURN a.x, b.y AS z").output
        assert isinstance(output, MatchOutput)
        assert [(each.output, each.is_array) for each in output.columns] == [
            ("a_x", True),
            ("z", False),
        ]
        positions = dict(output.positions_by_variable)
        assert (positions["a"], positions["b"]) == ((0,), (1,))
        assert not output.has_default_columns

    @pytest.mark.parametrize(
        ("query", "kind"),
        [
            ("SEQ(A, B) RETURN COUNT(*) AS n", NumberKind.BIGINT),
            ("SEQ(A+, B) RETURN COUNT(*) AS n", NumberKind.DOUBLE),
            ("SEQ(A+, B) SEMANTICS contiguous RETURN COUNT(*) AS n", NumberKind.BIGINT),
            ("SEQ(A, B) RETURN SUM(A.x) AS n", NumberKind.BIGINT),
            ("SEQ(A+, B) RETURN SUM(A.x) AS n", NumberKind.DOUBLE),
            ("SEQ(A, B) RETURN AVG(A.x) AS n", NumberKind.DOUBLE),
        ],
    )
    def test_number_kinds(self, query, kind):
        output = program_of(query).output
        assert isinstance(output, AggregateOutput)
        assert [(each.name, each.kind) for each in output.columns] == [("n", kind)]

    def test_measures_are_shared(self):
        query = "SEQ(A+ a, B b) RETURN SUM(a.x), AVG(a.x), COUNT(a), MIN(b.x), MAX(b.x), COUNT(b.x)"
        output = program_of(query).output
        assert [(e.content, e.attribute, e.positions) for e in output.numbers] == [
            (Content.SUM, "x", 1),
            (Content.VALUES, "x", 1),
            (Content.EVENTS, None, 1),
            (Content.VALUES, "x", 2),
        ]
        assert [(e.attribute, e.is_maximum, e.positions) for e in output.minima] == [
            ("x", False, 2),
            ("x", True, 2),
        ]

    def test_having_reads_hidden_columns(self):
        output = program_of("A RETURN COUNT(*) AS n HAVING NOT (n < 3 OR MAX(A.x) = 1)").output
        assert [(each.name, each.is_hidden) for each in output.columns] == [
            ("n", False),
            ("aggregate 0", True),
            ("aggregate 1", True),
        ]
        assert [each.operator for each in output.having.operands] == [">=", "!="]

    def test_groups(self):
        output = program_of("A RETURN k AS key, COUNT(*) GROUP BY k, A.seq").output
        assert output.groups == (("k", "key"), ("seq", "A_seq"))


class TestProgram:
    QUERIES = (
        "SEQ(A+ a, B b) WHERE [k] AND a.x > 1 AND b.y < 0.5 WITHIN 1 hour",
        "SEQ(A, B?) WITHIN 9 SLIDE 3 RETURN COUNT(*), LOG2(COUNT(*)) GROUP BY k",
        "(A OR SEQ(B, C))+ SEMANTICS contiguous",
        "SEQ(A, !SEQ(B, !C, B), D) AND E+ e WHERE e[i].x > e[i-1].x WITHIN 9",
    )

    @pytest.mark.parametrize("query", QUERIES)
    def test_can_be_pickled(self, query):
        program = program_of(query)
        copy = pickle.loads(pickle.dumps(program))
        assert isinstance(copy, Program)
        assert copy == program

    def test_reads_only_the_columns_it_needs(self):
        program = program_of("SEQ(A a, B b) WHERE [k] AND a.x > 1 RETURN b.y")
        assert program.columns == {"ts", "kind", "seq", "k", "x", "y"}
        assert program_of("A RETURN COUNT(*)").columns == {"ts", "kind", "seq"}

    def test_sides_of_and(self):
        program = program_of(
            "SEQ(A a, !B, C c) AND D d WHERE a.x < c.x AND d.y > 0 RETURN d.x, a.x"
        )
        assert program.pair is not None
        second = program.pair.second
        assert [[each.output for each in side.output.columns] for side in (program, second)] == [
            ["a_x"],
            ["d_x"],
        ]
        assert program.pair.returned == ("d_x", "a_x")
        assert (program.runs.has_tests, second.runs.has_tests) == (True, False)
        types = [[test.types for test in group] for group in program.test_groups]
        assert types == [[("A",), ("C",)], [("B",)], [("D",)]]
        assert program.types == {"A", "B", "C", "D"}
        assert program.columns == {"ts", "kind", "seq", "x", "y"}

    def test_sides_that_may_share_trends_read_all_columns_to_order_them(self):
        assert "k" in program_of("A a AND ANY(A, B) b RETURN a.x").columns
        assert "k" not in program_of("A a AND B b RETURN a.x").columns

    def test_negations_inside_a_negation_have_masks_of_their_own(self):
        program = program_of("SEQ(A, !SEQ(B, !SEQ(C, !D, C), B), !E, A)")
        assert [group[0].types for group in program.negative_tests] == [
            ("B",),
            ("C",),
            ("D",),
            ("E",),
        ]
        first, last = program.negation.parts
        assert (first.masks, last.masks) == (0, 3)
        assert first.inner.parts[0].masks == 1
        assert first.inner.parts[0].inner.parts[0].masks == 2
        assert last.inner is None

    def test_needs_a_time_column(self):
        text = "PATTERN A"
        plan = make_plan(analyze(parse(text), Source(text)))
        with pytest.raises(InternalError, match="without a time column"):
            lower(plan)
