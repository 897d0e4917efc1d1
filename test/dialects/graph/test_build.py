"""`build`, attributes as Python values, and the op classes."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

from mlc import dialects
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph import views
from mlc.dialects.graph.sizes import broadcast, symbol

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "bfloat16",
    "int4",
    "uint4",
    "int2",
    "uint2",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float4_e2m1fn",
]


@pytest.fixture(autouse=True)
def module() -> Iterator[ir.Module]:
    with dialects.create_context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            yield module


def _value(text: str) -> ir.Value:
    return graph.build("prepared", [], {"index": 0}, ir.Type.parse(text))


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 60), (0, 2)])
def test_constants_of_every_type_come_back(name: str, shape: tuple[int, ...]) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    array = (np.arange(np.prod(shape)) % 2 + (name == "float8_e8m0fnu")).astype(dtype).reshape(shape)
    if array.nbytes > 1024:
        pytest.skip("over the limit of a constant")
    read = graph.attribute(graph.build("constant", [], {"value": array}).owner, "value")
    assert read.dtype == dtype
    assert read.shape == shape
    assert read.tobytes() == array.tobytes()


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2", "float32"])
def test_constants_keep_nan_and_infinities(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    array = np.array([np.nan, np.inf, -np.inf, -0.0, 1.5, 3.0e-5], dtype)
    read = graph.attribute(graph.build("constant", [], {"value": array}).owner, "value")
    assert read.tobytes() == array.tobytes()


def test_defaults_are_written_and_none_is_left_out() -> None:
    pool = {"kernel": [2, 2], "strides": [2, 2], "dilations": [1, 1], "pads": [0] * 4}
    op = graph.build("max_pool", [_value("tensor<1x3x8x8xf32>")], pool).owner
    assert {name: graph.attribute(op, name) for name in op.attributes} == {
        **pool,
        "ceil_mode": False,
        "layout": "NCHW",
    }
    clamp = graph.build("clamp", [_value("tensor<2xf32>")], {"max": 6.0, "min": None}).owner
    assert (graph.attribute(clamp, "min"), graph.attribute(clamp, "max")) == (None, 6.0)
    assert "min" not in clamp.attributes
    with pytest.raises(KeyError):
        graph.attribute(clamp, "axis")


def test_op_classes_give_operands_and_attributes_by_name() -> None:
    x, dims = _value("tensor<?x4xf32>"), _value("tensor<2xi64>")
    op = graph.build("reshape", [x, dims], {"shape": [-1, -1]}).owner.opview
    assert isinstance(op, graph.op_classes()["reshape"])
    assert (op.x, op.dims, op.shape) == (x, dims, [-1, -1])
    assert graph.build("reshape", [x], {"shape": [-1, 2]}).owner.opview.dims is None
    assert graph.build("concat", [x, x], {"axis": 0}).owner.opview.inputs == [x, x]
    for op_class in graph.op_classes().values():
        names = [operand.name for operand in (*op_class.spec.operands, *op_class.spec.attributes)]
        assert not [name for name in names if hasattr(ir.OpView, name)]
        assert "Shapes:" in (op_class.__doc__ or "")


def test_concat_of_many_operands_is_a_tree() -> None:
    parts = [_value(f"tensor<2x{columns}xf32>") for columns in range(1, 31)]
    whole = graph.build("concat", parts, {"axis": 1})
    assert graph.shape_of(whole) == [2, sum(range(1, 31))]
    found: list[ir.Value] = []

    def leaves(value: ir.Value) -> None:
        op = value.owner
        for operand in op.operands if op.name == "graph.concat" else ():
            leaves(operand)
        if op.name != "graph.concat":
            found.append(value)

    leaves(whole)
    assert found == parts


def test_result_types_refine_and_are_checked() -> None:
    scalar = _value("tensor<i64>")
    known = graph.build("range", [scalar] * 3, result_type=ir.Type.parse("tensor<7xi64>"))
    assert graph.shape_of(known) == [7]
    row = graph.build("add", [_value("tensor<?x?xf32>"), _value("tensor<4xf32>")])
    assert graph.shape_of(row) == [None, 4]
    assert graph.element_type(row) == ir.F32Type.get()
    with pytest.raises(
        graph.ShapeError, match=r"'result' is tensor<3xf32>.*graph\.exp, operands: tensor<2xf32>"
    ):
        graph.build("exp", [_value("tensor<2xf32>")], result_type=ir.Type.parse("tensor<3xf32>"))
    with pytest.raises(graph.ShapeError, match="type must be given"):
        graph.build("full", [], {"value": 1})
    with pytest.raises(graph.ShapeError, match="is no op of the graph dialect"):
        graph.build("nothing", [])
    with pytest.raises(graph.ShapeError, match="known ranks"):
        graph.build("exp", [_build_unranked()])


def _build_unranked() -> ir.Value:
    return ir.Operation.create(
        "graph.exp", [ir.Type.parse("tensor<*xf32>")], [_value("tensor<2xf32>")]
    ).result


def test_loading_again_does_nothing() -> None:
    dialects.load(ir.Context.current)
    assert ir.Context.current.is_dialect_loaded("graph")


def test_sizes_of_many_vectors_are_a_tree() -> None:
    """Each inner op gives the elements that the outer one names."""
    names = [name for index in range(90) for name in (f"n{index}", "")]
    total = " + ".join(name for name in names if name)
    vectors = [_value("tensor<2xi64>") for _ in range(90)]
    whole = graph.build("sizes", vectors, {"names": names, "dims": [total, "4"]})
    assert whole.owner.verify() and len(whole.owner.operands) == 8
    read: list[ir.Value] = []

    def collect_vectors(op: ir.Operation) -> list[str]:
        """Returns the names of the op's vectors, and collects those that no op of sizes gives."""
        view = views.Sizes(op)
        for vector in view.values:
            if views.Sizes.isa(vector.owner):
                inner = list(views.Sizes(vector.owner).dims)
                assert inner == [name for name in collect_vectors(vector.owner) if name]
            else:
                read.append(vector)
        return list(view.names)

    assert [name for name in collect_vectors(whole.owner) if name] == [name for name in names if name]
    assert read == vectors


def test_sizes_of_two_names_for_one_element() -> None:
    """One of them replaces the other."""
    vector = _value("tensor<1xi64>")
    for name in ("a", "b"):
        graph.build("sizes", [vector], {"names": [name], "dims": [name]})
    a, b = symbol("a"), symbol("b")
    sizes = views.Sizes(graph.sizes_vector([broadcast(a, b), a + b]).owner)
    assert list(sizes.names) == ["b"] and list(sizes.dims) == ["b", "2*b"]
