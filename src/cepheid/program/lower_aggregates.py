"""Aggregates and HAVING to measures and columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import (
    BoundQuery,
    HavingArithmetic,
    HavingCompare,
    HavingCondition,
    HavingConstant,
    HavingFunction,
    HavingGroup,
    HavingLogical,
    HavingReference,
    HavingValue,
    TrendAggregate,
)
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Operation,
    Role,
    Value,
)
from cepheid.analysis.rename_variables import change_value
from cepheid.plan.paired_aggregates import positions_of
from cepheid.plan.physical import NumberType, PhysicalPlan
from cepheid.program.aggregate_output import (
    AggregateColumn,
    AggregateOutput,
    Content,
    Form,
    MinimumMeasure,
    NumberKind,
    NumberMeasure,
)
from cepheid.program.lower_automaton import bit_mask

HIDDEN = "aggregate of HAVING"  # with a blank, so that no column of RETURN is called so
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
Measure = TypeVar("Measure", NumberMeasure, MinimumMeasure)


def lower_aggregates(plan: PhysicalPlan) -> AggregateOutput:
    """Return the output of an aggregate query."""
    return _Lowering(plan).output()


class _Lowering:
    def __init__(self, plan: PhysicalPlan) -> None:
        self.query: BoundQuery = plan.query
        self.shows_expiry = plan.shows_expiry
        wide = plan.numbers.value is NumberType.DOUBLE
        self.kind = NumberKind.DOUBLE if wide else NumberKind.BIGINT
        self.numbers: list[NumberMeasure] = []
        self.minima: list[MinimumMeasure] = []
        self.hidden: dict[TrendAggregate, AggregateColumn] = {}

    def output(self) -> AggregateOutput:
        columns = [
            self._column(e.output, e.aggregate, is_hidden=e.output not in self.query.returned)
            for e in self.query.aggregates or ()
        ]
        having = self.query.having
        condition = None if having is None else self._condition(having, negated=False)
        return AggregateOutput(
            groups=tuple((each.attribute, each.output) for each in self.query.group_by),
            numbers=tuple(self.numbers),
            minima=tuple(self.minima),
            columns=(*columns, *self.hidden.values()),
            returned=self.query.returned,
            having=condition,
            shows_expiry=self.shows_expiry,
            constants=self.query.constants,
            arithmetic=self.query.arithmetic,
        )

    # --- columns --------------------------------------------------------------------------------

    def _column(
        self, name: str, wanted: TrendAggregate, *, is_hidden: bool = False
    ) -> AggregateColumn:
        if wanted.variable is None:
            form = Form.EXACT if wanted.exact else Form.LOGARITHM if wanted.log2 else Form.NUMBER
            return AggregateColumn(name, form, self.kind, is_hidden=is_hidden)
        if wanted.minus is not None:
            return self._difference(name, wanted, wanted.minus, is_hidden=is_hidden)
        match wanted.function:
            case "COUNT":
                content = Content.EVENTS if wanted.attribute is None else Content.VALUES
                number = self._number(content, wanted)
                return AggregateColumn(name, Form.NUMBER, self.kind, number, is_hidden=is_hidden)
            case "MIN" | "MAX":
                minimum = self._minimum(wanted)
                return AggregateColumn(name, Form.EXTREME, minimum=minimum, is_hidden=is_hidden)
        number, values = self._number(Content.SUM, wanted), self._number(Content.VALUES, wanted)
        is_integer = wanted.attribute_type is AttributeType.INTEGER
        if wanted.function == "AVG":
            kind, form = NumberKind.DOUBLE, Form.AVERAGE
        else:
            kind, form = self.kind if is_integer else NumberKind.DOUBLE, Form.NUMBER
        magnitude = None
        if kind is NumberKind.BIGINT:
            magnitude = self._number(Content.MAGNITUDE, wanted)
        return AggregateColumn(
            name,
            form,
            kind,
            number,
            values=values,
            magnitude=magnitude,
            is_whole=is_integer,
            is_hidden=is_hidden,
            scale=wanted.scale,
        )

    def _difference(
        self, name: str, wanted: TrendAggregate, minus: str, *, is_hidden: bool
    ) -> AggregateColumn:
        """The sum over trends of a difference is that of one event less that of the other."""
        other = replace(wanted, variable=minus)
        is_average = wanted.function == "AVG"
        return AggregateColumn(
            name,
            Form.AVERAGE_DIFFERENCE if is_average else Form.DIFFERENCE,
            NumberKind.DOUBLE if is_average else self.kind,
            self._number(Content.SUM, wanted),
            magnitude=self._number(Content.MAGNITUDE, wanted),
            is_hidden=is_hidden,
            minus=self._number(Content.SUM, other),
            minus_magnitude=self._number(Content.MAGNITUDE, other),
        )

    def _number(self, content: Content, wanted: TrendAggregate) -> int:
        attribute = None if content is Content.EVENTS else wanted.attribute
        measure = NumberMeasure(content, attribute, *self._where(wanted))
        return 1 + _place(self.numbers, measure)

    def _minimum(self, wanted: TrendAggregate) -> int:
        assert wanted.attribute is not None
        is_maximum = wanted.function == "MAX"
        measure = MinimumMeasure(wanted.attribute, is_maximum, *self._where(wanted))
        return _place(self.minima, measure)

    def _where(self, wanted: TrendAggregate) -> list[int]:
        """Return the positions of a variable, with AND those of each side."""
        assert wanted.variable is not None
        return [bit_mask(positions_of(each, wanted.variable)) for each in self.query.patterns]

    # --- HAVING ---------------------------------------------------------------------------------

    def _condition(self, node: HavingCondition, *, negated: bool) -> Condition:
        """NOT is pushed down to the comparisons, as in WHERE."""
        match node:
            case HavingCompare():
                operator = OPPOSITE[node.operator] if negated else node.operator
                return Compare(operator, self._value(node.left), self._value(node.right))
            case HavingLogical(operator="NOT"):
                return self._condition(node.operands[0], negated=not negated)
            case HavingLogical():
                operands = tuple(self._condition(e, negated=negated) for e in node.operands)
                is_all = (node.operator == "AND") != negated
                return AllOf(operands) if is_all else AnyOf(operands)

    def _value(self, node: HavingValue) -> Value:
        unknown = AttributeType.UNKNOWN
        match node:
            case HavingConstant():
                kind = AttributeType.NULL if node.value is None else unknown
                return Constant(node.value, kind)
            case HavingGroup():
                name = next(e.output for e in self.query.group_by if e.attribute == node.attribute)
                return AttributeReference("", Role.EACH, name, unknown)
            case HavingReference():
                return AttributeReference("", Role.EACH, self._hidden(node.aggregate), unknown)
            case HavingArithmetic():
                return Operation(
                    node.operator, self._value(node.left), self._value(node.right), unknown
                )
            case HavingFunction():
                leaves = [self._value(each) for each in node.leaves]
                return change_value(node.value, lambda each: leaves[int(str(each.attribute))])

    def _hidden(self, wanted: TrendAggregate) -> str:
        """Return the column that HAVING reads: one of its own, so that EXACT can be a number."""
        if wanted not in self.hidden:
            name = f"{HIDDEN} {len(self.hidden)}"
            self.hidden[wanted] = self._column(name, wanted, is_hidden=True)
        return self.hidden[wanted].name


def _place(measures: list[Measure], measure: Measure) -> int:
    """Return the place of a measure in a list; it is added if it is new."""
    if measure not in measures:
        measures.append(measure)
    return measures.index(measure)
