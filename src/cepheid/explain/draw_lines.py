"""Lines between the boxes of a layout: edges, entries and blocked exits, with their labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from cepheid.explain.arrange import Way
from cepheid.explain.dimensions import BAR_TO_LABEL, LABEL_MARGIN, LINE_TO_LABEL, ROUNDING, STUB
from cepheid.explain.document import Edge, Side, State
from cepheid.explain.drawing import (
    Bar,
    Drawing,
    Label,
    Line,
    LineKind,
    Point,
    Rectangle,
    TextLine,
)
from cepheid.explain.layout import Layout, lay_out
from cepheid.explain.measure_text import (
    block_height,
    block_width,
    edge_lines,
    negation_lines,
    predicate_lines,
)
from cepheid.explain.place_columns import label_gap
from cepheid.explain.place_rows import has_label_over, label_distance

# Where a label may stand on a curve, best first.
CURVE_PLACES = (0.5, 0.42, 0.58, 0.36, 0.64, 0.3, 0.7, 0.24, 0.76)


def draw(side: Side) -> Drawing:
    """Return the picture of one side."""
    layout = lay_out(side)
    lines = [_entry(each, layout) for each in side.states if each.is_entry]
    lines += [_exit(each, layout) for each in side.states if each.exit_negation is not None]
    bends = []
    for edge in side.edges:
        match layout.grid.way(edge):
            case Way.STRAIGHT:
                lines.append(_straight(edge, layout))
            case Way.BEND:
                bends.append(edge)
            case Way.ABOVE | Way.BELOW | Way.BETWEEN:
                lines.append(_arc(edge, layout))
    # Bends come last: their labels look for a place that is still free.
    for edge in bends:
        taken = [each.area for each in layout.boxes.values()]
        taken += [label.area for line in lines for label in line.labels]
        lines.append(_bend(edge, layout, taken))
    width, height = layout.columns.width, layout.rows.height
    return Drawing(width, height, tuple(layout.boxes.values()), tuple(lines))


# --- edges --------------------------------------------------------------------------------------


def _straight(edge: Edge, layout: Layout) -> Line:
    source, target = layout.area(edge.source), layout.area(edge.target)
    y = source.center.y
    left, right = layout.columns.label_rooms[label_gap(edge, layout.grid)]
    middle = Point((left + right) / 2, y)
    if has_label_over(edge, layout.grid):
        labels = _labels(_over(middle, edge_lines(edge), label_distance(edge)))
    else:
        labels = _labels(
            _over(middle, negation_lines(edge.negation), BAR_TO_LABEL),
            _under(middle, predicate_lines(edge), LINE_TO_LABEL),
        )
    path = _rounded([Point(source.right, y), Point(target.x, y)])
    return _edge_line(edge, path, Bar(middle), labels)


def _arc(edge: Edge, layout: Layout) -> Line:
    source, target = layout.area(edge.source), layout.area(edge.target)
    lane = layout.rows.lane_y[edge.source, edge.target]
    start_x = source.center.x + layout.ports.source(edge)
    end_x = target.center.x + layout.ports.target(edge)
    corners = [
        Point(start_x, source.y if lane < source.y else source.bottom),
        Point(start_x, lane),
        Point(end_x, lane),
        Point(end_x, target.y if lane < target.y else target.bottom),
    ]
    middle = Point((start_x + end_x) / 2, lane)
    place = _over if layout.grid.way(edge) is Way.ABOVE else _under
    labels = _labels(place(middle, edge_lines(edge), label_distance(edge)))
    return _edge_line(edge, _rounded(corners), Bar(middle), labels)


def _bend(edge: Edge, layout: Layout, taken: Sequence[Rectangle]) -> Line:
    source, target = layout.area(edge.source), layout.area(edge.target)
    start, end = Point(source.right, source.center.y), Point(target.x, target.center.y)
    left, right = layout.columns.label_rooms[label_gap(edge, layout.grid)]
    is_first_gap = label_gap(edge, layout.grid) == layout.grid.cells[edge.source].column
    is_last_gap = label_gap(edge, layout.grid) == layout.grid.cells[edge.target].column - 1
    bend_start = start if is_first_gap else Point(left, start.y)
    bend_end = end if is_last_gap else Point(right, end.y)
    curve = _s_curve(bend_start, bend_end)
    path = (
        f"M{_number(start.x)} {_number(start.y)} H{_number(bend_start.x)} "
        f"C{' '.join(f'{_number(each.x)} {_number(each.y)}' for each in curve[1:])} "
        f"H{_number(end.x)}"
    )
    place, angle, label = _free_place(edge, curve, taken)
    return _edge_line(edge, path, Bar(place, angle), _labels(label))


def _edge_line(edge: Edge, path: str, bar: Bar, labels: tuple[Label, ...]) -> Line:
    kind = LineKind.LOOP if edge.is_loop else LineKind.EDGE
    crossed = bar if edge.negation is not None else None
    return Line(f"{edge.source}-{edge.target}", kind, path, crossed, labels)


# --- entries and exits --------------------------------------------------------------------------


def _entry(state: State, layout: Layout) -> Line:
    end = layout.entry(state)
    lines = negation_lines(state.entry_negation)
    start = Point(end.x - _stub_length(lines), end.y)
    middle = Point((start.x + end.x) / 2, end.y)
    bar = Bar(middle) if lines else None
    labels = _labels(_over(middle, lines, BAR_TO_LABEL))
    path = _rounded([start, end])
    return Line(f"entry-{state.index}", LineKind.ENTRY, path, bar, labels, mark=start)


def _exit(state: State, layout: Layout) -> Line:
    start = layout.exit(state)
    lines = negation_lines(state.exit_negation)
    end = Point(start.x + _stub_length(lines), start.y)
    middle = Point((start.x + end.x) / 2, end.y)
    is_low = start.y > layout.area(state.index).center.y
    place = _under if is_low else _over
    labels = _labels(place(middle, lines, BAR_TO_LABEL))
    path = _rounded([start, end])
    return Line(f"exit-{state.index}", LineKind.EXIT, path, Bar(middle), labels, mark=end)


def _stub_length(lines: tuple[TextLine, ...]) -> float:
    return max(STUB, block_width(lines) + 2 * LABEL_MARGIN) - 8.0


# --- labels -------------------------------------------------------------------------------------


def _over(place: Point, lines: tuple[TextLine, ...], distance: float) -> Label | None:
    height = block_height(lines)
    return _label(Point(place.x, place.y - distance - height), lines)


def _under(place: Point, lines: tuple[TextLine, ...], distance: float) -> Label | None:
    return _label(Point(place.x, place.y + distance), lines)


def _centred(place: Point, lines: tuple[TextLine, ...]) -> Label | None:
    return _label(Point(place.x, place.y - block_height(lines) / 2), lines)


def _label(top: Point, lines: tuple[TextLine, ...]) -> Label | None:
    if not lines:
        return None
    width = block_width(lines)
    return Label(Rectangle(top.x - width / 2, top.y, width, block_height(lines)), lines)


def _labels(*found: Label | None) -> tuple[Label, ...]:
    return tuple(each for each in found if each is not None)


def _free_place(
    edge: Edge, curve: Sequence[Point], taken: Sequence[Rectangle]
) -> tuple[Point, float, Label | None]:
    """Return a point of a curve, its angle, and the label there, off everything if possible."""
    lines = edge_lines(edge)
    for share in (*CURVE_PLACES, CURVE_PLACES[0]):
        place, angle = _on_curve(curve, share)
        is_open = edge.negation is None
        label = _centred(place, lines) if is_open else _under(place, lines, BAR_TO_LABEL)
        if label is None or not any(label.area.overlaps(each) for each in taken):
            break
    return place, angle, label


# --- paths --------------------------------------------------------------------------------------


def _s_curve(start: Point, end: Point) -> tuple[Point, Point, Point, Point]:
    middle = (start.x + end.x) / 2
    return start, Point(middle, start.y), Point(middle, end.y), end


def _on_curve(curve: Sequence[Point], share: float) -> tuple[Point, float]:
    """Return the point of a Bézier curve and the angle at which a bar crosses it there."""
    rest = 1 - share
    weights = (rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3)
    x = sum(weight * each.x for weight, each in zip(weights, curve, strict=True))
    y = sum(weight * each.y for weight, each in zip(weights, curve, strict=True))
    slopes = (rest**2, 2 * rest * share, share**2)
    steps = [(b.x - a.x, b.y - a.y) for a, b in pairwise(curve)]
    dx = sum(weight * step[0] for weight, step in zip(slopes, steps, strict=True))
    dy = sum(weight * step[1] for weight, step in zip(slopes, steps, strict=True))
    return Point(x, y), math.degrees(math.atan2(dy, dx))


def _rounded(corners: Sequence[Point]) -> str:
    """Return a path along the corners, rounding all but the first and the last."""
    path = [f"M{_number(corners[0].x)} {_number(corners[0].y)}"]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        radius = min(ROUNDING, math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        enter, leave = _towards(corner, before, radius), _towards(corner, after, radius)
        path.append(f"L{_number(enter.x)} {_number(enter.y)}")
        path.append(
            f"Q{_number(corner.x)} {_number(corner.y)} {_number(leave.x)} {_number(leave.y)}"
        )
    path.append(f"L{_number(corners[-1].x)} {_number(corners[-1].y)}")
    return " ".join(path)


def _towards(start: Point, goal: Point, distance: float) -> Point:
    length = math.dist(start, goal)
    if length == 0:
        return start
    share = distance / length
    return Point(start.x + (goal.x - start.x) * share, start.y + (goal.y - start.y) * share)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
