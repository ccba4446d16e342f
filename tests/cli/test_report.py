"""`cepheid run -o report.html`: a page with queries, pictures and rows."""

from pathlib import Path

from tests.cli.command import EXAMPLES, cepheid
from tests.plot.pictures import Page

RIDES = (EXAMPLES / "rides.csv", "--type", "kind")
CANCELLED, SLOW = EXAMPLES / "cancelled_rides.cep", EXAMPLES / "slow_pickups.cep"


def test_the_suffix_asks_for_a_page(tmp_path):
    file = tmp_path / "report.html"
    assert cepheid("run", CANCELLED, *RIDES, "-o", file).code == 0
    page = Page(Path(file).read_text(encoding="utf-8"))
    assert page.addresses == []
    assert "144" in page.texts["td"]


def test_several_queries_have_one_page(tmp_path):
    file = tmp_path / "report.html"
    assert cepheid("run", CANCELLED, SLOW, *RIDES, "-o", file, "-q").code == 0
    assert Page(file.read_text(encoding="utf-8")).texts["h2"] == [CANCELLED.name, SLOW.name]


def test_a_page_can_be_printed():
    done = cepheid("run", CANCELLED, *RIDES, "--format", "html", "-q")
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert done.stdout.endswith("</html>\n")


def test_a_page_draws_values(tmp_path):
    file = tmp_path / "report.html"
    assert cepheid("run", CANCELLED, *RIDES, "-o", file, "--value", "price").code == 0
    assert 'class="values" data-line' in file.read_text(encoding="utf-8")
    done = cepheid("run", CANCELLED, *RIDES, "-o", file, "--value", "prize")
    assert "did you mean 'price'" in done.stderr
    assert "--value is for pages" in cepheid("run", CANCELLED, *RIDES, "--value", "price").stderr


def test_options_that_change_nothing_are_refused(tmp_path):
    file = tmp_path / "report.html"
    done = cepheid("run", CANCELLED, *RIDES, "-o", file, "--no-parallel-in-time")
    assert done.code != 0
    assert "--parallel-in-time changes nothing of a page" in done.stderr
    assert not file.exists()
