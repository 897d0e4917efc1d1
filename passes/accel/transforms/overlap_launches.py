"""accel-overlap-launches: a kernel begins while the one before it on the stream still runs.

Copies of weights, which no kernel of a program writes: they need not wait for the kernels before.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, func, gpu, ir, llvm, memref, nvvm, scf
from mlc.bindings.operations import address
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import gpu_target_of

# Of a kernel's function at the levels before: which arguments are weights wherever it is called. Of its
# functions for threads: which parameters they read before they wait.
WEIGHTS, EARLY_READS = "accel.weights", "accel.early_reads"

_COPY, _COMMIT = nvvm.CpAsync.NAME, nvvm.CpAsyncCommitGroup.NAME

# What computes addresses, and does nothing else.
_PURE = ("arith.", llvm.GEP.NAME, "llvm.mlir.")

# What computes a launch's operands of a function's arguments.
_OPERANDS = frozenset(
    {
        *(arith.IndexCast.NAME, llvm.IntToPtr.NAME, memref.CollapseShape.NAME, memref.ExpandShape.NAME),
        memref.ExtractAlignedPointerAsIndex.NAME,
    }
)

# The parameters of `gpu.launch_func` are its last operands: so many groups are before them.
_GROUPS = 11


def weight_parameters(module: ir.Operation) -> dict[str, set[int]]:
    """By the name of a function for threads, its parameters that are pointers to weights."""
    found: dict[str, set[int]] = {}
    for launch in collect_ops(module, gpu.LaunchFunc.NAME):
        weights = _weights_around(launch)
        sizes = list(ir.DenseI32ArrayAttr(launch.attributes["operandSegmentSizes"]))
        parameters = list(launch.operands)[sum(sizes[:_GROUPS]) :][: sizes[_GROUPS]]
        name = ir.SymbolRefAttr(gpu.LaunchFunc(launch).kernel).value[-1]
        mine = {number for number, parameter in enumerate(parameters) if _argument(parameter) in weights}
        found[name] = found.get(name, mine) & mine
    return found


def _weights_around(launch: ir.Operation) -> list[int]:
    function = launch.parent.operation
    while function.name != func.Func.NAME:
        function = function.parent.operation
    attributes = function.attributes
    return list(ir.DenseI64ArrayAttr(attributes[WEIGHTS])) if WEIGHTS in attributes else []


def _argument(value: ir.Value) -> int | None:
    """The number of the function's argument whose address a pointer is; None for anything else."""
    while not isinstance(value, ir.BlockArgument):
        op = value.owner.operation
        if op.name not in _OPERANDS:
            return None
        value = op.operands[0]
    return int(value.arg_number)


def hoist_copies(ops: Sequence[ir.Operation], weights: Collection[int]) -> tuple[list[int], ir.Operation]:
    """Moves copies of weights by `cp.async` in front of what else a kernel copies before its first loop:
    `ops` are those of its first block, from the first one on that touches global memory. Groups of copies
    then have more of them, and none less: those that are waited for are there.

    Returns the numbers of the parameters that they read, and the op in front of which the kernel must wait.
    """
    read: set[int] = set()
    anchor: ir.Operation | None = None
    behind: set[int] = set()
    for op in ops:
        number = _parameter(op.operands[1]) if op.name == _COPY else None
        if number is not None and number in weights:
            read.add(number)
            if anchor is not None:
                _move(op, anchor, behind)
        elif op.name in (_COPY, _COMMIT) or op.name.startswith(_PURE):
            anchor = anchor or (op if op.name == _COPY else None)
            if anchor is not None:
                behind.add(address(op))
        else:
            return sorted(read), anchor or op
    raise AssertionError("a block ends with an op that returns")


def _move(op: ir.Operation, anchor: ir.Operation, behind: set[int]) -> None:
    """With what computes its operands `behind` the anchor."""
    for operand in op.operands:
        if not isinstance(operand, ir.BlockArgument) and address(operand.owner.operation) in behind:
            _move(operand.owner.operation, anchor, behind)
    behind.discard(address(op))
    op.move_before(anchor)


def _parameter(value: ir.Value) -> int | None:
    """The parameter into whose memory a pointer points; None if it is not known."""
    if isinstance(value, ir.BlockArgument):
        return int(value.arg_number)
    op = value.owner.operation
    if op.name == llvm.GEP.NAME:
        return _parameter(llvm.GEP(op).base)
    if op.name == arith.Select.NAME:
        found = {_parameter(operand) for operand in list(op.operands)[1:]}
        return found.pop() if len(found) == 1 else None
    return None


