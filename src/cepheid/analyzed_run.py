"""What EXPLAIN ANALYZE of a query or a workload gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from cepheid.analysis.dependencies import Dependencies
from cepheid.errors import ConfigError, suggest
from cepheid.plan.physical import PhysicalPlan
from cepheid.plot.picture import Plot
from cepheid.program.sharing.run_report import RunReport
from cepheid.tables.table_types import Table

if TYPE_CHECKING:
    from cepheid.drawn_runs import Drawing
    from cepheid.explain.sharing_document import SharingExplanation


@dataclass(frozen=True, slots=True)
class AnalyzedRun(Generic[Table]):
    """The results of queries by name, and what they did: by themselves, and together."""

    results: dict[str, Table]
    report: RunReport
    plans: Mapping[str, PhysicalPlan]
    dependencies: Dependencies
    drawing: Drawing = field(repr=False, compare=False)

    def plot(
        self,
        *,
        title: str | None = None,
        begin: Any = None,
        end: Any = None,
        value: str | None = None,
    ) -> Plot:
        """Return pictures of the results; the arguments are those of `cepheid.plot`."""
        return self.drawing.plot(title=title, begin=begin, end=end, value=value)

    @property
    def result(self) -> Table:
        """The result of the only query."""
        (only,) = self.results.values()
        return only

    def explain(self, format: str = "text") -> str:
        """Return what ran, what was shared and what that saved: text, json or svg (bursts)."""
        if format == "svg":
            from cepheid.explain.timeline_svg import timeline_svg

            return timeline_svg(self.report)
        from cepheid.explain.analysis_text import analysis_json, analysis_text

        if format not in ("text", "json"):
            raise ConfigError(
                f"there is no format '{format}' of EXPLAIN ANALYZE",
                hint=suggest(format, ("text", "json", "svg"), owner="explain"),
            )
        show = analysis_text if format == "text" else analysis_json
        return show(self._sharing(), self.report)

    def _repr_html_(self) -> str:
        """Return the bursts and what was shared, for notebooks."""
        from cepheid.plot.show_query import show_sharing

        return show_sharing(self.svg(), self.text())

    def text(self) -> str:
        """Return a summary to read."""
        return self.explain("text")

    def json(self) -> str:
        """Return everything as JSON."""
        return self.explain("json")

    def svg(self) -> str:
        """Return a picture of the bursts over time."""
        return self.explain("svg")

    def _sharing(self) -> SharingExplanation:
        from cepheid.explain.explain_sharing import explain_sharing

        return explain_sharing(self.plans, self.dependencies)
