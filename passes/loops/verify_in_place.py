"""tloop-verify-in-place: kernels that may overwrite an operand read it only at the indices that they
write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir, linalg, tensor
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import IN_PLACE, is_kernel
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.verification import fail_on

_PARTS = (linalg.Yield.NAME, linalg.Index.NAME)
_HARMLESS = (func.Return.NAME, tensor.Dim.NAME)


def violations(kernel: ir.Operation) -> Iterator[tuple[str, ir.Location]]:
    """Yields why `kernel` must not overwrite the operands in its attribute, as messages and locations."""
    name, results = func.Func(kernel).sym_name, len(func.Func(kernel).function_type.results)
    loops = [op for op in collect_ops(kernel) if op.name.startswith("linalg.") and op.name not in _PARTS]
    if len(loops) > 1 or any(op.name != linalg.Generic.NAME for op in loops):
        yield f"kernel @{name} works in place, but is {len(loops)} loop nests, not one", kernel.location
        return
    if results != 1:
        yield f"kernel @{name} works in place, but has {results} results, not one", kernel.location
    arguments = list(kernel.regions[0].blocks[0].arguments)
    for index in kernel.attributes[IN_PLACE]:
        if index in range(len(arguments)):
            yield from _misreads(name, arguments[index], index)
        else:
            yield f"kernel @{name} works in place, but has no operand #{index}", kernel.location


def _misreads(name: str, operand: ir.Value, index: int) -> Iterator[tuple[str, ir.Location]]:
    """Yields the reads of an operand at other indices than the loop nest writes, and those by other ops."""
    for use in operand.uses:
        reader = use.owner.operation
        loop = linalg.Generic.match(reader)
        if loop is None and reader.name not in _HARMLESS:
            message = f"kernel @{name} may write over operand #{index}, but '{reader.name}' reads it"
            yield message, reader.location
        elif loop is not None and (map_ := loop.indexing_maps[use.operand_number]) != loop.indexing_maps[-1]:
            message = f"kernel @{name} may write over operand #{index}, but reads it at {map_}"
            yield message, reader.location


@dataclass(frozen=True)
class VerifyInPlace(Pass):
    """Check that a kernel marked `tloop.in_place` is one elementwise loop nest, which reads each operand that
    it may overwrite only at the index that it writes.

    Reports every violation; changes nothing.
    """

    name: ClassVar[str] = "tloop-verify-in-place"

    def run(self, op: ir.Operation) -> bool:
        kernels = filter(is_kernel, collect_ops(op, func.Func.NAME))
        bodies = [kernel for kernel in kernels if len(kernel.regions[0].blocks)]
        marked = [kernel for kernel in bodies if IN_PLACE in kernel.attributes]
        fail_on(violation for kernel in marked for violation in violations(kernel))
        return False
