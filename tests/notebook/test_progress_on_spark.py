"""A notebook says how far Spark is, in the cell that runs a query and in those that read it."""

import nbclient
import nbformat.v4
import pytest

CELLS = {
    "load": """
import cepheid, cepheid.notebook.progress
from pyspark.sql import SparkSession
cepheid.notebook.progress.PATIENCE, cepheid.notebook.progress.STEP = 0, 0.02
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()
frame = spark.range(1000).selectExpr("id AS ts", "if(id % 2 = 0, 'A', 'B') AS kind", "id % 7 AS k")
pairs = cepheid.query("PATTERN SEQ(A a, B b) WHERE [k] WITHIN 30")""",
    "before": "frame.count()",
    "run and read": "pairs.run(frame, time='ts', type='kind').count()",
    "run": "found = pairs.run(frame, time='ts', type='kind')",
    "read": "found.count()",
    "magic": "%load_ext cepheid\n%cepheid frame --time ts --type kind",
    "magic cell": "%%cepheid\nPATTERN SEQ(A a, B b) WHERE [k] WITHIN 30",
    "no spark": "sum(range(1000))",
    "stop": "spark.stop()",
    "stopped": "1 + 1",
}
TAKEN_AWAY = {"text/plain": "", "text/html": ""}


@pytest.fixture(scope="module")
def outputs():
    cells = [nbformat.v4.new_code_cell(each.strip()) for each in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
    shown = [[each for each in cell.outputs if "data" in each] for cell in notebook.cells]
    return dict(zip(CELLS, shown, strict=True))


@pytest.mark.spark
@pytest.mark.parametrize("cell", ["run and read", "read", "magic cell"])
def test_tasks_are_told_in_one_line_which_is_taken_away(outputs, cell):
    line, _ = outputs[cell]
    assert line.data == TAKEN_AWAY


@pytest.mark.spark
@pytest.mark.parametrize("cell", ["before", "no spark", "stopped"])
def test_other_cells_have_no_line(outputs, cell):
    assert [each.data for each in outputs[cell] if each.data == TAKEN_AWAY] == []
