"""A folder of query files: what is there, and what cannot be known."""

from pathlib import Path

import pytest

import cepheid
from cepheid.stream.query_files import read_folder


def test_texts_by_name(tmp_path: Path) -> None:
    (tmp_path / "one.cep").write_text("PATTERN A")
    (tmp_path / "two.cep").write_bytes(b"\xff\xfe")
    (tmp_path / "notes.txt").write_text("no query")
    found = read_folder(tmp_path)
    assert found["one"] == ("PATTERN A", None)
    assert found["two"][0] is None
    assert "two.cep cannot be read" in str(found["two"][1])
    assert len(found) == 2


class TestNoFolder:
    """It is not the same as a folder without queries."""

    def test_it_does_not_exist(self, tmp_path: Path) -> None:
        with pytest.raises(cepheid.ConfigError, match=r"nope does not exist\n.*mounted"):
            read_folder(tmp_path / "nope")
        with pytest.raises(cepheid.ConfigError, match="nope does not exist"):
            cepheid.query_folder(tmp_path / "nope").workload()

    def test_it_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "one.cep").write_text("PATTERN A")
        with pytest.raises(cepheid.ConfigError, match="cannot be read: Not a directory"):
            read_folder(tmp_path / "one.cep")

    def test_it_is_empty(self, tmp_path: Path) -> None:
        assert read_folder(tmp_path) == {}
        with pytest.raises(cepheid.ConfigError, match="has no queries"):
            cepheid.query_folder(tmp_path).workload()

    def test_a_file_of_no_text(self, tmp_path: Path) -> None:
        (tmp_path / "two.cep").write_bytes(b"\xff\xfe")
        with pytest.raises(cepheid.ConfigError, match=r"two\.cep cannot be read"):
            cepheid.query_folder(tmp_path).workload()
