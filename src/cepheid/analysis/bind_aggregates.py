"""Aggregates over all trends, in RETURN and HAVING."""

from __future__ import annotations

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bind_conditions import ConditionBinder
from cepheid.analysis.bind_match_aggregates import (
    TOGETHER,
    MatchAggregateBinder,
    reads_time_alone,
)
from cepheid.analysis.bind_values import (
    AGGREGATES,
    ValueBinder,
    report_argument,
    report_function,
)
from cepheid.analysis.bound import TrendAggregate, Variable
from cepheid.analysis.decimal_sums import (
    same_scale,
    scale_of_expression,
    scale_of_sum,
    without_point,
)
from cepheid.analysis.match_duration import is_duration
from cepheid.analysis.names import is_always_bound, names_in, parts_of, references_in
from cepheid.analysis.not_null import find_not_null
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope
from cepheid.language import ast

FUNCTIONS = (*AGGREGATES, "LOG2")
TIME = "time"  # what it is called while no events are known


def is_trend_aggregate(node: ast.Expression, scope: Scope) -> bool:
    """Whether the expression aggregates over all trends: COUNT(*), COUNT(E), SUM(E.x), LOG2(…)."""
    match node:
        case ast.Call(function="LOG2") | ast.Call(argument=ast.Star()):
            return True
        case ast.Call(argument=ast.Attribute() | ast.Indexed() as argument):
            return argument.index is None
        case ast.Call(argument=argument):
            found = references_in(argument)
            return not found or any(each.index is None for each in found)
        case _:
            return any(is_trend_aggregate(each, scope) for each in parts_of(node))


