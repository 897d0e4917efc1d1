"""`mlc` on models of strings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper


@pytest.fixture
def split(tmp_path: Path) -> Path:
    """A model that splits strings at commas."""
    x = helper.make_tensor_value_info("x", TensorProto.STRING, ["n"])
    outputs = [helper.make_tensor_value_info(name, number, None) for name, number in (("y", 8), ("z", 7))]
    nodes = [helper.make_node("StringSplit", ["x"], ["y", "z"], delimiter=",")]
    graph = helper.make_graph(nodes, "split", [x], outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, tmp_path / "split.onnx")
    return tmp_path / "split.onnx"


def test_strings_are_read_drawn_shown_and_written(mlc: Any, split: Path, tmp_path: Path) -> None:
    given, made = tmp_path / "x.npy", tmp_path / "y.npz"
    np.save(given, np.array(["a,b", "ä", ""]))
    shown = mlc("run", split, "--input", given, "--save-outputs", made).out
    assert "string[3,2]" in shown and "4 different" in shown
    with np.load(made, allow_pickle=False) as found:
        assert found["y"].tolist() == [["a", "b"], ["ä", ""], ["", ""]]
        assert found["z"].tolist() == [2, 1, 1]
    data = mlc("run", split, "--dim", "n=20", "--json").json()
    assert data["inputs"]["x"]["shape"] == [20] and data["inputs"]["x"]["different"] > 5


def test_functions_of_the_runtime_are_listed(mlc: Any, split: Path, tmp_path: Path) -> None:
    done = mlc("compile", split, "-o", tmp_path / "split.mlcx")
    assert "functions  of the runtime: string_split_count, string_split" in done.out
    assert mlc("report", tmp_path / "split.mlcx", "--json").json()["report"]["functions"] == [
        "string_split_count",
        "string_split",
    ]


def test_shared_libraries_have_no_strings(mlc: Any, split: Path, tmp_path: Path) -> None:
    done = mlc("compile", split, "--emit", "shared-lib", "-o", tmp_path / "libsplit.so")
    assert done.status != 0
    assert "strings and sequences are not supported in shared libraries, and 'x' is a string" in done.err
