"""Pages in a real browser: what a reader sees, points at and types."""

import re

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from tests.plot.pictures import LOGINS, ROLES

QUERY = "PATTERN SEQ(Fail f, !Logout o, Login s) WHERE [user] WITHIN 60"
READ = """
const svg = document.querySelector("svg.cepheid-plot"), view = svg.querySelector(".view");
const tip = document.querySelector(".tip"), said = document.querySelector(".said");
const press = key => {
  svg.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
};
const point = item => {
  const box = item.getBoundingClientRect();
  const place = {bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2};
  item.dispatchEvent(new MouseEvent("mousemove", place));
};
const ticks = () => [...svg.querySelectorAll(".tick")].map(each => each.textContent).join(" ");
"""


@pytest.fixture(scope="module")
def page():
    return cepheid.plot(QUERY, LOGINS, **ROLES).html()


def test_pointing_at_a_match_picks_out_its_events(chromium, page):
    told = chromium.after(
        page,
        READ
        + """point(svg.querySelector(".match"));
        const on = [...svg.querySelectorAll(".mark.on")].map(each => each.dataset.i);
        return [tip.hidden, tip.textContent.split("\\n").join("|"), on.join(" ")].join(";");""",
    )
    assert told == "false;match of 2 events|f: Fail 10|s: Login 31;0 5"


def test_keys_go_from_match_to_match_and_are_told_to_screen_readers(chromium, page):
    told = chromium.after(
        page,
        READ
        + """svg.focus(); press("ArrowDown"); press("ArrowDown");
        const second = said.textContent; press("ArrowRight");
        const mark = said.textContent; press("Escape");
        return [document.activeElement === svg, second, mark, tip.hidden].join(";");""",
    )
    assert told == "true;match of 2 events, f: Fail 17, s: Login 31;Fail, ts: 17, user: ann;true"


def test_the_tip_of_a_match_is_at_its_bar_and_not_at_its_window(chromium):
    events = pa.table({"ts": [0, 10, 400, 410], "kind": ["Fail", "Login"] * 2})
    page = cepheid.plot("PATTERN SEQ(Fail f, Login s) WITHIN 2000", events, **ROLES).html()
    told = chromium.after(
        page,
        READ
        + """svg.focus(); press("ArrowDown");
        const on = view.querySelector(".match.on .bar").getBoundingClientRect();
        const box = tip.getBoundingClientRect(), middle = on.x + on.width / 2;
        return [middle < innerWidth / 2, Math.abs(box.left - middle - 14) < 2].join(";");""",
    )
    assert told == "true;true"


def test_the_tip_is_above_what_lies_at_the_bottom_of_the_screen(chromium, page):
    told = chromium.after(
        page,
        READ
        + """const spacer = document.createElement("div"); spacer.style.height = "3000px";
        document.body.prepend(spacer);
        const item = [...view.querySelectorAll(".match")].pop().querySelector(".bar");
        scrollBy(0, item.getBoundingClientRect().bottom - innerHeight + 12);
        point(item);
        const box = tip.getBoundingClientRect(), place = item.getBoundingClientRect();
        return [place.bottom > innerHeight - 40, box.bottom <= place.top + 4, box.top >= 0]
          .join(";");""",
    )
    assert told == "true;true;true"


def test_keys_go_through_events_in_the_order_of_time(chromium):
    query = "PATTERN SEQ(Fail f, Login s) WHERE [user] AND f.user = 'ann' AND s.ts > 30"
    page = cepheid.plot(query, LOGINS, **ROLES).html()
    told = chromium.after(
        page,
        READ
        + """svg.focus(); const seen = [];
        for (let n = 0; n < 9; n++) { press("ArrowRight"); seen.push(said.textContent); }
        return [seen.map(each => each.match(/ts: (\\d+)/)[1]).join(" "),
          getComputedStyle(document.querySelector(".keys")).display].join(";");""",
    )
    assert told == "10 17 31 40 60 90 14 22 25;block"


def test_zooming_moves_marks_and_the_axis(chromium, page):
    told = chromium.after(
        page,
        READ
        + """const before = ticks(); const bar = view.querySelector(".bar");
        const width = () => Math.round(parseFloat(bar.getAttribute("width")));
        const first = width(); document.querySelector(".tools button").click();
        const zoomed = ticks(), second = width(); press("0");
        return [before, zoomed, second / first > 1.9, ticks() === before && width() === first]
          .join(";");""",
    )
    assert told == "20 40 60 80;20 30 40 50;true;true"


