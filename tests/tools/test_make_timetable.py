"""The buses of the cookbook come from the timetable of the script."""

from tools.make_timetable import FILE, write


def test_the_file_is_what_the_script_makes(tmp_path):
    write(tmp_path / "buses.csv")
    assert (tmp_path / "buses.csv").read_text("utf-8") == FILE.read_text("utf-8")
