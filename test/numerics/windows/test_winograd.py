"""Winograd convolutions agree with direct ones within the bounds that docs/winograd.md states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from oracle import compile_model

from mlc.compiler import Options, compile_program
from mlc.compiler.levels import levels
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.graph.winograd.matrices import input_matrix, kernel_matrix, output_matrix

# Channels in and out, height, width, tile that fits.
SHAPES = [
    (32, 32, 16, 16, 4),
    (64, 96, 28, 28, 4),
    (256, 64, 14, 14, 2),
    (96, 256, 8, 36, 4),
    (128, 128, 10, 8, 2),
    # Of 4.5 MB, and no strip fits.
    (512, 128, 28, 28, 4),
]
# Whose transformed images would not stay in caches: one kernel takes strips of them.
FUSED_SHAPES = [
    (64, 64, 56, 112, 4),
    # A row of 29 tiles leaves a rest, in registers of any target.
    (64, 64, 58, 58, 2),
    (128, 96, 56, 56, 4),
    # Two rows of tiles at a time.
    (64, 256, 40, 48, 4),
]
BOUND = {2: 2e-6, 4: 4e-6}


def model_from_image(
    nodes: list[onnx.NodeProto], x: np.ndarray, weights: dict[str, np.ndarray], outputs: int
) -> onnx.ModelProto:
    """`nodes` from the image `x` to `y`, an image of `outputs` channels."""
    graph = helper.make_graph(
        nodes,
        "winograd",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(x.shape))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, outputs, None, None])],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def model_of(
    inputs: int, outputs: int, height: int, width: int, seed: int
) -> tuple[onnx.ModelProto, np.ndarray]:
    """A convolution of 3x3 with bias, then one of 1x1, so that blocked channels pay."""
    rng = np.random.default_rng(seed)
    weights = {
        "w": rng.standard_normal((outputs, inputs, 3, 3)) * (inputs * 9) ** -0.5,
        "b": rng.standard_normal(outputs),
        "w2": rng.standard_normal((outputs, outputs, 1, 1)) * outputs**-0.5,
    }
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["c", "w2"], ["y"]),
    ]
    x = rng.standard_normal((1, inputs, height, width)).astype(np.float32)
    return model_from_image(nodes, x, weights, outputs), x


def convolve(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Convolves an image `[I, H, W]`, padded by 1, by shifted products."""
    padded, (height, width) = np.pad(x, [(0, 0), (1, 1), (1, 1)]), x.shape[1:]
    return sum(
        np.einsum("oi,ihw->ohw", weight[:, :, dy, dx], padded[:, dy : dy + height, dx : dx + width])
        for dy in range(3)
        for dx in range(3)
    )


def exact(model: onnx.ModelProto, x: np.ndarray) -> np.ndarray:
    """Returns the result in f64."""
    weight, bias, mixing = (
        numpy_helper.to_array(tensor).astype(np.float64) for tensor in model.graph.initializer
    )
    first = convolve(x[0].astype(np.float64), weight) + bias[:, None, None]
    return np.einsum("po,ohw->phw", mixing[:, :, 0, 0], first)[None]


def tiles_of(model: onnx.ModelProto) -> list[int]:
    """The tile of each convolution that is computed by Winograd's algorithm."""
    modules = dict(levels(model, Options()))
    found = collect_ops(modules["lower-graph"].operation, "graph.winograd_input")
    return [op.attributes["tile"].value for op in found]


def is_fused(model: onnx.ModelProto) -> bool:
    """Whether one kernel does all three steps."""
    kernels = dict(levels(model, Options()))["form-kernels"].operation
    steps = ["graph.winograd_input", "graph.matmul_packed", "graph.winograd_output"]
    return any(
        [op.name for op in collect_ops(kernel)][:3] == steps for kernel in collect_ops(kernels, "func.func")
    )


@pytest.mark.parametrize(("inputs", "outputs", "height", "width", "tile"), [*SHAPES, *FUSED_SHAPES])
def test_errors_stay_within_the_bound(inputs: int, outputs: int, height: int, width: int, tile: int) -> None:
    model, x = model_of(inputs, outputs, height, width, seed=height)
    assert tiles_of(model) == [tile]
    assert is_fused(model) == ((inputs, outputs, height, width, tile) in FUSED_SHAPES)
    expected = exact(model, x)
    [actual] = compile_model(model).run({"x": x}).values()
    assert np.abs(actual - expected).max() / np.abs(expected).max() < BOUND[tile]


