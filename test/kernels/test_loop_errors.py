"""Errors of kernels with loops are reported at their location in the source."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

import mlc.kernels
from mlc.kernels import KernelError, Output, Tensor, block, buffer, dims, f32, i32, kernel, sqrt

M, N = dims("M N")
X: TypeAlias = Tensor[f32, 8]
Y: TypeAlias = Output[f32, 8]
MARK = re.compile(r"# \d+: ")


# Each function has a comment with the message, on the line and after the column of which it complains.
def while_loop(x: X, y: Y) -> None:
    while True:  # 5: kernels have no while statement
        pass


def slices(x: X, y: Y) -> None:
    y[:] = 0.0  # 7: kernels have no slices; write a loop


def unknown_name(x: X, y: Y) -> None:
    for i in range(8):
        y[i] = x[i] + z  # type: ignore  # noqa: F821  # 23: 'z' is not defined here


def too_large(x: X, y: Y) -> None:
    y[0] = 10**400  # 5: 1000


def inputs_are_read(x: X, y: Y) -> None:
    x[0] = 1.0  # 5: x is an input; a kernel writes to parameters annotated Output[...]


def out_of_bounds(x: X, y: Y) -> None:
    for i in range(8):
        y[i] = x[i + 1]  # 16: subscript i + 1 of x reaches 8, but dim 0 has 8 elements


def before_the_first(x: X, y: Y) -> None:
    for i in range(0, 8, 2):
        y[6 - 2 * i] = x[i]  # 9: subscript 6 - 2 * i of y reaches -6, but dim 0 has 8 elements


def rank(x: X, y: Y) -> None:
    y[0, 1] = 0.0  # 5: y has 1 dims, but 2 subscripts


def mixed_types(x: X, y: Y) -> None:
    for i in range(8):
        y[i] = x[i] * i32(i)  # 16: '*' mixes f32 and i32; convert one of them: f32(x)


def index_as_float(x: X, y: Y) -> None:
    for i in range(8):
        y[i] = i  # 9: expected f32, but this is an index; convert it: f32(x)


def untyped_sum(x: X, y: Y) -> None:
    total = 0.0
    for i in range(8):  # 5: the loop changes 'total', the Python scalar 0.0; give it a type: total = f32(0.0)
        total += x[i]
    y[0] = total


def lost_scalar(x: X, y: Y) -> None:
    for i in range(8):
        last = x[i]
    y[0] = last  # 12: 'last' is not defined here


def return_value(x: X, y: Y) -> Any:
    return x  # 5: a kernel returns nothing; its outputs are parameters annotated Output[...]


def foreign_call(x: X, y: Y) -> None:
    for i in range(8):
        y[i] = np.linalg.norm(x[i])  # 16: kernels cannot call np.linalg.norm; they can call functions of


def whole_tensor(x: X, y: Y) -> None:
    y[0] = x + 1  # 12: x is a whole tensor; a kernel computes with elements, as in x[i]


def other_loop(x: X, y: Y) -> None:
    for item in x:  # 17: kernels loop over range(...) only
        y[0] = item


def other_with(x: X, y: Y) -> None:
    with open("x"):  # 5: kernels have only one with statement: with block("name"):
        y[0] = 0.0


def nested_blocks(x: X, y: Y) -> None:
    with block("a"):  # noqa: SIM117
        with block("b"):  # 9: blocks do not nest, and this one is inside 'a'
            y[0] = 0.0


def negative_step(x: X, y: Y) -> None:
    for i in range(8, 0, -1):  # 26: the step of a loop is a positive integer
        y[i] = 0.0


def integer_division(x: X, y: Y) -> None:
    y[0] = f32(i32(x[0]) / i32(x[1]))  # 16: '/' wants float operands, but these are i32; '//' divides


def arity(x: X, y: Y) -> None:
    y[0] = sqrt(x[0], x[1])  # 12: sqrt takes 1 operands, not 2


def odd_buffer(x: X, y: Y) -> None:
    part = buffer(f32, 0)  # 12: a buffer has an element type and positive sizes: buffer(f32, 16, 16)
    y[0] = part[0]


def text(x: X, y: Y) -> None:
    y[0] = "1"  # 12: kernels compute with integers and floats, not with '1'


def float_condition(x: X, y: Y) -> None:
    if x[0]:  # 5: a condition is a bool, but this is f32
        y[0] = 0.0


def float_subscript(x: X, y: Y) -> None:
    y[0] = x[x[0]]  # 14: x[0] is a f32; subscripts are integers


CASES = [
    while_loop, slices, unknown_name, inputs_are_read, out_of_bounds, before_the_first, rank, mixed_types,
    index_as_float, untyped_sum, lost_scalar, return_value, foreign_call, whole_tensor, other_loop,
    other_with, nested_blocks, negative_step, integer_division, arity, odd_buffer, text, float_condition,
    float_subscript,
]  # fmt: skip


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_message_and_location(function: Callable[..., Any]) -> None:
    lines, first = inspect.getsourcelines(function)
    offset, line = next((index, line) for index, line in enumerate(lines) if MARK.search(line))
    column, _, message = line.rpartition("# ")[2].strip().partition(": ")
    with pytest.raises(KernelError) as caught:
        kernel(function).mlir()
    location = f"{__file__}:{first + offset}:{column}: error: "
    assert str(caught.value).startswith(location + message), str(caught.value)
    # Where the user called, and the function that was called: nothing from inside.
    assert len(traceback.extract_tb(caught.value.__traceback__)) == 2


def message(call: Callable[[], Any]) -> str:
    with pytest.raises(KernelError) as caught:
        call()
    return caught.value.message


@kernel
def scale(x: Tensor[f32, M, N], y: Output[f32, M, N], factor: float) -> None:
    for i in range(M):
        for j in range(N):
            y[i, j] = x[i, j] * factor


@kernel
def add(a: Tensor[f32, M, N], b: Tensor[f32, N], y: Output[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            y[i, j] = a[i, j] + b[j]


GOOD = np.zeros((2, 3), np.float32)
CALLS: list[tuple[Callable[[], Any], str]] = [
    (lambda: scale(GOOD), "scale needs its constant 'factor': factor=..."),
    (lambda: scale(GOOD, factor="x"), "the constant 'factor' is float, not 'x'"),
    (lambda: scale(GOOD, factor=1, other=2), "scale has no constant 'other'; it has factor"),
    (lambda: scale([[1.0]], factor=1), "scale: 'x' must be a NumPy array, not a list"),
    (lambda: scale(GOOD.astype("f8"), factor=1), "scale: 'x' has dtype float64, but f32[M, N] needs float32"),
    (lambda: scale(GOOD.T, factor=1), "scale: 'x' is not C-contiguous; give a copy that is"),
    (lambda: scale(GOOD[0], factor=1), "'x' has shape [3], but must be f32[M, N]: another rank"),
    (lambda: scale(GOOD, GOOD, factor=1), "scale takes 1 arrays (x), not 2"),
    (lambda: add(GOOD), "add needs its array 'b'"),
    (lambda: add(GOOD, a=GOOD), "add: 'a' is given twice"),
    (lambda: add(GOOD, GOOD[:, 0].copy()), "add: 'b' has shape [2], but f32[N] is [3] with M = 2, N = 3"),
    (lambda: add.mlir(M=2), "add needs its size N: N=128"),
    (lambda: add.mlir(M=2, N=-3), "add: N: -3 is no size: an integer from 0"),
    (lambda: add.mlir(M="a", N=3), "add: M: 'a' is no size: an integer from 0"),
]


@pytest.mark.parametrize(("call", "expected"), CALLS, ids=[text for _, text in CALLS])
def test_calls(call: Callable[[], Any], expected: str) -> None:
    assert message(call).startswith(expected)


@kernel
def forgets(x: X, y: Y, z: Y) -> None:
    for i in range(8):
        y[i] = z[i]


def test_outputs_without_a_write() -> None:
    assert message(lambda: forgets(np.zeros(8, np.float32))) == "forgets never writes to its output z"
    assert [out.shape for out in (scale(GOOD[:0], factor=1), add(GOOD[:0], GOOD[0]))] == [(0, 3), (0, 3)]


def test_signatures() -> None:
    def bare(x, y: Y) -> None: ...  # type: ignore[no-untyped-def]

    def odd(x: X, y: str) -> None: ...

    def free(x: X, y: Output[f32, N]) -> None: ...

    def no_output(x: X) -> None: ...

    def many(*x: X, y: Y) -> None: ...

    assert "parameter 'x' of bare: the annotation is missing" in message(lambda: kernel(bare))
    assert "parameter 'y' of odd: <class 'str'> is no type of kernels" in message(lambda: kernel(odd))
    assert "no input of free has a dim that is just N" in message(lambda: kernel(free))
    assert "no_output has no output" in message(lambda: kernel(no_output))
    assert "fixed number of parameters" in message(lambda: kernel(many))
    assert message(lambda: kernel(len)).startswith("expected a function written with def, not a builtin")
    assert "'f33' is no element type" in message(lambda: Tensor["f33", 4])
    assert "a size is an integer or a name" in message(lambda: Tensor[f32, 1.5])
    assert "known only inside a kernel" in message(lambda: range(M))
    assert "belongs into the source" in message(lambda: mlc.kernels.block("a"))
