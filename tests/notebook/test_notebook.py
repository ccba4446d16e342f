"""A notebook with everything that Cepheid shows, executed by a real kernel."""

import nbclient
import nbformat.v4
import pytest

from tests.plot.pictures import still_pictures

CELLS = {
    "load": """
%load_ext cepheid
import cepheid, pandas as pd, pyarrow as pa
from threading import Event
logins = pd.DataFrame({
    "ts": [10, 14, 17, 22, 25, 31, 40, 60, 90],
    "kind": ["Fail", "Fail", "Fail", "Login", "Login", "Login", "Logout", "Fail", "Login"],
    "user": ["ann", "bob", "ann", "bob", "bob", "ann", "ann", "ann", "ann"],
})
events = cepheid.events(logins, time="ts", type="kind")
pairs = cepheid.query("PATTERN SEQ(Fail f, Login s) WHERE [user] WITHIN 60")""",
    "query": "pairs",
    "plan": "pairs.plan()",
    "explain": "pairs.explain(events)",
    "mermaid": "pairs.explain(format='mermaid')",
    "workload": "cepheid.workload({'pairs': pairs, 'all': 'PATTERN Login s'})",
    "plot": "cepheid.plot(pairs, events)",
    "magic": "%%cepheid events -o found\nPATTERN Fail f RETURN f.ts",
    "table": "pa.table({'found': found['f_ts']})",
    "results": "cepheid.workload({'pairs': pairs, 'all': 'PATTERN Login s'}).run(events)",
    "compressed": "cepheid.query(f'{pairs.text} OUTPUT COMPRESSED').run(events)",
    "funnel": "cepheid.funnel(events, ['Fail', 'Login'], by='user', within=60)",
    "analyze": """
texts = [f"PATTERN SEQ({each}, Fail+) RETURN COUNT(*) AS n" for each in ("Login", "Logout")]
cepheid.workload(texts).analyze(events, sharing="always")""",
    "progress": """
from cepheid.notebook.progress import progress
said = Event()
with progress(lambda: said.set() or "Working"):
    assert said.wait(60)""",
    "run": """
import cepheid.notebook.progress, pyarrow.parquet, tempfile
cepheid.notebook.progress.PATIENCE = 0  # a run of any length is a long one
many = pa.table({"ts": range(200_000), "kind": ["Fail", "Login"] * 100_000})
found = cepheid.query("PATTERN SEQ(Fail f, Login s) WITHIN 9").run(many, time="ts", type="kind")
found.num_rows""",
    "workload run": """
file = f"{tempfile.mkdtemp()}/many.parquet"
pyarrow.parquet.write_table(many, file)
counts = {str(each): f"PATTERN SEQ(Fail f+, Login s) WITHIN {each} SLIDE {each}"
          " RETURN COUNT(*) AS n" for each in (20, 40)}
len(cepheid.workload(counts).run(file, time="ts", type="kind"))""",
    "long magic": "%%cepheid many --time ts --type kind\nPATTERN SEQ(Fail f, Login s) WITHIN 9",
    "patient": "cepheid.notebook.progress.PATIENCE = 600\npairs.run(events).shape[0]",
    "mistake": "cepheid.query('PATTERN Fail f WHERE f.usr = 1').run(events)",
    "after": "print('still here')",
}


@pytest.fixture(scope="module")
def outputs():
    cells = [nbformat.v4.new_code_cell(each.strip()) for each in CELLS.values()]
    cells[list(CELLS).index("mistake")].metadata["tags"] = ["raises-exception"]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


@pytest.mark.parametrize(
    ("cell", "html", "text"),
    [
        ("query", '<span class="q-keyword">PATTERN</span>', "Query('PATTERN SEQ(Fail f"),
        ("plan", "<td>skip-till-any-match</td>", "PhysicalPlan("),
        ("explain", "<summary>Automaton</summary>", "'Query\\n  PATTERN SEQ"),
        ("workload", '<th scope="row">pairs</th>', "Workload(pairs, all)"),
        ("plot", "data-cepheid-plot", "Plot(SEQ(Fail f, Login s). 9 events, 5 matches"),
        ("magic", "<table", "f_ts"),
        ("table", "<caption>4 rows</caption>", "pyarrow.Table"),
        ("results", "<h3>pairs</h3>", "{'pairs':"),
        ("compressed", "5 matches, compressed; 5 of them", "CompressedMatches("),
        ("funnel", "1. Fail", "Funnel(Fail > Login; by user)"),
        ("analyze", "Bursts of a workload", "AnalyzedRun("),
    ],
)
def test_has_html_and_degrades_to_text(outputs, cell, html, text):
    data = outputs[cell][-1].data
    shown = data["text/html"]
    assert html in "".join([shown, *still_pictures(shown)])
    assert text in data["text/plain"]


def test_mermaid_is_for_those_who_draw_it(outputs):
    assert outputs["mermaid"][0].data["text/vnd.mermaid"].startswith("flowchart LR")


def test_progress_is_taken_away(outputs):
    assert [each.data for each in outputs["progress"]] == [{"text/plain": "", "text/html": ""}]


@pytest.mark.parametrize(
    ("cell", "result"), [("run", "399994"), ("workload run", "2"), ("long magic", None)]
)
def test_a_long_run_says_so_in_one_line_which_is_taken_away(outputs, cell, result):
    line, shown = outputs[cell]
    assert line.data == {"text/plain": "", "text/html": ""}
    assert result is None or shown.data["text/plain"] == result


def test_a_short_run_says_nothing(outputs):
    assert [each.data["text/plain"] for each in outputs["patient"]] == ["5"]


def test_a_mistake_has_its_caret_in_html_and_is_an_error_for_tools(outputs):
    shown, error = outputs["mistake"]
    assert '<span class="caret">^^^</span>' in shown.data["text/html"]
    assert "did you mean &#x27;user&#x27;?" in shown.data["text/html"]
    assert "did you mean 'user'?" in shown.data["text/plain"]
    assert (error.output_type, error.ename) == ("error", "BindingError")
    assert len(error.traceback) == 1
    assert outputs["after"][0].text == "still here\n"
