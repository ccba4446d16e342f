"""The ```py blocks of the documentation: code whose tables and folders are the reader's.

They run in tests/spark/test_shown_streams.py, with stand-ins. `NOT_RUN` has the others, with the
reason; tests/test_shown_code.py looks at their names and keywords.
"""

import re
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parent.parent
FENCE = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Shown(NamedTuple):
    """The block with this number, from 1, on a page of docs; docs/how-to goes without saying."""

    page: str
    number: int


def shown_blocks() -> dict[Shown, str]:
    """Return the code of all blocks."""
    docs = REPOSITORY / "docs"
    found = {}
    for page in sorted(docs.rglob("*.md")):
        for number, code in enumerate(FENCE.findall(page.read_text(encoding="utf-8")), start=1):
            name = page.relative_to(docs).with_suffix("").as_posix()
            found[Shown(name.removeprefix("how-to/"), number)] = code
    return found


DELTA = "the jar of Delta Lake is made for Spark 4.1; tests/lakehouse/test_delta.py does the same"
ICEBERG = "the jar of Iceberg is made for Spark 4.1; tests/lakehouse/test_iceberg.py does the same"
NOT_RUN = {
    Shown("delta-lake", 1): DELTA,
    Shown("delta-lake", 2): DELTA,
    Shown("iceberg", 1): ICEBERG,
    Shown("iceberg", 2): ICEBERG,
    Shown("declarative-pipelines", 1): (
        "Spark calls such a file from a pipeline; tests/spark/test_declarative_pipeline.py has one"
    ),
    Shown("tutorials/notebook-to-spark", 1): (
        "a file that spark-submit runs; tests/spark/test_shown_job.py does that"
    ),
    Shown("run-on-a-cluster", 1): (
        "a server elsewhere and a packed environment; tests/spark/test_connect.py uses a local one"
    ),
}
