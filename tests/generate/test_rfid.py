"""SASE section 2: products read at shelves, counter and exit."""

import re
from collections import defaultdict

import numpy as np
import pytest

from cepheid.generate import generate


def products(**parameters: float) -> list[list[dict[str, object]]]:
    by_id = defaultdict(list)
    for row in generate("rfid", events=20_000, **parameters).to_pylist():
        by_id[row["id"]].append(row)
    return list(by_id.values())[:2000]  # begun well before the end of the table


def story(rows: list[dict[str, object]]) -> str:
    return "".join(row["type"][0] for row in rows)


def test_products_are_sold_stolen_or_unsold():
    stories = [story(rows) for rows in products()]
    assert all(re.fullmatch("S+(C?E)?", each) for each in stories)
    unsold = np.mean([each.endswith("S") for each in stories])
    stolen = np.mean([each.endswith("SE") for each in stories])
    assert unsold == pytest.approx(0.2, abs=0.04)
    assert stolen == pytest.approx(0.02, abs=0.01)


def test_misplaced_products_are_last_read_at_another_shelf():
    misplaced = 0
    for rows in products(misplaced=0.3):
        shelves = [row["shelf_id"] for row in rows if row["shelf_id"] is not None]
        assert set(shelves[:-1]) <= {shelves[0]}
        misplaced += shelves[-1] != shelves[0]
    assert misplaced / 2000 == pytest.approx(0.3, abs=0.04)


def test_nothing_stolen_or_misplaced():
    for rows in products(stolen=0.0, misplaced=0.0, unsold=0.0):
        assert re.fullmatch("S+CE", story(rows))
        assert len({row["shelf_id"] for row in rows[:-2]}) == 1


def test_category_and_manufacturer_belong_to_the_product():
    table = generate("rfid", events=50_000, items=100)
    assert table.group_by(["id", "category", "manufacturer_id"]).aggregate([]).num_rows == 100


def test_domains_are_strings_from_one():
    table = generate("rfid", events=20_000, shelves=5, manufacturers=3)
    assert sorted(table["shelf_id"].drop_null().unique().to_pylist()) == list("12345")
    assert sorted(table["manufacturer_id"].unique().to_pylist()) == list("123")


def test_number_of_shelf_readings():
    readings = [story(rows).count("S") for rows in products(misplaced=0.0, readings=4)[:1500]]
    assert (min(readings), max(readings)) == (1, 7)
    assert np.mean(readings) == pytest.approx(4, abs=0.2)
