"""docs/reference/functions.md is made of the list of functions; `make golden` rewrites it."""

import os
from pathlib import Path

from cepheid.analysis.functions import ALL

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "functions.md"
FIRST, LAST = "## Strings\n", "## Where engines differ\n"


def tables() -> str:
    groups = dict.fromkeys(each.group for each in ALL)
    lines: list[str] = []
    for group in groups:
        lines += [f"## {group}", "", "| function | gives | example |", "|---|---|---|"]
        for each in (one for one in ALL if one.group == group):
            examples = "<br>".join(f"`{one}` is `{other}`" for one, other in each.examples)
            names = ", ".join(f"`{name}`" for name in each.other_names)
            others = f", also {names}" if names else ""
            row = f"| `{each.signature}`{others} | {each.meaning} | {examples} |"
            lines.append(row.replace("||", "\\|\\|"))
        lines.append("")
    return "\n".join([*lines, ""])


def test_the_page_has_the_tables_of_the_list() -> None:
    text = PAGE.read_text("utf-8")
    beginning, end = text.index(FIRST), text.index(LAST)
    if os.environ.get("CEPHEID_UPDATE_GOLDEN"):
        PAGE.write_text(text[:beginning] + tables() + text[end:], "utf-8")
        return
    assert text[beginning:end] == tables(), "make golden writes the tables"
