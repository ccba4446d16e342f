"""Settings that do not go together."""

from __future__ import annotations

from collections.abc import Callable

from cepheid.analysis.names import event_patterns
from cepheid.errors import Diagnostic, nearest
from cepheid.pipeline.bind_queries import BoundQueries
from cepheid.pipeline.check_results import check_results
from cepheid.pipeline.event_columns import EventColumns
from cepheid.pipeline.model import FileSink, Pipeline
from cepheid.pipeline.pipeline_document import Document, Path
from cepheid.pipeline.values import AVAILABLE_NOW

Report = Callable[[Diagnostic], None]


def check_conflicts(
    settings: Pipeline,
    document: Document,
    columns: EventColumns,
    queries: BoundQueries,
    problems: list[Diagnostic],
) -> None:
    """Add what cannot work together to the problems."""
    report = problems.append
    _check_source(settings, document, report)
    if not any(each.code == "no-type-column" for each in problems):
        _check_types(settings, document, queries, report)
    _check_watermark(settings, document, columns, report)
    _check_sinks(settings, document, queries, report)
    _check_late(settings, document, report)
    _check_together(settings, document, report)
    _check_finish(settings, document, report)
    if not problems:
        check_results(settings, document, columns, queries, problems)


def _check_source(settings: Pipeline, document: Document, report: Report) -> None:
    files = settings.source.files
    if files is None:
        return
    only_text = {"header": ("csv",), "delimiter": ("csv",), "malformed": ("csv", "json")}
    for key, formats in only_text.items():
        if key in files.model_fields_set and files.format not in formats:
            place = document.place_of_key(("source", "files", key))
            message = f"'{key}' is for {' and '.join(formats)}, but the format is {files.format}"
            report(Diagnostic("conflict", message, place, "leave it out"))


def _check_types(
    settings: Pipeline, document: Document, queries: BoundQueries, report: Report
) -> None:
    events = settings.events
    if events.type is not None and events.types is not None:
        message = "'type' and 'types' both say what the event type is"
        place = document.place_of_key(("events", "types"))
        report(Diagnostic("conflict", message, place, "keep the column or the conditions"))
    if events.type is None and events.types is None and queries.workload is not None:
        members = queries.workload.queries.values()
        named = {name for each in members for event in event_patterns(each.tree.pattern)
                 for name in event.types}  # fmt: skip
        read = named - {each.tree.into for each in members}
        if len(read) > 1:
            message = f"the queries name several event types: {', '.join(sorted(read))}"
            place = document.place_of_key(("events",))
            hint = "add type: with the column that holds them, or types: with conditions"
            report(Diagnostic("missing-key", message, place, hint))


def _check_watermark(
    settings: Pipeline, document: Document, columns: EventColumns, report: Report
) -> None:
    watermark = settings.watermark
    if watermark is None:
        if settings.idle is not None:
            message = "'idle' needs 'watermark': together they say how far results may lag"
            place = document.place_of_key(("idle",))
            report(Diagnostic("conflict", message, place, "add watermark: 10 minutes"))
        if not settings.events.ordered:
            message = "without a watermark nobody knows when results are final"
            place = document.place_of_key(("events",))
            hint = "add watermark: 10 minutes, or ordered: true to events if they arrive in order"
            report(Diagnostic("missing-key", message, place, hint))
        return
    if isinstance(watermark, int) and columns.arrow is not None and not columns.time_is_number:
        message = f"the time column '{columns.roles.time}' is no number, but the watermark is one"
        place = document.place_of_value(("watermark",))
        report(Diagnostic("conflict", message, place, "write a duration such as 10 minutes"))


def _check_sinks(
    settings: Pipeline, document: Document, queries: BoundQueries, report: Report
) -> None:
    for name in settings.sinks:
        if name not in settings.queries:
            near = nearest(name, settings.queries)
            guess = "" if near is None else f"did you mean '{near}'? "
            hint = f"{guess}the queries are: {', '.join(settings.queries)}"
            place = document.place_of_key(("sinks", name))
            report(Diagnostic("unknown-key", f"no query is called '{name}'", place, hint))
        _check_header(settings.sinks[name].files, document, ("sinks", name, "files"), report)
    if settings.late is not None:
        _check_header(settings.late.files, document, ("late", "files"), report)
    if queries.workload is None:
        return
    for name in settings.queries:
        if name not in settings.sinks and not queries.workload.dependencies.is_read(name):
            place = document.place_of_key(("queries", name))
            hint = f"add {name}: to sinks, such as {name}: {{console: {{}}}}"
            message = f"nobody reads the results of '{name}'"
            report(Diagnostic("missing-key", message, place, hint))


def _check_header(files: FileSink | None, document: Document, key: Path, report: Report) -> None:
    if files is not None and "header" in files.model_fields_set and files.format != "csv":
        message = f"'header' is for csv, but the format is {files.format}"
        place = document.place_of_key((*key, "header"))
        report(Diagnostic("conflict", message, place, "leave it out"))


def _check_late(settings: Pipeline, document: Document, report: Report) -> None:
    """Late events and results are written together, which a table cannot do twice the same."""
    if settings.late is None:
        if settings.bad == "deliver":
            message = "bad events go to the sink of late events, and there is none"
            place = document.place_of_key(("bad",))
            report(Diagnostic("conflict", message, place, "add a sink under late:, or bad: drop"))
        return
    hint = "use files, kafka or postgresql"
    if settings.late.table is not None:
        message = "late events cannot go to a table: a repeated micro-batch would add them twice"
        report(Diagnostic("conflict", message, document.place_of_key(("late",)), hint))
    for name, sink in settings.sinks.items():
        if sink.table is not None:
            message = (
                f"the results of '{name}' cannot go to a table while late events go to a sink: "
                "a repeated micro-batch would add them twice"
            )
            place = document.place_of_key(("sinks", name))
            report(Diagnostic("conflict", message, place, f"{hint}, or late: drop"))


def _check_finish(settings: Pipeline, document: Document, report: Report) -> None:
    if settings.finish and settings.trigger != AVAILABLE_NOW:
        message = "'finish' needs 'trigger: available now': only then the input comes to an end"
        place = document.place_of_key(("finish",))
        report(
            Diagnostic("conflict", message, place, "add trigger: available now, or leave it out")
        )


def _check_together(settings: Pipeline, document: Document, report: Report) -> None:
    """One stream writes the results of all queries micro-batch by micro-batch."""
    if not settings.together:
        return
    if settings.late is not None:
        message = "late events cannot go to a sink while all queries are one stream"
        place = document.place_of_key(("late",))
        report(Diagnostic("conflict", message, place, "write late: drop, or together: false"))
    for name, sink in settings.sinks.items():
        if sink.table is not None:
            message = (
                f"the results of '{name}' cannot go to a table while all queries are one stream: "
                "a repeated micro-batch would add them twice"
            )
            place = document.place_of_key(("sinks", name))
            hint = "use files, kafka or postgresql, or together: false"
            report(Diagnostic("conflict", message, place, hint))
