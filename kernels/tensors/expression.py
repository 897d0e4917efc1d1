"""`expression`: kernels as functions of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from mlc.bindings import ir
from mlc.kernels.errors import KernelError, SourceLocation, surface
from mlc.kernels.python_kernel import Kernel
from mlc.kernels.signature import Signature, function_place, signature_of
from mlc.kernels.source import visible_names
from mlc.kernels.tensors.symbols import SymbolicTensor


@surface
def expression(function: Callable[..., Any] | None = None, *, schedule: object = "") -> Any:
    """Makes a kernel of a function that says what each element of its results is.

        @mlc.expression
        def matmul(a: Tensor[f32, M, K], b: Tensor[f32, K, N]):
            k = axis(K)
            return compute((M, N), lambda i, j: sum(a[i, k] * b[k, j], k))

    The function is run for each combination of sizes and constants, on symbols. It returns what `compute`
    made: one tensor, or a tuple. `schedule` is one for `Kernel.scheduled`. Raises KernelError.
    """
    if function is None:
        return lambda each: expression(each, schedule=schedule)
    assert isinstance(function, FunctionType), "a function written with def"
    run, place = function, function_place(function)
    signature = signature_of(function, visible_names(function))
    if signature.outputs:
        raise KernelError(f"{signature.name} returns its outputs; it takes no Output[...]", place)

    def body(inputs: Sequence[Any], _sizes: Mapping[str, int], constants: Mapping[str, Any]) -> list[Any]:
        tensors = {
            each.name: SymbolicTensor(each.name, value)
            for each, value in zip(signature.inputs, inputs, strict=True)
        }
        return _results(run(**tensors, **constants), signature, place)

    return Kernel(signature, body, str(schedule))


def _results(returned: Any, signature: Signature, place: SourceLocation) -> list[ir.Value]:
    results = list(returned) if isinstance(returned, tuple | list) else [returned]
    for each in results:
        if not isinstance(each, SymbolicTensor) or isinstance(each.value.owner, ir.Block):
            raise KernelError(f"{signature.name} returns {each!r}, which compute did not make", place)
    if not results:
        raise KernelError(f"{signature.name} returns nothing", place)
    return [result.value for result in results]
