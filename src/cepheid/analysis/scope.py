"""The names of a pattern and what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bound import Variable
from cepheid.analysis.build_automaton import Occurrence
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.errors import suggest
from cepheid.language import ast


@dataclass(frozen=True, slots=True)
class _Context:
    is_array: bool = False
    negated_part: int | None = None


def collect_occurrences(pattern: ast.Pattern, problems: Problems) -> dict[int, Occurrence]:
    """Return every event pattern as written, keyed by the id of its node.

    An occurrence without a variable is named after its type, with a number if the type's name
    stands for other events, too, or is that of several unnamed ones.
    """
    found = list(_walk(pattern, _Context(), _Counter()))
    unnamed: dict[str, list[int]] = {}
    for index, (node, _) in enumerate(found):
        if node.variable is None:
            unnamed.setdefault(_stem(node), []).append(index)
    occurrences: dict[int, Occurrence] = {}
    seen: dict[str, ast.EventPattern] = {}
    for index, (node, context) in enumerate(found):
        name = node.variable
        if name is None:
            stem = _stem(node)
            same = unnamed[stem]
            is_alone = len(same) == 1 and _meant_by(stem, found) in ([], [index])
            name = stem if is_alone else f"{stem}_{same.index(index) + 1}"
        elif name in seen:
            report_duplicate(node, name, problems)
        seen[name] = node
        occurrences[id(node)] = Occurrence(
            index,
            node.types,
            name,
            node.variable is not None,
            context.is_array,
            context.negated_part,
            node,
        )
    return occurrences


def _stem(event: ast.EventPattern) -> str:
    """Return the name of an event without a variable, but for a number."""
    return "_".join(event.types) or "any"


def _meant_by(name: str, found: list[tuple[ast.EventPattern, _Context]]) -> list[int]:
    """Return the events that a type's name stands for: the positive ones, if there are any."""
    owners = [index for index, (node, _) in enumerate(found) if name in node.types]
    positive = [index for index in owners if found[index][1].negated_part is None]
    return positive or owners


def report_duplicate(node: ast.EventPattern, name: str, problems: Problems) -> None:
    """Report the second event that is called `name`."""
    problems.add(
        "duplicate-variable",
        f"variable '{name}' is declared twice",
        problems.source.narrow(node.span, name, last=True),
        "give every event of the pattern a name of its own",
    )


class _Counter:
    def __init__(self) -> None:
        self.value = -1

    def next(self) -> int:
        self.value += 1
        return self.value


def _walk(
    pattern: ast.Pattern, context: _Context, counter: _Counter
) -> Iterator[tuple[ast.EventPattern, _Context]]:
    """Yield event patterns in text order; negated parts are numbered as the automaton does."""
    match pattern:
        case ast.EventPattern():
            yield pattern, context
        case ast.Repeat():
            is_array = context.is_array or pattern.maximum != 1
            yield from _walk(pattern.pattern, replace(context, is_array=is_array), counter)
        case ast.Negation():
            part = context.negated_part
            if part is None:
                part = counter.next()
            yield from _walk(pattern.pattern, _Context(negated_part=part), counter)
        case ast.Sequence() | ast.Alternation() | ast.Conjunction():
            for each in pattern.parts:
                yield from _walk(each, context, counter)


class Scope:
    """Looks names up: variables first, then event types."""

    def __init__(
        self, occurrences: Mapping[int, Occurrence], automata: tuple[Automaton, ...]
    ) -> None:
        self.occurrences = tuple(occurrences.values())
        self.positions = _positions_by_occurrence(automata)
        self.variables: dict[str, Variable] = {}
        for occurrence in self.occurrences:
            self.variables[occurrence.variable] = self._variable([occurrence], occurrence.variable)
        for name in dict.fromkeys(each for one in self.occurrences for each in one.types):
            if name not in self.variables:
                self._declare_type(name)

    def _declare_type(self, name: str) -> None:
        owners = [each for each in self.occurrences if name in each.types]
        positive = [each for each in owners if each.negated_part is None]
        chosen = positive or owners
        if len(chosen) == 1:
            self.variables[name] = self.variables[chosen[0].variable]
        else:
            self.variables[name] = self._variable(chosen, name)

    def _variable(self, occurrences: list[Occurrence], name: str) -> Variable:
        return Variable(
            name,
            tuple(p for each in occurrences for p in self.positions.get(each.index, ())),
            tuple(dict.fromkeys(each for one in occurrences for each in one.types)),
            any(each.is_array for each in occurrences),
            occurrences[0].negated_part,
            tuple(each.index for each in occurrences),
            occurrences[0].node.span,
        )

    @property
    def positive(self) -> tuple[Occurrence, ...]:
        """Occurrences that are not negated."""
        return tuple(each for each in self.occurrences if each.negated_part is None)

    def is_single(self, variable: Variable) -> bool:
        """Whether the name stands for one occurrence (so that it has blocks)."""
        return any(each.variable == variable.name for each in self.occurrences)

    def find(self, node: ast.Expression, name: str, problems: Problems) -> Variable | None:
        """Return the variable, or None after reporting the unknown name."""
        found = self.variables.get(name)
        if found is None:
            problems.add(
                "unknown-variable",
                f"there is no variable or event type '{name}' in the pattern",
                problems.source.narrow(node.span, name),
                suggest(name, self.variables, owner="the pattern"),
            )
        return found

    def has_attribute(self, variable: Variable, attribute: str, schema: EventSchema) -> bool:
        """Whether at least one of the variable's types has the attribute."""
        return any(schema.has_attribute(each, attribute) for each in variable.types)


def _positions_by_occurrence(automata: tuple[Automaton, ...]) -> dict[int, list[int]]:
    """Positions are numbered within their own automaton (a side, or a negated part)."""
    result: dict[int, list[int]] = {}
    waiting = list(automata)
    while waiting:
        automaton = waiting.pop()
        for position in automaton.positions:
            result.setdefault(position.occurrence, []).append(position.index)
        waiting += [part.automaton for part in automaton.negated_parts]
    return result
