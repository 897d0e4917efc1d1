"""The kernels of a compiled model without the data movement around them: `mlc` without launches that only
move.

A model of one operator converts its image to the blocked layout and back; in a larger one its neighbours have
that layout already. Options are those of `mlc`; `mlc_kernel:all` keeps every launch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.engines.mlc import compiler_options, version
from mlc.bindings import ir
from mlc.compiler import compile_program, worker_pool
from mlc.compiler.build import Builder
from mlc.compiler.compilation_units import Units
from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.levels import units_of
from mlc.compiler.programs.program import MAIN_ENTRY, CompiledProgram, allocate
from mlc.dialects import create_context, tloop
from mlc.dialects.graph import specs
from mlc.runtime import Image, call_entry

__all__ = ["facts", "load", "version"]

ALL = "all"
LAUNCH = tloop.LaunchInto.NAME
MOVING = ("movement", "layout", "creation")


class Kernels:
    """A compiled program and its kernels alone, with one set of buffers.

    Called as an engine it launches the kernels, without meaningful outputs. `objects` is the code of
    `host`, which launches less than the program's host function.
    """

    def __init__(
        self, program: CompiledProgram, host: HostFunction, objects: Mapping[str, bytes], threads: int
    ) -> None:
        self.program, self.host = program, host
        self.objects = {**program.objects, **objects}
        main = program.main
        self._inputs = {name: allocate(info) for name, info in zip(program.inputs, main.inputs, strict=True)}
        self.outputs = [allocate(info) for info in main.outputs]
        arena = allocate(TensorInfo("uint8", (max(main.arena_bytes, 1),)))
        buffers = [*self._inputs.values(), *self.outputs, *program.weights, arena]
        self._arguments = (MAIN_ENTRY, buffers, (), threads)
        self._image = self.image({})
        self._filled = False

    def __call__(self, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        if not self._filled:
            self.run_whole(inputs)
        self.run(self._image)
        return []

    def image(self, replaced: Mapping[str, bytes]) -> Image:
        """Returns the kernels alone, with code replaced for some."""
        return Image(list({**self.objects, **replaced}.values()))

    def run(self, image: Image) -> None:
        """Calls the entry of an image."""
        call_entry(image, *self._arguments)

    def run_whole(
        self, inputs: Mapping[str, np.ndarray], replaced: Mapping[str, bytes] | None = None
    ) -> None:
        """Runs the program, with code replaced for some kernels: `outputs` have its results, and the buffers
        have valid values for runs of the kernels alone."""
        for name, array in inputs.items():
            self._inputs[name][:] = array.reshape(-1).view(np.uint8)
        self.run(Image(list({**self.program.objects, **(replaced or {})}.values())))
        self._filled = True


def load(path: Path, threads: int, options: Sequence[str] = ()) -> Kernels:
    """Compiles the kernels. Raises ValueError if the model only moves data and `all` is not given."""
    settings = compiler_options([option for option in options if option != ALL])
    program = compile_program(path, settings)
    units = units_of(path, settings)["main"]
    moving = set() if ALL in options else {name for name, text in units.kernels.items() if only_moves(text)}
    host = without_launches(units.host, moving)
    if not host.kernels:
        raise ValueError("the model's kernels only move data; mlc_kernel:all keeps them")
    with worker_pool(1) as pool:
        pool.start()
        objects = Builder(settings, pool).build(Units(host, units.path))
    return Kernels(program, host, objects, threads)


def facts(call: Any) -> dict[str, Any]:
    """Returns the names of the kernels that are launched, in order, and of those that are not."""
    launched = list(call.host.kernels)
    return {"launches": launched, "left_out": sorted(set(call.program.main.kernels) - set(launched))}


def only_moves(kernel: str) -> bool:
    """Whether a kernel, given as the text of its module, only moves data."""
    families = {f"graph.{name}": spec.family for name, spec in specs().items()}
    return all(families.get(name) in MOVING for name in _names(kernel) if name.startswith("graph."))


def _names(text: str) -> list[str]:
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        functions = [op.operation for op in module.body]
        return [op.operation.name for function in functions for op in function.regions[0].blocks[0]]


def without_launches(host: HostFunction, kernels: set[str]) -> HostFunction:
    """Returns the host function without the launches of `kernels`."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(host.text)
        (function,) = (op.operation for op in module.body)
        for view in list(function.regions[0].blocks[0]):
            op = view.operation
            if op.name == LAUNCH and op.attributes["kernel"].value in kernels:
                op.erase()
        text = module.operation.get_asm(assume_verified=True)
    return replace(host, text=text, kernels=tuple(name for name in host.kernels if name not in kernels))
