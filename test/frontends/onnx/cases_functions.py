"""Cases: operators that expand through their function body, shape arithmetic, known control flow."""

from __future__ import annotations

from case import BOOL, F32, I64, const, f32, flags, graph, ints, op
from onnx import helper
from onnx.helper import make_node as node

op("mean_variance_normalization", "MeanVarianceNormalization", f32(2, 3, 4, 4), tolerance=1e-4)
op("hann_window", "HannWindow", const(10), out=F32, tolerance=1e-4)
op("hamming_window", "HammingWindow", const(10), out=F32, tolerance=1e-4)
op("blackman_window", "BlackmanWindow", const(10), out=F32, tolerance=1e-4)
op("attention", "Attention", f32(2, 3, 4, 8), f32(2, 3, 6, 8), f32(2, 3, 6, 8), opset=23, tolerance=1e-4)
op(
    "attention_causal",
    "Attention",
    f32(1, 2, 4, 8),
    f32(1, 2, 4, 8),
    f32(1, 2, 4, 8),
    opset=23,
    is_causal=1,
    tolerance=1e-4,
)
op(
    "attention_mask",
    "Attention",
    f32(1, 2, 4, 8),
    f32(1, 2, 4, 8),
    f32(1, 2, 4, 8),
    f32(4, 4),
    opset=23,
    tolerance=1e-4,
)
op(
    "attention_3d",
    "Attention",
    f32(2, 4, 24),
    f32(2, 6, 24),
    f32(2, 6, 24),
    opset=23,
    q_num_heads=3,
    kv_num_heads=3,
    tolerance=1e-4,
)
op("attention_gqa", "Attention", f32(1, 4, 3, 8), f32(1, 2, 3, 8), f32(1, 2, 3, 8), opset=23, tolerance=1e-4)
# The numbers of heads are not read for queries of four dims.
op(
    "attention_heads_given_twice",
    "Attention",
    f32(1, 3, 2, 4),
    f32(1, 3, 2, 4),
    f32(1, 3, 2, 4),
    opset=23,
    q_num_heads=3,
    kv_num_heads=3,
    tolerance=1e-4,
)
op(
    "rotary_embedding",
    "RotaryEmbedding",
    f32(1, 2, 3, 8),
    f32(1, 3, 4),
    f32(1, 3, 4),
    opset=23,
    tolerance=1e-4,
)
STEPS, TAPS = f32(2, 3, 5), f32(3, 1, 4)
op("causal_conv", "CausalConvWithState", STEPS, TAPS, f32(3), out=(F32, F32), opset=27, activation="silu")
op("causal_conv_state", "CausalConvWithState", STEPS, TAPS, None, f32(2, 3, 3), out=(F32, F32), opset=27)
op("causal_conv_short", "CausalConvWithState", f32(1, 3, 2), TAPS, out=(F32, F32), opset=27)
op("nll_loss", "NegativeLogLikelihoodLoss", f32(3, 5), ints(3, low=0, high=5))
op("soft_ce_loss", "SoftmaxCrossEntropyLoss", f32(3, 5), ints(3, low=0, high=5))
op("dynamic_quantize", "DynamicQuantizeLinear", f32(3, 5), out=(2, 1, 2))

# x reshaped to [its first dim, -1] through Shape, Gather, Unsqueeze, Concat.
graph(
    "flatten_by_shape",
    [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["batch"]),
        node("Unsqueeze", ["batch", "axes"], ["batch1"]),
        node("Concat", ["batch1", "rest"], ["shape"], axis=0),
        node("Reshape", ["x", "shape"], ["y"]),
    ],
    {"x": f32(2, 3, 4), "zero": const(0), "axes": const([0]), "rest": const([-1])},
    {"y": F32},
)
# Half of the last dim, by Shape, Div, Cast, Slice.
graph(
    "halve_by_shape",
    [
        node("Shape", ["x"], ["s"], start=2),
        node("Div", ["s", "two"], ["half"]),
        node("Cast", ["half"], ["end"], to=I64),
        node("Slice", ["x", "zero", "end", "axis"], ["y"]),
    ],
    {"x": f32(2, 3, 4), "two": const([2]), "zero": const([0]), "axis": const([2])},
    {"y": F32},
)
# What exporters write for expand: where(shape == -1, ones, shape).
graph(
    "expand_by_where",
    [
        node("ConstantOfShape", ["three"], ["ones"], value=helper.make_tensor("v", I64, [1], [1])),
        node("Equal", ["shape", "minus"], ["keep"]),
        node("Where", ["keep", "ones", "shape"], ["target"]),
        node("Expand", ["x", "target"], ["y"]),
    ],
    {"x": f32(2, 1, 4), "three": const([3]), "shape": const([-1, 5, -1]), "minus": const(-1)},
    {"y": F32},
)
_THEN = helper.make_graph(
    [node("Add", ["x", "x"], ["t"])], "then", [], [helper.make_tensor_value_info("t", F32, None)]
)
_ELSE = helper.make_graph(
    [node("Neg", ["x"], ["e"])], "else", [], [helper.make_tensor_value_info("e", F32, None)]
)
graph(
    "if_known",
    [node("If", ["condition"], ["y"], then_branch=_THEN, else_branch=_ELSE)],
    {"x": f32(3), "condition": const(False, bool)},
    {"y": F32},
)
graph(
    "causal_mask",
    [
        node("Shape", ["x"], ["s"], start=1, end=2),
        node("Concat", ["s", "s"], ["square"], axis=0),
        node("ConstantOfShape", ["square"], ["ones"]),
        node("Trilu", ["ones"], ["mask"], upper=0),
        node("Cast", ["mask"], ["keep"], to=BOOL),
        node("Where", ["keep", "x", "low"], ["y"]),
    ],
    {"x": f32(4, 4), "low": const(-1e9)},
    {"y": F32},
)
graph(
    "and_not",
    [node("Not", ["a"], ["n"]), node("And", ["n", "b"], ["y"])],
    {"a": flags(4), "b": flags(4)},
    {"y": BOOL},
)
