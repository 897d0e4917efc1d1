"""A tiny engine that misbehaves as the name of the model's graph says, and cases for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

from mlc.tools.cases.suite import DataSet, Loaded, SuiteCase

_ENGINE = """\
import faulthandler, os, signal, time

import numpy as np
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

NAME, VERSION = "fake", "1"
calls = []
faulthandler.disable()

def prepare(model):
    calls.append(model)
    return globals()[model.graph.name]

def doubles(inputs):
    return [2 * inputs[0]]

def keeps(inputs):
    return list(inputs)

def raises(inputs):
    raise ValueError("one line\\nanother")

def leaves(inputs):
    os._exit(3)

def dies(inputs):
    os.kill(os.getpid(), signal.SIGSEGV)

def dies_unless_first(inputs):
    return doubles(inputs) if len(calls) == 1 else dies(inputs)

def sleeps(inputs):
    time.sleep(60)

def refuses(inputs):
    raise BackendIsNotSupposedToImplementIt(
        "m: 2 nodes cannot be imported:\\n  TopK (opset 11): the operator is not supported: nodes 'a', 'b'"
    )
"""


def fake_engine(folder: Path) -> Path:
    """The engine as a file."""
    path = folder / "fake_engine.py"
    path.write_text(_ENGINE)
    return path


def fake_case(name: str, behaviour: str = "doubles") -> SuiteCase:
    """A case that only `doubles` passes."""
    return SuiteCase(name, "node", "Double", False, 1e-3, 1e-7, lambda: _load(behaviour))


def _load(behaviour: str) -> Loaded:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"])], behaviour, [x], [y])
    data = np.arange(1, 4, dtype=np.float32)
    return helper.make_model(graph), [DataSet([data], [2 * data])]
