"""Small cases for the fuzzer's own tests, and compilers that stand for mlc and have a fault."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from functools import partial

import numpy as np
from onnx import ModelProto, NodeProto, ValueInfoProto, helper

from mlc.tools.fuzz.case import Arrays, FuzzCase, set_types
from mlc.tools.fuzz.oracles import Oracle, reference
from mlc.tools.fuzz.verdicts import Compiler

OPSET = 18


def case_of_nodes(nodes: Sequence[NodeProto], inputs: Arrays, outputs: Sequence[str]) -> FuzzCase:
    """A case of some nodes."""
    infos = [ValueInfoProto(name=name) for name in outputs]
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(helper.make_graph(nodes, "fuzz", [], infos), opset_imports=opsets, ir_version=8)
    return FuzzCase(set_types(model, inputs), inputs)


def conv_case() -> FuzzCase:
    """A convolution with all optional inputs and some attributes."""
    rng = np.random.default_rng(0)
    shapes = {"x": (1, 3, 8, 8), "w": (4, 3, 3, 3), "b": (4,)}
    inputs = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    node = helper.make_node("Conv", ["x", "w", "b"], ["y"], pads=[1, 1, 1, 1], strides=[2, 2])
    return case_of_nodes([node], inputs, ["y"])


def chain_case() -> FuzzCase:
    """Returns a case of y = relu(x) + b, reduced; the bias is broadcast."""
    inputs = {
        "x": np.linspace(-2, 2, 48, dtype=np.float32).reshape(2, 8, 3),
        "b": np.array([0.5, 1.5, -7.25], np.float32),
    }
    nodes = [
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node("Add", ["r", "b"], ["s"]),
        helper.make_node("ReduceSum", ["s"], ["y"], keepdims=0),
    ]
    return case_of_nodes(nodes, inputs, ["y"])


def operators(model: ModelProto) -> list[str]:
    """The operators of the main graph."""
    return [node.op_type for node in model.graph.node]


def faulty(model: ModelProto, inputs: Arrays) -> list[np.ndarray]:
    """The reference, but Relu is off by one, Exp raises, Neg ends the process, Abs hangs."""
    found = operators(model)
    if "Exp" in found:
        raise ZeroDivisionError("planted")
    if "Neg" in found:
        os.kill(os.getpid(), signal.SIGKILL)
    if "Abs" in found:
        time.sleep(60)
    return [output + ("Relu" in found) for output in reference(model, inputs)]


def compiler_of(run: Oracle) -> Compiler:
    """Returns a compiler whose programs are what an oracle or a fake computes for the model."""
    return lambda model: partial(run, model)
