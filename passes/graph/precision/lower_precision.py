"""graph-lower-precision: products and convolutions on operands of fewer bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import ml_dtypes

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import dtype_of
from mlc.passes.base import Pass, option
from mlc.passes.common.kernel_functions import PRECISION
from mlc.passes.common.rewriting import attributes_of, collect_ops, replace_op
from mlc.passes.common.target import target_of
from mlc.passes.graph.common.casts import UNROUNDED, converted, with_element
from mlc.passes.graph.precision.small_float_products import multiply_small_floats
from mlc.passes.remarks import applied
from mlc.targets import GpuTarget


def is_single(op: ir.Operation) -> bool:
    """Whether operands and results are of f32 and of known shape; masks may be of truth values."""
    kinds = [value.type for value in (*list(op.operands)[:3], *op.results)]
    return all(
        isinstance(kind, ir.RankedTensorType)
        and kind.has_static_shape
        and isinstance(kind.element_type, ir.F32Type)
        for kind in kinds
    )


def has_sums(op: ir.Operation) -> bool:
    """Whether each result of a product or convolution sums over several channels or columns: depthwise
    convolutions are bound by memory, and gain nothing unless what they read and make is narrow too."""
    if op.name != "graph.conv":
        return True
    x, w = (graph.shape_of(value) for value in op.operands)
    blocked = graph.attribute(op, "layout") != "NCHW"
    # A depthwise filter in blocked layout lacks the dim of input channels.
    return len(w) == len(x) + 1 if blocked else w[1] > 1


def lower(op: ir.Operation, element: ir.Type) -> None:
    """op(x, y) -> cast(op(cast(x), cast(y))). The product is marked so that its sum, which is f32, need not
    be rounded between it and the cast."""
    kind = op.results[0].type
    with ir.InsertionPoint(op), op.location:
        narrow = op.clone()
        for position, value in enumerate(op.operands):
            with ir.InsertionPoint(narrow):
                narrow.operands[position] = converted(value, element)
        narrow.results[0].set_type(with_element(kind, element))
        narrow.attributes[UNROUNDED] = ir.UnitAttr.get()
        applied(op, LowerPrecision.name, f"operands are {element}")
        replace_op(op, converted(narrow.results[0], kind.element_type))


def lower_attention(op: ir.Operation, element: ir.Type) -> None:
    """The same for attention, whose sums, softmax and masks are f32 in its program."""
    q, k, v, *masks = list(op.operands)
    attributes, kind = attributes_of(op), op.results[0].type
    with ir.InsertionPoint(op), op.location:
        operands = [converted(value, element) for value in (q, k, v)]
        operands += [_narrow_mask(mask, element) for mask in masks]
        narrow = graph.build("attention", operands, attributes, with_element(kind, element))
        applied(op, LowerPrecision.name, f"operands are {element}")
        replace_op(op, converted(narrow, kind.element_type))


def _narrow_mask(mask: ir.Value, element: ir.Type) -> ir.Value:
    """Truth values stay; the lowest numbers stay numbers, where infinity would make weights of nothing."""
    if not isinstance(graph.element_type(mask), ir.F32Type):
        return mask
    lowest = float(ml_dtypes.finfo(dtype_of(str(element))).min)  # type: ignore[no-untyped-call]
    held = graph.build("clamp", [mask], {"min": lowest})
    return converted(graph.build("where", [graph.build("is_inf", [mask]), mask, held]), element)


@dataclass(frozen=True)
class LowerPrecision(Pass):
    """Rounds the operands of f32 products and convolutions to bf16 or f16; sums stay f32. Weights are
    converted once, by `graph-split-prepare`, and take half the memory; conversions of other operands join the
    kernels that compute them. With tf32 operands stay f32 in memory, and GPUs' tensor units round them.

    For GPUs, attention and depthwise convolutions, which read what other kernels make, are narrower too.
    Products of what are floats of 8 bits in memory, with or without scales (`dequantize_linear`), are
    products of these, scaled behind; tensor units of sm_90a keep fewer bits of their sums than of others.

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
        for each in collect_ops(op, ("graph.matmul", "graph.matmul_packed", "graph.conv")):
            if not is_single(each):
                continue
            if on_gpu and multiply_small_floats(each):
                continue
            if narrow is not None and (on_gpu or has_sums(each)):
                lower(each, narrow.get(op.context))
            elif narrow is None and has_sums(each):
                self.mark(each)
        for each in collect_ops(op, "graph.attention"):
            if not is_single(each):
                continue
            if narrow is None:
                self.mark(each)
            elif on_gpu:
                lower_attention(each, narrow.get(op.context))

    def mark(self, op: ir.Operation) -> None:
        """For tensor units, which round the operands themselves."""
        op.attributes[PRECISION] = ir.StringAttr.get(self.to, op.context)
        applied(op, self.name, "operands are rounded to tf32")
