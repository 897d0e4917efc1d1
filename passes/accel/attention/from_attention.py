"""accel-from-attention: kernels of attention become programs of thread blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.passes.accel.attention.problem import attention_of
from mlc.passes.accel.attention.program import build_launch
from mlc.passes.accel.attention.sizes import sizes_of
from mlc.passes.accel.common.memory_functions import on_memory
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import kernels_on_tensors
from mlc.passes.common.rewriting import erase_op
from mlc.passes.common.target import target_of


def lower_kernel(kernel: ir.Operation) -> bool:
    """Puts a program in place of a kernel of attention; other kernels stay. Raises PassFailure."""
    attention = attention_of(kernel)
    if attention is None:
        return False
    body = on_memory(kernel)
    with ir.InsertionPoint(body), kernel.location:
        build_launch(attention, sizes_of(attention, target_of(kernel)), list(body.arguments))
        func.ReturnOp([])
    erase_op(kernel)
    return True


@dataclass(frozen=True)
class FromAttention(Pass):
    """Make an `accel.launch` of each kernel of `graph.attention` and of the transposes around it: a block for
    some queries of a head, which never holds all of their scores (FlashAttention).

    A loop copies blocks of keys and values ahead into shared memory, multiplies, masks, keeps each query's
    greatest score and its sum of weights, and adds the weighted values to a result that it scales by the
    change of the greatest score. With a causal mask and no other one, blocks of keys that no query sees are
    left out. `accel.precision = "tf32"` on the op or on the kernel lets tensor units multiply elements of
    f32. Other kernels stay as they are.
    """

    name: ClassVar[str] = "accel-from-attention"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        changed = [lower_kernel(each) for each in kernels_on_tensors(op)]
        return any(changed)
