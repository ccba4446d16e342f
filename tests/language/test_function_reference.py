"""docs/reference/functions.md is made of the list of functions; `make golden` rewrites it."""

import os
from pathlib import Path

from cepheid.analysis.functions import ALL

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "functions.md"
BEGINNING = """# Functions

Every function reads one event, and is computed for all events before the pattern is matched. NULL gives NULL unless the table says
otherwise; so does a literal NULL. What has no value, such as the root of a negative number, is NULL. Arguments that tell *how*, such
as patterns, places and units, are literals or parameters. Names are written in any case. Every example is run by the tests, in process
and on Spark; `a.tags` is the array `['new', 'red']`. [Tests](language.md#tests), [CASE and CAST](language.md#functions-case-and-cast)
and [lengths of time](language.md#times) are in the language reference.
"""
END = """
## Where engines differ

In process Arrow computes them, on Spark Catalyst; the answers are the same, and these are the meanings chosen where engines differ:

- `lower`, `upper` and `ILIKE` use the full case mapping of Unicode: `upper('straße')` is `'STRASSE'`.
- `RLIKE` and `regexp_extract` take regular expressions of RE2 on Spark, too, where Python computes them. They do not look ahead or
  behind and have no references back.
- `round` takes halves away from zero, after the number has been scaled as a double: `round(2.675, 2)` is 2.68.
- NaN is larger than every number for `least` and `greatest`; in comparisons it satisfies `!=` alone.
- `sqrt`, `ln`, `log10`, division and remainder are NULL where they have no value. The last digit of `ln`, `log10`, `exp` and `power`
  may differ between machines.
- `CAST` of a float to a whole number cuts off; a value that cannot be cast is NULL; a whole number beyond 64 bits is NULL.
- Parts of a time with a zone are those that clocks in the zone of the column show, on Spark in the zone of the session.
- `least` and `greatest` leave NULL out.
"""


def page() -> str:
    groups = dict.fromkeys(each.group for each in ALL)
    lines = [BEGINNING]
    for group in groups:
        lines += [f"## {group}", "", "| function | gives | example |", "|---|---|---|"]
        for each in (one for one in ALL if one.group == group):
            examples = "<br>".join(f"`{one}` is `{other}`" for one, other in each.examples)
            names = ", ".join(f"`{name}`" for name in each.other_names)
            others = f", also {names}" if names else ""
            row = f"| `{each.signature}`{others} | {each.meaning} | {examples} |"
            lines.append(row.replace("||", "\\|\\|"))
        lines.append("")
    return "\n".join(lines).rstrip() + "\n" + END


def test_the_page_is_that_of_the_list() -> None:
    if os.environ.get("CEPHEID_UPDATE_GOLDEN"):
        PAGE.write_text(page(), "utf-8")
    assert PAGE.read_text("utf-8") == page(), "make golden writes the page"
