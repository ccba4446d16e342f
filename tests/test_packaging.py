"""The pins are complete and portable, and the wheel carries the files that are not modules."""

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).parent.parent
PINS = [
    line
    for line in (REPOSITORY / "constraints.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
BUILD_BACKEND = ("hatchling", "editables", "trove-classifiers")


def needed(name: str, extras: frozenset[str], found: set[str]) -> set[str]:
    """Add the names of everything that an installed package needs, directly or not, to found."""
    for line in distribution(name).requires or []:
        requirement = Requirement(line)
        environments = [{"extra": extra} for extra in extras or {""}]
        if requirement.marker and not any(map(requirement.marker.evaluate, environments)):
            continue
        dependency = canonicalize_name(requirement.name)
        if dependency not in found or requirement.extras:
            found.add(dependency)
            needed(dependency, frozenset(requirement.extras), found)
    return found


def test_everything_installed_is_pinned():
    pinned = {canonicalize_name(pin.partition("==")[0]) for pin in PINS}
    packages = needed("cepheid", frozenset({"dev", "spark"}), set()) - {"cepheid"}
    assert sorted((packages | set(BUILD_BACKEND)) - pinned) == []


@pytest.mark.parametrize("pin", PINS)
def test_a_pin_is_a_name_and_a_version_and_nothing_else(pin):
    assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", pin)


def test_pins_agree_with_what_pyproject_allows():
    version_by_name = {
        canonicalize_name(name): version for name, _, version in (p.partition("==") for p in PINS)
    }
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    for line in [*project["dependencies"], *(line for extra in extras for line in extra)]:
        requirement = Requirement(line)
        if requirement.name != "cepheid":
            version = version_by_name[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), line


def test_grammar_and_type_marker_are_next_to_the_modules():
    package = REPOSITORY / "src" / "cepheid"
    assert list(package.rglob("*.lark"))
    assert (package / "py.typed").exists()
