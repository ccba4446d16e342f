"""What is shared by whom, and why not the rest, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cepheid.explain.as_text import INDENT, aligned
from cepheid.explain.name_lists import name_list
from cepheid.explain.sharing_document import (
    CommonPart,
    PartClass,
    SetExplanation,
    SharedPart,
    SharingExplanation,
)

MOST_SETS, MOST_ROWS, MOST_CLASSES = 6, 8, 6  # JSON has all of them
ON_SPARK = "On Spark the same holds in batch, for queries with the same partition attributes."
ON_STREAMS = "On streams (workload.stream), too"


def sharing_lines(sharing: SharingExplanation) -> Iterator[str]:
    """Yield the sets with what they share, then the queries that are folded by themselves."""
    numbers = [number for number, _ in enumerate(sharing.sets, start=1)]
    largest = sorted(numbers, key=lambda each: -len(sharing.sets[each - 1].queries))[:MOST_SETS]
    for number in sorted(largest):
        yield from set_lines(number, sharing.sets[number - 1])
        yield ""
    others = [each for number, each in enumerate(sharing.sets, 1) if number not in largest]
    if others:
        yield f"{len(others)} smaller sets, of {sum(len(e.queries) for e in others)} queries"
        yield ""
    yield from other_lines(sharing)
    if sharing.scans:
        yield "events are read, typed and ordered once for"
        yield from _indented([name_list(each) for each in sharing.scans])
        yield ""
    if sharing.alone:
        yield "each by itself"
        yield from _indented(alone_lines(sharing))
        yield ""
    if sharing.sets or sharing.others or sharing.scans:
        yield ON_SPARK
        yield f"{ON_STREAMS}, except that" if sharing.not_on_streams else f"{ON_STREAMS}."
        yield from _indented(sharing.not_on_streams)


def other_lines(sharing: SharingExplanation) -> Iterator[str]:
    """Yield what is done together by queries that are in no set."""
    for each in sharing.others[:MOST_SETS]:
        count = len(each.queries)
        names = name_list(each.queries).removesuffix(f" ({count} queries)")
        yield f"{count} queries {each.text}: {names}"
        yield from _indented(aligned(_common(each.title, each.common)))
        yield ""
    if len(sharing.others) > MOST_SETS:
        yield f"{len(sharing.others) - MOST_SETS} more such groups of queries"
        yield ""


def set_lines(number: int, explained: SetExplanation) -> Iterator[str]:
    """Yield a set with its windows, common beginnings, and parts that occur at several places."""
    count = len(explained.queries)
    yield f"set {number}: {count} queries in one pass over the events: " + (
        name_list(explained.queries).removesuffix(f" ({count} queries)")
    )
    rows: list[tuple[str, str, str]] = []
    if explained.partition_by:
        rows.append(("partition", ", ".join(explained.partition_by), ""))
    rows += _common("window", explained.windows)
    rows += _common("prefix", explained.prefixes) or [("prefix", "none in common", "")]
    parts = explained.parts[:MOST_ROWS]
    rows += [row for each in parts for row in _part(each)] or [("part", "none in common", "")]
    rows += _more("part", len(explained.parts) - len(parts))
    rows += [
        ("apart", f"from set {name_list(list(map(str, each.sets)))}", f"because {each.reason}")
        for each in explained.apart
    ]
    yield from _indented(aligned(rows))


def _common(title: str, items: Sequence[CommonPart]) -> list[tuple[str, str, str]]:
    rows = [(title, each.text, name_list(each.queries)) for each in items[:MOST_ROWS]]
    return rows + _more(title, len(items) - MOST_ROWS)


def _part(part: SharedPart) -> Iterator[tuple[str, str, str]]:
    yield "part", part.text, f"at {part.places} places, in {name_list(part.queries)}"
    if len(part.classes) == 1 and not part.classes[0].conditions:
        return
    for each in part.classes[:MOST_CLASSES]:
        yield "", f"{INDENT}{_condition(each)}", name_list(each.queries)
    yield from _more("", len(part.classes) - MOST_CLASSES, INDENT)


def _condition(each: PartClass) -> str:
    return f"where {' AND '.join(each.conditions)}" if each.conditions else "any"


def _more(title: str, count: int, indent: str = "") -> list[tuple[str, str, str]]:
    return [(title, f"{indent}… {count} more", "")] if count > 0 else []


def alone_lines(sharing: SharingExplanation) -> list[str]:
    """Return the queries that are folded by themselves, by reason."""
    by_reason: dict[str, list[str]] = {}
    for each in sharing.alone:
        by_reason.setdefault(each.reason, []).append(each.query)
    return aligned([(name_list(names), f"because {reason}") for reason, names in by_reason.items()])


def _indented(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"{INDENT}{line}" for line in lines)
