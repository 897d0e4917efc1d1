"""Asynchronous copies to and from shared memory."""

import math
from collections.abc import Sequence
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.accel import views
from mlc.dialects.accel.dialect import SHARED, Accel, TokenType, is_global, is_shared, multicast_fault
from mlc.dialects.verification import verifier


def _copy_fault(op: ext.Operation) -> str:
    source, destination, *offsets = op.operation.operands
    sides = (source, destination)
    if not any(map(is_shared, sides)) or not any(map(is_global, sides)):
        return f"goes between global memory and {SHARED}, not from {source.type} to {destination.type}"
    if source.type.element_type != destination.type.element_type:
        return f"cannot make {destination.type.element_type} of {source.type.element_type}"
    tile, whole = (side.type for side in (sides if is_shared(source) else sides[::-1]))
    if fault := _tile_fault(op, tile, whole):
        return fault
    if len(offsets) != whole.rank:
        return f"takes an offset for each of the {whole.rank} dims of {whole}, but has {len(offsets)}"
    return _bulk_fault(op) or _multicast_fault(op, destination) or _token_fault(views.Copy(op).token)


def _bulk_fault(op: ext.Operation) -> str:
    if "bulk" not in op.attributes:
        return ""
    if not isinstance(op.attributes["bulk"], ir.UnitAttr):
        return "bulk must be a unit attribute"
    if not is_global(views.Copy(op).destination):
        return "bulk is for copies to global memory"
    if any(not views.Wait.isa(use.owner) for use in views.Copy(op).token.uses):
        return "has bulk, and a token that is not for accel.wait"
    return ""


def _multicast_fault(op: ext.Operation, destination: ir.Value) -> str:
    if "multicast" not in op.attributes:
        return ""
    dim = op.attributes["multicast"]
    if not is_shared(destination) or not isinstance(dim, ir.IntegerAttr):
        return f"multicast must be a dim of the grid, of a copy into {SHARED}"
    return multicast_fault(op, [dim.value])


def _tile_fault(op: ext.Operation, tile: ir.MemRefType, whole: ir.MemRefType) -> str:
    if not tile.has_static_shape or ("box" not in op.attributes and tile.rank > whole.rank):
        return f"takes a tile of static shape with at most the {whole.rank} dims of {whole}, not {tile}"
    for name in ("box", "steps"):
        if name not in op.attributes:
            continue
        given = op.attributes[name]
        if not isinstance(given, ir.DenseI64ArrayAttr) or len(given) != whole.rank or min(given) < 1:
            return (
                f"{name} must be an array of positive i64, one for each of the {whole.rank} dims of {whole}"
            )
    if "box" in op.attributes and math.prod(op.attributes["box"]) != math.prod(tile.shape):
        found = math.prod(op.attributes["box"])
        return f"has a box of {found} elements for the {math.prod(tile.shape)} of {tile}"
    return ""


def box_of(copy: ir.Operation) -> tuple[list[int], list[int]]:
    """Returns the elements that an `accel.copy` takes along each dim of its operand in global memory, and the
    distances between them."""
    view = views.Copy(copy)
    sides = (view.source.type, view.destination.type)
    tile, whole = sorted(sides, key=lambda side: side.memory_space is None)
    ones = [1] * whole.rank
    box = [*ones[: whole.rank - tile.rank], *tile.shape] if view.box is None else list(view.box)
    return box, ones if view.steps is None else list(view.steps)


def _token_fault(token: ir.Value) -> str:
    readers = [use.owner.operation.name for use in token.uses]
    if len(readers) == 1:
        return ""
    if readers:
        return f"has a token that {len(readers)} ops take ({', '.join(readers)}), but a copy ends once"
    return "has a token that nobody waits for: accel.wait, accel.commit and accel.notify take it"


class CopyOp(Accel.Operation, name="copy"):
    """Starts to copy a tile from global to shared memory, or back.

    `offsets` are the tile's coordinates in the operand in global memory, one per dim; a tile of lower rank
    has extent 1 along its first dims. With `box` the tile has these extents in global memory, and its
    elements in the same order another shape in shared memory: a part of an image is the rows of a matrix.
    `steps` are the distances between elements along each dim, 1 by default. Elements out of bounds become 0
    in shared memory, and are not written to global memory. Until the copy has ended, shared memory that it
    writes is undefined, and memory that it reads must not change. One op takes the token.

    A `bulk` copy to global memory is done by TMA, where a processor has it, by an instruction of one thread;
    otherwise by all threads.

    `multicast` is a dim of the grid along which the thread blocks of a cluster copy the same tile, each into
    its shared memory: each may then copy a part of it for all.
    """

    FORMS = {"box": "integers?", "steps": "integers?", "bulk": "unit", "multicast": "integer?"}

    source: ext.Operand[Any]
    destination: ext.Operand[Any]
    offsets: Sequence[ext.Operand[ir.IndexType]]
    token: ext.Result[TokenType]

    verify_invariants = verifier(_copy_fault)


def _wait_fault(op: ext.Operation) -> str:
    tokens = list(op.operation.operands)
    if not tokens:
        return "takes the tokens of at least one copy"
    if "read" not in op.attributes:
        return ""
    if not isinstance(op.attributes["read"], ir.UnitAttr):
        return "read must be a unit attribute"
    if not all(_stores(token.owner) for token in tokens):
        return "has read, which is for copies to global memory"
    return ""


def _stores(copy: ir.Operation | ir.Block) -> bool:
    return not isinstance(copy, ir.Block) and is_global(copy.operands[1])


class WaitOp(Accel.Operation, name="wait"):
    """Waits until the copies have ended; their writes are then visible to the whole thread block.

    With `read` it only waits until copies to global memory have read shared memory, which may then be
    overwritten; their writes are visible after the launch.
    """

    FORMS = {"read": "unit"}

    tokens: Sequence[ext.Operand[TokenType]]

    verify_invariants = verifier(_wait_fault)


class CommitOp(Accel.Operation, name="commit"):
    """Makes a group of copies, possibly an empty one, for `accel.wait_groups`."""

    tokens: Sequence[ext.Operand[TokenType]]


def _wait_groups_fault(op: ext.Operation) -> str:
    pending = views.WaitGroups(op).pending
    return "" if pending >= 0 else f"pending must not be negative, but is {pending}"


class WaitGroupsOp(Accel.Operation, name="wait_groups"):
    """Waits until all groups but the last `pending` ones have ended; their writes are then visible to the
    whole thread block."""

    pending: ir.IntegerAttr

    verify_invariants = verifier(_wait_groups_fault, pending=ir.IntegerAttr)
