"""Where the streams of a pipeline keep what they remember, and whose that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cepheid.analysis.dependencies import Dependencies
from cepheid.errors import StateError
from cepheid.language.printer import print_query
from cepheid.metrics.stream_metrics import END_FOLDER
from cepheid.pipeline.load import CheckedPipeline
from cepheid.pipeline.model import TOGETHER
from cepheid.pipeline.values import AVAILABLE_NOW

if TYPE_CHECKING:
    from cepheid.connectors.spark_session import SparkRun


@dataclass(frozen=True, slots=True)
class StreamPlace:
    """A stream, its checkpoint, and the folder that tells it of its end, if it reads one."""

    name: str
    checkpoint: str
    end: str | None


def stream_places(spark: SparkRun, pipeline: CheckedPipeline) -> list[StreamPlace]:
    """Return the places of all streams.

    Raises:
        StateError: a checkpoint belongs to another query.
        ConfigError: a stream is to be finished that was not begun like that.
    """
    from cepheid.connectors.checkpoints import find_end, require_same

    settings, session, found = pipeline.filled, spark.session, []
    for name in (TOGETHER,) if settings.together else settings.sinks:
        checkpoint = pipeline.places.absolute(f"{settings.checkpoint}/{name}")
        try:
            require_same(session, checkpoint, stream_identity(pipeline, name))
        except StateError as error:
            raise StateError(f"'{name}': {error}") from None
        end = find_end(
            session,
            checkpoint,
            f"{checkpoint}/{END_FOLDER}",
            is_bounded=settings.trigger == AVAILABLE_NOW,
            finishes=settings.finish,
        )
        found.append(StreamPlace(name, checkpoint, end))
    return found


def declare_end(spark: SparkRun, places: Sequence[StreamPlace]) -> bool:
    """Tell all streams that their input is complete; return whether one did not know it."""
    from cepheid.connectors.checkpoints import declare_complete, is_complete

    ends = [each.end for each in places if each.end is not None]
    news = [each for each in ends if not is_complete(spark.session, each)]
    for each in news:
        declare_complete(spark.session, each)
    return bool(news)


def stream_identity(pipeline: CheckedPipeline, name: str) -> dict[str, str]:
    """Return what a stream is of, part by part, in words; what may change is not among them."""
    settings, workload = pipeline.settings, pipeline.queries.workload
    assert workload is not None
    plans = pipeline.queries.plans
    names = list(plans) if settings.together else [*_read(workload.dependencies, name), name]
    roles, events = pipeline.columns.roles, settings.events
    texts = {
        "query" if each == name else f"query {each}": " ".join(
            map(str.strip, print_query(plans[each].query.tree).splitlines())
        )
        for each in names
    }
    return texts | {
        "time": roles.time,
        "type": str(roles.type),
        "types": "; ".join(f"{kind}: {each}" for kind, each in (events.types or {}).items()),
        "order": ", ".join(roles.order) or "none",
        "time_unit": roles.time_unit,
        "ordered": str(events.ordered),
        "buckets": str(settings.state.buckets),
    }


def _read(dependencies: Dependencies, name: str) -> list[str]:
    """Return the queries whose results a query reads, and those that these read."""
    found: list[str] = []
    for giver in dependencies.givers(name):
        found += [each for each in (*_read(dependencies, giver), giver) if each not in found]
    return found
