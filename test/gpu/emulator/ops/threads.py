"""Special registers of a thread, and exchange of values between the threads of a warp."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from ..decode import Op
from ..memory import CLUSTER
from ..registry import op
from ..unit import Unit
from ..values import LANES, as_signed, spread

_AXES = "xyz"


def _constant(value: int) -> np.ndarray:
    return np.full(1, value, np.uint32)


def _thread(unit: Unit, axis: int) -> np.ndarray:
    x, y, _ = unit.launch.block
    return unit.threads // (1, x, x * y)[axis] % unit.launch.block[axis]


def _cluster_grid(unit: Unit, axis: int) -> int:
    return unit.launch.grid[axis] // unit.launch.cluster[axis]


_PER_AXIS: dict[str, Callable[[Unit, int], int | np.ndarray]] = {
    "tid": _thread,
    "ntid": lambda unit, axis: unit.launch.block[axis],
    "ctaid": lambda unit, axis: unit.block.index[axis],
    "nctaid": lambda unit, axis: unit.launch.grid[axis],
    "cluster.ctaid": lambda unit, axis: unit.block.index[axis] % unit.launch.cluster[axis],
    "cluster.nctaid": lambda unit, axis: unit.launch.cluster[axis],
    "clusterid": lambda unit, axis: unit.block.index[axis] // unit.launch.cluster[axis],
    "nclusterid": _cluster_grid,
}
_GPU_OPS = {
    "gpu.thread_id": "tid",
    "gpu.block_dim": "ntid",
    "gpu.block_id": "ctaid",
    "gpu.grid_dim": "nctaid",
}
_ROCDL = {"tid": ("rocdl.workitem.id",), "ctaid": ("rocdl.workgroup.id",)}
_PER_THREAD: dict[str, Callable[[Unit], int | np.ndarray]] = {
    "laneid": lambda unit: unit.threads % LANES,
    "warpid": lambda unit: unit.threads // LANES,
    "warpsize": lambda unit: LANES,
    "nwarpid": lambda unit: unit.block.threads // LANES,
    "cluster.ctarank": lambda unit: unit.block.rank,
    "cluster.nctarank": lambda unit: len(unit.cluster.blocks),
    "dynamic.smem.size": lambda unit: unit.launch.shared_bytes,
    "smid": lambda unit: 0,
    "clock": lambda unit: unit.cluster.progress,
    "clock64": lambda unit: unit.cluster.progress,
}


def _register(names: tuple[str, ...], read: Callable[[Unit, Op], int | np.ndarray]) -> None:
    def handler(unit: Unit, op: Op) -> np.ndarray:
        return np.atleast_1d(read(unit, op)).astype(op.result_types[0].dtype)

    op(*names)(handler)


for _name, _of_axis in _PER_AXIS.items():
    for _axis, _letter in enumerate(_AXES):
        _names = tuple(
            f"{_prefix}.{_letter}" for _prefix in (f"nvvm.read.ptx.sreg.{_name}", *_ROCDL.get(_name, ()))
        )
        _register(_names, lambda unit, op, f=_of_axis, a=_axis: f(unit, a))
for _name, _of_thread in _PER_THREAD.items():
    _register((f"nvvm.read.ptx.sreg.{_name}",), lambda unit, op, f=_of_thread: f(unit))
for _name, _sreg in _GPU_OPS.items():
    _register(
        (_name,), lambda unit, op, f=_PER_AXIS[_sreg]: f(unit, _AXES.index(op.attributes["dimension"][-2]))
    )
_register(("gpu.lane_id",), lambda unit, op: unit.threads % LANES)


def _members(unit: Unit, mask: np.ndarray) -> np.ndarray:
    """[warps, lanes]: the lanes that `mask` names. Raises `EmulatorError` where one of them is not active."""
    named = spread(mask, unit.lanes).reshape(-1, LANES)
    active = unit.warps()
    lanes = np.arange(LANES, dtype=np.uint32)
    wanted = np.where(active, named, 0)
    for warp in np.nonzero(active.any(1))[0]:
        mask_of_warp = int(wanted[warp][active[warp]][0])
        members = (mask_of_warp >> lanes & 1).astype(np.bool_)
        if (active[warp] & ~members).any():
            unit.fail(f"executed by lanes that its mask {mask_of_warp:#x} does not name")
        if (members & ~active[warp]).any():
            unit.fail(f"its mask {mask_of_warp:#x} names lanes that are not there")
    return active


@op("nvvm.shfl.sync")
def _shuffle(
    unit: Unit, op: Op, mask: np.ndarray, value: np.ndarray, offset: np.ndarray, clamp: np.ndarray
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """PTX ISA, "shfl.sync"."""
    _members(unit, mask)
    lane = unit.threads % LANES
    offset, clamp = (
        spread(offset, unit.lanes).astype(np.int64) & 31,
        spread(clamp, unit.lanes).astype(np.int64),
    )
    segment, bound = clamp >> 8 & 31, clamp & 31
    first, last = lane & segment, (lane & segment) | (bound & ~segment)
    mode = op.variant
    source = {"up": lane - offset, "down": lane + offset, "bfly": lane ^ offset}.get(
        mode, first | offset & ~segment
    )
    valid = source >= last if mode == "up" else source <= last
    source = np.where(valid, source, lane) + (unit.threads - unit.threads[0] - lane)
    result = spread(value, unit.lanes)[source]
    return (result, valid) if op.attributes.get("return_value_and_is_valid") else result


@op("nvvm.elect.sync")
def _elect(unit: Unit, op: Op, *mask: np.ndarray) -> np.ndarray:
    active = unit.warps()
    elected = np.zeros_like(active)
    elected[np.arange(len(active)), active.argmax(1)] = active.any(1)
    return elected.reshape(-1)


@op("nvvm.vote.sync")
def _vote(unit: Unit, op: Op, mask: np.ndarray, predicate: np.ndarray) -> np.ndarray:
    members = _members(unit, mask)
    votes = spread(predicate, unit.lanes).reshape(-1, LANES).astype(np.bool_)
    mode = op.variant
    result = {
        "any": lambda: (votes & members).any(1),
        "all": lambda: (votes | ~members).all(1),
        "uni": lambda: (votes | ~members).all(1) | ~(votes & members).any(1),
        "ballot": lambda: ((votes & members) << np.arange(LANES, dtype=np.uint64)).sum(1),
    }[mode]()
    return np.repeat(result, LANES).astype(op.result_types[0].dtype)


_REDUCTIONS: dict[str, np.ufunc] = {
    "min": np.minimum, "max": np.maximum,
    "add": np.add, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "umax": np.maximum,
    "umin": np.minimum, "fmin": np.fmin, "fmax": np.fmax,
}  # fmt: skip


@op("nvvm.redux.sync")
def _redux(unit: Unit, op: Op, value: np.ndarray, mask: np.ndarray) -> np.ndarray:
    members = _members(unit, mask)
    mode = op.variant
    values = spread(value, unit.lanes).reshape(-1, LANES)
    if mode in ("min", "max"):
        values = as_signed(values)
    result = np.zeros_like(values)
    for warp, lanes in enumerate(members):
        if lanes.any():
            result[warp] = reduce(_REDUCTIONS[mode], values[warp][lanes])
    return result.reshape(-1).astype(op.result_types[0].dtype)


@op("nvvm.mapa")
def _mapa(unit: Unit, op: Op, address: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """The same address in another block of the cluster."""
    if (unit.active(rank) >= len(unit.cluster.blocks)).any():
        unit.fail(f"block {unit.active(rank).max()} of a cluster of {len(unit.cluster.blocks)}")
    return address + (rank.astype(np.uint64) + np.uint64(1)) * np.uint64(CLUSTER)
