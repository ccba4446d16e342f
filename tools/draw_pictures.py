"""Draw the pictures of the documentation: `make pictures`, or this file with the folder.

SVG pictures are the same every time; a test compares them. PNG
pictures are screenshots by Chromium: of a report, of a notebook that is executed for it and opened
in JupyterLab if that is installed, of the site, and of a pipeline that runs on Spark.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import cepheid
from cepheid.generate import generate
from cepheid.plot.body import stacked
from cepheid.plot.picture import Plot
from cepheid.plot.style import picture_style
from cepheid.testing import events as script
from tools.draw_architecture import architecture
from tools.draw_ratios import ratios
from tools.draw_side_by_side import side_by_side
from tools.open_jupyterlab import MISSING, executed_in_jupyterlab, find_jupyterlab

REPOSITORY = Path(__file__).parent.parent
EXAMPLES = REPOSITORY / "examples"
IMAGES = REPOSITORY / "docs" / "images"
DOCS = REPOSITORY / "docs"
COOKBOOK = DOCS / "cookbook"
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LOGINS = pa.table(
    {
        "ts": [10, 14, 17, 22, 25, 31, 40, 60, 90],
        "kind": ["Fail", "Fail", "Fail", "Login", "Login", "Login", "Logout", "Fail", "Login"],
        "user": ["ann", "bob", "ann", "bob", "bob", "ann", "ann", "ann", "ann"],
    }
)
ROLES = {"time": "ts", "type": "kind"}
RIDES = {"time": "time", "type": "kind"}
STRATEGIES = {
    "skip-till-any-match": "WHERE [user] SEMANTICS skip-till-any-match",
    "skip-till-next-match": "WHERE [user] SEMANTICS skip-till-next-match",
    "skip-till-next-match, leaving a repetition is optional": (
        "WHERE [user] AND skip_till_next_match"
    ),
    "latest wins": "WHERE [user] SEMANTICS latest-wins",
    "contiguous": "WHERE [user] SEMANTICS contiguous",
    "strict contiguity": "WHERE [user] SEMANTICS strict_contiguity",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of docs/concepts/semantics.md, by queries on one short stream."""

    title: str
    events: str
    queries: tuple[str, ...]
    value: str | None = None


RULES = {
    "ties": Rule(
        "Events of one time have no order",
        "a1 a2 b3 a5@5 a6@5 b7",
        ("SEQ(A+ a, B b) WITHIN 3",),
    ),
    "partitions": Rule(
        "With [user] the events of one user belong together",
        "a1(user=1) a2(user=2) b3(user=2) b4(user=1)",
        ("SEQ(A a, B b)", "SEQ(A a, B b) WHERE [user]"),
    ),
    "and": Rule("AND pairs the trends of two patterns", "a1 c2 b3 c4", ("SEQ(A a, B b) AND C c",)),
    "blocks": Rule(
        "In a nested repetition each stretch of a is a block",
        "a1(x=1) a2(x=2) b3 a4(x=1) a5(x=3) b6",
        (
            "(SEQ(A+ a, B b))+ SEMANTICS contiguous",
            "(SEQ(A+ a, B b))+ WHERE a[i].x > a[i-1].x SEMANTICS contiguous",
            "(SEQ(A+ a, B b))+ WHERE a[i].x < a[i-1].x SEMANTICS contiguous",
        ),
        value="x",
    ),
    "windows": Rule(
        "Windows of time, of events, and between two steps",
        "a1 b3 c4 b5 c8",
        (
            "SEQ(A a, B b, C c) WITHIN 7",
            "SEQ(A a, B b, C c) WITHIN 8",
            "SEQ(A a, B b, C c) WITHIN 4 EVENTS",
            "SEQ(A a, B b, C c) WITHIN 3 BETWEEN a, b",
        ),
    ),
    "negation": Rule(
        "A part that must not occur, at the start, in the middle and at the end",
        "c1 a2 b3 a6 c7 b8 a12 b13 c15 a20 b21",
        (
            "SEQ(A a, B b) WITHIN 4",
            "SEQ(!C c, A a, B b) WITHIN 4",
            "SEQ(A a, !C c, B b) WITHIN 4",
            "SEQ(A a, B b, !C c) WITHIN 4",
        ),
    ),
    "non_overlapping": Rule(
        "All matches, and three choices of them",
        "a1 a2 b3 a4 b5",
        (
            "SEQ(A+ a, B b) OUTPUT ALL",
            "SEQ(A+ a, B b) OUTPUT NON OVERLAPPING",
            "SEQ(A+ a, B b) OUTPUT LONGEST",
            "SEQ(A+ a, B b) OUTPUT SHORTEST",
        ),
    ),
    "first_last": Rule(
        "One match for each window of ten",
        "a1 b2 b5 a8 b12 b13",
        (
            "SEQ(A a, B b) WITHIN 10",
            "SEQ(A a, B b) WITHIN 10 OUTPUT FIRST",
            "SEQ(A a, B b) WITHIN 10 OUTPUT LAST",
        ),
    ),
}


