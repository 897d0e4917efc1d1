"""graph-narrow-integer-convolutions: convolutions of integers of 8 bits, which matrix units multiply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.constants import i32
from mlc.passes.common.rewriting import apply_patterns, attributes_of, replace_op
from mlc.passes.graph.common.rematerialization import mark
from mlc.passes.graph.common.values import is_constant, is_static, on_ranked
from mlc.passes.graph.precision.narrow_integer_factors import Factor, factor_of, less, simplify_factor
from mlc.passes.graph.windows.conv_to_matmul import is_product


def narrow_convolution(op: ir.Operation) -> bool:
    """conv(x - y, w - z) -> conv(x, w) - z * conv(sums(x), 1) - y * conv(1, sums(w - z)), where x and w are
    of 8 bits, y and z zero points, and sums those of channels. Padding is 0 around the ones, too."""
    conv = graph.Conv(op)
    if not _is_plain(op):
        return False
    # All axes but the images' and the filters'.
    found = [factor_of(operand, range(1 - operand.type.rank, 0)) for operand in op.operands]
    if None in found:
        return False
    x, w = (simplify_factor(factor) for factor in found if factor is not None)
    if not is_constant(w.elements) or (w.zero is not None and conv.group > 1):
        return False
    result = graph.build("conv", [mark(x.wide), mark(w.wide)], attributes_of(op), conv.result.type)
    if w.zero is not None:
        result = less(result, _sums_of_windows(op, x), _for_channels(w.zero))
    if x.zero is not None:
        result = less(result, _sums_of_filters(op, w), x.zero)
    replace_op(op, result)
    return True


def _is_plain(op: ir.Operation) -> bool:
    """Whether it is of known sizes, in plain layout."""
    return graph.attribute(op, "layout") == "NCHW" and all(map(is_static, (*op.operands, *op.results)))


def _sums_of_windows(op: ir.Operation, x: Factor) -> ir.Value:
    """Returns `[N, 1, ...]`: the sums of the elements that each result element is computed from."""
    channels = _over_channels(x.wide if is_constant(x.elements) else mark(x.wide))
    if is_product(op):
        return channels
    kernel = graph.shape_of(op.operands[1])[2:]
    return graph.build("conv", [channels, _ones([1, 1, *kernel])], attributes_of(op))


def _sums_of_filters(op: ir.Operation, w: Factor) -> ir.Value:
    """Returns sums of the filters' elements that meet the image: `[1, O, ...]`, or `[O, 1, ...]` where there
    is no padding."""
    centred = w.wide if w.zero is None else graph.build("sub", [w.wide, w.zero])
    filters, pads = _over_channels(centred), graph.attribute(op, "pads")
    rank = w.elements.type.rank
    if not any(pads):
        whole = graph.build("reduce_sum", [filters], {"axes": list(range(2, rank)), "keepdims": True})
        return _for_channels(whole)
    half = len(pads) // 2
    around = {"low": [0, 0, *pads[:half]], "high": [0, 0, *pads[half:]], "mode": "constant", "value": 0}
    image = graph.build("pad", [_ones([1, 1, *graph.shape_of(op.operands[0])[2:]])], around)
    attributes = attributes_of(op) | {"pads": [0] * len(pads), "group": 1}
    return graph.build("conv", [image, filters], attributes)


def _over_channels(value: ir.Value) -> ir.Value:
    return graph.build("reduce_sum", [value], {"axes": [1], "keepdims": True})


def _ones(shape: Sequence[int]) -> ir.Value:
    result_type = ir.RankedTensorType.get(shape, i32())
    return graph.build("full", [], {"value": 1}, result_type)


def _for_channels(filters: ir.Value) -> ir.Value:
    """Reshapes per-filter values `[O, 1, ...]` to broadcast over the result's channels."""
    outputs, *ones = graph.shape_of(filters) or [1]
    if outputs == 1:
        return filters
    return graph.build("reshape", [filters], {"shape": [outputs, *ones[1:]]})


@dataclass(frozen=True)
class NarrowIntegerConvolutions(Pass):
    """Have convolutions of i32, whose operands are integers of 8 bits less zero points, multiply these
    integers, as `graph-narrow-integer-products` does of products. What a zero point of the image adds is
    the sum of the filters' elements that meet the image, which are fewer where padding is: work for @prepare,
    a value for each position of the result and each filter where there is padding, else for each filter. What
    zero points of the filters add are sums of the image, a convolution of its channels' sums with ones.

    Filters are weights, and those of groups have no zero points; else the convolution stays as it is. With a
    group for each channel matrix units are not used, but images are read as they are stored.
    """

    name: ClassVar[str] = "graph-narrow-integer-convolutions"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {graph.Conv.NAME: on_ranked(narrow_convolution)})
