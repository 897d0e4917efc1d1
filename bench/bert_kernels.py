"""The kernels of BERT-base, for one sequence length or for any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlc.codegen.host_target import host_target


@dataclass(frozen=True)
class BertKernel:
    """A kernel with operands `%a`, `%b`, ... and a body that computes `%r`; `{s}` stands for the length."""

    name: str
    operands: tuple[str, ...]
    result: str
    body: str
    # For shorter sequences there are several kernels instead.
    least: int = 1

    def text(self, length: int | None) -> str:
        """Returns the module with the kernel @k, for one length or for any."""
        types = [f"tensor<{operand}>".format(s=_dim(length)) for operand in (*self.operands, self.result)]
        arguments = [
            f"%{letter}: {type_text}" for letter, type_text in zip("abcdef", types[:-1], strict=False)
        ]
        marks = ""
        if length is None:
            arguments.append("%dims: tensor<1xindex>")
            marks = f", tloop.dims = [{', '.join(map(_names, (*self.operands, self.result)))}]"
        return (
            f'module attributes {{tloop.target = "{host_target()}"}} {{\n'
            f"func.func private @k({', '.join(arguments)}) -> {types[-1]} "
            f"attributes {{tloop.kernel{marks}}} {{\n{self.body.format(s=_dim(length))}\n"
            f"return %r : {types[-1]} }} }}"
        )

    def arrays(self, length: int) -> list[np.ndarray]:
        """Returns operands and result."""
        generator = np.random.default_rng(0)
        return [_array(generator, operand.format(s=length)) for operand in (*self.operands, self.result)]


def _dim(length: int | None) -> str:
    return "?" if length is None else str(length)


def _names(dims: str) -> str:
    words = dims.split("x")[:-1]
    return "[" + ", ".join('"d0"' if word == "{s}" else '""' for word in words) + "]"


def _array(generator: np.random.Generator, shape_text: str) -> np.ndarray:
    *dims, element = shape_text.split("x")
    shape = [int(dim) for dim in dims]
    if element == "i64":
        return generator.integers(0, 1000, shape)
    return generator.standard_normal(shape, np.float32) * np.float32(0.1)


def _dense(name: str, depth: int, width: int, tail: str) -> BertKernel:
    """Returns a product with a packed weight and an epilogue."""
    panels = width // 32
    product, bias = f"tensor<{{s}}x{panels}x32xf32>", f"tensor<1x{panels}x32xf32>"
    weight = f"{panels}x{depth}x32xf32"
    residual = (f"{{s}}x{panels}x32xf32",) if "%d" in tail else ()
    body = (
        f'%0 = "graph.matmul_packed"(%a, %b) : (tensor<{{s}}x{depth}xf32>, tensor<{weight}>) -> {product}\n'
        f'%{"1" if tail else "r"} = "graph.add"(%0, %c) : ({product}, {bias}) -> {product}\n'
    )
    operands = (f"{{s}}x{depth}xf32", weight, f"1x{panels}x32xf32", *residual)
    return BertKernel(name, operands, product[7:-1], body + tail.replace("P", product))


_ROWS, _HEADS, _SCORES = "tensor<1x{s}x768xf32>", "tensor<1x{s}x12x64xf32>", "tensor<1x12x{s}x{s}xf32>"
_TRANSPOSED = "tensor<1x12x{s}x64xf32>"
_PERMUTATION = "permutation = array<i64: 0, 2, 1, 3>"
KERNELS = [
    _dense("dense", 768, 768, ""),
    _dense("dense residual", 768, 768, '%r = "graph.add"(%1, %d) : (P, P) -> P'),
    _dense("dense gelu", 768, 3072, '%r = "graph.gelu"(%1) {{approximate = "none"}} : (P) -> P'),
    _dense("dense 3072", 3072, 768, '%r = "graph.add"(%1, %d) : (P, P) -> P'),
    BertKernel(
        "attention", ("1x{s}x12x64xf32",) * 3, "1x{s}x12x64xf32",
        f'%0 = "graph.transpose"(%a) {{{{{_PERMUTATION}}}}} : ({_HEADS}) -> {_TRANSPOSED}\n'
        f'%1 = "graph.transpose"(%b) {{{{{_PERMUTATION}}}}} : ({_HEADS}) -> {_TRANSPOSED}\n'
        f'%2 = "graph.transpose"(%c) {{{{{_PERMUTATION}}}}} : ({_HEADS}) -> {_TRANSPOSED}\n'
        f'%3 = "graph.attention"(%2, %1, %0) {{{{causal = false, safe = false, scale = 0.125 : f64}}}} : '
        f"({_TRANSPOSED}, {_TRANSPOSED}, {_TRANSPOSED}) -> {_TRANSPOSED}\n"
        f'%r = "graph.transpose"(%3) {{{{{_PERMUTATION}}}}} : ({_TRANSPOSED}) -> {_HEADS}',
        least=16,
    ),
    BertKernel(
        "scores", ("1x{s}x12x64xf32",) * 2, "1x12x{s}x{s}xf32",
        f'%0 = "graph.transpose"(%a) {{{{{_PERMUTATION}}}}} : ({_HEADS}) -> {_TRANSPOSED}\n'
        f'%1 = "graph.transpose"(%b) {{{{permutation = array<i64: 0, 2, 3, 1>}}}} : ({_HEADS}) -> '
        "tensor<1x12x64x{s}xf32>\n"
        f'%r = "graph.matmul"(%0, %1) : ({_TRANSPOSED}, tensor<1x12x64x{{s}}xf32>) -> {_SCORES}',
    ),
    BertKernel(
        "context", ("1x12x{s}x{s}xf32", "1x{s}x12x64xf32"), "1x12x{s}x64xf32",
        f'%0 = "graph.transpose"(%b) {{{{{_PERMUTATION}}}}} : ({_HEADS}) -> {_TRANSPOSED}\n'
        f'%r = "graph.matmul"(%a, %0) : ({_SCORES}, {_TRANSPOSED}) -> {_TRANSPOSED}',
    ),
    BertKernel(
        "softmax", ("1x12x{s}x{s}xf32",), "1x12x{s}x{s}xf32",
        f'%r = "graph.softmax"(%a) {{{{axis = 3 : i64}}}} : ({_SCORES}) -> {_SCORES}',
    ),
    BertKernel(
        "layer_norm", ("1x{s}x768xf32", "768xf32", "768xf32"), "1x{s}x768xf32",
        f'%0 = "graph.layer_norm"(%a) {{{{axes = array<i64: 2>, epsilon = 1.0e-12 : f64}}}} : '
        f"({_ROWS}) -> {_ROWS}\n"
        f'%1 = "graph.mul"(%0, %b) : ({_ROWS}, tensor<768xf32>) -> {_ROWS}\n'
        f'%r = "graph.add"(%1, %c) : ({_ROWS}, tensor<768xf32>) -> {_ROWS}',
    ),
    BertKernel(
        "gather add", ("30522x768xf32", "1x{s}xi64", "1x{s}x768xf32"), "1x{s}x768xf32",
        '%0 = "graph.gather"(%a, %b) {{axis = 0 : i64}} : (tensor<30522x768xf32>, tensor<1x{s}xi64>) -> '
        f'{_ROWS}\n%r = "graph.add"(%0, %c) : ({_ROWS}, {_ROWS}) -> {_ROWS}',
    ),
    BertKernel(
        "add gelu", ("1x{s}x3072xf32", "3072xf32"), "1x{s}x3072xf32",
        '%0 = "graph.add"(%a, %b) : (tensor<1x{s}x3072xf32>, tensor<3072xf32>) -> tensor<1x{s}x3072xf32>\n'
        '%r = "graph.gelu"(%0) {{approximate = "none"}} : (tensor<1x{s}x3072xf32>) -> tensor<1x{s}x3072xf32>',
    ),
    BertKernel(
        "transpose", ("1x{s}x12x64xf32",), "1x12x64x{s}xf32",
        f'%r = "graph.transpose"(%a) {{{{permutation = array<i64: 0, 2, 3, 1>}}}} : ({_HEADS}) -> '
        "tensor<1x12x64x{s}xf32>",
    ),
    BertKernel(
        "mean over the sequence", ("1x{s}x768xf32",), "1x768xf32",
        f'%r = "graph.reduce_mean"(%a) {{{{axes = array<i64: 1>, keepdims = false}}}} : ({_ROWS}) -> '
        "tensor<1x768xf32>",
    ),
    BertKernel(
        "convolution", ("{s}x4x14x14x16xf32", "4x4x3x3x16x32xf32"), "{s}x4x12x12x32xf32",
        '%r = "graph.conv"(%a, %b) {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, '
        'pads = array<i64: 0, 0, 0, 0>, layout = "NCHWc"}} : (tensor<{s}x4x14x14x16xf32>, '
        "tensor<4x4x3x3x16x32xf32>) -> tensor<{s}x4x12x12x32xf32>",
    ),
]  # fmt: skip
