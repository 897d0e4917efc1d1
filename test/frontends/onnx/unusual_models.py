"""Models that are not quite as ONNX's specification wants them, or are rarely so: by name, with a call's
inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper
from onnx.helper import make_node as node
from onnx.numpy_helper import from_array

F32, I32, BOOL = TensorProto.FLOAT, TensorProto.INT32, TensorProto.BOOL
Arrays = dict[str, np.ndarray]
X = np.array([1, 2], np.float32)
OPSETS = {"": 17}


def info(name: str, *shape: int | str, onnx_type: int = F32) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx_type, list(shape))


def any_shape(name: str) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, F32, None)


def constant(name: str, *values: float) -> TensorProto:
    return from_array(np.array(values, np.float32), name)


def _integers(name: str, *values: int) -> TensorProto:
    return from_array(np.array(values, np.int64), name)


def model(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto] = (info("x", 2),),
    outputs: Sequence[ValueInfoProto] = (info("y", 2),),
    constants: Sequence[TensorProto] = (),
    *,
    values: Sequence[ValueInfoProto] = (),
    ir_version: int = 8,
    opsets: Sequence[tuple[str, int]] | dict[str, int] = OPSETS,
    functions: Sequence[FunctionProto] = (),
) -> ModelProto:
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), list(constants))
    graph.value_info.extend(values)
    pairs = opsets.items() if isinstance(opsets, dict) else opsets
    imports = [helper.make_opsetid(*pair) for pair in pairs]
    return helper.make_model(graph, opset_imports=imports, ir_version=ir_version, functions=functions)


NEG = node("Neg", ["x"], ["y"])
TWO = [node("Neg", ["x"], ["a"]), node("Neg", ["a"], ["y"])]
ADD = [node("Add", ["x", "w"], ["y"])]
W = constant("w", 10, 20)


def _without_fields(proto: ModelProto, *fields: str) -> ModelProto:
    for field in fields:
        proto.ClearField(field)
    return proto


def _sparse() -> onnx.SparseTensorProto:
    indices = from_array(np.array([1]), "indices")
    return helper.make_sparse_tensor(constant("w", 10), indices, [2])


def _sparse_initializer(*inputs: ValueInfoProto) -> ModelProto:
    proto = model(ADD, [info("x", 2), *inputs])
    proto.graph.sparse_initializer.append(_sparse())
    return proto


# All are called with x = X.
GRAPHS: dict[str, ModelProto] = {
    "initializer listed as input, IR version 3": model(
        ADD, [info("x", 2), info("w", 2)], constants=[W], ir_version=3
    ),
    "initializer listed as input": model(ADD, [info("x", 2), info("w", 2)], constants=[W]),
    "initializer twice": model(ADD, constants=[constant("w", 1, 2), W]),
    "initializer without a use": model([NEG], constants=[W]),
    "sparse initializer": _sparse_initializer(),
    "sparse initializer listed as input": _sparse_initializer(info("w", 2)),
    "sparse constant": model([node("Constant", [], ["w"], sparse_value=_sparse()), *ADD]),
    "value of another declared shape": model(TWO, values=[info("a", 3)]),
    "value of another declared rank": model(TWO, values=[info("a", 1, 2)]),
    "declaration of no value": model([NEG], values=[info("nothing", 2)]),
    "output of another declared shape": model([NEG], outputs=[info("y", 3)]),
    "output of another declared rank": model([NEG], outputs=[info("y", 1, 2)]),
    "output declared as a scalar": model([NEG], outputs=[info("y")]),
    "output of another declared shape, open": model([NEG], [info("x", "n")], [info("y", 3)]),
    "output of another declared rank, open": model([NEG], [info("x", "n")], [info("y", 3, 1)]),
    "output without a type": model([NEG], outputs=[ValueInfoProto(name="y")]),
    "output that is an input": model([], outputs=[info("x", 2)]),
    "output that is an input, and another": model([NEG], outputs=[info("y", 2), info("x", 2)]),
    "output that is an initializer": model([NEG], outputs=[info("y", 2), info("w", 2)], constants=[W]),
    "outputs with the same value": model(
        [NEG, node("Identity", ["y"], ["z"])], outputs=[info("y", 2), info("z", 2)]
    ),
    "node without a use": model([NEG, node("Abs", ["x"], ["unused"])]),
    "nodes with empty names": model([node("Neg", ["x"], ["y"], name="")]),
    "nodes out of order": model(list(reversed(TWO))),
    "optional output left out": model([node("Dropout", ["x"], ["y", ""])]),
    "optional inputs left out": model(
        [node("Clip", ["x", "", "w"], ["y"])], constants=[from_array(np.array(1.5, np.float32), "w")]
    ),
    "optional inputs left out at the end": model([node("Clip", ["x", "", ""], ["y"])]),
    "description of an attribute": model([node("Relu", ["x"], ["y"], doc_string="text")]),
    "graph without a name": _without_fields(model([NEG])),
    "IR version 1 with an opset": model([NEG], ir_version=1),
    "domain ai.onnx": model([NEG], opsets={"ai.onnx": 17}),
    "domain ai.onnx of a node": model([node("Neg", ["x"], ["y"], domain="ai.onnx")]),
    "both names of ONNX's domain": model([NEG], opsets={"": 17, "ai.onnx": 17}),
    "opset imported twice": model([NEG], opsets=[("", 17), ("", 17)]),
    "domain com.microsoft without an import": model([node("Gelu", ["x"], ["y"], domain="com.microsoft")]),
    "domain com.microsoft alone": model(
        [node("Gelu", ["x"], ["y"], domain="com.microsoft")], opsets={"com.microsoft": 1}
    ),
    "domain ai.onnx.ml without an import": model(
        [node("Scaler", ["x"], ["y"], domain="ai.onnx.ml", offset=[0.0], scale=[2.0])]
    ),
    "import of a domain without a use": model([NEG], opsets={"": 17, "com.acme": 3}),
    "opset 1": model(
        [node("Reshape", ["x"], ["y"], shape=[2, 1])], outputs=[info("y", 2, 1)], opsets={"": 1}, ir_version=3
    ),
    "opset 5": model(
        [node("Reshape", ["x", "s"], ["y"])],
        outputs=[info("y", 2, 1)],
        constants=[from_array(np.array([2, 1]), "s")],
        opsets={"": 5},
        ir_version=3,
    ),
    "opset 6": model([NEG], opsets={"": 6}, ir_version=3),
    "unnamed dims": model([NEG], [info("x", "")], [info("y", "")]),
    "negative dims": model([NEG], [info("x", -1)], [info("y", -1)]),
    "names with control characters": model([node("Neg", ["x"], ["a\n"]), node("Neg", ["a\n"], ["y"])]),
}


def _branches(then: GraphProto, other: GraphProto, constants: Sequence[TensorProto] = ()) -> ModelProto:
    choice = node("If", ["c"], ["y"], then_branch=then, else_branch=other)
    return model([choice], [info("x", 2), info("c", onnx_type=BOOL)], constants=constants)


def _branch(nodes: Sequence[NodeProto], output: ValueInfoProto, *constants: TensorProto) -> GraphProto:
    return helper.make_graph(list(nodes), "branch", [], [output], list(constants))


_SUM = _branch([node("Add", ["x", "w"], ["t"])], info("t", 2))
_NEGATIVE = _branch([node("Neg", ["x"], ["e"])], info("e", 2))

# Called with both values of c.
BRANCHES: dict[str, ModelProto] = {
    "initializer used in a branch alone": _branches(_SUM, _NEGATIVE, [W]),
    "initializer of a branch": _branches(
        _branch([node("Add", ["x", "w"], ["t"])], info("t", 2), W), _NEGATIVE
    ),
    "result that is an initializer": _branches(_branch([], info("w", 2), W), _NEGATIVE),
    "same names in both branches": _branches(_NEGATIVE, _branch([node("Abs", ["x"], ["e"])], info("e", 2))),
    "results of other declared shapes": _branches(
        _branch([node("Abs", ["x"], ["t"])], info("t", 3)), _branch([node("Neg", ["x"], ["e"])], info("e", 4))
    ),
    "results without types": _branches(
        _branch([node("Abs", ["x"], ["t"])], ValueInfoProto(name="t")),
        _branch([node("Neg", ["x"], ["e"])], ValueInfoProto(name="e")),
    ),
}


_SQUEEZED = _branch(
    [node("Squeeze", ["a", "axes"], ["t"])], any_shape("t"), from_array(np.array([0]), "axes")
)
_KEPT = _branch([node("Identity", ["a"], ["e"])], any_shape("e"))


def squeeze_if_one(rest: Sequence[NodeProto], *, nested: bool = False) -> ModelProto:
    """A squeeze of the first dim of x [n, 2] if it is 1, as exporters write it, before `rest`, from `s` to
    `y`. If `nested`, it is in a branch of another If, which is taken if `c`."""
    one = from_array(np.array(1), "one")
    choice = [
        node("Neg", ["x"], ["a"]),
        node("Shape", ["x"], ["shape"], end=1),
        node("Squeeze", ["shape"], ["n"]),
        node("Equal", ["n", "one"], ["is_one"]),
        node("If", ["is_one"], ["s"], name="choice", then_branch=_SQUEEZED, else_branch=_KEPT),
    ]
    inputs = [info("x", "n", 2)]
    if nested:
        outer = node(
            "If", ["c"], ["s"], then_branch=_branch(choice, any_shape("s")), else_branch=_NESTED_OTHER
        )
        choice = [outer]
        inputs.append(info("c", onnx_type=BOOL))
    return model([*choice, *rest], inputs, [any_shape("y")], [one])


_NESTED_OTHER = _branch([node("Abs", ["x"], ["o"])], any_shape("o"))


def _function(
    name: str, nodes: Sequence[NodeProto], inputs: Sequence[str] = ("a",), overload: str = ""
) -> FunctionProto:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    function = helper.make_function("my", name, list(inputs), ["b"], list(nodes), opsets)
    function.overload = overload
    return function


def _calls(nodes: Sequence[NodeProto], *functions: FunctionProto, ir_version: int = 8) -> ModelProto:
    return model(nodes, opsets={"": 17, "my": 1}, functions=functions, ir_version=ir_version)


_CALL = node("F", ["x"], ["y"], domain="my")

GRAPHS |= {
    "function": _calls([_CALL], _function("F", [node("Neg", ["a"], ["b"])])),
    "function that calls a function": _calls(
        [_CALL],
        _function("F", [node("G", ["a"], ["b"], domain="my")]),
        _function("G", [node("Neg", ["a"], ["b"])]),
    ),
    "overloads of a function": _calls(
        [
            node("F", ["x"], ["a"], domain="my", overload="one"),
            node("F", ["a"], ["y"], domain="my", overload="two"),
        ],
        _function("F", [node("Neg", ["a"], ["b"])], overload="one"),
        _function("F", [node("Add", ["a", "a"], ["b"])], overload="two"),
        ir_version=10,
    ),
    "function with an input left out": _calls(
        [_CALL], _function("F", [node("Clip", ["a", "least"], ["b"])], inputs=["a", "least"])
    ),
    "axis of a sum twice": model(
        [node("ReduceSum", ["x", "a"], ["y"])], outputs=[info("y", 1)], constants=[_integers("a", 0, -1)]
    ),
    "axis of squeezing twice": model(
        [node("ReduceSum", ["x"], ["z"]), node("Squeeze", ["z", "a"], ["y"])],
        outputs=[info("y")],
        constants=[_integers("a", 0, 0)],
    ),
    "function without a use, of unknown operators": _calls(
        [NEG], _function("F", [node("Unknown", ["a"], ["b"])])
    ),
}

# Models that ONNX Runtime refuses, and mlc refuses with one error or computes.
REFUSED: dict[str, ModelProto] = {
    "node without outputs": model([NEG, node("Neg", ["x"], [])]),
    "output of another declared type": model([NEG], outputs=[info("y", 2, onnx_type=I32)]),
    "input twice": model([NEG], [info("x", 2), info("x", 2)]),
    "node that defines an initializer": model([node("Neg", ["x"], ["w"]), *ADD], constants=[W]),
    "attribute that is unknown": model([node("Relu", ["x"], ["y"], alpha=1.0)]),
    "input too many": model([node("Neg", ["x", ""], ["y"])]),
    "output that nothing defines": model([NEG], outputs=[info("y", 2), info("z", 2)]),
    "no outputs": model([NEG], outputs=[]),
    "no IR version": _without_fields(model([NEG]), "ir_version"),
    "no opset": _without_fields(model([NEG]), "opset_import"),
    "opset 0": model([NEG], opsets={"": 0}),
    "axis twice, Slice": model(
        [node("Slice", ["x", "w", "w", "a"], ["y"])], constants=[_integers("w", 0, 1), _integers("a", 0, 0)]
    ),
    "axis twice, Unsqueeze": model(
        [node("Unsqueeze", ["x", "a"], ["y"])], outputs=[info("y", 2, 1, 1)], constants=[_integers("a", 1, 1)]
    ),
    "axis twice, Pad": model(
        [node("Pad", ["x", "p", "", "a"], ["y"])],
        opsets={"": 18},
        constants=[_integers("p", 1, 1, 1, 1), _integers("a", 0, 0)],
    ),
    "axis twice, CenterCropPad": model(
        [node("CenterCropPad", ["x", "s"], ["y"], axes=[0, 0])],
        opsets={"": 18},
        constants=[_integers("s", 1, 1)],
    ),
    "axis twice, Resize": model(
        [node("Resize", ["x", "", "", "s"], ["y"], axes=[0, 0])],
        opsets={"": 18},
        constants=[_integers("s", 1, 1)],
    ),
    "scale of other channels": model(
        [node("InstanceNormalization", ["x", "w", "w"], ["y"])],
        [info("x", 1, 3, 4)],
        [info("y", 1, 3, 4)],
        [constant("w", 1)],
    ),
    "scale of rank 2": model(
        [node("InstanceNormalization", ["x", "w", "w"], ["y"])],
        [info("x", 1, 2, 4), info("w", 1, 2)],
        [info("y", 1, 2, 4)],
    ),
    "statistics of other channels": model(
        [node("BatchNormalization", ["x", "w", "w", "w", "w"], ["y"])],
        [info("x", 1, 3, 4)],
        [info("y", 1, 3, 4)],
        [constant("w", 1)],
    ),
    "weights of one direction for two": model(
        [node("RNN", ["x", "w", "r"], ["y"], hidden_size=2, direction="bidirectional")],
        [info("x", 3, 1, 4), info("w", 1, 2, 4), info("r", 2, 2, 2)],
        [info("y", 3, 2, 1, 2)],
    ),
    "lengths of another batch": model(
        [node("RNN", ["x", "w", "r", "", "l"], ["y"], hidden_size=2)],
        [info("x", 3, 1, 4), info("w", 1, 2, 4), info("r", 1, 2, 2), info("l", 2, onnx_type=I32)],
        [info("y", 3, 1, 1, 2)],
    ),
    "scales of fewer axes": model(
        [node("Upsample", ["x", "w"], ["y"])],
        [info("x", 1, 1, 2, 2)],
        [info("y", "a", "b", "c", "d")],
        [constant("w", 1, 2)],
        opsets={"": 9},
    ),
    "empty batch of rows": model(
        [
            node(
                "TfIdfVectorizer",
                ["x"],
                ["y"],
                mode="TF",
                min_gram_length=1,
                max_gram_length=1,
                max_skip_count=0,
                ngram_counts=[0],
                ngram_indexes=[0, 1],
                pool_int64s=[2, 3],
            )
        ],
        [info("x", 0, 4, onnx_type=I32)],
        [info("y", 0, 2)],
    ),
    "condition of integers": model(
        [node("If", ["c"], ["y"], then_branch=_NEGATIVE, else_branch=_NEGATIVE)],
        [info("x", 2), info("c", onnx_type=I32)],
    ),
}
