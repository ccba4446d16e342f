"""A query in colours, as HTML: the one place that knows how."""

from __future__ import annotations

import re
from html import escape

TOKENS = {
    "comment": r"--[^\n]*|/\*.*?\*/",
    "text": r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"",
    "name": r"`[^`]*`",
    "parameter": r":[^\W\d]\w*",
    "strategy": r"(?i:\b(?:skip[-_]till[-_](?:any|next)[-_]match|contiguous|partition[-_]contiguity"
    r"|strict[-_]contiguity)\b)",
    "keyword": r"(?i:(?<![.\w])(?:PATTERN|EVENT|SEQ|SEMANTICS|WHERE|WITHIN|BETWEEN|SLIDE|GROUP|BY"
    r"|RETURN|AGG|HAVING|OUTPUT|INTO|AND|OR|NOT|ANY|AS|NEXT|EXACT|TRUE|FALSE|NULL|ALL|NON"
    r"|OVERLAPPING|COMPRESSED|PARTIAL)\b)",
    "function": r"(?i:\b(?:COUNT|LOG2|SUM|AVG|MIN|MAX)(?=\s*\())",
    "number": r"(?<![\w.])\d+(?:\.\d+)?%?",
    "type": r"(?<![.\w])[A-Z][\w-]*",
    "plain": r"\w+|\s+|.",
}
TOKEN = re.compile("|".join(f"(?P<{name}>{each})" for name, each in TOKENS.items()), re.DOTALL)


def colour_query(text: str) -> str:
    """Return the text with a span for every word that has a colour.

    >>> colour_query("PATTERN A a")
    '<span class="q-keyword">PATTERN</span> <span class="q-type">A</span> a'
    """
    return "".join(
        escape(found[0])
        if found.lastgroup in ("plain", "name")
        else f'<span class="q-{found.lastgroup}">{escape(found[0])}</span>'
        for found in TOKEN.finditer(text)
    )
