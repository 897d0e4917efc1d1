"""Running a kernel: `launch`."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np

from mlc.bindings import ir

from . import ops  # noqa: F401 (its modules add their ops to the table)
from .decode import Kernel, decode_kernel
from .machine import Cluster, Dim3, Launch, Options
from .memory import GlobalMemory
from .tensor_maps import TensorMap
from .values import Value, ValueType, fill

Argument = np.ndarray | TensorMap | float | int
_BLOCK_SIZES = (
    "nvvm.reqntid",
    "nvvm.maxntid",
    "rocdl.reqd_work_group_size",
    "gpu.known_block_size",
    "known_block_size",
)


def load_kernel(source: ir.Module | str, name: str = "") -> Kernel:
    """The kernel called `name`, or the only one, of a module or its text, to be launched any number of times.

    Raises `ValueError` where there is none, `UnknownOp` for ops that the emulator does not know.
    """
    if not isinstance(source, str):
        return decode_kernel(source, name)
    with ir.Context(), ir.Location.unknown():
        return decode_kernel(ir.Module.parse(source), name)


def launch(
    kernel: Kernel | ir.Module | str,
    *arguments: Argument,
    grid: tuple[int, ...] = (1,),
    block: tuple[int, ...] = (),
    cluster: tuple[int, ...] = (),
    shared_bytes: int = 0,
    options: Options | None = None,
) -> None:
    """Runs a kernel on all blocks of `grid`, a cluster after the other, in a random order.

    Arrays are passed as pointers and written in place, tensor maps as pointers, integers as scalars of
    the parameters' types. `block` and `cluster` may be left out where the kernel says them. `shared_bytes` of
    dynamic shared memory begin at the variable without a size. Raises `EmulatorError` for what a GPU would
    punish, `ValueError` for arguments that do not fit.
    """
    kernel = kernel if isinstance(kernel, Kernel) else load_kernel(kernel)
    options, memory = options or Options(), GlobalMemory()
    if len(arguments) != len(kernel.parameters):
        raise ValueError(f"@{kernel.name} has {len(kernel.parameters)} parameters, not {len(arguments)}")
    values = [_argument(memory, *pair) for pair in zip(kernel.parameters, arguments, strict=True)]
    shape = _dims(grid), _block(kernel, block), _dims(cluster or _attribute(kernel, ("nvvm.cluster_dim",)))
    if any(side % of for side, of in zip(shape[0], shape[2], strict=True)):
        raise ValueError(f"a grid of {shape[0]} is no whole number of clusters of {shape[2]}")
    common = Launch(kernel, values, memory, *shape, shared_bytes, options)
    with np.errstate(all="ignore"):
        for index in _order(common):
            Cluster(common, index, f"{options.seed} {index}").run()


def _order(common: Launch) -> list[Dim3]:
    counts = [side // of for side, of in zip(common.grid, common.cluster, strict=True)]
    clusters: list[Any] = list(product(*map(range, counts)))
    random.Random(common.options.seed).shuffle(clusters)
    return clusters


def _argument(memory: GlobalMemory, value_type: ValueType, argument: Argument) -> Value:
    if isinstance(argument, np.ndarray):
        return np.full(1, memory.add_array(argument), np.uint64)
    if isinstance(argument, TensorMap):
        return np.full(1, memory.add_tensor_map(argument), np.uint64)
    return fill(value_type, np.int64(argument) if isinstance(argument, int) else argument)


def _dims(sizes: tuple[int, ...]) -> Dim3:
    x, y, z = (*sizes, 1, 1, 1)[:3]
    return x, y, z


def _block(kernel: Kernel, block: tuple[int, ...]) -> Dim3:
    declared = _attribute(kernel, _BLOCK_SIZES)
    if not block and not declared:
        raise ValueError(f"@{kernel.name} does not say how many threads its blocks have: pass `block`")
    return _dims(block or declared)


def _attribute(kernel: Kernel, names: tuple[str, ...]) -> tuple[int, ...]:
    found = [kernel.attributes[name] for name in names if name in kernel.attributes]
    return tuple(found[0]) if found else ()
