"""Memory accesses: the elements of buffers that the ops of a loop read and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import affine, ir, linalg, memref, scf, tensor
from mlc.bindings import vector as vector_dialect
from mlc.passes.common.affine import AffineForm, IndexForm, form_of, map_forms, upper_bound
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.loops import SEQUENTIAL, Loop

LOADS = (
    affine.AffineLoad.NAME,
    memref.Load.NAME,
    vector_dialect.Load.NAME,
    affine.AffineVectorLoad.NAME,
    vector_dialect.TransferRead.NAME,
)
# The mark of dynamic entries in upstream's arrays of sizes and offsets.
DYNAMIC = -(2**63)
STORES = (
    affine.AffineStore.NAME,
    memref.Store.NAME,
    vector_dialect.Store.NAME,
    affine.AffineVectorStore.NAME,
    vector_dialect.TransferWrite.NAME,
)
VIEWS = (memref.SubView.NAME, memref.Cast.NAME, memref.ReinterpretCast.NAME, memref.ExpandShape.NAME)
# Ops of these dialects touch no memory.
PURE = ("arith", "math", "index", "ub", "complex")
HARMLESS = frozenset(
    {
        affine.AffineApply.NAME,
        affine.AffineMin.NAME,
        affine.AffineMax.NAME,
        affine.AffineYield.NAME,
        scf.Yield.NAME,
        affine.AffineIf.NAME,
        scf.If.NAME,
    }
    | {
        memref.Alloc.NAME,
        memref.Alloca.NAME,
        memref.Dealloc.NAME,
        memref.Dim.NAME,
        memref.Prefetch.NAME,
        affine.AffinePrefetch.NAME,
    }
    | {
        vector_dialect.Broadcast.NAME,
        vector_dialect.FMA.NAME,
        vector_dialect.Reduction.NAME,
        vector_dialect.Step.NAME,
        tensor.Empty.NAME,
        tensor.Dim.NAME,
    }
    | {
        vector_dialect.Contraction.NAME,
        vector_dialect.OuterProduct.NAME,
        vector_dialect.Extract.NAME,
        vector_dialect.Insert.NAME,
        vector_dialect.Transpose.NAME,
    }
    | {*SEQUENTIAL, affine.AffineParallel.NAME, scf.Parallel.NAME, scf.Reduce.NAME, linalg.Yield.NAME}
)


@dataclass
class Access:
    """A read or a write of `buffer`. `indices` has the first index and the number of elements for each dim;
    None stands for any elements."""

    op: ir.Operation
    buffer: ir.Value | None
    writes: bool
    indices: list[tuple[IndexForm, int] | None] | None

    @property
    def text(self) -> str:
        """The access in messages."""
        verb = "write" if self.writes else "read"
        buffer = "anything" if self.buffer is None else self.buffer.get_name()
        block = f" by block '{block_of(self.op)}'" if block_of(self.op) else ""
        return f"the {verb} of {buffer}{block}"


def block_of(op: ir.Operation) -> str:
    """Returns the name of the block that `op` belongs to: its own tag, or that of an op which uses its
    results in the same body."""
    seen = [op]
    for user in seen:
        if BLOCK_TAG in user.attributes:
            return str(user.attributes[BLOCK_TAG].value)
        for result in user.results:
            seen += [use.owner.operation for use in result.uses if len(seen) < LOOKED_AT]
    return ""


# Ops that `block_of` looks at before it gives up.
LOOKED_AT = 200


def accesses(root: ir.Operation) -> list[Access]:
    """Returns the accesses inside `root`, in program order."""
    found: list[Access] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op == root:
            return ir.WalkResult.ADVANCE
        found.extend(access_of(op))
        return ir.WalkResult.SKIP if op.name.startswith("linalg.") else ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def access_of(op: ir.Operation) -> list[Access]:
    """Returns the accesses of `op` itself."""
    if op.name in LOADS:
        return [_memory(op, list(op.operands), False)]
    if op.name in STORES:
        return [_memory(op, list(op.operands)[1:], True)]
    if tensor.ExtractSlice.isa(op):
        return [_slice(op, list(op.operands), 0, False)]
    if op.name == tensor.InsertSlice.NAME:
        return [_slice(op, list(op.operands), 1, True)]
    if op.name.startswith("linalg."):
        return _whole_buffers(op)
    if op.name in HARMLESS or op.name.partition(".")[0] in PURE:
        return []
    return [Access(op, None, True, None)]


def _whole_buffers(op: ir.Operation) -> list[Access]:
    """Returns the accesses of a structured op: all of its buffers; on tensors, those that a loop carries."""
    memory = [
        operand
        for operand in op.operands
        if isinstance(operand.type, ir.MemRefType)
        or (isinstance(operand.type, ir.RankedTensorType) and isinstance(operand.owner, ir.Block))
    ]
    return [Access(op, root_of(value)[0], writes, None) for value in memory for writes in (False, True)]


def _memory(op: ir.Operation, operands: Sequence[ir.Value], writes: bool) -> Access:
    """Returns the access of a load or a store; `operands` begin with the buffer, then the indices."""
    buffer, whole = root_of(operands[0])
    rank = ir.ShapedType(operands[0].type).rank
    if op.name.startswith("affine."):
        found = map_forms(op.attributes["map"].value, list(operands[1:]))
    else:
        found = [form_of(operand) for operand in operands[1 : 1 + rank]]
    sizes = [1] * rank
    value = op.operands[0].type if writes else op.results[0].type
    if isinstance(value, ir.VectorType):
        vector = ir.VectorType(value).shape
        sizes = [1] * (rank - len(vector)) + list(vector)
    if not whole:
        return Access(op, buffer, writes, None)
    return Access(
        op, buffer, writes, [index and (index, size) for index, size in zip(found, sizes, strict=True)]
    )


def _slice(op: ir.Operation, operands: list[ir.Value], source: int, writes: bool) -> Access:
    """Returns the access of a slice of a tensor, whose buffer is what the loops around carry."""
    buffer, whole = root_of(operands[source])
    offsets = list(op.attributes["static_offsets"])
    sizes, strides = list(op.attributes["static_sizes"]), list(op.attributes["static_strides"])
    dynamic = iter(operands[source + 1 :])
    starts = [form_of(next(dynamic)) if offset == DYNAMIC else AffineForm(offset) for offset in offsets]
    lengths = [upper_bound(next(dynamic)) if size == DYNAMIC else size for size in sizes]
    indices = [
        (start, length) if stride == 1 and length is not None else None
        for start, length, stride in zip(starts, lengths, strides, strict=True)
    ]
    return Access(op, buffer, writes, indices if whole else None)


def root_of(value: ir.Value) -> tuple[ir.Value, bool]:
    """Returns the buffer that `value` is, or is a part of, and whether it is all of it.

    On tensors the values that loops carry are the same buffer as their initial values.
    """
    whole = True
    while True:
        owner = value.owner
        if isinstance(owner, ir.Block):
            loop = owner.owner
            if loop is None or loop.operation.name not in SEQUENTIAL or value == owner.arguments[0]:
                return value, whole
            view = Loop(loop.operation)
            value = view.inits[[carried == value for carried in view.carried].index(True)]
        elif owner.name in VIEWS:
            value, whole = owner.operands[0], False
        elif owner.name == tensor.InsertSlice.NAME:
            value = tensor.InsertSlice(owner).dest
        elif owner.name in SEQUENTIAL:
            index = [result == value for result in owner.operation.results].index(True)
            value = Loop(owner.operation).inits[index]
        else:
            return value, whole


def loads_of(root: ir.Operation, buffer: ir.Value) -> list[ir.Operation]:
    """Returns the loads inside `root` from `buffer` itself."""
    return [op for op in collect_ops(root, LOADS) if op.operands[0] == buffer]
