"""What queries of a workload have in common, as plain data for text and JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommonPart:
    """Something that several queries have: windows, or the beginning of a pattern."""

    text: str
    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartClass:
    """Places of a part whose events must satisfy the same conditions."""

    conditions: tuple[str, ...]
    places: int
    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SharedPart:
    """A part of patterns that occurs at several places: bursts of its events can be shared."""

    text: str
    places: int
    queries: tuple[str, ...]
    classes: tuple[PartClass, ...]


@dataclass(frozen=True, slots=True)
class OtherPass:
    """The numbers of sets, from 1, that another set is apart from, and why."""

    sets: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class SetExplanation:
    """Queries that are folded in one pass over the events; `apart` are the sets before it."""

    queries: tuple[str, ...]
    partition_by: tuple[str, ...]
    windows: tuple[CommonPart, ...]
    prefixes: tuple[CommonPart, ...]
    parts: tuple[SharedPart, ...]
    apart: tuple[OtherPass, ...] = ()


@dataclass(frozen=True, slots=True)
class OtherSet:
    """Queries that have less in common than a set: what they do together, and the common parts."""

    text: str
    queries: tuple[str, ...]
    title: str
    common: tuple[CommonPart, ...]


@dataclass(frozen=True, slots=True)
class AloneQuery:
    """A query that is folded by itself, and why."""

    query: str
    reason: str


@dataclass(frozen=True, slots=True)
class SharingExplanation:
    """Who is folded with whom, what they share, and why the rest does not.

    The events of the queries of a scan are read, typed and ordered once. `not_on_streams` is what
    is different there.
    """

    sets: tuple[SetExplanation, ...]
    others: tuple[OtherSet, ...]
    scans: tuple[tuple[str, ...], ...]
    alone: tuple[AloneQuery, ...]
    not_on_streams: tuple[str, ...] = ()

    def set_of(self, name: str) -> int | None:
        """Return the number of a query's set, from 1; None if it is folded by itself."""
        return next((n for n, each in enumerate(self.sets, 1) if name in each.queries), None)

    def is_alone(self, name: str) -> bool:
        """Whether a query shares the scan of events with others, at most."""
        return any(each.query == name for each in self.alone)
