"""The module that a front end imports from a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlc.frontends.weights.store import WeightStore


@dataclass(frozen=True)
class Imported:
    """A module with its weights and the names of inputs and outputs. `declared` has the names of each
    output's dims, "" for one that has none, where the model's own are not those of the module; `warnings` are
    the front end's; `constants` are inputs of the model that calls cannot give, since they are initializers
    too; `file` is the model's path, in messages."""

    module: Any
    store: WeightStore
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    declared: tuple[tuple[str, ...], ...] | None = None
    warnings: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    file: str = ""


def main_of(module: Any) -> Any:
    """Returns the function `@main` of a module, or None."""
    from mlc.bindings import func

    body = module.operation.regions[0].blocks[0]
    return next((op for op in body if func.Func.isa(op) and func.Func(op).sym_name == "main"), None)
