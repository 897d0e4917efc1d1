"""A compiled program: code, what it reads, and how it is put together to something that runs.

One executable of a program with named dims and of programs for single sizes of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.compiler.errors import CompileError
from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.host_program.step_list import Tape
from mlc.compiler.options import Range
from mlc.runtime import (
    Executable,
    SharedLibrary,
    write_container,
    write_shared_library,
)
from mlc.runtime.deduplicated_arrays import SharedBytes
from mlc.runtime.manifest import DYNAMIC_FORMAT, SPECIALISED_FORMAT, STATIC_FORMAT
from mlc.targets import Target
from mlc.targets.features import FEATURES, CpuFeature

if TYPE_CHECKING:
    from mlc.runtime.cuda.plan.plan import Plan
    from mlc.runtime.specialisation_policy import Maker, Specialise

Parts = tuple[dict[str, Any], list[bytes], dict[str, np.ndarray]]


def combined(general: Parts, others: Sequence[tuple[Mapping[str, int], Parts]]) -> Parts:
    """Manifest, objects and weights with those of `others`, each for its sizes. Equal weights are stored
    once."""
    if not others:
        return general
    manifest, objects, weights = general[0], list(general[1]), dict(general[2])
    shared = SharedBytes(weights)
    entries = []
    for number, (sizes, (own, code, arrays)) in enumerate(others):
        names: dict[str, str] = {}
        for name, array in arrays.items():
            # A program's weights have names of their own, also where two of them are equal.
            known = (found for found, _ in shared.find(array) if found not in names.values())
            names[name] = next(known, f"s{number}.{name}")
            if names[name] not in weights:
                weights[names[name]] = array
                shared.add(names[name], array)
        specs = [spec | {"name": names[spec["name"]]} for spec in own["weights"]]
        entries.append({"sizes": dict(sizes), "objects": len(code), "manifest": own | {"weights": specs}})
        objects += code
    return manifest | {"format": SPECIALISED_FORMAT, "specialised": entries}, objects, weights


MAIN_ENTRY = "mlc_main"


def allocate(info: TensorInfo) -> np.ndarray:
    """A 64-byte aligned array for a buffer of static shape."""
    from mlc.runtime import aligned_empty

    size = info.spec().nbytes
    return np.frombuffer(aligned_empty(max(size, 1)), np.uint8)[:size]


def run_prepare(
    host: HostFunction, tape: Tape, objects: Sequence[bytes], weights: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Runs `@prepare`: its results as arrays of bytes. `weights` are the bytes of the weights it reads,
    in its order."""
    outputs = [allocate(info) for info in host.outputs]
    arena = allocate(TensorInfo("uint8", (max(host.arena_bytes, 1),)))
    tape.run([*outputs, *weights, arena], objects)
    return outputs


