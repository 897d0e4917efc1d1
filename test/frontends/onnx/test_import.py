"""The importer as a whole: models, names, locations, functions, order, dims, errors."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from models import F32, dense, info, model, weights
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_node as node

from mlc import dialects
from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model
from mlc.frontends.weights.module_references import weight_references

LIGHT = sorted((Path(onnx.__file__).parent / "backend/test/data/light").glob("*.onnx"))


def _text(proto: onnx.ModelProto, **options: object) -> str:
    imported = import_model(proto, **options)  # type: ignore[arg-type]
    assert imported.module.operation.verify()
    return str(imported.module)


def _failure(proto: onnx.ModelProto, **options: object) -> str:
    with pytest.raises(ModelError) as caught:
        import_model(proto, name="m.onnx", **options)  # type: ignore[arg-type]
    assert str(caught.value).startswith("m.onnx: ")
    return str(caught.value).removeprefix("m.onnx: ")


@pytest.mark.parametrize("path", LIGHT, ids=lambda p: p.stem)
def test_light_models_import(path: Path) -> None:
    imported = import_model(path)
    assert imported.module.operation.verify()
    assert len(imported.inputs) == len(imported.outputs) == 1
    assert "graph.conv" in str(imported.module)


def test_signature_and_given_context() -> None:
    context = dialects.create_context()
    imported = import_model(dense(), context=context)
    assert (imported.inputs, imported.outputs, imported.name) == (("x",), ("y",), "g")
    assert imported.module.context == context
    header = (
        'func.func @main(%arg0: tensor<?x32xf32> {graph.dims = ["N", ""], graph.name = "x"}) '
        '-> (tensor<?x32xf32> {graph.name = "y"})'
    )
    assert header in str(imported.module)


def test_initializers_that_are_inputs_too_are_no_arguments() -> None:
    proto = dense()
    proto.graph.input.append(info("w", 32, 32))
    assert import_model(proto).inputs == ("x",)


@pytest.mark.parametrize("size", [3, "n"])
@pytest.mark.parametrize("parts", [(2**63 - 2, 2**63 - 1), (4, -1)], ids=["too many", "negative"])
def test_parts_that_no_dim_has(size: int | str, parts: tuple[int, int]) -> None:
    sizes = numpy_helper.from_array(np.array(parts), "sizes")
    inputs = [helper.make_tensor_value_info("x", F32, [size, 6])]
    split = model([node("Split", ["x", "sizes"], ["y", "z"], axis=0)], inputs, ["y", "z"], [sizes])
    assert f"split {list(parts)} does not divide the dim 0 of size {size} into 2 outputs" in _failure(split)
    split = model([node("SplitToSequence", ["x", "sizes"], ["s"], axis=0)], inputs, ["s"], [sizes])
    assert f"parts of {list(parts)} do not make up a dim of {size}" in _failure(split)


def test_locations_name_nodes() -> None:
    proto = model([node("Neg", ["x"], ["a"], name="first"), node("Abs", ["a"], ["y"])], [info("x", 2)], ["y"])
    asm = import_model(proto).module.operation.get_asm(enable_debug_info=True)
    assert 'loc("first")' in asm
    assert 'loc("Abs:y")' in asm
    assert 'loc("x")' in asm


def test_sizes_that_contradict_each_other_are_refused() -> None:
    recurrent = node("GRU", ["x", "w", "r"], ["y"], hidden_size=6)
    proto = model([recurrent], [info("x", 2, 1, 3), info("w", 1, 15, 3), info("r", 1, 15, 5)], ["y"])
    assert "hidden_size is 6, but R is for states of 5 elements" in _failure(proto)
    lengths = helper.make_tensor_value_info("lengths", TensorProto.INT64, [1])
    proto = model([node("ReverseSequence", ["x", "lengths"], ["y"])], [info("x", 4, 7), lengths], ["y"])
    assert "'lengths' of shape ['1'] must hold 7 elements" in _failure(proto)


def test_tensors_have_at_most_64_dims() -> None:
    for rank in (64, 65):
        shape = helper.make_tensor_value_info("shape", TensorProto.INT64, [rank])
        proto = model([node("ConstantOfShape", ["shape"], ["y"])], [shape], ["y"])
        if rank == 64:
            import_model(proto)
        else:
            assert "a result has 65 dims; at most 64 are supported" in _failure(proto)


def test_no_dims_are_negative() -> None:
    shape = numpy_helper.from_array(np.array([2, -3]), "shape")
    proto = model([node("ConstantOfShape", ["shape"], ["y"])], [], ["y"], [shape])
    assert "one of which is negative" in _failure(proto)


def test_nodes_out_of_order_are_sorted() -> None:
    proto = model([node("Abs", ["a"], ["y"]), node("Neg", ["x"], ["a"])], [info("x", 2)], ["y"])
    text = _text(proto)
    assert text.index("graph.neg") < text.index("graph.abs")


def test_equal_weights_share_their_reference() -> None:
    constants = [numpy_helper.from_array(weights(32, 32), name) for name in ("w", "v")]
    nodes = [node("MatMul", ["x", "w"], ["a"]), node("MatMul", ["a", "v"], ["y"])]
    imported = import_model(model(nodes, [info("x", 1, 32)], ["y"], constants))
    (reference,) = set(weight_references(imported.module))
    np.testing.assert_array_equal(
        imported.weights.buffer(reference).view(np.float32), weights(32, 32).ravel()
    )


@pytest.mark.parametrize("encoding", ["raw", "packed", "typed-f64", "int4"])
def test_encodings_of_weights(encoding: str) -> None:
    values = np.arange(-1024, 1024) % 7 - 3
    tensor, dtype = {
        "raw": (numpy_helper.from_array(values, "w"), np.int64),
        "packed": (helper.make_tensor("w", F32, [2048], values.tolist()), np.float32),
        "typed-f64": (helper.make_tensor("w", TensorProto.DOUBLE, [2048], values.tolist()), np.float64),
        "int4": (helper.make_tensor("w", TensorProto.INT4, [2048], values.tolist()), ml_dtypes.int4),
    }[encoding]
    proto = model(
        [node("Identity", ["w"], ["y"])], [], ["y"], [tensor], opset_imports=[helper.make_opsetid("", 21)]
    )
    proto.graph.output[0].type.tensor_type.elem_type = tensor.data_type
    proto.ir_version = 10
    imported = import_model(proto)
    (reference,) = weight_references(imported.module)
    assert reference.size == 2048 * np.dtype(dtype).itemsize
    found = imported.weights.buffer(reference).view(dtype)
    np.testing.assert_array_equal(found, values.astype(dtype))


def test_large_constant_nodes_are_weights() -> None:
    constant = node("Constant", [], ["w"], value=numpy_helper.from_array(weights(32, 32), "t"))
    imported = import_model(model([constant, node("MatMul", ["x", "w"], ["y"])], [info("x", 1, 32)], ["y"]))
    assert "graph.weight" in str(imported.module)


def test_model_functions_are_expanded() -> None:
    body = [
        helper.make_node("Mul", ["a", "a"], ["s"], name="square"),
        helper.make_node("LeakyRelu", ["s"], ["r"], name="leak"),
    ]
    ref = body[1].attribute.add()
    ref.name, ref.ref_attr_name, ref.type = "alpha", "slope", onnx.AttributeProto.FLOAT
    imports = [helper.make_opsetid("", 17)]
    function = helper.make_function("my", "SquareLeak", ["a"], ["r"], body, imports, ["slope"])
    nodes = [helper.make_node("SquareLeak", ["x"], ["y"], name="call", domain="my", slope=0.25)]
    proto = model(
        nodes,
        [info("x", 2)],
        ["y"],
        opset_imports=[*imports, helper.make_opsetid("my", 1)],
        functions=[function],
    )
    imported = import_model(proto)
    asm = imported.module.operation.get_asm(enable_debug_info=True)
    assert "alpha = 2.500000e-01" in asm
    assert 'loc("call/square")' in asm


def test_functions_that_call_themselves_are_refused() -> None:
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]

    def calling(calls: dict[str, str]) -> str:
        """Returns the error for a model with a function for each pair, which calls the other one."""
        functions = [
            helper.make_function("my", name, ["a"], ["b"], [node(called, ["a"], ["b"], domain="my")], imports)
            for name, called in calls.items()
        ]
        nodes = [node(next(iter(calls)), ["x"], ["y"], name="call", domain="my")]
        return _failure(model(nodes, [info("x", 2)], ["y"], opset_imports=imports, functions=functions))

    assert calling({"F": "F"}) == "function 'F' calls itself: F -> F"
    assert calling({"F": "G", "G": "F"}) in (
        "function 'F' calls itself: F -> G -> F",
        "function 'G' calls itself: G -> F -> G",
    )
    last = "functions are nested more than 64 deep"
    assert last in calling({f"F{i}": f"F{i + 1}" for i in range(70)})


def test_dims_and_shapes_fix_dynamic_dims() -> None:
    proto = dense()
    assert "tensor<?x32xf32>" in _text(proto)
    assert "tensor<4x32xf32>" in _text(proto, dims={"N": 4})
    assert "tensor<5x32xf32>" in _text(proto, shapes={"x": [5, 32]})
    assert "no dynamic dim 'M'" in _failure(proto, dims={"M": 4})
    assert "fixes dim 1 to 32" in _failure(proto, shapes={"x": [5, 31]})


def test_shapes_fix_names_in_all_inputs() -> None:
    inputs = [info("x", "n", "m"), info("y", "m", 3), info("z", 5, "k")]
    proto = model([node("MatMul", ["x", "y"], ["a"]), node("Neg", ["z"], ["b"])], inputs, ["a", "b"])
    text = _text(proto, shapes={"x": [-1, 4]}, dims={"m": 4})
    assert "%arg0: tensor<?x4xf32>" in text and "%arg1: tensor<4x3xf32>" in text
    assert text == _text(proto, shapes={"x": [-1, 4]})
    for shapes, dims, message in (
        (
            {"x": [2, 4]},
            {"m": 5},
            "the dim 'm' gets two sizes: 5 by dims={'m': 5}, and 4 by shapes={'x': [2, 4]}",
        ),
        (
            {"x": [2, 4], "y": [5, -1]},
            {},
            "the dim 'm' gets two sizes: 4 by shapes={'x': [2, 4]}, and 5 by shapes={'y': [5, -1]}",
        ),
        ({"y": [2, 4]}, {}, "shapes={'y': [2, 4]}: the model fixes dim 1 to 3"),
        ({"y": [2]}, {}, "shapes={'y': [2]}: the input has rank 2"),
    ):
        assert _failure(proto, shapes=shapes, dims=dims) == message


def test_a_shape_with_two_sizes_of_a_dim() -> None:
    square = model([node("Neg", ["x"], ["y"])], [info("x", "n", "n")], ["y"])
    message = "the dim 'n' gets two sizes: 4 and 5 by shapes={'x': [4, 5]}"
    assert _failure(square, shapes={"x": [4, 5]}) == message


def test_one_dynamic_dim_goes_through_shape_arithmetic() -> None:
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"]),
        node("Unsqueeze", ["n", "axis"], ["n1"]),
        node("Concat", ["n1", "rest"], ["shape"], axis=0),
        node("Reshape", ["x", "shape"], ["y"], name="r"),
    ]
    constants = [
        numpy_helper.from_array(np.asarray(0), "zero"),
        numpy_helper.from_array(np.array([0]), "axis"),
        numpy_helper.from_array(np.array([4, -1]), "rest"),
    ]
    proto = model(nodes, [info("x", "batch", 8, 2)], ["y"], constants)
    text = _text(proto)
    assert "shape = array<i64: -1, 4, 4>" in text
    assert "graph.gather" not in text


def test_several_dynamic_dims_are_an_operand() -> None:
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Slice", ["s", "zero", "two"], ["lead"]),
        node("Concat", ["lead", "heads"], ["shape"], axis=0),
        node("Relu", ["x"], ["r"]),
        node("Reshape", ["r", "shape"], ["h"], name="split"),
        node("Transpose", ["h"], ["t"], perm=[0, 2, 1, 3]),
        node("ConstantOfShape", ["s"], ["zeros"], name="zeros"),
        node("Add", ["x", "zeros"], ["a"]),
        node("Expand", ["one", "s"], ["e"]),
        node("Add", ["a", "e"], ["y"]),
    ]
    constants = [
        numpy_helper.from_array(np.array([0]), "zero"),
        numpy_helper.from_array(np.array([2]), "two"),
        numpy_helper.from_array(np.array([4, 2]), "heads"),
        numpy_helper.from_array(np.ones((1, 1, 1), np.float32), "one"),
    ]
    text = _text(model(nodes, [info("x", "batch", "seq", 8)], ["t", "y"], constants))
    assert "(tensor<?x?x8xf32>, tensor<4xi64>) -> tensor<?x?x4x2xf32>" in text
    assert "-> tensor<?x4x?x2xf32>" in text
    assert '"graph.full"' in text
    assert '"graph.expand"' in text


def test_sizes_go_through_what_exporters_compute_with_them() -> None:
    """Halves, products, a choice and a comparison of dims: the new shape follows, and nothing is computed."""
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Split", ["s"], ["b", "n", "d"], axis=0),
        node("Mul", ["b", "n"], ["rows"]),
        node("Div", ["rows", "one"], ["same"]),
        node("Size", ["x"], ["count"]),
        node("Div", ["count", "eight"], ["groups"]),
        node("Max", ["groups", "zero"], ["positive"]),
        node("Concat", ["same", "heads", "minus"], ["wanted"], axis=0),
        node("Equal", ["wanted", "minus"], ["open"]),
        node("Where", ["open", "four", "wanted"], ["shape"]),
        node("Reshape", ["x", "shape"], ["y"], name="split"),
        node("Unsqueeze", ["positive", "zero"], ["length"]),
        node("Reshape", ["y", "length8"], ["z"], name="flat"),
    ]
    values = {
        "one": [1], "eight": 8, "zero": [0], "heads": [2], "minus": [-1], "four": [4], "length8": [-1, 8],
    }  # fmt: skip
    constants = [numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()]
    text = _text(model(nodes, [info("x", "batch", "seq", 8)], ["y", "z"], constants))
    assert "graph.reshape" in text
    assert "tensor<?x2x4xf32>" in text
    assert not [op for op in ("div", "where", "equal", "max") if f"graph.{op}" in text]


@pytest.mark.parametrize("op", ["Add", "Mul", "Min", "Sub"])
def test_sizes_keep_the_type_that_they_are_cast_to(op: str) -> None:
    """Values that a call gives are compared with what is computed from sizes in i32, also where that is a
    constant."""
    nodes = [
        node("Shape", ["x"], ["s"], end=1),
        node("Cast", ["s"], ["rows"], to=TensorProto.INT32),
        node(op, ["rows", "four"], ["bound"]),
        node("Sub", ["bound", "bound"], ["none"]),
        node("Less", ["ids", "bound"], ["below"]),
        node("Greater", ["ids", "none"], ["above"]),
        node("And", ["below", "above"], ["inside"]),
        node("Cast", ["inside"], ["y"], to=TensorProto.FLOAT),
    ]
    ids = info("ids", 5, onnx_type=TensorProto.INT32)
    four = numpy_helper.from_array(np.array([4], np.int32), "four")
    text = _text(model(nodes, [info("x", "n", 3), ids], ["y"], [four]))
    assert "(tensor<5xi32>, tensor<1xi32>) -> tensor<5xi1>" in text


@pytest.mark.parametrize("onnx_type", [TensorProto.UINT8, TensorProto.INT16, TensorProto.UINT64])
def test_sizes_in_types_that_wrap_around_are_computed_when_the_model_runs(onnx_type: int) -> None:
    nodes = [
        node("Shape", ["x"], ["s"], end=1),
        node("Cast", ["s"], ["rows"], to=onnx_type),
        node("Sub", ["rows", "seven"], ["less"]),
        node("Cast", ["less"], ["y"], to=TensorProto.FLOAT),
    ]
    seven = helper.make_tensor("seven", onnx_type, [1], [7])
    text = _text(model(nodes, [info("x", "n", 3)], ["y"], [seven]))
    assert "graph.sub" in text


def test_dims_of_different_tensors_do_not_cancel() -> None:
    nodes = [
        node("Concat", ["x", "x"], ["a"], axis=0),
        node("Concat", ["z", "z"], ["b"], axis=0),
        node("Shape", ["b"], ["s"], end=1),
        node("Concat", ["s", "minus"], ["shape"], axis=0),
        node("Reshape", ["a", "shape"], ["y"], name="r"),
    ]
    constants = [numpy_helper.from_array(np.array([-1]), "minus")]
    proto = model(nodes, [info("x", "n", 8), info("z", "m", 8)], ["y"], constants)
    assert 'graph.dims = [["2*m", "floordiv(16*n, 2*m)"]]' in _text(proto)


def test_what_needs_a_static_dim_says_how_to_give_it() -> None:
    microsoft = "com.microsoft"
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(microsoft, 1)]
    inverse = node("Inverse", ["x"], ["y"], name="i", domain=microsoft)
    proto = model([inverse], [info("x", 4, "rows", 3)], ["y"], opset_imports=imports)
    message = _failure(proto)
    assert "node 'i' (Inverse)" in message
    assert "input 'x' has the dynamic dim 'rows': give dims={'rows': N}" in message
    assert _text(proto, dims={"rows": 3})


def test_shapes_that_are_inputs_are_read_when_the_model_runs() -> None:
    proto = model([node("Reshape", ["x", "s"], ["y"], name="r")], [info("x", 8)], ["y"])
    proto.graph.input.append(info("s", 2, onnx_type=TensorProto.INT64))
    text = _text(proto)
    assert 'names = ["read#0.s[0]", "read#0.s[1]"]' in text
    assert 'graph.dims = [["read#0.s[0]", "read#0.s[1]"]], shape = array<i64: -1, -1>' in text


def test_unsupported_operators_are_named_all_at_once() -> None:
    nodes = [
        node("Fourier", ["x"], ["a"], name="f1", domain="com.acme"),
        node("Fourier", ["a"], ["b"], name="f2", domain="com.acme"),
        node("MaxPool", ["b"], ["c", "i"], name="pool", kernel_shape=[2]),
        node("Relu", ["c"], ["d"], name="fine"),
        node("ImageDecoder", ["d"], ["y"], name="image"),
    ]
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("com.acme", 3)]
    message = _failure(model(nodes, [info("x", 1, 1, 8)], ["y"], opset_imports=imports))
    assert message.splitlines() == [
        "3 nodes cannot be imported:",
        "  com.acme.Fourier (opset 3): the operator is not supported: nodes 'f1', 'f2'",
        "  ImageDecoder (opset 20): the operator is not supported: node 'image'",
    ]


def _wrong(*nodes: onnx.NodeProto, opset: int = 17) -> str:
    return _failure(model(nodes, [info("x", 2, 3)], ["y"], opset_imports=[helper.make_opsetid("", opset)]))


@pytest.mark.parametrize(
    ("nodes", "cause"),
    [
        ([node("Neg", ["z"], ["y"], name="n")], "node 'n' (Neg) uses 'z', which nothing defines"),
        ([node("Neg", ["x"], ["x"], name="n")], "node 'n' (Neg) defines 'x', which is defined already"),
        ([node("Neg", ["x"], ["z"])], "output 'y' is not defined by anything"),
        (
            [node("Add", ["x", "b"], ["a"], name="n"), node("Neg", ["a"], ["b"]), node("Neg", ["a"], ["y"])],
            "has a cycle",
        ),
        ([node("Add", ["x"], ["y"], name="n")], "node 'n' (Add): "),
        ([node("Softmax", ["x"], ["y"], name="n", axis=5)], "node 'n' (Softmax): axis 5 is out of range"),
        ([node("Transpose", ["x"], ["y"], name="n", perm=[0, 0])], "is no permutation of the 2 axes"),
        (
            [node("Concat", ["x", "x"], ["y"], name="n")],
            "node 'n' (Concat): Required attribute 'axis' is missing",
        ),
        ([node("Relu", ["x"], ["y"], name="n", alpha=1.0)], "Unrecognized attribute: alpha"),
        ([node("Flatten", ["x"], ["y"], name="n", axis="one")], "node 'n' (Flatten): "),
        ([node("Conv", ["x", "x"], ["y"], name="n")], "node 'n' (Conv): "),
        ([node("MatMul", ["x", "x"], ["y"], name="n")], "node 'n' (MatMul): 'a, b' reduction dims"),
    ],
)
def test_wrong_nodes_are_named(nodes: list[onnx.NodeProto], cause: str) -> None:
    assert cause in _wrong(*nodes)


def test_inputs_that_are_there_twice_are_refused() -> None:
    proto = dense()
    proto.graph.input.append(proto.graph.input[0])
    assert _failure(proto) == "the input 'x' is a duplicate"


def test_versions_that_nobody_knows_are_refused() -> None:
    assert "opset 99" in _wrong(node("Neg", ["x"], ["y"]), opset=99)
    proto = dense()
    proto.ir_version = 999
    assert "IR version 999" in _failure(proto)


def test_inputs_that_are_no_tensors_are_refused() -> None:
    proto = dense()
    proto.graph.input[0].CopyFrom(helper.make_tensor_sequence_value_info("x", F32, None))
    assert "input 0 is a sequence, which this operator does not take" in _failure(proto)
    proto.graph.input[0].CopyFrom(helper.make_sparse_tensor_value_info("x", F32, [4]))
    assert "input 'x' is of sparse_tensor_type" in _failure(proto)
    proto = dense()
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    assert "input 'x' has no shape; give one: shapes={'x': [1, 3, 224, 224]}" in _failure(proto)
    assert "tensor<4x32xf32>" in _text(proto, shapes={"x": [4, 32]})
