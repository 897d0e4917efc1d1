"""Kernels as Python objects: printed, scheduled, compiled, called on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mlc.kernels.call_arguments import bind_shapes, constants_of, given_sizes
from mlc.kernels.errors import KernelError, surface
from mlc.kernels.signature import Signature, signature_of
from mlc.kernels.source import python_function, source_of, visible_names
from mlc.kernels.specialisation import Body, Specialisation

if TYPE_CHECKING:
    from mlc.compiler.sources.imported_module import Imported
    from mlc.runtime import Executable


@dataclass
class Kernel:
    """A kernel written in Python. Calling it on arrays compiles it for their shapes, once, and runs it."""

    signature: Signature
    body: Body
    schedule: str = ""
    executables: dict[Specialisation, Executable] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The name of the kernel's function."""
        return self.signature.name

    def __repr__(self) -> str:
        types = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in self.signature.parameters)
        return f"Kernel({self.name}({types}))"

    def with_schedule(self, schedule: object) -> Kernel:
        """Returns the same kernel with a schedule: an op `tloop.schedule` as text, or an object whose `str`
        is one."""
        return replace(self, schedule=str(schedule), executables={})

    def specialise(self, shapes: Mapping[str, Sequence[int]], constants: Mapping[str, Any]) -> Specialisation:
        """Returns the kernel for inputs of `shapes`. Raises KernelError for shapes that do not fit."""
        sizes = bind_shapes(self.signature, {name: tuple(shape) for name, shape in shapes.items()})
        return self._special(sizes, constants_of(self.signature, constants))

    def _special(self, sizes: Mapping[str, int], constants: Mapping[str, Any]) -> Specialisation:
        return Specialisation(
            self.signature, self.body, self.schedule, tuple(sizes.items()), tuple(constants.items())
        )

    def _specialise_by_name(self, given: Mapping[str, Any]) -> Specialisation:
        """Returns the kernel for sizes and constants by name."""
        return self._special(*given_sizes(self.signature, given))

    @surface
    def mlir(self, **given: Any) -> str:
        """Returns the kernel's IR for sizes and constants given by name: its function and its schedule."""
        from mlc.kernels.kernel_modules import kernel_module

        return kernel_module(self._specialise_by_name(given)).operation.get_asm(assume_verified=True)

    @surface
    def loops(self, **given: Any) -> str:
        """Returns the kernel's IR for sizes and constants given by name, with its schedule applied.

        Raises KernelError with the step of the schedule that does not apply, and the reason.
        """
        from mlc.kernels.kernel_modules import scheduled_module

        return scheduled_module(self._specialise_by_name(given)).operation.get_asm(assume_verified=True)

    @surface
    def compile(self, target: str = "cpu", threads: int | None = None, **given: Any) -> Executable:
        """Compiles an executable for sizes and constants given by name, which can be saved.

        Raises KernelError, mlc.CompileError.
        """
        from mlc.kernels.kernel_modules import compile_kernel

        return compile_kernel(self._specialise_by_name(given), target, threads)

    @surface
    def to_module(self, **given: Any) -> Imported:
        """Returns a program that launches the kernel, as the compiler takes it: `mlc.compile(kernel)`."""
        from mlc.kernels.kernel_modules import kernel_program

        return kernel_program(self._specialise_by_name(given))

    @surface
    def __call__(self, *arrays: Any, out: Any = None, **named: Any) -> Any:
        """Runs the kernel on C-contiguous NumPy arrays; `named` are arrays and constants by name.

        Returns the output, or a tuple of them, as new arrays; `out`, one array or several, receives
        them instead. In a graph function the call becomes a launch. Raises KernelError.
        """
        from mlc.kernels.call_arguments import checked_arrays
        from mlc.kernels.graphs.graph_tensors import is_tracing
        from mlc.kernels.graphs.kernel_calls import call_in_graph
        from mlc.kernels.kernel_modules import compile_kernel

        if is_tracing():
            return call_in_graph(self, arrays, named)
        inputs, constants = checked_arrays(self.signature, arrays, named)
        special = self.specialise({name: array.shape for name, array in inputs.items()}, constants)
        executable = self.executables.get(special)
        if executable is None:
            executable = self.executables[special] = compile_kernel(special, "cpu", None)
        wanted = None if out is None else out if isinstance(out, tuple | list) else [out]
        results = executable(*inputs.values(), out=wanted)
        return results[0] if len(results) == 1 else tuple(results)


@surface
def kernel(function: Callable[..., Any] | None = None, *, schedule: object = "") -> Any:
    """Decorates a function that is written as loops over its tensors, which becomes a kernel.

        @mlc.kernel
        def scale(x: Tensor[f32, N], y: Output[f32, N], factor: float):
            for i in range(N):
                y[i] = x[i] * factor

    The function is never run: its source is translated. `schedule` is one for `Kernel.scheduled`.
    Raises KernelError for signatures that are no kernel's.
    """
    if function is None:
        return lambda decorated: kernel(decorated, schedule=schedule)
    function = python_function(function)
    names = visible_names(function)
    signature = signature_of(function, names)
    if not signature.outputs:
        raise KernelError(f"{signature.name} has no output; annotate what it writes with Output[f32, ...]")
    source = source_of(function)

    def build(inputs: Sequence[Any], sizes: Mapping[str, int], constants: Mapping[str, Any]) -> list[Any]:
        from mlc.kernels.nest import build_body

        return build_body(source, signature, {**names, **sizes, **constants}, sizes, inputs)

    return Kernel(signature, build, str(schedule))
