"""The page of a running pipeline: what it shows, and who may see it."""

import re
import threading
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from cepheid.errors import ConfigError
from cepheid.metrics.stream_metrics import QueryMetrics, StreamMetrics
from cepheid.pipeline import live_view
from cepheid.pipeline.last_results import drawn_results
from cepheid.pipeline.live_view import LiveView, serve
from tests.cli.command import cepheid
from tests.pipeline.files import load, pipeline_text, write_pipeline
from tests.plot.pictures import Page

QUERIES = (
    '{q: "PATTERN SEQ(A a, B b) WITHIN 10 RETURN a.ts, b.ts AS later, b.v", '
    'n: "PATTERN A+ a WITHIN 10 SLIDE 10 RETURN COUNT(*) AS n", '
    'x: "PATTERN A a RETURN a.v"}'
)
SINKS = "{q: {console: }, n: {console: }, x: {console: }}"
ROWS = ('{"a_ts":1,"later":4,"b_v":0.5}', '{"a_ts":3,"later":8,"b_v":null}', '{"a_ts":3,"lat')


def metrics(stream: str, batch: int, rows: tuple[str, ...] = (), results: int = 0) -> StreamMetrics:
    totals = {"events_total": 6, "late_total": 1, "results_total": results}
    query = QueryMetrics(stream, events=6, late=1, results=results, **totals, rows=rows)
    return StreamMetrics(
        stream, batch, batch + 1, 1_700_000_000.0 + batch, 2.0, 2.0, 3_000, 3_000,
        state_rows=7, state_bytes=2_500_000, watermark=1_699_999_990.0, queries=(query,),
    )  # fmt: skip


def view_of(folder: Path) -> LiveView:
    view = LiveView(load(folder, queries=QUERIES, sinks=SINKS), "rides.yaml")
    latest: dict[str, StreamMetrics] = {}
    view.watch(lambda: tuple(latest.values()))
    for each in (
        metrics("q", 0, ROWS, 2),
        metrics("q", 1, (), 2),
        metrics("n", 0, ('{"window_start":0,"window_end":10,"n":3.0}',), 1),
        metrics("x", 0, ('{"a_v":0.5}',), 1),
    ):
        latest[each.stream] = each
        view.progressed(each)
    return view


def test_numbers_results_and_pictures(tmp_path: Path) -> None:
    page = Page(view_of(tmp_path).content())
    cells = [each.replace("\N{NO-BREAK SPACE}", " ") for each in page.texts["td"]]
    assert cells[:12] == ["q", "running", "2", "3,000", "1,500", "2", "1", "0", "2.5 MB", "7",
                          "2023-11-14 22:13:10", "11.0 s"]  # fmt: skip
    assert page.texts["caption"] == ["Streams", "q: 2 of 2 results, the newest first",
                                     "n: 1 of 1 result, the newest first",
                                     "x: 1 of 1 result, the newest first"]  # fmt: skip
    assert page.texts["text"][0] == "Events per second"
    assert page.texts["text"].count("Last results") == 1
    assert view_of(tmp_path).content().count("<figure") == 2  # times differ, and so do zooms
    assert "h3" not in page.texts
    assert "of every micro-batch, times in UTC" in page.texts["text"]
    assert "x: RETURN has no time, so there is nothing to draw" in page.texts["text"]
    assert page.addresses == []


def test_matches_are_bars_from_event_to_event(tmp_path: Path) -> None:
    content = view_of(tmp_path).content()
    assert content.count('class="match"') == 3  # a row that was cut is no result
    assert "a_ts: 1\nlater: 4\nb_v: 0.5" in content


def test_texts_of_results_are_no_html(tmp_path: Path) -> None:
    view = view_of(tmp_path)
    view.progressed(metrics("q", 2, ('{"a_ts":5,"later":6,"b_v":"<script>x</script>"}',), 3))
    assert "<script>x" not in view.content()


def test_an_error_and_the_end(tmp_path: Path) -> None:
    view = view_of(tmp_path)
    view.failed("'q': it <broke>")
    view.end()
    content = view.content()
    assert "&#x27;q&#x27;: it &lt;broke&gt;" in content
    assert re.search(r'data-status="failed after [^"]+" data-over', content)


