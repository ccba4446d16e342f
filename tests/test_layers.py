"""Imports go one way, files stay small, and every layer says what it does.

The rules are the table MAY_IMPORT. They are checked on the syntax tree, so imports inside
functions, under ``if TYPE_CHECKING`` and by ``import_module("...")`` count like any other.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
SOURCE = REPOSITORY / "src" / "cepheid"
ORACLE = REPOSITORY / "tests" / "oracle"

# The package's own __init__: `from cepheid import Query` inside the package is an import of this.
API = "cepheid"

COMPILER = ("language", "analysis", "plan", "program")  # in pipeline order
ENGINE = {"engine/fold", "engine/process", "engine/events", "engine/matches", "engine/trends",
          "engine/shared", "engine"}  # fmt: skip
KERNELS = {"kernels", "kernels/values", "kernels/order", "kernels/predicates", "kernels/graph",
           "kernels/position", "kernels/last_event", "kernels/shared"}  # fmt: skip
SPARK = {"spark/frames", "spark/push_down", "spark/shuffle", "spark/batch", "spark/sql",
         "spark/stream", "spark"}  # fmt: skip
BELOW_THE_SURFACE = {*COMPILER, *KERNELS, *ENGINE, *SPARK, "errors", "stream", "tables", "runners",
                     "connectors", "explain", "generate", "metrics", "notebook/progress",
                     "plot"}  # fmt: skip
ARGUMENTS = {*BELOW_THE_SURFACE, "events", "run_keywords"}  # of the API's methods
SURFACE = {
    *ARGUMENTS,
    "analyzed_run",
    "drawn_runs",
    "funnels",
    "on_spark",
    "plotting",
    "query",
    "warmup",
    "workload",
}
PROGRAMS = {"errors", *COMPILER}
BELOW_SPARK = {*PROGRAMS, *KERNELS, *ENGINE, "stream", "tables", "metrics"}

# Layer -> what it may import of ours, next to itself. A folder inside a layer that has a row of its
# own is a layer, too; one that has none belongs to the layer around it.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "kernels": set(),
    "kernels/values": {"kernels"},
    "kernels/predicates": {"kernels"},
    "kernels/order": {"kernels"},
    "kernels/graph": {"kernels", "kernels/values", "kernels/predicates"},
    "kernels/position": {"kernels", "kernels/values"},
    "kernels/last_event": {"kernels", "kernels/values", "kernels/predicates", "kernels/graph"},
    "kernels/shared": {"kernels", "kernels/values", "kernels/position", "kernels/last_event"},
    "metrics": {"errors"},
    "generate": {"errors"},
    "language": {"errors"},
    "analysis": {"errors", "language"},
    "plan": {"errors", "language", "analysis"},
    "program": {"errors", "language", "analysis", "plan"},
    "engine/fold": {"program"},  # a file: all folds know what one is
    "engine/process": {"errors"},
    "engine/events": {*PROGRAMS, *KERNELS, "engine/process"},
    "engine/matches": {*PROGRAMS, *KERNELS, "engine/fold", "engine/process", "engine/events"},
    "engine/trends": {*PROGRAMS, *KERNELS, *ENGINE - {"engine", "engine/shared", "engine/trends"}},
    "engine/shared": {*PROGRAMS, *KERNELS, *ENGINE - {"engine", "engine/shared"}},
    "engine": {*PROGRAMS, *KERNELS, *ENGINE - {"engine"}},
    "stream": {*PROGRAMS, *KERNELS, *ENGINE},
    "tables": {*PROGRAMS, "engine/process"},
    "spark/frames": BELOW_SPARK,
    "spark/push_down": {*BELOW_SPARK, "spark/frames"},
    "spark/shuffle": {*BELOW_SPARK, "spark/frames", "spark/push_down"},
    "spark/batch": {*BELOW_SPARK, "spark/frames", "spark/push_down", "spark/shuffle"},
    "spark/sql": {*BELOW_SPARK, *SPARK - {"spark", "spark/stream", "spark/sql"}},
    "spark/stream": {*BELOW_SPARK, *SPARK - {"spark", "spark/stream", "spark/sql"}},
    "spark": {*BELOW_SPARK, *SPARK - {"spark"}},
    "notebook/progress": set(),  # a file: runs say how far they are
    "runners": {*BELOW_SPARK, *SPARK, "notebook/progress"},
    "explain": {"errors", *COMPILER},
    "plot": {"errors", *COMPILER, "explain"},
    "connectors": {"errors", "language", "analysis"},
    "events": BELOW_THE_SURFACE,
    "on_spark": {*ARGUMENTS, "query"},
    "run_keywords": {*BELOW_THE_SURFACE, "events"},
    "analyzed_run": {*BELOW_THE_SURFACE, "drawn_runs"},
    "drawn_runs": {*BELOW_THE_SURFACE, "events"},
    "query": {*ARGUMENTS, "analyzed_run", "drawn_runs", "testing"},
    "workload": {*ARGUMENTS, "analyzed_run", "drawn_runs", "query"},
    "plotting": {*ARGUMENTS, "drawn_runs", "query", "workload"},
    "funnels": {*ARGUMENTS, "query", "workload"},
    "warmup": {*BELOW_THE_SURFACE, "query", "workload"},
    "testing": {*BELOW_THE_SURFACE, "query", "workload", API},
    "pipeline": {*BELOW_THE_SURFACE, "query", "workload"},
    "notebook": SURFACE,
    "cli": {*SURFACE, "testing", "pipeline", API},
    API: {*SURFACE, "testing", "pipeline", "notebook", "cli"},
    "tests.oracle": {"errors", "language", "analysis"},
}
MODULES_AT_THE_TOP = {"__init__", "analyzed_run", "drawn_runs", "errors", "events", "on_spark",
                      "plotting",
                      "query", "run_keywords", "warmup", "workload"}  # fmt: skip

# Third-party package -> the only folders that may import it.
CONFINED = {
    "pyspark": ("cepheid.spark", "cepheid.connectors", "cepheid.tables.frame_type"),
    "numba": ("cepheid.kernels",),
    "pydantic": ("cepheid.pipeline",),
    "pydantic_core": ("cepheid.pipeline",),
    "psycopg": ("cepheid.connectors",),
    "IPython": ("cepheid.notebook",),
}

LONGEST_FILE = 500
NAMES_THAT_COLLECT_EVERYTHING = {"utils", "helpers", "core", "common", "misc"}
WORDS_OF_A_LAYER_DOCSTRING = ("Takes", "Gives", "May import")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name, absolute: `from cepheid.plan import x` gives cepheid.plan.x."""

    target: str
    line: int


