"""The merged template of queries that are folded together (HAMLET, SIGMOD 2021, figure 4).

Every event type is there once. An edge, the beginning and the end of matches, and a condition name
the queries that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from cepheid.explain.describe_operators import describe_window
from cepheid.explain.document import Edge, Explanation, Predicate, Side, State
from cepheid.explain.explain_plan import explain_plan
from cepheid.explain.name_lists import name_list
from cepheid.explain.sharing_document import SharingExplanation
from cepheid.plan.physical import PhysicalPlan

MOST_ALONE = 12  # queries by themselves that are drawn
Types = tuple[str, ...]
Key = TypeVar("Key")
QueriesBy = dict[Key, list[str]]


def merged_templates(
    plans: Mapping[str, PhysicalPlan], sharing: SharingExplanation
) -> tuple[Explanation, tuple[str, ...]]:
    """Return a picture with the template of every set and of queries that are alone, and captions.

    Queries that share something else are drawn as the others are: by themselves.
    """
    in_sets = {name for each in sharing.sets for name in each.queries}
    apart = [name for name in plans if name not in in_sets]
    sides, captions = [], []
    for number, each in enumerate(sharing.sets, start=1):
        sides.append(_Template({name: plans[name] for name in each.queries}).side())
        captions.append(f"Set {number}: {name_list(each.queries)}")
    for name in apart[:MOST_ALONE]:
        explained = explain_plan(plans[name])
        sides += explained.sides
        captions += [f"{name}, by itself"] + ["AND"] * (len(explained.sides) - 1)
    facts = [f"{len(plans):,} queries"]
    if len(apart) > MOST_ALONE:
        facts.append(f"{len(apart) - MOST_ALONE:,} more by themselves are not drawn")
    windows = {describe_window(each.query) for each in plans.values()} - {None}
    window = next(iter(windows)) if len(windows) == 1 else None
    partitions = {each.partition_by for each in sharing.sets}
    partition = partitions.pop() if len(partitions) == 1 and not apart else ()
    title = "What queries have in common"
    picture = Explanation(
        "", title, ", ".join(facts), window, partition, (), tuple(sides), (), (), (), ()
    )
    return picture, tuple(captions)


class _Template:
    """Queries of a set, and which of them have what."""

    def __init__(self, plans: Mapping[str, PhysicalPlan]) -> None:
        self.names = tuple(plans)
        self.entries: QueriesBy[Types] = {}
        self.exits: QueriesBy[Types] = {}
        self.conditions: dict[Types, QueriesBy[str]] = {}
        self.edges: QueriesBy[tuple[Types, Types]] = {}
        self.predicates: dict[tuple[Types, Types], QueriesBy[str]] = {}
        self.negations: QueriesBy[tuple[str, Types, Types]] = {}
        self.order: dict[Types, int] = {}
        for name, plan in plans.items():
            (side,) = explain_plan(plan).sides
            self._add(name, side)

    def _add(self, name: str, side: Side) -> None:
        types = {each.index: each.types for each in side.states}
        for state in side.states:
            self.order.setdefault(state.types, len(self.order))
            if state.is_entry:
                _note(self.entries, state.types, name)
            if state.is_exit:
                _note(self.exits, state.types, name)
            if state.entry_negation is not None:
                _note(self.negations, (state.entry_negation, (), state.types), name)
            if state.exit_negation is not None:
                _note(self.negations, (state.exit_negation, state.types, ()), name)
            for each in state.predicates:
                _note(self.conditions.setdefault(state.types, {}), each.text, name)
        for edge in side.edges:
            ends = types[edge.source], types[edge.target]
            _note(self.edges, ends, name)
            if edge.negation is not None:
                _note(self.negations, (edge.negation, *ends), name)
            for each in edge.predicates:
                _note(self.predicates.setdefault(ends, {}), each.text, name)

    def side(self) -> Side:
        """Return the template."""
        return Side(
            name_list(self.names),
            tuple(self._state(each) for each in self.order),
            tuple(self._edge(ends, queries) for ends, queries in self.edges.items()),
            (),
            (),
        )

    def _state(self, types: Types) -> State:
        shown = [
            *self._labels(self.conditions.get(types, {})),
            *self._border("begins", self.entries.get(types, ())),
            *self._border("ends", self.exits.get(types, ())),
        ]
        return State(
            self.order[types],
            "|".join(types),
            types,
            0,
            types in self.entries,
            types in self.exits,
            self._negation(lambda key: key[1:] == ((), types)),
            self._negation(lambda key: key[1:] == (types, ())),
            tuple(map(_predicate, shown)),
        )

    def _edge(self, ends: tuple[Types, Types], queries: Sequence[str]) -> Edge:
        source, target = (self.order[each] for each in ends)
        labels = [self._named(queries), *self._labels(self.predicates.get(ends, {}))]
        negation = self._negation(lambda key: key[1:] == ends)
        return Edge(source, target, source >= target, negation, tuple(map(_predicate, labels)))

    def _negation(self, is_meant: Callable[[tuple[str, Types, Types]], bool]) -> str | None:
        found = {key[0]: names for key, names in self.negations.items() if is_meant(key)}
        return "; ".join(self._labels(found)) or None

    def _labels(self, texts: Mapping[str, Sequence[str]]) -> Iterable[str]:
        """Yield texts, with the queries that have them unless all do."""
        for text, names in texts.items():
            is_all = len(names) == len(self.names)
            yield text if is_all else f"{text} ({name_list(names)})"

    def _border(self, word: str, names: Sequence[str]) -> Iterable[str]:
        if names and len(names) < len(self.names):
            yield f"{word} {name_list(names)}"

    def _named(self, names: Sequence[str]) -> str:
        return "all" if len(names) == len(self.names) else name_list(names)


def _note(queries: QueriesBy[Key], key: Key, name: str) -> None:
    known = queries.setdefault(key, [])
    if name not in known:
        known.append(name)


def _predicate(text: str) -> Predicate:
    return Predicate(text, "", "")
