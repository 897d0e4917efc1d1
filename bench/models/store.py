"""Stores built models: `NAME.onnx`, `NAME.npz` (inputs of seed 0) and one `manifest.json` in a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

BUILD = Path(__file__).parent / "build"
PATCH = 32


def model_path(name: str, directory: Path = BUILD) -> Path:
    """Returns the model's file. Raises FileNotFoundError, naming the command that builds it."""
    path = directory / f"{name}.onnx"
    if not path.is_file():
        raise FileNotFoundError(
            f"model '{name}' is not in {directory}; build it: python -m bench.models {name}"
        )
    return path


def manifest(directory: Path = BUILD) -> dict[str, dict[str, Any]]:
    """Returns the facts about every built model, by name; see `facts.describe` for the fields."""
    path = directory / "manifest.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def inputs(name: str, seed: int = 0, directory: Path = BUILD) -> dict[str, np.ndarray]:
    """Draws input tensors for `seed`: floats of mean 0 and variance 1, or integers below the vocabulary.

    Raises FileNotFoundError if the model has not been built.
    """
    model_path(name, directory)
    return draw(manifest(directory)[name]["inputs"], seed)


def draw(specifications: dict[str, dict[str, Any]], seed: int) -> dict[str, np.ndarray]:
    """Draws tensors for `{name: {"shape", "dtype", "below"}}`; `below` is the exclusive bound of integers."""
    generator = np.random.default_rng(seed)
    return {name: _draw_one(generator, **fields) for name, fields in specifications.items()}


def _draw_one(generator: np.random.Generator, shape: list[int], dtype: str, below: int | None) -> np.ndarray:
    if below is not None:
        return generator.integers(0, below, shape).astype(dtype)
    values = generator.standard_normal(shape, np.float32)
    return (_image(values, generator) if len(shape) == 4 else values).astype(dtype)


def _image(noise: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Mixes `noise` of shape `[N, C, H, W]` with patches of one colour each; variance 1.

    White noise looks the same to a network everywhere: averaged over the image, its features hardly depend
    on the seed, and nor do the outputs.
    """
    batch, channels, *size = noise.shape
    height, width = (-(-extent // PATCH) for extent in size)
    patches = generator.standard_normal((batch, channels, height, width), np.float32)
    image = patches.repeat(PATCH, axis=2).repeat(PATCH, axis=3)[:, :, : size[0], : size[1]]
    return np.float32(0.8) * image + np.float32(0.6) * noise


def update_manifest(name: str, entry: dict[str, Any], directory: Path) -> None:
    """Replaces one entry of the manifest, and the table of operators that is derived from it."""
    entries = manifest(directory) | {name: entry}
    write(directory / "manifest.json", lambda path: path.write_text(json.dumps(entries, indent=1) + "\n"))
    write(directory / "ops.txt", lambda path: path.write_text(operator_table(entries)))


def operator_table(entries: dict[str, dict[str, Any]]) -> str:
    """Returns one line per model: opset, number of nodes, and every operator with its count."""
    lines = []
    for name, entry in sorted(entries.items()):
        counts = " ".join(f"{operator}:{count}" for operator, count in entry["operators"].items())
        lines.append(f"{name:20} opset {entry['opset']:2} nodes {entry['nodes']:4}  {counts}\n")
    return "".join(lines)


def write(path: Path, writer: Callable[[Path], object]) -> None:
    """Has `writer` fill a temporary file, which replaces `path` when complete."""
    temporary = path.with_name(f".{os.getpid()}-{path.name}")
    writer(temporary)
    os.replace(temporary, path)
