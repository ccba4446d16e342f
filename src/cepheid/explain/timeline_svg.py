"""The bursts of a run over time: a lane for every part, coloured by who shared them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from cepheid.explain.measure_text import text_width
from cepheid.explain.name_lists import name_list
from cepheid.explain.svg_document import svg_document
from cepheid.explain.svg_shapes import svg_element, svg_escape, svg_text
from cepheid.explain.svg_style import FACTS_SIZE, LEGEND_SIZE
from cepheid.explain.time_axis import TimeAxis
from cepheid.program.sharing.run_report import Burst, Decision, PartRun, RunReport, SetRun

MARGIN, PLOT, LEAST_LABEL, MOST_LABEL = 28.0, 720.0, 110.0, 280.0
BAR, BAR_STEP, LEAST_BAR, BETWEEN, ROUND = 9.0, 12.0, 2.0, 0.8, 2.0
LANE_PADDING, AXIS, SET_GAP, MOST_ROWS, MOST_BARS = 8.0, 38.0, 34.0, 8, 400
COLUMNS, COLUMN_HEIGHT = 144, 72.0
KINDS = {
    Decision.SHARED: "shared",
    Decision.PARTLY: "partly",
    Decision.APART: "apart",
}
RULES = """
.cepheid .lane{fill:$lane}
.cepheid .grid{stroke:$grid;stroke-width:1}
.cepheid .shared{fill:$shared}
.cepheid .partly{fill:$partly}
.cepheid .apart{fill:$apart}
"""


def timeline_svg(report: RunReport) -> str:
    """Return a picture of all sets, one below the other."""
    label = _label_width(report)
    left, width = MARGIN + label, label + PLOT + 2 * MARGIN
    y = MARGIN + 16
    parts = [svg_text("title", MARGIN, y, f"Bursts of a workload, sharing: {report.policy}")]
    y += 26
    if not any(each.bursts for each in report.sets):
        parts.append(svg_text("facts", MARGIN, y, "There were no bursts that could be shared."))
        y += 12
    for number, each in enumerate(report.sets, start=1):
        if each.bursts:
            drawn, y = _draw_set(number, each, left, y)
            parts += drawn
            y += SET_GAP
    parts += _legend(MARGIN, y, {burst.decision for each in report.sets for burst in each.bursts})
    title = f"Bursts of a workload, sharing: {report.policy}"
    return svg_document(parts, title=title, width=width, height=y + MARGIN, more_style=RULES)


def _label_width(report: RunReport) -> float:
    parts = [each for one in report.sets for each in one.parts]
    widest = max((text_width(each.text, FACTS_SIZE) for each in parts), default=0.0)
    texts = [text for each in parts for text in (_counted(each), _shared(each))]
    counted = max((text_width(each, LEGEND_SIZE) for each in texts), default=0.0)
    return max(min(MOST_LABEL, max(LEAST_LABEL, widest)) + 44, counted + 20)


def _counted(part: PartRun) -> str:
    return f"{part.graphlets:,} graphlets, {part.snapshots:,} snapshots"


def _shared(part: PartRun) -> str:
    """Say how many bursts were shared, and how many of these not by all that could have.

    A part has counts of all bursts, of which the picture shows the first.
    """
    if not part.shared and part.partly:
        return f"{part.partly:,} of {part.bursts:,} partly shared"
    partly = f", {part.partly:,} of them partly" if part.partly else ""
    return f"{part.shared + part.partly:,} of {part.bursts:,} shared{partly}"


def _draw_set(number: int, run: SetRun, left: float, y: float) -> tuple[list[str], float]:
    """Return a set, and the y below it."""
    axis = TimeAxis(
        min(each.begin for each in run.bursts),
        max(each.end for each in run.bursts),
        run.ticks_per_second,
    )
    listed = len(run.bursts)
    more = "" if listed == run.counters.bursts else f", the first {listed:,} of them"
    heading = (
        f"set {number}: {name_list(run.queries)}; {run.counters.bursts:,} bursts{more}, "
        f"from {min(run.bursts, key=lambda each: each.begin).first_time}"
        f"{', as they would be shared: a run counts with plain numbers' if run.is_plain else ''}"
    )
    parts = [svg_text("caption", MARGIN, y, heading)]
    y += 12
    lanes: list[str] = []
    for place, part in enumerate(run.parts):
        bursts = [each for each in run.bursts if each.part == place]
        if bursts:
            drawn, height = _draw_lane(bursts, part, axis, left, y)
            lanes += drawn
            y += height + 6
    marks = [(left + axis.share(tick) * PLOT, text) for tick, text in axis.marks()]
    texts = [
        svg_text("legend", x, y + 14, text, anchor="middle" if x < left + PLOT - 20 else "end")
        for x, text in marks
    ]
    dates = [(left + axis.share(tick) * PLOT, date) for tick, date in axis.dates()]
    texts += [
        svg_text("legend", x, y + 28, date, anchor="middle" if x < left + PLOT - 30 else "end")
        for x, date in dates
    ]
    return [*parts, *lanes, *texts], y + AXIS - 14 + (14 if dates else 0)


def _draw_lane(
    bursts: Sequence[Burst], part: PartRun, axis: TimeAxis, left: float, y: float
) -> tuple[list[str], float]:
    """Return a part with its bursts, and the height: bars if there is room, else columns."""
    rows = _rows(bursts)
    if rows is None:
        height, drawn = COLUMN_HEIGHT, list(_columns(bursts, axis, left, y))
    else:
        used = max(rows) + 1
        height = max(3, used) * BAR_STEP
        top = y + LANE_PADDING / 2 + (height - used * BAR_STEP + BAR_STEP - BAR) / 2
        drawn = [
            _bar(each, axis, left, top + row * BAR_STEP)
            for each, row in zip(bursts, rows, strict=True)
        ]
    height += LANE_PADDING
    lines = (left + axis.share(tick) * PLOT for tick, _ in axis.marks())
    grid = [svg_element("line", "grid", x1=x, x2=x, y1=y, y2=y + height) for x in lines]
    text = part.text
    while text_width(text, FACTS_SIZE) > MOST_LABEL:
        text = f"{text[:-2]}…"
    lane = svg_element("rect", "lane", x=left, y=y, width=PLOT, height=height, rx=4)
    labels = [
        svg_text("facts", left - 12, y + height / 2 - 9, text, anchor="end"),
        svg_text("legend", left - 12, y + height / 2 + 4, _shared(part), anchor="end"),
        svg_text("legend", left - 12, y + height / 2 + 16, _counted(part), anchor="end"),
    ]
    return [lane, *grid, *labels, *drawn], height


def _span(burst: Burst, axis: TimeAxis) -> tuple[float, float]:
    """Return where a bar begins and how wide it is; it stays within the lane."""
    begin = axis.share(burst.begin) * PLOT
    width = max(LEAST_BAR, axis.share(burst.end) * PLOT - begin - BETWEEN)
    return min(begin, PLOT - width), width


def _rows(bursts: Sequence[Burst]) -> list[int] | None:
    """Return the row of every bar, one for each partition; None if there is no room for them."""
    partitions = list(dict.fromkeys(each.partition for each in bursts))
    if len(bursts) > MOST_BARS or len(partitions) > MOST_ROWS:
        return None
    return [partitions.index(each.partition) for each in bursts]


def _bar(burst: Burst, axis: TimeAxis, left: float, y: float) -> str:
    begin, width = _span(burst, axis)
    shape = svg_element(
        "rect", KINDS[burst.decision], x=left + begin, y=y, width=width, height=BAR, rx=ROUND
    )
    place = f" in {', '.join(burst.partition)}" if burst.partition else ""
    words = (
        f"{burst.first_time}{place}: {burst.steps:,} steps, {burst.decision.value}; "
        f"graphlets: {burst.graphlets:,}, snapshots: {burst.snapshots:,}"
    )
    return f"<g><title>{svg_escape(words)}</title>{shape}</g>"


def _columns(bursts: Sequence[Burst], axis: TimeAxis, left: float, y: float) -> Iterator[str]:
    """Yield stacked columns: how many bursts begin in every stretch of time, by decision."""
    counts = [dict.fromkeys(KINDS, 0) for _ in range(COLUMNS)]
    for each in bursts:
        counts[min(COLUMNS - 1, int(axis.share(each.begin) * COLUMNS))][each.decision] += 1
    most = max(sum(each.values()) for each in counts)
    width = PLOT / COLUMNS
    for place, column in enumerate(counts):
        bottom = y + LANE_PADDING / 2 + COLUMN_HEIGHT
        for decision, count in column.items():
            if count:
                height = count / most * COLUMN_HEIGHT
                bottom -= height
                yield svg_element(
                    "rect", KINDS[decision], x=left + place * width + 0.5, y=bottom,
                    width=width - 1, height=height,
                )  # fmt: skip


def _legend(x: float, y: float, decisions: Collection[Decision]) -> Iterator[str]:
    for decision, kind in KINDS.items():
        if decision not in decisions:
            continue
        yield svg_element("rect", kind, x=x, y=y - BAR, width=18.0, height=BAR, rx=ROUND)
        yield svg_text("legend", x + 26, y, decision.value)
        x += 26 + text_width(decision.value, LEGEND_SIZE) + 24