def readme() -> str:
    """The first query of the README, on its events."""
    text = "PATTERN SEQ(Fail{2,} f, Login s) WHERE [user] AND NOT s.known WITHIN 60 seconds"
    events = pa.table(
        {
            "ts": [10, 14, 17, 25, 31, 90],
            "kind": ["Fail", "Fail", "Fail", "Login", "Login", "Login"],
            "user": ["ann", "bob", "ann", "bob", "ann", "ann"],
            "known": [None, None, None, True, False, False],
        }
    )
    return cepheid.plot(text, events, **ROLES).svg()


def matches() -> str:
    """Failed logins that a login follows, with no logout between."""
    text = "PATTERN SEQ(Fail f, !Logout o, Login s) WHERE [user] WITHIN 60"
    return cepheid.plot(text, LOGINS, **ROLES).svg()


def windows() -> str:
    """Trends of slow rides in windows, by district."""
    text = """PATTERN SEQ(Request r, Travel t+, Pickup p) WHERE [driver, rider] GROUP BY district
        WITHIN 1 minute SLIDE 10 seconds RETURN district, COUNT(*) AS trends"""
    return cepheid.plot(text, str(EXAMPLES / "rides.csv"), **RIDES).svg()


def groups() -> str:
    """Rides by district, without windows."""
    text = """PATTERN SEQ(Request r, Pickup p) WHERE [driver, rider] GROUP BY district
        RETURN district, COUNT(*) AS rides"""
    return cepheid.plot(text, str(EXAMPLES / "rides.csv"), **RIDES).svg()


def many() -> str:
    """More events and matches than fit: columns count them, and some matches are bars."""
    generator = np.random.default_rng(7)
    count = 1_200
    events = pa.table(
        {
            "ts": np.sort(generator.integers(0, 14_400, count)),
            "kind": np.array(["Fail", "Login", "Logout"])[generator.integers(0, 3, count)],
            "user": np.array(["ann", "bob"])[generator.integers(0, 2, count)],
        }
    )
    text = "PATTERN SEQ(Fail f, !Logout o, Login s) WHERE [user] WITHIN 60"
    return cepheid.plot(text, events, **ROLES).svg()


def strategies() -> str:
    """The same pattern and events under each strategy, side by side."""
    events = pa.table(
        {
            "ts": range(1, 10),
            "kind": ["A", "A", "A", "B", "C", "B", "B", "A", "B"],
            "user": ["u", "u", "v", "u", "v", "u", "v", "v", "v"],
        }
    )
    titled = {title: f"PATTERN SEQ(A+ a, B b) {clause}" for title, clause in STRATEGIES.items()}
    given = cepheid.events(events, **ROLES)
    return side_by_side("SEQ(A+ a, B b) WHERE [user] under six strategies", given, titled)


