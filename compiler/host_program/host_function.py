"""A planned host function: its buffers, where its weights come from, what it calls and says.

What callers read of the sizes of a program's outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlc.bindings import ir
from mlc.compiler.errors import CompileError
from mlc.dialects import tloop
from mlc.dialects.graph.elements import dtype_of
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes.text import parse_size
from mlc.frontends.weights.store import Reference
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.sized.runtime_calls import PREFIX
from mlc.passes.host.sized.storage import CALLER
from mlc.runtime.tensors import TensorSpec


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


@dataclass(frozen=True)
class TensorInfo:
    """Element type (NumPy or ml_dtypes name) and shape of a buffer; a size that only a call tells is a text,
    as in `mlc.runtime.TensorSpec`."""

    dtype: str
    shape: tuple[int | str, ...]

    def spec(self, name: str = "") -> TensorSpec:
        """The same under a name."""
        return TensorSpec(name, self.dtype, self.shape)


@dataclass(frozen=True)
class HostFunction:
    """A planned host function: its buffers in the order of the contract, and where its weights come from.

    `weights` holds a Reference, or the index of a result of `@prepare`, for each weight. `dims` are the named
    dims of a function whose sizes only a call tells, None where all are numbers; `messages` what it says when
    a call fails. `functions` are those of the runtime that it calls, `strings` the text that it knows.
    """

    name: str
    text: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    weight_types: tuple[TensorInfo, ...]
    weights: tuple[Reference | int, ...]
    arena_bytes: int
    arena_lower_bound: int
    arena_strategy: str
    kernels: tuple[str, ...] = ()
    dims: tuple[str, ...] | None = None
    messages: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()


def read_host_function(op: ir.Operation, text: str) -> HostFunction:
    """What a `func.func` says after `host-plan-memory`; `text` is the module of it alone. Raises CompileError
    where it has no plan."""
    name = op.attributes["sym_name"].value
    if "tloop.arena_bytes" not in op.attributes:
        raise CompileError(
            f"the graph pipelines left @{name} without a plan: host-plan-memory must be the last"
        )
    kinds = list(op.attributes["function_type"].value.inputs)
    inputs, outputs = (op.attributes[f"tloop.num_{each}"].value for each in ("inputs", "outputs"))
    texts = [*_shapes(op, "input", inputs), *_shapes(op, "output", outputs)]
    texts += [()] * (len(kinds) - 1 - len(texts))
    references = [ir.DictAttr(each) for each in op.attributes["tloop.weights"]]
    infos = [_info(*each) for each in zip(kinds[:-1], texts, strict=True)]
    infos[: inputs + outputs] = _called(infos[: inputs + outputs], op)
    launches = collect_ops(op, tloop.LaunchInto.NAME)
    calls = [launch for launch in launches if CALLER not in launch.attributes]
    functions = [launch.attributes["kernel"].value for launch in launches if CALLER in launch.attributes]
    return HostFunction(
        name,
        text,
        tuple(infos[:inputs]),
        tuple(infos[inputs : inputs + outputs]),
        tuple(infos[inputs + outputs :]),
        tuple(_weight(reference) for reference in references),
        op.attributes["tloop.arena_bytes"].value,
        op.attributes["tloop.arena_lower_bound"].value,
        op.attributes["tloop.arena_strategy"].value,
        tuple(call.attributes["kernel"].value for call in calls),
        _texts(op, "tloop.dims") if "tloop.dims" in op.attributes else None,
        _texts(op, "tloop.messages"),
        tuple(dict.fromkeys(function.removeprefix(PREFIX) for function in functions)),
        _texts(op, "tloop.strings"),
    )


def _info(kind: Any, texts: Sequence[str] = ()) -> TensorInfo:
    """What a buffer's type tells, with the texts for sizes that it does not ("" elsewhere)."""
    shaped = ir.ShapedType(kind)
    dynamic = ir.ShapedType.get_dynamic_size()
    sizes: list[int | str] = ["?" if size == dynamic else size for size in shaped.shape]
    if texts:
        sizes = [text or size for text, size in zip(texts, sizes, strict=True)]
    return TensorInfo(dtype_of(str(shaped.element_type)).name, tuple(sizes))


def _texts(op: ir.Operation, name: str) -> tuple[str, ...]:
    """An attribute that is an array of texts; empty where it is absent."""
    return tuple(each.value for each in op.attributes[name]) if name in op.attributes else ()


def _shapes(op: ir.Operation, role: str, count: int) -> list[tuple[str, ...]]:
    """Per input or output, the texts of its sizes; none where all are numbers."""
    name = f"tloop.{role}_shapes"
    if name not in op.attributes:
        return [()] * count
    return [tuple(each.value for each in ir.ArrayAttr(shape)) for shape in op.attributes[name]]


def _called(infos: Sequence[TensorInfo], op: ir.Operation) -> list[TensorInfo]:
    """The inputs and outputs, of which some are strings or sequences."""
    if "tloop.object_types" not in op.attributes:
        return list(infos)
    kinds = [each.value for side in op.attributes["tloop.object_types"] for each in ir.ArrayAttr(side)]
    return [replace(info, dtype=kind or info.dtype) for info, kind in zip(infos, kinds, strict=True)]


def _weight(entry: ir.DictAttr) -> Reference | int:
    if "index" in entry:
        return int(entry["index"].value)
    return Reference(*(entry[name].value for name in ("source", "offset", "size", "hash")))
