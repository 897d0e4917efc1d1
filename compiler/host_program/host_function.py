"""Planned host functions as data: their buffers, weights, calls and messages, and the sizes of outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlc.bindings import func, ir
from mlc.compiler.errors import CompileError
from mlc.dialects import tloop
from mlc.dialects.graph.elements import dtype_of
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes.text import parse_size
from mlc.frontends.weights.store import Reference
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.data_checks import data_checks
from mlc.passes.host.common.description import CALLER, RUNTIME_PREFIX, PlanAttributes
from mlc.runtime.tensors import TensorSpec


def with_declared_sizes(host: HostFunction, declared: Sequence[Sequence[str]]) -> HostFunction:
    """Returns the host function, with sizes of outputs that do not follow from inputs named as the model
    declares, or "?". `declared` has the names of each output's dims, "" for a dim without one."""
    named = set(host.dims or ())
    infos = [_name_sizes(info, names, named) for info, names in zip(host.outputs, declared, strict=True)]
    return replace(host, outputs=tuple(infos))


def _name_sizes(info: TensorInfo, declared: Sequence[str], inputs: set[str]) -> TensorInfo:
    names = list(declared) if len(declared) == len(info.shape) else [""] * len(info.shape)
    shape = [
        size if _is_known(size, inputs) else name or "?" for size, name in zip(info.shape, names, strict=True)
    ]
    return replace(info, shape=tuple(shape))


def _is_known(text: int | str, inputs: set[str]) -> bool:
    """Whether a size is static, or follows from dims of inputs."""
    if isinstance(text, int):
        return True
    size = parse_size(text) if text != "?" else None
    return size is not None and (not isinstance(size, Size) or size.names <= inputs)


@dataclass(frozen=True)
class TensorInfo:
    """Element type (NumPy or ml_dtypes name) and shape of a buffer; a dynamic size is a string,
    as in `mlc.runtime.TensorSpec`."""

    dtype: str
    shape: tuple[int | str, ...]

    def spec(self, name: str = "") -> TensorSpec:
        """Returns the same with a name."""
        return TensorSpec(name, self.dtype, self.shape)


@dataclass(frozen=True)
class HostFunction:
    """A planned host function: its buffers in the order of the contract, and the sources of its weights.

    `weights` holds a Reference, or the index of a result of `@prepare`, for each weight. `dims` are the named
    dims of a function with dynamic sizes, None where all are static; `messages` those of calls that fail.
    `functions` are those of the runtime that it calls, `strings` its constant strings, `index_checks` and
    `divisor_checks` the numbers of its ops that check indices and divisors.
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
    index_checks: int = 0
    divisor_checks: int = 0


def read_host_function(op: ir.Operation, text: str) -> HostFunction:
    """Reads a `func.func` after `host-plan-memory`; `text` is the module of it alone. Raises CompileError
    where it has no plan."""
    name, plan = func.Func(op).sym_name, PlanAttributes(op)
    if plan.arena_bytes is None:
        raise CompileError(
            f"the graph pipelines left @{name} without a plan: host-plan-memory must be the last"
        )
    types = list(func.Func(op).function_type.inputs)
    inputs, outputs = plan.num_inputs, plan.num_outputs
    texts = [*_shapes(plan.input_shapes, inputs), *_shapes(plan.output_shapes, outputs)]
    texts += [()] * (len(types) - 1 - len(texts))
    infos = [_info(*buffer) for buffer in zip(types[:-1], texts, strict=True)]
    infos[: inputs + outputs] = _set_object_types(infos[: inputs + outputs], plan)
    launches = collect_ops(op, tloop.LaunchInto.NAME)
    calls = [launch for launch in launches if CALLER not in launch.attributes]
    functions = [tloop.LaunchInto(launch).kernel for launch in launches if CALLER in launch.attributes]
    checks = [check.name for check in data_checks(op)]
    return HostFunction(
        name,
        text,
        tuple(infos[:inputs]),
        tuple(infos[inputs : inputs + outputs]),
        tuple(infos[inputs + outputs :]),
        tuple(_weight(ir.DictAttr(entry)) for entry in plan.weights),
        plan.arena_bytes,
        plan.arena_lower_bound,
        plan.arena_strategy,
        tuple(tloop.LaunchInto(call).kernel for call in calls),
        plan.dims,
        plan.messages,
        tuple(dict.fromkeys(function.removeprefix(RUNTIME_PREFIX) for function in functions)),
        plan.strings,
        checks.count(tloop.CheckIndices.NAME),
        checks.count(tloop.CheckNonzero.NAME),
    )


def _info(type_: Any, texts: Sequence[str] = ()) -> TensorInfo:
    """Returns the element type and shape of a buffer, with `texts` for dynamic sizes ("" for static ones)."""
    shaped = ir.ShapedType(type_)
    dynamic = ir.ShapedType.get_dynamic_size()
    sizes: list[int | str] = ["?" if size == dynamic else size for size in shaped.shape]
    if texts:
        sizes = [text or size for text, size in zip(texts, sizes, strict=True)]
    return TensorInfo(dtype_of(str(shaped.element_type)).name, tuple(sizes))


def _shapes(shapes: Sequence[ir.Attribute] | None, count: int) -> list[tuple[str, ...]]:
    """Returns the texts of sizes of each of `count` inputs or outputs; empty where all are static."""
    if shapes is None:
        return [()] * count
    return [tuple(size.value for size in ir.ArrayAttr(shape)) for shape in shapes]


def _set_object_types(infos: Sequence[TensorInfo], plan: PlanAttributes) -> list[TensorInfo]:
    """Returns the inputs and outputs, with the types of those that are strings or sequences."""
    if plan.object_types is None:
        return list(infos)
    dtypes = [name.value for side in plan.object_types for name in ir.ArrayAttr(side)]
    return [replace(info, dtype=dtype or info.dtype) for info, dtype in zip(infos, dtypes, strict=True)]


def _weight(entry: ir.DictAttr) -> Reference | int:
    if "index" in entry:
        return int(entry["index"].value)
    return Reference(*(entry[name].value for name in ("source", "offset", "size", "hash")))
