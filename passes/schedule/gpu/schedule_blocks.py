"""tloop-schedule-blocks: a schedule for every kernel of a GPU, whose tiles are the work of thread blocks."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import arith, func, ir, tensor
from mlc.dialects.accel.launches import MOST_CLUSTER_BLOCKS
from mlc.passes.base import Pass, PassError, option
from mlc.passes.common.computation import computations, root_computation
from mlc.passes.common.kernel_functions import kernels_on_tensors, schedules
from mlc.passes.common.linalg_builders import affine_map, dims, empty, generic
from mlc.passes.common.rewriting import collect_ops, replace_op
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import is_multiply_add
from mlc.passes.schedule.gpu.elementwise_access import flatten_elementwise, read_by_extract
from mlc.passes.schedule.gpu.products import schedule_product
from mlc.passes.schedule.gpu.reduction_sharing import Wanted
from mlc.passes.schedule.gpu.results import parts_of
from mlc.passes.schedule.gpu.rows import schedule_part
from mlc.passes.schedule.gpu.vectors import schedule_vectors
from mlc.passes.schedule.gpu.windows import is_window, schedule_window


def compute_constants(kernel: ir.Operation) -> None:
    """Replaces splat tensors by computations that write them. Raises PassError for other constants."""
    for op in collect_ops(kernel, arith.Constant.NAME):
        if isinstance(arith.Constant(op).result.type, ir.RankedTensorType):
            replace_op(op, _fill(arith.Constant(op)))


def _fill(constant: arith.Constant) -> ir.Value:
    op, value = constant.operation, constant.value
    type_ = ir.RankedTensorType(constant.result.type)
    if not isinstance(value, ir.DenseElementsAttr) or not value.is_splat:
        raise PassError(
            "a constant whose elements differ has no form on tiles: threads cannot look elements up in their "
            "code",
            op.location,
        )
    with ir.InsertionPoint(op), op.location:
        scalar = arith.ConstantOp(type_.element_type, value.get_splat_value()).result
        every = affine_map(type_.rank, dims(type_.rank))
        return generic(
            [scalar],
            [affine_map(type_.rank, [])],
            empty(type_.shape, type_.element_type),
            every,
            lambda new, _old: new,
        )


def schedule_kernel(kernel: ir.Operation, wanted: Wanted, cluster: tuple[int, ...]) -> None:
    """Adds the schedule of `kernel`, whose blocks share reductions as `wanted`, and are in clusters of this
    shape. Raises PassError if it has none."""
    compute_constants(kernel)
    root = root_computation(kernel)
    reducing = [computation for computation in computations(kernel) if computation.reductions]
    for computation in reducing:
        if any(computation.extents[dim] == 0 for dim in computation.reductions):
            # Upstream's tiling crashes on it.
            raise PassError(
                "a reduction of no elements has no schedule: graph-eliminate-empty leaves none",
                computation.op.location,
            )
    if root is not None and len(reducing) == 1 and not collect_ops(kernel, tensor.InsertSlice.NAME):
        # A product without rows and columns is a sum like others.
        if is_multiply_add(reducing[0]) and reducing[0].parallel:
            if not schedule_vectors(kernel, root, reducing[0]):
                schedule_product(kernel, root, reducing[0], wanted, cluster)
            return
        if is_window(reducing[0]):
            schedule_window(kernel, root, reducing[0])
            return
    schedule_results(kernel)


def schedule_results(kernel: ir.Operation) -> None:
    """Adds the schedule of a kernel whose results, and the tensors inserted into them, are scheduled
    separately."""
    read_by_extract(kernel)
    flatten_elementwise(kernel)
    parts = parts_of(kernel)
    builder = ScheduleBuilder(kernel)
    for part in parts:
        schedule_part(builder, part)


@dataclass(frozen=True)
class ScheduleBlocks(Pass):
    """Attach a `tloop.schedule` to each kernel that has none, for GPUs: the tiles of the result that its
    parallel loop makes are the work of a thread block each, which computes on all of its tile at once.

    Blocks share the reduction of a product where there would be too few of them, or too few in the last
    wave, and a model of their time says that it pays: the loop over its steps gets the attribute
    `accel.split_k` or `accel.stream_k`, for accel-split-k.
    """

    name: ClassVar[str] = "tloop-schedule-blocks"

    split_k: int = option(
        0, help="parts of each product's reduction, 1 for none; 0 leaves the choice to the model"
    )
    stream_k: int = option(
        0, help="blocks that share all steps of each product; 0 leaves the choice to the model"
    )
    cluster: tuple[int, ...] = option(
        (),
        help="how many blocks along the rows and the columns of a product are a cluster, where they divide "
        "its tiles and the target has clusters; chosen by the product's size if empty",
    )

    def run(self, op: ir.Operation) -> None:
        wanted, cluster = Wanted(self.split_k, self.stream_k), self.cluster
        if cluster and (len(cluster) != 2 or min(cluster) < 1 or prod(cluster) > MOST_CLUSTER_BLOCKS):
            raise PassError(
                f"cluster must be two integers whose product is at most {MOST_CLUSTER_BLOCKS}, not {cluster}",
                op.location,
            )
        scheduled = set(schedules(op))
        for kernel in kernels_on_tensors(op):
            if func.Func(kernel).sym_name not in scheduled:
                schedule_kernel(kernel, wanted, cluster)
