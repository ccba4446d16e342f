"""What `cepheid.plot` gives: pictures and tables that can be shown, saved and put into pages."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from cepheid.errors import ConfigError
from cepheid.plot.section import Section

FORMATS = (".html", ".svg")


class Plot:
    """Pictures of the results of one query or several; a notebook shows them by themselves."""

    def __init__(self, title: str, sections: Sequence[Section], sharing: str | None = None) -> None:
        self.title = title
        self.sections = tuple(sections)
        self.sharing = sharing

    def __repr__(self) -> str:
        words = " ".join(each.summary for section in self.sections for each in section.bodies)
        return f"Plot({words or self.title})"

    def svg(self) -> str:
        """Return the pictures as one SVG document, without the rest of the page."""
        from cepheid.plot.body import stacked
        from cepheid.plot.style import picture_style

        bodies = [body for section in self.sections for body in section.bodies]
        return stacked(bodies, picture_style(), title=self.title)

    def html(self) -> str:
        """Return a page: query, automaton, plan with reasons, pictures and rows of the result.

        It needs nothing from outside.
        """
        from cepheid.plot.page import page

        return page(self.title, self.sections, self.sharing)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file NAME.html, or the pictures to NAME.svg."""
        target = Path(path)
        if target.suffix not in FORMATS:
            raise ConfigError(
                f"a picture cannot be written to '{target}'",
                hint=f"end the name with {' or '.join(FORMATS)}",
            )
        target.write_text(self.html() if target.suffix == ".html" else self.svg(), "utf-8")
        return target

    def _repr_html_(self) -> str:
        from cepheid.plot.page import fragment

        return fragment(self.sections)
