"""The table of exports: what is built, how it is exported, and with which inputs it is called."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.zoo.model import Input, Model, Sizes

# The modules that register exports.
PACKAGES = (
    "torchvision_models",
    "timm_models",
    "transformers_encoders",
    "transformers_decoders",
    "transformers_seq2seq",
    "transformers_vision",
    "transformers_audio",
    "transformers_others",
    "ultralytics_models",
    "diffusers_models",
    "graph_models",
    "recommenders",
    "torch_models",
    "sklearn_models",
    "quantised",
)


@dataclass(frozen=True)
class Export:
    """One export of an architecture.

    Attributes:
        name: A unique name, "package/architecture-exporter".
        build: Returns the torch module, called with the inputs in their order, or for the exporter "onnx" the
            `ModelProto`.
        exporter: "script" for the TorchScript exporter, "dynamo" for that of `torch.export`, or "onnx".
        inputs: The inputs, by name.
        sizes: The calls; the module is traced with the first of them, whose sizes should thus be over one.
        outputs: The names of outputs.
        options: Further arguments of `torch.onnx.export`.
        tolerance: See `Model`.
        against_torch: The largest difference between ONNX Runtime and torch over the largest absolute value
            of the output, or None where the two are not compared.
        licence: The licence of the architecture's package, where it covers the exported graph too.
        note: See `Model`.
        tags: See `Model`.
    """

    name: str
    build: Callable[[], Any]
    exporter: str
    inputs: Mapping[str, Input]
    sizes: tuple[Sizes, ...]
    outputs: tuple[str, ...]
    options: Mapping[str, Any]
    tolerance: float
    against_torch: float | None
    licence: str
    note: str
    tags: frozenset[str]

    def model(self) -> Model:
        """Returns the description that the harness reads."""
        return Model(
            name=self.name,
            file=Path(f"{self.name}.onnx"),
            inputs=self.inputs,
            sizes=self.sizes,
            licence=self.licence,
            tolerance=self.tolerance,
            note=self.note,
            tags=self.tags | {self.exporter},
        )


_EXPORTS: dict[str, Export] = {}


def export(
    name: str,
    exporter: str,
    inputs: Mapping[str, Input],
    sizes: Sequence[Sizes],
    *,
    outputs: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    tolerance: float = 1e-4,
    against_torch: float | None = 1e-3,
    licence: str = "",
    note: str = "",
    tags: Sequence[str] = (),
) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Returns the decorator that registers a builder as "`name`-`exporter`"; see `Export` for the arguments.

    Several exporters, separated by spaces, register one export each. Models of the exporter "onnx" have no
    suffix.
    """

    def register(build: Callable[[], Any]) -> Callable[[], Any]:
        for one in exporter.split():
            full = name if one == "onnx" else f"{name}-{one}"
            if full in _EXPORTS:
                raise ValueError(f"two exports have the name '{full}'")
            _EXPORTS[full] = Export(
                name=full,
                build=build,
                exporter=one,
                inputs=inputs,
                sizes=tuple(sizes),
                outputs=tuple(outputs),
                options=options or {},
                tolerance=tolerance,
                against_torch=against_torch,
                licence=licence,
                note=note,
                tags=frozenset(tags),
            )
        return build

    return register


def exports(packages: Sequence[str] = ()) -> Mapping[str, Export]:
    """Returns the exports of `packages`, or all, by name; imports the modules that register them."""
    for package in packages or PACKAGES:
        importlib.import_module(f"bench.zoo.exports.{package}")
    return _EXPORTS
