"""Tests of bench.specialised on a model of one convolution."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from bench import specialised


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Saves a model of y [1, 8] from an image [1, 3, 8, 8], with a reshape to [1, 256] between."""
    draw = np.random.default_rng(0)
    arrays = {
        "w": draw.standard_normal((4, 3, 1, 1)).astype(np.float32),
        "v": draw.standard_normal((256, 8)).astype(np.float32),
        "s": np.array([1, 256]),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"]),
        helper.make_node("Reshape", ["a", "s"], ["b"]),
        helper.make_node("MatMul", ["b", "v"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8])
    tensors = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, tmp_path / "image.onnx")
    return tmp_path / "image.onnx"


def test_any_batch(path: Path) -> None:
    import onnxruntime

    model = specialised.any_batch(path)
    session = onnxruntime.InferenceSession(model)
    x = specialised.images(model, 3)
    assert x.shape == (3, 3, 8, 8)
    single = onnxruntime.InferenceSession(path)
    expected = [single.run(None, {"x": image[None]})[0][0] for image in x]
    np.testing.assert_allclose(session.run(None, {"x": x})[0], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_a_table(path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(specialised, "ROUND_SECONDS", 0.0)
    monkeypatch.setenv("MLC_CACHE_DIR", os.fspath(path.parent))
    specialised.measure(path, [1, 2], 1, 1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[:2] for line in lines] == [["| image", "1"], ["| image", "2"]]
    assert all(float(line.split(" | ")[8]) < 1e-5 for line in lines)
    assert all(line.count("|") == specialised.COLUMNS.count("|") for line in lines)
