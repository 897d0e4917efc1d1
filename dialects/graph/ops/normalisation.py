"""Softmax and normalisations, without affine parts: `mul` and `add` follow where ONNX has scale and bias."""

from __future__ import annotations

from mlc.dialects.graph.elements import FLOAT
from mlc.dialects.graph.shape_rules import check_axes, check_axis, check_rank, merge
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    ShapeFunction,
    define,
    define_family,
)

FAMILY = define_family(
    "normalisation",
    "No affine part: `mul` and `add` follow. `batch_norm` is inference's, with given statistics.",
)

_AXIS = Attribute("axis", "int", "the axis whose elements sum to one, in [0, rank)")
_AXES = Attribute("axes", "ints", "the axes that are normalised together, each in [0, rank)")
_EPSILON = Attribute(
    "epsilon", "float", "added to the variance (or mean square) before the square root", 1e-5
)


def _softmax(call: OpCall) -> GraphTensor:
    check_axis("axis", call.axis, call.x.rank)
    return call.x


def _layer_norm(call: OpCall) -> GraphTensor:
    check_axes("axes", call.axes, call.x.rank)
    return call.x


def _batch_norm(call: OpCall) -> GraphTensor:
    if call.x.rank < 2:
        raise ShapeError("x", f"needs a batch and a channel dim: {call.x}")
    channels = call.x.shape[1]
    for name in ("scale", "bias", "mean", "variance"):
        check_rank(name, call[name], 1)
        channels = merge(name, channels, call[name].shape[0], "channels of x (dim 1) and length differ")
    return GraphTensor((call.x.shape[0], channels, *call.x.shape[2:]), call.x.element)


def normalisation(
    name: str,
    summary: str,
    onnx: str,
    infer: ShapeFunction = _layer_norm,
    attributes: tuple[Attribute, ...] = (_AXES, _EPSILON),
) -> None:
    """Defines an op of one float operand that keeps its type."""
    shapes = "The result has x's shape and element type."
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), (OperandSpec("x", FLOAT),), infer, attributes))


normalisation("softmax", "`e^x / sum(e^x)` along the axis", "Softmax", _softmax, (_AXIS,))
normalisation("log_softmax", "`log(softmax(x))`", "LogSoftmax", _softmax, (_AXIS,))
normalisation("layer_norm", "`(x - mean) / sqrt(variance + epsilon)` over the axes", "LayerNormalization")
normalisation("rms_norm", "`x / sqrt(mean(x^2) + epsilon)` over the axes", "RMSNormalization")

define(
    OpSpec(
        "batch_norm",
        FAMILY,
        "`scale * (x - mean) / sqrt(variance + epsilon) + bias` per channel (dim 1)",
        "x is [N, C, ...]; scale, bias, mean and variance are [C]; the result has x's type.",
        ("BatchNormalization",),
        (
            OperandSpec("x", FLOAT),
            *(OperandSpec(name, FLOAT) for name in ("scale", "bias", "mean", "variance")),
        ),
        _batch_norm,
        (_EPSILON,),
    )
)
