"""Step lists: NumPy evaluates `@prepare` to the bits that compiled kernels compute."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np
import pytest

from mlc.bindings import ir
from mlc.codegen.host_target import host_target
from mlc.compiler.errors import CompileError
from mlc.compiler.host_program.step_list import COPY, BufferRegion, HostStep, NumpyKernel, StepList
from mlc.compiler.host_program.step_list_reader import read_body, read_step_list
from mlc.compiler.kernel_job import compile_object
from mlc.dialects import create_context
from mlc.passes.common.target import set_target
from mlc.runtime import Image, call_entry
from mlc.runtime.tensors import TensorSpec

F32 = "(tensor<6x8xf32>) -> tensor<6x8xf32>"
TWO = "(tensor<6x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>"
X = "tensor<6x8xf32>"

# Ops on %a: 6x8 and %b: 8, and the type of %r.
EXACT = {
    "add": (f'%r = "graph.add"(%a, %b) : {TWO}', X),
    "sub": (f'%r = "graph.sub"(%a, %b) : {TWO}', X),
    "mul": (f'%r = "graph.mul"(%a, %b) : {TWO}', X),
    "div": (f'%r = "graph.div"(%a, %b) : {TWO}', X),
    "neg": (f'%r = "graph.neg"(%a) : {F32}', X),
    "sqrt": (f'%r = "graph.sqrt"(%a) : {F32}', X),
    "rsqrt": (f'%r = "graph.rsqrt"(%a) : {F32}', X),
    "reciprocal": (f'%r = "graph.reciprocal"(%a) : {F32}', X),
    "chain": (
        '%c = "graph.constant"() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>\n'
        '%s = "graph.mul"(%a, %c) : (tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>\n'
        f'%t = "graph.sqrt"(%s) : {F32}\n%r = "graph.div"(%t, %b) : {TWO}',
        X,
    ),
    "transpose": (
        '%r = "graph.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<8x6xf32>',
        "tensor<8x6xf32>",
    ),
    "slice": (
        '%r = "graph.slice"(%a) {starts = array<i64: 1, 1>, sizes = array<i64: -1, 3>, '
        "steps = array<i64: 1, 3>} : (tensor<6x8xf32>) -> tensor<5x3xf32>",
        "tensor<5x3xf32>",
    ),
    "slice from the end": (
        '%r = "graph.slice"(%a) {starts = array<i64: -3, -8>, sizes = array<i64: 3, 2>, '
        "steps = array<i64: 1, 7>} : (tensor<6x8xf32>) -> tensor<3x2xf32>",
        "tensor<3x2xf32>",
    ),
    "pad": (
        '%r = "graph.pad"(%a) {low = array<i64: 0, 2>, high = array<i64: 1, 0>, mode = "constant", '
        "value = 3.0 : f64} : (tensor<6x8xf32>) -> tensor<7x10xf32>",
        "tensor<7x10xf32>",
    ),
    "pack": (
        '%r = "graph.pack"(%a) {inner_dims = array<i64: 1, 0>, inner_tiles = array<i64: 4, 2>, '
        "outer_permutation = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<2x3x4x2xf32>",
        "tensor<2x3x4x2xf32>",
    ),
    "padded pack": (
        '%r = "graph.pack"(%a) {inner_dims = array<i64: 1>, inner_tiles = array<i64: 3>, '
        "outer_permutation = array<i64>, padding = 0.5 : f64} : (tensor<6x8xf32>) -> tensor<6x3x3xf32>",
        "tensor<6x3x3xf32>",
    ),
    "expand": (
        '%r = "graph.expand"(%b) {shape = array<i64: 3, 8>} : (tensor<8xf32>) -> tensor<3x8xf32>',
        "tensor<3x8xf32>",
    ),
    "gather": (
        '%i = "graph.constant"() {value = dense<[[0, -1], [5, 9]]> : tensor<2x2xi64>} : () -> '
        "tensor<2x2xi64>\n"
        '%r = "graph.gather"(%a, %i) {axis = 0 : i64} : (tensor<6x8xf32>, tensor<2x2xi64>) -> '
        "tensor<2x2x8xf32>",
        "tensor<2x2x8xf32>",
    ),
    "gather elements": (
        '%i = "graph.constant"() {value = dense<[[0, -1, 7], [3, -9, 9]]> : tensor<2x3xi64>} : () -> '
        "tensor<2x3xi64>\n"
        '%r = "graph.gather_elements"(%a, %i) {axis = 1 : i64} : (tensor<6x8xf32>, tensor<2x3xi64>) -> '
        "tensor<2x3xf32>",
        "tensor<2x3xf32>",
    ),
    "gather_nd": (
        '%i = "graph.constant"() {value = dense<[[0, -1], [5, 9]]> : tensor<2x2xi64>} : () -> '
        "tensor<2x2xi64>\n"
        '%r = "graph.gather_nd"(%a, %i) {batch_dims = 0 : i64} : (tensor<6x8xf32>, tensor<2x2xi64>) -> '
        "tensor<2xf32>",
        "tensor<2xf32>",
    ),
    "concat": (
        '%u = "graph.unsqueeze"(%b) {axes = array<i64: 0>} : (tensor<8xf32>) -> tensor<1x8xf32>\n'
        '%r = "graph.concat"(%a, %u) {axis = 0 : i64, '
        "operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>} : (tensor<6x8xf32>, tensor<1x8xf32>) -> "
        "tensor<7x8xf32>",
        "tensor<7x8xf32>",
    ),
}


def kernel(body: str, result: str) -> str:
    """The module of a kernel @k that returns %r."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(
            f"func.func private @k(%a: tensor<6x8xf32>, %b: tensor<8xf32>) -> {result} "
            f"attributes {{tloop.kernel}} {{\n{body}\nreturn %r : {result}\n}}"
        )
        set_target(module.operation, host_target())
        return str(module)


