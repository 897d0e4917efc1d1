"""Pooling and local response normalisation (of the convolution family)."""

from __future__ import annotations

from mlc.dialects.graph.elements import FLOAT, NUMBER, ElementClass
from mlc.dialects.graph.ops.convolution import FAMILY
from mlc.dialects.graph.ops.windows import (
    DILATIONS,
    LAYOUT,
    PADS,
    STRIDES,
    check_windows,
    spatial_dims,
    window_dims,
)
from mlc.dialects.graph.shape_rules import check_least, check_length
from mlc.dialects.graph.spec import Attribute, Call, Operand, OpSpec, ShapeError, Tensor, define

KERNEL = Attribute("kernel", "ints", "size of the window per spatial dim, at least 1")
CEIL_MODE = Attribute(
    "ceil_mode", "bool", "count windows that reach over the end, unless they start there", False
)


def _pool(call: Call) -> Tensor:
    spatial = len(call.kernel)
    check_least("kernel", call.kernel, 1)
    check_length("strides", call.strides, spatial, "one per entry of kernel")
    dims = spatial_dims(call, spatial)
    check_windows(call, spatial)
    result = window_dims(call, dims, call.kernel, call.ceil_mode)
    return Tensor((*call.x.shape[:2], *result, *call.x.shape[2 + spatial :]), call.x.element)


def pooling(name: str, summary: str, onnx: str, elements: ElementClass, *attributes: Attribute) -> None:
    """Define a pooling of `x` over windows of `kernel`."""
    shapes = (
        "x `[N, C, spatial...]` (NCHWc: `[N, C/c, spatial..., c]`), the result alike with "
        "`(d + begin + end - dilation*(k-1) - 1) / stride + 1` positions, rounded up in ceil_mode."
    )
    common = (KERNEL, STRIDES, DILATIONS, PADS, CEIL_MODE, LAYOUT, *attributes)
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), (Operand("x", elements),), _pool, common))


pooling("max_pool", "largest element of each window; padding counts as minus infinity", "MaxPool", NUMBER)
pooling(
    "average_pool",
    "mean of each window",
    "AveragePool",
    FLOAT,
    Attribute("count_include_pad", "bool", "the mean's divisor counts padding", False),
)


def _lrn(call: Call) -> Tensor:
    blocked = call.layout == "NCHWc"
    if call.x.rank < (3 if blocked else 2):
        dims = "a batch dim, blocks and their channels" if blocked else "a batch and a channel dim"
        raise ShapeError("x", f"needs {dims}: {call.x}")
    if call.size < 1:
        raise ShapeError("size", f"{call.size} is below 1")
    return call.x


define(
    OpSpec(
        "lrn",
        FAMILY,
        "`x / (bias + alpha/size * s)^beta`, s the sum of squares over `size` neighbouring channels",
        "x is `[N, C, ...]` (NCHWc: `[N, C/c, ..., c]`); the result has its type.",
        ("LRN",),
        (Operand("x", FLOAT),),
        _lrn,
        (
            Attribute("size", "int", "number of channels summed, at least 1"),
            Attribute("alpha", "float", "scale", 1e-4),
            Attribute("beta", "float", "exponent", 0.75),
            Attribute("bias", "float", "offset", 1.0),
            LAYOUT,
        ),
    )
)