def test_who_looks_sees_the_end(tmp_path: Path) -> None:
    view = view_of(tmp_path)
    view.content()
    thread = threading.Thread(target=view.end)
    thread.start()
    time.sleep(0.3)
    assert thread.is_alive()
    assert "data-over" in view.content()
    thread.join(3)
    assert not thread.is_alive()


def test_the_page_in_a_browser(tmp_path: Path, chromium) -> None:
    view = view_of(tmp_path)
    with serve(view, 0) as address:
        dom = chromium.dom(address)
        assert "<h1>rides.yaml</h1>" in dom
        assert re.search(r'id="state"[^>]*>3 streams running for', dom)
        assert "2023-11-14&nbsp;22:13:10" in dom
        assert dom.count('class="match"') == 3
        with urllib.request.urlopen(f"{address}metrics") as answer:
            assert b'cepheid_results_total{stream="q",query="q"} 2' in answer.read()
        view.failed("'q': it <broke>")
        assert "it &lt;broke&gt;" in chromium.dom(address)
        view._asked = 0.0  # nobody looks any more


POLLED = """
(function () {
  const told = document.body.dataset;
  let first = null;
  setInterval(() => {
    const figure = document.querySelector("figure.ready");
    if (!figure) { return; }
    if (!first) { first = figure; return; }
    told.kept = figure === first && figure.querySelector(".tip") !== null;
    const cell = [...document.querySelectorAll("td")].find(each => /^2023/.test(each.textContent));
    told.line = cell.getBoundingClientRect().height < 40;
  }, 600);
})();
"""


@pytest.mark.parametrize("is_new", [False, True])
def test_pictures_are_only_drawn_again_when_they_are_new(
    tmp_path: Path, chromium, monkeypatch, is_new
) -> None:
    """Else they would lose what a reader does with them every two seconds."""
    quick = live_view.live_script().replace("setTimeout(ask, 2000)", "setTimeout(ask, 200)")
    monkeypatch.setattr(live_view, "live_script", lambda: f"{quick}{POLLED}")
    view = view_of(tmp_path)
    content, batch = view.content, iter(range(2, 10_000))

    def changing() -> str:
        view.progressed(metrics("q", next(batch), ROWS, 2))
        return content()

    if is_new:
        monkeypatch.setattr(view, "content", changing)
    with serve(view, 0) as address:
        dom = chromium.dom(address)
        view._asked = 0.0
    assert f'data-kept="{"false" if is_new else "true"}"' in dom
    assert 'data-line="true"' in dom
    assert 'class="tip"' in dom


@pytest.mark.parametrize(
    ("time", "zone"),
    [("2024-05-01T09:00:00Z", "in UTC"), ("2024-05-01T09:00:00", "without a zone")],
)
def test_the_axis_names_its_zone(time: str, zone: str) -> None:
    body = drawn_results({"q": [{"at": time}]}, {"q": ["at"]}, {"q": 1}, is_integer=False)
    assert zone in body.summary


def test_nothing_comes_from_elsewhere(tmp_path: Path) -> None:
    with serve(view_of(tmp_path), 0) as address, urllib.request.urlopen(address) as answer:
        page = Page(answer.read().decode())
        policy = answer.headers["Content-Security-Policy"]
    assert page.addresses == ["/page.js", "/live.js"]
    assert "script-src 'self'" in policy
    assert "default-src 'none'" in policy


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    view = view_of(tmp_path)
    with pytest.raises(ConfigError, match=r"192\.0\.2\.1"), serve(view, 0, "192.0.2.1"):
        pass


def test_options_of_the_page_need_it(tmp_path: Path) -> None:
    path = write_pipeline(tmp_path, pipeline_text())
    done = cepheid("pipeline", path, "--port", "9000")
    assert done.code != 0
    assert "--port is for the page of --serve" in done.stderr


def test_several_queries_of_a_stream_are_listed(tmp_path: Path) -> None:
    view = view_of(tmp_path)
    stream = metrics("workload", 0)
    both = replace(stream, queries=(QueryMetrics("q", results_total=5), QueryMetrics("n")))
    view.watch(lambda: (both,))
    assert "Queries" in Page(view.content()).texts["caption"]
