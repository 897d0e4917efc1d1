"""A compiled model, ready to run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime.arguments import order_inputs, order_outputs, output_buffer
from mlc.runtime.container import CHECKED_BYTES, Buffer, map_container, write_container
from mlc.runtime.linking import link
from mlc.runtime.manifest import parse_manifest
from mlc.runtime.named_dims import NamedDim
from mlc.runtime.tensors import TensorSpec, weight_bytes

if TYPE_CHECKING:
    from mlc.runtime._native import Program
    from mlc.runtime.cuda.execution.program import Program as CudaProgram
    from mlc.runtime.independent_dims import IndependentDims, MakeIndependent
    from mlc.runtime.object_conversion import ObjectEdges
    from mlc.runtime.profiling.profile import Profile
    from mlc.runtime.profiling.profiler import Profiler
    from mlc.runtime.specialisation_policy import Maker, Parts, Specialise
    from mlc.runtime.specialised_programs import Specialised


class Executable:
    """A compiled model in memory. Calls may run at the same time on several Python threads.

    >>> executable = Executable.load("model.mlcx")
    >>> [probabilities] = executable(image)
    """

    def __init__(
        self,
        manifest: Mapping[str, Any],
        objects: Sequence[Buffer],
        weights: Mapping[str, Any],
        *,
        threads: int | None = None,
        origin: str = "executable",
        specialise: Specialise | None = None,
        make: Maker | None = None,
        independent: MakeIndependent | None = None,
    ) -> None:
        """Links `objects` (relocatable x86-64 ELF, trusted code) for calls; those of a manifest with a plan
        are its images and the processor's objects, which the first call loads.

        `weights` gives for each weight of the manifest an array or buffer of its size; they are kept, not
        copied, if contiguous. `threads` defaults to the processors that this process may use. `origin` starts
        messages. `make` compiles programs for sizes that come often, by the policy `specialise`;
        `independent` those for calls in which dims of one name differ. Raises
        ExecutableError if the parts do not fit together or this machine cannot run them."""
        self._check: Callable[[], None] | None = None
        self._origin = origin
        self._manifest = parse_manifest(manifest, origin)
        self._objects = list(objects)
        stored = self._manifest.stored_weights
        self._weights = {spec.name: weight_bytes(spec, weights, origin) for spec in stored}
        self._specialised: Specialised | None = None
        self._profiler: Profiler | None = None
        self._program = link(self._manifest, self._objects, self._weights, origin)
        self._edges = self._object_edges()
        self._independent = self._independent_dims(independent)
        self.threads = threads if threads is not None else len(os.sched_getaffinity(0))
        if self._manifest.specialised or make is not None:
            self._specialised = self._specialise(specialise, make, origin)

    def __repr__(self) -> str:
        sides = (", ".join(str(spec) for spec in specs) for specs in (self.inputs, self.outputs))
        return f"Executable({' -> '.join(sides)})"

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, threads: int | None = None, verify: bool | None = None
    ) -> Executable:
        """Maps an executable that `save` wrote; weights are read when they are first used.

        ExecutableError is raised if the file is damaged. The manifest and the code are always checked, and
        with `verify=True` the weights; by default those of up to 32 MiB are, larger ones by the first call,
        which raises the error; with `verify=False` they are not. The code is native
        code and runs with the rights of this process: load only files that you trust. The file must not
        be changed in place while it is in use; replacing it, as `save` does, is safe.
        """
        (manifest, objects, weights), size, check = map_container(path)
        if verify or (verify is None and size <= CHECKED_BYTES):
            check()
        executable = cls(manifest, objects, weights, threads=threads, origin=os.fspath(path))
        if verify is None and size > CHECKED_BYTES:
            executable._check = check
        return executable

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a `.mlcx` file. It appears complete or not at all. Raises ExecutableError."""
        self._check_weights()
        write_container(path, self._manifest.data, self._objects, self._weights)

    def __call__(self, *arrays: Any, out: Any = None, **named: Any) -> list[Any]:
        """Runs the model once and returns its outputs, in order, as new 64-byte-aligned arrays.

        Inputs are given in order, by name, or as one dict: NumPy arrays, anything with the buffer protocol
        or DLPack (used in place if C-contiguous), Python scalars and lists (converted). `out`, a sequence
        or a mapping by name, gives arrays that receive the outputs instead.
        Raises TypeError or ValueError that names the input or output, what was expected and given. For a
        program with named dims also ValueError if the model's operators do not accept these sizes, and
        MemoryError. Where inputs give dims of one name different sizes, `mlc.compile`'s executables
        compile another program once, with a warning.
        """
        if self._check is not None:
            self._check_weights()
        if named or (len(arrays) == 1 and isinstance(arrays[0], dict)):
            arrays = order_inputs(self.inputs, arrays, named, self.constant_inputs)
        try:
            return self._run(self._program.call, arrays, out)
        except ValueError:
            program = self._independent.program_for(arrays) if self._independent else None
            if program is None:
                raise
        return program(*arrays, out=out)

    def _run(self, call: Callable[..., list[Any]], arrays: Sequence[Any], out: Any) -> list[Any]:
        if self._edges is not None:
            if out is not None and any(spec.is_object for spec in self.outputs):
                raise TypeError("out: a program makes outputs of strings and sequences itself")
            call = partial(self._edges.call, call)
        if out is None:
            return call(arrays)
        given = order_outputs(self.outputs, out)
        buffers = [output_buffer(spec, array) for spec, array in zip(self.outputs, given, strict=False)]
        call(arrays, buffers + given[len(buffers) :])
        return given

    def run(self, inputs: Mapping[str, Any], out: Any = None) -> dict[str, Any]:
        """Runs the model on inputs by name and returns its outputs by name; see `__call__`."""
        if not isinstance(inputs, Mapping):
            raise TypeError(f"run takes the inputs by name, not a value of type {type(inputs).__name__}")
        outputs = self(dict(inputs), out=out)
        return {spec.name: array for spec, array in zip(self.outputs, outputs, strict=True)}

    def profile(
        self, *arrays: Any, calls: int | None = None, seconds: float = 1.0, warmup: int = 3
    ) -> Profile:
        """Runs the model on these inputs, in order or as one dict by name, and returns where the time of a
        call goes: on average over the faster half of `calls` calls, or of as many as take about `seconds`,
        after `warmup` others.

        A second image of the code measures each launch of a kernel; other calls are not affected. Of
        specialised programs it is the one that serves the inputs' sizes. Raises as `__call__`; also
        ExecutableError for programs of GPUs, and for those of earlier versions of mlc, which do not list
        their kernels, and ValueError for less than one call.
        """
        if calls is not None and calls < 1:
            raise ValueError(f"calls is {calls}, expected at least 1")
        self._check_weights()
        arrays = order_inputs(self.inputs, arrays, {}, self.constant_inputs)
        budget: dict[str, Any] = {"calls": calls, "seconds": seconds, "warmup": warmup}
        if self._specialised is not None:
            sizes = self._sizes_of(arrays)
            own = self._specialised.executable_for(sizes)
            if own is not None:
                own.threads = self.threads
                return replace(own.profile(*arrays, **budget), sizes=sizes)
        profiler = self._link_measured()
        try:
            return profiler.run(lambda call: self._run(call, arrays, None), self.threads, **budget)
        except ValueError:
            program = self._independent.program_for(arrays) if self._independent else None
            if program is None:
                raise
        return program.profile(*arrays, **budget)

    def _link_measured(self) -> Profiler:
        """Returns the image that measures kernels, which is linked once."""
        if self._profiler is None:
            from mlc.runtime.profiling.profiler import Profiler

            self._profiler = Profiler(self._manifest, self._objects, self._weights, self._origin)
        return self._profiler

    def _sizes_of(self, arrays: Sequence[Any]) -> dict[str, int]:
        """Returns the sizes of the named dims that the inputs have."""
        found: dict[str | int, int] = {}
        for spec, array in zip(self.inputs, arrays, strict=False):
            if not spec.is_static:
                found.update(zip(spec.shape, np.shape(array), strict=False))
        return {dim.name: found[dim.name] for dim in self.dims if dim.name in found}

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """Names, dtypes and shapes of the inputs."""
        return self._manifest.inputs

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """Names, dtypes and shapes of the outputs."""
        return self._manifest.outputs

    @property
    def dims(self) -> tuple[NamedDim, ...]:
        """The named dims of the inputs; none for a static program."""
        return self._manifest.dims or ()

    @property
    def arena_bytes(self) -> int:
        """Memory of a call besides its arrays. For a program with named dims the peak of the calls so far,
        which is kept for later ones."""
        return max(self._manifest.arena_bytes, getattr(self._program, "peak_bytes", 0))

    @property
    def sequence_bytes(self) -> int:
        """Peak memory of the strings and sequences of a call so far."""
        return 0 if self._edges is None else self._edges.peak_bytes

    @property
    def weights(self) -> Mapping[str, np.ndarray]:
        """The weights as read-only views, by name."""
        self._check_weights()
        return {spec.name: _weight_view(spec, self._weights[spec.name]) for spec in self._manifest.weights}

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The manifest as JSON data."""
        return self._manifest.data

    @property
    def objects(self) -> Sequence[Buffer]:
        """The relocatable objects, or a plan's images followed by the processor's objects."""
        return tuple(self._objects)

    @property
    def threads(self) -> int:
        """Threads that a call uses, the caller's included (1 to 256)."""
        return self._program.threads

    @threads.setter
    def threads(self, count: int) -> None:
        if not 1 <= count <= 256:
            raise ValueError(f"threads is {count}, expected 1 to 256")
        for program in (self._program, *(self._specialised.programs() if self._specialised else ())):
            program.threads = count

    @property
    def specialised(self) -> Specialised | None:
        """The specialised programs beside this one; None if there are none and will be none."""
        return self._specialised

    @property
    def constant_inputs(self) -> tuple[str, ...]:
        """The inputs of the model that calls cannot give, since they are initializers too."""
        return tuple(self._manifest.report.get("constant_inputs", ()))

    def report(self) -> dict[str, Any]:
        """Returns JSON data on how the program was compiled. With specialised programs `specialised` lists
        the sizes of calls so far, how often they came, and the program that serves them."""
        report = dict(self._manifest.report)
        if self._independent and self._independent.warnings:
            report["warnings"] = [*report.get("warnings", ()), *self._independent.warnings]
        return report | ({"specialised": self._specialised.report()} if self._specialised else {})

    @property
    def native(self) -> Program:
        """The linked program. Raises TypeError for a GPU's."""
        from mlc.runtime._native import Program

        if not isinstance(self._program, Program):
            raise TypeError("a program of a GPU is no native one")
        return self._program

    @property
    def cuda(self) -> CudaProgram | None:
        """The program on the GPU, for streams and results that stay there; None for code of a processor.
        Raises CudaError if no device can run it."""
        if self._manifest.plan is None:
            return None
        from mlc.runtime.cuda.execution.program import PlannedProgram

        assert isinstance(self._program, PlannedProgram)
        self._check_weights()
        return self._program.program()

    def _check_weights(self) -> None:
        """Checks weights of a file that nothing has read yet. Raises ExecutableError, now and later."""
        if self._check is not None:
            self._check()
            self._check = None

    def _object_edges(self) -> ObjectEdges | None:
        """Returns the converter of strings and sequences, or None if the program has none."""
        if not self._manifest.has_objects:
            return None
        from mlc.runtime.object_conversion import ObjectEdges

        return ObjectEdges(self.inputs, self.outputs, self._manifest.strings)

    def _independent_dims(self, make: MakeIndependent | None) -> IndependentDims | None:
        """Returns the maker of programs for independent dims, or None if no two dims share a name."""
        names = [dim for spec in self.inputs for dim in spec.shape if isinstance(dim, str)]
        if make is None or len(set(names)) == len(names):
            return None
        from mlc.runtime.independent_dims import IndependentDims

        return IndependentDims(self.inputs, make)

    def _specialise(self, policy: Specialise | None, make: Maker | None, origin: str) -> Specialised:
        from mlc.runtime.specialised_programs import specialised_of

        native = self.native

        def executable(parts: Parts) -> Executable:
            manifest, objects, weights, _ = parts
            return Executable(manifest, objects, weights, threads=native.threads, origin=origin)

        return specialised_of(native, self._manifest, self._objects, self._weights, executable, policy, make)


def load(
    path: str | os.PathLike[str], *, threads: int | None = None, verify: bool | None = None
) -> Executable:
    """Same as `Executable.load`."""
    return Executable.load(path, threads=threads, verify=verify)


def _weight_view(spec: TensorSpec, data: np.ndarray) -> np.ndarray:
    view = data.view(spec.numpy_dtype).reshape(spec.sizes)
    view.flags.writeable = False
    return view
