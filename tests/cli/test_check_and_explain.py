import json
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from tests.cli.command import EXAMPLES, cepheid, cepheid_process

RIDES = EXAMPLES / "rides.csv", "--type", "kind"


def answers(outcome):
    """Return what is said of every query, without the query."""
    return [line for line in outcome.lines if not line.startswith("  ")]


class TestCheck:
    def test_says_ok_for_each_query(self):
        queries = sorted(EXAMPLES.glob("*_rides.cep")) + sorted(EXAMPLES.glob("*_pickups.cep"))
        outcome = cepheid("check", *queries, "--events", *RIDES)
        assert (outcome.code, outcome.stderr) == (0, "")
        assert answers(outcome) == [f"{each}: ok" for each in queries]

    def test_shows_the_normal_form(self):
        text = "event (A a , B+ b) where a.x==1 and b.y not in (1,2) within 5S"
        assert cepheid("check", text).lines == [
            "query: ok",
            "  PATTERN SEQ(A a, B b+)",
            "  WHERE a.x = 1 AND b.y NOT IN (1, 2)",
            "  WITHIN 5 s",
        ]

    def test_all_mistakes_of_all_queries(self, tmp_path):
        bad = tmp_path / "bad.cep"
        bad.write_text("PATTERN SEQ(Request r, Travel t)\nWHERE r.sped > 1 AND t.prise > 1\n")
        good = "PATTERN Request r"
        outcome = cepheid("check", bad, "PATTERN (", good, "--events", *RIDES)
        assert (outcome.code, outcome.lines) == (1, ["query: ok", "  PATTERN Request r"])
        assert "did you mean 'speed'?" in outcome.stderr
        assert "did you mean 'price'?" in outcome.stderr
        assert f"{bad}:2:9" in outcome.stderr
        assert "query:1:" in outcome.stderr

    def test_types_that_do_not_occur(self, tmp_path):
        path = tmp_path / "events.csv"
        path.write_text("ts,kind\n1,Smoke\n2,Heat\n")
        outcome = cepheid("check", "PATTERN SEQ(Smok s, Heat h)", "--events", path)
        assert (outcome.code, outcome.lines) == (0, ["query: ok", "  PATTERN SEQ(Smok s, Heat h)"])
        said = "no event is of type 'Smok' (did you mean 'Smoke'? the events have: Heat, Smoke)"
        assert outcome.stderr == f"warning: {said}\n"
        outcome = cepheid("run", "PATTERN SEQ(Smok s, Heat h)", path, "-f", "csv")
        assert (outcome.code, outcome.stderr) == (0, f"warning: {said}\n")

    def test_declared_schema(self, tmp_path):
        schema = tmp_path / "schema.yaml"
        schema.write_text("A: [x]\nB: {x: int, name: string}\n")
        assert cepheid("check", "PATTERN SEQ(A a, B b)", "--schema", schema).code == 0
        outcome = cepheid("check", "PATTERN SEQ(A a, B b) WHERE a.name = 'x'", "--schema", schema)
        assert outcome.code == 1
        assert "A has no attribute 'name'" in outcome.stderr

    @pytest.mark.parametrize("content", ["", "- A", "A: 7", "A: {x: colour}", "A: [", "{"])
    def test_a_bad_schema_is_named(self, tmp_path, content):
        schema = tmp_path / "schema.yaml"
        schema.write_text(content)
        outcome = cepheid("check", "PATTERN A a", "--schema", schema)
        assert outcome.code == 2
        assert "schema.yaml" in outcome.stderr

    def test_parameters(self):
        query = EXAMPLES / "kindle_funnel.cep"
        assert cepheid("check", query).code == 1
        assert cepheid("check", query, "-p", "minimum=1", "-p", "window=1 h").code == 0


class TestExplain:
    def test_text(self):
        outcome = cepheid("explain", EXAMPLES / "slow_pickups.cep", "--events", *RIDES)
        assert (outcome.code, outcome.stderr) == (0, "")
        assert outcome.lines[0] == "Query"
        assert "because no predicate between adjacent events" in outcome.stdout

    def test_other_formats(self):
        query = EXAMPLES / "slow_pickups.cep"
        assert json.loads(cepheid("explain", query, "-f", "json").stdout)
        assert cepheid("explain", query, "-f", "mermaid").lines[0] == "flowchart LR"
        assert ElementTree.fromstring(cepheid("explain", query, "-f", "svg").stdout) is not None

    @pytest.mark.parametrize(
        ("name", "start"),
        [("p.svg", "<svg"), ("p.json", "{"), ("p.mmd", "flowchart"), ("p.txt", "Query")],
    )
    def test_the_suffix_of_the_file_is_its_format(self, tmp_path, name, start):
        query = EXAMPLES / "slow_pickups.cep"
        outcome = cepheid("explain", query, "--output", tmp_path / name)
        assert (outcome.code, outcome.stdout) == (0, "")
        assert (tmp_path / name).read_text().startswith(start)

    def test_a_declared_schema_and_a_bad_query(self, tmp_path):
        schema = tmp_path / "schema.json"
        schema.write_text('{"A": ["x"]}')
        assert cepheid("explain", "PATTERN A a WHERE a.x > 1", "--schema", schema).code == 0
        assert cepheid("explain", "PATTERN A a WHERE a.y > 1", "--schema", schema).code == 1


@pytest.mark.parametrize("command", ["--version", "--help", "run --help", "generate --list"])
def test_help_and_version(command):
    outcome = cepheid(*command.split())
    assert outcome.code == 0
    assert outcome.stdout


HEAVY = ("numba", "pyspark", "pandas", "polars", "pyarrow")


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--version"], []),
        (["--help"], []),
        (["check", "PATTERN SEQ(A a, B b)"], []),
        (["explain", "PATTERN SEQ(A a, B b)"], []),
        (["check", "PATTERN Request r", "--events", *map(str, RIDES)], ["pyarrow", "pandas"]),
        (["generate", "stock", "-n", "5"], ["pyarrow", "pandas"]),
    ],
)
def test_a_command_imports_no_more_than_it_needs(arguments, allowed):
    program = f"""
import sys
from cepheid.cli import main
sys.argv = ["cepheid", *{arguments!r}]
try:
    main()
except SystemExit:
    pass
print("imported", [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    imported = result.stderr.splitlines()[-1].removeprefix("imported ")
    assert set(json.loads(imported.replace("'", '"'))) <= set(allowed)


def test_a_process_exits_with_the_code():
    assert cepheid_process("check", "PATTERN (").code == 1
    assert cepheid_process("check", "nowhere.cep").code == 2
    assert cepheid_process("check", "PATTERN A a").code == 0
