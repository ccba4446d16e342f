"""Queries, plans and sets of queries as a notebook shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from cepheid.explain.document import Explanation
from cepheid.plot.page import automaton, piece, plan_table, query_block, still, unfolded

MOST_QUERIES = 50


def show_query(text: str, explanation: Explanation | None) -> str:
    """Return a query in colours with its automaton, if there is one."""
    drawn = "" if explanation is None else automaton(explanation, is_still=True)
    return unfolded(query_block(text) + drawn)


def show_plan(explanation: Explanation) -> str:
    """Return a query with its automaton and what the planner chose."""
    warnings = "".join(f'<p class="warning">{escape(each)}</p>' for each in explanation.warnings)
    unsupported = "".join(
        f'<p class="warning">cannot run yet: {escape(each.message)}</p>'
        for each in explanation.unsupported
    )
    return unfolded(
        query_block(explanation.query)
        + warnings
        + unsupported
        + automaton(explanation, is_still=True)
        + plan_table(explanation)
    )


def show_workload(texts: Mapping[str, str], reads: Mapping[str, Sequence[str]], plan: str) -> str:
    """Return the queries in a table, with whom they read, and their plan folded away."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{query_block(text)}</td>'
        f"<td>{escape(', '.join(reads.get(name, ())))}</td></tr>"
        for name, text in list(texts.items())[:MOST_QUERIES]
    )
    left = len(texts) - MOST_QUERIES
    more = f'<p class="note">{left:,} more queries are not shown.</p>' if left > 0 else ""
    head = '<th scope="col">name</th><th scope="col">query</th><th scope="col">reads</th>'
    return piece(
        f'<div class="plan"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f"</div>{more}{folded('Plan', plan)}"
    )


def show_sharing(picture: str, text: str) -> str:
    """Return the bursts of a workload, and what was shared in words."""
    shown = still(picture, "Bursts of a workload")
    return unfolded(f'<figure class="drawing">{shown}</figure>{folded("In words", text)}')


def folded(title: str, text: str) -> str:
    """Return a text that is shown when it is asked for."""
    return (
        f"<details><summary>{escape(title)}</summary>"
        f'<pre class="query">{escape(text)}</pre></details>'
    )
