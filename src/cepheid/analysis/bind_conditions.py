"""WHERE: boolean logic to conditions without NOT, strategies and equivalence tests set apart."""

from __future__ import annotations

from dataclasses import dataclass, field

from cepheid.analysis.attribute_types import TEMPORAL, AttributeType
from cepheid.analysis.bind_columns import OPPOSITE, opposite, reads_one
from cepheid.analysis.bind_functions import FunctionBinder
from cepheid.analysis.bind_values import (
    comparable,
    is_time_text,
    with_exact_literals,
)
from cepheid.analysis.check_arguments import bad_pattern
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Truth,
    Value,
    references,
)
from cepheid.language import ast
from cepheid.language.printer import print_expression
from cepheid.language.source import Span

NUMBERS = {AttributeType.INTEGER, AttributeType.FLOAT, AttributeType.DECIMAL}


@dataclass(slots=True)
class WhereTerms:
    """The conjuncts of WHERE by kind."""

    conditions: list[tuple[Condition, Span]] = field(default_factory=list)
    strategies: list[ast.StrategyTerm] = field(default_factory=list)
    equivalences: list[ast.Equivalence] = field(default_factory=list)


class ConditionBinder(FunctionBinder):
    """Binds conditions; None stands for one whose mistake has been reported."""

    def where(self, node: ast.Expression | None) -> WhereTerms:
        """Split WHERE at its outermost ANDs and bind every part."""
        terms = WhereTerms()
        if node is not None:
            self._collect(node, terms)
        return terms

    def _collect(self, node: ast.Expression, terms: WhereTerms) -> None:
        match node:
            case ast.And():
                for each in node.operands:
                    self._collect(each, terms)
            case ast.StrategyTerm():
                terms.strategies.append(node)
                if node.body is not None:
                    self._collect(node.body, terms)
            case ast.Equivalence():
                terms.equivalences.append(node)
            case _:
                condition = self.condition(node, positive=True)
                if condition is not None:
                    terms.conditions.append((condition, node.span))
                else:
                    self.problems.expect_any(node.span)

    def condition(self, node: ast.Expression, *, positive: bool) -> Condition | None:
        """Bind a condition; with `positive` False its negation."""
        match node:
            case ast.Not():
                return self.condition(node.operand, positive=not positive)
            case ast.And() | ast.Or():
                bound = [self.condition(each, positive=positive) for each in node.operands]
                operands = tuple(each for each in bound if each is not None)
                if len(operands) < len(bound):
                    return None
                return (AllOf if isinstance(node, ast.And) is positive else AnyOf)(operands)
            case ast.Comparison():
                return self._comparison(node, positive=positive)
            case ast.Between():
                chain = ast.Comparison((node.low, node.operand, node.high), ("<=", "<="),
                                       span=node.span)  # fmt: skip
                return self._comparison(chain, positive=positive)
            case ast.In():
                return self._in(node, positive=positive)
            case ast.Like():
                return self._like(node, positive=positive)
            case ast.IsNull():
                operand = self.value(node.operand)
                return None if operand is None else self._is_null(operand, node, positive)
            case ast.IsDistinct():
                return self._is_distinct(node, positive=positive)
            case ast.Literal(value=bool(value)):
                return Truth(value is positive)
            case ast.StrategyTerm() | ast.Equivalence():
                kind = "strategy" if isinstance(node, ast.StrategyTerm) else "equivalence test"
                self.problems.add(
                    f"misplaced-{kind.split(maxsplit=1)[0]}",
                    f"the {kind} '{print_expression(node)}' must be joined to WHERE by AND",
                    node.span,
                    "take it out of OR and NOT",
                )
                return None
        return self._boolean_value(node, positive=positive)

    def _boolean_value(self, node: ast.Expression, *, positive: bool) -> Condition | None:
        value = self.column_value(node)
        if value is None:
            return None
        free = (AttributeType.BOOLEAN, AttributeType.UNKNOWN, AttributeType.NULL)
        if value.type not in free:
            self.problems.add(
                "not-a-condition",
                f"'{print_expression(node)}' is {value.type.phrase}, not a condition",
                node.span,
                "compare it with something",
            )
            return None
        return Compare("=", value, Constant(positive, AttributeType.BOOLEAN))

    def _comparison(self, node: ast.Comparison, *, positive: bool) -> Condition | None:
        values = [self.value(each) for each in node.operands]
        atoms: list[Condition] = []
        for index, operator in enumerate(node.operators):
            left, right = values[index], values[index + 1]
            if left is None or right is None:
                continue
            nodes = node.operands[index], node.operands[index + 1]
            sides = self._agree(left, right, *nodes)
            if sides is not None:
                sign = operator if positive else OPPOSITE[operator]
                atom = self.lifted_atom(Compare(sign, *sides), nodes)
                atoms += [] if atom is None else [atom]
        if len(atoms) < len(node.operators):
            return None
        if len(atoms) == 1:
            return atoms[0]
        return (AllOf if positive else AnyOf)(tuple(atoms))

    # --- tests of SQL -----------------------------------------------------------------------------

    def _truth(self, test: Apply, node: ast.Expression, positive: bool) -> Condition | None:
        """Return a test that is a value as a condition."""
        value = self.lifted(test, node)
        if value is None:
            return None
        return Compare("=", value, Constant(positive, AttributeType.BOOLEAN))

    def _in(self, node: ast.In, *, positive: bool) -> Condition | None:
        operand = self.value(node.operand)
        values = [self.value(each) for each in node.values]
        if operand is None or None in values:
            return None
        pairs = [
            self._agree(operand, value, node.operand, each)
            for value, each in zip(values, node.values, strict=True)
            if value is not None
        ]
        agreed = [each for each in pairs if each is not None]
        if len(agreed) < len(pairs):
            return None
        members = tuple(each[1] for each in agreed)
        if not members:  # an empty list
            return Truth(not positive)
        are_literals = len(members) > 1 and all(isinstance(each, Constant) for each in members)
        if are_literals and any(references(operand)) and reads_one(operand):
            kind = AttributeType.BOOLEAN
            return self._truth(Apply("in", (operand, *members), kind), node, positive)
        atoms = []
        for left, right in agreed:
            sign = "=" if positive else "!="
            atom = self.lifted_atom(Compare(sign, left, right), (node.operand, node))
            if atom is None:
                return None
            atoms.append(atom)
        return (AnyOf if positive else AllOf)(tuple(atoms))

    def _like(self, node: ast.Like, *, positive: bool) -> Condition | None:
        operand, pattern = self.value(node.operand), self.value(node.pattern)
        if operand is None or pattern is None:
            return None
        free = (AttributeType.STRING, AttributeType.UNKNOWN, AttributeType.NULL)
        if operand.type not in free:
            self.problems.add(
                "type-mismatch",
                f"{node.operator} needs a string, but '{print_expression(node.operand)}' is "
                f"{operand.type.phrase}",
                node.operand.span,
                "write CAST(x AS STRING) LIKE …",
            )
            return None
        if pattern.type not in free:
            self.problems.add(
                "type-mismatch",
                f"{node.operator} needs a string on its right, but "
                f"'{print_expression(node.pattern)}' is {pattern.type.phrase}",
                node.pattern.span,
                "write x LIKE 'a%'",
            )
            return None
        given = pattern.value if isinstance(pattern, Constant) else None
        hint = self._pattern_hint(node, None if given is None else str(given))
        if hint is not None:
            self.problems.add(
                "bad-pattern", f"'{print_expression(node)}' is not a test", node.pattern.span, hint
            )
            return None
        option = node.escape or ""
        test = Apply(node.operator.lower(), (operand, pattern), AttributeType.BOOLEAN, option)
        return self._truth(test, node, positive)

    def _pattern_hint(self, node: ast.Like, pattern: str | None) -> str | None:
        escape = node.escape
        if node.operator == "RLIKE" and escape is not None:
            return "RLIKE escapes by a backslash"
        if escape is not None and len(escape) != 1:
            return "ESCAPE takes one character"
        if pattern is None:
            return None
        if node.operator == "RLIKE":
            return bad_pattern(pattern)
        if escape is not None and pattern.replace(escape * 2, "").endswith(escape):
            return f"nothing follows the '{escape}' at its end"
        return None

    def _is_null(self, operand: Value, node: ast.Expression, positive: bool) -> Condition | None:
        if isinstance(operand, Constant):
            return Truth((operand.value is None) is positive)
        test = Apply("is_null", (operand,), AttributeType.BOOLEAN)
        return self._truth(test, node, positive)

    def _is_distinct(self, node: ast.IsDistinct, *, positive: bool) -> Condition | None:
        """`x IS DISTINCT FROM y`: they differ, or one of them is NULL and the other is not."""
        if not self.depth:
            with self.inside():
                whole = self._is_distinct(node, positive=True)
            if whole is None:
                return None
            test = Apply("condition", (whole,), AttributeType.BOOLEAN)
            if reads_one(test):
                return self._truth(test, node, positive)
            return self.lifted_condition(whole if positive else opposite(whole), node)
        operator = "!=" if positive else "="
        differ = self._comparison(ast.Comparison((node.left, node.right), (operator,),
                                                 span=node.span), positive=True)  # fmt: skip
        left, right = self.value(node.left), self.value(node.right)
        if differ is None or left is None or right is None:
            return None
        known = [self._is_null(each, node, False) for each in (left, right)]
        unknown = [self._is_null(each, node, True) for each in (left, right)]
        if None in known or None in unknown:
            return None
        (knows_left, knows_right), (no_left, no_right) = known, unknown
        pairs = ((no_left, knows_right), (knows_left, no_right)) if positive else (unknown,)
        tests = [(differ, knows_left, knows_right), *pairs]
        return AnyOf(tuple(AllOf(tuple(each)) for each in tests))

    def _agree(
        self, left: Value, right: Value, left_node: ast.Expression, right_node: ast.Expression
    ) -> tuple[Value, Value] | None:
        """Return both sides with comparable types; text compared with a time becomes a time."""
        left, right = self.in_ticks(left, right), self.in_ticks(right, left)
        binary = AttributeType.BINARY
        if self.nested_type(left) is binary and self.nested_type(right) is binary:
            sides = [Apply("hex", (each,), AttributeType.STRING) for each in (left, right)]
            return sides[0], sides[1]
        is_length = AttributeType.DURATION in (left.type, right.type)
        is_open = any(each.type is AttributeType.UNKNOWN for side in (left, right)
                      for each in references(side))  # fmt: skip
        if comparable(left.type, right.type) or (is_length and is_open):
            return with_exact_literals(left, right)
        for one, other, node in ((left, right, right_node), (right, left, left_node)):
            if (
                one.type in TEMPORAL
                and isinstance(other, Constant)
                and isinstance(other.value, str)
            ):
                if is_time_text(other.value):
                    timed = Constant(other.value, AttributeType.TIMESTAMP)
                    return (left, timed) if other is right else (timed, right)
                self.problems.add(
                    "bad-time",
                    f"'{other.value}' is not a time",
                    node.span,
                    "write it as '2024-01-31' or '2024-01-31 09:30:00'",
                )
                return None
        kinds = [self.nested_type(each) for each in (left, right)]
        alike = kinds[0] is kinds[1]
        self.problems.add(
            "type-mismatch",
            f"cannot compare {kinds[0].phrase} with {'another' if alike else kinds[1].phrase}",
            left_node.span.to(right_node.span),
            self._mismatch_hint((left, left_node), (right, right_node)),
        )
        return None

    def _mismatch_hint(self, *sides: tuple[Value, ast.Expression]) -> str | None:
        types = {self.nested_type(value) for value, _ in sides}
        if types == {AttributeType.ARRAY}:
            return "compare sizes, as in size(a.x) = size(b.x), or ask contains(a.x, element)"
        if types == {AttributeType.STRUCT}:
            return "compare fields, as in a.x.field = b.x.field"
        if types == {AttributeType.MAP}:
            return "compare entries, as in a.x['key'] = b.x['key']"
        if types == {AttributeType.OTHER}:
            return "cast the column to a string, a number or a time before the events are read"
        if all(each in TEMPORAL for each in types):
            return "cast one of the columns, so that both have a zone or neither has"
        if AttributeType.DURATION in types:
            return "a length of time has a unit: write 5 seconds, 10 min or 1h 30min"
        columns = [(value, node) for value, node in sides if isinstance(value, AttributeReference)]
        named = [
            f"{_called(value, node)} is {self.nested_type(value).phrase}" for value, node in columns
        ]
        is_text = any(value.type is AttributeType.STRING for value, _ in columns)
        if is_text and types & NUMBERS:
            named.append("CAST(x AS DOUBLE) reads a number from a text")
        return ", ".join(named) or None


def _called(value: AttributeReference, node: ast.Expression) -> str:
    """Return what a column is called: one of a result as it is written."""
    if value.variable:
        return f"{value.variable}.{value.attribute}"
    return f"'{print_expression(node)}'"
