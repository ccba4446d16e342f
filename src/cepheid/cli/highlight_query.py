"""A query in colours."""

from __future__ import annotations

import re

from rich.text import Text

KEYWORDS = (
    "PATTERN|EVENT|SEQ|SEMANTICS|WHERE|WITHIN|BETWEEN|SLIDE|GROUP|BY|RETURN|AGG|HAVING|OUTPUT|INTO"
    "|AND|OR|NOT|ANY|AS|NEXT|EXACT|TRUE|FALSE|NULL"
)
STYLES = (  # the later ones win
    (r"\b[A-Z]\w*(?=[\s+*?,){]|$)", "yellow"),
    (r"(?<![\w.])\d+(\.\d+)?", "magenta"),
    (rf"(?i)\b({KEYWORDS})\b", "bold cyan"),
    (r"\b(skip-till-(any|next)-match|contiguous|strict_contiguity)\b", "not bold cyan"),
    (r"(?i)\b(COUNT|LOG2|SUM|AVG|MIN|MAX)(?=\()", "bold blue"),
    (r":[^\W\d]\w*", "bold magenta"),
    (r"'[^'\n]*'|\"[^\"\n]*\"", "green"),
)
COMMENT = re.compile(r"--.*")


def highlight_query(text: str) -> Text:
    """Return the query with styles; comments are dim and nothing else."""
    lines = [_highlight_line(line) for line in text.rstrip("\n").split("\n")]
    return Text("\n").join(lines)


def _highlight_line(line: str) -> Text:
    comment = COMMENT.search(line)
    code = Text(line if comment is None else line[: comment.start()])
    for pattern, style in STYLES:
        code.highlight_regex(pattern, style)
    return code if comment is None else code.append(comment.group(), "dim")
