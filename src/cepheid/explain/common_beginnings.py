"""What patterns of several queries begin with, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from cepheid.analysis.describe import describe
from cepheid.explain.sharing_document import CommonPart
from cepheid.language.ast import EVERY_TYPE
from cepheid.program.position_automaton import PositionTest
from cepheid.program.sharing.merged_program import MergedPosition, MergedProgram
from cepheid.program.sharing.sharing_sets import plain_test


def common_prefixes(program: MergedProgram) -> Iterator[CommonPart]:
    """Yield what two or more queries begin with, those that save most first."""
    owners = dict.fromkeys(frozenset(each.queries) for each in program.positions)
    found = [
        (queries, [each for each in program.positions if queries <= set(each.queries)])
        for queries in owners
        if len(queries) > 1
    ]
    found.sort(key=lambda each: -(len(each[0]) - 1) * len(each[1]))
    for queries, positions in found:
        names = tuple(program.queries[each].name for each in sorted(queries))
        yield CommonPart(_chain(program, positions), names)


def _chain(program: MergedProgram, positions: Sequence[MergedPosition]) -> str:
    words = [
        position_word(program.tests[each.test], repeats=each.value_slot in each.sources)
        for each in positions
    ]
    follows = all(before.value_slot in after.sources for before, after in pairwise(positions))
    return in_a_row(words, follows=follows)


def in_a_row(words: Sequence[str], *, follows: bool) -> str:
    """Return positions as a pattern, if each follows the one before."""
    if len(words) == 1:
        return words[0]
    return f"SEQ({', '.join(words)})" if follows else " | ".join(words)


def position_word(test: PositionTest, *, repeats: bool) -> str:
    """Return the events that fit a position."""
    word = types_of(test) + ("+" if repeats else "")
    condition = condition_of(test)
    return word if condition is None else f"{word} where {condition}"


def types_of(test: PositionTest) -> str:
    """Return the types of events."""
    if test.types == (EVERY_TYPE,):
        return "ANY"
    return test.types[0] if len(test.types) == 1 else f"ANY({', '.join(test.types)})"


def condition_of(test: PositionTest) -> str | None:
    """Return the condition of a test, with the type for the name of the event."""
    renamed = plain_test(test, "|".join(test.types)).condition
    return None if renamed is None else describe(renamed)