class AggregateBinder:
    """Binds aggregates of trends; None stands for one whose mistake has been reported."""

    def __init__(
        self,
        scopes: tuple[Scope, ...],
        schema: EventSchema,
        problems: Problems,
        query: ast.Query,
    ) -> None:
        self.query = query
        self.scopes = scopes
        self.schema = schema
        self.problems = problems

    def aggregate(self, node: ast.Call) -> TrendAggregate | None:
        """Bind one aggregate."""
        if node.function == "LOG2" and not node.exact:
            return self._log2(node)
        if node.function not in (*AGGREGATES, "LOG2"):
            report_function(node, "aggregate function", FUNCTIONS, self.problems)
            return None
        if node.exact and not (node.function == "COUNT" and isinstance(node.argument, ast.Star)):
            self.problems.add(
                "bad-exact",
                "EXACT applies to COUNT(*) only",
                node.span,
                "write EXACT COUNT(*)" if node.function != "LOG2" else "write LOG2(COUNT(*))",
            )
            return None
        return self._of(node)

    def _log2(self, node: ast.Call) -> TrendAggregate | None:
        match node.argument:
            case ast.Call(function="COUNT", argument=ast.Star(), exact=False):
                return TrendAggregate("COUNT", None, None, log2=True)
        self.problems.add(
            "bad-log2", "LOG2 applies to COUNT(*) only", node.span, "write LOG2(COUNT(*))"
        )
        return None

    def _of(self, node: ast.Call) -> TrendAggregate | None:
        match node.argument:
            case ast.Star():
                if node.function == "COUNT":
                    return TrendAggregate("COUNT", None, None, exact=node.exact)
                self.problems.add(
                    "missing-argument",
                    f"{node.function} needs an attribute",
                    node.span,
                    f"write {node.function}(E.attribute)",
                )
                return None
            case ast.Name():
                return self._count_of(node, node.argument)
            case ast.Attribute(index=None, is_next=False):
                return self._attribute_of(node, node.argument)
            case ast.Call():
                pass
            case ast.Arithmetic(
                operator="+" | "-" as sign,
                left=ast.Attribute(index=None, is_next=False) as one,
                right=ast.Attribute(index=None, is_next=False) as other,
            ) if one.variable != other.variable:
                return self._of_two(node, one, other, sign)
            case argument if len(names_in(argument)) == 1 and not _has_index(argument):
                return self._expression_of(node, argument)
        if len(names_in(node.argument)) > 1 or is_duration(node.argument):
            return self._of_match(node)
        report_argument(node, f"write {node.function}(E.attribute)", self.problems)
        return None

    def _find(self, node: ast.Expression, name: str) -> tuple[Variable, Scope] | None:
        knowing = [scope for scope in self.scopes if name in scope.variables]
        for scope in knowing:
            if scope.variables[name].negated_part is None:
                return scope.variables[name], scope
        if knowing:
            self.problems.add(
                "negated-in-aggregate",
                f"'{name}' is negated, so trends have no such event",
                node.span,
                "aggregate over events that occur",
            )
        else:
            self.scopes[0].find(node, name, self.problems)
        return None

    def _name(self, written: str, variable: Variable) -> str:
        """Return the variable that a type stands for; with AND it may be one on each side."""
        return variable.name if len(self.scopes) == 1 else written

    def _count_of(self, node: ast.Call, argument: ast.Name) -> TrendAggregate | None:
        if node.function != "COUNT":
            self.problems.add(
                "missing-argument",
                f"{node.function} needs an attribute",
                argument.span,
                f"write {node.function}({argument.text}.attribute)",
            )
            return None
        found = self._find(argument, argument.text)
        if found is None:
            return None
        return TrendAggregate("COUNT", self._name(argument.text, found[0]), None)

    def _attribute_of(self, node: ast.Call, argument: ast.Attribute) -> TrendAggregate | None:
        found = self._find(argument, argument.variable)
        if found is None:
            return None
        variable, scope = found
        binder = ValueBinder(scope, self.schema, self.problems)
        column = binder.column(variable, argument.name, argument)
        if column is None:
            return None
        kind = self.schema.type_of(column) or AttributeType.UNKNOWN
        if not binder.takes(node.function, kind, argument):
            return None
        name = self._name(argument.variable, variable)
        if column in self.schema.unsigned and node.function in ("SUM", "AVG"):
            kind = AttributeType.INTEGER
        scale = scale_of_sum(node.function, column, self.schema)
        if scale is None:
            return TrendAggregate(node.function, name, column, attribute_type=kind)
        whole = ConditionBinder(scope, self.schema, self.problems).whole_column(
            without_point(argument, scale)
        )
        if whole is None:
            return None
        kind = AttributeType.INTEGER
        return TrendAggregate(
            node.function, name, whole.attribute, attribute_type=kind, scale=scale
        )

    def _of_two(
        self, node: ast.Call, one: ast.Attribute, other: ast.Attribute, sign: str
    ) -> TrendAggregate | None:
        """Bind `AVG(b.time - a.time)`: where both have a value, sums can be taken apart."""
        found = [self._find(each, each.variable) for each in (one, other)]
        if found[0] is None or found[1] is None:
            return None
        if len(self.scopes) > 1:
            return self._of_match(node)
        variables = [each[0] for each in found if each is not None]
        binder = ConditionBinder(found[0][1], self.schema, self.problems)
        columns = [
            binder.column(variable, each.name, each)
            for variable, each in zip(variables, (one, other), strict=True)
        ]
        value = None if None in columns else binder.value(node.argument)
        if value is None:
            return None
        are_bound_once = all(
            not each.has_several_events and is_always_bound(self.query.pattern, each.name)
            for each in variables
        )
        if node.function not in ("SUM", "AVG") or not are_bound_once:
            return self._of_match(node)
        kinds = [self.schema.type_of(str(each)) or AttributeType.UNKNOWN for each in columns]
        why_unknown = self._why_unknown(variables, [str(each) for each in columns])
        if why_unknown is not None:
            return self._of_match(node, why_unknown)
        scale = same_scale([str(each) for each in columns], self.schema)
        kind = AttributeType.UNKNOWN if AttributeType.UNKNOWN in kinds else value.type
        kind = AttributeType.INTEGER if scale is not None else kind
        parts = [
            binder.whole_column(_as_number(each, its_kind, kind, scale))
            for each, its_kind in zip((one, other), kinds, strict=True)
        ]
        if parts[0] is None or parts[1] is None:
            return None
        return TrendAggregate(
            node.function,
            variables[0].name,
            parts[0].attribute,
            attribute_type=kind,
            scale=scale,
            other=variables[1].name,
            other_attribute=parts[1].attribute,
            sign=1 if sign == "+" else -1,
        )

    def _why_unknown(self, variables: list[Variable], columns: list[str]) -> str | None:
        """Return why one of two values may be NULL; None if both are known to be there."""
        known = {
            (self.scopes[0].variables[name].name, attribute)
            for name, attribute in find_not_null(self.query.where)
            if name in self.scopes[0].variables
        }
        missing = [
            f"{variable.name}.{column} IS NOT NULL"
            for variable, column in zip(variables, columns, strict=True)
            if column != (self.schema.time or TIME)
            and (
                (variable.name, column) not in known
                or not all(self.schema.has_attribute(each, column) for each in variable.types)
            )
        ]
        return f"WHERE does not say {' AND '.join(missing)}" if missing else None

    def _of_match(self, node: ast.Call, reason: str = TOGETHER) -> TrendAggregate | None:
        """Bind an aggregate of what has to be found match by match."""
        binder = MatchAggregateBinder(self.query, self.scopes, self.schema, self.problems)
        return binder.aggregate(node, reason)

    def _expression_of(self, node: ast.Call, argument: ast.Expression) -> TrendAggregate | None:
        """Bind `SUM(a.x * 2)`: what it says of one event is a column."""
        found = [self._find(argument, each) for each in sorted(names_in(argument))]
        if None in found or found[0] is None:
            return None
        scope = found[0][1]
        binder = ConditionBinder(scope, self.schema, self.problems)
        with binder.inside():
            value = binder.value(argument)
        if value is None:
            return None
        scale = scale_of_expression(node.function, value, self.schema)
        column = binder.whole_column(argument if scale is None else without_point(argument, scale))
        if column is None:
            return None
        is_length = column.type is AttributeType.DURATION  # which have sums and averages, too
        if not is_length and not binder.takes(node.function, column.type, argument):
            return None
        return TrendAggregate(
            node.function,
            column.variable,
            column.attribute,
            attribute_type=column.type,
            scale=scale,
        )


