"""accel-overlap-launches: programmatic dependent launch, in which a kernel begins while the one before it on
the stream still runs, and copies of weights do not wait for that one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, func, gpu, ir, llvm, memref, nvvm, scf
from mlc.bindings.operations import address
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import gpu_target_of

# Attribute of a kernel's function at higher levels: the arguments that are weights in all calls; of its
# functions for threads: the parameters that they read before they wait.
WEIGHTS, EARLY_READS = "accel.weights", "accel.early_reads"

_COPY, _COMMIT = nvvm.CpAsync.NAME, nvvm.CpAsyncCommitGroup.NAME

# Ops that compute addresses without side effects.
_PURE = ("arith.", llvm.GEP.NAME, "llvm.mlir.")

# Ops that compute a launch's operands from a function's arguments.
_OPERANDS = frozenset(
    {
        *(arith.IndexCast.NAME, llvm.IntToPtr.NAME, memref.CollapseShape.NAME, memref.ExpandShape.NAME),
        memref.ExtractAlignedPointerAsIndex.NAME,
    }
)

# The index of the operand segment of `gpu.launch_func` that holds the kernel's parameters.
_PARAMETER_SEGMENT = 11


def weight_parameters(module: ir.Operation) -> dict[str, set[int]]:
    """Returns the parameters that are pointers to weights in all launches, by the names of functions for
    threads."""
    found: dict[str, set[int]] = {}
    for launch in collect_ops(module, gpu.LaunchFunc.NAME):
        weights = _weights_around(launch)
        sizes = list(ir.DenseI32ArrayAttr(launch.attributes["operandSegmentSizes"]))
        parameters = list(launch.operands)[sum(sizes[:_PARAMETER_SEGMENT]) :][: sizes[_PARAMETER_SEGMENT]]
        name = ir.SymbolRefAttr(gpu.LaunchFunc(launch).kernel).value[-1]
        pointers = {i for i, parameter in enumerate(parameters) if _argument(parameter) in weights}
        found[name] = found.get(name, pointers) & pointers
    return found


def _weights_around(launch: ir.Operation) -> list[int]:
    function = launch.parent.operation
    while function.name != func.Func.NAME:
        function = function.parent.operation
    attributes = function.attributes
    return list(ir.DenseI64ArrayAttr(attributes[WEIGHTS])) if WEIGHTS in attributes else []


def _argument(value: ir.Value) -> int | None:
    """The index of the function's argument whose address a pointer is; None for other values."""
    while not isinstance(value, ir.BlockArgument):
        op = value.owner.operation
        if op.name not in _OPERANDS:
            return None
        value = op.operands[0]
    return int(value.arg_number)


def hoist_copies(ops: Sequence[ir.Operation], weights: Collection[int]) -> tuple[list[int], ir.Operation]:
    """Moves copies of weights by `cp.async` before the other copies that precede a kernel's first loop. `ops`
    are those of its first block, from the first one that touches global memory. A copy may move to an earlier
    group, so it has ended whenever its old group is awaited.

    Returns the indices of the parameters that they read, and the op before which the kernel must wait.
    """
    read: set[int] = set()
    anchor: ir.Operation | None = None
    after: set[int] = set()
    for op in ops:
        parameter = _parameter(nvvm.CpAsync(op).src) if op.name == _COPY else None
        if parameter is not None and parameter in weights:
            read.add(parameter)
            if anchor is not None:
                _move(op, anchor, after)
        elif op.name in (_COPY, _COMMIT) or op.name.startswith(_PURE):
            anchor = anchor or (op if op.name == _COPY else None)
            if anchor is not None:
                after.add(address(op))
        else:
            return sorted(read), anchor or op
    raise AssertionError("a block ends with an op that returns")


def _move(op: ir.Operation, anchor: ir.Operation, after: set[int]) -> None:
    """Moves an op, and the ops `after` the anchor that compute its operands, before the anchor."""
    for operand in op.operands:
        if not isinstance(operand, ir.BlockArgument) and address(operand.owner.operation) in after:
            _move(operand.owner.operation, anchor, after)
    after.discard(address(op))
    op.move_before(anchor)


