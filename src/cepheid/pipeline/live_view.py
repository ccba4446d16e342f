"""What a browser sees of a running pipeline: numbers, throughput, the last results, errors."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from cepheid.metrics.prometheus import prometheus_text
from cepheid.metrics.publish import LOOPBACK, Answer, LocalServer, metrics_answer
from cepheid.metrics.stream_metrics import StreamMetrics
from cepheid.pipeline.last_results import drawn_results, time_columns
from cepheid.pipeline.load import CheckedPipeline
from cepheid.pipeline.progress_line import moment, size, span
from cepheid.plot.live_page import (
    CONTENT,
    OF_PICTURES,
    SCRIPT,
    Listing,
    LivePage,
    live_content,
    live_frame,
    live_script,
)
from cepheid.plot.page import page_script
from cepheid.plot.place_matches import counted
from cepheid.plot.series import throughput_chart
from cepheid.plot.series_body import chart_body

HTML, JAVASCRIPT = "text/html; charset=utf-8", "text/javascript; charset=utf-8"
MOST_BATCHES = 240  # of a stream that the throughput is drawn of
MOST_RESULTS = 40  # of a query that are drawn, and up to the next that are listed
MOST_LISTED = 8
WATCHED_SECONDS, LAST_SECONDS = 10.0, 5.0  # somebody looks; and may see the end
HEAD = ("stream", "is", "batches", "events", "events/s", "results", "late", "set aside", "state",
        "state rows",
        "watermark", "behind")  # fmt: skip
QUERY_NUMBERS = ("events", "results", "late", "set aside", "active state")


class LiveView:
    """What is known of the streams; told by some threads, asked by others."""

    def __init__(self, pipeline: CheckedPipeline, title: str) -> None:
        self.title = title
        self._times = {name: time_columns(each) for name, each in pipeline.queries.plans.items()}
        self._is_integer = pipeline.columns.time_is_number
        self._lock = threading.Lock()
        self._latest: Callable[[], Sequence[StreamMetrics]] = tuple
        self._rates: dict[str, deque[tuple[float, float]]] = {}
        self._rows: dict[str, deque[dict[str, Any]]] = {}
        self._counts: dict[str, int] = {}
        self._errors: list[str] = []
        self._begin, self._end, self._asked = time.monotonic(), 0.0, 0.0

    def watch(self, latest: Callable[[], Sequence[StreamMetrics]]) -> None:
        """Take the numbers from there from now on."""
        self._latest = latest

    def progressed(self, metrics: StreamMetrics) -> None:
        """Take in a micro-batch."""
        with self._lock:
            rates = self._rates.setdefault(metrics.stream, deque(maxlen=MOST_BATCHES))
            rates.append((metrics.at, metrics.rows_per_second))
            self._counts |= {each.name: each.results_total for each in metrics.queries}
        for query in metrics.queries:
            self.found(query.name, query.rows)

    def found(self, query: str, rows: Sequence[str]) -> None:
        """Take in some results of a query, as JSON."""
        with self._lock:
            kept = self._rows.setdefault(query, deque(maxlen=MOST_RESULTS))
            kept.extend(filter(None, map(_read, rows)))

    def failed(self, message: str) -> None:
        """Show an error."""
        with self._lock:
            self._errors.append(message)

    def end(self) -> None:
        """Nothing more comes; who looks at the page may see its last state."""
        with self._lock:
            self._end = time.monotonic()
        begin = time.monotonic()
        while begin - self._asked < WATCHED_SECONDS and self._asked < self._end:
            if time.monotonic() - begin > LAST_SECONDS:
                return
            time.sleep(0.1)

    def prometheus(self) -> str:
        """Return the numbers as Prometheus text."""
        return prometheus_text(self._latest())

    def content(self) -> str:
        """Return what is known now, for the page."""
        latest = self._latest()
        with self._lock:
            page = self._page(latest)
            self._asked = time.monotonic()
        return live_content(page)

    def _page(self, latest: Sequence[StreamMetrics]) -> LivePage:
        bodies = []
        if any(len(each) > 1 for each in self._rates.values()):
            bodies.append(chart_body(throughput_chart(self._rates)))
        rows = {name: list(each) for name, each in self._rows.items() if each}
        timeline = drawn_results(rows, self._times, self._counts, is_integer=self._is_integer)
        if timeline is not None:
            bodies.append(timeline)
        return LivePage(
            self.title, self._status(latest), tuple(self._errors), tuple(_numbers(latest)),
            tuple(bodies),
            tuple(_listing(name, each, self._counts.get(name, 0)) for name, each in rows.items()),
            is_over=bool(self._end),
        )  # fmt: skip

    def _status(self, latest: Sequence[StreamMetrics]) -> str:
        if self._end:
            lasted = span(self._end - self._begin)
            return f"{'failed' if self._errors else 'ended'} after {lasted}"
        running = sum(each.is_running for each in latest)
        words = f"{running} stream{'' if running == 1 else 's'} running" if latest else "starting"
        return f"{words} for {span(time.monotonic() - self._begin)}"


def _read(row: str) -> dict[str, Any] | None:
    """Return a result; a long one was cut, and is no JSON any more."""
    try:
        found = json.loads(row)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _numbers(latest: Sequence[StreamMetrics]) -> Iterator[Listing]:
    rows = tuple(
        (
            each.stream,
            "running" if each.is_running else "not running",
            f"{each.batches:,}",
            f"{each.rows_total:,}",
            f"{each.rows_per_second:,.0f}",
            f"{each.query.results_total:,}",
            f"{each.query.late_total:,}",
            f"{each.query.set_aside_total:,}",
            _unbroken(size(each.state_bytes)),
            f"{each.state_rows:,}",
            "" if each.watermark is None else _unbroken(moment(each.watermark)),
            "" if each.watermark_lag is None else _unbroken(span(each.watermark_lag)),
        )
        for each in latest
    )
    yield Listing("Streams", HEAD, rows, 2)
    queries = tuple(
        (query.name, stream.stream, f"{query.events_total:,}", f"{query.results_total:,}",
         f"{query.late_total:,}", f"{query.set_aside_total:,}", size(query.active_state_bytes or 0))
        for stream in latest
        for query in stream.queries
    )  # fmt: skip
    if len(queries) > len(rows):
        yield Listing("Queries", ("query", "stream", *QUERY_NUMBERS), queries, 2)


def _unbroken(text: str) -> str:
    """Return a text that stays on one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _listing(name: str, rows: Sequence[Mapping[str, Any]], count: int) -> Listing:
    shown = list(reversed(rows))[:MOST_LISTED]
    head = tuple(dict.fromkeys(key for row in shown for key in row))
    cells = tuple(tuple(_text(row.get(key)) for key in head) for row in shown)
    of_all = f"{len(shown):,} of {counted(max(count, len(shown)), 'result')}"
    return Listing(f"{name}: {of_all}, the newest first", head, cells, len(head))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "NULL" if value is None else json.dumps(value)


@contextmanager
def serve(view: LiveView, port: int, host: str = LOOPBACK) -> Iterator[str]:
    """Show a view at a port of this machine; gives the address.

    Raises:
        ConfigError: the port is taken, or the address is not of this machine.
    """
    answers = {
        "/": Answer(HTML, lambda: live_frame(view.title)),
        CONTENT: Answer(HTML, view.content),
        SCRIPT: Answer(JAVASCRIPT, live_script),
        OF_PICTURES: Answer(JAVASCRIPT, page_script),
        **metrics_answer(view.prometheus),
    }
    server = LocalServer(port, answers, host=host)
    try:
        yield f"{server.address}/"
    finally:
        view.end()
        server.close()
