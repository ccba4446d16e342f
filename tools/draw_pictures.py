"""Draw the pictures of the documentation: `make pictures`, or this file with the folder.

SVG pictures come from `cepheid.plot` alone and are the same every time; a test compares them. PNG
pictures are screenshots by Chromium: of a report, of a notebook that is executed for it, and of the
site.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import cepheid
from cepheid.plot.body import stacked
from cepheid.plot.style import picture_style

REPOSITORY = Path(__file__).parent.parent
EXAMPLES = REPOSITORY / "examples"
IMAGES = REPOSITORY / "docs" / "images"
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
    "contiguous": "WHERE [user] SEMANTICS contiguous",
    "strict contiguity": "WHERE [user] SEMANTICS strict_contiguity",
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
    """The same pattern and events under each strategy, below each other."""
    events = pa.table(
        {
            "ts": range(1, 9),
            "kind": ["A", "A", "A", "B", "B", "B", "A", "B"],
            "user": ["u", "u", "v", "u", "u", "v", "v", "v"],
        }
    )
    bodies = []
    for title, clause in STRATEGIES.items():
        text = f"PATTERN SEQ(A+ a, B b) {clause}"
        drawn = cepheid.plot(text, events, title=title, **ROLES)
        bodies += [body for section in drawn.sections for body in section.bodies]
    return stacked(bodies, picture_style(), title="One pattern under five strategies")


DRAWN: dict[str, Callable[[], str]] = {
    "plot_readme.svg": readme,
    "plot_matches.svg": matches,
    "plot_windows.svg": windows,
    "plot_groups.svg": groups,
    "plot_many.svg": many,
    "plot_strategies.svg": strategies,
}


def report_page() -> str:
    """The report that `cepheid run cancelled_rides.cep rides.csv -o report.html` writes."""
    file = EXAMPLES / "cancelled_rides.cep"
    query = cepheid.query(file.read_text(encoding="utf-8"), name=file.name)
    return cepheid.plot(query, str(EXAMPLES / "rides.csv"), **RIDES).html()


def notebook_page() -> str:
    """The example notebook, executed, in the look of a notebook."""
    import nbclient
    import nbformat

    notebook = nbformat.read(EXAMPLES / "logins.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
    cells = "".join(map(_cell, notebook.cells))
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>notebook</title><style>'
        "body{font-family:system-ui,'DejaVu Sans',sans-serif;max-width:1000px;margin:24px auto}"
        ".cell{display:flex;gap:10px;margin:10px 0}.number{color:#5b6475;width:40px;flex:none;"
        "text-align:right;font:13px/1.6 'DejaVu Sans Mono',monospace}.content{flex:1;min-width:0}"
        ".code{background:#f5f5f5;border:1px solid #e0e0e0;padding:6px 10px;margin:0;"
        "white-space:pre-wrap;font:13px/1.6 'DejaVu Sans Mono',monospace}.error{background:#fdd;"
        "padding:4px 10px;font:13px monospace}.dataframe{border-collapse:collapse;font-size:13px;"
        "border:0;margin:10px}.dataframe :is(th,td){border:0;padding:3px 10px;text-align:right}"
        f"</style></head><body>{cells}</body></html>"
    )


def _cell(cell: Any) -> str:
    if cell.cell_type == "markdown":
        return f'<div class="cell"><div class="number"></div><div>{escape(cell.source)}</div></div>'
    outputs = "".join(map(_output, cell.outputs))
    return (
        f'<div class="cell"><div class="number">[{cell.execution_count}]</div>'
        f'<div class="content"><pre class="code">{escape(cell.source)}</pre>{outputs}</div></div>'
    )


def _output(output: Any) -> str:
    if output.output_type == "error":
        return f'<p class="error">{escape(output.traceback[0])}</p>'
    if output.output_type == "stream":
        return f"<pre>{escape(output.text)}</pre>"
    found: str = output.data.get("text/html") or f"<pre>{escape(output.data['text/plain'])}</pre>"
    return found


def take_screenshots(folder: Path) -> None:
    """Have Chromium draw the report, in light and dark, the notebook, and the site."""
    found = subprocess.run(
        ["sh", str(REPOSITORY / "tools" / "ensure_chromium.sh")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    chromium = found.stdout.strip()
    dark = ["--blink-settings=preferredColorScheme=0"]
    with tempfile.TemporaryDirectory() as place:
        report, notebook, site = (
            Path(place, "report.html"),
            Path(place, "notebook.html"),
            Path(place, "site"),
        )
        report.write_text(report_page(), encoding="utf-8")
        notebook.write_text(notebook_page(), encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(site)],
            cwd=REPOSITORY, check=True,
        )  # fmt: skip
        shots: list[tuple[str, Path, int, list[str]]] = [
            ("report.png", report, 1560, []),
            ("report_dark.png", report, 1560, dark),
            ("notebook.png", notebook, 1480, []),
            ("site.png", site / "index.html", 1000, []),
        ]
        for name, file, height, options in shots:
            subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                 f"--user-data-dir={place}/profile", "--virtual-time-budget=2000",
                 f"--window-size=1040,{height}", *options, f"--screenshot={folder / name}",
                 file.as_uri()],
                capture_output=True, check=True, timeout=300,
            )  # fmt: skip


def main(folder: Path) -> None:
    """Write every picture into a folder."""
    for name, draw in DRAWN.items():
        (folder / name).write_text(draw(), encoding="utf-8")
    take_screenshots(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
