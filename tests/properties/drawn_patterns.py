"""Random patterns, with and without negated parts, and names for their events."""

from collections.abc import Iterable

from hypothesis import strategies as st

from cepheid.language import ast

TYPES = ("A", "B", "C")


@st.composite
def patterns(draw: st.DrawFn, *, most_events: int = 4) -> ast.Pattern:
    """A pattern of at most a few events, with repetition, choice and nesting."""
    if most_events == 1 or draw(st.integers(0, 3)) == 0:
        types = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=2, unique=True))
        inner: ast.Pattern = ast.EventPattern(tuple(types))
    else:
        left = draw(st.integers(1, most_events - 1))
        parts = (draw(patterns(most_events=left)), draw(patterns(most_events=most_events - left)))
        inner = draw(st.sampled_from((ast.Sequence, ast.Sequence, ast.Alternation)))(parts)
    bounds = st.sampled_from(
        [None, None, None, (1, None), (1, None), (0, 1), (0, None), (2, 2), (1, 3), (2, None)]
    )
    chosen = draw(bounds)
    return inner if chosen is None else ast.Repeat(inner, *chosen)


def name_events(
    pattern: ast.Pattern,
    names: dict[str, bool],
    *,
    is_array: bool = False,
    negated: dict[str, bool] | None = None,
) -> ast.Pattern:
    """Give every event a variable v0, v1, … and collect the names, with whether each repeats.

    Negated events are called n0, n1, … and are collected apart.
    """
    match pattern:
        case ast.Negation():
            assert negated is not None
            return ast.Negation(_name_negated(pattern.pattern, negated))
        case ast.EventPattern():
            name = f"v{len(names)}"
            names[name] = is_array
            return ast.EventPattern(pattern.types, name)
        case ast.Repeat():
            repeats = is_array or pattern.maximum != 1
            inner = name_events(pattern.pattern, names, is_array=repeats, negated=negated)
            return ast.Repeat(inner, pattern.minimum, pattern.maximum)
        case _:
            parts = tuple(
                name_events(each, names, is_array=is_array, negated=negated)
                for each in pattern.parts
            )
            return type(pattern)(parts)


def _name_negated(
    pattern: ast.Pattern, negated: dict[str, bool], *, is_array: bool = False
) -> ast.Pattern:
    """Name the events of a negated part; those negated inside it stay unnamed."""
    match pattern:
        case ast.EventPattern():
            name = f"n{len(negated)}"
            negated[name] = is_array
            return ast.EventPattern(pattern.types, name)
        case ast.Negation():
            return pattern
        case ast.Repeat():
            repeats = is_array or pattern.maximum != 1
            inner = _name_negated(pattern.pattern, negated, is_array=repeats)
            return ast.Repeat(inner, pattern.minimum, pattern.maximum)
        case _:
            parts = (_name_negated(each, negated, is_array=is_array) for each in pattern.parts)
            return type(pattern)(tuple(parts))


def positive_types(pattern: ast.Pattern) -> list[str]:
    """Return the types of a pattern's positive events, each once."""
    return list(dict.fromkeys(_types(pattern)))


def _types(pattern: ast.Pattern) -> Iterable[str]:
    match pattern:
        case ast.EventPattern():
            return pattern.types
        case ast.Negation():
            return ()
        case ast.Repeat():
            return _types(pattern.pattern)
        case _:
            return [each for part in pattern.parts for each in _types(part)]


def with_types(pattern: ast.Pattern, names: dict[str, bool]) -> dict[str, bool]:
    """Return what WHERE may call events: variables, and types for all their events at once."""
    return names | dict.fromkeys(positive_types(pattern), False)


def count_positions(pattern: ast.Pattern) -> int:
    """Return how many positions the automaton has: every copy of a repetition counts."""
    match pattern:
        case ast.EventPattern():
            return 1
        case ast.Negation():
            return 0
        case ast.Repeat():
            return count_positions(pattern.pattern) * (pattern.maximum or max(1, pattern.minimum))
        case _:
            return sum(count_positions(each) for each in pattern.parts)


@st.composite
def negated_patterns(draw: st.DrawFn) -> ast.Pattern:
    """A sequence with negated parts between, before or after its positive parts."""
    count = draw(st.integers(1, 3))
    parts: list[ast.Pattern] = []
    for _ in range(count):
        if draw(st.integers(0, 2)) == 0:
            parts.append(ast.Negation(draw(negatable)))
        inner = draw(patterns(most_events=1)) if draw(st.booleans()) else None
        parts.append(inner or draw(patterns(most_events=2)))
    if draw(st.integers(0, 2)) == 0 or count == len(parts):
        parts.append(ast.Negation(draw(negatable)))
    if count == 1 and len(parts) == 1:
        return parts[0]
    whole = ast.Sequence(tuple(parts))
    return draw(st.sampled_from((whole, whole, ast.Repeat(whole, 1, None))))


event = st.sampled_from(TYPES).map(lambda each: ast.EventPattern((each,)))
flat = (
    event
    | st.builds(ast.EventPattern, st.just(("B", "C")))
    | st.builds(lambda one, two: ast.Sequence((one, two)), event, event)
)
either_event = event | st.builds(lambda one, two: ast.Alternation((one, two)), event, event)
optional_event = event | st.builds(ast.Repeat, event, st.just(0), st.sampled_from((1, None)))


@st.composite
def around_negations(draw: st.DrawFn, inner: st.SearchStrategy[ast.Pattern]) -> ast.Pattern:
    """A sequence to negate that has negations of its own, between events that must occur."""
    middle: list[ast.Pattern] = [ast.Negation(draw(inner))]
    if draw(st.booleans()):
        middle.append(draw(optional_event))
        if draw(st.booleans()):
            middle.append(ast.Negation(draw(inner)))
    whole = ast.Sequence((draw(either_event), *middle, draw(either_event)))
    return draw(st.sampled_from((whole, whole, ast.Repeat(whole, 1, None))))


@st.composite
def repeated(draw: st.DrawFn) -> ast.Pattern:
    """A part to negate with repetitions: of an event, of a sequence, or one inside the other."""
    one, other = draw(either_event), draw(event)
    again = ast.Repeat(one, *draw(st.sampled_from(((1, None), (2, None), (1, 3)))))
    forms = (
        again,
        again,
        ast.Sequence((again, other)),
        ast.Sequence((other, again)),
        ast.Repeat(ast.Sequence((one, other)), 1, None),
        ast.Repeat(ast.Sequence((again, other)), 1, None),
    )
    return draw(st.sampled_from(forms))


negatable = st.one_of(
    flat, flat, repeated(), around_negations(flat), around_negations(around_negations(flat))
)
