"""What EXPLAIN says, as plain data: texts, numbers and tuples of them.

States are numbered as the positions of the automaton are.
"""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.program.run_record import GroupRecord, StepRecord


@dataclass(frozen=True, slots=True)
class Predicate:
    """A clause of WHERE with its class, and where it is tested, in words."""

    text: str
    predicate_class: str
    tested: str


@dataclass(frozen=True, slots=True)
class State:
    """One event of a match; `copy` counts the states of one occurrence (`A{2,4}` has four).

    `entry_negation` and `exit_negation` say what must not occur before the first or after the last
    event of a match here.
    """

    index: int
    variable: str
    types: tuple[str, ...]
    copy: int
    is_entry: bool
    is_exit: bool
    entry_negation: str | None
    exit_negation: str | None
    predicates: tuple[Predicate, ...]

    @property
    def event(self) -> str:
        """The event as the pattern spells it, without quantifier."""
        test = self.types[0] if len(self.types) == 1 else f"ANY({', '.join(self.types)})"
        return test if self.variable == test else f"{test} {self.variable}"


@dataclass(frozen=True, slots=True)
class Edge:
    """From one event of a match to the next; `negation` says what must not occur between them."""

    source: int
    target: int
    is_loop: bool
    negation: str | None
    predicates: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """A negated part and the conditions under which it blocks, one for each branch of WHERE."""

    text: str
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """The automaton of a pattern, or of one side of AND."""

    pattern: str
    states: tuple[State, ...]
    edges: tuple[Edge, ...]
    negations: tuple[Negation, ...]
    predicates: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator of the logical plan."""

    name: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What the planner chose on a topic, and why."""

    topic: str
    choice: str
    reason: str


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the result and how it comes about."""

    name: str
    expression: str


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A feature that cannot run yet; `line` and `column` count from 1 in the text as written."""

    message: str
    hint: str | None
    line: int | None
    column: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A whole plan; `operators` go from the events to the result.

    `folds` are ranked, best first, for every part of the query that is folded by itself. `steps`
    say what of the window a step of a stream looks at.
    """

    query: str
    pattern: str
    strategy: str
    window: str | None
    partition_by: tuple[str, ...]
    outputs: tuple[Output, ...]
    sides: tuple[Side, ...]
    operators: tuple[Operator, ...]
    choices: tuple[Choice, ...]
    unsupported: tuple[Unsupported, ...]
    warnings: tuple[str, ...]
    folds: tuple[GroupRecord, ...] = ()
    steps: tuple[StepRecord, ...] = ()

    @property
    def facts(self) -> tuple[str, ...]:
        """What a picture of the automaton needs next to it: strategy, window, partition."""
        partition = f"partition by {', '.join(self.partition_by)}" if self.partition_by else None
        return tuple(each for each in (self.strategy, self.window, partition) if each is not None)
