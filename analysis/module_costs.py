"""Costs and peak memory of a module's host function, at the graph level or after kernels were formed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from mlc.analysis.constant_values import ConstantValues, reads
from mlc.analysis.costs import Cost, op_cost
from mlc.analysis.launch_costs import Launches, launches_in
from mlc.analysis.op_costs import OpCosts, count_cost, record
from mlc.analysis.value_sizes import byte_size, known_bytes
from mlc.bindings import func, ir
from mlc.passes.graph.common.views import RESHAPES, view_source


def peak_bytes(
    function: ir.Operation,
    is_weight: Callable[[ir.Value], bool],
    size: Callable[[ir.Value], int] = byte_size,
) -> int:
    """Returns the peak of live bytes during the ops of the function, without weights.

    Inputs are live until their last use, results until the end. Reshapes are no copies. An op's operands and
    results are live together: nothing is computed in place. Values that live only in bodies of control flow
    are left out. `size` returns the bytes of a value; its exceptions are propagated."""
    block = function.regions[0].blocks[0]
    ops = [inner.operation for inner in block.operations]
    # [first step, last step] of each value that is no view.
    spans = dict.fromkeys(block.arguments, (0, 0))
    for step, op in enumerate(ops):
        for value in reads(op):
            root = view_source(value)
            if root in spans:
                spans[root] = (spans[root][0], step)
        for result in op.results:
            if op.name not in RESHAPES and not is_weight(result):
                spans[result] = (step, step)
    return _most([(size(value), *span) for value, span in spans.items()], len(ops))


def _most(spans: Iterable[tuple[int, int, int]], steps: int) -> int:
    change = [0] * (steps + 1)
    for size, first, last in spans:
        change[first] += size
        change[last + 1] -= size
    live = most = 0
    for step in change:
        live += step
        most = max(most, live)
    return most


@dataclass(frozen=True)
class ModuleCosts:
    """The costs of one call of a function.

    `ops` in program order: graph ops, or, where kernels were formed, their launches. The `constant_ops` ops
    that depend on constants only are left out, since they run before. `parameters` are elements and
    `weight_bytes` bytes of weights, each counted once, without small constants inside kernels. `peak_bytes`
    is the peak of other values (see `peak_bytes`)."""

    ops: tuple[OpCosts, ...]
    parameters: int
    weight_bytes: int
    peak_bytes: int
    constant_ops: int

    @cached_property
    def total(self) -> Cost:
        """The sum over all ops."""
        return sum((op.cost for op in self.ops), Cost())

    @cached_property
    def products(self) -> Cost:
        """The sum over products and convolutions (after fusion with the ops that share their kernels)."""
        return sum((op.cost for op in self.ops if op.is_product), Cost())

    @property
    def unknown(self) -> tuple[OpCosts, ...]:
        """The ops whose costs are not known."""
        return tuple(op for op in self.ops if op.unknown)

    @property
    def kernels(self) -> int:
        """The number of different kernels that are launched."""
        return len({op.kernel for op in self.ops if op.kernel})

    @property
    def launches(self) -> int:
        """The number of launches of kernels; 0 at the graph level."""
        return sum(bool(op.kernel) for op in self.ops)


def module_costs(
    module: ir.Module | ir.Operation, function: str = "main", *, known_only: bool = False
) -> ModuleCosts:
    """Returns the costs of a host function: per graph op, or, after form-kernels, per launch.

    A launch moves its operands and results, and computes the graph ops of its kernel. Raises
    `UnknownSizeError` for values with dynamic dims, unless `known_only`: then their costs are 0. Raises
    KeyError if there is no such function."""
    functions = {
        func.Func(op).sym_name: op.operation
        for op in module.operation.regions[0].blocks[0]
        if func.Func.isa(op)
    }
    host = functions[function]
    constants = ConstantValues(host)
    launches = Launches(functions, known_only)
    computed = list(_computing_ops(host))
    ops = [op for op in computed if not constants.is_constant(op.results[0])]
    return ModuleCosts(
        tuple(launches.costs(op, constants, times) for op, times in launches_in(host))
        or tuple(_op_costs(op, constants, known_only) for op in ops),
        constants.parameters(),
        constants.weight_bytes(),
        peak_bytes(host, constants.is_constant, known_bytes if known_only else byte_size),
        len(computed) - len(ops),
    )


def _computing_ops(function: ir.Operation) -> Iterator[ir.Operation]:
    """Yields the function's ops that have results and are no constants."""
    for inner in function.regions[0].blocks[0].operations:
        op = inner.operation
        if op.results and not ConstantValues.defines(op):
            yield op


def _op_costs(op: ir.Operation, constants: ConstantValues, known_only: bool) -> OpCosts:
    cost, unknown = count_cost(lambda: op_cost(op), known_only)
    return record(op, op.name.removeprefix("graph."), "", constants, cost, unknown)
