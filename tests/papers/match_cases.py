"""A printed query on its stream: what the oracle says, and variants of the text."""

import datetime
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

import cepheid
from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundQuery, Strategy, WindowUnit
from cepheid.language import ast
from cepheid.language.parser import parse
from cepheid.language.printer import print_expression, print_query
from tests.oracle import evaluate
from tests.papers.paper_queries import QUERIES, TIME, TYPE, PaperQuery
from tests.papers.streams import STREAMS, TABLE
from tests.properties.comparison import as_multiset

START = datetime.datetime(2026, 1, 1)
ENDLESS = 10**6
ARROW_TYPES = {
    AttributeType.INTEGER: pa.int64(),
    AttributeType.FLOAT: pa.float64(),
    AttributeType.STRING: pa.string(),
    AttributeType.TIMESTAMP: pa.timestamp("us"),
}


@dataclass(frozen=True)
class MatchCase:
    """A query text, the entry it comes from, and the name of its stream."""

    name: str
    text: str
    entry: PaperQuery
    stream: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of the stream with the attributes that the entry gives their types."""
        return [self._event(each) for each in STREAMS[self.stream]()]

    def _event(self, event: dict[str, Any]) -> dict[str, Any]:
        known = self.entry.schema.get(event[TYPE], self.entry.attributes)
        time = event[TIME]
        if self.entry.time == "timestamp" and isinstance(time, int):
            time = START + datetime.timedelta(seconds=time)
        values = {
            name: event.get(name) if name in known else None for name in self.entry.attributes
        }
        return {TIME: time, TYPE: event[TYPE], **values}

    @property
    def table(self) -> pa.Table:
        """The events with the columns of the entry."""
        types = self.entry.event_schema.attributes
        columns = [(name, ARROW_TYPES[types[name]]) for name in self.events[0]]
        return pa.Table.from_pylist(self.events, schema=pa.schema(columns))

    def bind(self) -> BoundQuery:
        """Resolve the names of the text."""
        return self.entry.bind(self.text)

    def run(self, events: Any) -> Any:
        """Run the text on a table of the events, of any kind."""
        schemas = {name: list(attributes) for name, attributes in self.entry.schema.items()}
        query = cepheid.query(self.text, parameters=self.entry.parameters)
        return query.run(events, time=TIME, type=TYPE, schemas=schemas)


def printed_cases() -> list[MatchCase]:
    """Every query of the papers in the table, as printed."""
    found = []
    for entry in QUERIES:
        if entry.paper in TABLE:
            stream, parameters = TABLE[entry.paper][entry.id]
            filled = replace(entry, parameters=entry.parameters | parameters)
            found.append(MatchCase(f"{entry.paper}: {entry.id}", entry.text, filled, stream))
    return found


def meaning(case: MatchCase) -> tuple[object, ...]:
    """The same for queries that differ in their spelling only."""
    bound = case.bind()
    tree = replace(bound.tree, semantics=None, where=_joined(_conditions(bound.tree.where)))
    entry = case.entry
    given = repr((sorted(entry.parameters.items()), entry.schema, entry.time))
    return print_query(tree), bound.strategy, given, case.stream


def expected(case: MatchCase) -> Counter[tuple[Any, ...]]:
    """What the oracle says, asked once per meaning."""
    key = meaning(case)
    if key not in _EXPECTED:
        _EXPECTED[key] = as_multiset(evaluate(case.bind(), case.events))
    return _EXPECTED[key]


_EXPECTED: dict[tuple[object, ...], Counter[tuple[Any, ...]]] = {}


# --- strategies -----------------------------------------------------------------------------------


def strategy_cases(case: MatchCase) -> dict[Strategy, MatchCase]:
    """The query under every strategy, its own one included."""
    tree = replace(parse(case.text), semantics=None)
    conditions = _conditions(tree.where)
    found = {}
    for strategy, (name, is_clause) in {
        Strategy.SKIP_TILL_ANY: (ast.StrategyName.SKIP_TILL_ANY_MATCH, True),
        Strategy.SKIP_TILL_NEXT: (ast.StrategyName.SKIP_TILL_NEXT_MATCH, True),
        Strategy.SKIP_TILL_NEXT_KLEENE: (ast.StrategyName.SKIP_TILL_NEXT_MATCH, False),
        Strategy.CONTIGUOUS: (ast.StrategyName.CONTIGUOUS, True),
        Strategy.STRICT: (ast.StrategyName.STRICT_CONTIGUITY, True),
    }.items():
        if is_clause:
            varied = replace(tree, semantics=ast.Semantics(name), where=_joined(conditions))
        else:
            varied = replace(tree, where=ast.StrategyTerm(name, None, _joined(conditions)))
        found[strategy] = replace(
            case, name=f"{case.name}, {strategy.name.lower()}", text=print_query(varied)
        )
    return found


def varied_cases() -> list[dict[Strategy, MatchCase]]:
    """Queries that differ in their strategy only, or in how it is spelt, are varied once."""
    found = {}
    for case in printed_cases():
        variants = strategy_cases(case)
        found.setdefault((variants[Strategy.SKIP_TILL_ANY].text, case.stream), variants)
    return list(found.values())


def _conditions(where: ast.Expression | None) -> list[ast.Expression]:
    """The conjuncts of WHERE without its strategy."""
    match where:
        case None:
            return []
        case ast.And():
            return [each for operand in where.operands for each in _conditions(operand)]
        case ast.StrategyTerm():
            return _conditions(where.body)
        case _:
            return [where]


def _joined(conditions: list[ast.Expression]) -> ast.Expression | None:
    if len(conditions) > 1:
        return ast.And(tuple(conditions))
    return conditions[0] if conditions else None


# --- relaxations: does the stream have near misses? -----------------------------------------------


def relaxations(case: MatchCase) -> Iterator[tuple[str, MatchCase]]:
    """The query less one condition, one negation or its window, with what was taken away."""
    tree = parse(case.text)
    conditions = _conditions(tree.where)
    parts = tree.pattern.parts if isinstance(tree.pattern, ast.Sequence) else ()
    for condition in conditions:
        rest = [each for each in conditions if each is not condition]
        relaxed = _relaxed(case, tree, rest)
        if _restrictions(relaxed) != _restrictions(case):
            yield print_expression(condition), relaxed
    for negation in parts:
        if isinstance(negation, ast.Negation):
            positive = ast.Sequence(tuple(each for each in parts if each is not negation))
            rest = [each for each in conditions if not _names(each, negation)]
            yield "negation", _relaxed(case, replace(tree, pattern=positive), rest)
    window = case.bind().window
    if tree.window is not None and window is not None:
        unit = "events" if window.unit is WindowUnit.EVENTS else tree.window.within.unit
        endless = ast.Window(ast.Duration(ENDLESS, unit))
        without = replace(case, entry=replace(case.entry, parameters={}))  # they are its length
        yield "WITHIN", _relaxed(without, replace(tree, window=endless), conditions)


def _relaxed(case: MatchCase, tree: ast.Query, conditions: list[ast.Expression]) -> MatchCase:
    where = _joined(conditions)
    if isinstance(tree.where, ast.StrategyTerm):
        where = ast.StrategyTerm(tree.where.strategy, None, where)
    return replace(case, text=print_query(replace(tree, where=where)))


def _restrictions(case: MatchCase) -> tuple[Any, ...]:
    """What WHERE says: `x.id = y.id` adds nothing where `x.id = z.id` partitions already."""
    bound = case.bind()
    clauses = sorted(each.text for each in bound.pattern.clauses)
    return bound.partition_by, clauses, bound.pattern.branches


def _names(condition: ast.Expression, negation: ast.Negation) -> bool:
    negated = negation.pattern
    assert isinstance(negated, ast.EventPattern)
    pattern = rf"\b{negated.variable or negated.types[0]}\b"
    return re.search(pattern, print_expression(condition)) is not None


PRINTED = printed_cases()
VARIED = varied_cases()
