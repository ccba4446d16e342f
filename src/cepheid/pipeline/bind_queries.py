"""The queries of a pipeline: parsed, bound to the columns and planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import yaml

from cepheid.errors import ConfigError, Diagnostic, Location, QueryError
from cepheid.pipeline.event_columns import EventColumns
from cepheid.pipeline.model import Pipeline, QueryText
from cepheid.pipeline.pipeline_document import Document
from cepheid.pipeline.places import Places
from cepheid.plan.physical import PhysicalPlan
from cepheid.query import Query, query
from cepheid.workload import Workload, workload


@dataclass(frozen=True, slots=True)
class BoundQueries:
    """The queries together, and their plans by name; None where one of them is wrong."""

    workload: Workload | None
    plans: Mapping[str, PhysicalPlan]


def bind_queries(
    settings: Pipeline,
    document: Document,
    places: Places,
    columns: EventColumns,
    problems: list[Diagnostic],
) -> BoundQueries:
    """Return the queries; what is wrong with them is a problem, at its place in the file."""
    files = {
        name: str(places.folder / each.file)
        for name, each in settings.queries.items()
        if each.file is not None
    }
    parsed: list[Query] = []
    for name, entry in settings.queries.items():
        try:
            text = _text(entry, files.get(name))
            parsed.append(query(text, name=name, parameters=entry.parameters))
        except QueryError as error:
            problems += _relocated(error, document, files)
        except ConfigError as error:
            place = document.place_of_value(_path(entry, name, document))
            problems.append(Diagnostic("missing-file", str(error), place, "check the path"))
    if len(parsed) < len(settings.queries):
        return BoundQueries(None, {})
    try:
        together = workload(parsed)
    except QueryError as error:  # they read each other in a circle
        problems += _relocated(error, document, files)
        return BoundQueries(None, {})
    plans: Mapping[str, PhysicalPlan] = {}
    try:
        plans = together.plans(columns.schema)
        for plan in plans.values():
            plan.require_executable()
    except (QueryError, ConfigError) as error:
        every = [*_errors_of_each(together, columns), error]
        problems += _relocated_all(every, settings, document, files)
    return BoundQueries(together, plans)


def _errors_of_each(together: Workload, columns: EventColumns) -> list[QueryError | ConfigError]:
    """Return the errors of all queries that read no others: together, the first one ends it."""
    found: list[QueryError | ConfigError] = []
    for name, each in together.queries.items():
        if not together.dependencies.givers(name):
            try:
                each.plan(columns.schema).require_executable()
            except (QueryError, ConfigError) as error:
                found.append(error)
    return found


def _relocated_all(
    errors: Sequence[QueryError | ConfigError],
    settings: Pipeline,
    document: Document,
    files: Mapping[str, str],
) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for error in errors:
        if isinstance(error, QueryError):
            found += _relocated(error, document, files)
        else:
            found.append(_bad_parameter(error, settings, document))
    return list(dict.fromkeys(found))


def _text(entry: QueryText, file: str | None) -> str:
    if entry.text is not None:
        return entry.text
    assert file is not None
    try:
        with open(file, encoding="utf-8") as stream:
            return stream.read()
    except OSError as error:
        raise ConfigError(f"cannot read the query '{file}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"the query '{file}' is not UTF-8 text") from None


def _path(entry: QueryText, name: str, document: Document) -> tuple[str, ...]:
    is_short = isinstance(document.content["queries"][name], str)
    key = "text" if entry.file is None else "file"
    return ("queries", name) if is_short else ("queries", name, key)


def _bad_parameter(error: ConfigError, settings: Pipeline, document: Document) -> Diagnostic:
    message, _, _ = str(error).partition("\n")
    for name, entry in settings.queries.items():
        for parameter in entry.parameters:
            if f"':{parameter}'" in message:
                place = document.place_of_key(("queries", name, "parameters", parameter))
                return Diagnostic("unknown-key", message, place, error.hint)
    return Diagnostic("bad-value", message, document.place_of_key(("queries",)), error.hint)


# --- places in the text of a query, as places in the file that holds it -------------------------


def _relocated(error: QueryError, document: Document, files: Mapping[str, str]) -> list[Diagnostic]:
    return [
        each
        if each.location is None
        else replace(each, location=_place(each.location, document, files))
        for each in error.diagnostics
    ]


def _place(location: Location, document: Document, files: Mapping[str, str]) -> Location:
    name = location.source_name
    if name in files:
        return replace(location, source_name=files[name])
    path = ("queries", name)
    is_short = isinstance(document.content["queries"][name], str)
    node = document.node_of_value(path if is_short else (*path, "text"))
    if isinstance(node, yaml.ScalarNode):
        start = _start_of_line(node, location.line, document)
        if start is not None:
            line, column = start
            return document.place(line, column + location.column - 1, location.length)
    return replace(location, source_name=f"{document.name} (queries.{name})")


def _start_of_line(node: yaml.ScalarNode, line: int, document: Document) -> tuple[int, int] | None:
    """Return where a line of a text stands in the file, both from 0; None if YAML changed it."""
    if node.style == "|":
        lines = node.value.splitlines()
        first = node.start_mark.line + 1
        if first + line > len(document.lines) or line > len(lines):
            return None
        shown = document.lines[first + line - 1]
        column = len(shown) - len(lines[line - 1])
        return (first + line - 1, column) if shown.endswith(lines[line - 1]) else None
    is_one_line = node.start_mark.line == node.end_mark.line
    if not is_one_line:
        return None
    column = node.start_mark.column + (1 if node.style in ("'", '"') else 0)
    shown = document.lines[node.start_mark.line]
    return (node.start_mark.line, column) if shown.startswith(node.value, column) else None
