"""What a column of the result is called that nobody has named."""

from __future__ import annotations

from decimal import Decimal

from cepheid.language import ast

NAMELESS = "expr"
SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "by", "%": "mod"}


def default_name(expression: ast.Expression) -> str:
    """Return the column name of an expression without alias.

    >>> from cepheid.language.parser import parse
    >>> items = parse("PATTERN A RETURN COUNT(*), SUM(A.x), a[1].x, 2 * b.y, SUM(2 * b.y)").returns
    >>> [default_name(each.expression) for each in items]
    ['count', 'sum_A_x', 'a_first_x', 'expr', 'sum_2_times_b_y']
    """
    words = {
        ast.IndexKind.FIRST: "_first",
        ast.IndexKind.LAST: "_last",
        ast.IndexKind.ALL: "",
    }
    match expression:
        case ast.Name():
            return expression.text
        case ast.Attribute():
            index = "" if expression.index is None else words.get(expression.index, "_each")
            return f"{expression.variable}{index}_{expression.name}"
        case ast.Indexed():
            return expression.variable
        case ast.Call(argument=ast.Star()):
            return f"exact_{expression.function.lower()}" if expression.exact else (
                expression.function.lower())  # fmt: skip
        case ast.Call():
            return f"{expression.function.lower()}_{_spelled(expression.argument)}"
        case ast.Function("nth", (ast.Attribute() as read, ast.Literal() as place)):
            return f"{read.variable}_{place.value}_{read.name}"
        case ast.Function(arguments=(argument, *_)):
            return f"{expression.name}_{default_name(argument)}"
        case ast.Path():
            steps = [each if isinstance(each, str) else each.value for each in expression.steps]
            return "_".join([default_name(expression.reference), *map(str, steps)])
        case ast.Cast():
            return default_name(expression.operand)
        case _:
            return NAMELESS


def _spelled(node: ast.Expression) -> str:
    """Return arithmetic in words, so that two sums have two names."""
    match node:
        case ast.Arithmetic():
            return f"{_spelled(node.left)}_{SIGNS[node.operator]}_{_spelled(node.right)}"
        case ast.Negative():
            return f"minus_{_spelled(node.operand)}"
        case ast.Literal(value=int() | float() | Decimal() as number):
            return str(number).replace(".", "_")
        case _:
            return default_name(node)
