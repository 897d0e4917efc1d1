"""Sequential loops over boxes, and over what of them lies inside of a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import arith, ir, memref, scf
from mlc.passes.common.vector_builders import index_constant

Indices = Sequence[ir.Value]
Body = Callable[[Indices], None]


def nest(bounds: Sequence[tuple[ir.Value, ir.Value]], body: Body) -> None:
    """Sequential loops from each first bound to before the second; `body` gets their indices."""

    def build(indices: list[ir.Value]) -> None:
        if len(indices) == len(bounds):
            return body(indices)
        first, end = bounds[len(indices)]
        loop = scf.ForOp(first, end, index_constant(1))
        with ir.InsertionPoint(loop.body):
            build([*indices, loop.induction_variable])
            scf.YieldOp([])

    build([])


def extent_of(memory: ir.Value, dim: int) -> ir.Value:
    if memory.type.is_dynamic_dim(dim):
        return memref.DimOp(memory, index_constant(dim)).result
    return index_constant(memory.type.shape[dim])


def inside(memory: ir.Value, dim: int, start: ir.Value, extent: int, apart: int) -> tuple[ir.Value, ir.Value]:
    """From where to where the `extent` places, `apart` from each other, from `start` on lie inside of a dim,
    counted from `start`."""
    zero = index_constant(0)
    first = arith.maxsi(zero, _pieces(arith.subi(zero, start), apart))
    end = arith.minsi(index_constant(extent), _pieces(arith.subi(extent_of(memory, dim), start), apart))
    return first, end


def _pieces(length: ir.Value, apart: int) -> ir.Value:
    """How many steps of that size it takes to cover a length."""
    return length if apart == 1 else arith.ceildivsi(length, index_constant(apart))


def over_inside(
    memory: ir.Value, starts: Indices, extents: Sequence[int], body: Callable, apart: Sequence[int] = ()
) -> None:
    """Loops over the part inside of `memory` of a box of `extents` from `starts` on, whose places are `apart`
    from each other, 1 unless given; `body` gets the indices in the box, and those in the memory."""
    apart = apart or [1] * len(extents)
    bounds = [inside(memory, dim, *each) for dim, each in enumerate(zip(starts, extents, apart, strict=True))]

    def at(steps: Indices) -> None:
        places = [
            arith.addi(start, step if by == 1 else arith.muli(step, index_constant(by)))
            for start, step, by in zip(starts, steps, apart, strict=True)
        ]
        body(steps, places)

    nest(bounds, at)