def below_each_other(
    title: str, events: pa.Table, titled: Mapping[str, str], given: Mapping[str, Any]
) -> str:
    """Several queries on the same events, each below its title."""
    bodies = []
    for name, text in titled.items():
        drawn = cepheid.plot(text, events, title=name, **given)
        bodies += [body for section in drawn.sections for body in section.bodies]
    return stacked(bodies, picture_style(), title=title)


def of_rule(rule: Rule) -> str:
    """The queries of a rule of the semantics on its events."""
    table = pa.Table.from_pylist(script(rule.events))
    titled = {f"{text}": f"PATTERN {text}" for text in rule.queries}
    return below_each_other(
        rule.title, table, titled, {"time": "time", "type": "type", "value": rule.value}
    )


def bursts() -> str:
    """The bursts of the four queries of docs/how-to/workloads.md, on the rides of that page."""
    pools = "SEQ(Request r, Travel t+, {}) WHERE [district] WITHIN 1 minute"
    rides = "SEQ(Pickup p, Travel t+, Dropoff d) WHERE [district]{} WITHIN 2 minutes"
    patterns = {
        "pools.cep": pools.format("Pickup p"),
        "cancels.cep": pools.format("Cancel c"),
        "slow.cep": rides.format(" AND t.speed < 10"),
        "long.cep": rides.format(""),
    }
    queries = cepheid.workload(
        {
            name: f"PATTERN {text} SLIDE 15 seconds RETURN COUNT(*) AS trends"
            for name, text in patterns.items()
        }
    )
    events = generate("ridesharing", events=4_000, burst=24, trips=4, districts=2)
    return queries.analyze(events, **RIDES).svg()


def automaton() -> str:
    """The automaton of a short pattern with a repetition."""
    return cepheid.query("PATTERN SEQ(A a, B+ b)").explain(format="svg")


def of_page(page: Path) -> str:
    """What a page calls `picture`; or else its `query` on its `events`."""
    names: dict[str, Any] = {}
    for code in PYTHON.findall(page.read_text(encoding="utf-8")):
        if "spark" in code:
            break
        with contextlib.redirect_stdout(None):
            exec(code, names)
    picture: Plot = names.get("picture") or cepheid.plot(names["query"], names["events"])
    return picture.svg()


def funnel() -> str:
    """How far visitors of a shop get, as bars."""
    steps = ["TypeUsername", "TypePassword", "ViewKindle", "BuyKindle", "BuyCase"]
    roles = {"time": "time", "type": "type"}
    found = cepheid.funnel(
        str(EXAMPLES / "clicks.jsonl"), steps, by="userId", within="1 hour", **roles
    )
    return found.plot(title="From the login to the case").svg()


DRAWN: dict[str, Callable[[], str]] = {
    "plot_readme.svg": readme,
    "plot_matches.svg": matches,
    "plot_windows.svg": windows,
    "plot_groups.svg": groups,
    "plot_many.svg": many,
    "plot_strategies.svg": strategies,
    "plot_funnel.svg": funnel,
    "benchmark_ratios.svg": ratios,
    "architecture.svg": architecture,
    "first_query.svg": partial(of_page, DOCS / "tutorials" / "first-query.md"),
    "semantics_automaton.svg": automaton,
    "workload_bursts.svg": bursts,
    **{f"semantics_{name}.svg": partial(of_rule, rule) for name, rule in RULES.items()},
    **{
        f"cookbook_{page.stem}.svg": partial(of_page, page)
        for page in sorted(COOKBOOK.glob("*.md"))
    },
}


def report_page() -> str:
    """The report that `cepheid run cancelled_rides.cep rides.csv -o report.html` writes."""
    file = EXAMPLES / "cancelled_rides.cep"
    query = cepheid.query(file.read_text(encoding="utf-8"), name=file.name)
    return cepheid.plot(query, str(EXAMPLES / "rides.csv"), **RIDES).html()


