"""Checks that docs/gpu-models.md has all precisions and models that its script and the model set name."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.models.catalogue import MODELS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gpu-models.md"
COLUMNS = ["model", "cuda:sm_80", "cuda:sm_90a"]


def tables() -> dict[str, list[list[str]]]:
    """The rows of each precision's table of models, its head first, without the line below it."""
    found = {}
    for section in PAGE.read_text().split("\n## In ")[1:]:
        precision, _, body = section.partition("\n")
        lines = body.partition("\n### ")[0].splitlines()
        rows = [line.strip("|").split("|") for line in lines if line.startswith("| ")]
        found[precision] = [[cell.strip() for cell in row] for row in rows]
    return found


def precisions() -> list[str]:
    """Returns the constants of the script that writes the page."""
    spec = importlib.util.spec_from_file_location("generate_gpu_models", ROOT / "docs/generate_gpu_models.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    # Where its data classes look for their types.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return list(module.PRECISIONS)


def test_the_page_has_a_table_for_each_precision() -> None:
    assert list(tables()) == precisions()
    assert all(rows[0] == COLUMNS for rows in tables().values())


def test_each_table_has_a_row_for_each_model_of_the_set() -> None:
    for precision, rows in tables().items():
        assert [row[0] for row in rows[1:]] == sorted(MODELS), precision


def test_each_cell_says_how_many_kernels_compile() -> None:
    cells = [cell for rows in tables().values() for row in rows[1:] for cell in row[1:]]
    whole = r"whole: \d+ kernels, \d+ launches, \d+ registers(; spills: .+)?(; \d+ warnings)?"
    assert [cell for cell in cells if not re.fullmatch(rf"{whole}|\d+ of \d+ kernels", cell)] == []
    assert cells