@pytest.mark.parametrize(
    ("hours", "dates"),
    [(0.001, "2024-01-31"), (30, "2024-01-31 2024-02-01"), (60, "2024-01-31 2024-02-01"),
     (300, ""), (300_000, "")],
)  # fmt: skip
def test_a_script_writes_the_same_axis_with_its_dates(chromium, hours, dates):
    begin = np.datetime64("2024-01-31T09:30:00.125", "ms")
    times = begin + np.array([0, hours * 3_600_000]).astype("timedelta64[ms]")
    events = pa.table({"ts": times, "kind": ["Fail", "Login"]})
    page = cepheid.plot("PATTERN SEQ(Fail f, Login s)", events, **ROLES).html()
    told = chromium.after(
        page,
        READ
        + """const texts = () => ticks().split(" ").sort().join(" ");
        const before = texts(); press("+"); const zoomed = texts(); press("0");
        const days = [...svg.querySelectorAll(".date")].map(each => each.textContent).slice(0, 2);
        return [before === texts() || `${before} and ${texts()}`, before !== zoomed,
          days.join(" ")].join(";");""",
    )
    assert told == f"true;true;{dates}"


@pytest.mark.parametrize("how", ["press('+')", "document.querySelector('.tools button').click()"])
def test_zooming_keeps_matches_in_sight(chromium, how):
    times = [0, 5, *range(100, 150, 10), 990, 1_000]
    events = pa.table({"ts": times, "kind": ["Fail", "Login", *["Logout"] * 5, "Fail", "Login"]})
    page = cepheid.plot("PATTERN SEQ(Fail f, Login s) WITHIN 50", events, **ROLES).html()
    told = chromium.after(
        page,
        READ
        + f"""const seen = () => [...view.querySelectorAll(".match .bar")].filter(each => {{
          const x = parseFloat(each.getAttribute("x")), width = each.getAttribute("width");
          return x + parseFloat(width) >= 0 && x <= 760;
        }}).length;
        for (let n = 0; n < 6; n++) {{ {how}; }}
        const middle = seen(); press("0"); svg.focus(); press("ArrowDown");
        const last = said.textContent;
        for (let n = 0; n < 6; n++) {{ {how}; }}
        return [middle, seen(), last, tip.hidden].join(";");""",
    )
    assert told == "1;1;match of 2 events, f: Fail 0, s: Login 5;false"


def test_keys_and_buttons_move_what_is_in_sight(chromium, page):
    told = chromium.after(
        page,
        READ
        + """const hold = key => svg.dispatchEvent(
          new KeyboardEvent("keydown", {key, shiftKey: true, bubbles: true}));
        press("+"); press("+"); const first = ticks(); hold("ArrowRight"); const later = ticks();
        hold("ArrowLeft"); const again = ticks();
        document.querySelector('.tools [aria-label="later"]').click();
        return [first === again, later === ticks(), later !== first].join(";");""",
    )
    assert told == "true;true;true"


def test_zooming_into_a_crowded_row_shows_its_events(chromium):
    events = pa.table({"ts": np.arange(1_000), "kind": np.tile(["Fail", "Login"], 500)})
    page = cepheid.plot("PATTERN SEQ(Fail f, Login s) WITHIN 2", events, **ROLES).html()
    told = chromium.after(
        page,
        READ
        + """const seen = () => [view.querySelectorAll(".mark").length,
          getComputedStyle(view.querySelector(".dense")).display].join(" ");
        const before = seen(); press("+"); press("+"); press("+");
        const zoomed = seen(), words = view.querySelector(".mark").dataset.words; press("0");
        return [before, zoomed, words.replace("\\n", " "), seen() === before].join(";");""",
    )
    assert told == "0 inline;128 none;Login 437;true"


def test_a_million_matches_do_not_freeze_the_page(chromium):
    events = pa.table(
        {"ts": np.arange(100_000), "kind": np.tile(["Fail", "Login"], 50_000),
         "user": np.repeat(np.arange(50), 2_000)}
    )  # fmt: skip
    query = "PATTERN SEQ(Fail f, Login s) WHERE [user] WITHIN 44"
    page = cepheid.plot(query, events, **ROLES).html()
    assert "100,000 events, 1,000,000 matches or more" in page
    told = chromium.after(
        page,
        READ
        + """for (let n = 0; n < 20; n++) { press("+"); }
        return document.querySelectorAll("*").length;""",
    )
    assert 0 < int(told) < 25_000


def test_bars_can_be_pointed_at_and_have_keys(chromium):
    query = "PATTERN SEQ(Fail f, Login s) GROUP BY user RETURN user, COUNT(*) AS n"
    page = cepheid.plot(query, LOGINS, **ROLES).html()
    told = chromium.after(
        page,
        READ.replace(", view = svg.querySelector('.view')", "")
        + """svg.focus(); press("ArrowDown"); press("ArrowDown"); const second = said.textContent;
        point(svg.querySelector(".column"));
        return [second, tip.textContent, tip.hidden].join(";");""",
    )
    assert told == "user bob: 2;user ann: 5;false"


