"""Where in the query text a node stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cepheid.errors import Diagnostic, Location


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of character offsets in the query text."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        return Span(min(self.start, other.start), max(self.end, other.end))


NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a query and the name to show for it (a file name, or `query`)."""

    text: str
    name: str = "query"

    def locate(self, span: Span) -> Location:
        """Return line, column and the text of the line where `span` starts."""
        start = min(span.start, len(self.text))
        line_start = self.text.rfind("\n", 0, start) + 1
        line_end = self.text.find("\n", start)
        line_end = len(self.text) if line_end < 0 else line_end
        line = self.text.count("\n", 0, start) + 1
        length = max(1, min(span.end, line_end) - start)
        return Location(
            self.name, line, start - line_start + 1, length, self.text[line_start:line_end]
        )

    def narrow(self, span: Span, word: str, *, last: bool = False) -> Span:
        """Return where the word stands in the span (its `last` place on request), or the span.

        >>> Source("WHERE a.prise > 10").narrow(Span(6, 13), "prise")
        Span(start=8, end=13)
        """
        text = self.text[span.start : span.end]
        places = [each.start() for each in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)]
        if not places:
            return span
        start = span.start + places[-1 if last else 0]
        return Span(start, start + len(word))

    def diagnose(self, code: str, message: str, span: Span, hint: str | None = None) -> Diagnostic:
        """Return a diagnostic that points at `span`."""
        return Diagnostic(code, message, self.locate(span), hint)
