"""Compiles a case and writes its folder: plan, images, and the sources of the weights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto

from bench.gpu.cases import PlannedCase
from bench.gpu.models import ELEMENTS, CaseModel
from bench.gpu.runner.manifest import (
    GRAPH,
    PREPARE,
    VALUES,
    GpuCase,
    WeightBinding,
    WeightSource,
    case_folder,
)
from mlc.compiler import CompiledProgram, CompileError, Options, compile_program
from mlc.compiler.compilation_units import Units
from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.levels import units_of
from mlc.compiler.programs.program import weight_names
from mlc.frontends.errors import ModelError
from mlc.frontends.weights.store import Reference, content_hash
from mlc.passes.base import PassError
from mlc.pipelines.grammar import PipelineError
from mlc.runtime.cuda.plan.program_files import write_program
from mlc.runtime.tensors import TensorSpec, as_bytes
from mlc.targets import TargetError

FAILURES = (CompileError, PassError, ModelError, TargetError, PipelineError, OSError)
TENSOR_TYPES = {
    **ELEMENTS,
    "bool": TensorProto.BOOL,
    "int32": TensorProto.INT32,
    "float64": TensorProto.DOUBLE,
}
# Constants of the compiler that are no weights of the model are shipped up to this size in bytes.
MOST_SHIPPED = 1 << 16


class UnsupportedError(Exception):
    """Raised for a program whose weights the runner cannot make."""


@dataclass(frozen=True)
class CompiledCase:
    """A program, its `@prepare` if it has one, and the model's weights by the hash of their bytes."""

    program: CompiledProgram
    prepare: Units | None
    names: dict[str, str]


def build_case(root: Path, planned: PlannedCase, options: Options) -> GpuCase:
    """Compiles a case and writes its folder. A case that cannot be compiled has a `reason`."""
    try:
        return _build(root, planned, replace(options, precision=planned.option))
    except (*FAILURES, UnsupportedError) as error:
        return replace(planned.case, reason=reason_of(error))


def reason_of(error: Exception) -> str:
    """Returns the message, with the first of the notes, in one line of at most 400 characters."""
    notes = getattr(error, "notes", ())
    text = " ".join([getattr(error, "message", str(error)), *[str(note) for note in notes][:1]])
    flat = " ".join(text.split())
    return flat if len(flat) <= 400 else flat[:397] + "..."


def _build(root: Path, planned: PlannedCase, options: Options) -> GpuCase:
    model = planned.model()
    compiled = _compile(model, options)
    shipped = dict(model.values)
    bindings = tuple(_bindings(compiled, model.weights, shipped))
    own = {weight.name for weight in model.weights}
    extra = tuple(
        WeightSource(name, array.dtype.name, array.shape, "values")
        for name, array in shipped.items()
        if name not in own
    )
    folder = case_folder(root, planned.case.name)
    folder.mkdir(parents=True)
    program = compiled.program
    assert program.plan is not None, "the target is a GPU"
    write_program(folder, program.plan, program.objects)
    (folder / GRAPH).write_text(json.dumps(model.definition.to_json()))
    if shipped:
        bits: dict[str, Any] = {name: _bits(array) for name, array in shipped.items()}
        np.savez(folder / VALUES, **bits)
    if any(not binding.tensor for binding in bindings):
        (folder / PREPARE).write_text(json.dumps(_prepare(compiled)))
    return replace(
        planned.case,
        inputs=tuple(model.inputs),
        weights=(*model.weights, *extra),
        bindings=bindings,
        outputs=program.outputs,
        steps=len(program.plan.steps),
    )


def _compile(model: CaseModel, options: Options) -> CompiledCase:
    """Compiles a model with weights drawn by NumPy, which only need to differ."""
    with TemporaryDirectory(prefix="bench-gpu-") as folder:
        path, names = Path(folder) / "model.onnx", {}
        proto = onnx.ModelProto()
        proto.CopyFrom(model.proto)
        for source in model.weights:
            data = draw(source, model)
            names[content_hash(data)] = source.name
            # Not from_array, which lacks bfloat16 in some versions.
            proto.graph.initializer.append(
                TensorProto(
                    name=source.name, data_type=TENSOR_TYPES[source.dtype], dims=source.shape, raw_data=data
                )
            )
        path.write_bytes(proto.SerializeToString())
        program = compile_program(str(path), options)
        indices = [weight for weight in program.main.weights if isinstance(weight, int)]
        # The arrays of the program map the file, which exists as long as they do.
        return CompiledCase(program, units_of(str(path), options)["prepare"] if indices else None, names)


def draw(source: WeightSource, model: CaseModel) -> bytes:
    """Draws the bytes of a weight, as the runner without torch does."""
    if source.fill == "values":
        return np.ascontiguousarray(model.values[source.name]).tobytes()
    random = np.random.default_rng(source.seed)
    distribution = random.normal if source.fill == "normal" else random.uniform
    dtype = TensorSpec("", source.dtype, ()).numpy_dtype
    return distribution(source.first, source.second, source.shape).astype(dtype).tobytes()


def _bindings(
    compiled: CompiledCase, weights: Sequence[WeightSource], shipped: dict[str, np.ndarray]
) -> Iterator[WeightBinding]:
    """Yields the binding of each weight of the plan. Small constants that are no weights of the model are
    added to `shipped`."""
    main, arrays = compiled.program.main, compiled.program.named_weights()
    for name, origin in zip(weight_names(main), main.weights, strict=True):
        if isinstance(origin, int):
            yield WeightBinding(name, prepared=origin)
        elif origin.hash in compiled.names:
            yield WeightBinding(name, compiled.names[origin.hash])
        else:
            yield WeightBinding(name, _ship(arrays[name], origin, shipped))


def _ship(array: np.ndarray, origin: Reference, shipped: dict[str, np.ndarray]) -> str:
    if array.nbytes > MOST_SHIPPED:
        raise UnsupportedError(
            f"a constant of {array.nbytes} bytes is no weight of the model, and too large to ship"
        )
    name = f"constant.{origin.hash}"
    shipped[name] = np.array(array)
    return name


def _prepare(compiled: CompiledCase) -> dict[str, Any]:
    """Returns the steps of `@prepare`. Raises UnsupportedError for kernels that NumPy cannot evaluate."""
    assert compiled.prepare is not None
    units, host = compiled.prepare, compiled.prepare.host
    assert units.step_list is not None, "split gives @prepare a step list"
    if units.kernels_to_compile():
        raise UnsupportedError(
            f"@prepare has kernels that NumPy cannot evaluate: {', '.join(units.kernels_to_compile())}"
        )
    return {
        "step_list": units.step_list.to_json(),
        "weights": [_name(weight, compiled, host) for weight in host.weights],
        "outputs": [_nbytes(output) for output in host.outputs],
        "arena": max(host.arena_bytes, 1),
    }


def _name(origin: Reference | int, compiled: CompiledCase, host: HostFunction) -> str:
    if isinstance(origin, int) or origin.hash not in compiled.names:
        raise UnsupportedError(f"@{host.name} reads a constant that is no weight of the model")
    return compiled.names[origin.hash]


def _nbytes(info: TensorInfo) -> int:
    return TensorSpec("", info.dtype, info.shape).nbytes


def _bits(array: np.ndarray) -> np.ndarray:
    """Returns an array, viewed as unsigned integers if NumPy's files lack its type."""
    return array if array.dtype.isbuiltin else as_bytes(array)
