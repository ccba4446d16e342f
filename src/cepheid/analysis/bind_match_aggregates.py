"""Aggregates of what every match gives: `MAX(b.time - a.time)`, `SUM(a.price * b.volume)`."""

from __future__ import annotations

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bind_match_columns import MatchColumnBinder
from cepheid.analysis.bind_values import ValueBinder
from cepheid.analysis.bound import (
    EventsColumn,
    MatchColumn,
    SummaryColumn,
    TrendAggregate,
    ValueColumn,
)
from cepheid.analysis.decimal_sums import scale_of_expression, without_point
from cepheid.analysis.expressions import references
from cepheid.analysis.match_expressions import MatchExpressions
from cepheid.analysis.schema import EventSchema
from cepheid.language import ast
from cepheid.language.printer import print_expression

INTEGER = AttributeType.INTEGER
TOGETHER = "it depends on which events are together in a match"
KINDS = (
    INTEGER,
    AttributeType.FLOAT,
    AttributeType.DURATION,
    AttributeType.TIMESTAMP,
    AttributeType.ZONED,
    AttributeType.DATE,
    AttributeType.NULL,
    AttributeType.UNKNOWN,
)  # of values whose least and largest are found as matches go by: integers sort like them


class MatchAggregateBinder(MatchColumnBinder):
    """Binds such aggregates; None stands for one whose mistake has been reported."""

    def aggregate(self, node: ast.Call, reason: str = TOGETHER) -> TrendAggregate | None:
        """Bind an aggregate that is found match by match, for a reason."""
        argument, function = node.argument, node.function
        name = print_expression(argument)
        if len(self.scopes) > 1:
            self._refuse(node, "with AND, matches are pairs")
            return None
        column = self.match_column(argument, name)
        if column is None:
            return None
        kind, scale = type_of_column(column), None
        if kind is AttributeType.DECIMAL and function != "COUNT":
            scale = self._scale(argument)
            if scale is not None:
                column = self.match_column(without_point(argument, scale), f"{name} without point")
                kind = INTEGER
        if column is None or not self._takes(node, kind):
            return None
        return TrendAggregate(
            function,
            name,
            None,
            attribute_type=kind,
            scale=scale,
            of_match=column,
            reason=f"{function}({name}) is asked for, and {reason}",
        )

    def _takes(self, node: ast.Call, kind: AttributeType) -> bool:
        if node.function == "COUNT":
            return True
        if kind is AttributeType.DECIMAL:
            cast = f"{node.function}(CAST({print_expression(node.argument)} AS DOUBLE))"
            self._refuse(node, "its decimals may have too many digits for 64 bits", f"write {cast}")
            return False
        binder = ValueBinder(self.scopes[0], self.schema, self.problems)
        is_length = kind is AttributeType.DURATION  # which have sums and averages, too
        if not is_length and not binder.takes(node.function, kind, node.argument):
            return False
        if kind not in KINDS:
            self._refuse(node, f"it is {kind.phrase}")
        return kind in KINDS

    def _scale(self, argument: ast.Expression) -> int | None:
        """Return the digits after the point of decimals that fit 64 bits without it."""
        value = MatchExpressions(self.scopes[0], self.schema, self.problems).value(argument)
        return None if value is None else scale_of_expression("SUM", value, self.schema)

    def _refuse(self, node: ast.Call, why: str, advice: str | None = None) -> None:
        written = print_expression(node.argument)
        in_steps = f"RETURN {written} AS value … INTO a type, and aggregate that in a second query"
        self.problems.add(
            "bad-aggregate",
            f"{node.function} of '{written}' cannot be found match by match: {why}",
            node.argument.span,
            advice or in_steps,
        )


def type_of_column(column: MatchColumn) -> AttributeType:
    """Return the type of what a match has in a column."""
    if isinstance(column, EventsColumn):
        return AttributeType.OTHER if column.is_array else column.type
    if isinstance(column, SummaryColumn):
        return AttributeType.OTHER if column.function == "array" else column.type
    return column.value.type


def reads_time_alone(column: MatchColumn, schema: EventSchema) -> bool:
    """Whether a column is made of times and of nothing else."""
    if isinstance(column, EventsColumn | SummaryColumn):
        return column.attribute == schema.time
    if isinstance(column, ValueColumn):
        return all(each.attribute == schema.time for each in references(column.value))
    return all(reads_time_alone(each, schema) for each in column.parts)
