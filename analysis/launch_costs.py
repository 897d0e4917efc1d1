"""The costs of launches: computation and memory traffic of their kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mlc.analysis.constant_values import ConstantValues
from mlc.analysis.costs import Cost, op_cost, trip_count
from mlc.analysis.flop_counts import MACS
from mlc.analysis.op_costs import OpCosts, count_cost, record
from mlc.analysis.value_sizes import byte_size, elements, elements_read
from mlc.bindings import ir
from mlc.dialects import graph, tloop
from mlc.dialects.graph.sizes import minimum
from mlc.passes.common.kernel_functions import DIMS


def launches_in(op: ir.Operation, times: int = 1) -> Iterator[tuple[ir.Operation, int]]:
    """Yields the launches inside `op`, and how often they run; dynamic trip counts count as 1."""
    for operation in [inner.operation for region in op.regions for inner in region.blocks[0].operations]:
        if tloop.Launch.isa(operation):
            yield operation, times
        yield from launches_in(
            operation, times * trip_count(operation) if graph.Loop.isa(operation) else times
        )


class Launches:
    """Computes costs of launches; a kernel's body is analysed once."""

    def __init__(self, functions: Mapping[str, ir.Operation], known_only: bool) -> None:
        self.functions, self.known_only = functions, known_only
        self.kernels: dict[str, tuple[Cost, str]] = {}

    def costs(self, op: ir.Operation, constants: ConstantValues, times: int = 1) -> OpCosts:
        """Returns the costs of a launch that runs `times` times."""
        name = tloop.Launch(op).kernel
        if name not in self.kernels:
            kernel = self.functions[name]
            self.kernels[name] = count_cost(lambda: kernel_cost(kernel), self.known_only)
        cost, unknown = self.kernels[name]
        ops = "+".join(inner.name.removeprefix("graph.") for inner in kernel_ops(self.functions[name]))
        return record(op, ops, name, constants, cost * times, unknown)


def kernel_ops(kernel: ir.Operation) -> list[ir.Operation]:
    """Returns the ops of a kernel that compute."""
    ops = [op.operation for op in kernel.regions[0].blocks[0].operations if op.operation.results]
    return [op for op in ops if not ConstantValues.defines(op)]


def kernel_cost(kernel: ir.Operation) -> Cost:
    """Returns the cost of a kernel.

    Memory accesses are those of its products only, if it has any: ops that are fused to them read no memory.
    Raises `UnknownSizeError`.
    """
    block, ops = kernel.regions[0].blocks[0], kernel_ops(kernel)
    # The last operand of a kernel with dynamic dims holds their extents.
    operands = list(block.arguments)[: -1 if DIMS in kernel.attributes else None]
    inside = sum(map(op_cost, ops), Cost())
    written = sum(map(byte_size, block.operations[len(block.operations) - 1].operands))
    moved = written + sum(byte_size(argument, _read(argument)) for argument in operands)
    products = [op_cost(op) for op in ops if op.name in MACS]
    accesses = (sum(products, Cost()) if products else inside).accesses
    return Cost(inside.macs, inside.flops, accesses, moved)


def _read(argument: ir.Value) -> Any:
    """Returns the number of elements that a kernel reads of an argument: of a table, the selected rows."""
    read = sum(elements_read(use.owner.operation, use.operand_number) for use in argument.uses)
    return minimum(elements(argument), read)
