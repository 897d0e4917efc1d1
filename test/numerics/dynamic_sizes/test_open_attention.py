"""Attention as exporters write it, of an open batch, open lengths or both: compiled once for all sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
import pytest
from oracle import compile_model, differences, runtime

HEADS = 2


@dataclass(frozen=True)
class AttentionCase:
    """Heads of `width` elements, from rows of all heads; sizes are integers, or names of open dims."""

    batch: int | str = "b"
    queries: int | str = "s"
    keys: int | str = "s"
    width: int = 16
    # The operand of the sum with the scores: by key, by query and key, by these for all batches.
    mask: str = ""
    # Of the result [batch, heads, queries, width].
    permutation: tuple[int, ...] = (0, 2, 1, 3)

    def model(self) -> onnx.ModelProto:
        """The ONNX model."""
        b, s, t, row = self.batch, self.queries, self.keys, HEADS * self.width
        masks = {
            "key": f"float[{b},1,1,{t}] m",
            "query": f"float[{b},1,{s},{t}] m",
            "all": f"float[{s},{t}] m",
        }
        inputs = [f"float[{b},{s},{row}] q", f"float[{b},{t},{row}] k", f"float[{b},{t},{row}] v"]
        inputs += [masks[self.mask]] if self.mask else []
        heads = " ".join(f"{x}_heads = Reshape({x}, apart)" for x in "qkv")
        return onnx.parser.parse_model(
            f'<ir_version: 10, opset_import: ["": 21]> layer ({", ".join(inputs)}) => (float[?,?,?,?] y) '
            f"<int64[4] apart = {{0, 0, {HEADS}, {self.width}}}, float scale = {{{self.width**-0.5}}}>"
            f" {{ {heads}"
            " qt = Transpose<perm = [0, 2, 1, 3]>(q_heads) kt = Transpose<perm = [0, 2, 3, 1]>(k_heads)"
            " vt = Transpose<perm = [0, 2, 1, 3]>(v_heads)"
            " product = MatMul(qt, kt) scaled = Mul(product, scale)"
            f" masked = {'Add(scaled, m)' if self.mask else 'Identity(scaled)'}"
            " weights = Softmax<axis = -1>(masked) read = MatMul(weights, vt)"
            f" y = Transpose<perm = {list(self.permutation)}>(read) }}"
        )

    def wrong_sizes(self, sizes: list[dict[str, int]]) -> dict[str, dict[str, str]]:
        """Returns the differences from ONNX Runtime, by size."""
        model, random = self.model(), np.random.default_rng(0)
        executable, wrong = compile_model(model), {}
        for size in sizes:
            inputs = {}
            for value in model.graph.input:
                dims = [size.get(dim.dim_param, dim.dim_value) for dim in value.type.tensor_type.shape.dim]
                inputs[value.name] = 2 * random.standard_normal(dims).astype(np.float32)
            expected = runtime(model, inputs)
            assert expected is not None
            if found := differences(executable.run(inputs), expected):
                wrong[str(size)] = found
        return wrong


BATCHES = [{"b": 1}, {"b": 3}, {"b": 0}]
LENGTHS = [{"s": 1}, {"s": 16}, {"s": 33}, {"s": 70}, {"s": 0}]
BOTH = [{"b": 2, "s": 33}, {"b": 3, "s": 1}, {"b": 1, "s": 32}]


@pytest.mark.parametrize("attention, sizes", [
    pytest.param(AttentionCase(queries=17, keys=17), BATCHES, id="batch"),
    pytest.param(AttentionCase(queries=16, keys=16, permutation=(2, 0, 1, 3)), BATCHES, id="batch-last"),
    pytest.param(AttentionCase(queries=3, keys=17), BATCHES, id="batch-few-queries"),
    pytest.param(AttentionCase(batch=2, keys=17), LENGTHS, id="queries"),
    pytest.param(AttentionCase(), BOTH, id="batch-and-length"),
])  # fmt: skip
def test_sizes_of_every_form(attention: AttentionCase, sizes: list[dict[str, int]]) -> None:
    assert not attention.wrong_sizes(sizes)


STATIC = (1, 2, 10, 16, 17, 31, 33, 48, 49, 50, 64, 65, 197, 257, 577)


@pytest.mark.slow
@pytest.mark.parametrize("width", [32, 64, 80])
@pytest.mark.parametrize("length", STATIC)
def test_any_static_length_of_an_open_batch(length: int, width: int) -> None:
    assert not AttentionCase(queries=length, keys=length, width=width).wrong_sizes(BATCHES)


@pytest.mark.slow
@pytest.mark.parametrize("mask", ["", "key", "query", "all"])
@pytest.mark.parametrize(
    "permutation", [(0, 1, 2, 3), (0, 2, 1, 3), (2, 0, 1, 3), (1, 2, 0, 3), (0, 2, 3, 1)]
)
@pytest.mark.parametrize(
    "batch, queries, keys",
    [("b", 16, 16), ("b", 33, 7), ("b", 5, 600), ("b", "s", 33), ("b", 17, "s"), ("b", "s", "s"),
     (1, "s", "s"), (2, 1, "s"), (2, "s", 600)],
)  # fmt: skip
def test_open_dims_masks_and_layouts(
    batch: int | str, queries: int | str, keys: int | str, permutation: tuple[int, ...], mask: str
) -> None:
    case = AttentionCase(batch, queries, keys, mask=mask, permutation=permutation)
    lengths = [1, 5, 16, 33, 70, 600] if "s" in (queries, keys) else [0]
    sizes = [{"b": batches, "s": length} for batches in (1, 3) for length in lengths]
    assert not case.wrong_sizes(sizes)
