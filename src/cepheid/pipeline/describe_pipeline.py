"""What a pipeline would do, as plain data for a table; never a secret."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.connectors.secret_names import names_a_secret
from cepheid.explain.explain_plan import explain_plan
from cepheid.pipeline.load import CheckedPipeline
from cepheid.pipeline.model import TOGETHER, KafkaSink, Pipeline, PostgresqlSink, Sink, Source
from cepheid.pipeline.secrets import HIDDEN, hide_in_addresses, hide_plain_secrets
from cepheid.plan.run_options import MOST_MATCHES

BAD = {"drop": "dropped and counted", "deliver": "to where late events go, with the reason"}


@dataclass(frozen=True, slots=True)
class QueryDescription:
    """A query: what it reads, where its results go, how it is run and why."""

    name: str
    reads: str
    results: str
    sink: str
    checkpoint: str | None
    facts: tuple[str, ...]
    choices: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Description:
    """A pipeline: its settings as pairs, and its queries."""

    settings: tuple[tuple[str, str], ...]
    queries: tuple[QueryDescription, ...]


def describe(pipeline: CheckedPipeline) -> Description:
    """Return what a pipeline would do."""
    return Description(tuple(_settings(pipeline)), tuple(_queries(pipeline)))


def _settings(pipeline: CheckedPipeline) -> list[tuple[str, str]]:
    settings, columns = pipeline.settings, pipeline.columns
    events = settings.events
    arrival = "in order of time" if events.ordered else "in any order"
    known = (
        "known when the stream starts" if columns.arrow is None else ", ".join(columns.arrow.names)
    )
    rows = [("source", _source(settings.source)), ("columns", known)]
    rows.append(("events", f"time {events.time}, {_type(pipeline)}, {arrival}"))
    if settings.watermark is not None:
        rows.append(("watermark", str(settings.watermark)))
    if settings.idle is not None:
        rows.append(("idle", f"time goes on after {settings.idle} of silence"))
    rows.append(
        (
            "late events",
            "dropped and counted" if settings.late is None else f"to {_sink(settings.late)}",
        )
    )
    if settings.ahead is not None:
        rows.append(
            ("ahead", f"events more than {settings.ahead} ahead of the clock are set aside")
        )
    if settings.bad != "error":
        rows.append(("bad events", BAD[settings.bad]))
    if settings.together:
        rows.append(("together", "all queries are one stream"))
    rows.append(("checkpoint", settings.checkpoint))
    rows.append(("trigger", settings.trigger or "as soon as the micro-batch before is done"))
    if settings.finish:
        rows.append(("finish", "the input is complete: in the end all results are final"))
    if settings.state.buckets is not None:
        rows.append(("buckets", f"{settings.state.buckets:,}"))
    if settings.max_matches != MOST_MATCHES:
        rows.append(("max matches", f"{settings.max_matches:,} per bucket and micro-batch"))
    if settings.state.limit is not None:
        rows.append(("state limit", f"{settings.state.limit:,} bytes per bucket"))
    rows += [(key, _shown(key, value)) for key, value in settings.spark.items()]
    if settings.metrics is not None:
        where = settings.metrics.file or f"http://127.0.0.1:{settings.metrics.port}/metrics"
        rows.append(("metrics", where))
    return [(key, hide_in_addresses(value)) for key, value in rows]


def _shown(key: str, value: object) -> str:
    if names_a_secret(key) and "${" not in str(value):
        return HIDDEN
    return hide_plain_secrets(str(value))  # options of Java may have passwords among them


def _type(pipeline: CheckedPipeline) -> str:
    events = pipeline.settings.events
    if events.types is not None:
        return f"types {', '.join(events.types)} by condition"
    return "one type" if events.type is None else f"type {events.type}"


def _source(source: Source) -> str:
    if source.files is not None:
        return f"{source.files.format} files of {source.files.path}"
    if source.kafka is not None:
        return f"Kafka topic {', '.join(source.kafka.topics)} at {source.kafka.servers}"
    return f"table {source.chosen.name}"


def _sink(sink: Sink) -> str:
    chosen = sink.chosen
    if isinstance(chosen, KafkaSink):
        return f"Kafka topic {chosen.topic} at {chosen.servers}"
    if isinstance(chosen, PostgresqlSink):
        user = "" if chosen.user is None else f" as {chosen.user}"
        return f"PostgreSQL table {chosen.table} at {chosen.url}{user}"
    if sink.files is not None:
        return f"{sink.files.format} files in {sink.files.path}"
    return "console" if sink.table is None else f"table {sink.table.name}"


def _checkpoint(settings: Pipeline, query: str) -> str:
    return hide_in_addresses(f"{settings.checkpoint}/{TOGETHER if settings.together else query}")


def _queries(pipeline: CheckedPipeline) -> list[QueryDescription]:
    settings, queries = pipeline.settings, pipeline.queries
    assert queries.workload is not None
    found = []
    for name, plan in queries.plans.items():
        explanation = explain_plan(plan)
        reads = queries.workload.dependencies.givers(name)
        sink = settings.sinks.get(name)
        found.append(
            QueryDescription(
                name,
                "the events" if not reads else f"the events, {', '.join(reads)}",
                "matches" if plan.query.aggregates is None else "aggregates",
                f"INTO {plan.query.into}" if sink is None else hide_in_addresses(_sink(sink)),
                None if sink is None else _checkpoint(settings, name),
                (explanation.pattern, *explanation.facts),
                tuple((each.topic, each.choice, each.reason) for each in explanation.choices),
            )
        )
    return found
