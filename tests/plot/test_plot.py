"""`cepheid.plot` draws what the query finds."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import BindingError, ConfigError, DataError
from tests.plot.pictures import LOGINS, ROLES, Page, elements, still_pictures, words_of

NEGATED = "PATTERN SEQ(Fail f, !Logout o, Login s) WHERE [user] WITHIN 60"


def plot(query, events=LOGINS, **keywords):
    return cepheid.plot(query, events, **{**ROLES, **keywords})


def spans(picture: cepheid.Plot) -> list[tuple[str, str]]:
    """First and last line of what each match says of its events."""
    found = [words_of(each) for each in elements(picture.svg(), "match")]
    return [(each[1], each[-1]) for each in found]


class TestMatches:
    def test_every_match_is_a_bar(self):
        assert spans(plot(NEGATED)) == [
            ("f: Fail 10", "s: Login 31"),
            ("f: Fail 17", "s: Login 31"),
            ("f: Fail 60", "s: Login 90"),
            ("f: Fail 14", "s: Login 22"),
            ("f: Fail 14", "s: Login 25"),
        ]

    def test_every_event_is_a_mark_that_tells_its_attributes(self):
        marks = elements(plot(NEGATED).svg(), "mark")
        told = [words_of(each) for each in marks if each.get("data-i") == "5"]
        assert told == [["Login", "ts: 31", "user: ann"]]
        assert sorted(int(each.get("data-i")) for each in marks if each.get("data-i")) == [
            *range(LOGINS.num_rows)
        ]

    def test_what_where_excludes_is_faint_and_in_the_legend(self):
        svg = plot(
            "PATTERN SEQ(Fail f, Login s) WHERE [user] AND f.user = 'ann' AND s.ts > 30"
        ).svg()
        faint = [each.get("data-i") for each in elements(svg, "faint")]
        assert sorted(each for each in faint if each) == ["1", "3", "4"]
        assert faint.count(None) == 1  # in the legend
        assert "faint" not in {
            name
            for each in elements(plot(NEGATED).svg(), "mark")
            for name in each.get("class").split()
        }

    @pytest.mark.parametrize("zone", [None, "America/New_York"])
    @pytest.mark.parametrize("as_text", [True, False])
    def test_a_stretch_is_in_the_zone_of_the_events(self, zone, as_text):
        times = pd.date_range("2024-05-01 09:00", periods=4, freq="1h", tz=zone)
        table = pd.DataFrame({"ts": times, "kind": ["Fail", "Login"] * 2})
        begin = "2024-05-01 10:00" if as_text else pd.Timestamp("2024-05-01 10:00")
        picture = plot("PATTERN SEQ(Fail f, Login s)", table, begin=begin, end=begin)
        assert "1 event, " in str(picture)

    @pytest.mark.parametrize("begin", ["soon", "2024-05-01", 1.5])
    def test_what_is_no_time_of_the_column_is_told(self, begin):
        with pytest.raises(ConfigError, match="is no time of the column 'ts', which holds int64"):
            plot(NEGATED, begin=begin)

    def test_partitions_without_events_in_a_stretch_have_no_row(self):
        picture = plot(NEGATED, begin=40, end=90)
        assert [each.text for each in elements(picture.svg(), "row")] == ["ann"]
        assert "partitions are drawn" not in picture.svg()

    def test_what_is_negated_is_crossed_out_and_its_gap_is_shown(self):
        svg = plot(NEGATED).svg()
        crosses = [each.get("data-i") for each in elements(svg, "no") if each.get("data-i")]
        assert crosses == ["6"]
        gaps = [each for each in elements(svg, "gap") if each.get("data-a")]
        assert {words_of(each)[0] for each in gaps} == {"¬ Logout o"}
        assert len(gaps) == 5

    @pytest.mark.parametrize("parts", ["Fail f, Login s", "!Logout o, Fail f, Login s",
                                       "Fail f, !Logout o, Login s"])  # fmt: skip
    def test_a_type_keeps_its_colour_when_a_negation_is_added(self, parts):
        marks = elements(plot(f"PATTERN SEQ({parts}) WHERE [user] WITHIN 60").svg(), "mark")
        colour = {
            words_of(each)[0]: each.get("class").split()[1] for each in marks if each.get("data-i")
        }
        assert (colour["Fail"], colour["Login"]) == ("k0", "k1")

    @pytest.mark.parametrize(
        ("pattern", "begin", "end"),
        [("SEQ(!Logout o, Login a, Fail b)", 0, 31), ("SEQ(Login a, Fail b, !Logout o)", 60, 91)],
    )
    def test_a_gap_at_a_border_reaches_as_far_as_the_window(self, pattern, begin, end):
        table = pa.table({"ts": [0, 31, 60, 100], "kind": ["Fail", "Login", "Fail", "Fail"]})
        svg = plot(f"PATTERN {pattern} WITHIN 60", table).svg()
        (gap,) = [each for each in elements(svg, "gap") if each.get("data-a")]
        pad = 1  # of the axis
        shares = [(tick + pad) / (100 + 2 * pad) for tick in (begin, end)]
        assert [float(gap.get(each)) for each in ("data-a", "data-b")] == pytest.approx(
            shares, abs=1e-5
        )

    def test_the_rest_of_a_window_is_shown(self):
        svg = plot("PATTERN SEQ(Fail f, Login s) WHERE [user] WITHIN 10").svg()
        rooms = [each for each in elements(svg, "room") if each.get("data-a")]
        pad, length = 1, 80 + 2
        assert [round(float(each.get("data-b")) * length - pad + 10) for each in rooms] == [24]

    @pytest.mark.parametrize(
        "query",
        [
            "PATTERN SEQ(Fail+ f, Login s) WHERE [user]",
            "PATTERN SEQ(Fail, Fail, Login) WHERE [user]",
            "PATTERN SEQ(Fail f, Login? s) OUTPUT NON OVERLAPPING",
            "PATTERN SEQ(Fail f, Login s) AND Logout x WITHIN 30",
            "PATTERN SEQ(Fail f, Login s, Logout x) WITHIN 20 OUTPUT PARTIAL",
            "PATTERN SEQ(Fail f, Login s) SEMANTICS strict_contiguity",
            "PATTERN SEQ(Fail `a b`, Login `where`) WHERE [user] AND `a b`.ts < `where`.ts",
            "PATTERN SEQ(Fail f, Login s) WHERE s.ts > :least WITHIN 5 EVENTS INTO Found",
        ],
    )
    def test_there_are_as_many_bars_as_matches(self, query):
        parameters = {"least": 20} if ":least" in query else {}
        parsed = cepheid.query(query, parameters=parameters)
        assert len(spans(plot(parsed))) == parsed.run(LOGINS, **ROLES).num_rows

    def test_compressed_matches_are_drawn_too(self):
        picture = plot("PATTERN Fail+ f WHERE [user] OUTPUT COMPRESSED")
        assert len(spans(picture)) == picture.sections[0].table.num_rows == 8

    def test_times_of_any_type(self):
        for kind in (pa.timestamp("ns"), pa.timestamp("ms", "UTC"), pa.date32(), pa.int16()):
            time = pa.array([1, 2, 3]).cast(pa.int32()).cast(kind) if kind == pa.date32() else None
            time = pa.array([1, 2, 3]).cast(kind) if time is None else time
            table = pa.table({"ts": time, "kind": ["Fail", "Fail", "Login"]})
            assert len(spans(plot("PATTERN SEQ(Fail f, Login s)", table))) == 2

    def test_events_of_any_kind(self):
        by_type = {
            each: LOGINS.filter(pa.compute.equal(LOGINS["kind"], each)).drop_columns("kind")
            for each in ("Fail", "Login", "Logout")
        }
        typed = cepheid.plot(NEGATED, by_type, time="ts")
        pandas = plot(NEGATED, LOGINS.to_pandas())
        with_roles = cepheid.plot(NEGATED, cepheid.events(LOGINS, **ROLES))
        assert spans(typed) == spans(pandas) == spans(with_roles) == spans(plot(NEGATED))

    def test_types_with_hyphens(self):
        table = pa.table({"ts": [1, 2], "kind": ["SHELF-READING", "Exit"]})
        found = spans(plot("PATTERN SEQ(SHELF-READING, Exit)", table))
        assert found == [("SHELF-READING: SHELF-READING 1", "Exit: Exit 2")]

    def test_no_events(self):
        assert spans(plot(NEGATED, LOGINS.slice(0, 0))) == []


class TestRows:
    def test_rows_with_matches_come_first(self):
        users, kinds = [*"abcdd"], [*["Fail"] * 4, "Login"]
        events = pa.table({"ts": range(5), "kind": kinds, "user": users})
        query = "PATTERN SEQ(Fail f, Login s) WHERE [user]"
        assert [each.text for each in elements(plot(query, events).svg(), "row")] == [*"abcd"]
        more = pa.concat_tables([events, pa.table({"ts": [9], "kind": ["Fail"], "user": ["e"]})])
        assert [each.text for each in elements(plot(query, more).svg(), "row")] == [*"dabce"]

    def test_marks_that_would_cover_each_other_are_small(self):
        events = pa.table({"ts": [*range(100), 900], "kind": ["Fail"] * 101})
        close = elements(plot("PATTERN Fail f WHERE f.ts < 0", events).svg(), "close")
        assert {each.get("data-i") for each in close} == {str(each) for each in range(100)}
        assert all(each.get("transform").endswith("scale(0.62)") for each in close)
        assert elements(plot(NEGATED).svg(), "close") == []

    @pytest.mark.parametrize(
        ("count", "heights"),
        [(1, [18]), (2, [12.5, 23.5]), (3, [8, 18, 28]), (5, [8, 13, 18, 23, 28])],
    )
    def test_marks_of_one_time_are_below_each_other(self, count, heights):
        events = pa.table({"ts": [5] * count + [7], "kind": ["Fail"] * count + ["Login"]})
        marks = elements(plot("PATTERN SEQ(Fail f, Login s)", events).svg(), "mark")
        marks = [each for each in marks if int(each.get("data-i") or count) < count]
        moves = [each.get("transform") for each in marks]
        assert [float(re.split("[ )]", each)[1]) for each in moves] == heights
        assert all(each.endswith("scale(0.62)") is (count > 2) for each in moves)

    def test_the_axis_is_that_of_the_drawn_rows(self):
        users = [each for each in range(40) for _ in range(3)] + [99]
        events = pa.table(
            {"ts": [*range(120), 9_999], "kind": [*["Fail"] * 120, "Login"], "user": users}
        )
        query = "PATTERN Fail{3,} f WHERE [user] AND f[1].user < 24 SEMANTICS contiguous"
        svg = plot(query, events).svg()
        assert {each.text for each in elements(svg, "tick")} <= {str(each) for each in range(100)}
        whole = elements(plot(query, events, end=9_999).svg(), "tick")
        assert "8,000" in {each.text for each in whole}

    def test_long_names_keep_both_ends(self):
        names = [f"a-very-long-name-of-a-warehouse-{place}" for place in ("north", "south")]
        events = pa.table({"ts": [1, 2], "kind": ["Fail"] * 2, "user": names})
        rows = elements(plot("PATTERN Fail f WHERE [user]", events).svg(), "row")
        assert [words_of(each) for each in rows] == [[each] for each in names]
        assert [each.text.endswith(name[-5:]) for each, name in zip(rows, names, strict=True)]
        assert all(len(each.text) < 25 and each.text.startswith("a-very") for each in rows)

    def test_a_long_heading_leaves_room_for_the_buttons(self):
        svg = plot(NEGATED, title="mmmm " * 60).svg()
        (title,) = elements(svg, "title")
        assert len(title.text) < 60
        assert title.text.endswith("…")


class TestValues:
    READINGS = pa.table(
        {
            "ts": range(8),
            "kind": ["R"] * 7 + ["Note"],
            "room": ["hall", "attic"] * 4,
            "heat": [20, 5, 18.5, 6, None, 7, 19, None],
        }
    )
    QUERY = "PATTERN SEQ(R a, R b) WHERE [room] AND b.heat < a.heat"

    def test_each_row_has_a_line_with_its_own_scale(self):
        svg = plot(self.QUERY, self.READINGS, value="heat").svg()
        assert len(elements(svg, "values")) == 3  # two rows and the legend
        texts = [each.text for each in elements(svg, "tick")]
        assert {"5", "7", "18.5", "20"} <= set(texts)

    def test_events_of_matches_are_dots_on_the_line(self):
        svg = plot(self.QUERY, self.READINGS, value="heat").svg()
        dots = {each.get("data-i"): words_of(each) for each in elements(svg, "dot")}
        assert set(dots) == {"0", "2", "6"}
        assert dots["2"] == ["R", "ts: 2", "room: hall", "heat: 18.5"]

    def test_a_line_of_many_values_keeps_its_peaks(self):
        heat = np.zeros(50_000)
        heat[31_234] = 7
        events = pa.table({"ts": range(heat.size), "kind": ["R"] * heat.size, "heat": heat})
        svg = plot("PATTERN R r WHERE r.heat > 9", events, value="heat").svg()
        (line,) = [each for each in elements(svg, "values") if each.get("d")]
        heights = {each.split()[1] for each in line.get("d").removeprefix("M").split("L")}
        assert len(heights) == 2
        assert len(line.get("d")) < 20_000

    def test_wrong_names_are_told_with_near_ones(self):
        with pytest.raises(ConfigError, match="did you mean 'heat'") as told:
            plot(self.QUERY, self.READINGS, value="haet")
        assert "no attribute 'haet'" in str(told.value)
        with pytest.raises(ConfigError, match="only numbers can be drawn"):
            plot(self.QUERY, self.READINGS, value="room")
        with pytest.raises(ConfigError, match="aggregates have none"):
            plot(f"{self.QUERY} RETURN COUNT(*) AS n", self.READINGS, value="heat")

    def test_results_draw_lines_too(self):
        found = cepheid.query(self.QUERY).analyze(self.READINGS, **ROLES)
        drawn = plot(self.QUERY, self.READINGS, value="heat")
        assert found.plot(value="heat").svg() == drawn.svg()


class TestMany:
    EVENTS = pa.table(
        {
            "ts": np.arange(200_000),
            "kind": np.tile(["Fail", "Login"], 100_000),
            "user": np.repeat(np.arange(100), 2_000),
        }
    )

    def test_the_picture_stays_small_and_says_what_it_leaves_out(self):
        picture = plot("PATTERN SEQ(Fail f, Login s) WHERE [user] WITHIN 20", self.EVENTS)
        assert len(picture.html()) < 4_000_000
        assert len(elements(picture.svg(), "match")) <= 600
        assert "200,000 events, 995,500 matches" in repr(picture)
        assert "24 of 100 partitions" in repr(picture)

    def test_all_events_and_matches_are_counted_in_columns(self):
        svg = plot("PATTERN SEQ(Fail f, Login s) WHERE [user] WITHIN 3", self.EVENTS).svg()
        told = [words_of(each)[0].split() for each in elements(svg, "column")]
        assert sum(int(each[0].replace(",", "")) for each in told) == 24 * 2_000
        ends = [words_of(each)[0].split() for each in elements(svg, "found")]
        assert sum(int(each[0]) for each in ends) == 24 * 1_000

    def test_matches_without_number_are_cut(self):
        events = pa.table({"ts": np.arange(60), "kind": ["Fail"] * 60})
        picture = plot("PATTERN Fail+ f", events, limit=5_000)
        assert "5,000 matches or more" in repr(picture)

    def test_a_part_of_the_time(self):
        picture = plot(NEGATED, begin=20, end=50)
        assert "4 events, 4 matches" in repr(picture)
        assert {each[0] for each in spans(picture)} == {"f: Fail 10", "f: Fail 14", "f: Fail 17"}

    def test_a_part_that_is_no_time(self):
        with pytest.raises(ConfigError, match="is no time of the column 'ts'"):
            plot(NEGATED, begin="noon")
        with pytest.raises(ConfigError, match="end before"):
            plot(NEGATED, begin=50, end=20)


class TestAggregates:
    WINDOWS = "PATTERN SEQ(Fail f, Login s) WITHIN 30 SLIDE 10 GROUP BY user"

    def test_windows_are_steps(self):
        svg = plot(f"{self.WINDOWS} RETURN user, COUNT(*) AS n, SUM(s.ts) AS t").svg()
        titles = [each.text for each in elements(svg, "title") if each.text]
        assert titles == ["n: COUNT(*)", "t: SUM(s.ts)"]
        points = [words_of(each) for each in elements(svg, "point")]
        assert ["bob: 2", "from 10 to 40"] in points
        assert {each.split(": ")[0] for each, _ in points} == {"ann", "bob"}

    def test_groups_without_time_are_bars(self):
        picture = plot("PATTERN SEQ(Fail f, Login s) GROUP BY user RETURN user, COUNT(*) AS n")
        assert repr(picture) == "Plot(n: COUNT(*): ann: 5; bob: 2.)"
        assert len(elements(picture.svg(), "column")) == 2

    def test_groups_say_what_they_are_in_one_order(self):
        events = pa.table(
            {"ts": range(12), "kind": ["Fail"] * 12, "user": [10, 9, 9, 10, 2, 2, 2, 2] + [9] * 4}
        )
        query = "PATTERN Fail f{} GROUP BY user RETURN user, COUNT(*) AS n"
        names = ["user 2", "user 9", "user 10"]
        bars = plot(query.format(""), events).svg()
        assert [each.text for each in elements(bars, "row")] == names
        lines = plot(query.format(" WITHIN 4 SLIDE 4"), events)
        assert [each.text for each in elements(lines.svg(), "legend")] == names
        assert "4 results of 3 windows, drawn from their beginning" in repr(lines)

    def test_values_of_very_different_size_have_a_scale_of_powers(self):
        events = pa.table({"ts": range(40), "kind": ["Fail"] * 40})
        picture = plot("PATTERN Fail+ f WITHIN 40 RETURN COUNT(*) AS n", events)
        assert "on a scale of powers" in repr(picture)

    def test_one_row_is_a_table_only(self):
        picture = plot("PATTERN SEQ(Fail f, Login s) RETURN COUNT(*) AS n")
        assert picture.sections[0].bodies == ()
        assert "13" in Page(picture.html()).texts["td"]


class TestReports:
    def test_no_match_is_said_in_words_with_the_reason(self):
        picture = plot("PATTERN SEQ(Fail f, Lgoin s)")
        page = Page(picture.html())
        assert any("There is no match" in each for each in page.texts["p"])
        assert any("no event is of type 'Lgoin' (did you mean 'Login'?" in each
                   for each in page.texts["p"])  # fmt: skip
        assert "There is no match" not in plot(NEGATED).html()

    def test_a_heading_is_said_once_and_without_its_folders(self):
        query = cepheid.query(NEGATED, name="/srv/queries/logins.cep")
        page = Page(plot(query).html())
        assert page.texts["h1"] == ["logins.cep"]
        assert "logins.cep" not in page.texts["text"]
        assert "logins.cep" in plot(query).svg()

    def test_the_words_of_a_match_have_what_the_query_reads(self):
        query = "PATTERN SEQ(R a, R b) WHERE [room] AND b.heat < a.heat RETURN a.ts"
        found = elements(plot(query, TestValues.READINGS).svg(), "match")
        assert words_of(found[-1])[1:] == ["a: R 0, heat: 20", "b: R 6, heat: 19"]


class TestWorkloads:
    def test_each_query_has_its_picture_and_shared_bursts_have_one(self):
        texts = {
            each: f"PATTERN SEQ({each} a, Fail+ f) WITHIN 50 SLIDE 50 RETURN COUNT(*) AS n"
            for each in ("Login", "Logout")
        }
        picture = plot(texts, title="both")
        headings = Page(picture.html()).texts["h2"]
        assert headings == ["Login", "Logout", "What the queries shared"]

    def test_a_query_that_reads_another_has_a_table(self):
        pairs = "PATTERN SEQ(Fail f, Login s) WHERE [user] RETURN s.user AS user INTO Pair"
        picture = plot([pairs, "PATTERN Pair p"])
        assert [len(each.bodies) for each in picture.sections] == [1, 0]
        assert "It reads what q1 gives." in Page(picture.html()).texts["p"]


class TestFiles:
    def test_a_page_has_everything_and_needs_nothing(self, tmp_path):
        page = Page(plot(NEGATED).save(tmp_path / "page.html").read_text())
        assert page.addresses == []
        assert page.texts["h3"] == ["Result"]
        assert page.texts["summary"] == ["Automaton", "Plan"]
        assert "PATTERN" in page.texts["span"]
        assert "strategy" in page.texts["th"]

    def test_texts_of_the_events_are_no_html(self):
        evil = pa.table(
            {"ts": [1], "kind": ["Fail"], "user": ["</title><script>alert(1)</script>"]}
        )
        picture = plot("PATTERN Fail f WHERE [user] AND user != '</script>'", evil)
        shown = picture._repr_html_()
        for text in (picture.html(), picture.svg(), shown, *still_pictures(shown)):
            assert "<script>alert" not in text
            assert "'</script>'" not in text
        Page(picture.html())

    def test_a_picture_has_words_for_who_cannot_see_it(self, tmp_path):
        svg = plot(NEGATED).save(tmp_path / "picture.svg").read_text()
        assert "<desc>SEQ(Fail f, !Logout o, Login s). 9 events, 5 matches. ann: 3" in svg
        assert 'role="img"' in svg

    def test_the_same_picture_for_the_same_events(self):
        assert plot(NEGATED).html() == plot(NEGATED).html()

    def test_other_files_are_refused(self, tmp_path):
        with pytest.raises(ConfigError, match=r"end the name with .html or .svg"):
            plot(NEGATED).save(tmp_path / "picture.png")


def test_a_time_that_is_missing_is_told_as_by_a_run():
    with pytest.raises(DataError, match="NULL"):
        plot(NEGATED, pa.table({"ts": [1, None], "kind": ["Fail", "Login"], "user": ["a", "a"]}))


def test_the_function_stays_the_function():
    plot(NEGATED).html()
    assert callable(cepheid.plot)


def test_what_is_wrong_with_the_query_is_told():
    with pytest.raises(BindingError, match="prise"):
        plot("PATTERN Fail f WHERE f.prise > 3")


def test_unknown_options_are_told():
    with pytest.raises(ConfigError, match="plot has no option 'colour'"):
        plot(NEGATED, colour="red")


def test_pandas_texts_may_be_missing():
    frame = pd.DataFrame({"ts": [1, 2], "kind": ["Fail", "Login"], "user": ["ann", None]})
    assert spans(plot("PATTERN SEQ(Fail f, Login s)", frame)) == [("f: Fail 1", "s: Login 2")]
    assert spans(plot("PATTERN SEQ(Fail f, Login s) WHERE [user]", frame)) == []
