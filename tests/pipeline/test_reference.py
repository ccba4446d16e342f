"""docs/reference/pipeline.md and pipeline.schema.json say what the model says."""

import json
import os
import re
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from cepheid.pipeline.describe_errors import _inner
from cepheid.pipeline.json_schema import json_schema
from cepheid.pipeline.load import load_pipeline
from cepheid.pipeline.model import Pipeline
from tests.pipeline.files import pipeline_text

REPOSITORY = Path(__file__).parents[2]
SCHEMA = REPOSITORY / "docs" / "reference" / "pipeline.schema.json"
PAGE = (REPOSITORY / "docs" / "reference" / "pipeline.md").read_text("utf-8")
HOW_TO = (REPOSITORY / "docs" / "how-to" / "pipeline.md").read_text("utf-8")
EXAMPLES = sorted((REPOSITORY / "examples" / "pipeline").glob("*.yaml"))
ON_PAGES = re.findall(r"^```yaml\n(.*?)^```$", PAGE + HOW_TO, re.MULTILINE | re.DOTALL)
WHOLE = [each for each in ON_PAGES if "\ncheckpoint:" in each]

if os.environ.get("CEPHEID_UPDATE_GOLDEN"):
    SCHEMA.write_text(json_schema(), "utf-8")


def test_the_published_schema_is_up_to_date():
    assert SCHEMA.read_text("utf-8") == json_schema()


def test_every_key_is_explained():
    explained = set(re.findall(r"^\| `([\w.]+)` \|", PAGE, re.MULTILINE))
    assert sorted(keys_of(Pipeline)) == sorted(explained)


def keys_of(model: type[BaseModel], prefix: str = "") -> set[str]:
    """The keys as the page names them: those of sources and sinks by their kind."""
    found: set[str] = set()
    for name, field in model.model_fields.items():
        key = field.alias or name
        inner = _inner(field.annotation)
        if key in ("queries", "sinks"):
            inner, key = _inner(inner.__args__[1]), f"{key}.NAME"
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            found.add(f"{prefix}{key}")
        elif key == "sinks.NAME":
            found |= {f"{key}.{kind}" for kind in inner.model_fields} | keys_of(inner)
        elif key == "source":
            found |= keys_of(inner)
        elif key != "late":
            found |= keys_of(inner, f"{prefix}{key}.")
    return found


def test_there_are_examples():
    assert len(WHOLE) >= 2
    assert EXAMPLES


@pytest.mark.parametrize("text", WHOLE, ids=lambda text: text.split("\n")[0][:30])
def test_examples_of_the_pages_are_correct(text, tmp_path):
    for folder in ("events", "rides", "queries"):
        (tmp_path / folder).mkdir()
    for query in re.findall(r"[\w/]+\.cep", text):
        copy_query(query, tmp_path)
    names = re.findall(r"\$\{(\w+)\}", text)
    path = tmp_path / "pipeline.yaml"
    path.write_text(text, "utf-8")
    assert load_pipeline(str(path), dict.fromkeys(names, "x")).queries.plans
    assert_valid(yaml.safe_load(text))


def copy_query(query: str, folder: Path) -> None:
    source = REPOSITORY / "examples" / Path(query).name
    (folder / query).write_text(source.read_text("utf-8"), "utf-8")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_fit_the_schema(path):
    assert_valid(yaml.safe_load(path.read_text("utf-8")))


@pytest.mark.parametrize(
    "keys",
    [
        {"watermark": "ten"},
        {"source": "{}"},
        {"source": "{files: {format: orc, path: a, schema: ts INT}}"},
        {"sinks": "{q: {console: {limit: -1}}}"},
        {"sinks": "{q: {postgresql: {url: a, table: t, password: plain}}}"},
        {"checkpoint": None},
        {"zzz": "1"},
        {"late": "dropp"},
        {"queries": "{}"},
        {"queries": '{"1 2": PATTERN A a}'},
    ],
)
def test_the_schema_refuses(keys):
    content = yaml.safe_load(pipeline_text(**keys))
    if keys == {"watermark": "ten"}:  # a text may be a duration: only the model knows
        assert_valid(content)
    else:
        assert errors(content, json.loads(json_schema())) != []


# --- as much of JSON schema as the published one uses ------------------------------------------


def assert_valid(content: object) -> None:
    assert errors(content, json.loads(json_schema())) == []


TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def errors(value, schema, root=None, where="$"):
    root = schema if root is None else root
    found = []
    if "$ref" in schema:
        found += errors(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, where)
    if "anyOf" in schema and all(errors(value, each, root, where) for each in schema["anyOf"]):
        found.append(f"{where} fits none of the alternatives")
    wanted = schema.get("type")
    if wanted and (
        not isinstance(value, TYPES[wanted]) or (isinstance(value, bool) != (wanted == "boolean"))
    ):
        return [*found, f"{where} is no {wanted}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{where} is not {schema['const']}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where} is not one of {schema['enum']}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{where} does not match")
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{where} is too small")
    if isinstance(value, dict):
        found += errors_of_object(value, schema, root, where)
    if isinstance(value, list) and "items" in schema:
        found += [e for each in value for e in errors(each, schema["items"], root, f"{where}[]")]
    return found


def errors_of_object(value, schema, root, where):
    found = [f"{where} lacks {key}" for key in schema.get("required", ()) if key not in value]
    least, most = schema.get("minProperties", 0), schema.get("maxProperties", len(value))
    if not least <= len(value) <= most:
        found.append(f"{where} has {len(value)} keys")
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key, each in value.items():
        if key in known:
            found += errors(each, known[key], root, f"{where}.{key}")
        elif any(re.search(pattern, key) for pattern in schema.get("patternProperties", ())):
            for pattern, inner in schema["patternProperties"].items():
                if re.search(pattern, key):
                    found += errors(each, inner, root, f"{where}.{key}")
        elif others is False:
            found.append(f"{where} has no {key}")
        elif isinstance(others, dict):
            found += errors(each, others, root, f"{where}.{key}")
    return found
