"""Pointers, loads, stores and atomics."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..decode import Op
from ..memory import GENERIC_SHARED, SHARED
from ..registry import op
from ..unit import CLUSTER_SPACE, GENERIC, SHARED_SPACE, Unit
from ..values import ValueType, as_signed, bits, spread, value_type
from .arith import reinterpret

_DYNAMIC = -(1 << 31)
Index = np.ndarray | np.int64  # per lane, or one
_SHARED_SPACES = (SHARED_SPACE, CLUSTER_SPACE)


@op("llvm.mlir.addressof")
def _addressof(unit: Unit, op: Op) -> np.ndarray:
    name = op.attributes["global_name"]
    if name not in unit.launch.kernel.shared:
        unit.fail(f"@{name} is no variable in shared memory")
    return np.full(1, SHARED + unit.launch.kernel.shared[name], np.uint64)


@op("llvm.getelementptr")
def _getelementptr(unit: Unit, op: Op, base: np.ndarray, *dynamic: np.ndarray) -> np.ndarray:
    held_type, rest = value_type(op.attributes["elem_type"]), iter(dynamic)
    address = base
    for level, index in enumerate(op.attributes["rawConstantIndices"]):
        offset: Index = as_signed(next(rest)).astype(np.int64) if index == _DYNAMIC else np.int64(index)
        if level == 0:
            size = held_type.bytes
        else:
            held_type, size, offset = _part(held_type, offset)
        address = address + (offset * size).astype(np.uint64)
    return address


def _part(held_type: ValueType, index: Index) -> tuple[ValueType, int, Index]:
    """The type of a part, the size that an index counts, and the index."""
    if held_type.dtype is None:
        if len(set(held_type.parts)) == 1:
            return held_type.parts[0], held_type.parts[0].bytes, index
        return (
            held_type.parts[int(index)],
            1,
            np.int64(sum(part.bytes for part in held_type.parts[: int(index)])),
        )
    return ValueType(held_type.dtype, held_type.shape[1:]), held_type.bytes // held_type.shape[0], index


@op("llvm.addrspacecast")
def _addrspacecast(unit: Unit, op: Op, address: np.ndarray) -> np.ndarray:
    source, target = op.operand_types[0].space, op.result_types[0].space
    if source in _SHARED_SPACES and target == GENERIC:
        return address + np.uint64(GENERIC_SHARED)
    if source == GENERIC and target in _SHARED_SPACES:
        return address - np.uint64(GENERIC_SHARED)
    return address


@op("llvm.ptrtoint", "llvm.inttoptr")
def _pointer_bits(unit: Unit, op: Op, value: np.ndarray) -> np.ndarray:
    return value.astype(op.result_types[0].dtype)


def _element_and_size(held_type: ValueType, unit: Unit) -> tuple[np.dtype, int]:
    """The type of the elements, and the size in memory."""
    if held_type.dtype is None:
        unit.fail("loads and stores of aggregates are not lowered ones")
    return held_type.dtype, held_type.bytes


@op("llvm.load")
def _load(unit: Unit, op: Op, address: np.ndarray) -> np.ndarray:
    held_type = op.result_types[0]
    dtype, size = _element_and_size(held_type, unit)
    space = op.operand_types[0].space or GENERIC
    data = unit.load(space, address, size, op.attributes.get("alignment", size))
    if held_type.dtype == np.bool_:
        data &= 1
    return reinterpret(data, dtype).reshape(unit.lanes, *held_type.shape)


@op("llvm.store")
def _store(unit: Unit, op: Op, value: np.ndarray, address: np.ndarray) -> None:
    _, size = _element_and_size(op.operand_types[0], unit)
    data = reinterpret(spread(value, unit.lanes), np.dtype(np.uint8))
    unit.store(op.operand_types[1].space or GENERIC, address, data, op.attributes.get("alignment", size))


# By the number of LLVM's AtomicBinOp.
_ATOMICS: dict[int, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    0: lambda old, new: new,
    1: np.add,
    2: np.subtract,
    3: np.bitwise_and,
    5: np.bitwise_or,
    6: np.bitwise_xor,
    7: lambda old, new: bits(np.maximum(as_signed(old), as_signed(new))),
    8: lambda old, new: bits(np.minimum(as_signed(old), as_signed(new))),
    9: np.maximum,
    10: np.minimum,
    11: np.add,
    12: np.subtract,
    13: np.fmax,
    14: np.fmin,
}


@op("llvm.atomicrmw")
def _atomicrmw(unit: Unit, op: Op, address: np.ndarray, value: np.ndarray) -> np.ndarray:
    operation = op.attributes["bin_op"]
    if operation not in _ATOMICS:
        unit.fail(f"atomic operation {operation} is not known")
    return _one_by_one(unit, op, address, lambda lane, old: _ATOMICS[operation](old, _lane(value, lane)))


@op("llvm.cmpxchg")
def _cmpxchg(
    unit: Unit, op: Op, address: np.ndarray, expected: np.ndarray, new: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    def exchange(lane: int, old: np.ndarray) -> np.ndarray:
        return _lane(new, lane) if (old == _lane(expected, lane)).all() else old

    old = _one_by_one(unit, op, address, exchange)
    return old, old == expected


def _lane(value: np.ndarray, lane: int) -> np.ndarray:
    return value[lane : lane + 1] if len(value) > 1 else value


def _one_by_one(
    unit: Unit, op: Op, address: np.ndarray, change: Callable[[int, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Each active lane in some order replaces what is at its address; what was there before, per lane.

    Atomic accesses do not race with one another, and are not looked at by the search for races.
    """
    held_type, space = op.operand_types[1], op.operand_types[0].space or GENERIC
    dtype, size = _element_and_size(held_type, unit)
    result = np.zeros((unit.lanes, *held_type.shape), dtype)
    lanes = np.nonzero(unit.mask)[0].tolist()
    unit.cluster.random.shuffle(lanes)
    for lane in lanes:
        for _, memory, block, where in unit.resolve(space, _lane(address, lane)):
            if block is None:
                unit.prerequisites.require(lane)
            offsets = memory.offsets(where, size, size)
            old = reinterpret(memory.data[offsets], dtype).reshape(1, *held_type.shape)
            memory.data[offsets] = reinterpret(change(lane, old).astype(dtype), np.dtype(np.uint8))
            result[lane] = old[0]
    return result


@op("llvm.fence", "nvvm.memory.barrier", "nvvm.fence.sc.cluster", "llvm.intr.assume")
def _fence(unit: Unit, op: Op, *values: np.ndarray) -> None:
    """Memory is sequentially consistent here, but for what is asynchronous."""