@dataclass
class CompiledProgram:
    """What `compile_program` makes.

    `weights` are the bytes of `@main`'s weights in its order (memory-mapped or prepared); `report` says how
    compiling went. A GPU's program has a `plan`, and `objects` are the plan's images; otherwise they are
    what the loader links. `dim_ranges` bound named dims of `main`. `specialised` are programs for single
    sizes of them; `make` makes others when the program runs, as `policy` says.
    """

    name: str
    target: Target
    main: HostFunction
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    objects: Mapping[str, bytes]
    weights: Sequence[np.ndarray]
    report: dict[str, Any] = field(default_factory=dict)
    plan: Plan | None = None
    dim_ranges: Mapping[str, Range] = field(default_factory=dict)
    specialised: Sequence[tuple[Mapping[str, int], CompiledProgram]] = ()
    policy: Specialise | None = None
    make: Maker | None = None

    def manifest(self) -> dict[str, Any]:
        """The manifest of the executable (see mlc.runtime)."""
        names = weight_names(self.main)
        code = {"plan": self.plan.to_json()} if self.plan else {"entry": MAIN_ENTRY}
        return {
            "format": STATIC_FORMAT if self.main.dims is None else DYNAMIC_FORMAT,
            "compiler": self.report.get("compiler", ""),
            "name": self.name,
            "target": {
                "triple": self.target.triple,
                "cpu": self.target.cpu,
                "features": list(self.target.features),
                "cpuinfo": cpuinfo_checks(self.target),
                "builtins": [feature.name for feature in required_features(self.target) if feature.builtin],
            },
            **code,
            "inputs": _specs(self.inputs, self.main.inputs),
            "outputs": _specs(self.outputs, self.main.outputs),
            "weights": _specs(names, self.main.weight_types),
            **self._sizes(),
            "arena_bytes": self.main.arena_bytes,
            "libraries": list(self.target.libraries),
            **{name: list(each) for name, each in self._objects().items() if each},
            "report": self.report,
        }

    def _objects(self) -> dict[str, tuple[str, ...]]:
        """What the manifest of a program says that has strings or sequences."""
        return {"functions": self.main.functions, "strings": self.main.strings}

    def _sizes(self) -> dict[str, Any]:
        """What the manifest of a program says that has named dims."""
        if self.main.dims is None:
            return {}
        ranges = {name: self.dim_ranges.get(name, (0, None)) for name in self.main.dims}
        dims = [{"name": name, "least": least, "most": most} for name, (least, most) in ranges.items()]
        return {"dims": dims, "messages": list(self.main.messages)}

    def named_weights(self) -> dict[str, np.ndarray]:
        """Weights by their names in the manifest, typed."""
        arrays = {}
        infos = zip(weight_names(self.main), self.main.weight_types, self.weights, strict=True)
        for name, info, data in infos:
            spec = info.spec(name)
            arrays[name] = data.view(spec.numpy_dtype).reshape(spec.sizes)
        return arrays

    def parts(self) -> tuple[dict[str, Any], list[bytes], dict[str, np.ndarray]]:
        """Manifest, objects and weights of an executable, with those of the programs for single sizes."""

        parts = self.manifest(), list(self.objects.values()), self.named_weights()
        return combined(parts, [(sizes, each.parts()) for sizes, each in self.specialised])

    def executable(self, threads: int | None = None) -> Executable:
        """Links the program in this process; a GPU's is loaded by the first call."""
        return Executable(*self.parts(), threads=threads, specialise=self.policy, make=self.make)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .mlcx file."""
        write_container(path, *self.parts())

    def save_shared_library(
        self, path: str | os.PathLike[str], *, embed_weights: bool = False, cc: str = "cc"
    ) -> SharedLibrary:
        """Writes a shared library with a C header, and its weights beside or inside it. Raises CompileError
        for a GPU's program, and for one with programs for single sizes."""
        if self.specialised:
            raise CompileError("a shared library has no programs for single sizes; write a .mlcx file")
        if self.plan is not None:
            raise CompileError(
                f"a program for {self.target.name} cannot be a shared library; write a .mlcx file"
            )
        objects = list(self.objects.values())
        return write_shared_library(
            self.manifest(), objects, self.named_weights(), path, embed_weights=embed_weights, cc=cc
        )


def required_features(target: Target) -> list[CpuFeature]:
    """What a machine must have to run the code, of what can be looked for."""
    return [feature for feature in FEATURES if target.has(feature.name)]


def cpuinfo_checks(target: Target) -> list[str]:
    """How the runtime looks for `required_features`: "NAME=FLAG", LLVM's name and /proc/cpuinfo's."""
    return [f"{feature.name}={feature.flag}" for feature in required_features(target)]


def _specs(names: Sequence[str], infos: Sequence[TensorInfo]) -> list[dict[str, Any]]:
    return [
        {"name": name, "dtype": info.dtype, "shape": list(info.shape)}
        for name, info in zip(names, infos, strict=True)
    ]


def weight_names(host: HostFunction) -> list[str]:
    """What the weights of a host function are called in an executable, in order."""
    return [f"w{index}" for index in range(len(host.weight_types))]