OVERLAP_LAUNCHES = "accel.overlap_launches"
# What neither reads nor writes global memory. Loads and stores: `_touches` looks at their pointers.
_COMPUTES = ("arith.", "math.", "llvm.mlir.", "nvvm.read.ptx.sreg.", "nvvm.mbarrier.", "nvvm.cluster.")
_SETS_UP = frozenset(
    {
        *(llvm.AddrSpaceCast.NAME, llvm.Bitcast.NAME, llvm.GEP.NAME, llvm.IntToPtr.NAME, llvm.PtrToInt.NAME),
        *(llvm.ExtractElement.NAME, llvm.ExtractValue.NAME, llvm.InsertElement.NAME, llvm.InsertValue.NAME),
        *(llvm.Return.NAME, scf.Condition.NAME, scf.Yield.NAME),
        *(nvvm.Barrier.NAME, nvvm.ElectSync.NAME, nvvm.Mapa.NAME, nvvm.SetMaxRegister.NAME, nvvm.Shfl.NAME),
        *(nvvm.SyncWarp.NAME, nvvm.FenceMbarrierInit.NAME, nvvm.FenceProxy.NAME),
    }
)
_CONTROL = frozenset({scf.For.NAME, scf.If.NAME, scf.While.NAME})
# The operand that is the pointer.
_POINTERS = {llvm.Load.NAME: 0, llvm.Store.NAME: 1}
_SHARED = "!llvm.ptr<3>"


@dataclass(frozen=True)
class OverlapLaunches(Pass):
    """Lets launches of kernels of sm_90a overlap ("programmatic dependent launch"): each kernel begins with
    `nvvm.griddepcontrol launch_dependents`, and has `nvvm.griddepcontrol wait` in front of the first op that
    may touch global memory. Its attribute `accel.overlap_launches` says so: the runtime then lets it begin as
    soon as all blocks of the kernel before have begun. Copies of parameters that are tensor maps into a cache
    come before the wait.

    Where this op is a branch with two sides, such as roles of warps, each side waits for itself, as late as
    it can. Each thread waits exactly once, also one that touches no memory: a kernel that has ended leaves
    none before it running.

    Copies of weights by `cp.async` before the first loop start in front of the wait, as no kernel writes
    weights: the attribute `accel.weights` of the function around the launch says which arguments are weights
    wherever it is called. The kernel's attribute `accel.early_reads` lists the parameters that it so reads.

    For kernels of threads, behind accel-distribute. A second run changes nothing.

    Source: NVIDIA's PTX documentation, "griddepcontrol".
    """

    name: ClassVar[str] = "accel-overlap-launches"

    def run(self, op: ir.Operation) -> bool:
        kernels = [each for each in collect_ops(op, llvm.LLVMFunc.NAME) if "nvvm.kernel" in each.attributes]
        if not kernels or not gpu_target_of(op).clusters:
            return False
        plain = [each for each in kernels if OVERLAP_LAUNCHES not in each.attributes]
        weights = weight_parameters(op)
        for kernel in plain:
            name = ir.StringAttr(kernel.attributes["sym_name"]).value
            with kernel.location:
                _overlap(kernel, weights.get(name, set()))
        self.count("kernels", len(plain), help="kernels that wait for those before them")
        return bool(plain)


def _overlap(kernel: ir.Operation, weights: Collection[int]) -> None:
    entry = kernel.regions[0].blocks[0]
    ops = [op.operation for op in entry.operations]
    first = next((at for at, op in enumerate(ops) if _touches(op)), len(ops) - 1)
    early, anchor = hoist_copies(ops[first:], weights)
    if early:
        kernel.attributes[EARLY_READS] = ir.DenseI64ArrayAttr.get(early)
        with ir.InsertionPoint(anchor):
            _control("wait")
    else:
        _insert_wait(entry)
    with ir.InsertionPoint.at_block_begin(entry):
        _control("launch_dependents")
    kernel.attributes[OVERLAP_LAUNCHES] = ir.UnitAttr.get()


def _insert_wait(block: ir.Block, *, in_branch: bool = False) -> None:
    """As late as is safe: all threads that run the block have waited once at its end."""
    ops = [op.operation for op in block.operations]
    first = next((op for op in ops if _touches(op)), ops[-1])
    # Elsewhere a branch without another side is one around accesses: its condition is all that it computes.
    if first.name == scf.If.NAME and (in_branch or len(first.regions[1].blocks)):
        _add_else(first)
        for region in first.regions:
            _insert_wait(region.blocks[0], in_branch=True)
        return
    with ir.InsertionPoint(first):
        _control("wait")


def _add_else(branch: ir.Operation) -> None:
    if not len(branch.regions[1].blocks):
        with ir.InsertionPoint(branch.regions[1].blocks.append()):
            scf.YieldOp([])


def _touches(op: ir.Operation) -> bool:
    """Whether an op, or one inside of it, may read or write global memory: all but those that surely do
    not."""
    if op.name in _CONTROL:
        return any(
            _touches(each.operation) for region in op.regions for block in region for each in block.operations
        )
    if op.name in _POINTERS:
        return str(op.operands[_POINTERS[op.name]].type) != _SHARED
    if op.name == nvvm.Prefetch.NAME:
        return not nvvm.Prefetch(op).tensormap
    return op.name not in _SETS_UP and not op.name.startswith(_COMPUTES)


def _control(action: str) -> None:
    nvvm.griddepcontrol(ir.Attribute.parse(f"#nvvm<grid_dep_action {action}>"))
