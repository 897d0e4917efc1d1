"""Asynchronous copies by threads (cp.async) and by TMA (cp.async.bulk)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..asynchronous import Action
from ..decode import Op
from ..errors import EmulatorError
from ..machine import Block
from ..memory import SHARED
from ..races import Access
from ..registry import op
from ..tensor_maps import TensorMap
from ..unit import GLOBAL, Unit
from ..values import as_signed, spread
from .mbarriers import arrive, mbarrier_at

_REDUCTIONS = {"add": np.add, "min": np.minimum, "max": np.maximum}
_TMA_ALIGNMENT = 128


@op("nvvm.cp.async.shared.global")
def _copy(unit: Unit, op: Op, target: np.ndarray, source: np.ndarray, *copied: np.ndarray) -> None:
    """Each lane copies `size` bytes; those past `copied`, where given, become zero."""
    size, lanes = op.attributes["size"], unit.mask
    data = unit.load(GLOBAL, source, size, size) if not copied else _partial(unit, source, size, copied[0])
    addresses = unit.active(target)
    offsets = unit.block.shared.offsets(addresses, size, size)
    access = unit.clock.start_copy()
    unit.clock.write(unit.block, offsets, access)

    def deliver() -> None:
        unit.block.shared.data[offsets] = data[lanes]

    unit.copies.add(lanes, Action(deliver, clock=access.clock))


def _partial(unit: Unit, source: np.ndarray, size: int, copied: np.ndarray) -> np.ndarray:
    """The first `copied` bytes of each lane's source, then zeros; what is not copied is not read either."""
    data, everyone = np.zeros((unit.lanes, size), np.uint8), unit.mask
    counts = spread(copied, unit.lanes)
    for count in np.unique(counts[everyone]):
        unit.mask = everyone & (counts == count)
        if 0 < count <= size:
            data[unit.mask, :count] = unit.load(GLOBAL, source, int(count), 1)[unit.mask]
    unit.mask = everyone
    return data


@op("nvvm.cp.async.commit.group")
def _commit(unit: Unit, op: Op) -> None:
    unit.copies.commit(unit.mask)


@op("nvvm.cp.async.wait.group")
def _wait(unit: Unit, op: Op) -> None:
    unit.clock.acquire_all(unit.copies.wait(unit.mask, op.attributes["n"]))


@op("nvvm.cp.async.mbarrier.arrive")
def _copy_arrive(unit: Unit, op: Op, address: np.ndarray) -> None:
    """Each lane arrives when its copies so far are complete; without `noinc` the phase then waits for one
    more."""
    copies, lanes = unit.copies.in_flight(), np.nonzero(unit.mask)[0].tolist()
    if not op.attributes.get("noinc"):
        for where in unit.active(address):
            mbarrier_at(unit, int(where)).pending += 1

    def signal() -> None:
        for copy in copies:
            copy.finish()
        unit.clock.acquire_all(copies)
        arrive(unit, address, lanes, None, None)

    unit.cluster.pending.append(Action(signal))


def _tensor_map(unit: Unit, address: np.ndarray) -> TensorMap:
    found = unit.launch.memory.tensor_map(unit.uniform(address))
    assert isinstance(found, TensorMap)
    return found


def _targets(unit: Unit, address: int, multicast: int | None) -> list[tuple[Block, int]]:
    """Blocks and offsets that a copy to `address` writes. Raises `EmulatorError`."""
    block, offset = unit.shared_offset(address)
    if multicast is None:
        return [(block, offset)]
    if multicast >> len(unit.cluster.blocks):
        unit.fail(f"multicast to {multicast:#x}, but the cluster has {len(unit.cluster.blocks)} blocks")
    return [(block, offset) for block in unit.cluster.blocks if multicast >> block.rank & 1]


def _start_load(
    unit: Unit,
    targets: list[tuple[Block, int]],
    signal: int,
    offsets: Callable[[int], np.ndarray],
    read: Callable[[], np.ndarray],
) -> None:
    """Bytes that `read` gives go to `offsets` (of where the targets begin) of each block, and are reported
    to the mbarrier at `signal` of its shared memory."""
    _, signal_offset = unit.shared_offset(signal)
    reports: list[tuple[Block, np.ndarray, Access]] = []
    for block, start in targets:
        barrier = block.mbarriers.get(signal_offset)
        if barrier is None or not barrier.fenced:
            state = "no mbarrier" if barrier is None else "an mbarrier that was not fenced after its init"
            unit.fail(f"{state} at offset {signal_offset} of {block.shared.name}")
        unit.clock.require_after(
            barrier.made, f"the mbarrier at offset {signal_offset} of {block.shared.name}"
        )
        where = offsets(start)
        block.shared.offsets(np.array([where.min(), where.max()]) + SHARED, 1, 1)
        access = unit.clock.start_load(block, signal_offset)
        unit.clock.write(block, where[:: 16 if len(where) % 16 == 0 else 1], access)
        reports.append((block, where, access))

    def deliver() -> None:
        data = read()
        for block, where, access in reports:
            if not block.running:
                raise EmulatorError(f"a copy comes into {block.shared.name}, which has ended")
            block.shared.data[where] = data
            block.mbarriers[signal_offset].transfer(len(data), access.clock)
        unit.cluster.progress += 1

    unit.cluster.pending.append(Action(deliver))