def imports_of(source: str, *, module: str, is_package: bool = False) -> Iterator[Import]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                for name in names:
                    yield Import(name.name, node.lineno)
            case ast.ImportFrom(names=names):
                base = absolute_base(node, module=module, is_package=is_package)
                for name in names:
                    yield Import(f"{base}.{name.name}", node.lineno)
            case ast.Call(
                func=ast.Attribute(attr="import_module")
                | ast.Name(id="import_module" | "__import__"),
                args=[ast.Constant(value=str(target)), *_],
            ):
                yield Import(resolve_dots(target, module, is_package), node.lineno)


def absolute_base(node: ast.ImportFrom, *, module: str, is_package: bool) -> str:
    return resolve_dots("." * node.level + (node.module or ""), module, is_package)


def resolve_dots(target: str, module: str, is_package: bool) -> str:
    level = len(target) - len(target.lstrip("."))
    if level == 0:
        return target
    package = module.split(".") if is_package else module.split(".")[:-1]
    base = package[: len(package) - (level - 1)]
    return ".".join([*base, target.lstrip(".")]).rstrip(".")


def layer_of(module: str) -> str | None:
    """The layer of a module of ours; None for anybody else's.

    >>> [layer_of(module) for module in ("cepheid.plan.rules.join", "cepheid.Query", "numpy.fft")]
    ['plan', 'cepheid', None]
    >>> layer_of("cepheid.engine.matches.forms.compressed")
    'engine/matches'
    """
    match module.split("."):
        case ["tests", "oracle", *_]:
            return "tests.oracle"
        case ["cepheid"]:
            return API
        case ["cepheid", layer, folder, *_] if f"{layer}/{folder}" in MAY_IMPORT:
            return f"{layer}/{folder}"
        case ["cepheid", layer, *_]:
            # A name without a rule is one that the API exports, or a new folder, which is reported
            # where it is (see misplaced) and not once more by everybody who imports it.
            return layer if layer in MAY_IMPORT else API
        case _:
            return None


