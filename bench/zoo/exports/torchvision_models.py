"""Networks of torchvision."""

from __future__ import annotations

from typing import Any

import torch
import torchvision
from torch import nn
from torchvision.models import detection
from torchvision.models.swin_transformer import PatchMergingV2, SwinTransformer, SwinTransformerBlockV2
from torchvision.models.vision_transformer import VisionTransformer

from bench.zoo.exports.modules import Apply
from bench.zoo.exports.registry import export
from bench.zoo.exports.weights import calibrate, images, seed, spread
from bench.zoo.model import Input

IMAGE = {"x": Input("float32", ("batch", 3, "height", "width"))}
IMAGE_SIZES = (
    {"batch": 2, "height": 96, "width": 128},
    {"batch": 1, "height": 224, "width": 224},
    {"batch": 3, "height": 97, "width": 65},
)
FIXED_IMAGE = {"x": Input("float32", ("batch", 3, 224, 224))}
BATCHES = ({"batch": 2}, {"batch": 1}, {"batch": 5})

# Networks for images of any size, and by which exporters.
OPEN_CLASSIFIERS = {
    "resnet18": "script dynamo",
    "efficientnet_b0": "script",
    "mobilenet_v3_small": "script dynamo",
    "convnext_tiny": "dynamo",
    "densenet121": "script",
    "regnet_y_400mf": "dynamo",
    "shufflenet_v2_x1_0": "script",
    "squeezenet1_1": "dynamo",
    "googlenet": "script",
}


def _register(name: str, exporters: str) -> None:
    @export(f"torchvision/{name}", exporters, IMAGE, IMAGE_SIZES)
    def _classifier() -> nn.Module:
        options = {"init_weights": False, "aux_logits": False} if name == "googlenet" else {}
        network = torchvision.models.get_model(name, weights=None, **options)
        return calibrate(seed(network, 1.5), images(2, 224, 224))


for _name, _exporters in OPEN_CLASSIFIERS.items():
    _register(_name, _exporters)


@export("torchvision/vit", "script", FIXED_IMAGE, BATCHES)
def _vit() -> nn.Module:
    return seed(VisionTransformer(224, 16, num_layers=3, num_heads=6, hidden_dim=384, mlp_dim=1536))


@export("torchvision/swin", "script", FIXED_IMAGE, BATCHES)
def _swin() -> nn.Module:
    return seed(SwinTransformer([4, 4], 48, [2, 2], [2, 4], [7, 7], stochastic_depth_prob=0.0))


@export("torchvision/swin-v2", "dynamo", FIXED_IMAGE, BATCHES)
def _swin_v2() -> nn.Module:
    return seed(
        SwinTransformer(
            [4, 4],
            48,
            [2, 2],
            [2, 4],
            [7, 7],
            stochastic_depth_prob=0.0,
            block=SwinTransformerBlockV2,
            downsample_layer=PatchMergingV2,
        )
    )


SEGMENTED_SIZES = ({"batch": 2, "height": 64, "width": 96}, {"batch": 1, "height": 161, "width": 129})


def _segmenter(name: str) -> nn.Module:
    network = getattr(torchvision.models.segmentation, name)(
        weights=None, weights_backbone=None, num_classes=21
    )
    return Apply(calibrate(seed(network, 1.5), images(2, 128, 128)), lambda module, x: module(x)["out"])


@export("torchvision/deeplabv3-mobilenet", "dynamo", IMAGE, SEGMENTED_SIZES)
def _deeplab() -> nn.Module:
    return _segmenter("deeplabv3_mobilenet_v3_large")


@export("torchvision/lraspp-mobilenet", "script", IMAGE, SEGMENTED_SIZES)
def _lraspp() -> nn.Module:
    return _segmenter("lraspp_mobilenet_v3_large")


@export("torchvision/fcn-resnet50", "script", IMAGE, SEGMENTED_SIZES)
def _fcn() -> nn.Module:
    return _segmenter("fcn_resnet50")


# Detectors take an image without a batch, and scale it.
DETECTED = {"image": Input("float32", (3, "height", "width"), "uniform(0, 1)")}
DETECTED_SIZES = ({"height": 160, "width": 192}, {"height": 128, "width": 160})
BOXES = ("boxes", "labels", "scores")


