"""What the front ends make of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlc.frontends.weights import WeightStore


@dataclass(frozen=True)
class Imported:
    """A module with its weights and the names of inputs and outputs."""

    module: Any
    store: WeightStore
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def main_of(module: Any) -> Any:
    """The function `@main` of a module, or None."""
    body = module.operation.regions[0].blocks[0]
    return next((op for op in body if _is_main(op.operation)), None)


def _is_main(op: Any) -> bool:
    return op.name == "func.func" and op.attributes["sym_name"].value == "main"
