"""While loops that can run at the same time, as lanes of one loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import affine, arith, ir, memref, scf
from mlc.passes.common.constants import constant_value
from mlc.passes.common.kernel_functions import SETTLES
from mlc.passes.common.rewriting import collect_ops, defining_op, has_uses, terminator_of
from mlc.passes.vector.hoist_loads import is_outside

# Arithmetic that traps for some operands, or whose result, which may be an index of a load, is poison.
_PARTIAL = tuple(
    f"arith.{name}" for name in "divsi divui ceildiv floordiv remsi remui shl shr fptosi fptoui".split()
)
# Attributes with which a result is poison for some operands.
_FLAGS = ("overflowFlags", "fastmath", "nonNeg")
# Loops whose first arguments are their indices.
_LOOPS = (scf.For.NAME, scf.Forall.NAME, scf.Parallel.NAME)


@dataclass(frozen=True)
class Lanes:
    """A while loop each of whose lanes may be executed after its end.

    It `settles` if an iteration after its end changes none of its results. A carried value is `uniform` if it
    is the same in all lanes, and nothing uses it after the loop: it changes until the last lane has ended.
    The loop goes on while `varies`, which depends on the others alone, and `invariant`, if not None, which
    depends on uniform values alone.
    """

    loop: scf.While
    settles: bool
    uniform: Sequence[bool]
    varies: ir.Value
    invariant: ir.Value | None

    def flatten(self, lanes: Sequence[Sequence[ir.Value]]) -> list[ir.Value]:
        """Returns the carried values of all lanes, the uniform ones once."""
        shared = [value for value, same in zip(lanes[0], self.uniform, strict=True) if same]
        own = [value for lane in lanes for value, same in zip(lane, self.uniform, strict=True) if not same]
        return shared + own

    def unflatten(self, values: Sequence[ir.Value], count: int) -> list[list[ir.Value]]:
        """Returns the carried values of each of `count` lanes, which `flatten` made one list."""
        shared = list(values[: sum(self.uniform)])
        own = iter(values[len(shared) :])
        lanes = []
        for _ in range(count):
            uniform = iter(shared)
            lanes.append([next(uniform) if same else next(own) for same in self.uniform])
        return lanes


def match_lanes(loop: scf.While, around: ir.Operation) -> Lanes | None:
    """Returns how the while loops of the iterations of `around` run at the same time; None if they cannot."""
    before = loop.before.blocks[0]
    condition = scf.Condition(terminator_of(before))
    settles = SETTLES in loop.operation.attributes
    if list(condition.args) != list(before.arguments):
        return None
    if not settles and not all(map(_is_total, collect_ops(loop.operation))):
        return None
    uniform = _uniform(loop, around)
    same, varying = (_select(before.arguments, uniform, wanted) for wanted in (True, False))
    both = arith.AndI.defining(condition.condition)
    parts = [condition.condition] if both is None else [both.lhs, both.rhs]
    sources = [_sources(part, loop) for part in parts]
    own = [part for part, read in zip(parts, sources, strict=True) if not read & same]
    shared = [
        part
        for part, read in zip(parts, sources, strict=True)
        if not read & varying and all(value in same or is_outside(value, around) for value in read)
    ]
    if len(own) != 1 or len(own) + len(shared) != len(parts):
        return None
    return Lanes(loop, settles, uniform, own[0], shared[0] if shared else None)


def _select(values: Sequence[ir.Value], flags: Sequence[bool], wanted: bool) -> set[ir.Value]:
    return {value for value, flag in zip(values, flags, strict=True) if flag == wanted}


def _uniform(loop: scf.While, around: ir.Operation) -> list[bool]:
    """Returns for each carried value whether it is the same in all iterations of `around`: its first value
    is, its next ones depend on no others, and its last one has no use."""
    after = loop.after.blocks[0]
    following = [_sources(value, loop) for value in terminator_of(after).operands]
    uniform = [
        is_outside(init, around) and not has_uses(result)
        for init, result in zip(loop.inits, loop.results, strict=True)
    ]
    changed = True
    while changed:
        same = _select(after.arguments, uniform, True)
        kept = [
            flag and all(value in same or is_outside(value, around) for value in read)
            for flag, read in zip(uniform, following, strict=True)
        ]
        changed, uniform = kept != uniform, kept
    return uniform


def _sources(value: ir.Value, loop: scf.While) -> set[ir.Value]:
    """Returns what `value` is computed from: arguments of the loop's blocks, loaded elements and their
    indices, and values from outside."""
    op = defining_op(value)
    if op is None or is_outside(value, loop.operation):
        return set() if op is not None and arith.Constant.isa(op) else {value}
    own = set() if op.name.startswith("arith.") else {value}
    return own.union(*(_sources(operand, loop) for operand in op.operands))


def _is_total(op: ir.Operation) -> bool:
    """Whether an op of a while loop may be executed once more than the loop does."""
    if op.name in (scf.Condition.NAME, scf.Yield.NAME):
        return True
    if op.name == memref.Load.NAME:
        load = memref.Load(op)
        return all(map(_is_in_bounds, load.indices, load.memref.type.shape))
    if not op.name.startswith("arith.") or op.name.startswith(_PARTIAL):
        return False
    return all(str(op.attributes[flag]).endswith("<none>") for flag in _FLAGS if flag in op.attributes)


def _is_in_bounds(index: ir.Value, size: int) -> bool:
    """Whether an index is within `size` whenever the loops around are executed: it is constant, limited to a
    constant, or computed from indices of loops, all of which a kernel's buffers have."""
    constant, op = constant_value(index), defining_op(index)
    if constant is not None:
        return 0 <= constant < size
    if op is None:
        return _is_loop_index(index) and not _may_exceed(index, size)
    if op.name == affine.AffineApply.NAME:
        return all(map(_is_loop_index, op.operands))
    if op.name == arith.Select.NAME:
        select = arith.Select(op)
        return _is_in_bounds(select.true_value, size) and _is_in_bounds(select.false_value, size)
    if op.name == arith.IndexCast.NAME:
        # A cast from `index` may drop bits.
        source = arith.IndexCast(op).in_
        return isinstance(source.type, ir.IntegerType) and _is_in_bounds(source, size)
    if op.name == arith.IndexCastUI.NAME:
        return bool(arith.IndexCastUI(op).in_.type.width == 1 and size > 1)
    if op.name == arith.MinUI.NAME:
        limits = map(constant_value, op.operands)
        return any(limit is not None and 0 <= limit < size for limit in limits)
    return False


def _is_loop_index(value: ir.Value) -> bool:
    """Whether a value is the index of a loop, no value that it carries."""
    if defining_op(value) is not None:
        return False
    argument = ir.BlockArgument(value)
    loop = argument.owner.owner.operation
    return loop.name in _LOOPS and (loop.name != scf.For.NAME or argument.arg_number == 0)


def _may_exceed(index: ir.Value, size: int) -> bool:
    """Whether the constant bounds of a `scf.for` have indices that are not within a constant `size`: a while
    loop may then have no iteration for them."""
    loop = ir.BlockArgument(index).owner.owner.operation
    if loop.name != scf.For.NAME:
        return False
    lower, upper = constant_value(scf.For(loop).lower_bound), constant_value(scf.For(loop).upper_bound)
    return (lower is not None and lower < 0) or (upper is not None and 0 <= size < upper)
