"""What EXPLAIN gives: a text that a notebook shows as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cepheid.explain.document import Explanation


class Explained(str):
    """The text itself, everywhere; a notebook shows the plan and the automaton."""

    __slots__ = ("_explanation", "_format")
    _explanation: Explanation
    _format: str

    def __new__(cls, text: str, format: str, explanation: Explanation) -> Explained:
        """Return the text, which knows what it was made of."""
        made = super().__new__(cls, text)
        made._format = format
        made._explanation = explanation
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what Jupyter may choose from; `json` stays the text that it is."""
        bundle = {"text/plain": str(self)}
        if self._format == "text":
            from cepheid.plot.show_query import show_plan

            bundle["text/html"] = show_plan(self._explanation)
        elif self._format == "svg":
            bundle["image/svg+xml"] = str(self)
        elif self._format == "mermaid":
            bundle["text/vnd.mermaid"] = str(self)
        return bundle
