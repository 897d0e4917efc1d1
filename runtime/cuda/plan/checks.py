"""Checks that the parts of a plan fit together, and that all indices and addresses are in range."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from mlc.runtime.cuda.driver.dtypes import DTYPES
from mlc.runtime.cuda.driver.launches import check_geometry, scalar
from mlc.runtime.cuda.driver.tensor_map import check_address
from mlc.runtime.cuda.plan.launch_overlap import check_early_reads, check_kernel
from mlc.runtime.cuda.plan.parts import (
    ArenaBuffer,
    Buffer,
    BufferOffset,
    CallStep,
    CopyStep,
    FillStep,
    LaunchStep,
    PointerParameter,
    ScalarParameter,
    TensorBuffer,
    TensorMapParameter,
    WaitStep,
)
from mlc.runtime.errors import ExecutableError

if TYPE_CHECKING:
    from mlc.runtime.cuda.plan.plan import Plan

MAX_IMAGES, MAX_KERNELS, MAX_BUFFERS, MAX_STREAMS, MAX_PARAMETERS = 1 << 12, 1 << 16, 1 << 16, 64, 1 << 10
MAX_BYTES, MAX_SHARED, MAX_RANK = 1 << 44, 1 << 20, 64
_FILE_NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,127}", re.ASCII)
_FUNCTION = re.compile(r"[A-Za-z_$%.][\w$.]*", re.ASCII)
_ARCHITECTURE = re.compile(r"sm_\d{2,3}[af]?", re.ASCII)


def check_plan(plan: Plan) -> None:
    """Raises ExecutableError that names the part and its error."""
    limits = {"images": MAX_IMAGES, "kernels": MAX_KERNELS, "buffers": MAX_BUFFERS}
    for name, most in limits.items():
        if len(getattr(plan, name)) > most:
            raise ExecutableError(f"{len(getattr(plan, name))} {name} are more than {most}")
    _require(1 <= plan.streams <= MAX_STREAMS, f"{plan.streams} streams are not 1 to {MAX_STREAMS}")
    _check_images(plan)
    _check_processor(plan)
    for i, kernel in enumerate(plan.kernels):
        _index(kernel.image, plan.images, f"kernels[{i}]: image")
        _require(_FUNCTION.fullmatch(kernel.function), f"kernels[{i}]: no function name: {kernel.function!r}")
        check_geometry(kernel.grid, kernel.block, kernel.cluster, f"kernels[{i}]")
        check_kernel(plan.images[kernel.image], kernel, f"kernels[{i}]")
        good = 0 <= kernel.shared_bytes <= MAX_SHARED
        _require(good, f"kernels[{i}]: {kernel.shared_bytes} bytes of shared memory")
    _check_buffers(plan.buffers)
    for i, step in enumerate(plan.steps):
        _index(step.stream, range(plan.streams), f"steps[{i}]: stream")
        _CHECKS[step.TAG](plan, step, f"steps[{i}]")


def _check_images(plan: Plan) -> None:
    for i, image in enumerate(plan.images):
        _require(_FILE_NAME.fullmatch(image.name), f"images[{i}]: {image.name!r} is no plain file name")
        architecture = image.architecture
        _require(_ARCHITECTURE.fullmatch(architecture), f"images[{i}]: architecture {architecture!r}")
    _unique([image.name for image in plan.images], "images")


def _check_processor(plan: Plan) -> None:
    code = plan.processor
    for name in ("objects", "functions"):
        found = len(getattr(code, name))
        _require(found <= MAX_KERNELS, f"processor: {found} {name} are more than {MAX_KERNELS}")
    for i, name in enumerate(code.objects):
        _require(_FILE_NAME.fullmatch(name), f"processor: objects[{i}]: {name!r} is no plain file name")
    for i, name in enumerate(code.functions):
        _require(_FUNCTION.fullmatch(name), f"processor: functions[{i}]: no function name: {name!r}")
    _unique(list(plan.code_files), "images and objects")


def _check_buffers(buffers: Sequence[Buffer]) -> None:
    for i, buffer in enumerate(buffers):
        if isinstance(buffer, TensorBuffer):
            _check_tensor(buffer, f"buffers[{i}]")
        _require(0 <= buffer.nbytes < MAX_BYTES, f"buffers[{i}]: {buffer.nbytes} bytes")
    _unique([buffer.space for buffer in buffers if isinstance(buffer, ArenaBuffer)], "arenas")
    _unique([_label(buffer) for buffer in buffers if isinstance(buffer, TensorBuffer)], "buffers")


def _label(buffer: TensorBuffer) -> str:
    """Returns a label that is unique: a weight may be in both spaces."""
    host = buffer.role == "weight" and buffer.space == "host"
    return f"{buffer.role} {buffer.name}{' on the host' if host else ''}"


def _check_tensor(buffer: TensorBuffer, where: str) -> None:
    _require(buffer.dtype in DTYPES, f"{where}: dtype {buffer.dtype!r} is unknown")
    _require(len(buffer.shape) <= MAX_RANK, f"{where}: rank {len(buffer.shape)}")
    good = all(0 <= size < MAX_BYTES for size in buffer.shape) and prod(buffer.shape) < MAX_BYTES
    _require(good, f"{where}: shape {list(buffer.shape)}")


def _check_launch(plan: Plan, step: LaunchStep, where: str) -> None:
    _index(step.kernel, plan.kernels, f"{where}: kernel")
    _require(len(step.parameters) <= MAX_PARAMETERS, f"{where}: {len(step.parameters)} parameters")
    for i, parameter in enumerate(step.parameters):
        here = f"{where}: parameter {i}"
        if isinstance(parameter, ScalarParameter):
            _check_scalar(parameter, here)
        elif isinstance(parameter, PointerParameter):
            _check_range(plan, parameter, 0, here, "device")
        else:
            _check_range(plan, parameter.address, parameter.map.nbytes, here, "device")
            _check_map(parameter, here)
    check_early_reads(step, plan.kernels[step.kernel], plan.buffers, where)


def _check_map(parameter: TensorMapParameter, where: str) -> None:
    try:
        # Buffers themselves are aligned.
        check_address(parameter.map, parameter.address.offset)
    except ExecutableError as error:
        raise ExecutableError(f"{where}: {error}") from error


def _check_scalar(parameter: ScalarParameter, where: str) -> None:
    try:
        scalar(parameter.type, parameter.value)
    except (ValueError, OverflowError) as error:
        raise ExecutableError(f"{where}: {error}") from error


def _check_copy(plan: Plan, step: CopyStep, where: str) -> None:
    _check_range(plan, step.target, step.nbytes, f"{where}: target", None)
    _check_range(plan, step.source, step.nbytes, f"{where}: source", None)
    _check_target(plan, step.target, where)
    spaces = {plan.buffers[end.buffer].space for end in (step.target, step.source)}
    _require(spaces != {"host"}, f"{where}: a copy from host to host")
    source = plan.buffers[step.source.buffer]
    # It stays in the caller's memory, which is not pinned.
    weight = isinstance(source, TensorBuffer) and source.role == "weight" and source.space == "host"
    _require(not weight, f"{where}: source: buffer {step.source.buffer} is a weight for calls only")


def _check_fill(plan: Plan, step: FillStep, where: str) -> None:
    _check_range(plan, step.target, step.nbytes, f"{where}: target", "device")
    _check_target(plan, step.target, where)
    _require(0 <= step.byte <= 255, f"{where}: byte {step.byte}")


def _check_wait(plan: Plan, step: WaitStep, where: str) -> None:
    _index(step.other, range(plan.streams), f"{where}: other")
    _require(step.other != step.stream, f"{where}: stream {step.stream} waits for itself")


def _check_call(plan: Plan, step: CallStep, where: str) -> None:
    _index(step.function, plan.processor.functions, f"{where}: function")
    _require(len(step.arguments) <= MAX_PARAMETERS, f"{where}: {len(step.arguments)} arguments")
    for i, argument in enumerate(step.arguments):
        here = f"{where}: argument {i}"
        _check_range(plan, argument, argument.nbytes, here, "host")
        if argument.access == "write":
            _check_target(plan, argument, here)


def _check_range(plan: Plan, start: BufferOffset, nbytes: int, where: str, space: str | None) -> None:
    _index(start.buffer, plan.buffers, f"{where}: buffer")
    buffer = plan.buffers[start.buffer]
    good = nbytes >= 0 and 0 <= start.offset <= start.offset + nbytes <= buffer.nbytes
    _require(
        good,
        f"{where}: {nbytes} bytes at {start.offset} are not inside buffer {start.buffer} of {buffer.nbytes}",
    )
    _require(space in (None, buffer.space), f"{where}: buffer {start.buffer} is on the {buffer.space}")


def _check_target(plan: Plan, target: BufferOffset, where: str) -> None:
    role = getattr(plan.buffers[target.buffer], "role", "arena")
    _require(role in ("arena", "output"), f"{where}: target: buffer {target.buffer} ({role}) is read-only")


def _index(index: int, parts: Sequence[Any], where: str) -> None:
    _require(0 <= index < len(parts), f"{where} {index} is not 0 to {len(parts) - 1}")


def _unique(names: Sequence[str], where: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    _require(not twice, f"{where}: twice: {twice}")


def _require(good: object, message: str) -> None:
    if not good:
        raise ExecutableError(message)


_CHECKS: dict[str, Callable[[Plan, Any, str], None]] = {
    "call": _check_call,
    "launch": _check_launch,
    "copy": _check_copy,
    "fill": _check_fill,
    "wait": _check_wait,
}
