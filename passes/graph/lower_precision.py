"""graph-lower-precision: products and convolutions on operands of fewer bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass, option
from mlc.passes.lowering.widen import UNROUNDED
from mlc.passes.remarks import applied
from mlc.passes.rewriting import collect_ops, replace_op
from mlc.passes.tloop.kernel_functions import PRECISION


def has_sums(op: ir.Operation) -> bool:
    """Whether each result of a product or convolution on f32 sums over several channels or columns: depthwise
    convolutions are bound by memory, and gain nothing."""
    kinds = [value.type for value in (*op.operands, *op.results)]
    if not all(isinstance(kind, ir.RankedTensorType) and kind.has_static_shape for kind in kinds):
        return False
    single = all(isinstance(kind.element_type, ir.F32Type) for kind in kinds)
    if op.name != "graph.conv":
        return single
    x, w = (graph.shape_of(value) for value in op.operands)
    blocked = graph.attribute(op, "layout") != "NCHW"
    # A depthwise filter in blocked layout lacks the dim of input channels.
    return single and (len(w) == len(x) + 1 if blocked else w[1] > 1)


def lower(op: ir.Operation, element: ir.Type) -> None:
    """op(x, y) -> cast(op(cast(x), cast(y))). The product is marked so that its sum, which is f32, need not
    be rounded between it and the cast."""
    kind = op.results[0].type
    with ir.InsertionPoint(op), op.location:
        narrow = op.clone()
        for position, value in enumerate(op.operands):
            with ir.InsertionPoint(narrow):
                narrow.operands[position] = _cast(value, element)
        narrow.results[0].set_type(_with_element(kind, element))
        narrow.attributes[UNROUNDED] = ir.UnitAttr.get()
        applied(op, LowerPrecision.name, f"operands are {element}")
        replace_op(op, _cast(narrow.results[0], kind.element_type))


def _cast(value: ir.Value, element: ir.Type) -> ir.Value:
    return graph.build("cast", [value], {}, _with_element(value.type, element))


def _with_element(kind: ir.Type, element: ir.Type) -> ir.Type:
    return ir.RankedTensorType.get(ir.RankedTensorType(kind).shape, element)


@dataclass(frozen=True)
class LowerPrecision(Pass):
    """Rounds the operands of f32 products and convolutions to bf16 or f16; sums stay f32. Weights are
    converted once, by `graph-split-prepare`, and take half the memory; conversions of other operands join the
    kernels that compute them. With tf32 operands stay f32 in memory, and GPUs' tensor units round them. Does
    nothing unless `to` asks for it (`mlc compile --precision`): of 24 bits of precision, bf16 leaves each
    operand 8, f16 and tf32 11; f16 has a smaller range than f32 (docs/precision.md)."""

    name: ClassVar[str] = "graph-lower-precision"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "approximate"

    to: str = option("f32", help="the operands' element type", choices=("f32", "tf32", "f16", "bf16"))

    def run(self, op: ir.Operation) -> None:
        if self.to == "f32":
            return
        narrow = {"f16": ir.F16Type, "bf16": ir.BF16Type}.get(self.to)
        for each in collect_ops(op, ("graph.matmul", "graph.matmul_packed", "graph.conv")):
            if has_sums(each):
                if narrow is not None:
                    lower(each, narrow.get(op.context))
                else:
                    self.mark(each)
        for each in collect_ops(op, "graph.attention") if narrow is None else []:
            if isinstance(graph.element_type(each.operands[0]), ir.F32Type):
                self.mark(each)

    def mark(self, op: ir.Operation) -> None:
        """For tensor units, which round the operands themselves."""
        op.attributes[PRECISION] = ir.StringAttr.get(self.to, op.context)
        applied(op, self.name, "operands are rounded to tf32")
