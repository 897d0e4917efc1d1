"""Compiled programs: code, weights and manifest, and their executables, also with specialised programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.compiler.code_path import is_loadable
from mlc.compiler.errors import CompileError
from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.host_program.step_list import StepList
from mlc.compiler.options import Range
from mlc.frontends.weights.store import release_pages
from mlc.runtime import (
    Executable,
    SharedLibrary,
    write_container,
    write_shared_library,
)
from mlc.runtime.deduplicated_arrays import SharedBytes
from mlc.runtime.manifest import DYNAMIC_FORMAT, SPECIALISED_FORMAT, STATIC_FORMAT
from mlc.targets import Target
from mlc.targets.features import FEATURES

if TYPE_CHECKING:
    from mlc.runtime.cuda.plan.plan import Plan
    from mlc.runtime.specialisation_policy import Maker, Specialise

Parts = tuple[dict[str, Any], list[bytes], dict[str, np.ndarray]]


def combine(general: Parts, others: Sequence[tuple[Mapping[str, int], Parts]]) -> Parts:
    """Returns manifest, objects and weights with those of `others`, each for its sizes. Equal weights are
    stored once."""
    if not others:
        return general
    manifest, objects, weights = general[0], list(general[1]), dict(general[2])
    shared = SharedBytes(weights)
    entries = []
    for index, (sizes, (own, code, arrays)) in enumerate(others):
        names: dict[str, str] = {}
        for name, array in arrays.items():
            # The weights of a program have distinct names, also where two of them are equal.
            known = (found for found, _ in shared.find(array) if found not in names.values())
            names[name] = next(known, f"s{index}.{name}")
            if names[name] not in weights:
                weights[names[name]] = array
                shared.add(names[name], array)
        specs = [spec | {"name": names[spec["name"]]} for spec in own["weights"]]
        entries.append({"sizes": dict(sizes), "objects": len(code), "manifest": own | {"weights": specs}})
        objects += code
    return manifest | {"format": SPECIALISED_FORMAT, "specialised": entries}, objects, weights


MAIN_ENTRY = "mlc_main"


def allocate(info: TensorInfo) -> np.ndarray:
    """Allocates a 64-byte aligned array for a buffer of static shape."""
    from mlc.runtime import aligned_empty

    size = info.spec().nbytes
    return np.frombuffer(aligned_empty(max(size, 1)), np.uint8)[:size]


def run_prepare(
    host: HostFunction, step_list: StepList, objects: Sequence[bytes], weights: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Runs `@prepare` and returns its results as arrays of bytes. `weights` are the bytes of the weights that
    it reads, in its order."""
    outputs = [allocate(info) for info in host.outputs]
    arena = allocate(TensorInfo("uint8", (max(host.arena_bytes, 1),)))
    # Without the release both the model's weights and their packed copies would be in memory.
    step_list.run([*outputs, *weights, arena], objects, unused=release_pages)
    return outputs


@dataclass
class CompiledProgram:
    """The result of `compile_program`.

    `weights` are the bytes of `@main`'s weights in its order (memory-mapped or prepared); `report` has counts
    and times of the compilation. A GPU's program has a `plan`, and `objects` are the plan's images; otherwise
    they are object files for the loader. `dim_ranges` bound named dims of `main`. `specialised` are programs
    for single sizes of them; `make` makes others when the program runs, according to `policy`.
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
    # Returns the program in which dims of these names are independent.
    independent: Callable[[Sequence[str]], CompiledProgram] | None = None

    def manifest(self) -> dict[str, Any]:
        """Returns the manifest of the executable (see mlc.runtime)."""
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
                "requires": required_features(self.target),
            },
            **code,
            "inputs": _specs(self.inputs, self.main.inputs),
            "outputs": _specs(self.outputs, self.main.outputs),
            "weights": _specs(names, self.main.weight_types),
            **self._sizes(),
            "arena_bytes": self.main.arena_bytes,
            "libraries": list(self.target.libraries),
            **{name: list(entries) for name, entries in self._texts().items() if entries},
            "report": self.report,
        }

    def _texts(self) -> dict[str, tuple[str, ...]]:
        """Returns the manifest's entries for calls that fail, and for strings and sequences."""
        main = self.main
        return {"messages": main.messages, "functions": main.functions, "strings": main.strings}

    def _sizes(self) -> dict[str, Any]:
        """Returns the manifest's entries for named dims."""
        if self.main.dims is None:
            return {}
        ranges = {name: self.dim_ranges.get(name, (0, None)) for name in self.main.dims}
        dims = [{"name": name, "least": least, "most": most} for name, (least, most) in ranges.items()]
        return {"dims": dims}

    def named_weights(self) -> dict[str, np.ndarray]:
        """Returns the weights as typed arrays by their names in the manifest."""
        arrays = {}
        infos = zip(weight_names(self.main), self.main.weight_types, self.weights, strict=True)
        for name, info, data in infos:
            spec = info.spec(name)
            arrays[name] = data.view(spec.numpy_dtype).reshape(spec.sizes)
        return arrays

    def parts(self) -> tuple[dict[str, Any], list[bytes], dict[str, np.ndarray]]:
        """Returns manifest, objects and weights of an executable, with those of the specialised programs."""
        parts = self.manifest(), list(self.objects.values()), self.named_weights()
        return combine(parts, [(sizes, program.parts()) for sizes, program in self.specialised])

    def executable(self, threads: int | None = None) -> Executable:
        """Links the program in this process; a GPU's is loaded by the first call."""
        independent = self.independent
        return Executable(
            *self.parts(),
            threads=threads,
            specialise=self.policy,
            make=self.make,
            independent=independent and (lambda names: independent(names).executable(threads)),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .mlcx file. Raises CompileError for a machine whose code the runtime does not load."""
        if self.plan is None and not is_loadable(self.target):
            raise CompileError(
                f"{os.fspath(path)}: executable files run on x86-64 Linux alone, but the program is for"
                f" {self.target.name}; write a shared library"
            )
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


def required_features(target: Target) -> list[str]:
    """Returns the checks of the features that code for `target` may use (`CpuFeature.check`)."""
    return [feature.check for feature in FEATURES if target.has(feature.name)]


def _specs(names: Sequence[str], infos: Sequence[TensorInfo]) -> list[dict[str, Any]]:
    return [
        {"name": name, "dtype": info.dtype, "shape": list(info.shape)}
        for name, info in zip(names, infos, strict=True)
    ]


def weight_names(host: HostFunction) -> list[str]:
    """Returns the names of a host function's weights in an executable, in order."""
    return [f"w{index}" for index in range(len(host.weight_types))]
