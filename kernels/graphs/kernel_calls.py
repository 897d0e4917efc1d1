"""Calls of kernels by graph functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlc.bindings import func, ir
from mlc.dialects.tloop import build_launch
from mlc.kernels.call_arguments import split_arguments
from mlc.kernels.errors import KernelError, at_location, caller_location
from mlc.kernels.graphs.graph_tensors import TracedTensor, as_tensor

if TYPE_CHECKING:
    from mlc.kernels.python_kernel import Kernel


def launch(kernel: Kernel, values: Sequence[ir.Value], constants: Mapping[str, Any]) -> list[ir.Value]:
    """Launches `kernel` on tensors at the insertion point, and adds it to the enclosing module.

    Raises KernelError for tensors that do not fit the kernel's signature.
    """
    signature = kernel.signature
    shapes = {}
    for parameter, value in zip(signature.inputs, values, strict=True):
        type_, wanted = ir.RankedTensorType(value.type), signature.tensor(parameter.name)
        element = str(type_.element_type)
        if element != wanted.element.name:
            raise KernelError(
                f"{kernel.name}: '{parameter.name}' has elements of {element}, but must be {wanted}"
            )
        if not type_.has_static_shape:
            raise KernelError(f"{kernel.name}: '{parameter.name}' is a {type_} of unknown sizes")
        shapes[parameter.name] = tuple(type_.shape)
    special = kernel.specialise(shapes, constants)
    module = ir.InsertionPoint.current.block.owner.operation
    while module.parent is not None:
        module = module.parent.operation
    function = func.Func(special.build(module))
    return list(build_launch(function.sym_name, values, function.function_type.results).results)


def call_in_graph(kernel: Kernel, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Calls a kernel on tensors of a graph function; returns a tensor, or a tuple. Raises KernelError."""
    location = caller_location()
    inputs, constants = split_arguments(kernel.signature, given, named)
    with at_location(location):
        # Weights have buffers, which launches read; constants are parts of kernels.
        values = [as_tensor(value, None, location, small=0).value for value in inputs.values()]
        results = list(map(TracedTensor, launch(kernel, values, constants)))
    return results[0] if len(results) == 1 else tuple(results)
