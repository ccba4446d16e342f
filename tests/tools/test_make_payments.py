"""The payments of the cookbook come from the model that their page describes."""

from tools.make_payments import FILE, write


def test_the_file_is_what_the_script_makes(tmp_path):
    write(tmp_path / "payments.csv")
    assert (tmp_path / "payments.csv").read_text("utf-8") == FILE.read_text("utf-8")
