"""The pictures of the documentation are those that the code draws."""

import re

import pytest

from tools.draw_pictures import DRAWN, IMAGES, REPOSITORY


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_up_to_date(name):
    assert (IMAGES / name).read_text(encoding="utf-8") == DRAWN[name](), "run `make pictures`"


def test_the_documentation_says_how_each_picture_was_made():
    page = (REPOSITORY / "docs" / "reference" / "pictures.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+\.(?:svg|png))`", page))
    assert named - {"bursts.svg"} == {each.name for each in IMAGES.iterdir()}
