"""The dims of single values, and comparisons of values with dynamic dims."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mlc import dialects
from mlc.bindings import ir
from mlc.dialects import graph

FUNCTION = """
!xyz = tensor<?x?x8xf32>
!rows = tensor<?x8xf32>
func.func @f(%x: !xyz {graph.dims = ["batch", "seq", ""]}, %y: !rows, %z: !rows, %shape: tensor<2xi64>) {
  %same = "graph.relu"(%x) : (!xyz) -> !xyz
  %turned = "graph.transpose"(%x) {permutation = array<i64: 1, 0, 2>} : (!xyz) -> !xyz
  %sum = "graph.add"(%y, %z) : (!rows, !rows) -> !rows
  %dims = "graph.shape_of"(%turned) : (!xyz) -> tensor<3xi64>
  %sizes = "graph.sizes"(%dims) {names = ["n", "m", ""], dims = ["n", "2*m", "4"],
    operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3xi64>) -> tensor<3xi64>
  %view = "graph.reshape"(%x, %sizes) {shape = array<i64: -1, -1, 4>}
    : (!xyz, tensor<3xi64>) -> tensor<?x?x4xf32>
  %one = "graph.expand"(%y, %shape) {shape = array<i64: -1, 8>} : (!rows, tensor<2xi64>) -> !rows
  %two = "graph.expand"(%y, %shape) {shape = array<i64: -1, 8>} : (!rows, tensor<2xi64>) -> !rows
  return
}
"""


@pytest.fixture
def values() -> Iterator[dict[str, ir.Value]]:
    """The values of the function by their names; ops are built before its end."""
    context = ir.Context()
    dialects.load(context)
    with context, ir.Location.unknown():
        module = ir.Module.parse(FUNCTION)
        block = module.body.operations[0].regions[0].blocks[0]
        ops = [op.operation for op in block.operations]
        names = ["same", "turned", "sum", "dims", "sizes", "view", "one", "two"]
        found = dict(zip(["x", "y", "z", "shape"], block.arguments, strict=True))
        found |= {name: op.results[0] for name, op in zip(names, ops[:-1], strict=True)}
        with ir.InsertionPoint(ops[-1]):
            yield found


def test_what_is_not_written_follows(values: dict[str, ir.Value]) -> None:
    texts = {name: [str(dim) for dim in graph.dims_of(value)] for name, value in values.items()}
    assert texts["same"] == ["batch", "seq", "8"]
    assert texts["turned"] == ["seq", "batch", "8"]
    assert texts["sum"] == ["broadcast(arg1.shape[0], arg2.shape[0])", "8"]
    assert texts["view"] == ["seq", "2*batch", "4"]


def test_sizes_are_compared_instead_of_unknown_dims(values: dict[str, ir.Value]) -> None:
    assert values["x"].type == values["turned"].type
    assert graph.same_shape(values["x"], values["same"])
    assert not graph.same_shape(values["x"], values["turned"])
    assert not graph.same_shape(values["x"], values["y"])
    assert not graph.same_shape(values["y"], values["sum"])
    assert graph.same_shape(values["one"], values["one"])
    assert not graph.same_shape(values["one"], values["two"])


def test_types_are_the_same_with_elements_and_dims(values: dict[str, ir.Value]) -> None:
    cast = graph.build("cast", [values["x"]], result_type=ir.Type.parse("tensor<?x?x8xf16>"))
    assert graph.same_shape(cast, values["x"])
    assert not graph.same_type(cast, values["x"])
    assert graph.same_type(values["same"], values["x"])


def test_ops_are_built_with_the_names_that_their_operands_have(values: dict[str, ir.Value]) -> None:
    built = graph.build("relu", [values["x"]])
    # Dims of another op, as they come with its attributes, are not taken over.
    turned = graph.build(
        "transpose", [built], {"permutation": [1, 0, 2], "graph.dims": built.owner.attributes["graph.dims"]}
    )
    assert str(built.owner.attributes["graph.dims"]) == '[["batch", "seq", ""]]'
    assert str(turned.owner.attributes["graph.dims"]) == '[["seq", "batch", ""]]'
    assert "graph.dims" not in graph.build("relu", [values["y"]]).owner.attributes
