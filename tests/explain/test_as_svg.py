from collections import Counter
from itertools import combinations
from xml.etree import ElementTree

import pytest

from cepheid.explain.as_svg import as_svg
from cepheid.explain.draw_lines import draw
from cepheid.explain.drawing import Rectangle
from tests.explain.plans import QUERIES, explanation_of

SVG = "{http://www.w3.org/2000/svg}"


def picture(query):
    return ElementTree.fromstring(as_svg(explanation_of(query)))


def words(element):
    return " ".join(each.text or "" for each in element.iter(f"{SVG}text"))


def without_breaks(text):
    return "".join(text.split())


@pytest.mark.parametrize("name", QUERIES)
class TestEveryPicture:
    def test_shows_every_state(self, name):
        explanation, root = explanation_of(QUERIES[name]), picture(QUERIES[name])
        groups = root.iter(f"{SVG}g")
        shown = [without_breaks(words(each)) for each in groups if "data-state" in each.attrib]
        states = [state for side in explanation.sides for state in side.states]
        assert len(shown) == len(states)
        for text, state in zip(shown, states, strict=True):
            parts = [state.variable, *state.types, *(each.text for each in state.predicates)]
            assert all(without_breaks(each) in text for each in parts)

    def test_shows_every_edge_entry_and_negation(self, name):
        explanation, root = explanation_of(QUERIES[name]), picture(QUERIES[name])
        lines = [each for each in root.iter(f"{SVG}g") if "data-line" in each.attrib]
        expected = Counter[str]()
        blocked = Counter[str]()
        for side in explanation.sides:
            for edge in side.edges:
                expected[f"{edge.source}-{edge.target}"] += 1
                blocked[f"{edge.source}-{edge.target}"] += edge.negation is not None
            for state in side.states:
                expected[f"entry-{state.index}"] += state.is_entry
                expected[f"exit-{state.index}"] += state.exit_negation is not None
                blocked[f"entry-{state.index}"] += state.entry_negation is not None
                blocked[f"exit-{state.index}"] += state.exit_negation is not None
        bars = [each for each in lines if each.find(f"{SVG}line[@class='bar']") is not None]
        assert Counter(each.attrib["data-line"] for each in lines) == +expected
        assert Counter(each.attrib["data-line"] for each in bars) == +blocked

    def test_shows_every_label(self, name):
        explanation, root = explanation_of(QUERIES[name]), picture(QUERIES[name])
        groups = [each for each in root.iter(f"{SVG}g") if "data-label" in each.attrib]
        shown = [without_breaks(words(each)) for each in groups]
        for side in explanation.sides:
            for edge in side.edges:
                texts = [each.text for each in edge.predicates]
                texts += [] if edge.negation is None else [edge.negation]
                for text in texts:
                    assert any(without_breaks(text) in each for each in shown)

    def test_keeps_everything_apart(self, name):
        for side in explanation_of(QUERIES[name]).sides:
            drawing = draw(side)
            areas = [each.area for each in drawing.boxes]
            areas += [label.area for line in drawing.lines for label in line.labels]
            assert not [pair for pair in combinations(areas, 2) if pair[0].overlaps(pair[1])]

    def test_keeps_everything_inside(self, name):
        for side in explanation_of(QUERIES[name]).sides:
            drawing = draw(side)
            areas = [each.area for each in drawing.boxes]
            areas += [label.area for line in drawing.lines for label in line.labels]
            assert min(each.x for each in areas) >= -0.01
            assert min(each.y for each in areas) >= -0.01
            assert max(each.right for each in areas) <= drawing.width + 0.01
            assert max(each.bottom for each in areas) <= drawing.height + 0.01


class TestDetails:
    def test_texts_are_escaped(self):
        root = picture(QUERIES["signs"])
        assert """b.n='<&">'""" in without_breaks(words(root))
        assert "&lt;&amp;&quot;&gt;" in as_svg(explanation_of(QUERIES["signs"]))

    def test_control_characters_do_not_break_the_xml(self):
        assert "a.x = '\ufffd'" in words(picture("PATTERN A a WHERE a.x = '\x01'"))

    def test_title_names_pattern_strategy_window_and_partition(self):
        root = picture(QUERIES["cogra_q2"])
        title = [each.text for each in root.iter(f"{SVG}text") if each.get("class") == "title"]
        facts = [each.text for each in root.iter(f"{SVG}text") if each.get("class") == "facts"]
        assert title == ["SEQ(Pickup P, Trip T+, Dropoff D)"]
        assert " ".join(facts).split("  ·  ") == [
            "skip-till-next-match",
            "WITHIN 30 minutes SLIDE 1 minute",
            "partition by driver, rider, district",
        ]

    def test_exits_have_two_rings(self):
        root = picture("PATTERN SEQ(A, B?)")
        rings = root.findall(f".//{SVG}g[@data-state]/{SVG}rect[@class='ring']")
        assert len(rings) == 2

    def test_width_grows_with_the_pattern(self):
        widths = [
            float(picture(f"PATTERN SEQ({', '.join('A' * n)})").attrib["width"])
            for n in (5, 10, 20)
        ]
        assert widths[0] < widths[1] < widths[2]

    def test_a_tall_neighbour_pushes_no_box_into_another(self):
        query = "PATTERN SEQ(A a OR B b, C c) WHERE " + " AND ".join(
            f"{name}.x{n} > {n}" for name in "ab" for n in range(12)
        )
        first, second, _ = draw(explanation_of(query).sides[0]).boxes
        assert not first.area.overlaps(second.area)

    def test_rectangles_that_only_touch_do_not_overlap(self):
        assert not Rectangle(0, 0, 2, 2).overlaps(Rectangle(2, 0, 2, 2))
        assert Rectangle(0, 0, 2, 2).overlaps(Rectangle(1, 1, 2, 2))
