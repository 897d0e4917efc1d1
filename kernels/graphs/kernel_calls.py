"""Calls of kernels by graph functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlc.bindings import ir
from mlc.dialects.tloop import build_launch
from mlc.kernels.call_arguments import split_arguments
from mlc.kernels.errors import KernelError, caller_place, located
from mlc.kernels.graphs.graph_tensors import GraphTensor, as_tensor

if TYPE_CHECKING:
    from mlc.kernels.python_kernel import Kernel


def launch(kernel: Kernel, values: Sequence[ir.Value], constants: Mapping[str, Any]) -> list[ir.Value]:
    """Launches `kernel` on tensors at the insertion point, and adds it to the module around.

    Raises KernelError for tensors that do not fit the kernel's signature.
    """
    signature = kernel.signature
    shapes = {}
    for parameter, value in zip(signature.inputs, values, strict=True):
        kind, wanted = ir.RankedTensorType(value.type), signature.tensor(parameter.name)
        if str(kind.element_type) != wanted.element.name:
            raise KernelError(
                f"{kernel.name}: '{parameter.name}' has elements of {kind.element_type}, but must be {wanted}"
            )
        if not kind.has_static_shape:
            raise KernelError(f"{kernel.name}: '{parameter.name}' is a {kind} of unknown sizes")
        shapes[parameter.name] = tuple(kind.shape)
    special = kernel.specialise(shapes, constants)
    module = ir.InsertionPoint.current.block.owner.operation
    while module.parent is not None:
        module = module.parent.operation
    function = special.build(module)
    results = function.attributes["function_type"].value.results
    return list(build_launch(function.attributes["sym_name"].value, values, results).results)


def call_in_graph(kernel: Kernel, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """A kernel's call on tensors of a graph function: a tensor, or a tuple. Raises KernelError."""
    place = caller_place()
    inputs, constants = split_arguments(kernel.signature, given, named)
    with located(place):
        # Weights have buffers, which launches read; constants are parts of kernels.
        values = [as_tensor(value, None, place, small=0).value for value in inputs.values()]
        results = [GraphTensor(each) for each in launch(kernel, values, constants)]
    return results[0] if len(results) == 1 else tuple(results)
