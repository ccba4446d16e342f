"""Colours stay apart for everybody, and from their paper."""

from itertools import combinations

import numpy as np
import pytest

from cepheid.plot.palette import DARK, DARK_KINDS, LIGHT, LIGHT_KINDS

# Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision
# Deficiency (2009), severity 1.0, on linear RGB.
SIGHTS = {
    "usual": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                            [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.95047, 1.0, 1.08883])
EASILY_APART = 15.0  # in CIELAB; a just noticeable difference is about 2


def linear(colour: str):
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light):
    xyz = TO_XYZ @ np.clip(light, 0, 1) / WHITE
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one: str, other: str) -> float:
    dark, bright = sorted(float(TO_XYZ[1] @ linear(each)) for each in (one, other))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("kinds", [LIGHT_KINDS, DARK_KINDS], ids=["light", "dark"])
def test_every_two_kinds_are_told_apart(kinds, sight):
    seen = [lab(SIGHTS[sight] @ linear(each)) for each in kinds]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > EASILY_APART


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_bars_stand_out_from_their_lane(colours):
    assert min(contrast(colours["bar"], colours[each]) for each in ("paper", "lane")) >= 3.0


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_and_texts_stand_out(colours):
    for paper in (colours["paper"], colours["lane"]):
        named = ("other", "no", "accent", "bar")
        marks = {name: contrast(each, paper) for name, each in colours.items()
                 if name.startswith("kind") or name in named}  # fmt: skip
        assert {name: ratio for name, ratio in marks.items() if ratio < 2.9} == {}
        texts = {name: contrast(colours[name], paper)
                 for name in ("ink", "muted", "no", "accent", "text", "number")}  # fmt: skip
        assert {name: ratio for name, ratio in texts.items() if ratio < 4.5} == {}
