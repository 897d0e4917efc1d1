"""Sequences and optionals as inputs and outputs of `mlc run`: lists in .npz files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import parser

ROWS = [np.arange(3, dtype=np.float32), np.ones(2, np.float32)]
X = np.array([7], np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    text = """<ir_version: 10, opset_import: ["" : 21]> g
      (seq(float[]) s, float[1] x, optional(float[n]) o) => (seq(float[]) r, bool h)
      { r = SequenceInsert(s, x) h = OptionalHasElement(o) }"""
    path = tmp_path / "model.onnx"
    onnx.save(parser.parse_model(text), path)
    return path


def test_sequences_from_and_to_files(mlc: Any, model: Path) -> None:
    np.savez("rows.npz", *ROWS)
    np.save("x.npy", X)
    done = mlc(
        "run", model, "--input", "s=rows.npz", "--input", "x=x.npy", "--save-outputs", "out.npz", "--json"
    )
    assert done.status == 0
    assert done.json()["inputs"]["s[1]"]["shape"] == [2] and done.json()["outputs"]["h"]["max"] == 0
    with np.load("out.npz") as found:
        assert sorted(found) == ["h", "r[0]", "r[1]", "r[2]"]
        for place, expected in enumerate([*ROWS, X]):
            np.testing.assert_array_equal(found[f"r[{place}]"], expected)


def test_sequences_in_an_archive_of_all_inputs(mlc: Any, model: Path) -> None:
    np.savez("all.npz", **{"s[0]": ROWS[0], "s[1]": ROWS[1], "x": X, "o": X})  # type: ignore[arg-type]
    done = mlc("run", model, "--inputs", "all.npz", "--json")
    assert done.status == 0 and done.json()["outputs"]["r[1]"]["max"] == 1
    assert done.json()["outputs"]["h"]["max"] == 1
    np.savez("gap.npz", **{"s[0]": ROWS[0], "s[2]": ROWS[1], "x": X})  # type: ignore[arg-type]
    done = mlc("run", model, "--inputs", "gap.npz")
    assert done.status == 1 and "gap.npz: holds s[0], s[2] of the sequence 's'" in done.err


def test_sequences_that_are_not_given_are_empty(mlc: Any, model: Path) -> None:
    data = mlc("run", model, "--json").json()
    assert list(data["outputs"]) == ["r[0]", "h"] and data["outputs"]["h"]["max"] == 0


def test_sequences_are_verified(mlc: Any, model: Path) -> None:
    np.savez("rows.npz", *ROWS)
    done = mlc("run", model, "--input", "s=rows.npz", "--verify=reference", "--json")
    assert done.json()["verify"]["passed"] and len(done.json()["verify"]["outputs"]) == 4
