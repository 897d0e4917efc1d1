"""Loops within a block: tiles are carried as vectors, results are written part by part where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir, scf, tensor
from mlc.passes.accel.tiles.block_order import places_of
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import (
    Index,
    Meaning,
    SharedTile,
    Slice,
    VectorTile,
    add,
    as_value,
    multiply,
)
from mlc.passes.base import PassError
from mlc.passes.common.constants import constant_value
from mlc.passes.common.rewriting import terminator_of

# What a loop says about how a GPU runs it.
_KEPT = "accel."
# What may stand between two loops that become one: it is the same in each iteration of the inner one.
_BETWEEN = ("affine.", "arith.", tensor.ExtractSlice.NAME, tensor.InsertSlice.NAME)


@dataclass(frozen=True)
class LoopNest:
    """Loops with nothing to do between them, outermost first."""

    loops: list[ir.Operation]

    @property
    def counts(self) -> list[int] | None:
        """Iterations of each loop; None if they are not known."""
        counts = []
        for loop in self.loops:
            lower, upper, step = (constant_value(bound) for bound in list(loop.operands)[:3])
            if lower is None or upper is None or step is None:
                return None
            counts.append(max(0, -(-(upper - lower) // step)))
        return counts


def nest_of(op: ir.Operation) -> LoopNest:
    """The loop, and those within it whose iterations could be its own: they carry on what it carries."""
    loops = [op]
    while (inner := _only_loop(loops[-1])) is not None:
        loops.append(inner)
    while LoopNest(loops).counts is None and len(loops) > 1:
        loops.pop()
    return LoopNest(loops)


def _only_loop(op: ir.Operation) -> ir.Operation | None:
    body = op.regions[0].blocks[0]
    ops = [each.operation for each in list(body.operations)[:-1]]
    inner = [each for each in ops if each.name == scf.For.NAME]
    if len(inner) != 1 or not all(each.name.startswith(_BETWEEN) for each in ops if each not in inner):
        return None
    given = [_behind(operand, tensor.ExtractSlice.NAME) for operand in list(inner[0].operands)[3:]]
    yielded = [_behind(operand, tensor.InsertSlice.NAME) for operand in terminator_of(body).operands]
    carries_on = given == list(body.arguments)[1:] and yielded == list(inner[0].results)
    return inner[0] if carries_on else None


def _behind(value: ir.Value, name: str) -> ir.Value:
    """What a part was taken of, or what was put into a part."""
    while not isinstance(value, ir.BlockArgument) and value.owner.name == name:
        value = value.owner.operands[0]
    return value


def for_loop(code: Emission, op: ir.Operation) -> None:
    """`scf.for` that carries vectors in place of tensors; one for a nest, so that copies run ahead through
    all of it."""
    nest = nest_of(op)
    given = zip(list(op.operands)[3:], op.results, strict=True)
    initial = [_initial(code, value, result, op) for value, result in given]
    code.wait()
    loop = scf.ForOp(*_bounds(code, nest), _vectors(initial))
    with ir.InsertionPoint(loop.body):
        carried = _like(initial, loop.inner_iter_args)
        yielded = _emit(code, nest.loops, _indices(code, nest, loop.induction_variable), carried)
        code.wait()
        scf.YieldOp(_vectors(yielded))
    for each in nest.loops:
        for name in each.attributes:
            if name.startswith(_KEPT):
                loop.operation.attributes[name] = each.attributes[name]
    code.values.update(zip(op.results, _like(initial, loop.operation.results), strict=True))


def _bounds(code: Emission, nest: LoopNest) -> list[ir.Value]:
    """From, to, step."""
    if len(nest.loops) == 1:
        return [code.scalar(operand) for operand in list(nest.loops[0].operands)[:3]]
    return [as_value(0), as_value(prod(nest.counts or [])), as_value(1)]


def _indices(code: Emission, nest: LoopNest, iteration: ir.Value) -> list[Index]:
    """The counters of the loops of a nest in an iteration of the one that stands for them."""
    if len(nest.loops) == 1:
        return [iteration]
    indices = []
    for each, place in zip(nest.loops, places_of(iteration, nest.counts or []), strict=True):
        lower, _, step = (constant_value(bound) or 0 for bound in list(each.operands)[:3])
        indices.append(add(multiply(place, step), lower))
    return indices


def _emit(
    code: Emission, loops: Sequence[ir.Operation], indices: Sequence[Index], carried: Sequence[Meaning]
) -> list[Meaning]:
    """One iteration of a nest; what it carries on."""
    body = loops[0].regions[0].blocks[0]
    code.values.update(zip(body.arguments, [as_value(indices[0]), *carried], strict=True))
    for op in list(body.operations)[:-1]:
        if len(loops) > 1 and op.operation == loops[1]:
            given = [code.values[value] for value in list(loops[1].operands)[3:]]
            made = _emit(code, loops[1:], indices[1:], given)
            code.values.update(zip(loops[1].results, made, strict=True))
        else:
            code.emit(op.operation)
    return [code.values[operand] for operand in terminator_of(body).operands]


def _initial(code: Emission, value: ir.Value, result: ir.Value, op: ir.Operation) -> Meaning:
    """What the loop starts from; memory where it computes a result of the kernel."""
    found = code.values[value]
    if isinstance(found, Slice) and found.memory is None:
        if result not in code.destinations:
            raise PassError("a loop computes a tensor that is no result of the kernel", op.location)
        return code.destinations[result]
    return found


def _vectors(meanings: Sequence[Meaning]) -> list[ir.Value]:
    """What of them is carried: memory stays where it is."""
    carried = [meaning for meaning in meanings if not isinstance(meaning, (Slice, SharedTile))]
    return [each.vector if isinstance(each, VectorTile) else each for each in carried]


def _like(meanings: Sequence[Meaning], values: Sequence[ir.Value]) -> list[Meaning]:
    """Values in place of others that are carried, with the same meaning."""
    rest = iter(values)
    found: list[Meaning] = []
    for meaning in meanings:
        if isinstance(meaning, (Slice, SharedTile)):
            found.append(meaning)
        else:
            value = next(rest)
            found.append(VectorTile(value, meaning.extents) if isinstance(meaning, VectorTile) else value)
    return found


HANDLERS = {scf.For.NAME: for_loop}
