"""Programs name operations, roles and changes by the numbers that kernels know."""

from cepheid.analysis.expressions import Role
from cepheid.kernels.graph import path_clauses, run_graph
from cepheid.kernels.last_event import adjacent_rules
from cepheid.kernels.predicates import predicate_machine as machine
from cepheid.program import adjacent_program, lower_paths, lower_runs, predicate_code, run_program


def test_instructions() -> None:
    for name in (
        "LOAD_INTEGER", "LOAD_FLOAT", "AGGREGATE_INTEGER", "AGGREGATE_FLOAT", "CONSTANT_INTEGER",
        "CONSTANT_FLOAT", "CONSTANT_NULL", "TO_FLOAT", "TO_FLOAT_BELOW", "NEGATE_INTEGER",
        "NEGATE_FLOAT", "COMPARE_INTEGER", "COMPARE_FLOAT", "CONDITION_TRUE", "CONDITION_FALSE",
        "AND", "OR", "CHOOSE", "ROUND", "FLOOR", "CEIL", "SQRT", "LN", "LOG10", "EXP", "POWER",
        "IS_NULL", "TO_INTEGER", "LOOK_UP",
    ):  # fmt: skip
        assert getattr(predicate_code, name) == getattr(machine, name), name
    assert predicate_code.SIGN == {False: machine.SIGN_INTEGER, True: machine.SIGN_FLOAT}
    assert predicate_code.INTEGER_OPERATIONS == {
        "+": machine.ADD_INTEGER,
        "-": machine.SUBTRACT_INTEGER,
        "*": machine.MULTIPLY_INTEGER,
        "%": machine.MODULO_INTEGER,
    }
    assert predicate_code.FLOAT_OPERATIONS == {
        "+": machine.ADD_FLOAT,
        "-": machine.SUBTRACT_FLOAT,
        "*": machine.MULTIPLY_FLOAT,
        "/": machine.DIVIDE_FLOAT,
        "%": machine.MODULO_FLOAT,
    }
    assert predicate_code.COMPARISONS == {
        "=": machine.EQUAL,
        "!=": machine.UNEQUAL,
        "<": machine.LESS,
        "<=": machine.AT_MOST,
        ">": machine.GREATER,
        ">=": machine.AT_LEAST,
    }


def test_aggregates_and_slots() -> None:
    assert predicate_code.FUNCTIONS == {
        "COUNT": run_graph.COUNT,
        "SUM": run_graph.SUM,
        "AVG": run_graph.AVERAGE,
        "MIN": run_graph.MINIMUM,
        "MAX": run_graph.MAXIMUM,
        "COUNT_DISTINCT": run_graph.COUNT_DISTINCT,
        "MEDIAN": run_graph.MEDIAN,
        "STDDEV": run_graph.DEVIATION,
        "NTH": run_graph.PLACE,
    }
    for name in ("CURRENT_EVENT", "LAST_EVENT", "KEEP", "SET", "EXTEND", "CLOSE"):
        assert getattr(lower_runs, name) == getattr(run_graph, name), name


def test_kinds_of_tests() -> None:
    for kind in run_program.TestKind:
        assert getattr(run_graph, kind.name) == kind


def test_roles_of_paths() -> None:
    assert lower_paths.ROLES == {
        Role.EACH: path_clauses.EACH,
        Role.FIRST: path_clauses.FIRST,
        Role.CURRENT: path_clauses.CURRENT,
        Role.PREVIOUS: path_clauses.PREVIOUS,
        Role.LAST: path_clauses.LAST,
        Role.BEFORE: path_clauses.BEFORE,
        Role.ALL: path_clauses.ALL,
    }
    for name in ("HAS_EACH", "HAS_INDEX", "HAS_FIRST", "HAS_CLOSED"):
        assert getattr(lower_paths, name) == getattr(path_clauses, name), name


def test_structures_of_edges() -> None:
    for structure in adjacent_program.StructureCode:
        assert getattr(adjacent_rules, structure.name) == structure
