"""Aggregates and HAVING to measures and columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundQuery, TrendAggregate
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
from cepheid.program.retype_values import retype_condition, retype_value

WHOLE = (AttributeType.INTEGER, AttributeType.DURATION)
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

    def output(self) -> AggregateOutput:
        columns = [
            self._column(e.output, e.aggregate, is_hidden=e.output not in self.query.returned)
            for e in self.query.aggregates or ()
        ]
        floats = {each.name for each in columns if _is_double(each)}
        having = self.query.having
        return AggregateOutput(
            groups=tuple((each.attribute, each.output) for each in self.query.group_by),
            numbers=tuple(self.numbers),
            minima=tuple(self.minima),
            columns=tuple(columns),
            returned=self.query.returned,
            having=None if having is None else retype_condition(having, floats),
            shows_expiry=self.shows_expiry,
            constants=self.query.constants,
            arithmetic=tuple(
                replace(each, value=retype_value(each.value, floats))
                for each in self.query.arithmetic
            ),
        )

    # --- columns --------------------------------------------------------------------------------

    def _column(
        self, name: str, wanted: TrendAggregate, *, is_hidden: bool = False
    ) -> AggregateColumn:
        if wanted.variable is None:
            form = Form.EXACT if wanted.exact else Form.LOGARITHM if wanted.log2 else Form.NUMBER
            return AggregateColumn(name, form, self.kind, is_hidden=is_hidden)
        if wanted.of_match is not None:
            return self._of_match(name, wanted, is_hidden=is_hidden)
        if wanted.other is not None:
            return self._of_two(name, wanted, is_hidden=is_hidden)
        match wanted.function:
            case "COUNT":
                content = Content.EVENTS if wanted.attribute is None else Content.VALUES
                number = self._number(content, wanted)
                return AggregateColumn(name, Form.NUMBER, self.kind, number, is_hidden=is_hidden)
            case "MIN" | "MAX":
                minimum = self._minimum(wanted)
                return AggregateColumn(name, Form.EXTREME, minimum=minimum, is_hidden=is_hidden)
        number, values = self._number(Content.SUM, wanted), self._number(Content.VALUES, wanted)
        is_integer = wanted.attribute_type in WHOLE
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

    def _of_match(self, name: str, wanted: TrendAggregate, *, is_hidden: bool) -> AggregateColumn:
        """What a match gives as a whole counts once for it."""
        assert wanted.of_match is not None
        read = wanted.of_match.output
        if wanted.function in ("MIN", "MAX"):
            extreme = MinimumMeasure(read, wanted.function == "MAX", 0, is_of_match=True)
            place = _place(self.minima, extreme)
            return AggregateColumn(
                name, Form.EXTREME, minimum=place, is_hidden=is_hidden, scale=wanted.scale
            )
        values = self._number_of_match(Content.VALUES, read)
        if wanted.function == "COUNT":
            return AggregateColumn(name, Form.NUMBER, self.kind, values, is_hidden=is_hidden)
        is_bigint = wanted.function == "SUM" and wanted.attribute_type in WHOLE
        kind, magnitude = self.kind if is_bigint else NumberKind.DOUBLE, None
        if kind is NumberKind.BIGINT:
            magnitude = self._number_of_match(Content.MAGNITUDE, read)
        return AggregateColumn(
            name,
            Form.AVERAGE if wanted.function == "AVG" else Form.NUMBER,
            kind,
            self._number_of_match(Content.SUM, read),
            values=values,
            magnitude=magnitude,
            is_hidden=is_hidden,
            scale=wanted.scale,
        )

    def _of_two(self, name: str, wanted: TrendAggregate, *, is_hidden: bool) -> AggregateColumn:
        """The sum over trends of what two events have together is that of the one and the other."""
        other = replace(wanted, variable=wanted.other, attribute=wanted.other_attribute)
        is_average, is_whole = wanted.function == "AVG", wanted.attribute_type in WHOLE
        magnitudes = [self._number(Content.MAGNITUDE, each) if is_whole else None
                      for each in (wanted, other)]  # fmt: skip
        return AggregateColumn(
            name,
            Form.AVERAGE_OF_TWO if is_average else Form.SUM_OF_TWO,
            NumberKind.DOUBLE if is_average or not is_whole else self.kind,
            self._number(Content.SUM, wanted),
            magnitude=magnitudes[0],
            is_hidden=is_hidden,
            scale=wanted.scale,
            other=self._number(Content.SUM, other),
            other_magnitude=magnitudes[1],
            sign=wanted.sign,
        )

    def _number(self, content: Content, wanted: TrendAggregate) -> int:
        attribute = None if content is Content.EVENTS else wanted.attribute
        measure = NumberMeasure(content, attribute, *self._where(wanted))
        return 1 + _place(self.numbers, measure)

    def _number_of_match(self, content: Content, column: str) -> int:
        return 1 + _place(self.numbers, NumberMeasure(content, column, 0, is_of_match=True))

    def _minimum(self, wanted: TrendAggregate) -> int:
        assert wanted.attribute is not None
        is_maximum = wanted.function == "MAX"
        measure = MinimumMeasure(wanted.attribute, is_maximum, *self._where(wanted))
        return _place(self.minima, measure)

    def _where(self, wanted: TrendAggregate) -> tuple[int, int]:
        """Return the positions of a variable, on each side of AND."""
        name, (first, *others) = wanted.variable, self.query.patterns
        assert name is not None
        second = bit_mask(positions_of(others[0], name)) if others else 0
        return bit_mask(positions_of(first, name)), second


def _is_double(column: AggregateColumn) -> bool:
    """Whether a column of numbers has doubles; a count with all its digits may have them."""
    is_number = column.form in (Form.NUMBER, Form.SUM_OF_TWO)
    return column.form is Form.EXACT or (is_number and column.kind is NumberKind.DOUBLE)


def _place(measures: list[Measure], measure: Measure) -> int:
    """Return the place of a measure in a list; it is added if it is new."""
    if measure not in measures:
        measures.append(measure)
    return measures.index(measure)
