"""Measures the errors of the f32 functions of passes/math, and of what is composed of them.

`python test/numerics/math_functions/vector_math.py [name...]` prints the largest errors of a sample,
with `--exhaustive` of all floats.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from vector_functions import FUNCTIONS, Function

from mlc.codegen.host_target import host_target
from mlc.compiler.kernel_job import compile_object
from mlc.runtime import Image, call_entry

CHUNK, PART = 1 << 20, 1 << 15
# The smallest normal f32, and the smallest f64 that is rounded to infinity.
TINY, HUGE = 2.0**-126, 2.0**128 * (1 - 2.0**-25)
Array = np.ndarray


def kernel(op: str, attributes: str, target: str, operands: int = 1) -> str:
    """A module with a kernel that applies `op` to `operands` vectors of CHUNK elements."""
    tensor_type = f"tensor<{CHUNK}xf32>"
    names = [f"%x{index}" for index in range(operands)]
    arguments = ", ".join(f"{name}: {tensor_type}" for name in names)
    if op.startswith("graph."):
        types = ", ".join([tensor_type] * operands)
        body = f'%r = "{op}"({", ".join(names)}) {attributes} : ({types}) -> {tensor_type}'
    else:
        maps = ", ".join(["affine_map<(i) -> (i)>"] * (operands + 1))
        scalars = ", ".join(f"%a{index}: f32" for index in range(operands))
        body = f"""%e = tensor.empty() : {tensor_type}
        %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
            ins({", ".join(names)} : {", ".join([tensor_type] * operands)}) outs(%e : {tensor_type}) {{
        ^bb0({scalars}, %b: f32):
          %y = {op} {", ".join(f"%a{index}" for index in range(operands))} : f32
          linalg.yield %y : f32
        }} -> {tensor_type}"""
    return f"""module attributes {{tloop.target = "{target}"}} {{
      func.func private @k({arguments}) -> {tensor_type} attributes {{tloop.kernel}} {{
        {body}
        return %r : {tensor_type}
      }} }}"""


@cache
def image(op: str, attributes: str = "", operands: int = 1) -> Image:
    """The kernel, compiled for this machine."""
    target = str(host_target())
    text = kernel(op, attributes, target, operands)
    return Image([compile_object({"text": text, "pipeline": "cpu-kernel", "target": target})["object"]])


def evaluate(op: str, *operands: Array, attributes: str = "") -> Array:
    """`op` of any number of floats."""
    results = []
    for start in range(0, len(operands[0]), CHUNK):
        parts = [np.zeros(CHUNK, np.float32) for _ in operands]
        for part, x in zip(parts, operands, strict=True):
            part[: len(x) - start] = x[start : start + CHUNK]
        result = np.empty(CHUNK, np.float32)
        buffers = [array.view(np.uint8) for array in (*parts, result)]
        call_entry(image(op, attributes, len(operands)), "k", buffers, [], 1)
        results.append(result[: len(operands[0]) - start])
    return np.concatenate(results)


def ulp(values: Array) -> Array:
    """The distance of f32 values at the f64 `values`."""
    power = (values.view(np.int64) & (0x7FF << 52)).view(np.float64)
    return np.maximum(power, TINY) * 2.0**-23


def samples_of(function: Function) -> Iterator[Array]:
    """Random and extreme mantissas of every exponent, all floats near the thresholds, and special values."""
    rng = np.random.default_rng(0)
    count = 512
    exponents = np.repeat(np.arange(256, dtype=np.uint32), count)
    mantissas = rng.integers(0, 1 << 23, len(exponents), dtype=np.uint32)
    mantissas[0::count], mantissas[1::count], mantissas[2::count] = 0, (1 << 23) - 1, 1
    yield from _both_signs(exponents << 23 | mantissas)
    # From 2^-6 to 2^8, where most happens.
    yield from _both_signs(rng.integers(121 << 23, 135 << 23, 1 << 17, dtype=np.uint32))
    near = np.abs(np.array(function.thresholds, np.float32)).view(np.uint32)
    yield from _both_signs((near[:, None] + np.arange(-256, 257)).ravel().astype(np.uint32))


def exhaustive(_function: Function) -> Iterator[Array]:
    """All floats."""
    for start in range(0, 1 << 31, CHUNK):
        yield from _both_signs(np.arange(start, start + CHUNK, dtype=np.uint32))


def _both_signs(bits: Array) -> Iterator[Array]:
    yield bits.view(np.float32)
    yield -bits.view(np.float32)


def error(function: Function, x: Array, actual: Array) -> Array:
    """The errors of the results `actual` at `x`, in the function's ulp.

    Where the exact result is beyond f32's range, or NaN, so must the computed one be: anything else counts as
    an infinite error, as does a zero of the wrong sign.
    """
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        exact = function.exact(wide)
        unit = ulp(exact)
        if function.absolute:
            unit = np.maximum(unit, ulp(function.absolute(wide)))
        result = np.abs(actual - exact) / unit
        special = np.flatnonzero(~((np.abs(exact) < HUGE) & (exact != 0)))
        rounded = exact[special].astype(np.float32)
    found = actual[special]
    same = (found == rounded) & (np.signbit(found) == np.signbit(rounded)) | (
        np.isnan(found) & np.isnan(rounded)
    )
    result[special] = np.where(same, 0.0, np.inf)
    result[np.isnan(result)] = np.inf
    return result


def largest_error(
    name: str, samples: Callable[[Function], Iterator[Array]] = samples_of
) -> tuple[float, float]:
    """The largest error in the function's ulp, and where."""
    function = FUNCTIONS[name]
    worst = (0.0, 0.0)
    for x in samples(function):
        actual = evaluate(function.op, x, attributes=function.attributes)
        # In parts that stay in the cache.
        for start in range(0, len(x), PART):
            part = x[start : start + PART]
            errors = error(function, part, actual[start : start + PART])
            index = int(errors.argmax())
            worst = max(worst, (float(errors[index]), float(part[index])))
    return worst


def main() -> None:
    samples = exhaustive if "--exhaustive" in sys.argv else samples_of
    for name in [name for name in sys.argv[1:] if name in FUNCTIONS] or FUNCTIONS:
        largest, argument = largest_error(name, samples)
        print(
            f"{name:10} {largest:8.3f} ulp at {argument!r}, stated: below {FUNCTIONS[name].bound}", flush=True
        )


if __name__ == "__main__":
    main()
