"""What to say of a query that does not parse: what is wrong, where, and what could stand there."""

from __future__ import annotations

import contextlib
import re
from itertools import pairwise, takewhile

from lark import Lark, Token
from lark.exceptions import UnexpectedInput, UnexpectedToken

from cepheid.errors import Diagnostic, nearest
from cepheid.language.source import Source, Span
from cepheid.language.sql_words import FUNCTIONS, MISPLACED, OPERATORS, WORDS, not_here

CLAUSES = {
    "EVENT": "EVENT", "PATTERN": "PATTERN", "SEMANTICS": "SEMANTICS", "WHERE": "WHERE",
    "WITHIN": "WITHIN", "SLIDE": "SLIDE", "GROUP_BY": "GROUP BY", "RETURN": "RETURN", "AGG": "AGG",
    "HAVING": "HAVING", "OUTPUT": "OUTPUT", "INTO": "INTO",
}  # fmt: skip
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
A_PATTERN = "expected a pattern such as A or SEQ(A, B)"
A_VALUE = "expected a number, a string, an attribute or '('"
OPERANDS = {"NAME", "NUMBER", "STRING"}
ALIKE = 0.7  # of a misspelt word and the one that is meant
NAMES = ("NAME", "EVENT_TYPE", "DISTINCT")  # that words of SQL are taken for
CLOSING = {"RPAR", "RSQB", "RBRACE", "COMMA", "SEMICOLON"}
KINDS = {
    "EVENT_TYPE": "an event type",
    "NAME": "a name",
    "INTEGER": "a whole number",
    "NUMBER": "a number",
    "STRING": "a string",
    "LPAR": "'('",
    "RPAR": "')'",
    "RBRACE": "'}'",
    "RSQB": "']'",
    "COMMA": "','",
    "DOT": "'.'",
    "COMPARE": "a comparison",
    "AS": "AS",
    "STRATEGY": "skip-till-any-match, skip-till-next-match, contiguous, strict-contiguity or "
    "latest-wins",
    "ALL": "ALL",
    "NON_OVERLAPPING": "NON OVERLAPPING",
    "COMPRESSED": "COMPRESSED",
    "PARTIAL": "PARTIAL",
    "LONGEST": "LONGEST",
    "SHORTEST": "SHORTEST",
    "FIRST": "FIRST",
    "LAST": "LAST",
    "CLOSE_ANGLE": "'>'",
}
WHOLE_HINTS: tuple[tuple[set[str], str], ...] = (
    ({"NUMBER", "PARAMETER"}, "expected a length such as 10 minutes or 500 EVENTS"),
    ({"EVENT_TYPE"}, "expected the name of an event type"),
    ({"$END"}, "expected nothing after ';': one text is one query"),
)
COMMA_HINTS = {
    "PATTERN": "write SEQ(A, B) for one event after another",
    "EVENT": "write SEQ(A, B) for one event after another",
    "WHERE": "join conditions with AND",
    "HAVING": "join conditions with AND",
}
# What may hold a quote or a comment sign, and signs that open something never closed.
CLOSED_OR_NOT = re.compile(
    r"""'(?:[^'\n]|'')*' | "(?:[^"\n]|"")*" | `[^`\n]+` | --[^\n]* | /\*.*?\*/
      | (?P<unclosed>'|"|`|/\*) | .""",
    re.VERBOSE | re.DOTALL,
)


def describe_syntax_error(error: UnexpectedInput, source: Source, grammar: Lark) -> Diagnostic:
    """Return the one mistake at which the parser stopped."""
    read, expected = _replay(source.text, grammar)
    token = error.token if isinstance(error, UnexpectedToken) else None
    at: int | None = error.pos_in_stream
    position = len(source.text) if at is None or (token and token.type == "$END") else at
    unclosed = _unclosed(source, position)
    if unclosed is not None:
        return unclosed
    misspelt = _misspelt_clause(read, token, source)
    if misspelt is not None:
        return misspelt
    foreign = None if token is None else _sql_word(read, token, source)
    if foreign is not None:
        return foreign
    misspelt = None if token is None else _misspelt_operator(read, token, source)
    if misspelt is not None:
        return misspelt
    if token is None:
        span = Span(position, position + 1)
        character = source.text[position : position + 1]
        return source.diagnose(
            "unexpected-character", f"unexpected character '{character}'", span, _hint(expected)
        )
    if token.type == "CLOSE_ANGLE" and _clause_of(read) in ("WHERE", "HAVING", "RETURN"):
        return _missing("value", token, source, A_VALUE)  # a comparison, not the end of `<…>`
    if read and (token.type in ("$END", *CLAUSES) or token.type in CLOSING):
        if expected >= OPERANDS:
            return _missing("value", read[-1], source, A_VALUE)
        if "EVENT_TYPE" in expected:
            return _missing("event type", read[-1], source, _hint(expected))
    return _unexpected(token, read, expected, source)


