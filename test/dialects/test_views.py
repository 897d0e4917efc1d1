"""Views of our ops: what they read is what the ops' classes and definitions say."""

import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from mlc.bindings import fields, ir
from mlc.dialects import accel, create_context, graph, tloop
from mlc.dialects.graph.dialect import op_classes

_TEXT = """
func.func @f(%x: tensor<4x8xf32>, %i: tensor<2xi64>) -> tensor<4x8xf32> {
  %c = "graph.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %all = "graph.concat"(%x, %x) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>}
    : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %padded = "graph.pad"(%x) {low = array<i64: 0, 0>, high = array<i64: 0, 1>}
    : (tensor<4x8xf32>) -> tensor<4x9xf32>
  %flat = "graph.reshape"(%x) {shape = array<i64: 32>} : (tensor<4x8xf32>) -> tensor<32xf32>
  return %x : tensor<4x8xf32>
}
tloop.launch_into
"""
_LAUNCH = """
func.func private @k(%a: memref<4xf32>, %b: memref<4xf32>)
func.func @main(%a: memref<4xf32>, %b: memref<4xf32>, %n: index) {
  "tloop.launch_into"(%a, %b, %n) {kernel = @k, num_outputs = 1 : i64,
    operandSegmentSizes = array<i32: SEGMENTS>}
    : (memref<4xf32>, memref<4xf32>, index) -> ()
  return
}
"""


def _ops(text: str) -> tuple[ir.Module, dict[str, ir.Operation]]:
    module = ir.Module.parse(text, context=create_context())
    found: dict[str, ir.Operation] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        found[op.name] = op
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return module, found


def test_graph_ops() -> None:
    module, ops = _ops(_TEXT.replace("tloop.launch_into\n", ""))
    x = graph.Pad(ops["graph.pad"]).x
    assert graph.Concat(ops["graph.concat"]).inputs == [x, x]
    assert graph.Concat(ops["graph.concat"]).axis == 0
    assert np.array_equal(graph.Constant(ops["graph.constant"]).value, np.array([1, 2], np.float32))
    pad = graph.Pad(ops["graph.pad"])
    assert (pad.low, pad.high, pad.mode, pad.value) == ((0, 0), (0, 1), "constant", 0.0)
    reshape = graph.Reshape(ops["graph.reshape"])
    assert reshape.dims is None and reshape.shape == (32,) and graph.Reshaping(ops["graph.reshape"]).x == x
    graph.Constant(ops["graph.constant"]).value = np.array([3, 4], np.float32)
    assert np.array_equal(graph.attribute(ops["graph.constant"], "value"), np.array([3, 4], np.float32))
    assert module.operation.verify()


def test_launches() -> None:
    segments = ", ".join(["1", "1", *["0"] * (tloop.OPERAND_LIMIT - 2), "1"])
    _module, ops = _ops(_LAUNCH.replace("SEGMENTS", segments))
    launch = tloop.LaunchInto(ops["tloop.launch_into"])
    buffers, dims = tloop.buffers_and_dims(launch.operation)
    assert (launch.operands, launch.dims, launch.kernel, launch.num_outputs) == (buffers, dims, "k", 1)
    launch.kernel = "other"
    assert str(launch.operation.attributes["kernel"]) == "@other"


@pytest.mark.parametrize("name", sorted(op_classes()))
def test_fields_of_graph_ops(name: str) -> None:
    """A view has each operand, attribute, region and result of the op's definition."""
    spec = graph.specs()[name]
    view = getattr(graph, "".join(part.capitalize() for part in name.split("_")))
    assert f"graph.{name}" == view.NAME
    parts: list[Any] = [*spec.operands, *spec.attributes]
    expected = {part.name for part in parts} | {*spec.regions, *spec.results}
    assert expected <= {field.rstrip("_") for field in vars(view)}


def _is_op_class(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, ir.OpView)


@pytest.mark.parametrize("dialect", [accel, tloop], ids=["accel", "tloop"])
def test_fields_of_op_classes(dialect: ModuleType) -> None:
    """A view has each field that the class declares; numbered ones are a list."""
    for name, op_class in vars(dialect).items():
        if _is_op_class(op_class):
            view = getattr(dialect, name.removesuffix("Op"))
            assert view.NAME == op_class.OPERATION_NAME
            declared = {re.sub(r"_\d+$", "s", field) for field in op_class.__annotations__}
            assert declared | set(getattr(op_class, "FORMS", {})) <= set(vars(view))


def test_field_of_a_class_is_the_descriptor() -> None:
    assert isinstance(graph.Conv.strides, fields.AttributeField)
