"""The keywords of a run: what `run(table, time=…, …)` may say, and what becomes of it.

Every run has an `Events` and either a `Batch` or a `Streaming`; keywords are another way to write
these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from typing import Any, TypeAlias, TypedDict

from cepheid.errors import ConfigError, suggest
from cepheid.events import ROLES, Events, RoleKeywords, events_with_roles
from cepheid.plan.run_options import Batch, RunOptions
from cepheid.plan.stream_options import Streaming


class LimitKeywords(TypedDict, total=False):
    """See `RunOptions`."""

    live_limit: int | None
    max_matches: int | None
    on_expiry: bool


class BatchOnlyKeywords(TypedDict, total=False):
    """See `Batch`."""

    limit: int | None
    parallel_in_time: bool | None
    grouped: bool
    packed: bool


class StreamingOnlyKeywords(TypedDict, total=False):
    """See `Streaming`."""

    ordered: bool
    watermark: str | int | None
    late: str
    ahead: str | None
    bad: str
    idle: str | None
    buckets: int | None
    state_limit: int | None
    cache: bool
    cache_folder: str | None
    cache_limit: int | None
    end: str | None


class BatchKeywords(LimitKeywords, BatchOnlyKeywords):
    """The options of events that have an end."""


class StreamingKeywords(LimitKeywords, StreamingOnlyKeywords):
    """The options of streams."""


class OptionKeywords(LimitKeywords, BatchOnlyKeywords, StreamingOnlyKeywords):
    """The options of both."""


class RunKeywords(RoleKeywords, OptionKeywords):
    """Roles of columns, and options."""


class BatchRunKeywords(RoleKeywords, BatchKeywords):
    """Roles of columns, and options of events that have an end."""


class StreamKeywords(StreamingKeywords, total=False):
    """The options of streams and, unless the events have them already, the roles of columns."""

    time: str
    type: str | None
    order: str | Sequence[str]
    schemas: Mapping[str, Sequence[str]] | None
    time_unit: str


Options: TypeAlias = Batch | Streaming | None

OF_BATCHES = {each.name: each for each in fields(Batch)}
OF_STREAMS = {each.name: each for each in fields(Streaming)}


def read_run(
    given: object,
    options: RunOptions | None,
    keywords: Mapping[str, Any],
    *,
    method: str,
    without: Sequence[str] = (),
) -> tuple[Events[Any], Batch | Streaming]:
    """Return the events and the options of a run, whichever way they are written.

    `without` are options that the method does not have.
    """
    _refuse_unknown(keywords, method, without)
    roles = _roles_among(keywords)
    chosen = {name: value for name, value in keywords.items() if name not in ROLES}
    events = _read_events(given, roles, method)
    if options is None:
        return events, _options_of(events, chosen)
    if chosen:
        raise ConfigError(
            f"options are given twice: as {type(options).__name__}(…), and {next(iter(chosen))}=",
            hint=f"write them all into {type(options).__name__}(…)",
        )
    fitting = _fitting(events, options)
    refused = next((each for each in without if each in _asked(fitting)), None)
    if refused is not None:
        raise ConfigError(f"{method} has no option '{refused}'", hint=f"leave {refused} out")
    return events, fitting


def read_stream(
    given: object,
    options: Streaming | None,
    keywords: Mapping[str, Any],
    *,
    without: Sequence[str] = (),
) -> tuple[Events[Any], Streaming]:
    """Return the events and the options of a method that is for streams only."""
    without = (*without, *(each for each in OF_BATCHES if each not in OF_STREAMS))
    events = _read_events(given, _roles_among(keywords), "stream")
    if not events.is_stream:
        raise ConfigError(
            f"the events are a {events.kind}, which has an end",
            hint="use run, or read the events with spark.readStream",
        )
    _, chosen = read_run(given, options, keywords, method="stream", without=without)
    assert isinstance(chosen, Streaming)
    return events, chosen


def _roles_among(keywords: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in keywords.items() if name in ROLES}


def _refuse_unknown(keywords: Mapping[str, Any], method: str, without: Sequence[str]) -> None:
    known = {*ROLES, *OF_BATCHES, *OF_STREAMS} - {*without}
    unknown = next((each for each in keywords if each not in known), None)
    if unknown is not None:
        raise ConfigError(
            f"{method} has no option '{unknown}'", hint=suggest(unknown, known, owner=method)
        )


def _read_events(given: object, roles: Mapping[str, Any], method: str) -> Events[Any]:
    if not isinstance(given, Events):
        if "time" not in roles:
            raise ConfigError(
                "nothing says which column of the events has the time",
                hint=f"write {method}(table, time='…'), or {method}(cepheid.events(table, …))",
            )
        return events_with_roles(given, **roles)
    if roles:
        raise ConfigError(
            f"{next(iter(roles))}= is given, but the events have their roles already",
            hint=f"leave it out: cepheid.events(…) is where roles are given; these are {given!r}",
        )
    return given


def _options_of(events: Events[Any], chosen: Mapping[str, Any]) -> Batch | Streaming:
    """Return options for this kind of events; those of the other kind may have no value."""
    if not events.is_stream:
        for name in _asked_of(chosen, OF_STREAMS, OF_BATCHES):
            raise ConfigError(
                f"{name} is for streams, but the events are a {events.kind}",
                hint=f"leave {name} out, or read the events with spark.readStream",
            )
        return Batch(**{name: value for name, value in chosen.items() if name in OF_BATCHES})
    for name in _asked_of(chosen, OF_BATCHES, OF_STREAMS):
        if name == "limit":
            raise ConfigError(
                "limit is for events that have an end, but the events are a stream",
                hint="leave limit out; max_matches bounds what a micro-batch lists",
            )
        raise ConfigError(
            f"{name} is for batch DataFrames, but the events are a stream",
            hint=f"leave {name} out: a stream always shuffles its events, in packets",
        )
    return Streaming(**{name: value for name, value in chosen.items() if name in OF_STREAMS})


def _asked_of(
    chosen: Mapping[str, Any], these: Mapping[str, Field[Any]], others: Mapping[str, Field[Any]]
) -> list[str]:
    """Return the options only of these that ask for something."""
    return [
        name
        for name, value in chosen.items()
        if name not in others and value is not False and value != these[name].default
    ]


def _asked(options: RunOptions) -> list[str]:
    return [each.name for each in fields(options) if getattr(options, each.name) != each.default]


def _fitting(events: Events[Any], options: object) -> Batch | Streaming:
    """Return the options if they are for this kind of events."""
    match options:
        case Streaming() if not events.is_stream:
            raise ConfigError(
                f"Streaming options are for streams, but the events are a {events.kind}",
                hint="give cepheid.Batch(…) or none, or read the events with spark.readStream",
            )
        case Batch() if events.is_stream:
            raise ConfigError(
                "Batch options are for events that have an end, but the events are a stream",
                hint="give cepheid.Streaming(…) instead",
            )
        case Batch() | Streaming():
            return options
    raise ConfigError(
        f"the options are {options!r}, of type {type(options).__name__}",
        hint="give cepheid.Batch(…), cepheid.Streaming(…), or keywords",
    )
