"""Networks for images and time series from transformers."""

from __future__ import annotations

from typing import Any

import transformers
from torch import nn
from transformers import PreTrainedModel

from bench.zoo.exports.modules import Apply, Call
from bench.zoo.exports.registry import export
from bench.zoo.exports.transformers_heads import build
from bench.zoo.exports.weights import calibrate, images
from bench.zoo.model import Input

PIXELS = "pixel_values"
SQUARE = {PIXELS: Input("float32", ("batch", 3, 224, 224))}
BATCHES = ({"batch": 2}, {"batch": 1}, {"batch": 5})
IMAGE = {PIXELS: Input("float32", ("batch", 3, "height", "width"))}
IMAGE_SIZES = (
    {"batch": 2, "height": 96, "width": 128},
    {"batch": 1, "height": 160, "width": 160},
    {"batch": 3, "height": 64, "width": 96},
)
# Two layers of three heads of 64, as in the smallest published models.
SMALL: dict[str, Any] = {
    "hidden_size": 192,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 768,
}


CLIP_INPUTS = {
    "input_ids": Input("int64", ("texts", 77), "integers(0, 1000)"),
    PIXELS: Input("float32", ("images", 3, 224, 224)),
    "attention_mask": Input("int64", ("texts", 77), "padding"),
}
CLIP_SIZES = ({"texts": 3, "images": 2}, {"texts": 1, "images": 1}, {"texts": 7, "images": 1})
CLIP_OUTPUTS = ["logits_per_image", "text_embeds", "image_embeds"]


@export("transformers/clip", "script dynamo", CLIP_INPUTS, CLIP_SIZES, outputs=CLIP_OUTPUTS)
def _clip() -> nn.Module:
    config = transformers.CLIPConfig(
        text_config=SMALL | {"vocab_size": 1000, "eos_token_id": 2},
        vision_config=SMALL | {"patch_size": 32},
        projection_dim=128,
    )
    return Call(build(config, "CLIPModel", "sdpa"), CLIP_INPUTS, CLIP_OUTPUTS)


@export("transformers/deit", "dynamo", SQUARE, BATCHES, outputs=["logits"])
def _deit() -> nn.Module:
    config = transformers.DeiTConfig(**SMALL, num_labels=100)
    return Call(build(config, "DeiTForImageClassificationWithTeacher"), SQUARE, ["logits"])


@export("transformers/dinov2", "dynamo", SQUARE, BATCHES, outputs=["last_hidden_state", "pooler_output"])
def _dinov2() -> nn.Module:
    config = transformers.Dinov2Config(
        hidden_size=192, num_hidden_layers=2, num_attention_heads=3, image_size=224, patch_size=14
    )
    return Call(build(config, "Dinov2Model", "sdpa"), SQUARE, ["last_hidden_state", "pooler_output"])


@export("transformers/segformer", "script dynamo", IMAGE, IMAGE_SIZES, outputs=["logits"])
def _segformer() -> nn.Module:
    config = transformers.SegformerConfig(num_labels=20, depths=[1, 1, 1, 1], decoder_hidden_size=128)
    network = build(config, "SegformerForSemanticSegmentation")
    return Call(calibrate(network, images(2, 128, 128)), IMAGE, ["logits"])


def _detr() -> PreTrainedModel:
    backbone = transformers.ResNetConfig(
        embedding_size=32,
        hidden_sizes=[32, 64, 128, 256],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage4"],
    )
    config = transformers.DetrConfig(
        use_timm_backbone=False,
        backbone=None,
        use_pretrained_backbone=False,
        backbone_config=backbone,
        d_model=128,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=256,
        decoder_ffn_dim=256,
        num_queries=25,
        num_labels=20,
    )
    return calibrate(build(config, "DetrForObjectDetection"), images(2, 128, 128))


@export("transformers/detr", "dynamo script", IMAGE, IMAGE_SIZES, outputs=["logits", "pred_boxes"])
def _detr_detector() -> nn.Module:
    return Call(_detr(), IMAGE, ["logits", "pred_boxes"])


SAM_IMAGE = {PIXELS: Input("float32", ("batch", 3, 256, 256))}
SAM_MASK = {
    "image_embeddings": Input("float32", (1, 64, 16, 16)),
    "input_points": Input("float32", (1, "prompts", "points", 2), "uniform(0, 256)"),
    "input_labels": Input("int64", (1, "prompts", "points"), "integers(0, 2)"),
}
SAM_SIZES = ({"prompts": 2, "points": 3}, {"prompts": 1, "points": 1}, {"prompts": 3, "points": 2})


