"""WHERE: boolean logic to conditions without NOT, strategies and equivalence tests set apart."""

from __future__ import annotations

from dataclasses import dataclass, field

from cepheid.analysis.bind_values import (
    ValueBinder,
    comparable,
    is_time_text,
    with_exact_literals,
)
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Truth,
    Value,
)
from cepheid.analysis.schema import TEMPORAL, AttributeType
from cepheid.analysis.separate_events import separate_events
from cepheid.language import ast
from cepheid.language.printer import print_expression
from cepheid.language.source import Span

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(slots=True)
class WhereTerms:
    """The conjuncts of WHERE by kind."""

    conditions: list[tuple[Condition, Span]] = field(default_factory=list)
    strategies: list[ast.StrategyTerm] = field(default_factory=list)
    equivalences: list[ast.Equivalence] = field(default_factory=list)


class ConditionBinder(ValueBinder):
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
        value = self.value(node)
        if value is None:
            return None
        is_null = value.type is AttributeType.NULL and not isinstance(value, Constant)
        if not is_null and value.type not in (AttributeType.BOOLEAN, AttributeType.UNKNOWN):
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
            sides = self._agree(left, right, node.operands[index], node.operands[index + 1])
            if sides is not None:
                sign = operator if positive else OPPOSITE[operator]
                atoms.append(separate_events(Compare(sign, *sides)))
        if len(atoms) < len(node.operators):
            return None
        if len(atoms) == 1:
            return atoms[0]
        return (AllOf if positive else AnyOf)(tuple(atoms))

    def _agree(
        self, left: Value, right: Value, left_node: ast.Expression, right_node: ast.Expression
    ) -> tuple[Value, Value] | None:
        """Return both sides with comparable types; text compared with a time becomes a time."""
        if comparable(left.type, right.type):
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
        self.problems.add(
            "type-mismatch",
            f"cannot compare {left.type.phrase} with {right.type.phrase}",
            left_node.span.to(right_node.span),
            self._mismatch_hint(left, right),
        )
        return None

    def _mismatch_hint(self, left: Value, right: Value) -> str | None:
        if left.type in TEMPORAL and right.type in TEMPORAL:
            return "cast one of the columns, so that both have a zone or neither has"
        named = [
            f"{each.variable}.{each.attribute} is {each.type.phrase}"
            for each in (left, right)
            if isinstance(each, AttributeReference)
        ]
        return ", ".join(named) or None
