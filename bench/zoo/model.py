"""The description of a model of the zoo: its file, its inputs with named sizes, and its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Input:
    """One input of a model: its type, its shape in terms of named sizes, and how its values are drawn.

    Attributes:
        type: NumPy's name of the element type ("float32", "int64", "object" for strings).
        shape: Integers, or expressions over the names of sizes ("batch", "past + 1").
        values: How values are drawn, a word with arguments: "normal", "uniform(0, 1)", "integers(0, 30522)"
            (the upper bound is exclusive), "ones", "zeros", "arange", "text".
    """

    type: str
    shape: tuple[int | str, ...]
    values: str = "normal"


@dataclass(frozen=True)
class Model:
    """A model of the zoo.

    Attributes:
        name: A unique name, "group/model".
        file: The ONNX file, relative to the folder that holds the zoo's models.
        inputs: The inputs that calls give, by name.
        sizes: The calls: a value for each named size.
        licence: The licence of a trained model's package, an SPDX expression where it has one.
        tolerance: The largest difference from ONNX Runtime over the largest absolute value of the output.
        note: What a reader of the results must know, such as the reason of an unusual tolerance.
    """

    name: str
    file: Path
    inputs: Mapping[str, Input]
    sizes: tuple[Sizes, ...]
    licence: str = ""
    tolerance: float = 1e-4
    note: str = ""
    tags: frozenset[str] = field(default_factory=frozenset)