def _replay(text: str, grammar: Lark) -> tuple[list[Token], set[str]]:
    """Parse again up to the mistake: the tokens before it, and the kinds that could follow."""
    parser = grammar.parse_interactive(text)
    read: list[Token] = []
    with contextlib.suppress(UnexpectedInput):
        for token in parser.iter_parse():
            read.append(token)
    accepted: set[str] = parser.accepts()  # type: ignore[no-untyped-call]
    return read, accepted


def _unclosed(source: Source, position: int) -> Diagnostic | None:
    """Report a string, name or comment that was opened before the mistake and never closed."""
    for found in CLOSED_OR_NOT.finditer(source.text):
        sign = found["unclosed"]
        # One further: the parser may have taken the `/` of `/*` for a division.
        if sign is None or found.start() > position + 1:
            continue
        if sign == "/*":
            return source.diagnose(
                "unterminated-comment",
                "this comment is not closed",
                Span(found.start(), found.end()),
                "close it with */",
            )
        what = "name" if sign == "`" else "string"
        line_end = source.text.find("\n", found.start())
        return source.diagnose(
            f"unterminated-{what}",
            f"this {what} is not closed",
            Span(found.start(), len(source.text) if line_end < 0 else line_end),
            f"close it with {sign} on the same line"
            + ("" if sign == "`" else f"; a {sign} inside is written {sign}{sign}"),
        )
    return None


def _misspelt_clause(read: list[Token], token: Token | None, source: Source) -> Diagnostic | None:
    """Report `WITHN 10 s`: the pattern takes the word for a variable and fails a little later."""
    words = read[-3:] if token is None else [*read[-3:], token]
    for before, each in zip([None, *words], words, strict=False):
        if each.upper() in CLAUSES and before is not None and before.type in ("PATTERN", "EVENT"):
            return _missing("event type", before, source, A_PATTERN)  # `PATTERN WHERE x > 1`
        if each.type != "NAME" and not (each is token and each.type == "EVENT_TYPE"):
            continue
        if each.upper() in WORDS or each.upper() in MISPLACED:
            continue
        if each.upper() in CLAUSES and before is not None:  # taken for a name: `WHERE WITHIN 5 s`
            return _missing("value", before, source, A_VALUE)
        known = [clause for clause in CLAUSES.values() if clause != "EVENT"]
        meant = nearest(str(each), [*known, *OPERATORS], likeness=ALIKE)
        if meant in known and len(each) >= 4 and abs(len(meant) - len(each)) <= 2:
            return source.diagnose(
                "unknown-clause", f"there is no clause '{each}'", _span(each),
                f"did you mean {meant}?",
            )  # fmt: skip
    return None


def _sql_word(read: list[Token], token: Token, source: Source) -> Diagnostic | None:
    """Report a word of SQL: the parser stops at it, right after it, or inside its arguments."""
    attributes = [each for dot, each in pairwise([*read, token]) if dot.type == "DOT"]
    function = _open_call(read)  # EXTRACT(year FROM x), before FROM
    if function is not None and function.upper() in FUNCTIONS:
        return _foreign(function, FUNCTIONS[function.upper()], source)
    for before in takewhile(lambda each: each.type in NAMES, reversed(read)):  # ORDER BY a.x
        if before.upper() in WORDS and not any(before is each for each in attributes):
            return _foreign(before, WORDS[before.upper()], source)
    if read and read[-1].type == "OUTPUT":
        return None  # what may stand here are a few words
    if token.type in NAMES and token.upper() in WORDS:
        return _foreign(token, WORDS[token.upper()], source)
    is_length = len(read) > 1 and read[-2].type == "TYPED"  # INTERVAL '10' MINUTE
    for each in (token, *read[-1:], *(read[-2:-1] if is_length else ())):
        is_word = each.type in (*NAMES, "TYPED", "ANY", "ESCAPE", "ALL")
        if is_word and each.upper() in MISPLACED and not any(each is one for one in attributes):
            return _foreign(each, MISPLACED[each.upper()], source)
    if token.type == "NOT":  # x NOT LIKE 'a%'
        found = re.match(r"\s*(\w+)", source.text[_span(token).end :])
        word = found[1].upper() if found else ""
        if word in WORDS:
            return source.diagnose("sql-word", not_here(word), _span(token), WORDS[word])
    return None


