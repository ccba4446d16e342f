"""Explanation to plain text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from cepheid.explain.document import Choice, Edge, Explanation, Side, State
from cepheid.program.run_record import RANKED, REFUSED, FoldRecord, GroupRecord, StepRecord

WIDTH = 100
INDENT = "  "
ENTRY, EXIT = "▶", "◎"


def as_text(explanation: Explanation, *, title: str = "Query") -> str:
    """Return the explanation in titled sections; lines are wrapped at 100 characters."""
    sections = [
        (title, explanation.query.splitlines()),
        ("Pattern", list(_pattern(explanation))),
        ("Plan", list(_plan(explanation))),
        ("Choices", list(choice_lines(explanation.choices))),
        ("Folds", list(_folds(explanation))),
        ("Steps of a stream", list(choice_lines(explanation.steps))),
        ("Predicates", list(_predicates(explanation))),
        ("Not executable yet", list(_unsupported(explanation))),
        ("Warnings", list(_warnings(explanation))),
    ]
    return "\n".join(section(head, lines) for head, lines in sections if lines).rstrip("\n")


def section(title: str, lines: Iterable[str]) -> str:
    """Return a title with its lines indented below it."""
    body = "".join(f"{INDENT}{line}".rstrip() + "\n" for line in lines)
    return f"{title}\n{body}"


# --- pattern ------------------------------------------------------------------------------------


def _pattern(explanation: Explanation) -> Iterator[str]:
    repeats = any(edge.is_loop for side in explanation.sides for edge in side.edges)
    repetition = "   ↻ another repetition" if repeats else ""
    yield f"{ENTRY} a match can start here   {EXIT} it can end here{repetition}"
    for number, side in enumerate(explanation.sides):
        yield ""
        if len(explanation.sides) > 1:
            yield f"side {number + 1} of AND: {side.pattern}"
        yield from _side(side)


def _side(side: Side) -> Iterator[str]:
    yield from aligned([_state_row(each) for each in side.states])
    yield ""
    yield from (f"{INDENT}{line}" for line in aligned([_edge_row(each) for each in side.edges]))
    for negation in side.negations:
        for condition in negation.conditions:
            yield f"{INDENT}¬ {negation.text} where {condition}"


def _state_row(state: State) -> tuple[str, ...]:
    notes = [each.text for each in state.predicates]
    if state.entry_negation is not None:
        notes.append(f"before: {state.entry_negation}")
    if state.exit_negation is not None:
        notes.append(f"after: {state.exit_negation}")
    copy = f" (copy {state.copy})" if state.copy > 1 else ""
    entry = ENTRY if state.is_entry else " "
    leaving = EXIT if state.is_exit else " "
    return f"{entry} {state.index}", f"{leaving} {state.event}{copy}", "; ".join(notes)


def _edge_row(edge: Edge) -> tuple[str, ...]:
    arrow = "↻" if edge.is_loop else "→"
    notes = [each.text for each in edge.predicates]
    if edge.negation is not None:
        notes.insert(0, edge.negation)
    return f"{edge.source} {arrow} {edge.target}", "; ".join(notes)


# --- plan, choices, predicates ------------------------------------------------------------------


def _plan(explanation: Explanation) -> Iterator[str]:
    """Yield the result first and the events last, each operator indented below its consumer."""
    operators = explanation.operators[::-1]
    heads = [_branch(depth) + operator.name for depth, operator in enumerate(operators)]
    column = max(map(len, heads)) + 2
    for depth, (head, operator) in enumerate(zip(heads, operators, strict=True)):
        details = [line for each in operator.details for line in _wrap(each, column)]
        yield head.ljust(column) + (details[0] if details else "")
        has_input = depth < len(operators) - 1
        below = "   " * depth + ("│" if has_input else "")
        yield from (below.ljust(column) + line for line in details[1:])


def _branch(depth: int) -> str:
    return "" if depth == 0 else "   " * (depth - 1) + "└─ "


def choice_lines(choices: Sequence[Choice | StepRecord]) -> Iterator[str]:
    """Yield what was chosen by topic, and why."""
    column = max((len(each.topic) for each in choices), default=0) + 2
    for each in choices:
        first, *others = _wrap(each.choice, column)
        yield each.topic.ljust(column) + first
        others += _wrap(f"because {each.reason}", column)
        yield from (" " * column + line for line in others)


def _folds(explanation: Explanation) -> Iterator[str]:
    """Yield the folds in their ranking and why others cannot run; of parts, the ranking alone."""
    parts = []
    for group in explanation.folds:
        if group.what:
            ranked = [with_cost(each) for each in group.folds if each.outcome == RANKED]
            parts.append((f"{group.what}:", ", then ".join(ranked)))
        else:
            yield from ranked_lines(group)
    yield from aligned(parts)


def ranked_lines(group: GroupRecord) -> list[str]:
    """Return the folds in their ranking, then those that cannot run, by reason."""
    ranked = [each for each in group.folds if each.outcome == RANKED]
    rows = [(str(number), with_cost(each)) for number, each in enumerate(ranked, start=1)]
    rows += [("not", f"{names}: {reason}") for names, reason in refused(group)]
    return aligned(rows)


def with_cost(fold: FoldRecord) -> str:
    """Return a fold, with what it costs if that was compared."""
    return fold.name if fold.cost is None else f"{fold.name} (cost of an event: {fold.cost:.3g})"


def refused(group: GroupRecord) -> Iterator[tuple[str, str]]:
    """Yield folds that do not take a query, with their reason, those of one reason together."""
    by_reason: dict[str, list[str]] = {}
    for each in group.folds:
        if each.outcome == REFUSED and each.why is not None:
            by_reason.setdefault(each.why, []).append(each.name)
    yield from ((", ".join(names), reason) for reason, names in by_reason.items())


def _predicates(explanation: Explanation) -> Iterator[str]:
    rows = []
    if explanation.partition_by:
        partition = f"[{', '.join(explanation.partition_by)}]"
        rows.append((partition, "equivalence", "partitions the events"))
    for number, side in enumerate(explanation.sides):
        place = f"side {number + 1}: " if len(explanation.sides) > 1 else ""
        rows += [(each.text, each.predicate_class, place + each.tested) for each in side.predicates]
    yield from aligned(rows)


def _unsupported(explanation: Explanation) -> Iterator[str]:
    for each in explanation.unsupported:
        place = "" if each.line is None else f" (line {each.line}, column {each.column})"
        lines = _wrap(f"{each.message}{place}", 2)
        lines += [] if each.hint is None else _wrap(each.hint, 2)
        yield from _bullet(lines)


def _warnings(explanation: Explanation) -> Iterator[str]:
    for each in explanation.warnings:
        yield from _bullet(_wrap(each, 2))


def _bullet(lines: Sequence[str]) -> Iterator[str]:
    return (f"{'•' if n == 0 else ' '} {line}" for n, line in enumerate(lines))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Pad the columns to equal width; the last one is wrapped in itself."""
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    start = sum(widths) + 2 * len(widths)
    lines = []
    for row in rows:
        head = "".join(
            f"{cell.ljust(width)}  " for cell, width in zip(row[:-1], widths, strict=True)
        )
        last, *more = _wrap(row[-1], start) or [""]
        lines.append(head + last)
        lines += [" " * start + line for line in more]
    return lines


def _wrap(text: str, column: int) -> list[str]:
    width = max(40, WIDTH - len(INDENT) - column)
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
