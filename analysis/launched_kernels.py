"""The kernels that a call of a program launches: where they come from, and what one launch computes and
moves, as data that profiles read (`mlc.runtime.profiling`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlc.analysis.costs import Cost
from mlc.analysis.flop_counts import MACS
from mlc.analysis.launch_costs import kernel_cost, kernel_ops
from mlc.analysis.value_sizes import UnknownSizeError, symbolic_sizes
from mlc.bindings import func, ir
from mlc.dialects import tloop
from mlc.dialects.graph.dims.function_dims import Dims
from mlc.dialects.graph.elements import dtype_of
from mlc.dialects.graph.sizes import Size, Undecided, is_long
from mlc.dialects.graph.sizes.size import Factor, Name
from mlc.dialects.graph.types import element_name
from mlc.passes.common.dynamic_dims import argument_shapes
from mlc.passes.common.kernel_functions import DIMS, is_on_tensors
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.description import CALLER
from mlc.passes.remarks import names_in


@dataclass(frozen=True)
class LaunchedKernel:
    """A kernel: the ONNX nodes of all its launches; the number of its dynamic dims, d0, d1, ...; the element
    type that it computes with; and the cost of one launch, whose counts are formulas of these dims, or None
    if it is not known."""

    name: str
    nodes: tuple[str, ...]
    dims: int
    dtype: str
    cost: Cost | None

    def to_json(self, schedule: str) -> dict[str, Any]:
        """Returns the kernel as JSON data, with the name of its schedule."""
        return {
            "kernel": self.name,
            "nodes": list(self.nodes),
            "dtype": self.dtype,
            "schedule": schedule,
            **({"dims": self.dims} if self.dims else {}),
            **(
                {"flops": _formula(self.cost.flops), "bytes": _formula(self.cost.moved_bytes)}
                if self.cost
                else {}
            ),
        }


def launched_kernels(module: ir.Operation) -> list[LaunchedKernel]:
    """Returns the kernels that `@main` launches in a module after `host-plan-memory`, in the order of their
    first launches; none where there is no `@main`."""
    functions = {
        func.Func(op).sym_name: op.operation for op in module.regions[0].blocks[0] if func.Func.isa(op)
    }
    if "main" not in functions:
        return []
    nodes: dict[str, dict[str, None]] = {}
    launches = collect_ops(functions["main"], tloop.LaunchInto.NAME)
    for launch in launches:
        # Functions of the runtime are called by launches too.
        if CALLER not in launch.attributes:
            names = nodes.setdefault(tloop.LaunchInto(launch).kernel, {})
            names.update(dict.fromkeys(names_in(str(launch.location))))
    return [_describe(functions[name], tuple(names)) for name, names in nodes.items()]


def _describe(kernel: ir.Operation, nodes: tuple[str, ...]) -> LaunchedKernel:
    name = func.Func(kernel).sym_name
    inputs = list(func.Func(kernel).function_type.inputs)
    dims = inputs[-1].shape[0] if DIMS in kernel.attributes else 0
    # What users' kernels compute, as loops on buffers, is not known.
    if not is_on_tensors(kernel) or not all(op.name.startswith("graph.") for op in kernel_ops(kernel)):
        return LaunchedKernel(name, nodes, dims, "", None)
    return LaunchedKernel(name, nodes, dims, _dtype(kernel_ops(kernel)), _cost(kernel))


def _dtype(ops: Sequence[ir.Operation]) -> str:
    """Returns the element type of the first operand of the first product, else of the first result."""
    value = next((op.operands[0] for op in ops if op.name in MACS), ops[0].results[0])
    return dtype_of(element_name(value.type.element_type)).name


def _cost(kernel: ir.Operation) -> Cost | None:
    """Returns the cost of a launch, or None if it depends on more than the kernel's dims, or in a way that
    is no formula."""
    if DIMS not in kernel.attributes:
        return kernel_cost(kernel)
    extents = list(kernel.regions[0].blocks[0].arguments)[-1]
    dims = Dims(kernel, [*argument_shapes(kernel), tuple(extents.type.shape)])
    try:
        with symbolic_sizes(dims):
            cost = kernel_cost(kernel)
    except (UnknownSizeError, Undecided):
        return None
    counts: list[int | Size] = [cost.flops, cost.moved_bytes]
    return None if any(is_long(count) or _names_of_others(count) for count in counts) else cost


def _names_of_others(count: int | Size) -> bool:
    """Whether a count depends on sizes that are no dims of the kernel."""
    return isinstance(count, Size) and not all(_index(name) is not None for name in count.names)


def _index(name: str) -> int | None:
    """Returns the index of a kernel's dim, 3 for "d3"."""
    digits = name.removeprefix("d")
    return int(digits) if digits.isdecimal() and name != digits else None


def _formula(count: int | Size) -> Any:
    """Returns a count as JSON data, which `mlc.runtime.profiling.formula` evaluates: an integer, or the terms
    of a sum, each with its coefficient and its factors: indices of dims, and functions of two formulas."""
    if isinstance(count, int):
        return count
    return [[coefficient, *map(_factor, monomial)] for monomial, coefficient in count.terms]


def _factor(factor: Factor) -> Any:
    if isinstance(factor, Name):
        return _index(factor.name)
    return [factor.name, *map(_formula, factor.operands)]
