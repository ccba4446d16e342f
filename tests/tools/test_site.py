"""The site is built without a warning, and fetches nothing from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import cepheid

if TYPE_CHECKING:
    from tests.services.chromium import Chromium

REPOSITORY = Path(__file__).parent.parent.parent
FETCHED = re.compile(r"""(?:src=["']?|url\(["']?|<link[^>]*href=["']?)https?://""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=REPOSITORY,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_links_that_leave_the_folder_lead_to_pages(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="tutorials/first-query.html"' in home
    assert 'href="ARCHITECTURE.html"' in home
    assert 'src="images/plot_readme.svg"' in home


def test_the_reference_has_every_public_name(site: Path) -> None:
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    public = [getattr(cepheid, each) for each in cepheid.__all__ if not each.startswith("__")]
    missing = [each for each in public if f'id="{each.__module__}.{each.__qualname__}"' not in page]
    assert missing == []


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    assert [each.name for each in pages if FETCHED.search(each.read_text(encoding="utf-8"))] == []


def test_pages_that_are_opened_as_files_can_be_searched(site: Path, chromium: "Chromium") -> None:
    """A browser fetches no JSON for a file, and starts no worker; scripts stand in for both."""
    page = chromium.dom(f"{(site / 'how-to' / 'funnels.html').as_uri()}?q=watermark")
    found = re.findall(r'href="([^"]*)" class="md-search-result__link"', page)
    assert any(each.startswith(f"{site.as_uri()}/how-to/streaming.html") for each in found)
