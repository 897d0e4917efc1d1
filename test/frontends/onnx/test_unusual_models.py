"""Models that ONNX Runtime accepts, with a warning or without, are accepted by mlc."""

from __future__ import annotations

import logging

import numpy as np
import onnx
import onnxruntime
import pytest
from graph_evaluator import evaluate
from onnx import TensorProto, helper
from onnx.numpy_helper import from_array
from unusual_models import ADD, BRANCHES, GRAPHS, REFUSED, Arrays, W, X, constant, info, model, squeeze_if_one

import mlc
from mlc.frontends.errors import ModelError, UnsupportedModelError
from mlc.frontends.import_warnings import ImportWarnings
from mlc.frontends.onnx import import_model


def _runtime(proto: onnx.ModelProto, inputs: Arrays) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, inputs)


def _check(proto: onnx.ModelProto, inputs: Arrays) -> None:
    imported = import_model(proto)
    assert imported.module.operation.verify()
    found = evaluate(imported.module, [inputs[name] for name in imported.inputs], imported.weights)
    for actual, expected in zip(found, _runtime(proto, inputs), strict=True):
        assert actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, 1e-6)


@pytest.mark.parametrize("name", GRAPHS)
def test_graph_is_accepted(name: str) -> None:
    _check(GRAPHS[name], {"x": X})


@pytest.mark.parametrize("name", BRANCHES)
def test_branches_are_accepted(name: str) -> None:
    for condition in (True, False):
        _check(BRANCHES[name], {"x": X, "c": np.array(condition)})


