"""Several queries in one command: --with."""

import json

import pyarrow.parquet as pq
import pytest

from tests.cli.command import cepheid

EVENTS = """\
ts,kind,sensor,heat
1,Reading,a,20
2,Reading,a,80
3,Reading,b,30
4,Smoke,a,
9,Smoke,b,
"""
HOT = "PATTERN Reading r WHERE r.heat > :limit RETURN r.sensor AS sensor, r.heat AS heat INTO Hot"
FIRE = "PATTERN SEQ(Hot h, Smoke s) WHERE [sensor] WITHIN 5 RETURN h.sensor, h.heat, s.ts"


@pytest.fixture
def events(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text(EVENTS)
    return path


@pytest.fixture
def queries(tmp_path):
    (tmp_path / "hot.cep").write_text(HOT)
    (tmp_path / "fire.cep").write_text(FIRE)
    return tmp_path / "fire.cep", "--with", tmp_path / "hot.cep", "-p", "limit=70"


class TestRun:
    def test_a_table_for_each_query_under_its_name(self, events):
        outcome = cepheid("run", FIRE, events, "--with", HOT, "-p", "limit=70")
        assert (outcome.code, outcome.stderr) == (0, "")
        assert [line.split() for line in outcome.lines] == [
            ["q1"],
            ["h_sensor", "h_heat", "s_ts"],
            outcome.lines[2].split(),
            ["a", "80", "4"],
            [],
            ["q2"],
            ["sensor", "heat"],
            outcome.lines[7].split(),
            ["a", "80"],
        ]

    @pytest.mark.parametrize(
        ("options", "suffix"),
        [((), "csv"), (("-f", "json"), "jsonl"), (("-f", "parquet"), "parquet")],
    )
    def test_a_directory_with_a_file_for_each_query(
        self, events, queries, tmp_path, options, suffix
    ):
        first, *others = queries
        outcome = cepheid("run", first, events, *others, "-o", tmp_path / "found", *options)
        assert (outcome.code, outcome.stdout, outcome.stderr) == (0, "", "")
        files = sorted(each.name for each in (tmp_path / "found").iterdir())
        assert files == [f"fire.{suffix}", f"hot.{suffix}"]
        fire = tmp_path / "found" / f"fire.{suffix}"
        row = {"h_sensor": "a", "h_heat": 80, "s_ts": 4}
        if suffix == "csv":
            assert fire.read_text() == "h_sensor,h_heat,s_ts\na,80,4\n"
        elif suffix == "jsonl":
            assert json.loads(fire.read_text()) == row
        else:
            assert pq.read_table(fire).to_pylist() == [row]

    @pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.jsonl", "out.csv.gz"])
    def test_a_file_is_not_for_several_results(self, events, queries, tmp_path, name):
        first, *others = queries
        outcome = cepheid("run", first, events, *others, "-o", tmp_path / name)
        assert (outcome.code, outcome.stdout) == (2, "")
        assert "there are several results" in " ".join(outcome.stderr.split())
        assert "name a directory" in outcome.stderr
        assert not (tmp_path / name).exists()
        (tmp_path / name).mkdir()
        assert cepheid("run", first, events, *others, "-o", tmp_path / name).code == 0

    def test_a_table_in_a_directory(self, events, queries, tmp_path):
        first, *others = queries
        options = "-o", tmp_path / "found", "-f", "table", "--limit", 1
        assert cepheid("run", first, events, *others, *options).code == 0
        assert "h_sensor" in (tmp_path / "found" / "fire.txt").read_text()

    def test_several_results_are_not_one_csv(self, events, queries):
        first, *others = queries
        outcome = cepheid("run", first, events, *others, "-f", "csv")
        assert outcome.code == 2
        assert "name a directory with --output" in outcome.stderr

    def test_two_files_of_one_name(self, events, tmp_path):
        (tmp_path / "more").mkdir()
        for folder in (tmp_path, tmp_path / "more"):
            (folder / "same.cep").write_text("PATTERN Smoke s")
        files = tmp_path / "same.cep", events, "--with", tmp_path / "more" / "same.cep"
        assert cepheid("run", *files).code == 0
        outcome = cepheid("run", *files, "-o", tmp_path / "found")
        assert outcome.code == 2
        assert "would both be written to 'same.csv'" in outcome.stderr

    def test_a_directory_that_is_a_file(self, events, queries):
        first, *others = queries
        outcome = cepheid("run", first, events, *others, "-o", events)
        assert (outcome.code, outcome.stdout) == (2, "")
        assert "cannot write to" in outcome.stderr

    def test_a_parameter_that_no_query_has(self, events):
        outcome = cepheid("run", FIRE, events, "--with", HOT, "-p", "limit=70", "-p", "x=1")
        assert outcome.code == 2
        assert "no query has a parameter ':x'" in outcome.stderr

    def test_a_circle(self, events):
        outcome = cepheid("run", "PATTERN A a INTO B", events, "--with", "PATTERN B b INTO A")
        assert outcome.code == 1
        assert "q1 reads A of q2, q2 reads B of q1" in outcome.stderr

    def test_events_of_one_type_without_type_column(self, tmp_path):
        path = tmp_path / "readings.csv"
        path.write_text("ts,heat\n1,20\n2,80\n")
        reader = "PATTERN Hot h RETURN h.heat"
        arguments = "--with", "PATTERN Reading r RETURN r.heat AS heat INTO Hot"
        outcome = cepheid("run", reader, path, *arguments)
        assert outcome.code == 1
        assert "cannot be told from those of type Hot" in outcome.stderr
        assert cepheid("run", reader, f"Reading={path}", *arguments).code == 0


class TestQueryFiles:
    """Several query files before the events."""

    def test_as_with(self, events, queries):
        fire, _, hot, *options = queries
        outcome = cepheid("run", fire, hot, events, *options)
        assert (outcome.code, outcome.stderr) == (0, "")
        assert outcome.stdout == cepheid("run", fire, events, "--with", hot, *options).stdout

    def test_files_and_texts(self, events, queries):
        fire, _, hot, *options = queries
        outcome = cepheid("run", fire, hot, events, *options, "--with", "PATTERN Smoke s")
        assert outcome.code == 0
        assert "q3" in outcome.lines

    def test_no_events(self, queries):
        fire, _, hot, *options = queries
        outcome = cepheid("run", fire, hot, *options)
        assert outcome.code == 2
        assert "there are only query files" in outcome.stderr

    def test_a_query_after_events(self, events, queries):
        fire, _, hot, *options = queries
        outcome = cepheid("run", fire, events, hot, *options)
        assert outcome.code == 2
        assert "comes after files of events" in " ".join(outcome.stderr.split())


class TestSharing:
    TEXTS = (
        "PATTERN SEQ(Reading, Smoke+) RETURN COUNT(*) AS n",
        "--with",
        "PATTERN SEQ(Alarm, Smoke+) RETURN COUNT(*) AS n",
    )

    @pytest.mark.parametrize("policy", ["dynamic", "always", "never"])
    def test_results_are_the_same(self, events, policy):
        first, *others = self.TEXTS
        expected = cepheid("run", first, events, *others)
        outcome = cepheid("run", first, events, *others, "--sharing", policy)
        assert (outcome.code, outcome.stdout) == (0, expected.stdout)

    def test_refused(self, events):
        first, *others = self.TEXTS
        outcome = cepheid("run", first, events, *others, "--sharing", "sometimes")
        assert outcome.code == 2
        assert "no way of sharing called 'sometimes'" in outcome.stderr
        outcome = cepheid("run", first, events, "--sharing", "never")
        assert outcome.code == 2
        assert "--sharing is for several queries" in outcome.stderr


class TestCheckAndExplain:
    def test_check(self, events, queries):
        first, *others = queries
        outcome = cepheid("check", first, *others, "--events", events)
        assert (outcome.code, outcome.stderr) == (0, "")
        answers = [line for line in outcome.lines if not line.startswith("  ")]
        assert [line.rsplit("/", 1)[-1] for line in answers] == [
            "fire.cep: ok",
            "hot.cep: ok",
        ]

    def test_check_knows_what_results_have(self, events):
        outcome = cepheid(
            "check", "PATTERN Hot h WHERE h.heet > 1", "--with", HOT, "-p", "limit=1",
            "--events", events,
        )  # fmt: skip
        assert outcome.code == 1
        assert "did you mean 'heat'?" in outcome.stderr

    def test_check_with_declared_types(self, tmp_path):
        schema = tmp_path / "schema.yaml"
        schema.write_text("Reading: [ts, sensor, heat]\nSmoke: [ts, sensor]\n")
        options = "--with", HOT, "-p", "limit=1", "--schema", schema
        assert cepheid("check", f"{FIRE}, h.ts", *options).code == 0
        outcome = cepheid("check", "PATTERN Hott h", *options)
        assert outcome.code == 1
        assert "there is no event type 'Hott'" in outcome.stderr

    def test_explain(self, queries):
        first, *others = queries
        outcome = cepheid("explain", first, *others)
        assert (outcome.code, outcome.stderr) == (0, "")
        assert outcome.lines[0] == "Workload"
        assert "reads Hot of" in outcome.lines[1]
        assert json.loads(cepheid("explain", first, *others, "-f", "json").stdout)["queries"]
        assert cepheid("explain", first, *others, "-f", "svg").stdout.startswith("<svg")


class TestAnalyze:
    TEXTS = (
        "PATTERN SEQ(Smoke, Reading+) RETURN COUNT(*) AS n",
        "--with",
        "PATTERN SEQ(Alarm, Reading+) RETURN COUNT(*) AS n",
    )
    WARNING = "warning: query 'q2': no event is of type 'Alarm' (the events have: Reading, Smoke)\n"

    def test_explain_shows_what_is_shared(self):
        outcome = cepheid("explain", *self.TEXTS)
        assert (outcome.code, outcome.stderr) == (0, "")
        assert "Sharing" in outcome.lines
        assert "    part    Reading+        at 2 places, in q1, q2" in outcome.lines

    def test_text_and_json(self, events):
        outcome = cepheid("explain", *self.TEXTS, "--analyze", events, "--sharing", "always")
        assert (outcome.code, outcome.stderr) == (0, self.WARNING)
        assert outcome.lines[:2] == ["Run", "  sharing: always"]
        outcome = cepheid("explain", *self.TEXTS, "--analyze", events, "-f", "json", "--compare")
        (run,) = json.loads(outcome.stdout)["run"]["sets"]
        assert run["is_plain"]
        assert run["shared_seconds"] > 0

    def test_a_picture(self, events, tmp_path):
        output = tmp_path / "bursts.svg"
        outcome = cepheid("explain", *self.TEXTS, "--analyze", events, "-o", output)
        assert (outcome.code, outcome.stdout, outcome.stderr) == (0, "", self.WARNING)
        assert output.read_text().startswith("<svg")

    def test_options_that_do_not_fit(self, events):
        outcome = cepheid("explain", *self.TEXTS, "--compare")
        assert outcome.code == 2
        assert "--sharing and --compare are for --analyze" in outcome.stderr
        outcome = cepheid("explain", *self.TEXTS, "--analyze", events, "--events", events)
        assert outcome.code == 2
        assert "the events say what columns there are" in outcome.stderr
        outcome = cepheid("explain", *self.TEXTS, "--analyze", events, "--sharing", "some")
        assert outcome.code == 2
        assert "no way of sharing called 'some'" in outcome.stderr

    def test_one_query_tells_its_fold(self, events):
        outcome = cepheid("explain", self.TEXTS[0], "--analyze", events)
        assert outcome.code == 0
        assert "ran         grams of events in order" in outcome.stdout
        outcome = cepheid("explain", self.TEXTS[0], "--analyze", events, "--compare")
        assert outcome.code == 2
        assert "are for several queries" in outcome.stderr