def _sam() -> PreTrainedModel:
    config = transformers.SamConfig(
        vision_config=SMALL
        | {
            "image_size": 256,
            "output_channels": 64,
            "num_pos_feats": 32,
            "global_attn_indexes": [1],
            "mlp_dim": 384,
            "window_size": 7,
        },
        prompt_encoder_config={"hidden_size": 64, "image_size": 256, "image_embedding_size": 16},
        mask_decoder_config={
            "hidden_size": 64,
            "num_attention_heads": 4,
            "mlp_dim": 128,
            "iou_head_hidden_dim": 64,
        },
    )
    return build(config, "SamModel")


@export("transformers/sam-image", "dynamo", SAM_IMAGE, BATCHES[:2], outputs=["image_embeddings"])
def _sam_image() -> nn.Module:
    return Apply(_sam().vision_encoder, lambda module, pixels: module(pixels).last_hidden_state)


@export("transformers/sam-mask", "script", SAM_MASK, SAM_SIZES, outputs=["iou_scores", "pred_masks"])
def _sam_mask() -> nn.Module:
    return Call(_sam(), SAM_MASK, ["iou_scores", "pred_masks"])


@export("transformers/swin2sr", "dynamo", {PIXELS: Input("float32", ("batch", 3, 64, 64))}, BATCHES[:2])
def _swin2sr() -> nn.Module:
    config = transformers.Swin2SRConfig(
        embed_dim=60,
        depths=[2, 2],
        num_heads=[6, 6],
        window_size=8,
        mlp_ratio=2.0,
        upscale=2,
        upsampler="pixelshuffle",
    )
    return Call(build(config, "Swin2SRForImageSuperResolution"), [PIXELS], ["reconstruction"])


@export("transformers/depth-anything", "dynamo", SQUARE, BATCHES[:2], outputs=["predicted_depth"])
def _depth_anything() -> nn.Module:
    backbone = transformers.Dinov2Config(
        hidden_size=192,
        num_hidden_layers=4,
        num_attention_heads=3,
        image_size=224,
        patch_size=14,
        out_indices=[1, 2, 3, 4],
        reshape_hidden_states=False,
    )
    config = transformers.DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=192,
        neck_hidden_sizes=[24, 48, 96, 192],
        fusion_hidden_size=32,
        head_hidden_size=16,
    )
    return Call(build(config, "DepthAnythingForDepthEstimation"), SQUARE, ["predicted_depth"])


@export("transformers/dpt", "script", SQUARE, BATCHES[:2], outputs=["predicted_depth"])
def _dpt() -> nn.Module:
    config = transformers.DPTConfig(
        **(SMALL | {"num_hidden_layers": 4}),
        image_size=224,
        backbone_out_indices=[0, 1, 2, 3],
        neck_hidden_sizes=[24, 48, 96, 192],
        fusion_hidden_size=32,
        is_hybrid=False,
    )
    return Call(build(config, "DPTForDepthEstimation"), SQUARE, ["predicted_depth"])


MASKED = SQUARE | {"noise": Input("float32", ("batch", 196), "uniform(0, 1)")}


@export("transformers/vit-mae", "dynamo script", MASKED, BATCHES[:2], outputs=["logits", "mask"])
def _vit_mae() -> nn.Module:
    config = transformers.ViTMAEConfig(
        **SMALL,
        decoder_hidden_size=128,
        decoder_num_hidden_layers=1,
        decoder_num_attention_heads=4,
        decoder_intermediate_size=256,
    )
    return Call(build(config, "ViTMAEForPreTraining"), MASKED, ["logits", "mask"])


SERIES = {
    "past_values": Input("float32", ("batch", 31)),
    "past_time_features": Input("float32", ("batch", 31, 2)),
    "past_observed_mask": Input("float32", ("batch", 31), "ones"),
    "future_values": Input("float32", ("batch", 8)),
    "future_time_features": Input("float32", ("batch", 8, 2)),
}


@export("transformers/time-series", "script", SERIES, BATCHES, outputs=["last_hidden_state", "loc", "scale"])
def _time_series() -> nn.Module:
    config = transformers.TimeSeriesTransformerConfig(
        prediction_length=8,
        context_length=24,
        lags_sequence=[1, 2, 7],
        num_time_features=2,
        encoder_layers=2,
        decoder_layers=2,
        d_model=64,
        scaling="mean",
    )
    return Call(
        build(config, "TimeSeriesTransformerModel"),
        SERIES,
        ["last_hidden_state", "loc", "scale"],
        use_cache=False,
    )


PATCHED = {"past_values": Input("float32", ("batch", 96, 4))}


@export("transformers/patch-tst", "dynamo", PATCHED, BATCHES, outputs=["prediction"])
def _patch_tst() -> nn.Module:
    config = transformers.PatchTSTConfig(
        num_input_channels=4,
        context_length=96,
        patch_length=16,
        patch_stride=8,
        prediction_length=24,
        d_model=64,
    )
    network = build(config, "PatchTSTForPrediction")
    return Call(network, PATCHED, ["prediction_outputs"])
