import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import EXAMPLES, cepheid, cepheid_process

EVENTS = """\
ts,kind,user,price
2026-01-01 10:00:00,View,1,
2026-01-01 10:00:05,View,2,
2026-01-01 10:00:09,Buy,1,2.5
2026-01-01 10:01:30,Buy,2,7
"""
BOUGHT = "PATTERN SEQ(View v, Buy b) WHERE [user] WITHIN 1 min RETURN v.user, v.ts, b.price"


@pytest.fixture
def events(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text(EVENTS)
    return path


@pytest.fixture
def exploding(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("ts,kind\n" + "".join(f"{time},A\n" for time in range(70)))
    return path


class TestFormats:
    def test_table(self, events):
        outcome = cepheid("run", BOUGHT, events)
        assert (outcome.code, outcome.stderr) == (0, "")
        assert outcome.lines[0].split() == ["v_user", "v_ts", "b_price"]
        assert outcome.lines[2].split() == ["1", "2026-01-01", "10:00:00", "2.5"]
        assert len(outcome.lines) == 3

    def test_json_lines(self, events):
        outcome = cepheid("run", BOUGHT, events, "--format", "json")
        assert json.loads(outcome.stdout) == {
            "v_user": 1,
            "v_ts": "2026-01-01T10:00:00",
            "b_price": 2.5,
        }

    def test_csv(self, events):
        outcome = cepheid("run", BOUGHT, events, "-f", "csv")
        assert outcome.lines == ["v_user,v_ts,b_price", "1,2026-01-01 10:00:00.000000,2.5"]

    def test_parquet_needs_a_file(self, events):
        outcome = cepheid("run", BOUGHT, events, "--format", "parquet")
        assert outcome.code == 2
        assert "--output" in outcome.stderr

    @pytest.mark.parametrize(
        "name", ["out.csv", "out.tsv", "out.jsonl", "out.parquet", "out.csv.gz"]
    )
    def test_what_is_written_can_be_read_again(self, events, tmp_path, name):
        query = "PATTERN SEQ(View v, Buy b) RETURN v.user, v.ts, b.price"
        assert cepheid("run", query, events, "--output", tmp_path / name).stdout == ""
        again = "PATTERN Row r RETURN r.v_user, r.v_ts, r.b_price"
        read = cepheid("run", again, tmp_path / name, "--time", "v_ts", "-f", "csv")
        written = cepheid("run", query, events, "-f", "csv")
        assert sorted(read.lines[1:]) == sorted(written.lines[1:])
        assert len(read.lines) == 5

    def test_lists_are_json_in_csv_and_lists_in_json(self, events):
        query = "PATTERN SEQ(View v+, Buy b) WHERE b.price > 5 RETURN v.user AS users"
        header, *cells = cepheid("run", query, events, "-f", "csv").lines
        assert (header, sorted(cells)) == ("users", ['"[1, 2]"', '"[1]"', '"[2]"'])
        rows = map(json.loads, cepheid("run", query, events, "-f", "json").lines)
        assert sorted(row["users"] for row in rows) == [[1], [1, 2], [2]]

    def test_limit_says_how_many_rows_are_left(self, events):
        outcome = cepheid("run", "PATTERN View v RETURN v.user", events, "--limit", 1)
        assert outcome.lines[-1].startswith("… 1 more row")
        everything = cepheid("run", "PATTERN View v RETURN v.user", events, "--limit", 0)
        assert "more row" not in everything.stdout

    def test_limit_of_other_formats_gives_so_many_rows(self, events):
        for form, rows in (("csv", 2), ("json", 1)):
            outcome = cepheid(
                "run", "PATTERN View v RETURN v.user", events, "--limit", 1, "-f", form
            )
            assert len(outcome.lines) == rows

    def test_a_table_of_more_matches_than_can_be_built(self, exploding):
        """Some are looked for, and the table shows the first of these."""
        outcome = cepheid("run", "PATTERN A+ a RETURN a.ts", exploding)
        assert outcome.code == 0
        assert outcome.lines[-1] == "… at least 99,980 more rows (--limit 0 shows all)"
        assert not outcome.stderr

    @pytest.mark.parametrize("arguments", [["--limit", 0], ["-f", "csv"]])
    def test_more_matches_than_allowed(self, exploding, arguments):
        outcome = cepheid("run", "PATTERN A+ a RETURN a.ts", exploding, *arguments)
        assert (outcome.code, outcome.stdout) == (1, "")
        assert "lists 1.2e21 matches or more; max_matches is 10,000,000" in outcome.stderr
        assert "warning: every match of A a+ is listed" in outcome.stderr

    def test_max_matches(self, events):
        query = "PATTERN SEQ(View v+, Buy b) RETURN v.user"
        for most, code in ((1, 1), (0, 0)):
            outcome = cepheid("run", query, events, "-f", "csv", "--max-matches", most)
            assert outcome.code == code

    @pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
    def test_large_results_are_written_as_they_are_found(
        self, events, tmp_path, monkeypatch, suffix
    ):
        query = "PATTERN SEQ(View v+, Buy b) RETURN v.user, b.price"
        path = tmp_path / f"sorted.{suffix}"
        cepheid("run", query, events, "-o", path)
        monkeypatch.setattr("cepheid.cli.write_result.SORTED_BYTES", 0)
        unsorted = tmp_path / f"unsorted.{suffix}"
        assert cepheid("run", query, events, "-o", unsorted).code == 0
        if suffix == "parquet":
            assert pq.read_table(path).num_rows == pq.read_table(unsorted).num_rows > 0
        else:
            assert sorted(path.read_text().splitlines()) == sorted(
                unsorted.read_text().splitlines()
            )

    def test_null_and_infinity_in_json(self, tmp_path):
        path = tmp_path / "many.csv"
        path.write_text("ts,kind\n" + "".join(f"{t},A\n" for t in range(1100)))
        query = "PATTERN A+ RETURN COUNT(*) AS n, LOG2(COUNT(*)) AS log2"
        row = json.loads(cepheid("run", query, path, "-f", "json").stdout)
        assert row == {"n": "Infinity", "log2": 1100.0}


class TestArguments:
    def test_query_from_a_file_with_parameters(self):
        outcome = cepheid(
            "run", EXAMPLES / "kindle_funnel.cep", EXAMPLES / "clicks.jsonl",
            "-p", "minimum=100", "-p", "window=2 minutes", "-f", "csv",
        )  # fmt: skip
        assert outcome.code == 0
        assert outcome.lines[0] == "window_start,window_end,purchases"
        assert len(outcome.lines) == 5

    def test_a_list_for_in(self, tmp_path):
        (tmp_path / "a.csv").write_text("ts,user\n1,7\n2,8\n3,9\n")
        query = "PATTERN A a WHERE a.user IN :l RETURN a.user"
        outcome = cepheid("run", query, tmp_path / "a.csv", "-p", "l=[7, 9]", "-f", "csv")
        assert outcome.lines == ["a_user", "7", "9"]
        for wrong, words in (("l=[7, x]", "not a list in JSON"), ("l=[[7]]", "a list has numbers")):
            outcome = cepheid("run", query, tmp_path / "a.csv", "-p", wrong)
            assert outcome.code == 2
            assert words in outcome.stderr

    def test_one_file_per_type(self, tmp_path):
        (tmp_path / "views.csv").write_text("ts,user\n1,7\n2,8\n")
        pq.write_table(pa.table({"ts": [3], "user": [8]}), tmp_path / "buys.parquet")
        outcome = cepheid(
            "run", "PATTERN SEQ(View v, Buy b) WHERE [user] RETURN b.user",
            f"View={tmp_path / 'views.csv'}", f"Buy={tmp_path / 'buys.parquet'}", "-f", "csv",
        )  # fmt: skip
        assert outcome.lines == ["b_user", "8"]

    def test_a_type_without_events(self, tmp_path):
        (tmp_path / "views.csv").write_text("ts,user\n2026-01-01T00:00:00,7\n")
        (tmp_path / "buys.csv").write_text("ts,user\n")
        query = "PATTERN SEQ(View v, Buy b?) WHERE [user] RETURN v.user"
        files = f"View={tmp_path / 'views.csv'}", f"Buy={tmp_path / 'buys.csv'}"
        assert cepheid("run", query, *files, "-f", "csv").lines == ["v_user", "7"]

    def test_a_directory_and_several_files_are_one_stream(self, tmp_path):
        folder = tmp_path / "days"
        folder.mkdir()
        (folder / "_SUCCESS").touch()
        (folder / "1.csv").write_text("ts,kind\n1,A\n")
        (folder / "2.csv").write_text("kind,ts,more\nB,2,x\n")
        query = "PATTERN SEQ(A a, B b) RETURN a.ts, b.ts"
        expected = ["a_ts,b_ts", "1,2"]
        assert cepheid("run", query, folder, "-f", "csv").lines == expected
        files = folder / "2.csv", folder / "1.csv"
        assert cepheid("run", query, *files, "-f", "csv").lines == expected

    def test_order_and_time_unit(self, tmp_path):
        path = tmp_path / "events.csv"
        path.write_text("at,n,kind\n1000,2,B\n1000,1,A\n")
        options = "--time", "at", "--time-unit", "ms", "-f", "csv"
        query = "PATTERN SEQ(A a, B b) WITHIN 1 s RETURN a.n, b.n"
        assert cepheid("run", query, path, *options).lines == ["a_n,b_n"]
        assert cepheid("run", query, path, *options, "--order", "n").lines == ["a_n,b_n", "1,2"]

    @pytest.mark.parametrize("suffix", ["yaml", "json"])
    def test_schema_declares_the_attributes_of_types(self, tmp_path, events, suffix):
        schema = tmp_path / f"schema.{suffix}"
        schema.write_text('{"View": ["user"], "Buy": {"user": "int", "price": "double"}}')
        query = "PATTERN SEQ(View v, Buy b) WHERE v.price > 1"
        outcome = cepheid("run", query, events, "--schema", schema)
        assert outcome.code == 1
        assert "View has no attribute 'price'" in outcome.stderr


class TestColumnRoles:
    def test_a_pattern_of_one_type_needs_no_type_column(self, tmp_path):
        path = tmp_path / "ticks.csv"
        path.write_text("timestamp,price\n1,5\n2,6\n")
        assert cepheid("run", "PATTERN Tick t", path, "-f", "csv").lines[1:] == [
            "1,5,1,1",
            "2,6,2,2",
        ]

    def test_but_uses_one_that_is_there(self, events):
        outcome = cepheid("run", "PATTERN Buy b RETURN b.price", events, "-f", "csv")
        assert outcome.lines == ["b_price", "2.5", "7"]
        outcome = cepheid("run", "PATTERN Buy b RETURN b.ts", events, "-f", "csv", "--type", "")
        assert len(outcome.lines) == 5

    def test_two_columns_that_could_be_the_type(self):
        outcome = cepheid("run", EXAMPLES / "slow_pickups.cep", EXAMPLES / "rides.csv")
        assert outcome.code == 1
        assert "several could be: kind, type" in outcome.stderr
        assert "--type" in outcome.stderr

    def test_no_column_that_could_be_the_time(self, tmp_path):
        path = tmp_path / "events.csv"
        path.write_text("when,kind\n1,A\n")
        outcome = cepheid("run", "PATTERN A a", path)
        assert outcome.code == 1
        assert "say --time COLUMN; the columns are: when, kind" in outcome.stderr


class TestEmptyFiles:
    @pytest.mark.parametrize(
        ("query", "columns"),
        [
            ("PATTERN SEQ(A a, B+ b) WHERE [g] AND a.x > 3 RETURN a.x, b.g", "a_x,b_g"),
            ("PATTERN A a", "a_ts,a_kind,a_x,a_g,first_time,last_time"),
            (
                "PATTERN A+ a WHERE a.x = 'y' GROUP BY g WITHIN 2 s SLIDE 1 s RETURN g, COUNT(*)",
                "window_start,window_end,g,count",
            ),
        ],
    )
    def test_a_header_alone_gives_the_columns_of_the_result(self, tmp_path, query, columns):
        path = tmp_path / "empty.csv"
        path.write_text("ts,kind,x,g\n")
        outcome = cepheid("run", query, path, "--type", "kind", "-f", "csv")
        assert (outcome.code, outcome.lines) == (0, [columns])

    def test_an_empty_table_says_so(self, tmp_path):
        table = pa.table(
            {"ts": pa.array([], pa.timestamp("us")), "kind": pa.array([], pa.string())}
        )
        pq.write_table(table, tmp_path / "empty.parquet")
        outcome = cepheid("run", "PATTERN A a RETURN a.ts", tmp_path / "empty.parquet")
        assert outcome.lines[0].strip() == "a_ts"
        assert outcome.lines[-1] == "no rows"

    @pytest.mark.parametrize("name", ["empty.csv", "empty.jsonl", "empty.parquet"])
    def test_a_file_without_anything_has_no_columns(self, tmp_path, name):
        (tmp_path / name).touch()
        outcome = cepheid("run", "PATTERN A a", tmp_path / name)
        assert outcome.code == 1
        assert f"{name}' is empty" in outcome.stderr


class TestProcess:
    def test_results_and_messages_go_different_ways(self, tmp_path):
        path = tmp_path / "events.csv"
        path.write_text("ts,kind,user\n1,A,\n2,A,5\n")
        arguments = "run", "PATTERN A a WHERE [user] RETURN a.user", path, "-f", "csv"
        cepheid_process(*arguments)  # the first may have to compile, and says so
        outcome = cepheid_process(*arguments)
        assert (outcome.code, outcome.lines) == (0, ["a_user", "5"])
        warning = "warning: 1 event has NULL in user and belongs to no partition\n"
        assert outcome.stderr == warning
        assert cepheid_process(*arguments, "--quiet").stderr == ""

    def test_a_closed_pipe_is_no_error(self):
        command = (
            f"'{sys.executable}' -c 'from cepheid.cli import main; main()' generate stock -n 200000"
            " | head -1"
        )
        piped = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
        assert (piped.stdout, piped.stderr) == ("time,symbol,price,volume\n", "")

    def test_a_closed_pipe_is_no_error_for_a_table_either(self, tmp_path):
        path = tmp_path / "events.csv"
        path.write_text("ts\n" + "".join(f"{t}\n" for t in range(20_000)))
        cepheid_process("run", "PATTERN A a", path)  # the first may have to compile, and says so
        command = (
            f"'{sys.executable}' -c 'from cepheid.cli import main; main()' run 'PATTERN A a'"
            f" '{path}' --limit 0 | head -1"
        )
        piped = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
        assert piped.stdout.split() == ["a_ts", "first_time", "last_time"]
        assert piped.stderr == ""


def test_constants_and_comparisons_with_null(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("time,type,x\n1,A,5\n2,B,6\n")
    text = "PATTERN SEQ(A a, B b) WHERE NOT a.x > 9 RETURN 'k' AS word, NULL AS none, a.x"
    for form in ("csv", "json", "table"):
        outcome = cepheid("run", text, path, "--format", form)
        assert (outcome.code, outcome.stderr) == (0, ""), form
        assert "k" in outcome.stdout
    never = cepheid("run", "PATTERN A a WHERE a.x != NULL", path)
    assert never.code == 0
    assert "never holds" in never.stderr
    assert "never holds" not in cepheid("run", "PATTERN A a WHERE a.x != NULL", path, "-q").stderr


def test_columns_that_arrow_cannot_sort(tmp_path):
    events = pa.table(
        {
            "ts": [1, 2],
            "kind": ["A", "B"],
            "h": pa.array([1.5, None], pa.float32()).cast(pa.float16()),
            "b": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8())),
        }
    )
    pq.write_table(events, tmp_path / "events.parquet")
    done = cepheid("run", "PATTERN SEQ(A a, B b)", tmp_path / "events.parquet")
    assert done.code == 0
    assert "1.5" in done.stdout
