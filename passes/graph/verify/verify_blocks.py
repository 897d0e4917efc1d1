"""graph-verify-blocks: thread blocks can compute a kernel's ops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import DEVICE, is_kernel
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.verification import fail_on

_COUNT = "how many results there are is known at its end only"
_UPDATES = "updates of one element are sequential"
# Why ops have loops that go on one element after the other.
_REASONS = {
    graph.Compress.NAME: _COUNT,
    graph.Det.NAME: "each step of the elimination needs the one before it",
    graph.NonMaxSuppression.NAME: "each box that it keeps decides on those after it",
    graph.NonZero.NAME: _COUNT,
    graph.ScatterElements.NAME: _UPDATES,
    graph.ScatterNd.NAME: _UPDATES,
    graph.TopK.NAME: "it selects one element after the other",
    graph.TreeEnsemble.NAME: "each row goes its own way from node to node",
    graph.Unique.NAME: _COUNT,
}
_OPS = [f"graph.{name}" for name in graph.specs()]


def reason_without_blocks(op: ir.Operation) -> str:
    """Returns the reason why a graph op has no form as a program of thread blocks; "" if it has one."""
    return _REASONS.get(op.name) or _of_elements(op)


def reasons_without_blocks(kernel: ir.Operation) -> list[str]:
    """The ops of a kernel that have no form as a program of thread blocks, each once, and why."""
    found = ((op.name, reason_without_blocks(op)) for op in collect_ops(kernel, _OPS))
    return list(dict.fromkeys(f"{name}: {reason}" for name, reason in found if reason))


def without_blocks(kernel: ir.Operation) -> Iterator[tuple[str, ir.Location]]:
    """Every op of `kernel` that has no form as a program of thread blocks, as a message and a location."""
    placed = DEVICE in kernel.attributes
    remedy = "do not place it by graph-place" if placed else "a processor can (--unsupported=cpu)"
    for op in collect_ops(kernel, _OPS):
        if reason := reason_without_blocks(op):
            yield f"thread blocks cannot compute '{op.name}': {reason}; {remedy}", op.location


def _of_elements(op: ir.Operation) -> str:
    """Returns the fault of the element types of an op's values; "" if there is none."""
    element_types = [graph.element_type(value) for value in (*op.operands, *op.results)]
    found = next(
        (element_type for element_type in element_types if isinstance(element_type, ir.ComplexType)), None
    )
    return f"tiles have no elements {found}" if found else ""


@dataclass(frozen=True)
class VerifyBlocks(Pass):
    """Check that kernels for GPUs hold no op that computes one element after the other, and no complex
    elements. Reports every violation; changes nothing."""

    name: ClassVar[str] = "graph-verify-blocks"

    def run(self, op: ir.Operation) -> None:
        kernels = filter(is_kernel, collect_ops(op, func.Func.NAME))
        fail_on(violation for kernel in kernels for violation in without_blocks(kernel))