def body_of(text: str) -> NumpyKernel | None:
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        return read_body(module.body.operations[0].operation)


def operands() -> list[np.ndarray]:
    a = np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32)
    a[0, :4] = [0.0, -0.0, np.inf, np.nan]
    return [a, np.array([1, -2, 0.0, 3e38, 1e-40, np.inf, 5, -1], np.float32)]


def run_compiled(text: str, arguments: Sequence[np.ndarray]) -> None:
    target = str(host_target())
    job = {"text": text, "pipeline": "cpu-kernel", "target": target, "optimize": 1}
    call_entry(Image([compile_object(job)["object"]]), "k", list(arguments), [], 1)


@pytest.mark.parametrize("name", EXACT)
def test_numpy_computes_what_the_kernel_does(name: str) -> None:
    text = kernel(*EXACT[name])
    shape = [int(dim) for dim in re.findall(r"(\d+)x", EXACT[name][1])]
    found, wanted = np.zeros(shape, np.float32), np.ones(shape, np.float32)
    body = body_of(text)
    assert body is not None
    with np.errstate(all="ignore"):
        body.run([*operands(), found])
    run_compiled(text, [*operands(), wanted])
    assert np.array_equal(found, wanted, equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(wanted)) or np.isnan(wanted).any()


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_numpy_rounds_as_the_kernel_does(element: str) -> None:
    text = kernel(
        f'%h = "graph.cast"(%a) {{saturate = true}} : (tensor<6x8xf32>) -> tensor<6x8x{element}>\n'
        f'%t = "graph.transpose"(%h) {{permutation = array<i64: 1, 0>}} : (tensor<6x8x{element}>) -> '
        f"tensor<8x6x{element}>\n"
        '%r = "graph.pad"(%t) {low = array<i64: 0, 1>, high = array<i64: 0, 2>, mode = "constant", '
        f"value = 0.0 : f64}} : (tensor<8x6x{element}>) -> tensor<8x9x{element}>",
        f"tensor<8x9x{element}>",
    )
    body = body_of(text)
    assert body is not None
    spec = TensorSpec("", {"bf16": "bfloat16", "f16": "float16"}[element], (8, 9))
    found, wanted = (np.ones((8, 9), spec.buffer_dtype) for _ in range(2))
    with np.errstate(all="ignore"):
        body.run([*operands(), found])
    run_compiled(text, [*operands(), wanted])
    values, right = (array.view(spec.numpy_dtype).astype(np.float32) for array in (found, wanted))
    assert np.array_equal(values, right, equal_nan=True)
    assert np.isinf(values).sum() == np.isnan(values).sum() == 1


