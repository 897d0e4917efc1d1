"""Converts sequences and optionals for files and tables, which support arrays only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.tools.mlc.error_messages import ToolError

if TYPE_CHECKING:
    from mlc.runtime import TensorSpec


def is_list(spec: TensorSpec) -> bool:
    """Whether values are sequences, or optionals of sequences."""
    return "sequence(" in spec.dtype


def nothing_of(spec: TensorSpec) -> list[Any] | None:
    """Returns the value of a sequence or optional that is not given."""
    return [] if spec.dtype.startswith("sequence(") else None


def flat(values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Returns the arrays of values by name: those of a sequence are NAME[0], NAME[1], those of a map
    NAME.keys and NAME.values. None has none."""
    found: dict[str, np.ndarray] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            sides = {"keys": list(value), "values": list(value.values())}
            found |= {f"{name}.{side}": np.asarray(entries) for side, entries in sides.items()}
        elif isinstance(value, list):
            found |= flat({f"{name}[{index}]": element for index, element in enumerate(value)})
        elif value is not None:
            found[name] = np.asarray(value)
    return found


def gather_sequences(
    specs: Sequence[TensorSpec], arrays: Mapping[str, np.ndarray], path: str
) -> dict[str, Any]:
    """Returns arrays by name, with NAME[0], NAME[1] in a list if NAME is a sequence. Raises ToolError if one
    is missing between others."""
    found: dict[str, Any] = dict(arrays)
    for spec in filter(is_list, specs):
        pattern = re.compile(re.escape(spec.name) + r"\[(\d+)\]")
        names = {int(match[1]): name for name in arrays if (match := pattern.fullmatch(name))}
        if sorted(names) != list(range(len(names))):
            raise ToolError(f"{path}: holds {', '.join(names.values())} of the sequence '{spec.name}'")
        if names:
            found[spec.name] = [found.pop(names[index]) for index in range(len(names))]
    return found
