"""Detectors of ultralytics, built from its configurations and exported by torch's exporters."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torchvision.ops import nms
from ultralytics import YOLO

from bench.zoo.exports.modules import Apply
from bench.zoo.exports.registry import export
from bench.zoo.exports.weights import calibrate, images, seed, spread
from bench.zoo.model import Input

LICENCE = "AGPL-3.0-or-later"
IMAGE = {"images": Input("float32", ("batch", 3, "height", "width"), "uniform(0, 1)")}
SIZES = (
    {"batch": 2, "height": 128, "width": 160},
    {"batch": 1, "height": 320, "width": 320},
    {"batch": 3, "height": 64, "width": 96},
)
ONE = {"images": Input("float32", (1, 3, "height", "width"), "uniform(0, 1)")}
# The number of candidates is a constant of the exported file: images have at least as many anchors.
ONE_SIZES = ({"height": 160, "width": 192}, {"height": 256, "width": 256}, {"height": 96, "width": 96})


def _network(configuration: str) -> nn.Module:
    """The network of a configuration, with the head in the form that ultralytics exports."""
    network = YOLO(configuration).model
    # Without this, the attention of YOLO11 has logits so large that rounding decides them.
    calibrate(seed(network, 1.5), images(2, 160, 160).abs())
    network.float()
    if hasattr(network, "fuse"):
        network.fuse(verbose=False)
    head = network.model[-1]
    head.export, head.dynamic, head.format = True, True, "onnx"
    return network.eval()


def _register(configuration: str, exporters: str) -> None:
    @export(f"ultralytics/{configuration}", exporters, IMAGE, SIZES, licence=LICENCE)
    def _detector() -> nn.Module:
        return _network(f"{configuration}.yaml")


for _configuration, _exporters in {
    "yolov8n": "script dynamo",
    "yolo11n": "script dynamo",
    "yolov8n-seg": "script",
    "yolo11n-pose": "script",
    "yolo11n-obb": "script",
    "yolov8n-cls": "dynamo",
}.items():
    _register(_configuration, _exporters)


def _suppress(module: Any, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Detections after non-maximum suppression, with boxes of each class apart, as ultralytics appends it."""
    predictions = module(image)
    predictions = (predictions[0] if isinstance(predictions, tuple | list) else predictions)[0]
    boxes, (scores, classes) = predictions[:4].T, predictions[4:].max(0)
    corners = torch.cat((boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2), 1)
    best = scores.topk(min(100, scores.shape[0])).indices
    corners, scores, classes = corners[best], scores[best], classes[best]
    kept = nms(corners + classes[:, None].float() * 7680, scores, 0.45)
    return corners[kept], scores[kept], classes[kept]


@export(
    "ultralytics/yolov8n-nms",
    "script",
    ONE,
    ONE_SIZES,
    outputs=["boxes", "scores", "classes"],
    licence=LICENCE,
)
def _nms() -> nn.Module:
    network: Any = _network("yolov8n.yaml")
    image = torch.rand(1, 3, 160, 192, generator=torch.Generator().manual_seed(1))
    head = network.model[-1]
    for branch in head.cv3:
        spread(network, [branch[-1]], -1.0, 0.6, image)
    for branch in head.cv2:
        spread(network, [branch[-1]], 0.0, 1.0, image)
    return Apply(network, _suppress)
