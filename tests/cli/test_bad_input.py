"""Every mistake of a user ends in one message on stderr, no traceback, and the right exit code."""

import pytest

from tests.cli.command import cepheid

PAIR = "PATTERN SEQ(A a, B b)"
COUNT = "PATTERN SEQ(A a, B b) RETURN COUNT(*) AS n"
GOOD = "ts,kind,x\n1,A,1\n2,B,2\n"

BAD_DATA = [
    ("when,kind\n1,A\n", ["--time", "ts"], "the events have no column 'ts' (time)"),
    ("ts,kind\nnoon,A\n", [], "the time column 'ts' holds string, which is not a time"),
    ("ts,kind\n12:30:00,A\n", [], "which is not a time"),
    ("ts,kind\n1,7\n", [], "the type column 'kind' holds int64, but event types are names"),
    ("ts,kind\n1,A\n,B\n", [], "the time column 'ts' has a NULL in row 1"),
    ("ts,kind\n1,A\n2,B,3\n", [], "cannot read"),
    ("ts,time,kind\n1,1,A\n", [], "several could be: ts, time"),
    (GOOD, ["--order", "y"], "the events have no column 'y' (order)"),
]


@pytest.mark.parametrize(("text", "options", "message"), BAD_DATA)
def test_bad_data(tmp_path, text, options, message):
    path = tmp_path / "events.csv"
    path.write_text(text)
    outcome = cepheid("run", PAIR, path, *options)
    assert (outcome.code, outcome.stdout) == (1, "")
    assert message in outcome.stderr
    assert outcome.stderr.startswith("error: ")
    assert "Traceback" not in outcome.stderr


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("PATTERN SEQ(A a, B b", "error[unexpected-end]"),
        ("PATTERN SEQ(A a, B b) WHERE a.y > 1", "has no attribute 'y'"),
        ("PATTERN SEQ(A a, B b) WITHIN :w", "--param w="),
    ],
)
def test_bad_query(tmp_path, query, message):
    path = tmp_path / "events.csv"
    path.write_text(GOOD)
    outcome = cepheid("run", query, path)
    assert (outcome.code, outcome.stdout) == (1, "")
    assert message in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", PAIR, "nowhere.csv"], "'nowhere.csv'"),
        (["run", "nowhere.cep", "{events}"], "'nowhere.cep'"),
        (["run", "nowhere", "{events}"], "'nowhere'"),
        (["run", PAIR, "{events}", "A={events}"], "has no event type"),
        (["run", PAIR, "{events}", "--time-unit", "fortnight"], "fortnight"),
        (["run", PAIR, "{events}", "--param", "w"], "'w' is not NAME=VALUE"),
        (["run", PAIR, "{events}", "--param", "w=1"], "no parameter ':w'"),
        (["run", COUNT, "{events}", "--limit", "3", "--format", "csv"], "that list matches"),
        (["run", PAIR, "{events}", "--max-matches", "-1"], "--max-matches"),
        (["run", PAIR, "{events}", "--output", "no/such/folder/x.csv"], "no/such/folder"),
        (["run", PAIR, "{events}", "--output", "x.docx"], "x.docx"),
        (["run", PAIR, "{events}", "--schema", "nowhere.yaml"], "nowhere.yaml"),
        (["run", PAIR, "{events}", "--format", "xml"], "xml"),
        (["run", PAIR, "{events}", "--colour"], "--colour"),
        (["run", PAIR, "s3://bucket/events.csv"], "use the Spark engine"),
        (["run", PAIR], "events"),
        (["explain", PAIR, "--schema", "a", "--events", "b"], "not both"),
        (["generate", "stok"], "did you mean 'stock'?"),
        (["generate", "--seed", "1"], "which stream?"),
        (["generate", "stock", "--set", "symbols=many"], "must be a number"),
        (["generate", "stock", "--set", "simbols=2"], "did you mean 'symbols'?"),
        (["generate", "stock", "--events", "-1"], "--events"),
        (["fly"], "fly"),
    ],
)
def test_bad_usage(tmp_path, arguments, message):
    path = tmp_path / "events.csv"
    path.write_text(GOOD)
    outcome = cepheid(*(each.format(events=path) for each in arguments))
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.stderr


def test_carets_stay_under_the_mistake(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text(GOOD)
    long = "PATTERN SEQ(A a, B b) WHERE " + " AND ".join(["a.x > 1"] * 30) + " AND a.y > 1"
    lines = cepheid("run", long, path).stderr.splitlines()
    assert lines[2].index("^") == lines[1].index("a.y") + 2
