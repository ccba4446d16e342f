"""The text keeps the rules of Prometheus' exposition format, version 0.0.4."""

import re
import urllib.error
import urllib.request

import pytest

from cepheid.errors import ConfigError
from cepheid.metrics.prometheus import CONTENT_TYPE, prometheus_text
from cepheid.metrics.publish import LocalServer, metrics_answer, replace_file
from cepheid.metrics.stream_metrics import StreamMetrics, advance
from tests.metrics.progress import progress

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})\{{({LABEL}(?:,{LABEL})*)\}} (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)")


def streams(*names: str) -> list[StreamMetrics]:
    counts = {"events": 90, "late": 2, "results": 5, "state_bytes": 4096}
    return [advance(StreamMetrics(name), progress(**{name: counts})) for name in names]


def test_every_line_is_help_type_or_a_sample():
    kinds: dict[str, str] = {}
    helped: list[str] = []
    for line in prometheus_text(streams("fires", "alarms")).splitlines():
        if line.startswith("# HELP "):
            helped.append(line.split(" ", 3)[2])
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in kinds, "samples of a metric must stand together"
            assert name == helped[-1]
            kinds[name] = kind
        else:
            found = SAMPLE.fullmatch(line)
            assert found, line
            assert found[1] == helped[-1], "a sample must follow the head of its metric"
    assert set(kinds.values()) == {"counter", "gauge"}
    assert [
        name for name, kind in kinds.items() if name.endswith("_total") != (kind == "counter")
    ] == []
    assert all(name.startswith("cepheid_") for name in kinds)


def test_values():
    lines = prometheus_text(streams("fires")).splitlines()
    assert 'cepheid_results_total{stream="fires",query="fires"} 5' in lines
    assert 'cepheid_late_events_total{stream="fires",query="fires"} 2' in lines
    assert 'cepheid_watermark_lag_seconds{stream="fires"} 30.5' in lines
    assert 'cepheid_stream_running{stream="fires"} 1' in lines


def test_labels_are_escaped():
    text = prometheus_text([StreamMetrics('a "b"\\c\nd')])
    assert 'cepheid_batches_total{stream="a \\"b\\"\\\\c\\nd"} 0' in text.splitlines()
    assert all(each.startswith("#") or SAMPLE.fullmatch(each) for each in text.splitlines())


def test_what_is_not_known_is_left_out():
    assert "watermark" not in prometheus_text([StreamMetrics("fires")])
    assert prometheus_text([]) == ""


def test_the_text_ends_with_a_line_break():
    assert prometheus_text(streams("fires")).endswith("\n")


def test_a_file_is_replaced_at_once(tmp_path):
    path = tmp_path / "metrics.prom"
    replace_file(str(path), "one\n")
    with path.open() as reader:
        replace_file(str(path), "two\n")
        assert reader.read() == "one\n"
    assert path.read_text() == "two\n"
    assert [each.name for each in tmp_path.iterdir()] == ["metrics.prom"]


def test_a_file_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="cannot write the metrics"):
        replace_file(str(tmp_path / "nowhere" / "metrics.prom"), "")


@pytest.fixture
def server():
    made = LocalServer(0, metrics_answer(lambda: "cepheid_x 1\n"))
    yield made
    made.close()


def refused(request: str | urllib.request.Request) -> int:
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request)
    error.value.close()
    return error.value.code


def test_a_server_answers_on_loopback_only(server):
    assert server.address.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(f"{server.address}/metrics") as answer:
        assert answer.read() == b"cepheid_x 1\n"
        assert answer.headers["Content-Type"] == CONTENT_TYPE
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert refused(f"{server.address}/other") == 404
    port = int(server.address.split(":")[2])
    with pytest.raises(ConfigError, match=f"port {port}"):
        LocalServer(port, {})


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"])
def test_nothing_but_get_is_answered(server, method):
    assert refused(urllib.request.Request(f"{server.address}/metrics", method=method)) == 405


@pytest.mark.parametrize(
    ("name", "is_own"),
    [("localhost:9000", True), ("127.0.0.1", True), ("evil.example", False), ("evil:80", False)],
)
def test_a_name_of_another_machine_is_refused(server, name, is_own):
    """A page of another site may let its name point here, and would read what is answered."""
    request = urllib.request.Request(f"{server.address}/metrics", headers={"Host": name})
    if not is_own:
        assert refused(request) == 403
        return
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200
