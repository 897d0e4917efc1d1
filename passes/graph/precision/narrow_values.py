"""graph-narrow-values: what kernels leave to others has 16 bits where products multiply such."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, collect_ops, defining_op, users
from mlc.passes.graph.common.casts import UNROUNDED, converted
from mlc.passes.graph.common.kernel_categories import REDUCTIONS, ROWS
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.fusion.groups import Group, fuse
from mlc.passes.graph.precision.narrow_rules import (
    COMPUTED,
    MOVES,
    PATTERNS,
    erase_unused_casts,
    is_rounding,
    widened_by_readers,
)
from mlc.passes.graph.prepare.split_prepare import MAIN, ConstantOps, find_function
from mlc.passes.remarks import applied

# Rounding makes equals of what these compare.
_COMPARED = {"graph.arg_max", "graph.arg_min"}
_SUMS = REDUCTIONS - _COMPARED
# What can read 16 bits and compute in f32. Products read what is rounded for them already.
_READERS = ELEMENTWISE | ROWS | _SUMS | COMPUTED


def element_of_products(main: ir.Operation) -> ir.Type | None:
    """The type to which `graph-lower-precision` has made products narrower."""
    for op in collect_ops(main):
        if UNROUNDED in op.attributes:
            return graph.element_type(op.results[0])
    return None


def is_narrowed(group: Group, constants: Container[ir.Value]) -> bool:
    """Whether a kernel's result is rounded: numbers of f32 that no caller sees, and that nothing compares.
    Those that lose most only for products: sums over rows, and what normalisations read, as the sums along
    which residual connections run."""
    value = group.result
    kind = value.type
    if len(group.ops[-1].results) > 1 or not isinstance(kind, ir.RankedTensorType) or value in constants:
        return False
    if not kind.has_static_shape or not isinstance(kind.element_type, ir.F32Type):
        return False
    readers = list(_readers(value, constants))
    multiplied = any(reader.name == "graph.cast" and is_rounding(reader) for reader in readers)
    exact = group.anchor in _SUMS or any(reader.name in ROWS for reader in readers)
    if exact and not multiplied:
        return False
    return bool(readers) and all(reader.name in _READERS for reader in readers)


def _readers(value: ir.Value, constants: Container[ir.Value]) -> Iterator[ir.Operation]:
    """What computes with a value, or with what it is moved to. What it is joined with must be rounded, too:
    arguments and constants are not."""
    for reader in users(value):
        given = [each for each in reader.operands if each in constants or defining_op(each) is None]
        if reader.name not in MOVES or (reader.name == "graph.concat" and given):
            yield reader
        else:
            yield from _readers(reader.results[0], constants)


def narrow(value: ir.Value, element: ir.Type) -> None:
    """Rounds a value once, behind what computes it; its readers widen it."""
    op = value.owner.operation
    with ir.InsertionPoint.after(op), op.location:
        stored = converted(value, element)
        wide = widened_by_readers(stored, graph.element_type(value))
    value.replace_all_uses_except(wide, [stored.owner.operation])
    applied(op, NarrowValues.name, f"its result is stored as {element}")


@dataclass(frozen=True)
class NarrowValues(Pass):
    """Where `graph-lower-precision` has made products narrower, store in their type what kernels leave to
    others. A kernel rounds its result once, when all is computed; kernels that read it widen what they read,
    and compute in f32. Both are part of these kernels: no kernel only converts.

    f32 stay what `@main` returns, weights and constants, sums over rows and what normalisations and softmax
    read, unless products read them, too, and what `arg_max` compares. Ops that move elements, and pools, move
    narrow ones.

    Which values those are is what `graph-form-kernels` would fuse; conversions that belong to the kernels of
    their readers have the attribute `graph.on_read`, by which it fuses them so.
    """

    name: ClassVar[str] = "graph-narrow-values"
    exactness: ClassVar[str] = "approximate"

    def run(self, op: ir.Operation) -> bool:
        main = find_function(op, MAIN)
        element = None if main is None or main.is_external else element_of_products(main.operation)
        if main is None or element is None:
            return False
        constants = ConstantOps.of(main.entry_block)
        known = constants.bare.keys() | constants.computed.keys()
        results = [each.result for each in fuse(main.regions[0].blocks[0]) if is_narrowed(each, known)]
        for value in results:
            narrow(value, element)
        apply_patterns(main.operation, PATTERNS)
        erase_unused_casts(main.operation)
        return bool(results)
