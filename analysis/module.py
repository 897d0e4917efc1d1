"""The costs of a module's host function, at the graph level or after kernels were formed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from mlc.analysis.constants import Constants
from mlc.analysis.costs import Cost, op_cost, trip_count
from mlc.analysis.lifetimes import peak_bytes
from mlc.analysis.operations import MACS
from mlc.analysis.sizes import UnknownSize, byte_size, elements, known_bytes, known_dims, touched
from mlc.bindings import ir
from mlc.dialects.graph.elements import dtype_of
from mlc.dialects.graph.types import element_name
from mlc.passes.remarks import names_in

LAUNCH = "tloop.launch"


@dataclass(frozen=True)
class OpCosts:
    """One op, or one launch of a kernel.

    `kind` is the op's name, or those of the kernel's ops, joined by '+'; `kernel` the kernel's name or "";
    `nodes` the ONNX nodes it came from; `dtype` and `shape` those of the first result (None for dims that are
    not known); `parameters` the elements of the weights that it reads, shared ones at each reader. `unknown`
    says why its cost is not known, and 0.
    """

    kind: str
    kernel: str
    nodes: tuple[str, ...]
    dtype: str
    shape: tuple[int | None, ...]
    parameters: int
    cost: Cost
    unknown: str = ""

    @property
    def is_product(self) -> bool:
        """Whether it computes products or convolutions."""
        names = self.kind.split("+") if self.unknown else []
        return self.cost.macs > 0 or any(f"graph.{name}" in MACS for name in names)


@dataclass(frozen=True)
class ModuleCosts:
    """What one call of a function computes and moves.

    `ops` in program order: graph ops, or, where kernels were formed, their launches. Ops that depend on
    constants only are left out, as they run before: there are `constant_ops`. `parameters` are elements and
    `weight_bytes` bytes of weights, each once; small constants inside kernels are none. `peak_bytes`: the
    most bytes of other values at one time (see `lifetimes.peak_bytes`).
    """

    ops: tuple[OpCosts, ...]
    parameters: int
    weight_bytes: int
    peak_bytes: int
    constant_ops: int

    @cached_property
    def total(self) -> Cost:
        """The sum over all ops."""
        return sum((each.cost for each in self.ops), Cost())

    @cached_property
    def products(self) -> Cost:
        """The sum over products and convolutions (after fusion with what shares their kernels)."""
        return sum((each.cost for each in self.ops if each.is_product), Cost())

    @property
    def unknown(self) -> tuple[OpCosts, ...]:
        """The ops whose costs are not known."""
        return tuple(each for each in self.ops if each.unknown)

    @property
    def kernels(self) -> int:
        """How many different kernels are launched."""
        return len({each.kernel for each in self.ops if each.kernel})

    @property
    def launches(self) -> int:
        """How many launches of kernels there are; 0 at the graph level."""
        return sum(bool(each.kernel) for each in self.ops)


def module_costs(
    module: ir.Module | ir.Operation, function: str = "main", *, known_only: bool = False
) -> ModuleCosts:
    """The costs of a host function: per graph op, or, after form-kernels, per launch.

    A launch moves its operands and results; what it computes are the graph ops of its kernel. Raises
    `UnknownSize` for values with dynamic dims, unless `known_only`: what these cost is 0 then, and in no
    sum. Raises KeyError if there is no such function.
    """
    functions = {
        op.operation.attributes["sym_name"].value: op.operation
        for op in module.operation.regions[0].blocks[0]
        if op.operation.name == "func.func"
    }
    host = functions[function]
    constants = Constants(host)
    launches = Launches(functions, known_only)
    computed = list(_computed(host))
    ops = [op for op in computed if not constants.is_constant(op.results[0])]
    return ModuleCosts(
        tuple(launches.costs(op, constants, times) for op, times in _launched(host))
        or tuple(_op_costs(op, constants, known_only) for op in ops),
        constants.parameters(),
        constants.weight_bytes(),
        peak_bytes(host, constants.is_constant, known_bytes if known_only else byte_size),
        len(computed) - len(ops),
    )


def _computed(function: ir.Operation) -> Iterator[ir.Operation]:
    """The function's ops that have results and are no constants themselves."""
    for each in function.regions[0].blocks[0].operations:
        op = each.operation
        if op.results and not Constants.defines(op):
            yield op


def _launched(op: ir.Operation, times: int = 1) -> Iterator[tuple[ir.Operation, int]]:
    """The launches inside `op`, and how often each runs where constants say that, else once."""
    for each in [inner.operation for region in op.regions for inner in region.blocks[0].operations]:
        if each.name == LAUNCH:
            yield each, times
        yield from _launched(each, times * trip_count(each) if each.name == "graph.loop" else times)


def _op_costs(op: ir.Operation, constants: Constants, known_only: bool) -> OpCosts:
    cost, unknown = _counted(lambda: op_cost(op), known_only)
    return _record(op, op.name.removeprefix("graph."), "", constants, cost, unknown)


def _counted(count: Callable[[], Cost], known_only: bool) -> tuple[Cost, str]:
    """The cost, or why it is not known."""
    try:
        return count(), ""
    except UnknownSize as error:
        if not known_only:
            raise
        return Cost(), error.message


def _record(
    op: ir.Operation, kind: str, kernel: str, constants: Constants, cost: Cost, unknown: str
) -> OpCosts:
    result = op.results[0]
    return OpCosts(
        kind,
        kernel,
        names_in(str(op.location)),
        dtype_of(element_name(result.type.element_type)).name,
        known_dims(result),
        constants.parameters(op),
        cost,
        unknown,
    )


class Launches:
    """Costs of launches; a kernel's body is looked at once."""

    def __init__(self, functions: Mapping[str, ir.Operation], known_only: bool) -> None:
        self.functions, self.known_only = functions, known_only
        self.kernels: dict[str, tuple[Cost, str]] = {}

    def costs(self, op: ir.Operation, constants: Constants, times: int = 1) -> OpCosts:
        """Those of a launch that runs so often."""
        name = op.attributes["kernel"].value
        if name not in self.kernels:
            kernel = self.functions[name]
            self.kernels[name] = _counted(lambda: kernel_cost(kernel), self.known_only)
        cost, unknown = self.kernels[name]
        kind = "+".join(each.name.removeprefix("graph.") for each in _kernel_ops(self.functions[name]))
        return _record(op, kind, name, constants, cost * times, unknown)


def _kernel_ops(kernel: ir.Operation) -> list[ir.Operation]:
    ops = [op.operation for op in kernel.regions[0].blocks[0].operations if op.operation.results]
    return [op for op in ops if not Constants.defines(op)]


def kernel_cost(kernel: ir.Operation) -> Cost:
    """What a kernel computes and moves.

    Memory accesses are those of its products alone, if it has any: what is fused to them reads no memory.
    Raises `UnknownSize`.
    """
    block, ops = kernel.regions[0].blocks[0], _kernel_ops(kernel)
    inside = sum(map(op_cost, ops), Cost())
    written = sum(map(byte_size, block.operations[len(block.operations) - 1].operands))
    moved = written + sum(byte_size(each, _read(each)) for each in block.arguments)
    products = sum((op_cost(op) for op in ops if op.name in MACS), Cost())
    accesses = (products if products.macs else inside).accesses
    return Cost(inside.macs, inside.flops, accesses, moved)


def _read(argument: ir.Value) -> int:
    """How many elements of its argument a kernel reads: of a table, only the rows that it selects."""
    read = sum(touched(use.owner.operation, use.operand_number) for use in argument.uses)
    return min(elements(argument), read)
