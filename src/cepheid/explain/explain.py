"""The one function that the API, the command line and the web page call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from cepheid.errors import ConfigError, suggest
from cepheid.explain.as_json import as_json
from cepheid.explain.as_mermaid import as_mermaid
from cepheid.explain.as_svg import as_svg
from cepheid.explain.as_text import as_text
from cepheid.explain.document import Explanation
from cepheid.explain.explain_plan import explain_plan
from cepheid.plan.physical import PhysicalPlan
from cepheid.program.run_record import GroupRecord, StepRecord

Format = Literal["text", "json", "mermaid", "svg"]

FORMATS: dict[str, Callable[[Explanation], str]] = {
    "text": as_text,
    "json": as_json,
    "mermaid": as_mermaid,
    "svg": as_svg,
}


def explain(
    plan: PhysicalPlan,
    folds: Sequence[GroupRecord] = (),
    steps: Sequence[StepRecord] = (),
    *,
    format: Format | str = "text",
) -> str:
    """Return a plan as text, JSON, a Mermaid flowchart or an SVG picture.

    `folds` are those that the engine has for it, `steps` what the steps of a stream look at.

    >>> from cepheid.analysis.analyze import analyze
    >>> from cepheid.language.parser import parse
    >>> from cepheid.language.source import Source
    >>> from cepheid.plan.planner import make_plan
    >>> text = "PATTERN SEQ(A a, B b)"
    >>> print(explain(make_plan(analyze(parse(text), Source(text))), format="mermaid"))
    flowchart LR
      start((" ")):::mark
      s0("<b>a</b><br/>A"):::state
      s1("<b>b</b><br/>B"):::exit
      finish(((" "))):::mark
      start --> s0
      s0 --> s1
      s1 --> finish
    ...
    """
    render = FORMATS.get(format)
    if render is None:
        raise ConfigError(
            f"there is no format '{format}' of EXPLAIN",
            hint=suggest(format, FORMATS, owner="explain"),
        )
    return render(explain_plan(plan, folds, steps))
