"""The Python in the documentation runs and prints what the documentation says.

The ```python blocks of a page run in order and share their names. What a block prints must equal
the ```text block that comes next, if one comes before the next block of Python, and else nothing.
"""

import contextlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import cepheid

REPOSITORY = Path(__file__).parent.parent
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Block:
    code: str
    output: str
    line: int

    @property
    def needs_spark(self) -> bool:
        return re.search(r"\b(spark|running)\b", self.code) is not None  # `running` is a stream

    @property
    def needs_kafka(self) -> bool:
        return "KAFKA_SERVERS" in self.code


def blocks_of(text: str) -> list[Block]:
    fences = list(FENCE.finditer(text))
    found = []
    for index, fence in enumerate(fences):
        if fence[1] == "python":
            after = fences[index + 1] if index + 1 < len(fences) else None
            output = after[2] if after is not None and after[1] == "text" else ""
            found.append(Block(fence[2], output, text.count("\n", 0, fence.start()) + 2))
    return found


def pages() -> list[Path]:
    docs = REPOSITORY / "docs"
    folders = [docs / each for each in ("tutorials", "how-to", "cookbook", "concepts", "reference")]
    found = [REPOSITORY / "README.md", REPOSITORY / "ARCHITECTURE.md"]
    return found + sorted(page for folder in folders for page in folder.glob("*.md"))


BLOCKS = {
    page.relative_to(REPOSITORY).as_posix(): blocks_of(page.read_text(encoding="utf-8"))
    for page in pages()
}


