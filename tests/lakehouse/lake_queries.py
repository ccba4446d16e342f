"""The queries of these tests, what they read of a plan, and a stream run to its end."""

import contextlib
import io
from typing import Any

MATCHES = "PATTERN SEQ(A a, B b) WHERE [id] WITHIN 1 minute RETURN a.id AS id, a.ts AS a, b.ts AS b"
LAST_DAY = (
    "PATTERN SEQ(A a, B b) WHERE [id] AND a.ts >= TIMESTAMP '2024-01-04 00:00:00Z' "
    "AND b.ts >= TIMESTAMP '2024-01-04 00:00:00Z' WITHIN 1 minute "
    "RETURN a.id AS id, a.ts AS a, b.ts AS b"
)


def plan_of(frame: Any) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        frame.explain("formatted")
    return said.getvalue()


def run_to_end(frame: Any, checkpoint: Any, **target: Any) -> None:
    """Write what a streaming DataFrame has now: into `table` or `path`, in a `format`."""
    writer = frame.writeStream.option("checkpointLocation", str(checkpoint))
    writer = writer.trigger(availableNow=True).format(target["format"])
    started = writer.toTable(target["table"]) if "table" in target else writer.start(target["path"])
    started.awaitTermination()