def _misspelt_operator(read: list[Token], token: Token, source: Source) -> Diagnostic | None:
    """Report `a.x BETWEN 1 AND 2` and `CASES WHEN`: the parser stops at the word, or after it."""
    if _clause_of(read) not in ("WHERE", "HAVING", "RETURN"):
        return None
    for before, each in ((read[-1], token), *zip(read[-2:-1], read[-1:], strict=False)):
        if each.type not in NAMES or before.type == "DOT" or each.upper() in OPERATORS:
            continue
        known = [word for word in OPERATORS if min(len(word), len(each)) > 2]
        meant = nearest(str(each), known, likeness=ALIKE)
        if meant is not None and each[0].upper() == meant[0] and abs(len(meant) - len(each)) <= 1:
            return source.diagnose(
                "unexpected-word", f"unexpected '{each}'", _span(each), f"did you mean {meant}?"
            )
    return None


def _foreign(word: Token, advice: str, source: Source) -> Diagnostic:
    return source.diagnose("sql-word", not_here(word), _span(word), advice)


def _open_call(read: list[Token]) -> Token | None:
    """Return the name before the innermost bracket that is not closed."""
    depth = 0
    for before, each in zip(read[-2::-1], read[:0:-1], strict=True):
        depth += (each.type == "RPAR") - (each.type == "LPAR")
        if depth < 0:
            return before
    return None


def _clause_of(read: list[Token]) -> str | None:
    """Return the clause in which the parser stopped."""
    return next((each.type for each in reversed(read) if each.type in CLAUSES), None)


def _missing(what: str, after: Token, source: Source, hint: str | None) -> Diagnostic:
    article = "an" if what[0] in "aeiou" else "a"
    return source.diagnose(
        f"missing-{what.replace(' ', '-')}",
        f"{article} {what} is missing after '{after}'",
        _span(after),
        hint,
    )


def _unexpected(token: Token, read: list[Token], expected: set[str], source: Source) -> Diagnostic:
    if token.type == "$END":
        end = len(source.text.rstrip())
        message = "the query ends too early" if read else "the query is empty"
        hint = _hint(expected) if read else "write PATTERN SEQ(A, B) or EVENT A"
        return source.diagnose("unexpected-end", message, Span(end, end + 1), hint)
    hint = "write GROUP BY" if token.upper() == "GROUP" else _hint(expected)
    if hint == A_PATTERN and token.type == "STRING":
        hint = f"a type has no quotes, and backticks if it is no single word: `{token[1:-1]}`"
    if token.type == "COMMA" and "WHERE" in expected:  # after a whole clause
        hint = COMMA_HINTS.get(_clause_of(read) or "", hint)
    elif token.type == "AS" and _clause_of(read) == "GROUP_BY":
        hint = "name it in RETURN: RETURN x AS name, COUNT(*) … GROUP BY x"
    elif token.type in NAMES and [each.type for each in read[-3:-1]] == ["LSQB", "NAME"]:
        hint = f"for keys with different names write a.{read[-2]} = b.{token}, where a and b are "
        hint += "variables of the pattern"
    elif read and f"{read[-1]}{token}" in ("=>", "=<"):
        hint = f"did you mean '{token}{read[-1]}'?"
    elif token.type in CLOSING and not expected & {"RPAR", "RSQB", "RBRACE", *OPERANDS}:
        hint = "nothing was opened that it could close"
    if token.upper() == "IS" and any(each in COMPARISONS for each in read[-4:]):
        hint = "put the comparison before it in brackets: (a.x > 1) IS NULL"
    return source.diagnose("unexpected-word", f"unexpected '{token}'", _span(token), hint)


def _span(token: Token) -> Span:
    start = token.start_pos or 0
    return Span(start, start + len(token))


def _hint(expected: set[str]) -> str | None:
    """Say in a few words what could have stood here."""
    if expected >= OPERANDS:
        return A_VALUE
    for kinds, hint in WHOLE_HINTS:
        if kinds == expected - {"OPEN_ANGLE"}:
            return hint
    if {"EVENT_TYPE", "SEQ"} <= expected:
        return A_PATTERN
    words = [word for kind, word in KINDS.items() if kind in expected]
    if {"AND", "COMPARE"} <= expected:  # after a value any operator may come
        words = [each for each in words if each not in ("'('", "'.'", "a comparison", "AS")]
        words.append("an operator (AND, OR, =, +, …)")
    if {"PLUS", "QMARK"} <= expected:
        words = [each for each in words if each != "a name"]
        words += ["a variable", "a quantifier (+, *, ?, {n,m})"]
    if {"WHERE", "WITHIN"} <= expected:
        words.append("a clause (WHERE, WITHIN, GROUP BY, RETURN, …)")
    if not words:
        return None
    *others, last = words
    return f"expected {', '.join(others)} or {last}" if others else f"expected {last}"
