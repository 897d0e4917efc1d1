"""Measures the errors of the f32 functions of passes/tloop/polynomials.py, and of what is composed of them.

`python test/numerics/vector_math.py` prints the largest errors of a sampled run, with `--exhaustive` of all
floats in the ranges where the functions are neither constant nor the identity.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from mlc.codegen.host import host_target
from mlc.compiler.kernel_job import compile_object
from mlc.runtime import Image, call_entry

CHUNK = 1 << 20
Array = np.ndarray


def _erf(x: Array) -> Array:
    return np.array([math.erf(value) for value in x.tolist()])


def _sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


def _gelu(x: Array) -> Array:
    """By erfc: no cancellation for negative x."""
    return np.array([value / 2 * math.erfc(-value / math.sqrt(2)) for value in x.tolist()])


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


@dataclass(frozen=True)
class Function:
    """`bound` is the stated error in `unit`; a full search takes x with exponents from low to high."""

    op: str
    exact: Callable[[Array], Array]
    bound: float
    exponents: tuple[int, int]
    negative: bool = True
    unit: str = "ulp of the result"


FUNCTIONS = {
    "exp": Function("math.exp", np.exp, 1.0, (-26, 7)),
    "log": Function("math.log", np.log, 1.0, (-149, 128), negative=False),
    "log1p": Function("math.log1p", np.log1p, 2.5, (-26, 128)),
    "tanh": Function("math.tanh", np.tanh, 1.5, (-14, 5)),
    "erf": Function("math.erf", _erf, 6.5, (-14, 3)),
    "sigmoid": Function("graph.sigmoid", _sigmoid, 3.0, (-26, 7)),
    "softplus": Function("graph.softplus", _softplus, 3.0, (-26, 7)),
    "gelu": Function("graph.gelu", _gelu, 4.0, (-14, 5), unit="ulp of x"),
}


@cache
def image(op: str) -> Image:
    """A kernel that applies `op` to CHUNK numbers."""
    kind = f"tensor<{CHUNK}xf32>"
    if op.startswith("graph."):
        attributes = ' {approximate = "none"}' if op == "graph.gelu" else ""
        body = f'%r = "{op}"(%x){attributes} : ({kind}) -> {kind}'
    else:
        body = f"""%e = tensor.empty() : {kind}
        %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                              iterator_types = ["parallel"]}} ins(%x : {kind}) outs(%e : {kind}) {{
        ^bb0(%a: f32, %b: f32):
          %y = {op} %a : f32
          linalg.yield %y : f32
        }} -> {kind}"""
    target = host_target()
    text = f"""module attributes {{tloop.target = "{target}"}} {{
      func.func private @k(%x: {kind}) -> {kind} attributes {{tloop.kernel}} {{
        {body}
        return %r : {kind}
      }} }}"""
    job = {"text": text, "pipeline": "cpu-kernel", "target": str(target)}
    return Image([compile_object(job)["object"]])


def evaluate(op: str, x: Array) -> Array:
    """`op` of any number of floats."""
    results = []
    for start in range(0, len(x), CHUNK):
        part = np.zeros(CHUNK, np.float32)
        part[: len(x) - start] = x[start : start + CHUNK]
        result = np.empty_like(part)
        call_entry(image(op), "k", [part.view(np.uint8), result.view(np.uint8)], [], 1)
        results.append(result[: len(x) - start])
    return np.concatenate(results)


def ulp(values: Array) -> Array:
    """The distance of f32 numbers at `values`."""
    clipped = np.clip(np.abs(values), np.finfo(np.float32).tiny, np.finfo(np.float32).max)
    return 2.0 ** (np.floor(np.log2(clipped)) - 23)


def sampled(function: Function) -> Iterator[Array]:
    """Every exponent with random and extreme mantissas, and the interesting ones densely."""
    rng = np.random.default_rng(0)
    exponents = np.repeat(np.arange(255, dtype=np.uint32), 2048)
    mantissas = rng.integers(0, 1 << 23, len(exponents), dtype=np.uint32)
    mantissas[::2048], mantissas[1::2048] = 0, (1 << 23) - 1
    yield from _signed((exponents << 23 | mantissas).view(np.float32), function)
    low, high = (max(0, min(254, each + 127)) for each in function.exponents)
    bits = rng.integers(low << 23, high << 23, 1 << 20, dtype=np.uint32)
    yield from _signed(bits.view(np.float32), function)


def exhaustive(function: Function) -> Iterator[Array]:
    """All floats with the exponents where something happens."""
    low, high = (max(0, min(255, each + 127)) for each in function.exponents)
    for start in range(low << 23, high << 23, CHUNK):
        yield from _signed(np.arange(start, start + CHUNK, dtype=np.uint32).view(np.float32), function)


def _signed(x: Array, function: Function) -> Iterator[Array]:
    yield x
    if function.negative:
        yield -x


def largest_error(name: str, numbers: Callable[[Function], Iterator[Array]] = sampled) -> tuple[float, float]:
    """The largest error in the function's unit, and where.

    Where the exact result is beyond f32's range, or NaN, so must the computed one be: anything else counts as
    an infinite error.
    """
    function = FUNCTIONS[name]
    worst = (0.0, 0.0)
    for x in numbers(function):
        with np.errstate(all="ignore"):
            exact = function.exact(x.astype(np.float64))
            actual = evaluate(function.op, x).astype(np.float64)
            unit = ulp(x if function.unit == "ulp of x" else exact)
            error = np.abs(actual - exact) / unit
            rounded = exact.astype(np.float32).astype(np.float64)
        special = ~np.isfinite(rounded)
        same = (actual == rounded) | (np.isnan(actual) & np.isnan(rounded))
        error[special] = np.where(same[special], 0.0, np.inf)
        error[np.isnan(error)] = np.inf
        place = int(error.argmax())
        worst = max(worst, (float(error[place]), float(x[place])))
    return worst


def main() -> None:
    numbers = exhaustive if "--exhaustive" in sys.argv else sampled
    for name, function in FUNCTIONS.items():
        error, place = largest_error(name, numbers)
        print(
            f"{name:9} {error:8.3f} {function.unit} at {place!r}, stated: below {function.bound}", flush=True
        )


if __name__ == "__main__":
    main()
