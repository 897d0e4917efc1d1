"""The machine-level form of checks of data (`tloop.DATA_CHECKS`): calls of the C runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir, llvm
from mlc.dialects import tloop
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.llvm_builders import allocate_on_stack, call, constant, offset

# The function of each check, of the data and the integers that describe them (mlc_runtime.h).
FUNCTIONS = {
    tloop.CheckIndices.NAME: "mlc_host_check_indices",
    tloop.CheckNonzero.NAME: "mlc_host_check_nonzero",
}


def data_checks(function: ir.Operation) -> list[ir.Operation]:
    """Returns the checks of data of a host function on buffers."""
    return collect_ops(function, tloop.DATA_CHECKS)


def check_messages(function: ir.Operation) -> list[str]:
    """Returns the messages of these checks."""
    return [what(check) for check in data_checks(function)]


def what(check: ir.Operation) -> str:
    """Returns the message of a check: the op that reads the data."""
    indices = tloop.CheckIndices.match(check)
    return tloop.CheckNonzero(check).what if indices is None else indices.what


class DataCheckCalls:
    """Builds the calls of a function, which share memory for the integers, allocated at the insertion point.
    `messages` are the function's."""

    def __init__(self, function: ir.Operation, messages: Sequence[str]) -> None:
        self.messages = messages
        counts = [len(self._integers(check)) + len(check.operands) - 1 for check in data_checks(function)]
        self.memory = allocate_on_stack(max(counts), i64()) if counts else None

    def build(self, check: ir.Operation, address: ir.Value, values: Mapping[ir.Value, ir.Value]) -> None:
        """Builds a call on the data at an address; `values` are the sizes in the entry."""
        sizes = [values[size] for size in list(check.operands)[1:]]
        for slot, value in enumerate([*map(constant, self._integers(check)), *sizes]):
            llvm.StoreOp(value, offset(self.memory, slot, i64()))
        call(FUNCTIONS[check.name], address, self.memory)

    def _integers(self, check: ir.Operation) -> list[int]:
        """The integers before the sizes."""
        data = ir.MemRefType(check.operands[0].type)
        first = [self.messages.index(what(check)), data.element_type.width]
        indices = tloop.CheckIndices.match(check)
        if indices is None:
            return [*first, data.rank]
        columns = len(indices.sizes) - data.rank
        return [*first, indices.axis, int(indices.front_only), data.rank, columns]