def run(page: str, blocks: list[Block]) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks:
        printed = io.StringIO()
        # Line numbers of errors are those of the page.
        code = compile("\n" * (block.line - 1) + block.code, REPOSITORY / page, "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert stripped(printed.getvalue()) == stripped(block.output), f"{page}:{block.line}"


def stripped(text: str) -> list[str]:
    """The lines without blanks at their ends, and without blank lines at the end."""
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n").splitlines()


ON_KAFKA = [page for page, blocks in BLOCKS.items() if any(each.needs_kafka for each in blocks)]


@pytest.mark.parametrize(
    "page", [page for page, blocks in BLOCKS.items() if blocks and page not in ON_KAFKA]
)
def test_python_runs_as_printed(page):
    run(page, [block for block in BLOCKS[page] if not block.needs_spark])


@pytest.fixture
def spark_is_stopped() -> Iterator[None]:
    """Stop a Spark session that a page started, but none that was there before."""
    from pyspark.sql import SparkSession

    before = SparkSession.getActiveSession()
    yield
    now = SparkSession.getActiveSession()
    if before is None and now is not None:
        now.stop()


def run_on_spark(page: str) -> None:
    """Run a page, and again while the machine is too busy for its streams: it has folders anew."""
    from pyspark.errors import StreamingQueryException
    from pyspark.sql import SparkSession

    from tests.spark.stream.streams import ATTEMPTS

    for attempt in range(ATTEMPTS):
        try:
            run(page, BLOCKS[page])
            break
        except StreamingQueryException as error:
            if "failed to connect back" not in str(error) or attempt == ATTEMPTS - 1:
                raise
        finally:
            session = SparkSession.getActiveSession()
            for each in session.streams.active if session is not None else ():
                each.stop()


@pytest.mark.spark
@pytest.mark.usefixtures("spark_is_stopped")
@pytest.mark.parametrize(
    "page",
    [
        page
        for page, blocks in BLOCKS.items()
        if any(block.needs_spark for block in blocks) and page not in ON_KAFKA
    ],
)
def test_spark_runs_as_printed(page):
    run_on_spark(page)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.usefixtures("kafka_connector")
@pytest.mark.parametrize("page", ON_KAFKA)
def test_kafka_runs_as_printed(page, kafka, monkeypatch):
    from tests.spark.session import spark_session

    # The page's session is the one that runs: its connector need not be fetched.
    spark_session()
    kafka.create_topic("logins")
    monkeypatch.setenv("KAFKA_SERVERS", kafka.servers)
    run(page, BLOCKS[page])


def test_the_readme_shows_a_query_events_and_output_early():
    first = BLOCKS["README.md"][0]
    assert first.line + len(first.code.splitlines()) + len(first.output.splitlines()) + 4 <= 40


@pytest.mark.parametrize(
    "page",
    sorted(
        page.relative_to(REPOSITORY).as_posix()
        for page in (
            *REPOSITORY.glob("*.md"),
            *(REPOSITORY / "docs").rglob("*.md"),
            *(REPOSITORY / "examples").rglob("*.md"),
        )
    ),
)
def test_links_lead_somewhere(page):
    path = REPOSITORY / page
    prose = FENCE.sub("", path.read_text(encoding="utf-8"))
    targets = [urlsplit(each) for each in LINK.findall(prose)]
    local = [each.path for each in targets if not each.scheme and each.path]
    assert [each for each in local if not (path.parent / each).exists()] == []


@pytest.mark.parametrize(
    ("clauses", "is_refused"),
    [
        ("PATTERN SEQ((A a OR ANY(B, C) b)+, D{1,3} d)", False),
        ("PATTERN A{65}", True),
        ("PATTERN SEQ(A a, !B, C c)", False),
        ("PATTERN SEQ(A a, !B, C c) RETURN COUNT(*)", False),
        ("PATTERN SEQ(A a, !SEQ(B, !D, B), C c)", False),
        ("PATTERN A a AND B b", False),
        ("PATTERN A a AND B b RETURN COUNT(*)", False),
        ("PATTERN SEQ(A a, B b) WHERE [id] AND a.x > 1", False),
        ("PATTERN SEQ(A a, B b) WHERE a.x < b.x", False),
        ("PATTERN SEQ(A a, B b) WHERE a.x < b.x RETURN COUNT(*)", False),
        ("PATTERN SEQ(A+ a, B b) WHERE a.x < b.x", False),
        ("PATTERN A+ a WHERE a[i].x > avg(a[..i-1].x)", False),
        ("PATTERN SEQ(A a, B b) WITHIN 3 BETWEEN a, b", False),
        ("PATTERN SEQ(A a, B+ b) WITHIN 3 BETWEEN a, b", False),
        ("PATTERN (SEQ(A a, B b))+ WITHIN 3 BETWEEN a, b", False),
        ("PATTERN SEQ(A a, B b) WITHIN 3 BETWEEN a, b RETURN COUNT(*)", False),
        (
            "PATTERN A+ a WITHIN 3 SLIDE 2 GROUP BY id RETURN COUNT(*), LOG2(COUNT(*)) AS bits",
            False,
        ),
        ("PATTERN A+ a RETURN COUNT(a)", False),
        ("PATTERN A+ a RETURN SUM(a.x)", False),
        ("PATTERN A+ a RETURN EXACT COUNT(*)", False),
        ("PATTERN A+ a RETURN COUNT(*) HAVING COUNT(*) > 1", False),
        ("PATTERN A+ a OUTPUT NON OVERLAPPING", False),
        ("PATTERN A+ a OUTPUT COMPRESSED", False),
        ("PATTERN A+ a WITHIN 3 OUTPUT PARTIAL", False),
        ("PATTERN A+ a INTO B", False),
        ("PATTERN A a AND B b OUTPUT COMPRESSED", True),
        ("PATTERN A+ a RETURN SUM(a[].x)", False),
    ],
)
def test_the_table_of_what_works_is_true(clauses, is_refused):
    """If this fails because more works now, change the table in README.md and then this list."""
    plan = cepheid.query(clauses).plan()
    assert bool(plan.unsupported) is is_refused


class TestBlocks:
    def test_output_belongs_to_the_block_before_it(self):
        text = "```python\nprint(1)\n```\nprose\n```text\n1\n```\n```python\nx = 2\n```\n"
        assert [(each.code, each.output, each.line) for each in blocks_of(text)] == [
            ("print(1)\n", "1\n", 2),
            ("x = 2\n", "", 9),
        ]

    def test_a_wrong_output_is_noticed(self):
        with pytest.raises(AssertionError, match=r"README\.md:7"):
            run("README.md", [Block("print(1)\n", "2\n", 7)])

    def test_a_print_without_output_is_noticed(self):
        with pytest.raises(AssertionError):
            run("README.md", [Block("print(1)\n", "", 1)])
