"""The whole of a kernel: where its results are written, and its launches."""

from __future__ import annotations

from math import prod

from mlc.bindings import gpu, ir
from mlc.passes.accel.tiles import views
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.launches import launch
from mlc.passes.accel.tiles.representations import Slice, Tile
from mlc.passes.accel.tiles.slices import SliceOp, part_of
from mlc.passes.accel.tiles.transfers import load, root_memory, write
from mlc.passes.base import PassFailure
from mlc.passes.common.rewriting import defining_op

# Ops that say where something lies: outside of launches, too.
_PLACES = (
    *("tensor.cast", "tensor.empty", "tensor.extract_slice", "tensor.pad"),
    *(views.COLLAPSE, views.EXPAND),
)

# Elements that one block copies at most.
LARGEST_COPY = 8192

# Values that lie elsewhere, and where they are to be copied.
Copies = list[tuple[ir.Value, Slice]]


def place(code: Emission, value: ir.Value, target: Slice) -> Copies:
    """Says that a value is computed where a result of the kernel lies, and the values that are inserted into
    it, in their parts. Returns what has to be copied, as it is not computed for this place."""
    op = defining_op(value)
    if op is None or op.name == "tensor.extract_slice" or value in code.destinations:
        return [(value, target)]
    if op.name == "tensor.empty":
        return []
    with op.location:
        code.destinations[value] = target
        if op.name in (views.COLLAPSE, views.EXPAND):
            return place(code, op.operands[0], views.before_reshape(target, op))
        if op.name == "tensor.insert_slice":
            part = part_of(code, target, SliceOp(op), op.operands[0].type.rank)
            return [*place(code, op.operands[1], target), *place(code, op.operands[0], part)]
    return []


def emit_program(code: Emission, block: ir.Block, copied: Copies) -> None:
    """Parallel loops become launches; what is computed outside of them, others of one block each."""
    for op in [each.operation for each in list(block.operations)[:-1]]:
        if op.name == "scf.forall":
            _close(code)
            code.emit(op)
        elif _needs_block(code, op):
            _emit_in_block(code, op)
        else:
            _emit_around(code, op)
    for value, target in copied:
        _copy(code, value, target)
    _close(code)


def _needs_block(code: Emission, op: ir.Operation) -> bool:
    """Whether something is computed, and it is no index."""
    if op.name == "arith.constant" or (
        op.name == "tensor.insert_slice" and op.results[0] in code.destinations
    ):
        return False
    if op.name in _PLACES:
        return any(isinstance(code.values.get(each), Tile) for each in op.operands)
    return any(isinstance(each.type, ir.ShapedType) for each in (*op.operands, *op.results))


def _emit_around(code: Emission, op: ir.Operation) -> None:
    """In front of the launch that is open, if there is one."""
    if code.body is None:
        code.emit(op)
        return
    with ir.InsertionPoint(code.body.owner):
        code.emit(op)


def _emit_in_block(code: Emission, op: ir.Operation) -> None:
    with ir.InsertionPoint(_open(code)):
        code.emit(op)
        for result in op.results:
            tile = code.values[result]
            if result in code.destinations and isinstance(tile, Tile):
                with op.location:
                    _write(code, tile, code.destinations[result])


def _copy(code: Emission, value: ir.Value, target: Slice) -> None:
    with ir.InsertionPoint(_open(code)):
        source = code.tensor(value)
        if isinstance(source, Tile):
            _write(code, source, target)
            return
        if not isinstance(source, Slice) or source.memory is None:
            raise PassFailure("a result of the kernel is not computed", ir.Location.current)
        if prod(each.padded for each in source.extents) > LARGEST_COPY:
            raise PassFailure("a result of the kernel has to be copied by one block", ir.Location.current)
        _write(code, load(code, source), target)


def _write(code: Emission, tile: Tile, target: Slice) -> None:
    """What a part is put into comes before it: other threads of the block may have written that."""
    assert target.memory is not None, "results lie in memory"
    memory = root_memory(target.memory)
    if memory in code.written:
        gpu.BarrierOp()
    code.written.append(memory)
    write(code, tile, target)


def _open(code: Emission) -> ir.Block:
    if code.body is None:
        code.body, code.written = launch([1]), []
    return code.body


def _close(code: Emission) -> None:
    """Ends the launch of one block: what it computed is known by where it lies."""
    if code.body is None:
        return
    with ir.InsertionPoint(code.body):
        code.wait()
    code.body = None
    code.values.update(
        {
            value: place
            for value, place in code.destinations.items()
            if isinstance(code.values.get(value), Tile)
        }
    )
