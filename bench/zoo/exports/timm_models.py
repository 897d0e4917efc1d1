"""Networks of timm, with fewer blocks than the published ones."""

from __future__ import annotations

from typing import Any

import timm
from torch import nn

from bench.zoo.exports.registry import export
from bench.zoo.exports.weights import calibrate, images, seed
from bench.zoo.model import Input

BATCHES = ({"batch": 2}, {"batch": 1}, {"batch": 5})
OPEN_SIZES = (
    {"batch": 2, "height": 96, "width": 128},
    {"batch": 1, "height": 192, "width": 192},
    {"batch": 3, "height": 65, "width": 97},
)

# Architecture, exporters, side of its images or 0 for any size, and what is reduced.
MODELS: tuple[tuple[str, str, int, dict[str, Any]], ...] = (
    ("deit_tiny_distilled_patch16_224", "script dynamo", 224, {"depth": 3}),
    ("maxvit_rmlp_pico_rw_256", "dynamo", 256, {"depths": (1, 1, 1, 1)}),
    ("nf_regnet_b0", "script", 0, {}),
    ("mixer_s32_224", "script", 224, {}),
    ("coatnet_0_rw_224", "dynamo", 224, {"depths": (1, 1, 1, 1)}),
    ("edgenext_xx_small", "dynamo", 0, {}),
    ("ghostnet_100", "script", 0, {}),
    ("convnextv2_atto", "script", 0, {}),
    ("levit_128s", "script", 224, {}),
    ("poolformer_s12", "dynamo", 0, {}),
    ("fastvit_t8", "dynamo", 0, {}),
)


def _register(name: str, exporters: str, side: int, reduced: dict[str, Any]) -> None:
    shape: tuple[int | str, ...] = ("batch", 3, side or "height", side or "width")
    inputs = {"x": Input("float32", shape)}

    @export(f"timm/{name}", exporters, inputs, BATCHES if side else OPEN_SIZES, outputs=["logits"])
    def _classifier() -> nn.Module:
        network = timm.create_model(name, pretrained=False, num_classes=100, exportable=True, **reduced)
        return calibrate(seed(network), images(2, side or 192, side or 192))


for _model in MODELS:
    _register(*_model)
