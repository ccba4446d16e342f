"""The pictures of the documentation are those that the code draws."""

import re

import pytest

from tools.draw_pictures import DRAWN, IMAGES, REPOSITORY
from tools.open_jupyterlab import find_jupyterlab


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_up_to_date(name):
    assert (IMAGES / name).read_text(encoding="utf-8") == DRAWN[name](), "run `make pictures`"


def test_the_documentation_says_how_each_picture_was_made():
    page = (REPOSITORY / "docs" / "reference" / "pictures.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+\.(?:svg|png))`", page))
    assert named - {"bursts.svg"} == {each.name for each in IMAGES.iterdir()}


def test_jupyterlab_is_the_one_that_is_named_or_on_the_path(tmp_path, monkeypatch):
    program, named = tmp_path / "jupyter-lab", tmp_path / "another"
    for each in (program, named):
        each.write_text("#!/bin/sh\n")
        each.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CEPHEID_JUPYTERLAB", str(named))
    assert find_jupyterlab() == str(named)
    named.unlink()
    assert find_jupyterlab() == str(program)
    program.unlink()
    assert find_jupyterlab() is None
