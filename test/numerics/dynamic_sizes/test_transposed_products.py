"""Products whose result is transposed, or changed in another way, in their kernel, with open dims."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import onnx
import pytest
from oracle import compile_model, differences, runtime

LETTERS = "bhst"
STATIC = {"b": 2, "h": 3, "s": 17, "t": 5}
SIZES = [
    {"b": 1, "h": 2, "s": 1, "t": 3},
    {"b": 2, "h": 3, "s": 13, "t": 1},
    {"b": 3, "h": 1, "s": 40, "t": 33},
]

EPILOGUES = {
    "": "y = Transpose<perm = PERM>(product)",
    "bias first": "sum = Add(product, bias) y = Transpose<perm = PERM>(sum)",
    "scaled after": "moved = Transpose<perm = PERM>(product) y = Mul(moved, two)",
    "both": "sum = Add(product, bias) root = Sqrt(sum) moved = Transpose<perm = PERM>(root) y = Exp(moved)",
    "rows together": "moved = Transpose<perm = [0, 2, 1, 3]>(product) y = Reshape(moved, together)",
}


def wrong_sizes(
    free: str, permutation: tuple[int, ...], epilogue: str, width: int
) -> dict[str, dict[str, str]]:
    """Returns the differences from ONNX Runtime of [b,h,s,t] x [b,h,t,width] with the dims `free` open, by
    size."""
    b, h, s, t = (letter if letter in free else STATIC[letter] for letter in LETTERS)
    rank = 3 if epilogue == "rows together" else 4
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 21]> layer '
        f"(float[{b},{h},{s},{t}] p, float[{b},{h},{t},{width}] v, float[{width}] bias)"
        f" => (float[{','.join('?' * rank)}] y) <float two = {{2}}, int64[3] together = {{0, 0, -1}}>"
        f" {{ product = MatMul(p, v) {EPILOGUES[epilogue].replace('PERM', str(list(permutation)))} }}"
    )
    executable, random, wrong = compile_model(model), np.random.default_rng(0), {}
    for size in SIZES:
        sizes = {letter: size[letter] if letter in free else STATIC[letter] for letter in LETTERS}
        shapes = {"p": [sizes[x] for x in "bhst"], "v": [*(sizes[x] for x in "bht"), width], "bias": [width]}
        inputs = {name: random.uniform(0, 2, shape).astype(np.float32) for name, shape in shapes.items()}
        expected = runtime(model, inputs)
        assert expected is not None
        if found := differences(executable.run(inputs), expected):
            wrong[str(sizes)] = found
    return wrong


@pytest.mark.parametrize("free, permutation, epilogue", [
    ("bst", (0, 2, 1, 3), ""), ("s", (2, 0, 1, 3), "bias first"), ("", (0, 2, 1, 3), ""),
])  # fmt: skip
def test_rows_of_heads(free: str, permutation: tuple[int, ...], epilogue: str) -> None:
    assert not wrong_sizes(free, permutation, epilogue, 32)


@pytest.mark.slow
@pytest.mark.parametrize("permutation", list(permutations(range(4))))
@pytest.mark.parametrize("free", ["", "b", "s", "t", "st", "bhst"])
def test_every_permutation(free: str, permutation: tuple[int, ...]) -> None:
    assert not wrong_sizes(free, permutation, "", 24)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 7, 16, 40, 49])
@pytest.mark.parametrize("epilogue", EPILOGUES)
@pytest.mark.parametrize("free", ["", "s", "bs", "bhst"])
def test_epilogues_and_widths(free: str, epilogue: str, width: int) -> None:
    assert not wrong_sizes(free, (0, 2, 1, 3), epilogue, width)
