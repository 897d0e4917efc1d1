"""Loads a case: its tensors, its program on the device, and its definition as a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.gpu.runner.graph import NodeGraph, read_graph
from bench.gpu.runner.manifest import GRAPH, PREPARE, VALUES, GpuCase, WeightSource, case_folder, read_json
from bench.operator_graph import check, evaluate
from mlc.compiler.host_program.step_list import StepList
from mlc.runtime.cuda import Device, Program, read_program
from mlc.runtime.cuda.plan.launch_overlap import can_overlap, find_overlaps
from mlc.runtime.errors import ExecutableError
from mlc.runtime.tensors import TensorSpec


@dataclass
class Loaded:
    """A case on the device. `static` has the shipped tensors as NumPy arrays; `make` makes the program again,
    with other settings."""

    case: GpuCase
    graph: NodeGraph
    program: Program
    inputs: dict[str, Any]
    weights: dict[str, Any]
    static: dict[str, np.ndarray]
    make: Callable[..., Program]

    @property
    def overlaps(self) -> bool:
        """Whether some of the program's launches begin before others have ended."""
        plan = self.program.plan
        return can_overlap(self.program.device) and any(find_overlaps(plan.steps, plan.kernels))

    def expected_outputs(self, library: Any) -> list[Any]:
        """Returns the outputs by definition, computed in float64."""
        check(self.graph, library.operators)
        values = {name: library.wide(tensor) for name, tensor in {**self.weights, **self.inputs}.items()}
        return evaluate(self.graph, values, library.operators, self.static_lists())

    def static_lists(self) -> dict[str, list[Any]]:
        """Returns the shipped vectors of integers as lists."""
        arrays = self.static.items()
        return {name: x.tolist() for name, x in arrays if x.dtype.kind == "i" and x.ndim == 1}


def load_case(root: Path, case: GpuCase, library: Any, device: Device) -> Loaded:
    """Draws the tensors, runs `@prepare`, loads the program. Raises ExecutableError, CudaError."""
    folder = case_folder(root, case.name)
    library.release()
    graph, (plan, images) = read_graph(folder / GRAPH), read_program(folder)
    static = _read_shipped(folder / VALUES, case)
    inputs, weights = (
        {
            source.name: library.put(static[source.name], source.dtype)
            if source.fill == "values"
            else library.draw(source)
            for source in sources
        }
        for sources in (case.inputs, case.weights)
    )
    shapes = {tensor.name: tensor.shape for tensor in plan.tensors("weight").values()}
    bound = _bind_weights(folder, case, weights, library, shapes)
    make = partial(Program, plan, images, bound, device=device, graph=not case.one_launch)
    return Loaded(case, graph, make(), inputs, weights, static, make)


def _read_shipped(path: Path, case: GpuCase) -> dict[str, np.ndarray]:
    """Reads the tensors of values.npz; elements whose type NumPy lacks are stored as bytes and returned as
    their bits."""
    sources = [source for source in (*case.inputs, *case.weights) if source.fill == "values"]
    if not sources:
        return {}
    try:
        with np.load(path) as file:
            return {source.name: _view_typed(file[source.name], source) for source in sources}
    except (OSError, KeyError, ValueError) as error:
        raise ExecutableError(f"{path}: cannot read the shipped tensors: {error}") from error


def _view_typed(array: np.ndarray, source: WeightSource) -> np.ndarray:
    return array.view(TensorSpec("", source.dtype, ()).buffer_dtype).reshape(source.shape)


def _bind_weights(
    folder: Path,
    case: GpuCase,
    weights: Mapping[str, Any],
    library: Any,
    shapes: Mapping[str, tuple[int, ...]],
) -> dict[str, Any]:
    """Returns the plan's weights: tensors in the plan's shape, or results of `@prepare`.

    Raises ExecutableError for tensors that do not fit the plan.
    """
    try:
        bound = {
            binding.weight: weights[binding.tensor].reshape(shapes[binding.weight])
            for binding in case.bindings
            if binding.tensor
        }
    except (KeyError, ValueError, RuntimeError) as error:
        raise ExecutableError(f"{folder}: a weight does not fit the plan: {error}") from error
    prepared = [binding for binding in case.bindings if not binding.tensor]
    if prepared:
        results = _prepare(folder / PREPARE, weights, library)
        bound.update({binding.weight: results[binding.prepared] for binding in prepared})
    return bound


def _prepare(path: Path, weights: Mapping[str, Any], library: Any) -> list[np.ndarray]:
    """Returns the results of `@prepare` as bytes, computed by NumPy on the host."""
    data: Any = read_json(path)
    try:
        step_list, names = StepList.from_json(data["step_list"]), list(data["weights"])
        sizes = [int(size) for size in [*data["outputs"], data["arena"]]]
    except (TypeError, KeyError, ValueError) as error:
        raise ExecutableError(f"{path}: no steps of @prepare: {error!r}") from error
    *outputs, arena = (np.empty(size, np.uint8) for size in sizes)
    step_list.run([*outputs, *(library.to_bytes(weights[name]) for name in names), arena], [])
    return outputs
