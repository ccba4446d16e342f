"""The grammar's parse table, made beforehand: Lark takes ten times as long to build it.

`make golden` writes the table to `grammar.json`. A table that was made from another text of the
grammar, or by another version of Lark, is not used.
"""

from __future__ import annotations

import hashlib
import io
import json
import pickle
from collections.abc import Mapping
from importlib import resources
from typing import Any

import lark

FOLDER = resources.files("cepheid.language")
GRAMMAR, TABLE = FOLDER / "grammar.lark", FOLDER / "grammar.json"


def load_grammar() -> lark.Lark:
    """Return the parser of the language."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    return read_table(grammar) or build_grammar(grammar)


def build_grammar(grammar: str) -> lark.Lark:
    """Return a parser without a table made beforehand."""
    return lark.Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def write_table(grammar: str) -> str:
    """Return the text of the table's file."""
    file = io.BytesIO()
    build_grammar(grammar).save(file)
    return json.dumps(
        {"stamp": _stamp(grammar)} | pickle.loads(file.getvalue()), separators=(",", ":")
    )


def read_table(grammar: str) -> lark.Lark | None:
    """Return the parser from the table, or None if that is not the grammar's."""
    try:
        saved = json.loads(TABLE.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if saved["stamp"] != _stamp(grammar):
        return None
    table = saved["data"]["parser"]["parser"]
    states = {state: _numbered(actions) for state, actions in table["states"].items()}
    table |= {"tokens": _numbered(table["tokens"]), "states": _numbered(states)}
    return lark.Lark.load({"data": saved["data"], "memo": _numbered(saved["memo"])})


def _numbered(values: Mapping[str, Any]) -> dict[int, Any]:
    """Return a mapping with its keys as numbers, which JSON makes texts of."""
    return {int(key): value for key, value in values.items()}


def _stamp(grammar: str) -> str:
    return hashlib.sha256(f"{lark.__version__}\n{grammar}".encode()).hexdigest()
