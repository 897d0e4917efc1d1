"""Takes a module of host functions and kernels apart into units that compile on their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlc.bindings import ir
from mlc.compiler.code_path import CodePath
from mlc.compiler.errors import CompileError
from mlc.compiler.tape import Tape
from mlc.dialects.graph.elements import dtype_of
from mlc.frontends.weights import Reference
from mlc.passes.lowering.sized.runtime_calls import PREFIX
from mlc.passes.lowering.sized.storage import CALLER
from mlc.passes.rewriting import collect_ops
from mlc.passes.tloop.kernel_functions import HOST, device_of_kernel, schedules
from mlc.passes.tloop.target_attribute import set_target
from mlc.runtime.tensors import TensorSpec
from mlc.targets import Target

PREPARE = "prepare"
HOST_NAMES = ("main", PREPARE)
# Of kernels on devices beside the processor: "accel" is what GPUs run, on the processor.
DEVICE_PIPELINES = {"accel": "accel-kernel,accel-cpu"}


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


@dataclass
class Units:
    """A host function and the kernels that it launches: module text by name, and the ONNX nodes of each
    kernel. Where the path makes no code of the host function there is a tape, that of `@prepare` also in the
    place of some of its kernels."""

    host: HostFunction
    path: CodePath
    kernels: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)
    devices: dict[str, str] = field(default_factory=dict)
    tape: Tape | None = None

    def pipeline(self, kernel: str) -> str:
        """The pipeline of a kernel, by its device. Raises CompileError for devices beside a GPU."""
        device = self.devices[kernel]
        if device == HOST:
            return self.path.kernel
        if self.path.on_gpu:
            raise CompileError(f"kernel @{kernel} is placed on {device}: a GPU's program runs on it whole")
        return DEVICE_PIPELINES[device]

    def compiled(self) -> dict[str, str]:
        """The kernels that are compiled."""
        bodies = self.tape.bodies if self.tape else {}
        return {name: text for name, text in self.kernels.items() if name not in bodies}


def split(module: ir.Operation, paths: Mapping[str, CodePath]) -> dict[str, Units]:
    """The units of a module after `host-plan-memory`, by host function; `paths` says how each becomes code.
    Raises CompileError for a host function without a plan."""
    ops = {
        each.operation.attributes["sym_name"].value: each.operation
        for each in module.regions[0].blocks[0]
        if each.operation.name == "func.func"
    }
    own = schedules(module)
    result = {}
    for name in HOST_NAMES:
        if name not in ops:
            continue
        path = paths[name]
        units = result[name] = Units(_host(ops[name], name, path.target), path)
        for kernel in dict.fromkeys(units.host.kernels):
            parts = [ops[kernel], own[kernel]] if kernel in own else [ops[kernel]]
            units.kernels[kernel] = _alone(parts, path.target)
            units.nodes[kernel] = str(ops[kernel].location)
            units.devices[kernel] = device_of_kernel(ops[kernel])
        if path.host is None:
            # A schedule of the user's is for code.
            plain = {kernel: ops[kernel] for kernel in units.kernels if kernel not in own}
            units.tape = _tape(ops[name], plain if name == PREPARE else {})
    return result


def _tape(function: ir.Operation, kernels: Mapping[str, ir.Operation]) -> Tape:
    # Imported here, with its passes: a cached program needs this module, but not those.
    from mlc.compiler.tape_reader import read_tape

    return read_tape(function, kernels)


def _alone(ops: list[ir.Operation], target: Target) -> str:
    """The text of a module with copies of `ops`, without locations: equal kernels have equal texts."""
    with ops[0].context, ir.Location.unknown():
        module = ir.Module.create()
        set_target(module.operation, target)
        for op in ops:
            op.clone(ip=ir.InsertionPoint(module.body))
        return module.operation.get_asm(assume_verified=True)


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


def _host(op: ir.Operation, name: str, target: Target) -> HostFunction:
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
    launches = collect_ops(op, "tloop.launch_into")
    calls = [each for each in launches if CALLER not in each.attributes]
    functions = [each.attributes["kernel"].value for each in launches if CALLER in each.attributes]
    return HostFunction(
        name,
        _alone([op], target),
        tuple(infos[:inputs]),
        tuple(infos[inputs : inputs + outputs]),
        tuple(infos[inputs + outputs :]),
        tuple(_weight(each) for each in references),
        op.attributes["tloop.arena_bytes"].value,
        op.attributes["tloop.arena_lower_bound"].value,
        op.attributes["tloop.arena_strategy"].value,
        tuple(call.attributes["kernel"].value for call in calls),
        _texts(op, "tloop.dims") if "tloop.dims" in op.attributes else None,
        _texts(op, "tloop.messages"),
        tuple(dict.fromkeys(each.removeprefix(PREFIX) for each in functions)),
        _texts(op, "tloop.strings"),
    )


def _called(infos: Sequence[TensorInfo], op: ir.Operation) -> list[TensorInfo]:
    """The inputs and outputs, of which some are strings or sequences."""
    if "tloop.kinds" not in op.attributes:
        return list(infos)
    kinds = [each.value for side in op.attributes["tloop.kinds"] for each in ir.ArrayAttr(side)]
    return [replace(info, dtype=kind or info.dtype) for info, kind in zip(infos, kinds, strict=True)]


def _weight(entry: ir.DictAttr) -> Reference | int:
    if "index" in entry:
        return int(entry["index"].value)
    return Reference(*(entry[name].value for name in ("source", "offset", "size", "hash")))
