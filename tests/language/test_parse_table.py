"""The parse table in the package is that of the grammar. CEPHEID_UPDATE_GOLDEN=1 rewrites it."""

import os
from pathlib import Path

from cepheid.language import parse_table
from tests.language.test_reference import EXAMPLES

GRAMMAR = parse_table.GRAMMAR.read_text(encoding="utf-8")
UPDATE = bool(os.environ.get("CEPHEID_UPDATE_GOLDEN"))


def test_the_table_is_of_this_grammar_and_the_pinned_lark():
    if UPDATE and parse_table.read_table(GRAMMAR) is None:
        Path(str(parse_table.TABLE)).write_text(parse_table.write_table(GRAMMAR), "utf-8")
    assert parse_table.read_table(GRAMMAR) is not None, "make golden writes the table"


def test_both_parsers_give_the_same_trees():
    built, loaded = parse_table.build_grammar(GRAMMAR), parse_table.load_grammar()
    for example in EXAMPLES:
        assert loaded.parse(example) == built.parse(example)


def test_a_table_of_another_grammar_is_not_used():
    assert parse_table.read_table(f"{GRAMMAR}\n// changed") is None
