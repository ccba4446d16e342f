"""Every exception Cepheid raises.

CepheidError
├── QueryError                 the query text is at fault; carries every diagnostic found
│   ├── QuerySyntaxError       it does not parse
│   ├── BindingError           it parses, but does not fit the events or the rules of the language
│   └── UnsupportedQueryError  it is correct, but this version or runner cannot execute it
├── DataError                  the events are at fault (column, first offending row)
├── ConfigError                an option, parameter or argument is at fault
├── PipelineError              the file of a pipeline is at fault; carries every diagnostic found
├── LiveStateError             a query keeps more partial matches alive than it may
├── MatchLimitError            a query lists more matches, or longer arrays, than it may
├── OutOfMemoryError           a query needs more memory than there is
├── StateError                 what a stream kept cannot be gone on with
│   └── StateLimitError        a stream keeps more than it may
└── InternalError              our bug; no query may reach it
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from traceback import extract_tb, format_exception

UNNAMED = "query"  # what a query is called that nobody gave a name
WAYS_OUT = (
    "count matches with RETURN COUNT(*), choose another strategy such as skip_till_next_match, "
    "keep them as one graph with OUTPUT COMPRESSED"
)
WIDEST_LINE, BEFORE_CARET = 200, 80  # of a query's text that a message shows


@dataclass(frozen=True, slots=True)
class Location:
    """A stretch of one line of a query text; `line` and `column` count from 1."""

    source_name: str
    line: int
    column: int
    length: int
    line_text: str

    def excerpt(self) -> tuple[str, int]:
        """Return the line without blanks around it, or a part if it is long, and where it points.

        >>> Location("query", 1, 4, 1, "   abc").excerpt()
        ('abc', 0)
        """
        text = self.line_text.strip()
        start = self.column - 1 - (len(self.line_text) - len(self.line_text.lstrip()))
        if len(text) <= WIDEST_LINE:
            return text, start
        cut = max(0, min(start - BEFORE_CARET, len(text) - WIDEST_LINE))
        before, after = "…" if cut else "", "…" if len(text) > cut + WIDEST_LINE else ""
        return f"{before}{text[cut : cut + WIDEST_LINE]}{after}", start - cut + len(before)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake: a stable code, what is wrong, where, and how to mend it."""

    code: str
    message: str
    location: Location | None = None
    hint: str | None = None

    @property
    def line(self) -> str:
        """The message in one line, with its place and the hint."""
        place = self.location
        where = "" if place is None else f" (line {place.line}, column {place.column})"
        return f"{self.message}{where}" + ("" if self.hint is None else f"; {self.hint}")

    def render(self) -> str:
        """Return the message with its caret line."""
        head = f"error[{self.code}]: {self.message}"
        if self.location is None:
            return head if self.hint is None else f"{head}\n  hint: {self.hint}"
        place = self.location
        prefix = f"  {place.source_name}:{place.line}:{place.column}    "
        shown, start = place.excerpt()
        blank = " " * (len(prefix) + start)
        caret = "^" * max(1, min(place.length, len(shown) - start))
        note = "" if self.hint is None else f"  {self.hint}"
        return f"{head}\n{prefix}{shown}\n{blank}{caret}{note}"


class CepheidError(Exception):
    """Base of all errors that Cepheid raises on purpose."""

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows: the line that asked for it and the message, not our calls."""
        name = type(self).__name__
        return [f"{name}{_asked_at(self)}", str(self)]


class QueryError(CepheidError):
    """The query text is at fault; `diagnostics` lists every mistake found."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(each.render() for each in self.diagnostics))


class QuerySyntaxError(QueryError):
    """The query does not parse."""


class BindingError(QueryError):
    """The query does not fit the events' schema or breaks a rule of the language."""


class UnsupportedQueryError(QueryError):
    """The query is correct but cannot be executed by this version or runner."""


class DataError(CepheidError):
    """The events are at fault; `query` is the name of the query that met it, if that is known."""

    def __init__(self, message: str, *, hint: str | None = None, query: str | None = None) -> None:
        self.message = message
        self.hint = hint
        self.query = query
        said = message if query is None else f"query '{query}': {message}"
        super().__init__(said if hint is None else f"{said}\n  hint: {hint}")


class ConfigError(CepheidError):
    """An option, parameter or argument is at fault."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        self.hint = hint
        super().__init__(message if hint is None else f"{message}\n  hint: {hint}")


class PipelineError(CepheidError):
    """The file of a pipeline is at fault; `diagnostics` lists every mistake found."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(each.render() for each in self.diagnostics))


class LiveStateError(CepheidError):
    """A query keeps more alive than it was allowed to: partial matches, or links between them.

    `are_told_apart`: by what predicates read of them, although not all matches are taken.
    """

    def __init__(
        self,
        query: str,
        place: str,
        live: int,
        limit: int,
        what: str = "partial matches",
        *,
        are_told_apart: bool = False,
    ) -> None:
        also = "; the line 'overlaps' of EXPLAIN says what they are kept for"
        super().__init__(
            f"'{query}' keeps {live:,} {what} alive {place}; the limit is {limit:,}\n"
            "  hint: shorten WITHIN, add a partition such as [id] or a predicate that fewer events "
            "satisfy, choose skip_till_next_match, or raise live_limit"
            f"{also if are_told_apart else ''}"
        )