def test_rank_of_an_output_that_a_branch_decides() -> None:
    """Nothing follows that could be imported for each branch."""
    proto = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 18]> g (float[2,3] x, bool c) => (float y) {
          z = If(c) <then_branch = a () => (float[2,3] t) { t = Neg(x) },
                     else_branch = b () => (float[2] e) { e = ReduceSum<keepdims = 0>(x, o) }>
          o = Constant<value_ints = [1]>() y = Relu(z)
        }"""
    )
    proto.graph.node.insert(0, proto.graph.node.pop(1))
    proto.graph.output[0].type.tensor_type.ClearField("shape")
    wrong = r"^m\.onnx: an If decides the rank of an output: the branches of node '{}' give .* 2 and .* 1$"
    with pytest.raises(UnsupportedModelError, match=wrong.format("If:z")):
        import_model(proto, name="m.onnx")
    next(node for node in proto.graph.node if node.op_type == "If").name = "choice"
    with pytest.raises(UnsupportedModelError, match=wrong.format("choice")):
        import_model(proto, name="m.onnx")


def _zeros(proto: onnx.ModelProto) -> Arrays:
    """Returns inputs of the declared types and shapes."""
    return {
        entry.name: np.zeros(
            [dim.dim_value for dim in entry.type.tensor_type.shape.dim],
            helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type),
        )
        for entry in proto.graph.input
    }


@pytest.mark.parametrize("name", REFUSED)
def test_model_is_refused_with_one_error(name: str) -> None:
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        _runtime(REFUSED[name], _zeros(REFUSED[name]))
    with pytest.raises(ModelError):
        import_model(REFUSED[name])


@pytest.mark.parametrize(
    ("name", "warning"),
    [
        ("output of another declared shape", "output 'y' is declared with the shape [3], but has [2]"),
        (
            "output of another declared rank, open",
            "output 'y' is declared with the shape [3, 1], but has [?]",
        ),
        ("initializer twice", "initializer 'w' is a duplicate; the last is used"),
        (
            "initializer listed as input",
            "input 'w' is an initializer too, and therefore constant; to give one in calls, give its shape:"
            " shapes={'w': [2]}",
        ),
        ("initializer listed as input, IR version 3", None),
        ("function", None),
    ],
)
def test_warnings(name: str, warning: str | None, caplog: pytest.LogCaptureFixture) -> None:
    """They are logged once, however often the model is imported."""
    warnings = ImportWarnings()
    for _ in range(2):
        imported = import_model(GRAPHS[name], name="m.onnx", warnings=warnings)
    expected = [f"m.onnx: {warning}"] if warning else []
    assert list(imported.warnings) == caplog.messages == expected
    assert all(record.levelno == logging.WARNING for record in caplog.records)


def test_output_that_is_there_twice_is_one() -> None:
    proto = GRAPHS["outputs with the same value"]
    twice = onnx.ModelProto.FromString(proto.SerializeToString())
    twice.graph.output.append(twice.graph.output[0])
    imported = import_model(twice)
    assert imported.outputs == ("y", "z")
    assert imported.warnings == ("<memory>: the output 'y' is a duplicate; the program has it once",)


def test_initializer_becomes_an_input_whose_shape_is_given() -> None:
    proto = model(ADD, [info("x", 2), info("w", "n")], constants=[W])
    for shape in ([2], [-1]):
        imported = import_model(proto, shapes={"w": shape})
        assert imported.inputs == ("x", "w") and not imported.warnings
        [found] = evaluate(imported.module, [X, 3 * X], imported.weights)
        np.testing.assert_array_equal(found, 4 * X)


def test_call_that_gives_an_initializer() -> None:
    """The error says how it becomes an input; where it is one, calls must give it."""
    proto = model(ADD, [info("x", 2), info("w", 2)], constants=[W])
    program = mlc.compile(proto)
    message = r"unknown input 'w'; .* compile the model with its shape, shapes=\{'w': \[...\]\} or --shape w:"
    for call in (program.run, program):
        with pytest.raises(TypeError, match=message):
            call({"x": X, "w": X})
    with pytest.raises(TypeError, match=r"unknown input 'v'; the inputs are \['x'\]$"):
        program.run({"x": X, "v": X})
    given = mlc.compile(proto, shapes={"w": [2]})
    np.testing.assert_array_equal(given.run({"x": X, "w": 3 * X})["y"], 4 * X)
    with pytest.raises(TypeError, match=r"missing input 'w'; the inputs are \['x', 'w'\]$"):
        given.run({"x": X})


def test_wrong_sparse_tensors() -> None:
    for indices in ([2], [-1], [[0, 1]], [0, 1]):
        proto = model(ADD)
        values = constant("w", 10)
        sparse = onnx.SparseTensorProto(values=values, dims=[2])
        sparse.indices.CopyFrom(from_array(np.array(indices)))
        proto.graph.sparse_initializer.append(sparse)
        with pytest.raises(ModelError, match="tensor 'w': its indices do not fit dims \\[2\\] and 1 values"):
            import_model(proto)


def test_sparse_tensor_of_terabytes() -> None:
    proto = model(ADD)
    sparse = helper.make_sparse_tensor(constant("w", 10), from_array(np.array([1])), [1 << 40])
    proto.graph.sparse_initializer.append(sparse)
    with pytest.raises(ModelError, match="more than the import budget"):
        import_model(proto)


SUM = helper.make_node("ReduceSum", ["s"], ["y"], keepdims=0)
BY_RANK = [
    helper.make_node("Shape", ["s"], ["sizes"]),
    helper.make_node("Size", ["sizes"], ["rank"]),
    helper.make_node("Cast", ["rank"], ["floats"], to=TensorProto.FLOAT),
    helper.make_node("Mul", ["s", "floats"], ["scaled"]),
    helper.make_node("ReduceSum", ["scaled"], ["y"], keepdims=0),
]


@pytest.mark.parametrize("rest", [[SUM], BY_RANK], ids=["sum", "by rank"])
def test_branches_of_different_ranks(rest: list[onnx.NodeProto]) -> None:
    """The nodes that follow are computed with the rank of the branch."""
    for rows in (1, 3):
        x = np.arange(2 * rows, dtype=np.float32).reshape(rows, 2) + 1
        _check(squeeze_if_one(rest), {"x": x})
        for condition in (True, False):
            _check(squeeze_if_one(rest, nested=True), {"x": x, "c": np.array(condition)})


def test_branch_whose_rank_does_not_suit_what_follows(caplog: pytest.LogCaptureFixture) -> None:
    """A transpose of two axes follows, which the squeezed value does not have."""
    proto = squeeze_if_one([helper.make_node("Transpose", ["s"], ["y"], perm=[1, 0])])
    _check(proto, {"x": np.ones((3, 2), np.float32)})
    [warning] = caplog.messages
    assert "node 'choice' (If): a call that takes its then branch fails: node 'Transpose:y'" in warning
    text = str(import_model(proto).module)
    assert "its then branch does not take these sizes" in text and "graph.if" not in text


def test_branch_that_cannot_take_its_operands(caplog: pytest.LogCaptureFixture) -> None:
    """It is left out, and a call that takes it fails; two such branches are an error."""
    wide = constant("w", 1, 2, 3)
    wrong = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["t"])], "wrong", [], [info("t", 2)], [wide]
    )
    good = helper.make_graph([helper.make_node("Neg", ["x"], ["t"])], "good", [], [info("t", 2)])
    for branches, fails in (((wrong, good), True), ((good, wrong), False)):
        caplog.clear()
        choice = helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])
        proto = model([choice], [info("x", 2), info("c", onnx_type=TensorProto.BOOL)])
        imported = import_model(proto)
        assert imported.module.operation.verify()
        [found] = evaluate(imported.module, [X, np.array(not fails)], imported.weights)
        np.testing.assert_array_equal(found, -X)
        with pytest.raises(ValueError, match="do not broadcast"):
            evaluate(imported.module, [X, np.array(fails)], imported.weights)
        [warning] = caplog.messages
        assert (
            f"a call that takes its {'then' if fails else 'else'} branch fails: node 'If:y/Add:t'" in warning
        )
    choice = helper.make_node("If", ["c"], ["y"], then_branch=wrong, else_branch=wrong)
    with pytest.raises(ModelError, match="node 'If:y/Add:t'"):
        import_model(model([choice], [info("x", 2), info("c", onnx_type=TensorProto.BOOL)]))


@pytest.mark.parametrize("name", ["?", "", "-1", "*", "0", "None", "??"])
def test_anonymous_dims_differ(name: str) -> None:
    """Names without letters do not say that two sizes are equal."""
    join = helper.make_node("Concat", ["x", "z"], ["y"], axis=0)
    proto = model([join], [info("x", name), info("z", name)], [info("y", name)])
    imported = import_model(proto)
    text = str(imported.module)
    assert 'graph.dims = ["x.shape[0]"]' in text and 'graph.dims = ["z.shape[0]"]' in text
    assert imported.declared == (("",),)
    _check(proto, {"x": X, "z": np.ones(3, np.float32)})
    if name:
        with pytest.raises(ModelError, match="the model has no dynamic dim"):
            import_model(proto, dims={name: 3})
    fixed = str(import_model(proto, dims={"x.shape[0]": 3}).module)
    assert "tensor<3xf32>" in fixed and 'graph.dims = ["z.shape[0]"]' in fixed
    with pytest.raises(ModelError, match=r"'x.shape\[0\]' gets two sizes: 3 by dims=.*, and 4 by shapes="):
        import_model(proto, dims={"x.shape[0]": 3}, shapes={"x": [4]})


@pytest.mark.parametrize("name", ["unk__123", "DynamicDimension.0", "batch size", "a.b/c:0", "2*n", "n'"])
def test_other_names_name_dims(name: str) -> None:
    sum_ = helper.make_node("Add", ["x", "z"], ["y"])
    proto = model([sum_], [info("x", name), info("z", name)], [info("y", name)])
    _check(proto, {"x": X, "z": X})
    assert "graph.expand" not in str(import_model(proto).module)
    assert "tensor<3xf32>" in str(import_model(proto, dims={name: 3}).module)
