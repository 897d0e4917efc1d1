"""What callers read of the sizes of a program's outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes.text import parse_size


def with_declared_sizes(host: HostFunction, declared: Sequence[Sequence[str]]) -> HostFunction:
    """The host function; sizes of its outputs that its inputs do not tell have the names that the model
    declares, or "?". `declared` has those of each output, "" for a dim without one."""
    named = set(host.dims or ())
    infos = [_named(info, names, named) for info, names in zip(host.outputs, declared, strict=True)]
    return replace(host, outputs=tuple(infos))


def _named(info: TensorInfo, declared: Sequence[str], inputs: set[str]) -> TensorInfo:
    names = list(declared) if len(declared) == len(info.shape) else [""] * len(info.shape)
    shape = [
        size if _is_told(size, inputs) else name or "?" for size, name in zip(info.shape, names, strict=True)
    ]
    return replace(info, shape=tuple(shape))


def _is_told(text: int | str, inputs: set[str]) -> bool:
    """Whether a size is a number, or follows from dims of inputs."""
    if isinstance(text, int):
        return True
    size = parse_size(text) if text != "?" else None
    return size is not None and (not isinstance(size, Size) or size.names <= inputs)
