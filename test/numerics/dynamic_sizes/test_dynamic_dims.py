"""Kernels whose dims are known only when they run: one object, called for several sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from mlc.codegen.host_target import host_target
from mlc.compiler.kernel_job import compile_object
from mlc.runtime._native import Image, call_entry

Numpy = Callable[..., np.ndarray]


@dataclass(frozen=True)
class Case:
    """A kernel's body on `%a`, `%b`, ..., its operands' and its result's dims, and what it computes.

    Dims are names or integers as texts, as in "m 8"; names get indices in the order in which they appear.
    """

    body: str
    operands: tuple[str, ...]
    result: str
    reference: Numpy
    sizes: tuple[tuple[int, ...], ...] = ((1, 1), (5, 3), (64, 33), (0, 4))

    def names(self) -> list[str]:
        words = " ".join((*self.operands, self.result)).split()
        return list(dict.fromkeys(word for word in words if not word.isdecimal()))

    def text(self) -> str:
        """The module with the kernel @k."""
        types = [self.tensor_type(operand) for operand in (*self.operands, self.result)]
        count = len(self.names())
        arguments = [
            f"%{letter}: {tensor_type}" for letter, tensor_type in zip("abcd", types[:-1], strict=False)
        ]
        dims = ", ".join(f"[{self.marks(operand)}]" for operand in (*self.operands, self.result))
        return f"""
          func.func private @k({", ".join(arguments)}, %dims: tensor<{count}xindex>) -> {types[-1]}
              attributes {{tloop.kernel, tloop.dims = [{dims}]}} {{
            {self.body}
            return %r : {types[-1]}
          }}"""

    @staticmethod
    def tensor_type(dims: str) -> str:
        return "tensor<" + "".join(f"{w if w.isdecimal() else '?'}x" for w in dims.split()) + "f32>"

    def marks(self, dims: str) -> str:
        names = self.names()
        return ", ".join('""' if word.isdecimal() else f'"d{names.index(word)}"' for word in dims.split())

    def shape(self, dims: str, sizes: Sequence[int]) -> list[int]:
        values = dict(zip(self.names(), sizes, strict=False))
        return [int(word) if word.isdecimal() else values[word] for word in dims.split()]


def op(text: str, *types: str) -> str:
    """A line of IR: `text` with the types of operands and result after it, written as their dims."""
    *operands, result = [Case.tensor_type(tensor_type) for tensor_type in types]
    return f"{text} : ({', '.join(operands)}) -> {result}"


def _softmax(x: np.ndarray) -> np.ndarray:
    power = np.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def _gelu(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def _attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray | float) -> np.ndarray:
    return _softmax(q @ k.swapaxes(-1, -2) * 0.25 + mask) @ v


def _causal(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    queries, keys = q.shape[-2], k.shape[-2]
    return _attention(q, k, v, np.triu(np.full((queries, keys), -np.inf, np.float32), keys - queries + 1))


def _attending(mask: tuple[str, ...], causal: bool = False) -> str:
    """Attention of queries `%a` to keys `%b` with values `%c` and a mask `%d`."""
    given = "%a, %b, %c" + ", %d" * len(mask)
    attributes = f"causal = {str(causal).lower()}, safe = false, scale = 0.25 : f64"
    types = ["b 2 m 16", "b 2 n 16", "b 2 n 24", *mask, "b 2 m 24"]
    return op(f'%r = "graph.attention"({given}) {{{attributes}}}', *types)


_SEQUENCES = ("b 2 m 16", "b 2 n 16", "b 2 n 24")
# Less than a block, several blocks of queries, several blocks of keys; no batch at all.
_LENGTHS = ((1, 1, 1), (1, 7, 5), (2, 32, 32), (1, 45, 33), (1, 140, 20), (1, 3, 1200), (0, 4, 4))

CASES = {
    "attention": Case(
        _attending(()), _SEQUENCES, "b 2 m 24", lambda q, k, v: _attention(q, k, v, 0), _LENGTHS
    ),
    "attention to some keys": Case(
        _attending(("b 1 1 n",)), (*_SEQUENCES, "b 1 1 n"), "b 2 m 24", _attention, _LENGTHS
    ),
    "attention with a mask for each query": Case(
        _attending(("b 1 m n",)), (*_SEQUENCES, "b 1 m n"), "b 2 m 24", _attention, _LENGTHS
    ),
    "causal attention": Case(
        _attending((), causal=True), _SEQUENCES, "b 2 m 24", _causal,
        ((1, 1, 1), (1, 7, 9), (2, 45, 45), (1, 3, 1200)),
    ),
    "elementwise": Case(
        op('%s = "graph.add"(%a, %b)', "m n", "n", "m n") + "\n" + op('%r = "graph.tanh"(%s)', "m n", "m n"),
        ("m n", "n"), "m n", lambda a, b: np.tanh(a + b),
    ),
    "product": Case(
        op('%p = "graph.matmul"(%a, %b)', "m 24", "24 40", "m 40") + "\n"
        + op('%s = "graph.add"(%p, %c)', "m 40", "40", "m 40") + "\n"
        + op('%r = "graph.relu"(%s)', "m 40", "m 40"),
        ("m 24", "24 40", "40"), "m 40", lambda a, b, c: np.maximum(a @ b + c, 0),
        tuple((m,) for m in (0, 1, 5, 11, 12, 13, 23, 25, 40)),
    ),
    "packed product": Case(
        op('%p = "graph.matmul_packed"(%a, %b)', "m 24", "3 24 32", "m 3 32") + "\n"
        + op('%s = "graph.add"(%p, %c)', "m 3 32", "1 3 32", "m 3 32") + "\n"
        + op('%t = "graph.gelu"(%s) {approximate = "tanh"}', "m 3 32", "m 3 32") + "\n"
        + op('%r = "graph.add"(%t, %d)', "m 3 32", "m 3 32", "m 3 32"),
        ("m 24", "3 24 32", "1 3 32", "m 3 32"), "m 3 32",
        lambda a, b, c, d: _gelu(np.einsum("mk,pkt->mpt", a, b) + c) + d,
        tuple((m,) for m in (0, 1, 7, 12, 13, 30)),
    ),
    "products of batches of rows": Case(
        op('%p = "graph.matmul"(%a, %b)', "m n 24", "24 96", "m n 96") + "\n"
        + op('%r = "graph.add"(%p, %c)', "m n 96", "96", "m n 96"),
        ("m n 24", "24 96", "96"), "m n 96", lambda a, b, c: a @ b + c,
    ),
    "products and nothing else": Case(
        op('%r = "graph.matmul"(%a, %b)', "2 m n", "2 n 40", "2 m 40"),
        ("2 m n", "2 n 40"), "2 m 40", np.matmul, ((1, 1), (5, 3), (13, 33), (0, 4), (4, 0)),
    ),
    "inner dim": Case(
        op('%r = "graph.matmul"(%a, %b)', "m n", "n 7", "m 7"), ("m n", "n 7"), "m 7", np.matmul
    ),
    "columns": Case(
        op('%p = "graph.matmul"(%a, %b)', "2 m 24", "2 24 n", "2 m n") + "\n"
        + op('%s = "graph.add"(%p, %c)', "2 m n", "n", "2 m n") + "\n"
        + op('%r = "graph.relu"(%s)', "2 m n", "2 m n"),
        ("2 m 24", "2 24 n", "n"), "2 m n", lambda a, b, c: np.maximum(a @ b + c, 0),
        ((1, 1), (5, 3), (13, 33), (3, 70), (0, 4), (4, 0)),
    ),
    "batches": Case(
        op('%r = "graph.matmul"(%a, %b)', "m 3 n", "m n 5", "m 3 5"), ("m 3 n", "m n 5"), "m 3 5", np.matmul
    ),
    "counted": Case(
        op('%z = "graph.constant"() {value = dense<0.0> : tensor<f32>}', "") + "\n"
        + op('%o = "graph.constant"() {value = dense<1.0> : tensor<f32>}', "") + "\n"
        + op('%c = "graph.range"(%z, %o, %o) {graph.dims = [["d0"]]}', "", "", "", "n") + "\n"
        + op('%r = "graph.add"(%a, %c)', "n", "n", "n"),
        ("n",), "n", lambda a: a + np.arange(len(a), dtype=np.float32), ((1,), (5,), (0,)),
    ),
    "softmax of rows": Case(
        op('%r = "graph.softmax"(%a) {axis = 1 : i64}', "m 19", "m 19"), ("m 19",), "m 19", _softmax
    ),
    "normalised rows": Case(
        op('%r = "graph.layer_norm"(%a) {axes = array<i64: 1>, epsilon = 1.0e-5 : f64}', "m 48", "m 48"),
        ("m 48",), "m 48", lambda a: (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5),
    ),
    "mean over": Case(
        op('%r = "graph.reduce_mean"(%a) {axes = array<i64: 0>, keepdims = false}', "m 9", "9"),
        ("m 9",), "9", lambda a: a.mean(0), ((1,), (6,), (100,)),
    ),
    "softmax of columns' length": Case(
        op('%r = "graph.softmax"(%a) {axis = 1 : i64}', "m n", "m n"), ("m n",), "m n", _softmax
    ),
    "largest of rows": Case(
        op('%r = "graph.reduce_max"(%a) {axes = array<i64: 1>, keepdims = true}', "m n", "m 1"),
        ("m n",), "m 1", lambda a: a.max(1, keepdims=True), ((1, 1), (5, 3), (40, 100)),
    ),
    "concat": Case(
        op('%r = "graph.concat"(%a, %b) {axis = 0 : i64, '
           "operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>}", "m 4", "n 4", "k 4"),
        ("m 4", "n 4"), "k 4", lambda a, b: np.concatenate([a, b]), ((1, 1, 2), (5, 3, 8), (0, 2, 2)),
    ),
    "slice": Case(
        op('%r = "graph.slice"(%a) {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>, '
           "steps = array<i64: 1, 1>}", "m 4", "m 2"),
        ("m 4",), "m 2", lambda a: a[:, 1:3], ((1,), (5,), (0,)),
    ),
    "every second, from the second on": Case(
        op('%r = "graph.slice"(%a) {starts = array<i64: 1>, sizes = array<i64: -1>, steps = array<i64: 2>}',
           "m", "k"),
        ("m",), "k", lambda a: a[1::2], ((1, 0), (2, 1), (7, 3)),
    ),
    "padding": Case(
        op('%r = "graph.pad"(%a) {low = array<i64: 1, 1>, high = array<i64: 0, 2>, mode = "constant", '
           "value = 0.0 : f64}", "m 4", "k 7"),
        ("m 4",), "k 7", lambda a: np.pad(a, ((1, 0), (1, 2))), ((1, 2), (5, 6)),
    ),
    "expand": Case(
        op('%r = "graph.expand"(%a) {shape = array<i64: -1, 5>}', "m 1", "m 5"),
        ("m 1",), "m 5", lambda a: np.repeat(a, 5, 1), ((1,), (5,)),
    ),
    "tile": Case(
        op('%r = "graph.tile"(%a) {repeats = array<i64: 2, 3>}', "m 4", "k 12"),
        ("m 4",), "k 12", lambda a: np.tile(a, (2, 3)), ((1, 2), (5, 10)),
    ),
    "triangle": Case(
        op('%r = "graph.trilu"(%a) {upper = true, k = 0 : i64}', "m m", "m m"), ("m m",), "m m", np.triu,
        ((1,), (5,)),
    ),
    "running sums": Case(
        op('%r = "graph.cumsum"(%a) {axis = 0 : i64, exclusive = false, reverse = false}', "m 4", "m 4"),
        ("m 4",), "m 4", lambda a: a.cumsum(0), ((1,), (5,)),
    ),
    "pool": Case(
        op('%r = "graph.max_pool"(%a) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, '
           "dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>}", "m 3 8 8", "m 3 4 4"),
        ("m 3 8 8",), "m 3 4 4", lambda a: a.reshape(-1, 3, 4, 2, 4, 2).max((3, 5)), ((1,), (4,)),
    ),
    "convolution of any image": Case(
        op('%r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, '
           "pads = array<i64: 0, 0, 0, 0>}", "1 3 m n", "4 3 3 3", "1 4 k l"),
        ("1 3 m n", "4 3 3 3"), "1 4 k l",
        lambda a, b: np.einsum("bchwij,ocij->bohw", sliding_window_view(a, (3, 3), (2, 3)), b),
        ((5, 7, 3, 5), (9, 4, 7, 2)),
    ),
    "transpose": Case(
        op('%r = "graph.transpose"(%a) {permutation = array<i64: 1, 0>}', "m n", "n m"),
        ("m n",), "n m", np.transpose,
    ),
    "convolution": Case(
        op('%r = "graph.conv"(%a, %b) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, '
           "pads = array<i64: 0, 0, 0, 0>}", "m 3 6 6", "4 3 1 1", "m 4 6 6"),
        ("m 3 6 6", "4 3 1 1"), "m 4 6 6", lambda a, b: np.einsum("bchw,oc->bohw", a, b[:, :, 0, 0]),
    ),
}  # fmt: skip


def _compile(case: Case) -> Image:
    target = str(host_target())
    text = f'module attributes {{tloop.target = "{target}"}} {{{case.text()}}}'
    result = compile_object({"text": text, "pipeline": "cpu-kernel", "target": target, "optimize": 2})
    return Image([result["object"]])


@pytest.fixture(scope="module", params=list(CASES))
def compiled(request: pytest.FixtureRequest) -> tuple[Case, Image]:
    return CASES[request.param], _compile(CASES[request.param])


@pytest.fixture(scope="module")
def compiled_masked() -> Image:
    return _compile(CASES["attention with a mask for each query"])


def test_one_object_serves_all_sizes(compiled: tuple[Case, Image]) -> None:
    """Within 1e-5 of the largest element: sums in another order."""
    case, image = compiled
    generator = np.random.default_rng(0)
    for sizes in case.sizes:
        shapes = [case.shape(operand, sizes) for operand in case.operands]
        operands = [generator.standard_normal(shape).astype(np.float32) for shape in shapes]
        expected = case.reference(*operands)
        result = np.full(case.shape(case.result, sizes), np.nan, np.float32)
        assert result.shape == expected.shape
        call_entry(image, "k", [*operands, result], dims=sizes, threads=2)
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max(initial=1))


def test_masked_blocks_of_keys_do_not_count(compiled_masked: Image) -> None:
    """A block of masked keys, before one with others, and queries all of whose keys are masked."""
    generator = np.random.default_rng(1)
    case, keys = CASES["attention with a mask for each query"], 1100
    q, k, v, mask = (
        generator.standard_normal(case.shape(operand, (1, 3, keys))).astype(np.float32)
        for operand in case.operands
    )
    mask[..., :700] = -np.inf
    mask[:, :, 1] = -np.inf
    result = np.zeros((1, 2, 3, 24), np.float32)
    call_entry(compiled_masked, "k", [q, k, v, mask, result], dims=(1, 3, keys), threads=1)
    seeing = [0, 2]
    seen = _attention(q[:, :, seeing], k[..., 700:, :], v[..., 700:, :], mask[:, :, seeing, 700:])
    np.testing.assert_allclose(result[:, :, seeing], seen, rtol=1e-5, atol=1e-6)
    assert np.isnan(result[:, :, 1]).all()
