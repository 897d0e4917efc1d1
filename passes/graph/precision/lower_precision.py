"""graph-lower-precision: products and convolutions on operands of fewer bits.

Matrix products of floats of 8 bits in memory, which matrix units of GPUs multiply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import ml_dtypes

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import dtype_of
from mlc.passes.base import Pass, option
from mlc.passes.common.kernel_functions import PRECISION
from mlc.passes.common.narrow_floats import MULTIPLIED
from mlc.passes.common.rewriting import attributes_of, collect_ops, defining_op, replace_op
from mlc.passes.common.target import target_of
from mlc.passes.graph.common.casts import UNROUNDED, cast_to, with_element
from mlc.passes.graph.common.rematerialization import mark
from mlc.passes.graph.common.values import constant_array
from mlc.passes.remarks import report_applied
from mlc.targets import GpuTarget


@dataclass(frozen=True)
class SmallFloats:
    """`elements` of 8 bits, times a `scale`, if there is one: of the same rank, or of none."""

    elements: ir.Value
    scale: ir.Value | None

    def wide(self, element: ir.Type) -> ir.Value:
        """The elements as they are read, without the scale."""
        tensor_type = ir.RankedTensorType.get(self.elements.type.shape, element)
        return mark(graph.build("cast", [self.elements], {}, tensor_type))

    def is_uniform(self, axis: int) -> bool:
        """Whether the scale is the same along an axis, from the back."""
        shape = [] if self.scale is None else graph.shape_of(self.scale)
        return not shape or shape[axis] == 1

    def transpose(self, order: Sequence[int]) -> SmallFloats:
        """Transposes the elements, and the scale unless it is a scalar, with the permutation `order`."""
        permutation = {"permutation": list(order)}
        scale = self.scale
        if scale is not None and scale.type.rank:
            scale = graph.build("transpose", [scale], permutation)
        return SmallFloats(graph.build("transpose", [self.elements], permutation), scale)


def multiply_small_floats(op: ir.Operation) -> bool:
    """matmul(a * x, b * y) -> matmul(a, b) * x * y, where a and b have 8 bits in memory and x and y are
    scales that do not change along the reduction. Returns whether the `graph.matmul` was one of these."""
    if op.name != graph.Matmul.NAME or any(operand.type.rank < 2 for operand in op.operands):
        return False
    with ir.InsertionPoint(op), op.location:
        a, b = map(small_floats, op.operands)
        if a is None or b is None or not a.is_uniform(-1) or not b.is_uniform(-2):
            return False
        element = graph.element_type(graph.Matmul(op).result)
        result = graph.build("matmul", [a.wide(element), b.wide(element)])
        for factor in (a, b):
            if factor.scale is not None:
                result = graph.build("mul", [result, factor.scale])
        replace_op(op, result)
    return True


def small_floats(value: ir.Value) -> SmallFloats | None:
    """Returns the floats of 8 bits that a conversion or `dequantize_linear`, perhaps transposed, makes the
    value of."""
    made = defining_op(value)
    if made is None:
        return None
    if made.name == graph.Transpose.NAME:
        before = small_floats(graph.Transpose(made).x)
        return None if before is None else before.transpose(list(graph.Transpose(made).permutation))
    if made.name not in (graph.Cast.NAME, graph.DequantizeLinear.NAME):
        return None
    elements = made.operands[0]
    if not isinstance(graph.element_type(elements), MULTIPLIED):
        return None
    if made.name == graph.Cast.NAME:
        return SmallFloats(elements, None)
    scale = _scale(made)
    return None if scale is None else SmallFloats(elements, scale)


def _scale(made: ir.Operation) -> ir.Value | None:
    """Matches a `dequantize_linear` of one scale, or of one per index along an axis; None if there is a zero
    point, or several scales along the axis."""
    x, scale, *zero = made.operands
    for point in zero:
        given = constant_array(point)
        if given is None or given.astype("f4").any():
            return None
    if scale.type.rank > 1 or graph.element_type(scale) != graph.element_type(made.results[0]):
        return None
    if not scale.type.rank:
        return scale
    axis, rank = graph.attribute(made, "axis"), x.type.rank
    (count,) = graph.shape_of(scale)
    if count not in (1, graph.shape_of(x)[axis]):
        return None
    shape = [1] * rank
    shape[axis] = count
    return graph.build("reshape", [scale], {"shape": shape})


def is_single(op: ir.Operation) -> bool:
    """Whether operands and results are of f32 and of known shape; masks may be boolean."""
    tensor_types = [value.type for value in (*list(op.operands)[:3], *op.results)]
    return all(
        isinstance(tensor_type, ir.RankedTensorType)
        and tensor_type.has_static_shape
        and isinstance(tensor_type.element_type, ir.F32Type)
        for tensor_type in tensor_types
    )


def has_sums(op: ir.Operation) -> bool:
    """Whether each result of a product or convolution sums over several channels or columns: depthwise
    convolutions are bound by memory, and gain nothing unless what they read and make is narrow too."""
    if op.name != graph.Conv.NAME:
        return True
    x, w = (graph.shape_of(value) for value in op.operands)
    blocked = graph.Conv(op).layout != "NCHW"
    # A depthwise filter in blocked layout lacks the dim of input channels.
    return len(w) == len(x) + 1 if blocked else w[1] > 1


def lower(op: ir.Operation, element: ir.Type) -> None:
    """op(x, y) -> cast(op(cast(x), cast(y))). The product is marked so that its sum, which is f32, need not
    be rounded between it and the cast."""
    tensor_type = op.results[0].type
    with ir.InsertionPoint(op), op.location:
        narrow = op.clone()
        for position, value in enumerate(op.operands):
            with ir.InsertionPoint(narrow):
                narrow.operands[position] = cast_to(value, element)
        narrow.results[0].set_type(with_element(tensor_type, element))
        narrow.attributes[UNROUNDED] = ir.UnitAttr.get()
        report_applied(op, LowerPrecision.name, f"operands are {element}")
        replace_op(op, cast_to(narrow.results[0], tensor_type.element_type))


def lower_attention(op: ir.Operation, element: ir.Type) -> None:
    """The same for attention, whose sums, softmax and masks are f32 in its program."""
    q, k, v, *masks = list(op.operands)
    attributes, tensor_type = attributes_of(op), op.results[0].type
    with ir.InsertionPoint(op), op.location:
        operands = [cast_to(value, element) for value in (q, k, v)]
        operands += [_narrow_mask(mask, element) for mask in masks]
        narrow = graph.build("attention", operands, attributes, with_element(tensor_type, element))
        report_applied(op, LowerPrecision.name, f"operands are {element}")
        replace_op(op, cast_to(narrow, tensor_type.element_type))


def _narrow_mask(mask: ir.Value, element: ir.Type) -> ir.Value:
    """Boolean masks stay; the lowest values stay finite, where infinity would make weights NaN."""
    if not isinstance(graph.element_type(mask), ir.F32Type):
        return mask
    lowest = float(ml_dtypes.finfo(dtype_of(str(element))).min)  # type: ignore[no-untyped-call]
    held = graph.build("clamp", [mask], {"min": lowest})
    return cast_to(graph.build("where", [graph.build("is_inf", [mask]), mask, held]), element)


@dataclass(frozen=True)
class LowerPrecision(Pass):
    """Rounds the operands of f32 products and convolutions to bf16 or f16; sums stay f32. Weights are
    converted once, by `graph-split-prepare`, and take half the memory; conversions of other operands join the
    kernels that compute them. With tf32 operands stay f32 in memory, and GPUs' matrix units round them.

    For GPUs, attention and depthwise convolutions, which read what other kernels make, are narrower too.
    Products of what are floats of 8 bits in memory, with or without scales (`dequantize_linear`), are
    products of these, scaled after it; tensor cores of sm_90a keep fewer bits of their sums than of others.

    Does nothing unless `to` asks for it (`mlc compile --precision`): of 24 bits of precision, bf16 leaves
    each operand 8, f16 and tf32 11; f16 has a smaller range than f32 (docs/precision.md)."""

    name: ClassVar[str] = "graph-lower-precision"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "approximate"

    to: str = option("f32", help="the operands' element type", choices=("f32", "tf32", "f16", "bf16"))

    def run(self, op: ir.Operation) -> None:
        if self.to == "f32":
            return
        narrow = {"f16": ir.F16Type, "bf16": ir.BF16Type}.get(self.to)
        on_gpu = isinstance(target_of(op), GpuTarget)
        for contraction in collect_ops(op, (graph.Matmul.NAME, graph.MatmulPacked.NAME, graph.Conv.NAME)):
            if not is_single(contraction):
                continue
            if on_gpu and multiply_small_floats(contraction):
                continue
            if narrow is not None and (on_gpu or has_sums(contraction)):
                lower(contraction, narrow.get(op.context))
            elif narrow is None and has_sums(contraction):
                self.mark(contraction)
        for attention in collect_ops(op, graph.Attention.NAME):
            if not is_single(attention):
                continue
            if narrow is None:
                self.mark(attention)
            elif on_gpu:
                lower_attention(attention, narrow.get(op.context))

    def mark(self, op: ir.Operation) -> None:
        """Marks products for matrix units, which round the operands themselves."""
        op.attributes[PRECISION] = ir.StringAttr.get(self.to, op.context)
        report_applied(op, self.name, "operands are rounded to tf32")
