"""Explanation to JSON: keys in the order of `document.py`, nothing left out."""

from __future__ import annotations

import json
from dataclasses import asdict

from cepheid.explain.document import Explanation

VERSION = 2


def as_json(explanation: Explanation) -> str:
    """Return the explanation as JSON; `version` changes when a key changes its meaning."""
    content = {"version": VERSION, **asdict(explanation)}
    return json.dumps(content, ensure_ascii=False, indent=2)
