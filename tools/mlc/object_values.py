"""Sequences and optionals for files and tables, which know arrays alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.tools.mlc.error_messages import ToolError

if TYPE_CHECKING:
    from mlc.runtime import TensorSpec


def is_list(spec: TensorSpec) -> bool:
    """Whether values are sequences, or optionals of such."""
    return "sequence(" in spec.dtype


def nothing_of(spec: TensorSpec) -> list[Any] | None:
    """What stands for a sequence or optional that is not given."""
    return [] if spec.dtype.startswith("sequence(") else None


def flat(values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The arrays of values by name; those in a sequence are NAME[0], NAME[1], those of a map NAME.keys and
    NAME.values. What is None has none."""
    found: dict[str, np.ndarray] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            sides = {"keys": list(value), "values": list(value.values())}
            found |= {f"{name}.{side}": np.asarray(entries) for side, entries in sides.items()}
        elif isinstance(value, list):
            found |= flat({f"{name}[{place}]": each for place, each in enumerate(value)})
        elif value is not None:
            found[name] = np.asarray(value)
    return found


def gathered(specs: Sequence[TensorSpec], arrays: Mapping[str, np.ndarray], path: str) -> dict[str, Any]:
    """Arrays by name with those called NAME[0], NAME[1] in a list if NAME is a sequence. Raises ToolError
    where one is missing between others."""
    found: dict[str, Any] = dict(arrays)
    for spec in filter(is_list, specs):
        pattern = re.compile(re.escape(spec.name) + r"\[(\d+)\]")
        places = {int(match[1]): name for name in arrays if (match := pattern.fullmatch(name))}
        if sorted(places) != list(range(len(places))):
            raise ToolError(f"{path}: holds {', '.join(places.values())} of the sequence '{spec.name}'")
        if places:
            found[spec.name] = [found.pop(places[place]) for place in range(len(places))]
    return found
