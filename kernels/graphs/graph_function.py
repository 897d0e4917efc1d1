"""Graph functions: programs of kernels and graph ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any

from mlc.bindings import func, ir
from mlc.compiler.sources.imported_module import Imported
from mlc.dialects import create_context
from mlc.frontends.weights.store import WeightStore
from mlc.kernels.call_arguments import bind_shapes, checked_arrays, constants_of, given_sizes
from mlc.kernels.errors import KernelError, surface
from mlc.kernels.graphs.graph_tensors import TracedTensor, as_tensor, tracing
from mlc.kernels.kernel_modules import compile_imported, name_attributes
from mlc.kernels.signature import Signature, function_location, signature_of
from mlc.kernels.sizes import bind_sizes
from mlc.kernels.source import python_function, visible_names
from mlc.kernels.specialisation import input_types

if TYPE_CHECKING:
    from mlc.runtime import Executable

Key = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, Any], ...]]


@dataclass
class GraphFunction:
    """A function of tensors that calls kernels and graph ops, as one program."""

    signature: Signature
    function: FunctionType
    executables: dict[Key, Executable] = field(default_factory=dict, repr=False)

    @surface
    def mlir(self, **given: Any) -> str:
        """Returns the module as text: the function as `@main`, and the kernels that it calls."""
        imported = self._import(*given_sizes(self.signature, given))
        return imported.module.operation.get_asm(assume_verified=True)

    @surface
    def to_module(self, **given: Any) -> Imported:
        """Returns the module with its weights, as the compiler takes it: `mlc.compile(function)`."""
        return self._import(*given_sizes(self.signature, given))

    @surface
    def compile(self, target: str = "cpu", threads: int | None = None, **given: Any) -> Executable:
        """Compiles for sizes and constants given by name. Raises KernelError, mlc.CompileError."""
        return compile_imported(self._import(*given_sizes(self.signature, given)), target, threads)

    @surface
    def __call__(self, *arrays: Any, **others: Any) -> Any:
        """Runs the program on C-contiguous NumPy arrays, compiled once for their shapes.

        Returns an array, or a tuple of them. Raises KernelError.
        """
        inputs, constants = checked_arrays(self.signature, arrays, others)
        sizes = bind_shapes(self.signature, {name: array.shape for name, array in inputs.items()})
        constants = constants_of(self.signature, constants)
        key = tuple(sizes.items()), tuple(constants.items())
        if key not in self.executables:
            self.executables[key] = compile_imported(self._import(sizes, constants), "cpu", None)
        results = self.executables[key](*inputs.values())
        return results[0] if len(results) == 1 else tuple(results)

    def _import(self, sizes: Mapping[str, int], constants: Mapping[str, Any]) -> Imported:
        store = WeightStore()
        with create_context(), ir.Location.unknown():
            module = ir.Module.create()
            with ir.InsertionPoint(module.body):
                self._build(sizes, constants, store)
        inputs = tuple(parameter.name for parameter in self.signature.inputs)
        count = len(func.Func(module.body.operations[0]).function_type.results)
        return Imported(module, store, self.signature.name, inputs, tuple(f"output{n}" for n in range(count)))

    def _build(self, sizes: Mapping[str, int], constants: Mapping[str, Any], store: WeightStore) -> None:
        """Builds `@main` at the insertion point; the kernels that it calls follow it."""
        types = input_types(self.signature, sizes)
        main = func.FuncOp("main", ir.FunctionType.get(types, []))
        main.arg_attrs = [name_attributes(parameter.name) for parameter in self.signature.inputs]
        block = main.add_entry_block()
        with ir.InsertionPoint(block), bind_sizes(sizes), tracing(store):
            tensors = {
                parameter.name: TracedTensor(value)
                for parameter, value in zip(self.signature.inputs, block.arguments, strict=True)
            }
            results = self._results(self.function(**tensors, **constants))
            func.ReturnOp(results)
        func.Func(main).function_type = ir.FunctionType.get(types, [value.type for value in results])

    def _results(self, returned: Any) -> list[ir.Value]:
        location = function_location(self.function)
        values = list(returned) if isinstance(returned, tuple | list) else [returned]
        if not values or returned is None:
            raise KernelError(f"{self.signature.name} returns nothing", location)
        return [as_tensor(value, None, location).value for value in values]


@surface
def graph_function(function: Callable[..., Any]) -> GraphFunction:
    """Decorates a function that calls kernels and graph ops, which becomes a program.

        @mlc.graph_function
        def model(x: Tensor[f32, 1, 784]):
            return ops.softmax(linear(x, weights, bias), axis=1)

    The function is run for each combination of sizes and constants, on symbols. NumPy arrays in it are the
    program's weights. Raises KernelError.
    """
    function = python_function(function)
    signature = signature_of(function, visible_names(function))
    if signature.outputs:
        location = function_location(function)
        raise KernelError(f"{signature.name} returns its outputs; it takes no Output[...]", location)
    return GraphFunction(signature, function)
