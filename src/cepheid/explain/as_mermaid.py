"""Explanation to a Mermaid flowchart, as GitHub and most wikis draw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cepheid.explain.document import Edge, Explanation, Side, State

# Mermaid reads these as markup even inside quotes; entities are written with # instead of &.
ENTITIES = {
    "#": "#35;",
    "&": "#amp;",
    "<": "#lt;",
    ">": "#gt;",
    '"': "#quot;",
    "`": "#96;",
    "\\": "#92;",
}
STYLES = (
    "classDef state fill:#eef2ff,stroke:#4f5d95,color:#1f2937",
    "classDef mark fill:#1f2937,stroke:#1f2937,color:#1f2937",
    "classDef exit fill:#eef2ff,stroke:#4f5d95,stroke-width:4px,color:#1f2937",
)


def as_mermaid(explanation: Explanation, captions: Sequence[str] = ()) -> str:
    """Return a flowchart: dashed edges are blocked by a negation, thick ones repeat.

    Sides have captions: what is given, or else their patterns.
    """
    lines = ["flowchart LR"]
    if len(explanation.sides) == 1 and not captions:
        lines += [f"  {line}" for line in _side(explanation.sides[0], "")]
    else:
        for number, side in enumerate(explanation.sides, start=1):
            caption = captions[number - 1] if captions else side.pattern
            lines.append(f'  subgraph side{number}["{_escape(caption)}"]')
            lines += [f"    {line}" for line in _side(side, f"p{number}_")]
            lines.append("  end")
    lines += [f"  {style}" for style in STYLES]
    return "\n".join(lines)


def _side(side: Side, prefix: str) -> Iterator[str]:
    yield f'{prefix}start((" ")):::mark'
    for state in side.states:
        yield _state(state, prefix)
    yield f'{prefix}finish(((" "))):::mark'
    for state in side.states:
        if state.is_entry:
            yield _arrow(f"{prefix}start", f"{prefix}s{state.index}", state.entry_negation)
    for edge in side.edges:
        yield _edge(edge, prefix)
    for state in side.states:
        if state.is_exit:
            yield _arrow(f"{prefix}s{state.index}", f"{prefix}finish", state.exit_negation)
    for number, negation in enumerate(side.negations):
        for branch, condition in enumerate(negation.conditions):
            text = _escape(f"¬ {negation.text} where {condition}")
            yield f'{prefix}note{number}_{branch}["{text}"]'


def _state(state: State, prefix: str) -> str:
    lines = [f"<b>{_escape(state.variable)}</b>"]
    if state.types != (state.variable,):
        lines.append(_escape(" | ".join(state.types)))
    lines += [f"<i>{_escape(each.text)}</i>" for each in state.predicates]
    kind = "exit" if state.is_exit else "state"
    return f'{prefix}s{state.index}("{"<br/>".join(lines)}"):::{kind}'


def _edge(edge: Edge, prefix: str) -> str:
    label = [] if edge.negation is None else [_escape(edge.negation)]
    label += [_escape(each.text) for each in edge.predicates]
    open_arrow = "==>" if edge.is_loop else "-->"
    arrow = open_arrow if edge.negation is None else "-.->"
    text = f'|"{"<br/>".join(label)}"|' if label else ""
    return f"{prefix}s{edge.source} {arrow}{text} {prefix}s{edge.target}"


def _arrow(source: str, target: str, negation: str | None) -> str:
    if negation is None:
        return f"{source} --> {target}"
    return f'{source} -.->|"{_escape(negation)}"| {target}'


def _escape(text: str) -> str:
    return "".join(ENTITIES.get(character, character) for character in text)
