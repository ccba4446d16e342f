"""Every query printed in the papers parses, prints, binds to its events, and explains."""

import pytest

from cepheid.explain.explain import explain
from cepheid.language.parser import parse
from cepheid.language.printer import print_query
from cepheid.plan.planner import make_plan
from tests.papers.paper_queries import QUERIES

PAPERS = {"sase", "sase-plus", "a-seq", "cogra", "hamlet"}
each_query = pytest.mark.parametrize(
    "query", QUERIES, ids=[f"{each.paper}: {each.id}" for each in QUERIES]
)


def test_every_paper_is_present_and_every_id_unique():
    assert {each.paper for each in QUERIES} == PAPERS
    assert len({(each.paper, each.id) for each in QUERIES}) == len(QUERIES)


@each_query
def test_parses(query):
    assert parse(query.text).pattern is not None


@each_query
def test_prints_to_a_text_with_the_same_meaning(query):
    tree = parse(query.text)
    assert parse(print_query(tree)) == tree


@each_query
def test_binds_to_its_schema(query):
    assert query.bind().patterns[0].automaton.positions


@each_query
def test_explains(query):
    plan = make_plan(query.bind())
    text = explain(plan)
    assert "because" in text
    assert all(choice.reason for choice in (plan.granularity, plan.strategy, plan.semiring))
    assert explain(plan, format="svg").startswith("<svg")
    assert explain(plan, format="mermaid")
    assert explain(plan, format="json").startswith("{")