def violations(source: str, *, module: str, is_package: bool = False) -> list[str]:
    """What the source imports although its layer may not, one sentence each."""
    layer = layer_of(module)
    assert layer is not None
    found = []
    for imported in imports_of(source, module=module, is_package=is_package):
        target_layer = layer_of(imported.target)
        if target_layer not in (None, layer, *MAY_IMPORT[layer]):
            found.append(f"{module}:{imported.line}: {layer} may not import {imported.target}")
        third_party = imported.target.split(".")[0]
        folders = CONFINED.get(third_party, (module,))
        if not any(module == folder or module.startswith(f"{folder}.") for folder in folders):
            found.append(
                f"{module}:{imported.line}: only {' and '.join(folders)} may import {third_party}"
            )
    return found


def misplaced(path: Path) -> list[str]:
    """What is wrong with a module's name and place; path is relative to the package."""
    found = []
    for name in (*path.parts[:-1], path.stem):
        if name in NAMES_THAT_COLLECT_EVERYTHING:
            found.append(f"{path}: name it after what it does, not {name!r}")
    if len(path.parts) == 1 and path.stem not in MODULES_AT_THE_TOP:
        found.append(f"{path}: belongs into a layer, not at the top of the package")
    if len(path.parts) > 1 and path.parts[0] not in MAY_IMPORT:
        found.append(f"{path}: {path.parts[0]!r} is no layer; add its rule to MAY_IMPORT")
    return found


def missing_words(source: str) -> list[str]:
    docstring = ast.get_docstring(ast.parse(source)) or ""
    return [word for word in WORDS_OF_A_LAYER_DOCSTRING if word not in docstring]


