"""Linear quantisation and dequantisation."""

from __future__ import annotations

from mlc.dialects.graph.elements import FLOAT, NUMERIC, QUANTISED, ElementClass
from mlc.dialects.graph.shape_rules import check_axis, check_rank, merge
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    define,
    define_family,
)

FAMILY = define_family(
    "quantisation",
    "`scale` (and `zero_point`, absent: 0) is a scalar for the whole tensor, a vector with one entry per "
    "index along `axis`, or, with `block_size` above 0, of x's rank with one entry per block along `axis`.",
)

_ATTRIBUTES = (
    Attribute("axis", "int", "the axis of a vector or of blocks; no matter for a scalar", 1),
    Attribute("block_size", "int", "elements along the axis that share a scale; 0: no blocks", 0),
)


def _check_scale(call: OpCall, axis_matters: bool) -> None:
    x, scale = call.x, call.scale
    if axis_matters:
        check_axis("axis", call.axis, x.rank)
    if call.block_size:
        _check_blocks(call)
    elif scale.rank == 1:
        merge("scale", scale.shape[0], x.shape[call.axis], f"length and dim {call.axis} of x differ")
    elif scale.rank:
        raise ShapeError("scale", f"is neither a scalar nor a vector, and block_size is 0: {scale}")


def _check_blocks(call: OpCall) -> None:
    if call.block_size < 0:
        raise ShapeError("block_size", f"{call.block_size} is negative")
    check_rank("scale", call.scale, call.x.rank, " (as x)")
    for axis, dim in enumerate(call.x.shape):
        blocks = -(-dim // call.block_size) if axis == call.axis and dim is not None else dim
        merge(
            "scale",
            call.scale.shape[axis],
            blocks,
            f"dim {axis} does not fit x ({call.x}) in blocks of {call.block_size}",
        )


def _check(call: OpCall) -> None:
    _check_scale(call, axis_matters=bool(call.scale.rank))
    if call.zero_point is not None:
        check_rank("zero_point", call.zero_point, call.scale.rank, " (as scale)")
        for one, other in zip(call.zero_point.shape, call.scale.shape, strict=True):
            merge("zero_point", one, other, "shape differs from scale's")


def _check_element(field: str, elements: ElementClass, element: str) -> None:
    if not elements.admits(element):
        raise ShapeError(field, f"has elements {element}, not {elements.name}")


def _quantize(call: OpCall) -> GraphTensor:
    _check(call)
    element = call.given.element
    _check_element("result", QUANTISED, element)
    if call.zero_point is not None and call.zero_point.element != element:
        raise ShapeError("zero_point", f"has elements {call.zero_point.element}, the result has {element}")
    return GraphTensor(call.x.shape, element)


def _dequantize(call: OpCall) -> GraphTensor:
    _check(call)
    if call.zero_point is not None and call.zero_point.element != call.x.element:
        raise ShapeError("zero_point", f"has elements {call.zero_point.element}, x has {call.x.element}")
    element = call.written.element if call.written else call.scale.element
    _check_element("result", FLOAT, element)
    return GraphTensor(call.x.shape, element)


define(
    OpSpec(
        "quantize_linear",
        FAMILY,
        "`saturate(round(x / scale) + zero_point)`, halves to even; the division is in scale's element type",
        "The result has x's shape; its element type is given, and is zero_point's. The zero point of float8 "
        "counts as 0, and NaN becomes the least integer.",
        ("QuantizeLinear",),
        (
            OperandSpec("x", NUMERIC),
            OperandSpec("scale", FLOAT),
            OperandSpec("zero_point", QUANTISED, variadicity="optional"),
        ),
        _quantize,
        (
            *_ATTRIBUTES,
            Attribute(
                "saturate", "bool", "out-of-range values become the largest one (float8 results only)", True
            ),
        ),
        result_given=True,
    )
)
define(
    OpSpec(
        "dequantize_linear",
        FAMILY,
        "`(x - zero_point) * scale`",
        "The result has x's shape and scale's element type, unless another float type is given.",
        ("DequantizeLinear",),
        (
            OperandSpec("x", QUANTISED),
            OperandSpec("scale", FLOAT),
            OperandSpec("zero_point", QUANTISED, variadicity="optional"),
        ),
        _dequantize,
        _ATTRIBUTES,
    )
)
