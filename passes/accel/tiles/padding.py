"""Images with padding around them, which is not in memory."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import Dim, Extent, Slice, add
from mlc.passes.base import PassFailure
from mlc.passes.common.rewriting import defining_op, terminator_of


def pad(code: Emission, op: ir.Operation) -> None:
    """`tensor.pad` by constants: a part of the memory that begins before it and ends behind it."""
    source = code.tensor(op.operands[0])
    lows, highs = (list(op.attributes[name]) for name in ("static_low", "static_high"))
    if not isinstance(source, Slice) or source.memory is None or min(*lows, *highs) < 0:
        raise PassFailure("only memory can have padding, as much as is known", op.location)
    filler = defining_op(terminator_of(op.regions[0].blocks[0]).operands[0], "arith.constant")
    if filler is None:
        raise PassFailure("padding must be a constant", op.location)
    dims = list(source.dims)
    for at, low, high, total in zip(source.kept, lows, highs, op.results[0].type.shape, strict=True):
        if at is not None and low + high:
            dim = dims[at]
            dims[at] = Dim(add(dim.offset, -low), dim.stride, Extent(total, total), dim.ends, inside=False)
    value = filler.attributes["value"].value
    code.values[op.results[0]] = Slice(source.memory, tuple(dims), source.kept, value)


HANDLERS = {"tensor.pad": pad}