def modules_below(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def module_name(path: Path, *, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def violations_below(folder: Path, *, root: Path) -> list[str]:
    return [
        violation
        for path in modules_below(folder)
        for violation in violations(
            path.read_text(encoding="utf-8"),
            module=module_name(path, root=root),
            is_package=path.name == "__init__.py",
        )
    ]


def import_graph() -> dict[str, set[str]]:
    """Module -> the modules of ours that it imports, anywhere in its text."""
    paths = {module_name(path, root=SOURCE.parent): path for path in modules_below(SOURCE)}
    graph: dict[str, set[str]] = {}
    for module, path in paths.items():
        targets = set()
        for imported in imports_of(
            path.read_text(encoding="utf-8"), module=module, is_package=path.name == "__init__.py"
        ):
            owner = imported.target.rpartition(".")[0]
            targets |= {imported.target, owner} & paths.keys() - {module, API}
        graph[module] = targets
    return graph


def cycles(graph: dict[str, set[str]]) -> list[str]:
    """The modules that import each other: what stays when those that import none are taken out."""
    left = {module: set(targets) for module, targets in graph.items()}
    while ready := {module for module, targets in left.items() if not targets}:
        left = {module: targets - ready for module, targets in left.items() if targets}
    return sorted(left)


class TestTheTree:
    def test_there_is_something_to_check(self):
        assert len(modules_below(SOURCE)) > 1

    def test_imports_go_one_way(self):
        assert violations_below(SOURCE, root=SOURCE.parent) == []

    def test_the_oracle_shares_no_code_with_the_engine(self):
        assert violations_below(ORACLE, root=REPOSITORY) == []

    def test_modules_are_where_they_belong(self):
        assert [
            problem
            for path in modules_below(SOURCE)
            for problem in misplaced(path.relative_to(SOURCE))
        ] == []

    def test_no_two_files_have_the_same_name(self):
        names = Counter(path.name for path in modules_below(SOURCE) if path.stem != "__init__")
        assert [name for name, files in names.items() if files > 1] == []

    def test_no_modules_import_each_other(self):
        assert cycles(import_graph()) == []

    def test_no_file_is_too_long(self):
        lines_by_file = {
            str(path.relative_to(SOURCE)): len(path.read_bytes().splitlines())
            for path in SOURCE.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert {file: n for file, n in lines_by_file.items() if n > LONGEST_FILE} == {}

    def test_every_layer_says_what_it_takes_gives_and_imports(self):
        layers = {SOURCE / path.relative_to(SOURCE).parts[0] for path in modules_below(SOURCE)}
        missing = {}
        for layer in sorted(filter(Path.is_dir, layers)):
            init = layer / "__init__.py"
            source = init.read_text(encoding="utf-8") if init.exists() else ""
            if words := missing_words(source):
                missing[layer.name] = words
        assert missing == {}


class TestTheChecker:
    @pytest.mark.parametrize(
        ("module", "source"),
        [
            ("cepheid.language.parser", "import cepheid.analysis"),
            ("cepheid.language.parser", "from cepheid.analysis.schema import Schema"),
            ("cepheid.language.parser", "from cepheid import analysis"),
            ("cepheid.language.parser", "from ..analysis import schema"),
            ("cepheid.language.parser", "from .. import analysis"),
            ("cepheid.language.parser", "def parse():\n    from cepheid.plan import planner"),
            ("cepheid.language.parser", "import numpy, cepheid.plan as p"),
            ("cepheid.plan.rules.share_work", "from ...program import lower"),
            ("cepheid.plan.planner", "if TYPE_CHECKING:\n    from cepheid.program import Program"),
            ("cepheid.plan.planner", "importlib.import_module('cepheid.engine.run')"),
            ("cepheid.plan.planner", "importlib.import_module('..engine.run', __package__)"),
            ("cepheid.plan.planner", "__import__('cepheid.program')"),
            ("cepheid.plan.planner", "from cepheid import Query"),
            ("cepheid.plan.planner", "from cepheid.query import Query"),
            ("cepheid.program.lower", "from cepheid.kernels import jit"),
            ("cepheid.engine.events.scan", "from cepheid.engine.run import run"),
            ("cepheid.engine.matches.walk", "from cepheid.engine.trends import columns"),
            ("cepheid.stream.stream_step", "from cepheid.spark.batch import run_batch"),
            ("cepheid.kernels.graph.walk", "from cepheid.kernels.position import fold_slots"),
            ("cepheid.engine.run", "from cepheid.explain import render"),
            ("cepheid.engine.run", "from cepheid.cli import main"),
            ("cepheid.kernels.jit", "from cepheid.errors import InternalError"),
            ("cepheid.explain.text", "from cepheid.engine import runner"),
            ("cepheid.errors", "from cepheid.language.source import Span"),
            ("cepheid.generate.stocks", "from cepheid.language import ast"),
            ("cepheid.testing.event_script", "from cepheid.cli import main"),
            ("cepheid.testing.event_script", "import cepheid.pipeline"),
            ("cepheid.query", "from cepheid import cli"),
            ("cepheid.query", "import cepheid"),
            ("cepheid.pipeline.load", "from cepheid.cli import main"),
            ("cepheid.connectors.sinks.kafka", "from cepheid.engine import runner"),
            ("tests.oracle.enumerate", "from cepheid.plan import logical"),
            ("tests.oracle.enumerate", "from cepheid import Query"),
            ("cepheid.engine.run", "import pyspark"),
            ("cepheid.engine.spark_session", "import pyspark"),
            ("cepheid.query", "def run():\n    from pyspark.sql import DataFrame"),
            ("cepheid.engine.run", "from numba import njit"),
            ("cepheid.engine.run", "from cepheid.pipeline import run"),
            ("cepheid.pipeline.run_pipeline", "from cepheid.cli import console"),
            ("cepheid.pipeline.run_pipeline", "from pyspark.sql import SparkSession"),
            ("cepheid.connectors.read_files", "import pydantic"),
        ],
    )
    def test_catches(self, module, source):
        assert len(violations(source, module=module)) == 1

    @pytest.mark.parametrize(
        ("module", "source"),
        [
            ("cepheid.language.parser", "from cepheid.errors import QuerySyntaxError"),
            ("cepheid.language.parser", "from . import ast\nfrom .source import Span"),
            ("cepheid.plan.planner", "from cepheid.analysis import bind\nimport numpy"),
            ("cepheid.plan.rules.share_work", "from ..logical import Scan"),
            ("cepheid.explain.text", "from cepheid.program import Program"),
            ("cepheid.engine.run", "from cepheid.kernels import jit\nimport pyarrow"),
            ("cepheid.spark.batch.run_batch", "from pyspark.sql import DataFrame"),
            ("cepheid.connectors.sinks.kafka", "import pyspark.sql"),
            ("cepheid.kernels.jit", "import numba\nfrom cepheid.kernels import fold"),
            ("cepheid.query", "from cepheid.spark import batch"),
            (
                "cepheid.pipeline.run_pipeline",
                "from cepheid.connectors.spark_session import SparkRun",
            ),
            ("cepheid.cli", "from cepheid import Query, testing"),
            ("cepheid.cli", "import cepheidology"),
            ("cepheid", "from cepheid.query import Query"),
            ("tests.oracle.enumerate", "from cepheid.analysis import bind\nimport tests.oracle"),
        ],
    )
    def test_lets_pass(self, module, source):
        assert violations(source, module=module) == []

    def test_dots_in_an_init_count_from_the_package_itself(self):
        source = "from .lower import lower"
        assert violations(source, module="cepheid.program", is_package=True) == []
        source = "from ..engine import run"
        assert violations(source, module="cepheid.program", is_package=True) != []

    def test_says_where_and_what(self):
        assert violations("\nfrom cepheid.plan import logical", module="cepheid.analysis.bind") == [
            "cepheid.analysis.bind:2: analysis may not import cepheid.plan.logical"
        ]

    @pytest.mark.parametrize(
        "path", ["plan/utils.py", "plan/common/rules.py", "extras.py", "storage/disk.py"]
    )
    def test_catches_misplaced_modules(self, path):
        assert len(misplaced(Path(path))) == 1

    @pytest.mark.parametrize("path", ["query.py", "plan/rules/share_work.py", "cli/__init__.py"])
    def test_lets_modules_in_their_place_pass(self, path):
        assert misplaced(Path(path)) == []

    def test_catches_modules_that_import_each_other(self):
        assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]
        assert cycles({"a": {"b"}, "b": {"d"}, "d": set()}) == []

    def test_catches_silent_layers(self):
        assert missing_words('"""Takes: text. Gives: a tree."""') == ["May import"]
        assert missing_words("import os") == ["Takes", "Gives", "May import"]

    def test_the_table_has_no_unknown_name(self):
        assert set().union(*MAY_IMPORT.values()) <= set(MAY_IMPORT)

    def test_the_table_has_no_cycle_below_the_surface(self):
        done: set[str] = set()
        while remaining := BELOW_THE_SURFACE - done:
            ready = {layer for layer in remaining if MAY_IMPORT[layer] <= done}
            assert ready, f"these import each other: {sorted(remaining)}"
            done |= ready
