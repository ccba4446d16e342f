"""Pages of the site that are not in `docs`: those beside it, and the reference of the Python API.

MkDocs calls these functions; `mkdocs.yml` names this file. Links that leave `docs` point to the
pages that are added here. Links to other files of the repository become plain text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import cepheid

REPOSITORY = Path(__file__).parent.parent
BESIDE = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "examples/data/README.md": "cookbook/data.md",
}
API = "reference/api.md"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    for name, page in BESIDE.items():
        text = (REPOSITORY / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, API, content=api_page()))
    return files


def api_page() -> str:
    """Return the page of everything that `import cepheid` gives."""
    names = [each for each in cepheid.__all__ if not each.startswith("__")]
    given = [getattr(cepheid, each) for each in sorted(names, key=_errors_last)]
    # Some functions are called like the module they are in: their whole path is no module.
    entries = "\n\n".join(f"::: {each.__module__}.{each.__qualname__}" for each in given)
    return f"# Python API\n\nEverything that `import cepheid` gives.\n\n{entries}\n"


def _errors_last(name: str) -> tuple[bool, bool, str]:
    return name.endswith("Error"), name[0].isupper(), name


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mend the links that leave the folder; code is left as it is."""
    folder = posixpath.dirname(page.file.src_uri)
    is_beside = page.file.src_uri in BESIDE.values()
    known = {each.src_uri for each in files}

    def mended(link: re.Match[str]) -> str:
        picture, text, target = link.groups()
        path, mark, anchor = target.partition("#")
        if not path or "://" in path:
            return link[0]
        # A page beside `docs` is at its root on the site; elsewhere one step up leaves it.
        path = path.removeprefix("docs/") if is_beside else path
        whole = posixpath.normpath(posixpath.join(folder, path)).removeprefix("../")
        whole = BESIDE.get(whole, whole)
        if whole not in known:
            return text
        return f"{picture}[{text}]({posixpath.relpath(whole, folder or '.')}{mark}{anchor})"

    parts = FENCE.split(markdown)
    return "".join(
        each if index % 2 else LINK.sub(mended, each) for index, each in enumerate(parts)
    )