def _parameter(value: ir.Value) -> int | None:
    """The index of the parameter into whose memory a pointer points; None if unknown."""
    if isinstance(value, ir.BlockArgument):
        return int(value.arg_number)
    op = value.owner.operation
    if op.name == llvm.GEP.NAME:
        return _parameter(llvm.GEP(op).base)
    if op.name == arith.Select.NAME:
        select = arith.Select(op)
        found = {_parameter(select.true_value), _parameter(select.false_value)}
        return found.pop() if len(found) == 1 else None
    return None


OVERLAP_LAUNCHES = "accel.overlap_launches"
# Ops that access no global memory. `_touches` decides by the pointer for loads and stores.
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
# The position of the pointer among the operands.
_POINTERS = {llvm.Load.NAME: 0, llvm.Store.NAME: 1}
_SHARED = "!llvm.ptr<3>"


@dataclass(frozen=True)
class OverlapLaunches(Pass):
    """Lets launches of kernels of sm_90a overlap ("programmatic dependent launch"): each kernel begins with
    `nvvm.griddepcontrol launch_dependents`, and has `nvvm.griddepcontrol wait` before the first op that may
    touch global memory. With its attribute `accel.overlap_launches` the runtime lets it begin as soon as all
    blocks of the kernel before have begun. Prefetches of tensor maps come before the wait.

    If this op is a branch with two regions, such as roles of warps, each region has a wait, as late as
    possible. Each thread waits exactly once, also one that touches no memory, so that no earlier kernel still
    runs when a kernel has ended.

    Copies of weights by `cp.async` before the first loop start before the wait, as no kernel writes weights:
    the attribute `accel.weights` of the function around the launch lists the arguments that are weights in
    all calls. The kernel's attribute `accel.early_reads` lists the parameters that are read before the wait.

    Runs on kernels of threads, after accel-distribute. A second run changes nothing.

    Source: NVIDIA's PTX documentation, "griddepcontrol".
    """

    name: ClassVar[str] = "accel-overlap-launches"

    def run(self, op: ir.Operation) -> bool:
        kernels = [f for f in collect_ops(op, llvm.LLVMFunc.NAME) if "nvvm.kernel" in f.attributes]
        if not kernels or not gpu_target_of(op).clusters:
            return False
        plain = [kernel for kernel in kernels if OVERLAP_LAUNCHES not in kernel.attributes]
        weights = weight_parameters(op)
        for kernel in plain:
            name = llvm.LLVMFunc(kernel).sym_name
            with kernel.location:
                _overlap(kernel, weights.get(name, set()))
        self.count("kernels", len(plain), help="kernels that wait for those before them")
        return bool(plain)


def _overlap(kernel: ir.Operation, weights: Collection[int]) -> None:
    entry = llvm.LLVMFunc(kernel).entry_block
    ops = [op.operation for op in entry.operations]
    first = next((i for i, op in enumerate(ops) if _touches(op)), len(ops) - 1)
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
    """Inserts waits as late as is safe: all threads that run the block have waited once at its end."""
    ops = [op.operation for op in block.operations]
    first = next((op for op in ops if _touches(op)), ops[-1])
    # Outside of branches, a branch without an else region only guards accesses: it computes nothing else.
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
    """Whether an op, or one inside of it, may read or write global memory."""
    if op.name in _CONTROL:
        return any(
            _touches(inner.operation)
            for region in op.regions
            for block in region
            for inner in block.operations
        )
    if op.name in _POINTERS:
        return str(op.operands[_POINTERS[op.name]].type) != _SHARED
    if op.name == nvvm.Prefetch.NAME:
        return not nvvm.Prefetch(op).tensormap
    return op.name not in _SETS_UP and not op.name.startswith(_COMPUTES)


def _control(action: str) -> None:
    nvvm.griddepcontrol(ir.Attribute.parse(f"#nvvm<grid_dep_action {action}>"))