def _check_aligned(unit: Unit, address: int, alignment: int) -> int:
    if address % alignment:
        unit.fail(f"shared memory address {address:#x} of a copy is not aligned to {alignment}")
    return address


def _issuers(unit: Unit, predicate: list[np.ndarray]) -> list[int]:
    mask = unit.mask & spread(predicate[0], unit.lanes) if predicate else unit.mask
    return np.nonzero(mask)[0].tolist()


def _at(value: np.ndarray, lane: int) -> int:
    return int(value[lane if len(value) > 1 else 0])


@op("nvvm.cp.async.bulk.tensor.shared.cluster.global")
def _tensor_load(unit: Unit, op: Op, *values: np.ndarray) -> None:
    (target,), (source,), corner, (signal,), offsets, multicast, _, predicate = op.groups(values)
    if offsets:
        unit.fail("copies of images by columns (im2col) are not known")
    tensor_map = _tensor_map(unit, source)
    for lane in _issuers(unit, predicate):
        unit.prerequisites.require(lane)
        where = [_at(as_signed(coordinate), lane) for coordinate in corner]
        start = _check_aligned(unit, _at(target, lane), _TMA_ALIGNMENT)
        blocks = _targets(unit, start, _at(multicast[0], lane) if multicast else None)
        _start_load(
            unit, blocks, _at(signal, lane), tensor_map.offsets, lambda where=where: tensor_map.load(where)
        )


@op("nvvm.cp.async.bulk.shared.cluster.global")
def _bulk_load(unit: Unit, op: Op, *values: np.ndarray) -> None:
    (target,), (source,), (signal,), (size,), multicast, _ = op.groups(values)
    for lane in _issuers(unit, []):
        unit.prerequisites.require(lane)
        count, start = _at(size, lane), _check_aligned(unit, _at(target, lane), 16)
        memory = unit.launch.memory.at(_at(source, lane))
        taken = memory.offsets(np.array([_at(source, lane)], np.uint64), count, 16)[0]
        blocks = _targets(unit, start, _at(multicast[0], lane) if multicast else None)
        _start_load(
            unit,
            blocks,
            _at(signal, lane),
            lambda at, n=count: at + np.arange(n),
            lambda m=memory, t=taken: m.data[t],
        )


def _start_store(unit: Unit, offsets: np.ndarray, write: Callable[[np.ndarray], None]) -> None:
    """Read shared memory at `offsets`, later `write` the bytes."""
    block, data = unit.block, np.zeros(len(offsets), np.uint8)
    access = unit.clock.start_async("stores")
    unit.clock.read(block, offsets, access)

    def read() -> None:
        data[:] = block.shared.data[offsets]

    unit.bulk_stores.add(unit.mask, Action(read, lambda: write(data), clock=access.clock))


def _tensor_store_with(unit: Unit, op: Op, values: tuple[np.ndarray, ...], combine: np.ufunc | None) -> None:
    (target,), (source,), corner, *_, predicate = op.groups(values)
    tensor_map = _tensor_map(unit, target)
    for lane in _issuers(unit, predicate if op.name.endswith(".cta") else []):
        unit.prerequisites.require(lane)
        where = [_at(as_signed(coordinate), lane) for coordinate in corner]
        _, start = unit.shared_offset(_check_aligned(unit, _at(source, lane), _TMA_ALIGNMENT))
        unit.block.shared.offsets(np.array([start + SHARED]), tensor_map.bytes, 1)
        _start_store(
            unit, tensor_map.offsets(start), lambda data, where=where: tensor_map.store(where, data, combine)
        )


@op("nvvm.cp.async.bulk.tensor.global.shared.cta")
def _tensor_store(unit: Unit, op: Op, *values: np.ndarray) -> None:
    _tensor_store_with(unit, op, values, None)


@op("nvvm.cp.async.bulk.tensor.reduce")
def _tensor_reduce(unit: Unit, op: Op, *values: np.ndarray) -> None:
    combiner = op.attributes["redKind"].removesuffix(">").split("<")[-1].split()[-1]
    _tensor_store_with(unit, op, values, _REDUCTIONS[combiner])


@op("nvvm.cp.async.bulk.commit.group")
def _bulk_commit(unit: Unit, op: Op) -> None:
    unit.bulk_stores.commit(unit.mask)


@op("nvvm.cp.async.bulk.wait_group")
def _bulk_wait(unit: Unit, op: Op) -> None:
    """Waits for the groups; with `read` only until their sources have been read."""
    left = 1 if op.attributes.get("read") else 0
    unit.clock.acquire_all(unit.bulk_stores.wait(unit.mask, op.attributes["group"], left))
