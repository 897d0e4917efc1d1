"""The machine-level form of `tloop.check_indices`: calls of the C runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir, llvm
from mlc.dialects import tloop
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.llvm_builders import allocate_on_stack, call, constant, offset

CHECK = "mlc_host_check_indices"
# The types of its operands: the indices, and the integers that describe them (mlc_runtime.h).
SIGNATURE = "ptr, ptr"


def index_checks(function: ir.Operation) -> list[tloop.CheckIndices]:
    """Returns the checks of indices of a host function on buffers."""
    return [tloop.CheckIndices(op) for op in collect_ops(function, tloop.CheckIndices.NAME)]


class IndexCheckCalls:
    """Builds the calls of a function, which share memory for the integers, allocated at the insertion point.
    `messages` are the function's."""

    def __init__(self, function: ir.Operation, messages: Sequence[str]) -> None:
        self.messages = messages
        counts = [len(self._integers(check)) + len(check.sizes) for check in index_checks(function)]
        self.memory = allocate_on_stack(max(counts), i64()) if counts else None

    def build(
        self, check: tloop.CheckIndices, address: ir.Value, values: Mapping[ir.Value, ir.Value]
    ) -> None:
        """Builds a call on the indices at an address; `values` are the sizes in the entry."""
        integers = map(constant, self._integers(check))
        for slot, value in enumerate([*integers, *(values[size] for size in check.sizes)]):
            llvm.StoreOp(value, offset(self.memory, slot, i64()))
        call(CHECK, address, self.memory)

    def _integers(self, check: tloop.CheckIndices) -> list[int]:
        """The integers before the sizes."""
        indices = ir.MemRefType(check.indices.type)
        columns = len(check.sizes) - indices.rank
        width = indices.element_type.width
        return [
            self.messages.index(check.what),
            width,
            check.axis,
            int(check.front_only),
            indices.rank,
            columns,
        ]