def test_keys_go_along_a_line_of_values_and_from_line_to_line(chromium):
    query = """PATTERN SEQ(Fail f, Login s) WITHIN 30 SLIDE 10
        GROUP BY user RETURN user, COUNT(*) AS n"""
    page = cepheid.plot(query, LOGINS, **ROLES).html()
    told = chromium.after(
        page,
        READ
        + """svg.focus(); press("ArrowRight"); const first = said.textContent;
        press("ArrowRight"); const along = said.textContent;
        press("ArrowDown"); const across = said.textContent;
        press("ArrowDown"); const back = said.textContent;
        return [first, along, across, back,
          document.querySelector(".keys").textContent.includes("values, ↑ ↓ lines"),
          svg.getAttribute("aria-label").includes("from line to line")].join(";");""",
    )
    assert told == (
        "ann: 2, from 10 to 40;bob: 2, from 0 to 30;ann: 2, from 10 to 40;"
        "bob: 2, from 10 to 40;true;true"
    )


def test_a_narrow_screen_scrolls_the_picture_and_not_the_page(chromium, page):
    told = chromium.after(
        page,
        READ
        + """const frame = document.createElement("iframe");
        frame.style.cssText = "width:500px;height:800px;border:0";
        document.body.appendChild(frame);
        const inner = frame.contentDocument; inner.open();
        inner.write("<!DOCTYPE html>" + document.documentElement.outerHTML
          .replace(/<script[^]*?<\\/script>/g, "")); inner.close();
        const drawn = inner.querySelector(".wide > svg").getBoundingClientRect();
        const tools = inner.querySelector(".tools").getBoundingClientRect();
        return [drawn.width, inner.querySelector(".wide").scrollWidth > 600,
          inner.documentElement.scrollWidth <= 500, tools.bottom <= drawn.top].join(";");""",
    )
    assert told == "700;true;true;true"


def test_colours_follow_the_reader(chromium, page, tmp_path):
    file, pictures = tmp_path / "page.html", [tmp_path / f"{each}.png" for each in ("a", "b")]
    file.write_text(page, encoding="utf-8")
    for picture, dark in zip(pictures, (False, True), strict=True):
        chromium.screenshot(file, picture, width=400, height=300, dark=dark)
    light, dark = (each.read_bytes() for each in pictures)
    assert light[:4] == dark[:4] == b"\x89PNG"
    assert light != dark


class TestOfANotebook:
    """A picture in a notebook is an image that the script, where it may run, makes alive."""

    PAGE = "<!DOCTYPE html><html><head></head><body>{}</body></html>"

    def test_with_its_script_it_is_as_on_a_page(self, chromium):
        shown = cepheid.plot(QUERY, LOGINS, **ROLES)._repr_html_()
        told = chromium.after(
            self.PAGE.format(shown),
            READ
            + """point(svg.querySelector(".match"));
            const before = ticks(); document.querySelector(".tools button").click();
            return [document.images.length, svg.querySelector("style") === null, before, ticks(),
              tip.textContent.split("\\n").join("|")].join(";");""",
        )
        assert told == "0;true;20 40 60 80;20 30 40 50;match of 2 events|f: Fail 10|s: Login 31"

    def test_an_automaton_has_the_colours_of_the_page(self, chromium):
        shown = cepheid.query(QUERY)._repr_html_()
        told = chromium.after(
            self.PAGE.format(f'<div data-jp-theme-light="false">{shown}</div>'),
            """const paper = document.querySelector("svg.cepheid .paper");
            return [document.images.length, getComputedStyle(paper).fill].join(";");""",
        )
        assert told == "0;rgb(20, 23, 31)"  # DARK["paper"]

    @pytest.mark.parametrize("shown", ["plot", "query", "bursts"])
    def test_without_scripts_and_svg_elements_it_is_an_image(self, chromium, shown):
        if shown == "bursts":
            texts = [
                f"PATTERN SEQ({each}, Fail+) RETURN COUNT(*) AS n" for each in ("Login", "Logout")
            ]
            found = cepheid.workload(texts).analyze(LOGINS, **ROLES, sharing="always")
        else:
            query = cepheid.query(QUERY)
            found = query if shown == "query" else cepheid.plot(query, LOGINS, **ROLES)
        html = found._repr_html_()
        kept = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)
        assert "<svg" not in kept
        assert "<button" not in kept
        told = chromium.after(
            self.PAGE.format(kept),
            """const [image] = document.images;
            return [document.images.length, image.naturalWidth > 300, image.alt].join(";");""",
        )
        words = {
            "plot": "SEQ(Fail f, !Logout o, Login s). 9 events, 5 matches",
            "query": "Automaton of SEQ(Fail f, !Logout o, Login s)",
            "bursts": "Bursts of a workload",
        }
        assert told.startswith(f"1;true;{words[shown]}")
