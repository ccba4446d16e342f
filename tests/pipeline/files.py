"""Short pipeline files: a small correct one, with some of its keys given otherwise."""

from pathlib import Path

from cepheid.pipeline.load import CheckedPipeline, load_pipeline

BASE = {
    "source": '{files: {format: json, path: events, schema: "ts INT, kind STRING, v DOUBLE"}}',
    "events": "{time: ts, type: kind}",
    "watermark": "10",
    "queries": '{q: "PATTERN SEQ(A a, B b) WITHIN 10"}',
    "sinks": "{q: {console: }}",
    "checkpoint": "state",
}
ENVIRONMENT = {"TOKEN": "hunter2", "FOLDER": "output", "SERVERS": "broker:9092"}


def pipeline_text(**keys: str | None) -> str:
    """The file with keys replaced by other YAML, or left out."""
    lines = {key: value for key, value in {**BASE, **keys}.items() if value is not None}
    return "".join(f"{key}: {value}\n" for key, value in lines.items())


def write_pipeline(folder: Path, text: str) -> str:
    (folder / "events").mkdir(exist_ok=True)
    path = folder / "pipeline.yaml"
    path.write_text(text, "utf-8")
    return str(path)


def load(folder: Path, **keys: str | None) -> CheckedPipeline:
    return load_pipeline(write_pipeline(folder, pipeline_text(**keys)), ENVIRONMENT)
