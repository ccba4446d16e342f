"""What has to be remembered of a gap that negated parts look at, as a small automaton.

A negated part is matched by skip-till-any, so all that matters is which of its positions have been
reached: once reached, a position stays reached. A part is complete when a last position is reached,
and the gap is closed when each of its alternatives has a complete part. Negative events come as a
*code*: the positions of all parts that the concurrent events of one step fit, one bit each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cepheid.analysis.automaton import Alternatives, NegatedPart

CLOSED = -1
MOST_NEGATIVE_POSITIONS = 10
MOST_STATES = 64


@dataclass(frozen=True, slots=True)
class GapAutomaton:
    """`moves[state][code]` is the next state, or CLOSED; it begins in state 0.

    No state leads to one with a smaller number.
    """

    moves: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class _State:
    """The alternatives that are open, and (part, position) pairs reached in their parts."""

    open: Alternatives
    reached: frozenset[tuple[int, int]]


def first_bits(parts: Sequence[NegatedPart]) -> tuple[int, ...]:
    """Return the bit of the first position of every part, and the number of bits."""
    bits = [0]
    for part in parts:
        bits.append(bits[-1] + len(part.automaton.positions))
    return tuple(bits)


def gap_automaton(alternatives: Alternatives, parts: Sequence[NegatedPart]) -> GapAutomaton | None:
    """Return the automaton of a gap; None if it has too many states."""
    *starts, bits = first_bits(parts)
    start = _State(alternatives, frozenset())
    table: dict[_State, list[_State | None]] = {}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        if state in table:
            continue
        if len(table) == MOST_STATES:
            return None
        following = [_after(state, code, parts, starts) for code in range(1 << bits)]
        table[state] = following
        waiting += [each for each in dict.fromkeys(following) if each is not None]
    order = _in_order(start, table)
    number = {state: at for at, state in enumerate(order)}
    return GapAutomaton(
        tuple(
            tuple(CLOSED if each is None else number[each] for each in table[state])
            for state in order
        )
    )


def _after(
    state: _State, code: int, parts: Sequence[NegatedPart], starts: Sequence[int]
) -> _State | None:
    """Return the state after a step; None if the gap is closed."""
    watched = frozenset(part for choice in state.open for part in choice)
    reached, complete = set(state.reached), set()
    for index in watched:
        automaton = parts[index].automaton
        before = {position for part, position in state.reached if part == index}
        can_reach = {border.position for border in automaton.first}
        can_reach |= {edge.target for edge in automaton.edges if edge.source in before}
        new = {each for each in can_reach if code >> (starts[index] + each) & 1}
        reached |= {(index, each) for each in new}
        if new & {border.position for border in automaton.last}:
            complete.add(index)
    still_open = frozenset(choice for choice in state.open if not choice & complete)
    if not still_open:
        return None
    watched = frozenset(part for choice in still_open for part in choice)
    return _State(still_open, frozenset(each for each in reached if each[0] in watched))


def _in_order(start: _State, table: Mapping[_State, Iterable[_State | None]]) -> list[_State]:
    """Return the states with every one before those it can lead to."""
    done: list[_State] = []
    seen: set[_State] = set()

    def visit(state: _State) -> None:
        seen.add(state)
        for each in dict.fromkeys(table[state]):
            if each is not None and each not in seen:
                visit(each)
        done.append(state)

    visit(start)
    return done[::-1]
