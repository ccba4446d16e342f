"""Which query of a set reads whose results (semantics, section 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cepheid.analysis.names import event_patterns
from cepheid.errors import BindingError, Diagnostic
from cepheid.language import ast
from cepheid.language.source import Source


@dataclass(frozen=True, slots=True)
class QueryNode:
    """A query of a set, by its name."""

    name: str
    tree: ast.Query
    source: Source


@dataclass(frozen=True)
class Dependencies:
    """Who reads whom.

    `order` has every query after those that it reads, else as they were given. `reads` says of a
    query which queries give it events of which type; types that no query gives are not in it.
    """

    order: tuple[str, ...]
    reads: Mapping[str, Mapping[str, tuple[str, ...]]]

    def givers(self, name: str) -> tuple[str, ...]:
        """Return the queries that a query reads, in the order of the set."""
        found = _givers(self.reads[name])
        return tuple(each for each in self.reads if each in found) if found else ()

    def is_read(self, name: str) -> bool:
        """Whether another query reads the results of this one."""
        return name in self._read

    @cached_property
    def _read(self) -> frozenset[str]:
        return frozenset().union(*map(_givers, self.reads.values()))


def _givers(reads: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    return frozenset(giver for givers in reads.values() for giver in givers)


def find_dependencies(queries: Sequence[QueryNode]) -> Dependencies:
    """Put queries in an order in which each comes after those it reads.

    Raises:
        BindingError: queries read each other's results in a circle.
    """
    reads = {each.name: _types_read(each, queries) for each in queries}
    dependencies = Dependencies((), reads)
    order: list[str] = []
    for each in queries:
        _visit(each.name, [], order, dependencies, {one.name: one for one in queries})
    return Dependencies(tuple(order), reads)


def _types_read(reader: QueryNode, queries: Sequence[QueryNode]) -> dict[str, tuple[str, ...]]:
    types = dict.fromkeys(
        name for event in event_patterns(reader.tree.pattern) for name in event.types
    )
    givers = {
        name: tuple(each.name for each in queries if each.tree.into == name) for name in types
    }
    return {name: each for name, each in givers.items() if each}


def _visit(
    name: str,
    path: list[str],
    order: list[str],
    dependencies: Dependencies,
    nodes: Mapping[str, QueryNode],
) -> None:
    """Append a query after all that it reads; `path` leads from a reader here."""
    if name in path:
        circle = [nodes[each] for each in path[path.index(name) :]]
        raise BindingError([_describe_cycle(circle, dependencies)])
    if name not in order:
        for giver in dependencies.givers(name):
            _visit(giver, [*path, name], order, dependencies, nodes)
        order.append(name)


def _describe_cycle(circle: Sequence[QueryNode], dependencies: Dependencies) -> Diagnostic:
    """Point at the type that the first query of the circle reads."""
    steps = []
    for reader, giver in zip(circle, [*circle[1:], circle[0]], strict=True):
        into = giver.tree.into
        what = f"its own {into}" if giver is reader else f"{into} of {giver.name}"
        steps.append(f"{reader.name} reads {what}")
    first = circle[0]
    wanted = str(circle[1 % len(circle)].tree.into)
    event = next(e for e in event_patterns(first.tree.pattern) if wanted in e.types)
    return first.source.diagnose(
        "into-cycle",
        f"no query can wait for its own results: {', '.join(steps)}",
        first.source.narrow(event.span, wanted),
        "give its results another type"
        if len(circle) == 1
        else "give the results of one of them a type that none of them reads",
    )
