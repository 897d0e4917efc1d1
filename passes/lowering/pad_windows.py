"""graph-pad-windows: convolutions in kernels read their padding as they go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, tensor
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.lowering.linalg_tools import constant, static_shape, tensor_type
from mlc.passes.rewriting import apply_patterns, attributes_of, replace_op
from mlc.passes.tloop.kernel_functions import is_kernel


def pad_window(op: ir.Operation) -> bool:
    """conv{pads}(x, w) -> conv(tensor.pad(x), w)."""
    pads = list(graph.attribute(op, "pads"))
    if not any(pads):
        return False
    x, w = op.operands
    attributes = attributes_of(op) | {"pads": [0] * len(pads)}
    replace_op(op, graph.build("conv", [_padded(x, pads), w], attributes, op.results[0].type))
    return True


def _padded(x: ir.Value, pads: list[int]) -> ir.Value:
    """With zeros around its spatial dims, the third one and those after it."""
    shape, spatial = static_shape(x), len(pads) // 2
    rest = [0] * (len(shape) - 2 - spatial)
    low, high = [0, 0, *pads[:spatial], *rest], [0, 0, *pads[spatial:], *rest]
    element = tensor_type(x).element_type
    kind = ir.RankedTensorType.get([sum(each) for each in zip(shape, low, high, strict=True)], element)
    op = tensor.PadOp(kind, x, [], [], low, high)
    index = ir.IndexType.get()
    with ir.InsertionPoint(op.regions[0].blocks.append(*[index] * len(shape))):
        tensor.YieldOp(constant(element, 0))
    return op.result


@dataclass(frozen=True)
class PadWindows(Pass):
    """Make the padding of each convolution in a kernel a `tensor.pad` of its input, for targets that read
    zeros around an image that lies in memory without them (`accel.copy`)."""

    name: ClassVar[str] = "graph-pad-windows"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return is_kernel(op) and apply_patterns(op, {"graph.conv": pad_window})