# The layers of detectors that compute logits, and those that compute offsets of boxes.
SCORES = ("cls_logits", "cls_score", "bbox_ctrness")
OFFSETS = ("bbox_reg", "bbox_pred")


def _detector(network: nn.Module) -> nn.Module:
    backbone = network.backbone
    seed(network, 1.5)
    calibrate(backbone, images(2, 320, 320))
    named = list(network.named_modules())
    layers = [[layer for name, layer in named if name.split(".")[-1] in names] for names in (SCORES, OFFSETS)]
    image = torch.rand(3, 160, 192, generator=torch.Generator().manual_seed(1))
    spread(network, layers[0], -1.0, 0.6, [image])
    spread(network, layers[1], 0.0, 0.3, [image])

    def detect(module: nn.Module, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
        (found,) = module([image])
        found = found[0] if isinstance(found, list) else found
        return tuple(found[name] for name in (*BOXES, "masks") if name in found)

    return Apply(network, detect)


DETECTOR: dict[str, Any] = {"weights": None, "weights_backbone": None, "num_classes": 8}
SCALED: dict[str, Any] = DETECTOR | {"min_size": 160, "max_size": 256}
FEW: dict[str, Any] = {
    "rpn_pre_nms_top_n_test": 100,
    "rpn_post_nms_top_n_test": 50,
    "box_detections_per_img": 20,
}


@export("torchvision/ssdlite", "script", DETECTED, DETECTED_SIZES, outputs=BOXES)
def _ssdlite() -> nn.Module:
    return _detector(
        detection.ssdlite320_mobilenet_v3_large(**DETECTOR, topk_candidates=50, detections_per_img=30)
    )


@export("torchvision/retinanet", "script", DETECTED, DETECTED_SIZES, outputs=BOXES)
def _retinanet() -> nn.Module:
    return _detector(detection.retinanet_resnet50_fpn(**SCALED, topk_candidates=50, detections_per_img=30))


@export("torchvision/fcos", "script", DETECTED, DETECTED_SIZES, outputs=BOXES)
def _fcos() -> nn.Module:
    return _detector(detection.fcos_resnet50_fpn(**SCALED, topk_candidates=50, detections_per_img=30))


@export("torchvision/faster-rcnn-mobilenet", "script", DETECTED, DETECTED_SIZES, outputs=BOXES)
def _faster_rcnn() -> nn.Module:
    return _detector(detection.fasterrcnn_mobilenet_v3_large_320_fpn(**SCALED, **FEW))


# Masks are resized, which ONNX Runtime does with other weights than torch.
@export(
    "torchvision/mask-rcnn",
    "script",
    DETECTED,
    DETECTED_SIZES,
    outputs=(*BOXES, "masks"),
    against_torch=2e-2,
    note="ONNX Runtime's Resize of the image is 2.5e-5 from exact values, mlc's 3e-7; the heads amplify it.",
)
def _mask_rcnn() -> nn.Module:
    return _detector(detection.maskrcnn_resnet50_fpn(**SCALED, **FEW))


PAIR = {
    name: Input("float32", ("batch", 3, "height", "width"), "uniform(-1, 1)") for name in ("first", "second")
}
FLOW_SIZES = ({"batch": 2, "height": 128, "width": 128}, {"batch": 1, "height": 136, "width": 160})


@export("torchvision/raft-small", "script", PAIR, FLOW_SIZES, outputs=["flow"])
def _raft() -> nn.Module:
    network = calibrate(
        seed(torchvision.models.optical_flow.raft_small(weights=None)),
        images(1, 128, 128),
        images(1, 128, 128),
    )
    return Apply(network, lambda module, first, second: module(first, second, num_flow_updates=3)[-1])


CLIP = {"x": Input("float32", ("batch", 3, "frames", 64, 64))}
CLIP_SIZES = ({"batch": 2, "frames": 8}, {"batch": 1, "frames": 16}, {"batch": 1, "frames": 5})


@export("torchvision/r3d-18", "dynamo", CLIP, CLIP_SIZES)
def _r3d() -> nn.Module:
    clips = images(2, 64 * 8, 64).reshape(2, 3, 8, 64, 64)
    network = torchvision.models.video.r3d_18(weights=None, num_classes=50)
    return calibrate(seed(network, 1.5), clips)
