"""Writes docs/levels.md: the IR of one ResNet-50 block at each level, as `mlc compile --dump-ir` writes it.

`make docs` runs it. The processor is fixed, so that every machine writes the same page.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from mlc.compiler import Options
from mlc.compiler.dump import dump_ir

PAGE = Path(__file__).resolve().parent / "levels.md"
TARGET = "znver4"
KERNEL = "conv_add_relu_*"
WIDTH = 150

# File -> heading, what to look at, lines to show.
LEVELS = {
    "0-import.mlir": ("Graph, as imported", "One op per ONNX operator; weights are references.", 40),
    "1-graph.mlir": (
        "Graph, optimised",
        "`graph-optimize`: batch norms have become factors on the weights and additions.",
        16,
    ),
    "2-lowered.mlir": (
        "Graph, lowered",
        "`lower-graph`: a product for a convolution of 1x1, channels in blocks of 32 for one of 3x3; "
        "constant work has moved to `@prepare`.",
        26,
    ),
    "3-kernels.mlir": (
        "Kernels",
        "`form-kernels`: `@main` launches kernels. The convolution of 3x3 is shown below, level by level.",
        40,
    ),
    "4-host.mlir": (
        "Host program",
        "`host-plan-memory`: tensors are buffers now, at fixed offsets of the arena, the last argument.",
        14,
    ),
    "linalg.mlir": (
        "Kernel: linalg",
        "`graph-to-linalg` and upstream's fusion of elementwise ops: the convolution, then bias and "
        "activation.",
        40,
    ),
    "scheduled.mlir": (
        "Kernel: scheduled",
        "`tloop-apply-schedules`: a parallel loop over rows, inside it the register tile, which the loops "
        "over the reduction carry.",
        34,
    ),
    "loops.mlir": (
        "Kernel: loops",
        "Bufferised: results are written to the arguments, nothing is allocated.",
        34,
    ),
    "llvm.mlir": ("Kernel: llvm dialect", "The entry function of the kernel contract, and the body.", 14),
    "asm.s": ("Kernel: assembly", "The innermost loop.", 40),
}


def block() -> onnx.ModelProto:
    """A bottleneck of ResNet-50's first stage: 256 channels at 56x56, random weights."""
    random = np.random.default_rng(0)
    nodes: list[NodeProto] = []
    weights: list[TensorProto] = []

    def weight(name: str, values: np.ndarray) -> str:
        weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def convolution(x: str, name: str, outputs: int, inputs: int, kernel: int) -> str:
        deviation = np.sqrt(2 / (inputs * kernel * kernel))
        filters = weight(f"{name}.w", random.normal(0, deviation, (outputs, inputs, kernel, kernel)))
        pads = [kernel // 2] * 4
        nodes.append(
            helper.make_node("Conv", [x, filters], [name], name, kernel_shape=[kernel] * 2, pads=pads)
        )
        statistics = [
            weight(f"{name}.{which}", random.uniform(0.5, 1.5, outputs))
            for which in ("scale", "bias", "mean", "variance")
        ]
        nodes.append(
            helper.make_node("BatchNormalization", [name, *statistics], [f"{name}.bn"], f"{name}.bn")
        )
        return f"{name}.bn"

    def relu(x: str, name: str) -> str:
        nodes.append(helper.make_node("Relu", [x], [name], name))
        return name

    x = relu(convolution("x", "reduce", 64, 256, 1), "relu1")
    x = relu(convolution(x, "spatial", 64, 64, 3), "relu2")
    nodes.append(helper.make_node("Add", [convolution(x, "expand", 256, 64, 1), "x"], ["sum"], "sum"))
    relu("sum", "y")
    shape = [1, 256, 56, 56]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "block", values[:1], values[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def excerpt(name: str, text: str, count: int) -> Iterator[str]:
    """The first lines of a file (of assembly those of the innermost loop), long ones cut."""
    text = re.sub(r"dense<.{40,}?>(?= : )", "dense<...>", text)
    text = re.sub(r", (operand|result)SegmentSizes = array<i32: [01, ]*>", "", text)
    text = re.sub(r'"name=host,[^"]*"', '"..."', re.sub(r'(?<=tloop.target = )"[^"]*"', '"..."', text))
    lines = _inner_loop(text.splitlines()) if name == "asm.s" else text.splitlines()
    if name != "linalg.mlir":
        lines = [line for line in lines if not line.startswith("#map")]
    for line in lines[:count]:
        yield line if len(line) <= WIDTH else f"{line[:WIDTH]} ..."
    if len(lines) > count:
        yield f"... {len(lines) - count} more lines"


def _inner_loop(lines: list[str]) -> list[str]:
    """The loop with the most fused multiply-adds and no other loop inside: from its label to its jump
    back."""
    labels = {line.split(":")[0]: at for at, line in enumerate(lines) if line.startswith(".L")}
    loops = []
    for at, line in enumerate(lines):
        target = line.split()[-1] if line.split() and line.split()[0].startswith("j") else ""
        if labels.get(target, at) < at:
            loops.append(lines[labels[target] : at + 1])
    return max(loops, key=lambda loop: sum("vfmadd" in line for line in loop) / len(loop))


def page() -> str:
    """The whole page."""
    with tempfile.TemporaryDirectory() as temporary:
        model = Path(temporary, "block.onnx")
        onnx.save(block(), model)
        written = dump_ir(
            str(model),
            Options(target=TARGET, disable_passes=("graph-winograd",)),
            Path(temporary, "ir"),
            [KERNEL],
        )
        files = {path.name: path.read_text() for path in written}
    parts = [
        "# One ResNet-50 block at each level",
        "",
        "A bottleneck of the first stage: three convolutions with batch normalisation, a sum, ReLU; 56x56.",
        f"Compiled for {TARGET}. Written by `docs/generate_levels.py` (`make docs`); `mlc compile model.onnx",
        "--dump-ir folder` writes such files for any model. Constants, operand segments and long lines are",
        "shortened; maps are left out below linalg.",
        "",
    ]
    for name, (heading, remark, count) in LEVELS.items():
        language = "asm" if name == "asm.s" else "mlir"
        parts += [f"## {heading}", "", f"{remark} (`{name}`)", "", f"```{language}"]
        parts += [*excerpt(name, files[name], count), "```", ""]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
