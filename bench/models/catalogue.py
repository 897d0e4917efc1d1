"""The models by name, with the functions that build them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import onnx

from bench.models import direct, exported, light
from bench.models.calibrate import calibrate
from bench.models.network import Network
from bench.models.specification import input_specifications
from bench.models.store import draw

Family = Literal["light", "direct", "torch"]


@dataclass(frozen=True)
class CatalogueModel:
    """A model to build. `vocabulary` bounds integer inputs (exclusive)."""

    name: str
    family: Family
    build: Callable[[], onnx.ModelProto]
    vocabulary: int | None = None


def _build_calibrated(network: Callable[[], Network]) -> onnx.ModelProto:
    model = network().to_model()
    calibrate(model, draw(input_specifications(model), seed=0))
    return model


def _perceptron(name: str, batch: int, widths: tuple[int, ...]) -> onnx.ModelProto:
    return direct.perceptron(name, batch, widths).to_model()


CONVOLUTIONAL = {
    "mobilenet_v2": direct.mobilenet_v2,
    "vgg16": direct.vgg16,
    "vgg16_conv_126x224": direct.vgg16_features,
}
PERCEPTRONS = {"mlp_small": (784, 128, 10), "mlp_wide": (784, 1024, 1024, 10)}


def _all() -> list[CatalogueModel]:
    models = [
        CatalogueModel(name, "light", partial(_build_calibrated, partial(light.read, name)))
        for name in light.FILES
    ]
    for name, network in CONVOLUTIONAL.items():
        models.append(CatalogueModel(name, "direct", partial(_build_calibrated, network)))
    for stem, widths in PERCEPTRONS.items():
        for batch in (1, 64):
            name = f"{stem}_b{batch}"
            models.append(CatalogueModel(name, "direct", partial(_perceptron, name, batch, widths)))
    for name in exported.MODELS:
        models.append(
            CatalogueModel(name, "torch", partial(exported.export, name), exported.VOCABULARY.get(name))
        )
    return models


MODELS: dict[str, CatalogueModel] = {model.name: model for model in _all()}
