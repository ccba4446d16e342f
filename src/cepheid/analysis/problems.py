"""Mistakes found by analysis, reported all at once."""

from __future__ import annotations

from cepheid.errors import BindingError, Diagnostic, InternalError
from cepheid.language.source import Source, Span


class Problems:
    """Collects diagnostics; the same mistake at the same place is kept once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: dict[tuple[str, str, Span], Diagnostic] = {}

    def add(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Record a mistake and go on."""
        diagnostic = self.source.diagnose(code, message, span, hint)
        self.diagnostics.setdefault((code, message, span), diagnostic)

    def has(self, code: str) -> bool:
        """Whether a mistake of this kind is known."""
        return any(each == code for each, _, _ in self.diagnostics)

    def expect_any(self, span: Span) -> None:
        """Raise an InternalError if a part of the query was given up without a word."""
        if not self.diagnostics:
            text = self.source.text[span.start : span.end]
            raise InternalError(f"'{text}' was not understood, and nothing says why")

    def raise_if_any(self) -> None:
        """Raise a BindingError with everything found, in the order of the text."""
        if self.diagnostics:
            ordered = sorted(self.diagnostics.items(), key=lambda each: each[0][2].start)
            raise BindingError([diagnostic for _, diagnostic in ordered])
