"""The JSON schema of pipeline files, for editors and checks."""

from __future__ import annotations

import json

from cepheid.pipeline.model import Pipeline

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> str:
    """Return the schema as it is published in docs/reference/pipeline.schema.json."""
    content = {"$schema": DIALECT, **Pipeline.model_json_schema()}
    content["title"] = "Cepheid pipeline"
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
