"""docs/reference/errors.md lists the codes that the source has, and each has a wrong query."""

import ast
import re
from pathlib import Path

from tests.analysis.test_error_messages import ALL

REPOSITORY = Path(__file__).parent.parent.parent
SOURCE = REPOSITORY / "src" / "cepheid"
REFERENCE = REPOSITORY / "docs" / "reference" / "errors.md"
REPORTERS = {"add", "report", "diagnose", "Diagnostic"}
CODE = r"[a-z]+[a-z0-9]*(?:-[a-z0-9]+)*"


def codes_in_source(folders=("*",)):
    """Return the codes as patterns: a formatted code `f"misplaced-{kind}"` may be several."""
    found = set()
    for path in (each for folder in folders for each in SOURCE.glob(f"{folder}/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if isinstance(node.func, ast.Name):
                name = node.func.id
            first = node.args[0]
            if name not in REPORTERS or (name == "add" and len(node.args) < 3):
                continue
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(re.escape(first.value))
            elif isinstance(first, ast.JoinedStr):
                parts = [each.value if isinstance(each, ast.Constant) else CODE
                         for each in first.values]  # fmt: skip
                found.add("".join(parts))
    return found


def listed_codes(section=""):
    text = REFERENCE.read_text("utf-8")
    if section:
        text = text.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return re.findall(rf"^\| `({CODE})` \|", text, re.MULTILINE)


def test_every_code_of_the_source_is_listed():
    listed = listed_codes()
    missing = [code for code in codes_in_source() if not any(re.fullmatch(code, c) for c in listed)]
    assert missing == []


def test_every_listed_code_is_in_the_source_and_listed_once():
    listed = listed_codes()
    known = codes_in_source()
    assert [c for c in listed if not any(re.fullmatch(code, c) for code in known)] == []
    assert len(set(listed)) == len(listed)


def test_every_code_has_a_wrong_query():
    shown = set(re.findall(rf"error\[({CODE})\]", "\n".join(case.message for _, case in ALL)))
    stated = shown | set(listed_codes("Warnings"))
    unshown = [code for code in codes_in_source(("language", "analysis"))
               if not any(re.fullmatch(code, each) for each in stated)]  # fmt: skip
    assert unshown == []
    assert shown <= set(listed_codes())