class MatchLimitError(CepheidError):
    """A query lists more matches than it was allowed to, or arrays with more values.

    `count` is a number of matches that there are at least, infinite beyond 1e308; if `values` is
    given, a number of values in arrays, of which so many are allowed.
    """

    def __init__(
        self, query: str, place: str, count: float, limit: int, *, values: int | None = None
    ) -> None:
        self.count = count
        what, allowed, less = "matches", "", ""
        if values is not None:
            what, allowed = "values in arrays", f", which allows {values:,} of them"
            less = "return fewer arrays, "
        super().__init__(
            f"'{query}' lists {_in_digits(count)} {what} or more{place}; "
            f"max_matches is {limit:,}{allowed}\n"
            f"  hint: {less}{WAYS_OUT}, ask for some of them with limit, or raise max_matches"
        )


class OutOfMemoryError(CepheidError):
    """A query needs more memory than there is."""

    def __init__(self, query: str | None, why: str) -> None:
        whose = "the query needs" if query in (None, UNNAMED) else f"query '{query}' needs"
        super().__init__(
            f"{whose} more memory than there is{f': {why}' if why else ''}\n"
            f"  hint: where matches are listed, {WAYS_OUT}, or ask for some of them with limit; "
            "otherwise shorten WITHIN, add a partition such as [id], or return fewer columns"
        )


class StateError(CepheidError):
    """What a stream kept cannot be gone on with: it is damaged, or of another version or query."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        self.hint = hint
        super().__init__(message if hint is None else f"{message}\n  hint: {hint}")


ANEW = (
    "start with a new checkpoint and a new output folder, or run what the checkpoint was written "
    "for; nothing in it has changed"
)


def another_query(theirs: Mapping[str, str], ours: Mapping[str, str]) -> StateError:
    """Return what is wrong with a checkpoint that belongs to something else, part by part."""
    different = [each for each in sorted({*theirs, *ours}) if theirs.get(each) != ours.get(each)]
    listed = "; ".join(
        f"{each}: {theirs.get(each)} in the checkpoint, {ours.get(each)} now" for each in different
    )
    return StateError(f"the checkpoint belongs to another query ({listed})", hint=ANEW)


class StateLimitError(StateError):
    """A query on a stream keeps more than it was allowed to."""

    def __init__(self, query: str, size: int, limit: int) -> None:
        super().__init__(
            f"'{query}' keeps {size:,} bytes of a stream in one bucket; the limit is {limit:,}",
            hint="shorten WITHIN, name fewer or more selective event types, return fewer columns, "
            "use more buckets, or raise state_limit",
        )


class InternalError(CepheidError):
    """A bug in Cepheid."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{message} (this is a bug in Cepheid: please report it with the query)")

    def _render_traceback_(self) -> list[str]:
        """Return everything: a report needs it."""
        return format_exception(self)


def _in_digits(count: float) -> str:
    """Return a number of matches to read.

    >>> _in_digits(12345678.0), _in_digits(2.0**31), _in_digits(float("inf"))
    ('12,345,678', '2.1e9', '1e308')
    """
    if count == float("inf"):
        return "1e308"
    if count < 1e9:
        return f"{count:,.0f}"
    digits, exponent = f"{count:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


# Not ours: the machine's, a missing package, a warning that is an error by the user's wish.
NOT_OURS = (MemoryError, OSError, ImportError, Warning)
OTHERS_MODULES = ("pyspark", "py4j", "grpc", "click", "typer")


@contextmanager
def last_defence(what: str) -> Iterator[None]:
    """Turn what nobody foresaw into an InternalError that names the query and keeps the cause.

    >>> with last_defence("query 'q1'"):
    ...     [][0]
    Traceback (most recent call last):
    cepheid.errors.InternalError: query 'q1' failed with IndexError: list index out of range \
(this is a bug in Cepheid: please report it with the query)
    """
    try:
        yield
    except (CepheidError, *NOT_OURS):
        raise
    except Exception as error:
        if type(error).__module__.split(".")[0] in OTHERS_MODULES:
            raise
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise InternalError(f"{what} failed with {said}{_place(error)}") from error


def _asked_at(error: Exception) -> str:
    """Return the line of the user's that called Cepheid, as far as there is one."""
    package = Path(__file__).parent
    before = list(
        takewhile(
            lambda each: package not in Path(each.filename).parents, extract_tb(error.__traceback__)
        )
    )
    if not before or not before[-1].line or "IPython" in Path(before[-1].filename).parts:
        return ""
    return f" in line {before[-1].lineno}: {before[-1].line}"


def _place(error: Exception) -> str:
    """Return where in Cepheid an error came up: a report may have no more than the message."""
    package = Path(__file__).parent
    frames = [each for each in extract_tb(error.__traceback__)
              if package in Path(each.filename).parents and each.filename != __file__]  # fmt: skip
    if not frames:
        return ""
    return f", at {Path(frames[-1].filename).relative_to(package)}:{frames[-1].lineno}"


def nearest(word: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """Return the known word most like `word`, or None when none is close; 1 means that both agree.

    >>> nearest("prise", ["price", "volume"])
    'price'
    """
    by_folded = {each.casefold(): each for each in known}
    found = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=likeness)
    return by_folded[found[0]] if found else None


def suggest(word: str, known: Iterable[str], *, owner: str, in_query: bool = False) -> str:
    """Return a hint that names the nearest known word and lists the others.

    A query has names that are no words in backticks.

    >>> suggest("prise", ["volume", "price"], owner="Trade")
    "did you mean 'price'? Trade has: price, volume"
    >>> suggest("user", ["user.name"], owner="Trade", in_query=True)
    'did you mean `user.name`, with backticks? Trade has: user.name'
    """
    names = sorted(known)
    listing = f"{owner} has: {', '.join(names)}" if names else f"{owner} has none"
    best = nearest(word, names)
    if best is None:
        return listing
    is_plain = not in_query or best.isidentifier()
    meant = f"'{best}'" if is_plain else f"`{best}`, with backticks"
    return f"did you mean {meant}? {listing}"
