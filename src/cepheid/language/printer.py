"""Tree to text: one spelling for every construct, such that parse(print_query(q)) == q."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import assert_never

from cepheid.language import ast

PLAIN_NAME = re.compile(r"[^\W\d]\w*")
TYPE_NAME = re.compile(r"[^\W\d]\w*(-[^\W\d]\w*)*")
PRECEDENCE = {"+": 5, "-": 5, "*": 6, "/": 6, "%": 6}
RESERVED_OPERANDS = {
    "TRUE", "FALSE", "NULL", "NOT", "NEXT", "EXACT", "AND", "OR", "CASE", "CAST",
    *(each.value.upper() for each in ast.StrategyName),
}  # fmt: skip
RESERVED_TYPES = {"SEQ", "ANY", "NOT"}
# What may follow an event type or a `>` and so cannot stand there alone without backticks.
CLAUSE_WORD = re.compile(
    r"event|pattern|semantics|where|within|slide|group[_]*by|return|agg|having|output|into",
    re.IGNORECASE,
)


def print_query(query: ast.Query) -> str:
    """Return the text of a query, one clause a line."""
    lines = [f"PATTERN {print_pattern(query.pattern)}"]
    if query.semantics is not None:
        lines.append(f"SEMANTICS {query.semantics.strategy.value}")
    if query.where is not None:
        lines.append(f"WHERE {print_expression(query.where)}")
    if query.group_by:
        lines.append(f"GROUP BY {', '.join(print_expression(each) for each in query.group_by)}")
    if query.window is not None:
        lines.append(f"WITHIN {_duration(query.window.within)}")
        if query.window.slide is not None:
            lines.append(f"SLIDE {_duration(query.window.slide)}")
    for bound in query.neighbour_windows:
        names = f"{_name(bound.first)}, {_name(bound.second)}"
        lines.append(f"WITHIN {_duration(bound.within)} BETWEEN {names}")
    if query.returns:
        lines.append(f"RETURN {', '.join(_return_item(each) for each in query.returns)}")
    if query.having is not None:
        lines.append(f"HAVING {print_expression(query.having)}")
    if query.output is not None:
        lines.append(f"OUTPUT {query.output.value}{_skip(query.skip)}")
    if query.into is not None:
        lines.append(f"INTO {_type(query.into)}")
    return "\n".join(lines)


def _skip(skip: ast.Skip | None) -> str:
    if skip is None:
        return ""
    return f" SKIP {skip.to.value}" + (f" {_name(skip.variable)}" if skip.variable else "")


def print_pattern(pattern: ast.Pattern) -> str:
    """Return the text of a pattern; operands of OR, AND, NOT and quantifiers in parentheses."""
    match pattern:
        case ast.EventPattern():
            types = [_type(each) for each in pattern.types]
            test = types[0] if len(types) == 1 else f"ANY({', '.join(types)})"
            if pattern.types == (ast.EVERY_TYPE,):
                test = "ANY"
            return test if pattern.variable is None else f"{test} {_variable(pattern.variable)}"
        case ast.Sequence():
            return f"SEQ({', '.join(print_pattern(each) for each in pattern.parts)})"
        case ast.Repeat():
            return f"{_operand(pattern.pattern)}{_quantifier(pattern)}"
        case ast.Alternation():
            return " OR ".join(_operand(each) for each in pattern.parts)
        case ast.Conjunction():
            return " AND ".join(_operand(each) for each in pattern.parts)
        case ast.Negation():
            return f"!{_operand(pattern.pattern)}"
    assert_never(pattern)


def _operand(pattern: ast.Pattern) -> str:
    text = print_pattern(pattern)
    if isinstance(pattern, ast.EventPattern | ast.Sequence):
        return text
    return f"({text})"


def _quantifier(repeat: ast.Repeat) -> str:
    match (repeat.minimum, repeat.maximum):
        case (1, None):
            return "+"
        case (0, None):
            return "*"
        case (0, 1):
            return "?"
        case (minimum, None):
            return f"{{{minimum},}}"
        case (minimum, maximum) if minimum == maximum:
            return f"{{{minimum}}}"
        case (minimum, maximum):
            return f"{{{minimum},{maximum}}}"


def print_expression(expression: ast.Expression) -> str:
    """Return the text of an expression with the fewest parentheses that keep its meaning."""
    return _expression(expression, 0)


def _expression(node: ast.Expression, context: int) -> str:
    """`context` is the binding strength of the operator around; looser text gets parentheses."""
    text, strength = _spell(node)
    return f"({text})" if strength < context else text


def _spell(node: ast.Expression) -> tuple[str, int]:
    match node:
        case ast.Or():
            return " OR ".join(_expression(each, 2) for each in node.operands), 1
        case ast.And():
            return " AND ".join(_expression(each, 3) for each in node.operands), 2
        case ast.Not(operand=ast.In() | ast.Between() | ast.Like() | ast.IsNull() as test):
            return _test(test, "NOT "), 4
        case ast.Not():
            return f"NOT {_expression(node.operand, 3)}", 3
        case ast.Comparison():
            words = [_expression(node.operands[0], 5)]
            for operator, operand in zip(node.operators, node.operands[1:], strict=True):
                words += [operator, _expression(operand, 5)]
            return " ".join(words), 4
        case ast.Arithmetic():
            strength = PRECEDENCE[node.operator]
            left, right = _expression(node.left, strength), _expression(node.right, strength + 1)
            return f"{left} {node.operator} {right}", strength
        case ast.Negative():
            return f"-{_expression(node.operand, 8)}", 7
        case ast.Literal():
            return _literal(node.value)
        case ast.In() | ast.Between() | ast.Like() | ast.IsNull() | ast.IsDistinct():
            return _test(node), 4
        case _:
            return _leaf(node), 9


def _test(
    node: ast.In | ast.Between | ast.Like | ast.IsNull | ast.IsDistinct, negation: str = ""
) -> str:
    match node:
        case ast.In(values=(ast.Parameter() as only,)):
            return f"{_expression(node.operand, 5)} {negation}IN :{only.name}"
        case ast.In():
            return f"{_expression(node.operand, 5)} {negation}IN ({_list(node.values)})"
        case ast.Between():
            low, high = _expression(node.low, 5), _expression(node.high, 5)
            return f"{_expression(node.operand, 5)} {negation}BETWEEN {low} AND {high}"
        case ast.Like():
            operand, pattern = _expression(node.operand, 5), _expression(node.pattern, 5)
            escape = "" if node.escape is None else f" ESCAPE {_literal(node.escape)[0]}"
            return f"{operand} {negation}{node.operator} {pattern}{escape}"
        case ast.IsNull():
            return f"{_expression(node.operand, 5)} IS {negation}NULL"
        case ast.IsDistinct():
            return f"{_expression(node.left, 5)} IS DISTINCT FROM {_expression(node.right, 5)}"
    assert_never(node)


def _list(nodes: tuple[ast.Expression, ...]) -> str:
    return ", ".join(map(print_expression, nodes))


def _leaf(
    node: ast.Parameter
    | ast.Name
    | ast.Indexed
    | ast.Attribute
    | ast.Star
    | ast.Call
    | ast.Function
    | ast.Path
    | ast.Case
    | ast.Cast
    | ast.Interval
    | ast.TypedLiteral
    | ast.Equivalence
    | ast.StrategyTerm,
) -> str:
    match node:
        case ast.Parameter():
            return f":{node.name}"
        case ast.Name():
            return _variable(node.text)
        case ast.Indexed():
            return f"{_name(node.variable)}{_index(node.variable, node.index)}"
        case ast.Attribute(is_next=True):
            return f"NEXT({_name(node.variable)}).{_name(node.name)}"
        case ast.Attribute():
            index = "" if node.index is None else _index(node.variable, node.index)
            return f"{_name(node.variable)}{index}.{_name(node.name)}"
        case ast.Star():
            return "*" if node.variable is None else f"{_name(node.variable)}.*"
        case ast.Call():
            exact = "EXACT " if node.exact else ""
            return f"{exact}{node.function}({print_expression(node.argument)})"
        case ast.Function("count_distinct", (argument,)):
            return f"COUNT(DISTINCT {print_expression(argument)})"
        case ast.Function():
            return f"{_name(node.name)}({_list(node.arguments)})"
        case ast.Path():
            steps = [f".{_name(each)}" if isinstance(each, str) else f"[{_literal(each.value)[0]}]"
                     for each in node.steps]  # fmt: skip
            return _leaf(node.reference) + "".join(steps)
        case ast.Case():
            return _case(node)
        case ast.Cast():
            return f"CAST({print_expression(node.operand)} AS {node.type})"
        case ast.Interval():
            return " ".join(f"{_literal(amount)[0]} {_name(unit)}" for amount, unit in node.parts)
        case ast.TypedLiteral():
            return f"{node.type} {_literal(node.text)[0]}"
        case ast.Equivalence():
            value = "" if node.value is None else f" = {print_expression(node.value)}"
            return f"[{', '.join(map(_variable, node.attributes))}{value}]"
        case ast.StrategyTerm():
            names = ", ".join(map(_name, node.variables or ()))
            arguments = "" if node.variables is None else f"({names})"
            body = "" if node.body is None else f" {{ {print_expression(node.body)} }}"
            return f"{node.strategy.value}{arguments}{body}"
    assert_never(node)


def _case(node: ast.Case) -> str:
    operand = "" if node.operand is None else print_expression(node.operand)
    words = [f"CASE ({operand})" if operand.startswith("[") else f"CASE {operand}".rstrip()]
    words += [f"WHEN {print_expression(condition)} THEN {print_expression(result)}"
              for condition, result in node.branches]  # fmt: skip
    if node.otherwise is not None:
        words.append(f"ELSE {print_expression(node.otherwise)}")
    return " ".join([*words, "END"])


def _index(variable: str, index: ast.IndexKind) -> str:
    return f"[{_name(variable)}.LEN]" if index is ast.IndexKind.LAST else index.value


def _literal(value: int | float | Decimal | str | bool | None) -> tuple[str, int]:
    if value is None:
        return "NULL", 9
    if isinstance(value, bool):
        return ("TRUE" if value else "FALSE"), 9
    if isinstance(value, str):
        return _text(value), 9
    text = str(value) if isinstance(value, Decimal) else repr(value)
    return text, (9 if value >= 0 else 7)


def _text(value: str) -> str:
    if "\n" in value:
        signs = (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"))
        for sign, written in signs:
            value = value.replace(sign, written)
        return f"E'{value}'"
    return "'" + value.replace("'", "''") + "'"


def _duration(duration: ast.Duration) -> str:
    amount = duration.amount
    text = f":{amount.name}" if isinstance(amount, ast.Parameter) else repr(amount)
    text = text if duration.unit is None else f"{text} {duration.unit}"
    return " ".join([text, *map(_duration, duration.more)])


def _return_item(item: ast.ReturnItem) -> str:
    text = print_expression(item.expression)
    return text if item.alias is None else f"{text} AS {_name(item.alias)}"


def _name(name: str) -> str:
    if PLAIN_NAME.fullmatch(name) and name.upper() not in RESERVED_OPERANDS:
        return name
    return f"`{name}`"


def _variable(name: str) -> str:
    return f"`{name}`" if CLAUSE_WORD.fullmatch(name) else _name(name)


def _type(name: str) -> str:
    if TYPE_NAME.fullmatch(name) and name.upper() not in RESERVED_TYPES:
        return name
    return f"`{name}`"