@contextmanager
def live_pipeline(place: Path) -> Iterator[str]:
    """Run the example pipeline on Spark, in a folder, and give the address of its page."""
    text = (EXAMPLES / "pipeline" / "rides.yaml").read_text(encoding="utf-8")
    text = text.replace("available now", "every 1 second")
    text = text.replace("../cancelled_rides.cep", str(EXAMPLES / "cancelled_rides.cep"))
    (place / "rides").mkdir(parents=True)
    settings = "spark: {spark.sql.shuffle.partitions: 2}\nstate: {buckets: 2}\n"
    (place / "rides.yaml").write_text(text + settings, encoding="utf-8")
    program = [sys.executable, "-c", "from cepheid.cli import main; main()"]
    rides = place / "rides.csv"
    subprocess.run(
        [*program, "generate", "ridesharing", "-n", "20000", "--set", "events_per_minute=800",
         "-o", str(rides)],
        check=True, capture_output=True,
    )  # fmt: skip
    head, *lines = _until_now(rides.read_text(encoding="utf-8").splitlines())
    for number in range(10):
        part = "\n".join([head, *lines[number * 2_000 : (number + 1) * 2_000]])
        file = place / "rides" / f"{number}.csv"
        file.write_text(part, encoding="utf-8")
        os.utime(file, (number, number))  # in which order they are read
    process = subprocess.Popen(
        [*program, "pipeline", str(place / "rides.yaml"), "--serve", "--port", "0"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        address, done = "", set[str]()
        for line in process.stderr:
            if "live view at" in line:
                address = line.split()[-1]
            if found := re.match(r"(\w+)  batch 9 ", line):
                done.add(found[1])
            if len(done) == 2:  # both streams have read all files
                break
        else:
            raise RuntimeError("the pipeline has ended before its tenth micro-batch")
        yield address
    finally:
        process.terminate()
        process.communicate(timeout=120)


def _until_now(lines: list[str]) -> list[str]:
    """Move the times of rides so that the last one is now: then the page is not years behind."""
    head, *rows = [each.split(",", 1) for each in lines]
    times = [datetime.fromisoformat(time) for time, _ in rows]
    late = datetime.now(UTC).replace(tzinfo=None) - times[-1]
    moved = [f"{time + late:%Y-%m-%d %H:%M:%S.%f},{rest}" for time, (_, rest) in zip(
        times, rows, strict=True)]  # fmt: skip
    return [",".join(head), *moved]


def take_screenshots(folder: Path) -> None:
    """Have Chromium draw the report, in light and dark, a notebook, the site, and a pipeline."""
    found = subprocess.run(
        ["sh", str(REPOSITORY / "tools" / "ensure_chromium.sh")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    chromium = found.stdout.strip()
    dark = ["--blink-settings=preferredColorScheme=0"]
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        report, site = Path(place, "report.html"), Path(place, "site")
        report.write_text(report_page(), encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(site)],
            cwd=REPOSITORY, check=True,
        )  # fmt: skip
        live = stack.enter_context(live_pipeline(Path(place, "pipeline")))
        shots: list[tuple[str, str, int, list[str]]] = [
            ("live.png", live, 1180, []),
            ("report.png", report.as_uri(), 1560, []),
            ("report_dark.png", report.as_uri(), 1560, dark),
            ("site.png", (site / "index.html").as_uri(), 1000, []),
        ]
        if program := find_jupyterlab():
            shown = executed_in_jupyterlab(
                program, EXAMPLES / "logins.ipynb", Path(place, "jupyterlab")
            )
            later = ["--virtual-time-budget=20000"]  # JupyterLab takes longer to draw
            shots.append(("notebook.png", stack.enter_context(shown), 1980, later))
        else:
            print(MISSING, file=sys.stderr)
        for name, address, height, options in shots:
            subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                 f"--user-data-dir={place}/profile", "--virtual-time-budget=2000",
                 f"--window-size=1040,{height}", *options, f"--screenshot={folder / name}",
                 address],
                capture_output=True, check=True, timeout=300,
            )  # fmt: skip


def main(folder: Path) -> None:
    """Write every picture into a folder."""
    for name, draw in DRAWN.items():
        (folder / name).write_text(draw(), encoding="utf-8")
    take_screenshots(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
