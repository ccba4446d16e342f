"""Pictures and cells on DataFrames of Spark."""

import pytest

import cepheid
from tests.notebook.session import ipython_session
from tests.plot.pictures import LOGINS, ROLES

pytestmark = pytest.mark.spark

PAIRS = "PATTERN SEQ(Fail f, Login s) WHERE [user] WITHIN 60 RETURN f.ts, s.ts"


@pytest.fixture(scope="module")
def frame(spark):
    return spark.createDataFrame(LOGINS)


def test_a_picture_of_a_dataframe_is_that_of_its_events(frame):
    drawn = cepheid.plot(PAIRS, frame, **ROLES)
    assert drawn.html() == cepheid.plot(PAIRS, LOGINS, **ROLES).html()


def test_a_cell_gives_a_dataframe_and_shows_its_rows(frame):
    with ipython_session(logins=frame) as session:
        session.run(f"%%cepheid logins --time ts --type kind -o found\n{PAIRS}")
        assert "<caption>5 rows</caption>" in session.html[0]
        assert session.run("found.isStreaming, found.count()") == (False, 5)


def test_a_stream_has_no_picture(spark):
    stream = spark.readStream.format("rate").load()
    with pytest.raises(cepheid.ConfigError, match="a stream has no end"):
        cepheid.plot("PATTERN value v", stream, time="timestamp")