# Channels in and out, the open dims, whether strips are taken, and images and sizes to call.
OPEN = [
    # Strips of known images, whatever the batch.
    (64, 64, (0,), True, [(1, 56, 112), (2, 56, 112)]),
    # Three kernels; the last tiles reach beyond the images.
    (128, 96, (0, 2, 3), False, [(1, 28, 28), (2, 13, 18), (1, 3, 5), (3, 1, 2)]),
    (96, 128, (3,), False, [(1, 12, 40), (1, 12, 31)]),
    # Strips of at most 30 tiles of images that have more and fewer.
    (64, 32, (0, 2, 3), True, [(1, 56, 56), (2, 9, 125), (1, 2, 3), (1, 11, 1)]),
    (32, 64, (2,), True, [(1, 20, 60), (1, 7, 60)]),
]


@pytest.mark.parametrize(("inputs", "outputs", "open_dims", "fused", "sizes"), OPEN)
def test_images_of_open_size(
    inputs: int, outputs: int, open_dims: tuple[int, ...], fused: bool, sizes: list[tuple[int, int, int]]
) -> None:
    _, height, width = sizes[0]
    model, _ = model_of(inputs, outputs, height, width, seed=inputs)
    for dim in open_dims:
        model.graph.input[0].type.tensor_type.shape.dim[dim].dim_param = "bchw"[dim]
    assert tiles_of(model) == [4]
    assert is_fused(model) == fused
    program = compile_model(model)
    for batch, height, width in sizes:
        rng = np.random.default_rng(width)
        x = rng.standard_normal((batch, inputs, height, width)).astype(np.float32)
        expected = np.concatenate([exact(model, x[index : index + 1]) for index in range(batch)])
        [actual] = program.run({"x": x}).values()
        assert np.abs(actual - expected).max() / np.abs(expected).max() < BOUND[4]


# Without `compute_at`: the transform stays whole.
ROWS = """
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %rows, %loop = "tloop.tile"(%root) {sizes = array<i64: 1, 1, 1>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
}) {kernel = @"*"} : () -> ()
"""  # noqa: E501


@pytest.mark.parametrize(("height", "width"), [(8, 4), (5, 7)])
def test_schedule_that_leaves_the_transform_whole(tmp_path: Path, height: int, width: int) -> None:
    """Tiles may reach beyond the images."""
    tiles, result = 2 * -(-height // 4) * -(-width // 4), f"tensor<2x1x{height}x{width}x16xf32>"
    attributes = f"{{tile = 4 : i64, shape = array<i64: 2, {height}, {width}>}}"
    model = tmp_path / "m.mlir"
    model.write_text(f"""
    func.func @main(%y: tensor<36x{tiles}x1x16xf32>) -> {result} {{
      %0 = "graph.winograd_output"(%y) {attributes} : (tensor<36x{tiles}x1x16xf32>) -> {result}
      %1 = "graph.relu"(%0) : ({result}) -> {result}
      return %1 : {result}
    }}""")
    y = np.random.default_rng(width).standard_normal((36, tiles, 1, 16)).astype(np.float32)
    [actual] = compile_program(model, Options(schedules=ROWS)).executable()(y)
    matrix = np.array(output_matrix(4), np.float64)
    products = y.astype(np.float64).reshape(6, 6, 2, -(-height // 4), -(-width // 4), 16)
    images = np.einsum("pi,ijnrqk,sj->nrpqsk", matrix, products, matrix)
    expected = images.reshape(2, 1, -(-height // 4) * 4, -1, 16)[:, :, :height, :width]
    np.testing.assert_allclose(actual, np.maximum(expected, 0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("tile", [2, 4, 6])
def test_the_matrices_are_exact(tile: int) -> None:
    """A^T ((G g) * (B^T d)) is the convolution of d and g, in rational arithmetic."""
    size = tile + 2
    for tap in range(3):
        for position in range(size):
            made = [
                sum(
                    a * g[tap] * b[position]
                    for a, g, b in zip(row, kernel_matrix(tile), input_matrix(tile), strict=True)
                )
                for row in output_matrix(tile)
            ]
            assert made == [int(index + tap == position) for index in range(tile)]
