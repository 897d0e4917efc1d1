"""Grids of thread blocks, and roles of warps."""

from collections.abc import Sequence
from math import prod

from mlc.bindings import arith, ext, ir
from mlc.dialects.accel import views
from mlc.dialects.accel.dialect import Accel, launch_around
from mlc.dialects.verification import report, verifier

WARPS = (1, 2, 4, 8, 16)
# Warps per thread block: 1024 threads.
MOST_WARPS = 32
MOST_REGISTERS = 255
# The portable limit of thread blocks per cluster.
MOST_CLUSTER_BLOCKS = 8


def _launch_fault(op: ext.Operation) -> str:
    if not 1 <= len(op.operands) <= 3:
        return f"takes a grid of 1 to 3 numbers of blocks, but has {len(op.operands)}"
    warps = views.Launch(op).warps
    if warps not in WARPS:
        return f"warps must be one of {', '.join(map(str, WARPS))}, but is {warps}"
    if "cluster" not in op.attributes:
        return ""
    return _cluster_fault(op.attributes["cluster"], list(op.operands))


def _cluster_fault(cluster: ir.Attribute, grid: Sequence[ir.Value]) -> str:
    if not isinstance(cluster, ir.DenseI64ArrayAttr) or len(cluster) != len(grid) or min(cluster) < 1:
        return f"cluster must be an array of positive i64, one for each of the {len(grid)} dims of the grid"
    if prod(cluster) > MOST_CLUSTER_BLOCKS:
        return f"cluster must have at most {MOST_CLUSTER_BLOCKS} blocks, but has {prod(cluster)}"
    for dim, (blocks, size) in enumerate(zip(grid, cluster, strict=True)):
        count = _constant(blocks)
        if count is not None and count % size:
            return f"cluster has {size} blocks along dim {dim}, which do not divide the grid's {count}"
    return ""


def _constant(value: ir.Value) -> int | None:
    constant = arith.Constant.defining(value)
    return None if constant is None else int(ir.IntegerAttr(constant.value).value)


def _body_fault(op: ext.Operation) -> str:
    blocks = list(op.regions[0])
    arguments = list(blocks[0].arguments) if len(blocks) == 1 else []
    if [isinstance(argument.type, ir.IndexType) for argument in arguments] != [True] * len(op.operands):
        return f"must have a body of one block with an index argument for each of the {len(op.operands)} dims"
    if launch_around(op.operation) is not None:
        return "must not be in another accel.launch"
    return ""


class LaunchOp(Accel.Operation, name="launch", traits=[ir.NoTerminatorTrait]):
    """Runs its body once for each thread block of a grid, whose indices are the body's arguments; thread
    blocks run in any order, or at the same time.

    A thread block has `warps` warps of 32 threads, which execute the body together: every value is one of the
    whole thread block. Vectors are tiles in its registers; `#gpu.address_space<workgroup>` is its shared
    memory. `cluster` are the thread blocks per cluster along each dim of the grid, 1 by default and at most 8
    in total; it divides the grid. They run at the same time, and can share copies (`accel.copy` with
    `multicast`).
    """

    FORMS = {"cluster": "integers?"}

    warps: ir.IntegerAttr
    grid: Sequence[ext.Operand[ir.IndexType]]
    body: ext.Region

    verify_invariants = verifier(_launch_fault, warps=ir.IntegerAttr)

    def verify_region_invariants(self) -> bool:
        """Whether the body is one block with an index per dim, in no other launch; emits an error if not."""
        message = _body_fault(self)
        return not message or report(self, message)


def _specialize_fault(op: ext.Operation) -> str:
    launch = launch_around(op.operation)
    if launch is None:
        return "must be in an accel.launch"
    view = views.Specialize(op)
    producers, consumers = view.producer_warps, view.consumer_warps
    if producers % 4 or consumers % 4 or min(producers, consumers) <= 0:
        return f"roles have whole groups of 4 warps, but {producers} produce and {consumers} consume"
    warps = views.Launch(launch).warps
    if consumers != warps:
        return f"the launch's {warps} warps consume, but consumer_warps is {consumers}"
    if producers + consumers > MOST_WARPS:
        return f"a block has up to {MOST_WARPS} warps, but the roles have {producers + consumers}"
    limits = {"producer": view.producer_registers, "consumer": view.consumer_registers}
    for role, registers in limits.items():
        if registers % 8 or not 24 <= registers <= MOST_REGISTERS:
            return f"{role}_registers must be a multiple of 8 from 24 to 248, but is {registers}"
    return ""


def _roles_fault(op: ext.Operation) -> str:
    for role, region in zip(("producer", "consumer"), op.regions, strict=True):
        blocks = list(region)
        if len(blocks) != 1 or len(blocks[0].arguments):
            return f"the {role}'s region must have one block without arguments"
    return ""


class SpecializeOp(Accel.Operation, name="specialize", traits=[ir.NoTerminatorTrait]):
    """Gives the warps of a thread block roles, which run at the same time: producers, in addition to the
    launch's warps, issue copies; consumers, which are the launch's warps, compute.

    Only semaphores synchronise them. A thread of the producers may use `producer_registers` registers, one of
    the consumers `consumer_registers`.
    """

    producer_warps: ir.IntegerAttr
    consumer_warps: ir.IntegerAttr
    producer_registers: ir.IntegerAttr
    consumer_registers: ir.IntegerAttr
    producer: ext.Region
    consumer: ext.Region

    verify_invariants = verifier(
        _specialize_fault,
        producer_warps=ir.IntegerAttr,
        consumer_warps=ir.IntegerAttr,
        producer_registers=ir.IntegerAttr,
        consumer_registers=ir.IntegerAttr,
    )

    def verify_region_invariants(self) -> bool:
        """Whether each region is one block without arguments; emits an error otherwise."""
        message = _roles_fault(self)
        return not message or report(self, message)
