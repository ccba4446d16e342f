from dataclasses import replace

import pytest

from cepheid.errors import Diagnostic
from cepheid.explain.as_text import as_text
from cepheid.explain.explain_plan import explain_plan
from tests.explain.plans import explanation_of, plan_of


def places(text):
    """What is tested where: the predicates of the first side."""
    return {each.text: each.tested for each in explanation_of(text).sides[0].predicates}


class TestPredicates:
    @pytest.mark.parametrize(
        ("query", "place"),
        [
            ("PATTERN SEQ(A a, B b) WHERE a.x = 3", "at 0"),
            ("PATTERN SEQ(A a, B b) WHERE a.x < b.y", "0 → 1"),
            ("PATTERN SEQ(A a, B b, C c) WHERE a.x < c.x", "at 2"),
            ("PATTERN SEQ(A a, B b) WHERE 1 < 2", "once, for the whole query"),
            ("PATTERN SEQ(A a, B+ b) WHERE b.x < NEXT(b).x", "1 → 1"),
            ("PATTERN SEQ(A a, B{2,3} b) WHERE b[i].x < b[i-1].x", "1 → 2, 2 → 3"),
            ("PATTERN SEQ(A+ a, B b) WHERE a[1].x = 3", "at 0"),
            ("PATTERN SEQ(A+ a, B b) WHERE a[i].x > AVG(a[..i-1].x)", "0 → 0"),
            ("PATTERN SEQ(A+ a, B b) WHERE b.x > a[a.LEN].x", "0 → 1"),
            ("PATTERN SEQ(A+ a, C, B b) WHERE b.x > a[a.LEN].x", "at 2"),
            ("PATTERN SEQ(A+ a, B b) WHERE SUM(a[].x) > 3", "on leaving 0"),
            ("PATTERN SEQ(A+ a, B b) WHERE a.x != b.x", "at 1"),
            ("PATTERN (SEQ(A a, C, B b))+ WHERE a.x < b.y", "at 0, 2"),
            ("PATTERN SEQ(A a OR B b, C) WHERE a.x < b.x", "never: no match has all its events"),
        ],
    )
    def test_stand_where_they_are_tested(self, query, place):
        assert list(places(query).values()) == [place]

    def test_on_every_event_of_a_repetition_need_one_value(self):
        less = places("PATTERN SEQ(A+ a, B b) WHERE a.x < b.x")
        assert less == {"a.x < b.x": "0 → 1", "a.x = a.x": "at 0"}
        equal = places("PATTERN SEQ(A+ a, B b, C) WHERE a.x = b.y")
        assert equal == {"a[i].x = a[i-1].x": "0 → 0", "a.x = b.y": "0 → 1"}

    def test_of_a_negated_part_stand_at_the_part(self):
        query = "PATTERN SEQ(A a, !C c, B b) WHERE c.x > a.x AND b.y = 1"
        assert places(query) == {"b.y = 1": "at 1", "c.x > a.x": "¬ C c"}
        (negation,) = explanation_of(query).sides[0].negations
        assert negation.conditions == ("c.x > a.x",)

    def test_a_branch_names_its_case(self):
        query = "PATTERN SEQ(A a, !C c, B b) WHERE c.x > 1 AND a.x = 2 OR c.x > 3 AND a.x = 4"
        (negation,) = explanation_of(query).sides[0].negations
        assert negation.conditions == (
            "c.x > 1 (in the case a.x = 2)",
            "c.x > 3 (in the case a.x = 4)",
        )


class TestNegations:
    def test_an_edge_past_two_gaps_names_both(self):
        edges = explanation_of("PATTERN SEQ(A, !X, B?, !Y, C)").sides[0].edges
        assert {(each.source, each.target): each.negation for each in edges} == {
            (0, 1): "¬ X",
            (0, 2): "¬ X, ¬ Y",
            (1, 2): "¬ Y",
        }

    def test_at_the_border_stand_at_entries_and_exits(self):
        states = explanation_of("PATTERN SEQ(!X, A, B?, !Y) WITHIN 3").sides[0].states
        assert [each.entry_negation for each in states] == ["¬ X", None]
        assert [each.exit_negation for each in states] == ["¬ Y", "¬ Y"]


class TestText:
    def test_many_predicates_of_a_state_are_wrapped_in_their_column(self):
        clauses = " AND ".join(f"a.attribute_{n} > {n}" for n in range(8))
        lines = as_text(explanation_of(f"PATTERN SEQ(A a, B b) WHERE {clauses}")).splitlines()
        start = next(n for n, line in enumerate(lines) if "A a  a.attribute_0" in line)
        assert lines[start + 1].startswith(" " * len("  ▶ 0    A a  ") + "a.attribute_")
        assert max(len(line) for line in lines[start:]) <= 100


class TestTheRest:
    def test_copies_of_one_event_are_counted(self):
        states = explanation_of("PATTERN SEQ(A{3}, A)").sides[0].states
        assert [each.copy for each in states] == [1, 2, 3, 1]

    def test_window_shows_bounds_between_neighbours(self):
        query = "PATTERN SEQ(A a, B b) WITHIN 1 hour WITHIN 5 seconds BETWEEN a, b"
        assert explanation_of(query).window == "WITHIN 1 hour, WITHIN 5 seconds BETWEEN a, b"

    def test_outputs_are_the_columns_of_the_result(self):
        query = "PATTERN SEQ(A a, B+ b) RETURN a.x, b.y, SUM(b[].y) AS total, a.x - b[1].x AS d"
        outputs = {each.name: each.expression for each in explanation_of(query).outputs}
        assert outputs == {
            "a_x": "a.x",
            "b_y": "b[].y",
            "total": "SUM(b[].y)",
            "d": "a.x - b[1].x",
        }

    def test_aggregates_are_spelt_as_in_the_language(self):
        query = (
            "PATTERN SEQ(A a, B+ b) GROUP BY a.k HAVING COUNT(*) > 3 "
            "RETURN a.k, EXACT COUNT(*) AS n, LOG2(COUNT(*)) AS bits, COUNT(b) AS m INTO Alert"
        )
        (*_, operator) = explanation_of(query).operators
        assert operator.details == (
            "n = EXACT COUNT(*)",
            "bits = LOG2(COUNT(*))",
            "m = COUNT(b)",
            "for each a_k = k",
            "HAVING COUNT(*) > 3",
            "INTO Alert",
        )

    def test_what_cannot_run_is_listed_with_its_place(self):
        nowhere = Diagnostic("unsupported", "time travel cannot be executed yet", hint="wait")
        plan = replace(plan_of("PATTERN A"), unsupported=(nowhere,))
        somewhere = plan.query.source.diagnose("unsupported", "A", plan.query.tree.pattern.span)
        plan = replace(plan, unsupported=(nowhere, somewhere))
        assert as_text(explain_plan(plan)).splitlines()[-4:] == [
            "Not executable yet",
            "  • time travel cannot be executed yet",
            "    wait",
            "  • A (line 1, column 9)",
        ]
