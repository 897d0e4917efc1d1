"""The decorator `expression`: kernels as functions of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mlc.bindings import ir
from mlc.kernels.errors import KernelError, SourceLocation, surface
from mlc.kernels.python_kernel import Kernel
from mlc.kernels.signature import Signature, function_location, signature_of
from mlc.kernels.source import python_function, visible_names
from mlc.kernels.tensors.symbols import SymbolicTensor


@surface
def expression(function: Callable[..., Any] | None = None, *, schedule: object = "") -> Any:
    """Decorates a function that defines each element of its results, which becomes a kernel.

        @mlc.expression
        def matmul(a: Tensor[f32, M, K], b: Tensor[f32, K, N]):
            k = axis(K)
            return compute((M, N), lambda i, j: sum(a[i, k] * b[k, j], k))

    The function is run for each combination of sizes and constants, on symbols. It returns what `compute`
    made: one tensor, or a tuple. `schedule` is one for `Kernel.scheduled`. Raises KernelError.
    """
    if function is None:
        return lambda decorated: expression(decorated, schedule=schedule)
    function = python_function(function)
    run, location = function, function_location(function)
    signature = signature_of(function, visible_names(function))
    if signature.outputs:
        raise KernelError(f"{signature.name} returns its outputs; it takes no Output[...]", location)

    def build(inputs: Sequence[Any], _sizes: Mapping[str, int], constants: Mapping[str, Any]) -> list[Any]:
        tensors = {
            parameter.name: SymbolicTensor(parameter.name, value)
            for parameter, value in zip(signature.inputs, inputs, strict=True)
        }
        return _results(run(**tensors, **constants), signature, location)

    return Kernel(signature, build, str(schedule))


def _results(returned: Any, signature: Signature, location: SourceLocation) -> list[ir.Value]:
    results = list(returned) if isinstance(returned, tuple | list) else [returned]
    for result in results:
        if not isinstance(result, SymbolicTensor) or isinstance(result.value.owner, ir.Block):
            raise KernelError(f"{signature.name} returns {result!r}, which compute did not make", location)
    if not results:
        raise KernelError(f"{signature.name} returns nothing", location)
    return [result.value for result in results]
