"""Draw the ratios of docs/reference/benchmarks.md as bars, wins and losses in one picture."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

from cepheid.explain.svg_shapes import svg_element, svg_text
from cepheid.plot.body import MARGIN, WIDTH, Body, fitted, stacked
from cepheid.plot.style import picture_style

REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "reference" / "benchmarks.md"
RESULTS = REPOSITORY / "benchmarks" / "results"
PAPERS = RESULTS / "papers"
STREAM = RESULTS / "stream-peers-50000.json"
# question, other engine, its time, Cepheid's time, ratio, Cepheid's events/s, its line, result
RATIO = re.compile(
    r"^\|([^|]*)\| ([^|]+) \| ([\d.,]+) ms \| ([\d.,]+) ms \| ([\d.]+) \S \| ([\d,]+)"
    r" \| ([^|]+) \| `([\w-]+)` \|$",
    re.MULTILINE,
)
TITLE = "The time of another engine, divided by that of Cepheid"
NOTE = (
    "Left of 1 the other engine is faster, right of 1 it is Cepheid. A line is ten times the last."
)
NAMES, ROW, BAR = 560.0, 20.0, 12.0
LEAST, MOST = -3.0, 3.0  # powers of ten at the ends of the axis


@dataclass(frozen=True, slots=True)
class Loss:
    """An algorithm that is faster, or a case in which one is; where it is ahead most."""

    question: str
    other: str
    result: str
    more_is_better: bool = False


LOSSES = (
    Loss("one pattern, 1,000 events in a window", "GRETA", "cogra-fig-8a"),
    Loss("one pattern, 1,000 events in a window", "type-grained (COGRA)", "cogra-fig-8a"),
    Loss("one pattern, counts of its last events", "A-Seq", "a-seq-fig-12a"),
    Loss("many different keys", "PAIS", "sase-pais", more_is_better=True),
    Loss("what to share among ten queries", "Cepheid, always", "hamlet-fig-10f"),
)


def ratios() -> str:
    """The bars, from what the page has and from the results that it names for its losses."""
    lost = [(f"{each.other}: {each.question}", least_ratio(each)) for each in LOSSES]
    won_by = won(PAGE.read_text(encoding="utf-8"))
    bars = sorted([*lost, *stream_ratios(), *won_by], key=lambda each: each[1])
    return stacked([_body(bars)], picture_style(), title=TITLE)


def won(page: str) -> list[tuple[str, float]]:
    """Return the rows of the page's first table; a question holds until the next one."""
    found, question = [], ""
    for named, other, _, _, ratio, *_ in RATIO.findall(page):
        question = named.strip() or question
        found.append((f"{other}: {question}", float(ratio)))
    return found


def least_ratio(loss: Loss) -> float:
    """Return the smallest ratio of a figure to Cepheid, over all its points."""
    stored = json.loads((PAPERS / f"{loss.result}.json").read_text(encoding="utf-8"))
    ours, theirs = stored["series"]["Cepheid"], stored["series"][loss.other]
    pairs: list[tuple[float, float]] = [
        (own["value"], other["value"])
        for own, other in zip(ours, theirs, strict=True)
        if own["value"] and other["value"]
    ]
    return min(own / other if loss.more_is_better else other / own for own, other in pairs)


def stream_ratios() -> list[tuple[str, float]]:
    """Return how Flink CEP compares on one stream: by event, and from an event to its match."""
    stored = json.loads(STREAM.read_text(encoding="utf-8"))
    ours, theirs = (stored["contenders"][name] for name in ("Cepheid on Spark", "Flink CEP"))
    where = "of a stream, on a busy machine"
    return [
        (f"Flink CEP: an event {where}", ours["per_second"] / theirs["per_second"]),
        (f"Flink CEP: from an event to its match {where}", theirs["median"] / ours["median"]),
    ]


def _body(bars: list[tuple[str, float]]) -> Body:
    top = MARGIN + 52
    height = ROW * len(bars)
    parts = [
        svg_text("title", MARGIN, MARGIN + 6, TITLE),
        svg_text("note", MARGIN, MARGIN + 24, NOTE),
    ]
    for power in range(int(LEAST), int(MOST) + 1):
        x = _place(10.0**power)
        parts.append(svg_element("line", "grid", x1=x, x2=x, y1=top - 4, y2=top + height))
        parts.append(svg_text("tick", x, top + height + 14, f"{10.0**power:g}", anchor="middle"))
    for place, (name, ratio) in enumerate(bars):
        y = top + place * ROW
        begin, end = sorted((_place(1.0), _place(ratio)))
        # Red stands for what must not occur, so losses have another colour.
        kind = "column k0" if ratio >= 1 else "column k1"
        size = {"x": begin, "y": y, "width": max(1.0, end - begin), "height": BAR}
        parts.append(svg_text("tick", MARGIN, y + BAR - 2, fitted(name, NAMES)))
        parts.append(svg_element("rect", kind, **size, rx=2))
        parts.append(svg_text("tick", max(end, _place(1.0)) + 5, y + BAR - 2, f"{ratio:.3g}"))
    listed = "; ".join(f"{name} {ratio:.3g}" for name, ratio in bars)
    return Body(tuple(parts), top + height + 30, f"{TITLE}: {listed}.")


def _place(ratio: float) -> float:
    """Return where a ratio lies on the axis, which is logarithmic."""
    begin, end = MARGIN + NAMES + 10, WIDTH - MARGIN - 20
    return begin + (math.log10(ratio) - LEAST) / (MOST - LEAST) * (end - begin)
