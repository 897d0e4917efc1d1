"""A small model, and `mlc` run in this process or in another, on a cache that these tests share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.tools.mlc.main import main

OPSET = 20


@dataclass(frozen=True)
class Result:
    """The result of a command."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Result]


def save_model(
    path: Path,
    nodes: Sequence[onnx.NodeProto],
    *,
    inputs: dict[str, list[Any]],
    outputs: dict[str, list[Any]],
    weights: dict[str, np.ndarray] | None = None,
    dtypes: dict[str, int] | None = None,
) -> Path:
    """Writes a model; shapes by name, element types in `dtypes` where they are not FLOAT."""
    infos = [
        [
            helper.make_tensor_value_info(name, (dtypes or {}).get(name, TensorProto.FLOAT), shape)
            for name, shape in group.items()
        ]
        for group in (inputs, outputs)
    ]
    tensors = [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()]
    graph = helper.make_graph(list(nodes), "graph", infos[0], infos[1], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    path.write_bytes(model.SerializeToString())
    return path


Save = Callable[..., Path]


@pytest.fixture(scope="session")
def save() -> Save:
    return save_model


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def mlp(folder: Path) -> Path:
    """Saves x[2,24] -> Gemm, Relu, Gemm -> y[2,5], with weights large enough to be references."""
    draw = np.random.default_rng(0)
    weights = {
        "w1": draw.standard_normal((24, 40), np.float32),
        "b1": draw.standard_normal(40, np.float32),
        "w2": draw.standard_normal((40, 5), np.float32),
        "b2": draw.standard_normal(5, np.float32),
    }
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["a"], "first"),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Gemm", ["b", "w2", "b2"], ["y"], "second"),
    ]
    return save_model(
        folder / "mlp.onnx", nodes, inputs={"x": [2, 24]}, outputs={"y": [2, 5]}, weights=weights
    )


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache that all tests share, so that each model compiles once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def mlc(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs mlc in this process, in a new folder."""
    monkeypatch.setenv("MLC_CACHE_DIR", str(cache))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: Any) -> Result:
        capsys.readouterr()
        status = main(list(map(str, arguments)))
        return Result(status, *capsys.readouterr())

    return run


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="session")
def start() -> Start:
    """Starts mlc in a separate process: arguments, and the cache's folder."""

    def run(*arguments: Any, cache: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "mlc.tools.mlc.main", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "MLC_CACHE_DIR": str(cache)},
        )

    return run