def type_of_aggregate(aggregate: TrendAggregate) -> AttributeType:
    """Return the type of its values.

    Counts and sums of whole numbers are whole; where they are kept as DOUBLE lowering says so.
    """
    kind = aggregate.attribute_type
    match aggregate:
        case TrendAggregate(function="MIN" | "MAX", scale=scale):
            return kind if scale is None else AttributeType.DECIMAL
        case TrendAggregate(log2=True):
            return AttributeType.FLOAT
        case TrendAggregate(function="COUNT"):
            return AttributeType.INTEGER
        case TrendAggregate() if kind in (AttributeType.DURATION, AttributeType.UNKNOWN):
            return kind
        case TrendAggregate(function="SUM", scale=int()):
            return AttributeType.DECIMAL
        case TrendAggregate(function="SUM") if kind is AttributeType.INTEGER:
            return kind
    return AttributeType.FLOAT


def is_in_ticks(aggregate: TrendAggregate | None, schema: EventSchema) -> bool:
    """Whether it is a time, or a length of time, in the units of a time column of integers."""
    if aggregate is None or aggregate.function == "COUNT":
        return False
    is_whole = aggregate.attribute_type is AttributeType.INTEGER
    if aggregate.of_match is not None:
        return is_whole and reads_time_alone(aggregate.of_match, schema)
    others = (aggregate.other_attribute or schema.time) == schema.time and aggregate.sign < 0
    return is_whole and aggregate.attribute == schema.time and (aggregate.other is None or others)


def _as_number(
    node: ast.Attribute, found: AttributeType, wanted: AttributeType, scale: int | None
) -> ast.Expression:
    """Return an attribute as what is added up: a time in microseconds, a decimal without point."""
    if scale is not None:
        return without_point(node, scale)
    if found in TEMPORAL:
        return ast.Function("microseconds", (node,), span=node.span)
    if wanted is AttributeType.FLOAT and found is not AttributeType.FLOAT:
        return ast.Cast(node, "DOUBLE", span=node.span)
    return node


def _has_index(node: ast.Expression) -> bool:
    for each in references_in(node):
        if isinstance(each, ast.Indexed) or each.index is not None or each.is_next:
            return True
    return False
