"""Kernels are compiled ahead, and whoever waits for them is told so."""

import logging
import os

import pytest

import cepheid
from tests.cli.command import cepheid as command
from tests.cli.command import cepheid_process

COMPILES = os.environ.get("NUMBA_DISABLE_JIT") != "1"
needs_compiler = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")


@pytest.fixture
def events(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("ts,kind,k\n1,A,1\n2,B,1\n")
    return path


@pytest.fixture
def empty_cache(tmp_path):
    return os.environ | {"CEPHEID_CACHE_DIR": str(tmp_path / "cache")}


@pytest.mark.slow
def test_every_kind_runs():
    assert [each.kind for each in cepheid.warmup()] == list(cepheid.warmup_kinds())


def test_a_kind_that_is_none():
    with pytest.raises(cepheid.ConfigError, match="no kind of queries called 'count'") as raised:
        cepheid.warmup("count")
    assert "counts" in str(raised.value)


@needs_compiler
def test_what_is_warm_is_not_compiled_again(events, empty_cache):
    first = cepheid_process("warmup", "matches", env=empty_cache)
    again = cepheid_process("warmup", "matches", env=empty_cache)
    query = "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 5 RETURN a.ts"
    run = cepheid_process("run", query, events, "-f", "csv", env=empty_cache)
    assert "fold_matches" in first.lines[0]
    assert "place_events" in first.lines[0]  # of many events
    assert empty_cache["CEPHEID_CACHE_DIR"] in first.lines[-1]
    assert again.lines[0] == "matches: nothing to compile"
    assert (run.lines, run.stderr, run.compiling) == (["a_ts", "1"], "", "")


@needs_compiler
def test_a_first_query_says_once_that_it_compiles(events, empty_cache):
    arguments = "run", "PATTERN A a RETURN a.ts", events, "-f", "csv"
    first = cepheid_process(*arguments, env=empty_cache)
    again = cepheid_process(*arguments, env=empty_cache)
    assert (first.lines, first.stderr) == (again.lines, again.stderr) == (["a_ts", "1"], "")
    (line,) = first.compiling.splitlines()
    assert line.startswith("compiling kernels for a first query of this kind, once")
    assert again.compiling == ""


@needs_compiler
def test_a_quiet_command_says_nothing(events, empty_cache):
    arguments = "run", "PATTERN A a RETURN a.ts", events, "-f", "csv", "--quiet"
    quiet = cepheid_process(*arguments, env=empty_cache)
    assert (quiet.stderr, quiet.compiling) == ("", "")


def test_the_log_names_what_is_compiled(caplog):
    from cepheid.kernels import jit
    from cepheid.kernels.compiling import watching_compilations

    def one_more(number):
        return number + 1

    with caplog.at_level(logging.INFO, logger="cepheid.kernels"), watching_compilations() as seen:
        assert jit.in_place(one_more)(1) == 2
    assert [each.name for each in seen] == (["one_more"] if COMPILES else [])
    assert [each.getMessage() for each in caplog.records] == [
        f"compiling {each.name}, once" for each in seen
    ]


def test_the_command_lists_kinds():
    assert command("warmup", "--list").lines == list(cepheid.warmup_kinds())


def test_the_command_refuses_a_kind_that_is_none():
    outcome = command("warmup", "nothing")
    assert outcome.code == 2
    assert "no kind of queries called 'nothing'" in outcome.stderr
