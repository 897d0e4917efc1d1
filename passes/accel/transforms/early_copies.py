"""Copies of weights, which no kernel of a program writes: they need not wait for the kernels before."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.passes.common.rewriting import collect_ops

# Of a kernel's function at the levels before: which arguments are weights wherever it is called. Of its
# functions for threads: which parameters they read before they wait.
WEIGHTS, EARLY_READS = "accel.weights", "accel.early_reads"
_COPY, _COMMIT = "nvvm.cp.async.shared.global", "nvvm.cp.async.commit.group"
# What computes addresses, and does nothing else.
_PURE = ("arith.", "llvm.getelementptr", "llvm.mlir.")
# What computes a launch's operands of a function's arguments.
_OPERANDS = frozenset(
    {
        *("arith.index_cast", "llvm.inttoptr", "memref.collapse_shape", "memref.expand_shape"),
        "memref.extract_aligned_pointer_as_index",
    }
)
# The parameters of `gpu.launch_func` are its last operands: so many groups are before them.
_GROUPS = 11


def weight_parameters(module: ir.Operation) -> dict[str, set[int]]:
    """By the name of a function for threads, its parameters that are pointers to weights."""
    found: dict[str, set[int]] = {}
    for launch in collect_ops(module, "gpu.launch_func"):
        weights = _weights_around(launch)
        sizes = list(ir.DenseI32ArrayAttr(launch.attributes["operandSegmentSizes"]))
        parameters = list(launch.operands)[sum(sizes[:_GROUPS]) :][: sizes[_GROUPS]]
        name = ir.SymbolRefAttr(launch.attributes["kernel"]).value[-1]
        mine = {number for number, each in enumerate(parameters) if _argument(each) in weights}
        found[name] = found.get(name, mine) & mine
    return found


def _weights_around(launch: ir.Operation) -> list[int]:
    function = launch.parent.operation
    while function.name != "func.func":
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
    if op.name == "llvm.getelementptr":
        return _parameter(op.operands[0])
    if op.name == "arith.select":
        found = {_parameter(each) for each in list(op.operands)[1:]}
        return found.pop() if len(found) == 1 else None
    return None
