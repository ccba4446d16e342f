import json

import pyarrow.parquet as pq
import pytest

from cepheid.generate import STREAMS, generate
from tests.cli.command import EXAMPLES, REPOSITORY, cepheid

DEMO_QUERIES = REPOSITORY / "src" / "cepheid" / "cli" / "demo_queries"


class TestGenerate:
    def test_list_has_every_stream_with_columns_and_parameters(self):
        text = cepheid("generate", "--list").stdout
        for stream in STREAMS.values():
            assert stream.name in text
            assert all(each.name in text for each in stream.columns)
            assert all(f"{each.name}=" in text for each in stream.parameters)

    def test_csv_to_stdout(self):
        outcome = cepheid("generate", "stock", "-n", 3, "--set", "symbols=1")
        assert outcome.lines[0] == "time,symbol,price,volume"
        assert [each.split(",")[:2] for each in outcome.lines[1:]] == [
            ["0", "1"],
            ["1", "1"],
            ["2", "1"],
        ]

    def test_parquet_is_the_same_table(self, tmp_path):
        path = tmp_path / "rides.parquet"
        arguments = "ridesharing", "-n", 500, "--seed", 3, "--set", "pool=0.5"
        assert cepheid("generate", *arguments, "-o", path).stdout == ""
        assert pq.read_table(path).equals(generate("ridesharing", events=500, seed=3, pool=0.5))

    def test_json_lines(self, tmp_path):
        path = tmp_path / "clicks.jsonl"
        cepheid("generate", "clicks", "-n", 2, "-o", path)
        assert [list(json.loads(line)) for line in path.read_text().splitlines()] == 2 * [
            STREAMS["clicks"].schema.names
        ]

    def test_no_events(self):
        assert cepheid("generate", "stock", "-n", 0).lines == ["time,symbol,price,volume"]

    @pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
    @pytest.mark.parametrize("stream", ["ridesharing", "clicks", "rfid"])
    def test_what_is_written_reads_back_the_same(self, tmp_path, stream, suffix):
        from cepheid.connectors.read_local import read_local

        path = tmp_path / f"events.{suffix}"
        cepheid("generate", stream, "-n", 300, "-o", path)
        read, made = read_local([str(path)]), generate(stream, events=300)
        assert read.column_names == made.column_names
        assert read["time"].equals(made["time"])
        # Text cannot tell '7' from 7 or 120.0 from 120: such columns come back as whole numbers.
        for name in made.column_names:
            assert read[name].cast(made[name].type).equals(made[name])


class TestDemo:
    def test_shows_events_queries_results_and_reasons(self):
        outcome = cepheid("demo", "--engine", "local")
        assert (outcome.code, outcome.stderr) == (0, "")
        for query in sorted(DEMO_QUERIES.glob("*.cep")):
            assert all(line in outcome.stdout for line in query.read_text().splitlines())
        assert "12 rows in" in outcome.stdout
        assert "13,695,672 trends, counted and never built" in outcome.stdout
        assert "because no predicate between adjacent events" in outcome.stdout

    def test_few_events_without_a_match(self):
        outcome = cepheid("demo", "--engine", "local", "--events", 1)
        assert outcome.code == 0
        assert outcome.stdout.count("no rows") == 2

    def test_its_queries_are_among_the_examples(self):
        for query in DEMO_QUERIES.glob("*.cep"):
            assert (EXAMPLES / query.name).read_text() == query.read_text()


@pytest.mark.parametrize(
    ("query", "events"),
    [
        ("cancelled_rides.cep", ["rides.csv", "--type", "kind"]),
        ("slow_pickups.cep", ["rides.csv", "--type", "kind"]),
        ("kindle_funnel.cep", ["clicks.jsonl", "-p", "minimum=100", "-p", "window=2 minutes"]),
        ("volume_runs.cep", ["stock.parquet"]),
    ],
)
def test_examples_have_results(query, events):
    outcome = cepheid("run", EXAMPLES / query, EXAMPLES / events[0], *events[1:], "-f", "json")
    assert outcome.code == 0
    assert len(outcome.lines) >= 2
