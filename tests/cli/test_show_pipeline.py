"""The live lines of a pipeline, as a terminal shows them."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import pyarrow as pa
import pytest

from cepheid.cli.show_pipeline import PipelineProgress
from cepheid.metrics.stream_metrics import StreamMetrics
from cepheid.pipeline.model import ConsoleSink

CONTROL = re.compile(r"\x1b\[(\?25[hl]|[0-9;]*m|1A|2K)")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def screen(written: str) -> list[str]:
    """Return the lines that are to be seen."""
    lines, row, at = [""], 0, 0
    while at < len(written):
        if found := CONTROL.match(written, at):
            at = found.end()
            row -= found[1] == "1A"
            if found[1] == "2K":
                lines[row] = ""
            continue
        character = written[at]
        at += 1
        if character == "\n":
            row += 1
            if row == len(lines):
                lines.append("")
        elif character != "\r":
            assert character != "\x1b", written[at - 1 : at + 9]
            lines[row] += character
    return [line.rstrip() for line in lines]


@contextmanager
def terminal(width: int) -> Iterator[Terminal]:
    """Not a fixture: pytest sets the standard streams back between the phases of a test."""
    file = Terminal()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(file), redirect_stderr(file):
        patch.setenv("TERM", "xterm")
        patch.setenv("COLUMNS", str(width))
        yield file


def metrics(stream: str, batch: int) -> StreamMetrics:
    return StreamMetrics(
        stream, batch, rows=20_000, seconds=2.0, watermark=1_704_102_845.0, at=1_794_102_845.0
    )


def test_results_stay_where_they_were_printed() -> None:
    rows = pa.table({"district": [1, 2, 3]})
    with terminal(110) as file, PipelineProgress(quiet=False) as progress:
        progress.started(["cancelled", "crawling"], None)
        for batch in range(3):
            progress.progressed(metrics("cancelled", batch))
            progress.progressed(metrics("crawling", batch))
            progress.rows("crawling", rows, 5, ConsoleSink(limit=3))
        shown = screen(file.getvalue())
        assert all(len(line) <= 110 for line in shown)
        words = [line.split() for line in shown if line]
        assert words[-3:] == [
            ["batch", "events", "events/s", "state", "watermark", "lag", "results", "late",
             "again"],
            ["cancelled", "2", "20,000", "10,000", "0", "B", "2024-01-01", "09:54:05", "2.9", "y",
             "0", "0"],
            ["crawling", "2", "20,000", "10,000", "0", "B", "2024-01-01", "09:54:05", "2.9", "y",
             "0", "0"],
        ]  # fmt: skip
    table = ["crawling", "district", "────────", "1", "2", "3", "… 2 more (limit: 0 shows all)"]
    left = [line.strip() for line in screen(file.getvalue()) if line]
    assert left == ["running cancelled, crawling", *table * 3], "the live lines are gone"


def test_a_narrow_terminal_shows_the_lag_only() -> None:
    with terminal(80) as file, PipelineProgress(quiet=False) as progress:
        progress.progressed(metrics("cancelled", 1))
        head, line = [line for line in screen(file.getvalue()) if line]
    assert "watermark" not in head
    assert line.split() == ["cancelled", "1", "20,000", "10,000", "0", "B", "2.9", "y", "0", "0"]
