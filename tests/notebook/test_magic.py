"""`%%cepheid` runs a cell on a table of the session."""

import json

import pytest

import cepheid
from cepheid.errors import BindingError, ConfigError
from tests.cli.command import REPOSITORY
from tests.notebook.session import ipython_session
from tests.plot.pictures import LOGINS, ROLES, still_pictures

PAIRS = "PATTERN SEQ(Fail f, Login s) WHERE [user] WITHIN 60 RETURN f.ts, s.ts"


@pytest.fixture(scope="module")
def kept():
    with ipython_session(logins=LOGINS, ready=cepheid.events(LOGINS, **ROLES)) as session:
        yield session


@pytest.fixture
def session(kept):
    kept.run("%unload_ext cepheid\n%load_ext cepheid")
    return kept


def test_shows_the_result(session):
    assert session.run(f"%%cepheid logins --time ts --type kind\n{PAIRS}") is None
    (shown,) = session.html
    assert "<caption>5 rows</caption>" in shown


def test_keeps_it_under_a_name(session):
    session.run(f"%%cepheid logins --time ts --type kind -o found\n{PAIRS}")
    assert session.run("found.num_rows") == 5


def test_remembers_events_and_roles(session):
    session.run("%cepheid logins --time ts --type kind")
    session.run(f"%%cepheid -o found\n{PAIRS}")
    assert session.run("found.num_rows") == 5
    session.run(f"%%cepheid logins.slice(0,4) -o found\n{PAIRS}")
    assert session.run("found.num_rows") == 1


def test_takes_events_with_roles_and_the_kind_of_table_that_they_are(session):
    session.run("frame = logins.to_pandas()")
    session.run(f"%%cepheid ready -o found\n{PAIRS}")
    session.run(f"%%cepheid frame --time ts --type kind -o other\n{PAIRS}")
    assert session.run("type(other).__module__.split('.')[0], len(other), len(found)") == (
        "pandas", 5, 5,
    )  # fmt: skip


def test_parameters_are_variables(session):
    session.run("least = 30")
    session.run("%%cepheid ready -o found\nPATTERN Login s WHERE s.ts > :least")
    assert session.run("found.num_rows") == 2


def test_draws(session):
    session.run(f"%%cepheid ready --plot\n{PAIRS}")
    (shown,) = session.html
    assert "data-cepheid-plot" in shown
    (picture,) = still_pictures(shown)
    assert picture.count('class="match"') == 5


def test_explains_and_runs_nothing(session):
    found = session.run(f"%%cepheid ready --explain -o nothing\n{PAIRS}")
    assert found.startswith("Query\n")
    assert session.run("'nothing' in dir()") is False


def test_mistakes_in_the_query_have_their_place(session):
    error = session.run("%%cepheid ready\nPATTERN Fail f WHERE f.usr = 'ann'")
    assert isinstance(error, BindingError)
    told = session.printed.getvalue()
    assert "WHERE f.usr = 'ann'" in told
    assert "^^^  did you mean 'user'?" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "nothing says which events to run on"),
        ("login --time ts", "did you mean 'logins'?"),
        ("logins --type kind", "nothing says which column of the events has the time"),
    ],
)
def test_mistakes_in_the_line_are_told(session, line, told):
    error = session.run(f"%%cepheid {line}\n{PAIRS}")
    assert isinstance(error, ConfigError)
    assert told in str(error)


def test_errors_name_the_line_of_the_user_and_not_ours(session):
    session.run("import cepheid\n\ncepheid.query('PATTERN SEQ(A a,')")
    told = session.printed.getvalue()
    assert "QuerySyntaxError in line 3: cepheid.query('PATTERN SEQ(A a,')" in told
    assert "language/parser.py" not in told


def test_our_own_bugs_keep_everything(session):
    session.run("from cepheid.errors import InternalError\nraise InternalError('strange')")
    told = session.printed.getvalue()
    assert "Traceback" in told
    assert "strange" in told


def test_the_example_runs():
    notebook = json.loads((REPOSITORY / "examples" / "logins.ipynb").read_text(encoding="utf-8"))
    with ipython_session() as session:
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                error = session.run("".join(cell["source"]))
                fails = "raises-exception" in cell["metadata"].get("tags", ())
                assert isinstance(error, Exception) == fails
        assert session.run("found['user'].tolist()") == ["ann"] * 3 + ["bob"] * 2
        assert all(not cell.get("outputs") for cell in notebook["cells"])
