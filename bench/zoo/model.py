"""The description of a model of the zoo: its file, its inputs with named sizes, and its calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Input:
    """One input of a model: its type, its shape in terms of named sizes, and how its values are drawn.

    Attributes:
        type: NumPy's name of the element type ("float32", "int64", "object" for strings).
        shape: Integers, or expressions over the names of sizes ("batch", "past + 1").
        values: How values are drawn, a word with arguments, which may be expressions over the names of sizes:
            "normal", "uniform(0, 1)", "integers(0, 30522)" (the upper bound is exclusive), "ones", "zeros",
            "arange" along the last axis or "arange(past)", which starts there, "text" of eight words or
            "text(1)", "padding": rows of ones that end with zeros, up to half of a row, and "page(-1, 1)":
            images of blocks in lines, like a printed page, with the values of ink and paper.
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

    def to_json(self) -> str:
        """Returns the description as JSON, the text of NAME.json beside NAME.onnx."""
        return json.dumps(asdict(self) | {"file": str(self.file), "tags": sorted(self.tags)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Model:
        """Reads what `to_json` wrote.

        Raises:
            TypeError: `text` has a field that models lack, or lacks one.
        """
        fields = json.loads(text)
        inputs = {name: _input(**described) for name, described in fields.pop("inputs").items()}
        file, sizes, tags = (
            Path(fields.pop("file")),
            tuple(fields.pop("sizes")),
            frozenset(fields.pop("tags", ())),
        )
        return cls(file=file, inputs=inputs, sizes=sizes, tags=tags, **fields)


def _input(shape: list[int | str], **described: str) -> Input:
    return Input(shape=tuple(shape), **described)