@pytest.mark.parametrize(
    "line",
    [
        f'%r = "graph.exp"(%a) : {F32}',
        f'%r = "graph.pow"(%a, %b) : {TWO}',
        '%r = "graph.pad"(%a) {low = array<i64: 0, 0>, high = array<i64: 0, 0>, mode = "edge"} : ' + F32,
        '%h = "graph.cast"(%a) {saturate = true} : (tensor<6x8xf32>) -> tensor<6x8xbf16>\n'
        '%r = "graph.cast"(%h) {saturate = true} : (tensor<6x8xbf16>) -> tensor<6x8xf32>',
    ],
)
def test_what_numpy_may_compute_otherwise_is_compiled(line: str) -> None:
    assert body_of(kernel(line, X)) is None


def test_a_padding_of_bf16_with_a_constant_is_compiled() -> None:
    line = (
        '%h = "graph.cast"(%a) {saturate = true} : (tensor<6x8xf32>) -> tensor<6x8xbf16>\n'
        '%r = "graph.pad"(%h) {low = array<i64: 0, 0>, high = array<i64: 0, 0>, mode = "constant", '
        "value = 1.0 : f64} : (tensor<6x8xbf16>) -> tensor<6x8xbf16>"
    )
    assert body_of(kernel(line, "tensor<6x8xbf16>")) is None


def test_a_step_list_is_json() -> None:
    body = body_of(kernel(*EXACT["chain"]))
    assert body is not None
    region = BufferRegion(1, 64, "float32", (2, 3))
    step_list = StepList((HostStep("k", (region, region)), HostStep(COPY, (region, region))), {"k": body})
    assert StepList.from_json(json.loads(json.dumps(step_list.to_json()))) == step_list


def test_a_step_list_evaluates_calls_and_copies() -> None:
    """One argument has %a at 0, %b at 192, then the results of both kernels and a copy."""
    a, b = operands()
    texts = {"n": kernel(*EXACT["add"]), "k": kernel(*EXACT["div"])}
    body = body_of(texts["n"])
    assert body is not None
    memory = np.zeros(1024, np.uint8)
    memory[:192], memory[192:224] = a.view(np.uint8).ravel(), b.view(np.uint8)
    x, y, z = (BufferRegion(0, offset, "float32", (6, 8)) for offset in (0, 256, 512))
    w, v = BufferRegion(0, 192, "float32", (8,)), BufferRegion(0, 768, "float32", (6, 8))
    step_list = StepList(
        (HostStep("n", (x, w, y)), HostStep("k", (y, w, z)), HostStep(COPY, (z, v))), {"n": body}
    )
    job = {"text": texts["k"], "pipeline": "cpu-kernel", "target": str(host_target()), "optimize": 1}
    step_list.run([memory], [compile_object(job)["object"]])
    with np.errstate(all="ignore"):
        wanted = (a + b) / b
    for region in (z, v):
        assert np.array_equal(region.of([memory]), wanted, equal_nan=True)


def test_control_flow_is_no_list() -> None:
    text = """func.func @prepare(%c: memref<i1>) {
      %0 = memref.load %c[] : memref<i1>
      scf.if %0 { }
      return
    }"""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        with pytest.raises(CompileError, match="@prepare holds control flow, which only processors run"):
            read_step_list(module.body.operations[0].operation, {})
