"""Every query printed in the papers parses, prints, binds to its events, and explains."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from cepheid.analysis.analyze import analyze
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.fill_parameters import ParameterValue
from cepheid.analysis.schema import AttributeType, EventSchema, attribute_type
from cepheid.explain.explain import explain
from cepheid.language.parser import parse
from cepheid.language.printer import print_query
from cepheid.language.source import Source
from cepheid.plan.planner import make_plan

PAPERS = {"sase", "sase-plus", "a-seq", "cogra", "hamlet"}


@dataclass(frozen=True)
class PaperQuery:
    """One entry of queries.yaml."""

    paper: str
    id: str
    kind: str
    text: str
    schema: dict[str, dict[str, str]]
    parameters: dict[str, ParameterValue] = field(default_factory=dict)
    time: str = "timestamp"

    @property
    def event_schema(self) -> EventSchema:
        columns = {
            name: attribute_type(kind)
            for attributes in self.schema.values()
            for name, kind in attributes.items()
        }
        time_type = attribute_type(self.time)
        return EventSchema(
            attributes={**columns, "ts": time_type, "event_type": AttributeType.STRING},
            time="ts",
            type_column="event_type",
            ticks_per_second=1 if time_type is AttributeType.INTEGER else 1_000_000,
            attributes_by_type={name: frozenset(each) for name, each in self.schema.items()},
        )


QUERIES = [
    PaperQuery(**entry)
    for entry in yaml.safe_load(Path(__file__).with_name("queries.yaml").read_text("utf-8"))
]
each_query = pytest.mark.parametrize(
    "query", QUERIES, ids=[f"{each.paper}: {each.id}" for each in QUERIES]
)


def bind(query: PaperQuery) -> BoundQuery:
    """Return the query with its names resolved."""
    return analyze(
        parse(query.text),
        Source(query.text),
        schema=query.event_schema,
        parameters=query.parameters,
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
    bound = bind(query)
    assert bound.patterns[0].automaton.positions


@each_query
def test_explains(query):
    plan = make_plan(bind(query))
    text = explain(plan)
    assert "because" in text
    assert all(choice.reason for choice in (plan.granularity, plan.strategy, plan.semiring))
    assert explain(plan, format="svg").startswith("<svg")
    assert explain(plan, format="mermaid")
    assert explain(plan, format="json").startswith("{")
