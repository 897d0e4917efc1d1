"""graph-pad-windows: convolutions and pools in kernels read their padding as they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import builtin, ir, tensor
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import is_kernel
from mlc.passes.common.linalg_builders import constant, static_shape, tensor_type
from mlc.passes.common.rewriting import apply_patterns, attributes_of, replace_op
from mlc.passes.common.signedness import signless
from mlc.passes.graph.common.rematerialization import REMATERIALIZE, beneath


def pad_window(op: ir.Operation) -> bool:
    """Rewrites `conv{pads}(x, w)` to `conv(tensor.pad(x), w)`."""
    conv = graph.Conv(op)
    pads = conv.pads
    if not any(pads):
        return False
    attributes = attributes_of(op) | {"pads": [0] * len(pads)}
    padded = beneath(conv.x, lambda x: _pad_spatial(x, pads))
    replace_op(op, graph.build("conv", [padded, conv.w], attributes, conv.result.type))
    return True


def pad_in_consumer(op: ir.Operation) -> bool:
    """Rewrites `graph.pad` to `tensor.pad` where it is rematerialised in the kernel that reads it."""
    pad = graph.Pad(op)
    if REMATERIALIZE not in op.attributes:
        return False
    replace_op(op, _pad(pad.x, pad.low, pad.high, pad.value))
    return True


def _pad_spatial(x: ir.Value, pads: Sequence[int]) -> ir.Value:
    """Adds zeros around the spatial dims of `x`, the third one and those after it."""
    spatial = len(pads) // 2
    rest = [0] * (len(static_shape(x)) - 2 - spatial)
    return _pad(x, [0, 0, *pads[:spatial], *rest], [0, 0, *pads[spatial:], *rest], 0)


def _pad(x: ir.Value, low: Sequence[int], high: Sequence[int], value: float) -> ir.Value:
    shape, element = static_shape(x), tensor_type(x).element_type
    result = ir.RankedTensorType.get(
        [sum(extents) for extents in zip(shape, low, high, strict=True)], element
    )
    op = tensor.PadOp(result, x, [], [], low, high)
    index = ir.IndexType.get()
    with ir.InsertionPoint(op.regions[0].blocks.append(*[index] * len(shape))):
        tensor.YieldOp(_element(element, value))
    return op.result


def _element(element: ir.Type, value: float) -> ir.Value:
    """The constant `value`; upstream has constants of signless integers only."""
    scalar = constant(signless(element), value)
    if scalar.type == element:
        return scalar
    return ir.Operation.create(builtin.UnrealizedConversionCast.NAME, [element], [scalar]).results[0]


@dataclass(frozen=True)
class PadWindows(Pass):
    """Make the padding of each convolution in a kernel a `tensor.pad` of its input, and so pads that belong
    to the pool that reads them (`graph.rematerialize`), for targets that read padding around an image that is
    in memory without it."""

    name: ClassVar[str] = "graph-pad-windows"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return is_kernel(op) and apply_patterns(
            op, {graph.Conv.NAME: pad_window, graph.Pad.NAME: pad_in_consumer}
        )
