"""`%%cepheid`: a cell with a query, run on a table of the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from cepheid.errors import ConfigError, nearest
from cepheid.events import Events
from cepheid.plotting import plot
from cepheid.query import query

SHOWN = 20
PARTS = ("time", "type", "order", "time_unit")


@magics_class
class CepheidMagics(Magics):
    """The magic, and which events and roles it takes when none are given."""

    defaults: dict[str, Any]

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.defaults = {}

    @magic_arguments()
    @argument("events", nargs="?", help="A table of the session, or an expression that gives one.")
    @argument("--time", help="The time column.")
    @argument("--type", help="The column with the event type.")
    @argument("--order", action="append", help="A column that breaks ties; repeatable.")
    @argument("--time-unit", help="The unit of an integer time column: ns, us, ms, s, min, h or d.")
    @argument("-o", "--output", help="The name that the result gets in the session.")
    @argument("-n", "--name", help="What the query is called in messages.")
    @argument("--limit", type=int, help="The most matches to look for.")
    @argument("--plot", action="store_true", help="Show a picture of what is found.")
    @argument("--explain", action="store_true", help="Show the plan and run nothing.")
    @line_cell_magic
    def cepheid(self, line: str, cell: str | None = None) -> Any:
        """Run the query of a cell and show its result.

        `%cepheid rides --time ts --type kind` alone says which events later cells run on. `:name`
        in the query has the value of the variable of that name.
        """
        given = parse_argstring(self.cepheid, line)
        if cell is None:
            self.defaults = self._said(given)
            return None
        said = {**self.defaults, **self._said(given)}
        events = self._events(said)
        parsed = query(cell, name=given.name, parameters=self._parameters(cell))
        if given.explain:
            return parsed.explain(events)
        options = {} if given.limit is None else {"limit": given.limit}
        picture = plot(parsed, events, **options) if given.plot else None
        result = None if given.plot and not given.output else parsed.run(events, **options)
        shown = picture if given.plot else _to_show(result)
        if given.output:
            self.shell.user_ns[given.output] = result
        display(shown)
        return None

    def _said(self, given: Any) -> dict[str, Any]:
        names = ("events", *PARTS)
        return {each: value for each in names if (value := getattr(given, each)) is not None}

    def _events(self, said: Mapping[str, Any]) -> Events[Any]:
        from cepheid.events import events as with_roles

        if "events" not in said:
            raise ConfigError(
                "nothing says which events to run on",
                hint="write %%cepheid TABLE --time … --type …, or once: %cepheid TABLE …",
            )
        table = self._evaluated(said["events"])
        roles = {each: said[each] for each in PARTS if each in said}
        return table if isinstance(table, Events) and not roles else with_roles(table, **roles)

    def _evaluated(self, expression: str) -> Any:
        names = self.shell.user_ns
        if expression.isidentifier() and expression not in names:
            near = nearest(expression, (each for each in names if not each.startswith("_")))
            raise ConfigError(
                f"the session has nothing called '{expression}'",
                hint="read the events in a cell before"
                if near is None
                else f"did you mean '{near}'?",
            )
        return self.shell.ev(expression)

    def _parameters(self, text: str) -> dict[str, Any]:
        from cepheid.analysis.fill_parameters import parameter_names
        from cepheid.language.parser import parse

        names = self.shell.user_ns
        return {each: names[each] for each in parameter_names(parse(text)) if each in names}


def _to_show(result: Any) -> Any:
    """Return what is displayed of a result: the first rows of what is on Spark."""
    if hasattr(result, "expand"):  # of OUTPUT COMPRESSED
        return _to_show(result.first(SHOWN))
    if hasattr(result, "sparkSession") and not result.isStreaming:
        from cepheid.connectors.collect_spark import collect

        return collect(result.limit(SHOWN))
    return result
