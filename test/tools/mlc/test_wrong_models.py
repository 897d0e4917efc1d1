"""Models whose faults passes find: every command names the file and the node, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper


@pytest.fixture(scope="module")
def out_of_range(save: Any, folder: Path) -> Path:
    """Saves a look-up of row 5 in a table of three."""
    nodes = [helper.make_node("Gather", ["x", "i"], ["y"], "pick")]
    weights = {"i": np.array([5], np.int64)}
    return save(folder / "far.onnx", nodes, inputs={"x": [3, 2]}, outputs={"y": ["n", "m"]}, weights=weights)


@pytest.mark.parametrize("command", [("compile",), ("compile", "--emit=mlir"), ("explain",), ("run",)])
def test_constant_index_out_of_range(mlc: Any, out_of_range: Path, command: tuple[str, ...]) -> None:
    done = mlc(*command, out_of_range)
    wrong = "Gather 'pick': index 5 is out of bounds for axis 0 of size 3"
    assert (done.status, done.err) == (1, f"mlc: error: {out_of_range}: {wrong}\n")


def test_an_output_that_is_listed_twice(mlc: Any, save: Any, folder: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    path = save(folder / "twice.onnx", nodes, inputs={"x": [3]}, outputs={"y": [3]})
    model = onnx.load(path)
    model.graph.output.append(model.graph.output[0])
    onnx.save(model, path)
    for engine in ("onnxruntime", "reference"):
        done = mlc("run", path, f"--verify={engine}", "--each-node")
        assert done.status == 0, done.err
    assert mlc("bench", path, "--seconds=0.01", "--against=onnxruntime").status == 0


def test_control_characters_of_names_in_warnings(mlc: Any, save: Any, folder: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    dim = "a\x1b[31m\nb"
    path = save(folder / "colour.onnx", nodes, inputs={"x": [dim]}, outputs={"y": [dim]})
    done = mlc("run", path)
    assert done.status == 0
    assert "\\x1b[31m\\nb" in done.err and "\x1b" not in done.err
    assert done.err.count("\n") == 1


def test_long_names_in_messages(mlc: Any, save: Any, folder: Path) -> None:
    name, shown = "n" * 5000, "n" * 50 + "..." + "n" * 20
    nodes = [helper.make_node("Relu", [name], ["y"])]
    path = save(folder / "long.onnx", nodes, inputs={name: [name]}, outputs={"y": [3]})
    for arguments in ((), ("--input", "z=missing.npy"), ("--shape", "z:1"), ("--dim", "z=1")):
        done = mlc("run", path, *arguments)
        assert shown in done.err and len(done.err) < 1000, arguments
    nodes = [helper.make_node("No" + name, ["x"], [name], name)]
    done = mlc("compile", save(folder / "no_op.onnx", nodes, inputs={"x": [3]}, outputs={name: [3]}))
    assert done.status == 1 and "node 'n" in done.err and len(done.err) < 1000
