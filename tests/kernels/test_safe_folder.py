"""Compiled kernels are loaded only from folders that nobody else can write to."""

import logging
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from cepheid.kernels.cache import cache_folder
from cepheid.kernels.safe_folder import UnsafeFolderError, make_private_folder
from tests.kernels.processes import output_of
from tests.kernels.test_cache import SUM

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other rights")
NOBODY = 65534
COMPILES = os.environ.get("NUMBA_DISABLE_JIT") != "1"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache" / "kernels"


def give_away(path: Path, monkeypatch) -> None:
    """Let a file belong to somebody else; who may not do that becomes somebody else."""
    if os.geteuid() == 0:
        os.chown(path, NOBODY, -1)
    else:
        own = os.stat
        monkeypatch.setattr(os, "geteuid", lambda: own(path).st_uid + 1)


def test_a_new_folder_and_those_above_it_are_the_users_alone(folder):
    assert make_private_folder(folder) == folder.resolve()
    assert [each.stat().st_mode & 0o777 for each in (folder, folder.parent)] == [0o700, 0o700]


def test_the_mask_of_the_process_does_not_open_a_folder(folder):
    before = os.umask(0)
    try:
        make_private_folder(folder)
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_read_will_do(folder):
    make_private_folder(folder)
    folder.chmod(0o755)
    (folder / "index").touch(mode=0o644)
    assert make_private_folder(folder) == folder.resolve()


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702, 0o1777])
def test_a_folder_that_others_may_write_is_refused(folder, mode):
    make_private_folder(folder)
    folder.chmod(mode)
    with pytest.raises(UnsafeFolderError, match=f"chmod go-w {folder}"):
        make_private_folder(folder)


def test_a_parent_in_which_others_may_rename_is_refused(folder):
    make_private_folder(folder)
    folder.parent.chmod(0o777)
    with pytest.raises(UnsafeFolderError, match=f"others can write to {folder.parent} and replace"):
        make_private_folder(folder)
    folder.parent.chmod(0o1777)  # as /tmp
    assert make_private_folder(folder) == folder.resolve()


def test_the_folder_of_another_user_is_refused(folder, monkeypatch):
    make_private_folder(folder)
    give_away(folder, monkeypatch)
    with pytest.raises(UnsafeFolderError, match="belongs to another user"):
        make_private_folder(folder)


@pytest.mark.skipif("os.geteuid() != 0", reason="only the administrator can give folders away")
def test_a_parent_of_another_user_is_refused(folder):
    make_private_folder(folder)
    os.chown(folder.parent, NOBODY, -1)
    with pytest.raises(UnsafeFolderError, match=f"{folder.parent} belongs to another user"):
        make_private_folder(folder)


def test_a_file_of_another_user_is_refused(folder, monkeypatch):
    make_private_folder(folder)
    (folder / "index").touch()
    give_away(folder / "index", monkeypatch)
    with pytest.raises(UnsafeFolderError, match="belongs to another user"):
        make_private_folder(folder)


def test_a_file_that_others_may_write_is_refused_where_they_can_reach_it(folder):
    make_private_folder(folder)
    (folder / "index").touch()
    (folder / "index").chmod(0o666)
    assert make_private_folder(folder) == folder.resolve()
    folder.chmod(0o755)
    with pytest.raises(UnsafeFolderError, match="index"):
        make_private_folder(folder)


def test_a_link_is_followed_once(folder, tmp_path):
    """What it points to later does not matter."""
    make_private_folder(folder)
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert make_private_folder(link) == folder.resolve()
    folder.chmod(0o777)
    with pytest.raises(UnsafeFolderError):
        make_private_folder(link)


def test_one_warning_says_what_to_do(folder, monkeypatch, caplog):
    make_private_folder(folder)
    folder.chmod(0o777)
    monkeypatch.setenv("CEPHEID_CACHE_DIR", str(folder))
    with caplog.at_level(logging.WARNING, logger="cepheid"):
        assert cache_folder.__wrapped__() is None
    (record,) = caplog.records
    assert f"chmod go-w {folder}" in record.getMessage()
    assert "CEPHEID_CACHE_DIR" in record.getMessage()


PLANT = """
import os, pickle, sys
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)

class Payload:
    def __reduce__(self):
        return os.mkdir, (sys.argv[1],)

for path in sys.argv[2:]:
    os.path.exists(path) and os.remove(path)
    with open(path, "wb") as file:
        pickle.dump(Payload(), file)
"""


@pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
@pytest.mark.parametrize("closed_again", [False, True])
def test_what_another_user_plants_is_not_run(closed_again):
    """Where tests do not run as the administrator it is planted by the user, in an open folder."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:  # pytest's own folders let nobody else in
        root, trace = Path(name), Path(name) / "trace"
        root.chmod(0o1777)
        cache = root / "cache"
        output_of(SUM, CEPHEID_CACHE_DIR=str(cache))
        (kernels,) = cache.iterdir()
        cache.chmod(0o755)
        kernels.chmod(0o777)
        indexes = [str(each) for each in kernels.glob("*.nbi")]
        assert indexes
        subprocess.run([sys.executable, "-c", PLANT, str(trace), *indexes], check=True)
        assert pickle.PROTO in Path(indexes[0]).read_bytes()[:1]
        if closed_again and os.geteuid() == 0:
            kernels.chmod(0o700)
        total, hits, _, folder = output_of(SUM, CEPHEID_CACHE_DIR=str(cache)).split()
        assert not trace.exists()
        assert (total, hits, folder) == ("3.0", "0", "None")
