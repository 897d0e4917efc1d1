"""Networks of transformers unlike plain encoders and decoders: deformable attention, speech whose length its
values decide, two-stream attention."""

from __future__ import annotations

from typing import Any

import torch
import transformers
from torch import nn

from bench.zoo.exports.modules import Call
from bench.zoo.exports.registry import export
from bench.zoo.exports.transformers_heads import build
from bench.zoo.exports.weights import calibrate, images
from bench.zoo.model import Input

PIXELS = "pixel_values"
IMAGE = {PIXELS: Input("float32", ("batch", 3, "height", "width"))}
IMAGE_SIZES = (
    {"batch": 2, "height": 96, "width": 128},
    {"batch": 1, "height": 160, "width": 160},
    {"batch": 3, "height": 64, "width": 96},
)
BACKBONE: dict[str, Any] = {
    "embedding_size": 32,
    "hidden_sizes": [32, 64, 96, 128],
    "depths": [1, 1, 1, 1],
    "layer_type": "basic",
}
VOCABULARY = 1000
TOKENS = {
    "input_ids": Input("int64", ("batch", "length"), f"integers(3, {VOCABULARY})"),
    "attention_mask": Input("int64", ("batch", "length"), "padding"),
}
TOKEN_SIZES = ({"batch": 2, "length": 50}, {"batch": 1, "length": 77}, {"batch": 3, "length": 9})


BOXES = ("logits", "pred_boxes")


@export("transformers/rt-detr", "script", IMAGE, IMAGE_SIZES, outputs=BOXES)
def _rt_detr() -> nn.Module:
    backbone = transformers.RTDetrResNetConfig(**BACKBONE, out_features=["stage2", "stage3", "stage4"])
    config = transformers.RTDetrConfig(
        backbone_config=backbone,
        encoder_hidden_dim=64,
        encoder_in_channels=[64, 96, 128],
        encoder_ffn_dim=128,
        encoder_attention_heads=4,
        d_model=64,
        num_queries=20,
        decoder_in_channels=[64, 64, 64],
        decoder_ffn_dim=128,
        decoder_layers=2,
        decoder_attention_heads=4,
        num_denoising=0,
        num_labels=20,
        anchor_image_size=None,
        eval_size=None,
    )
    network = calibrate(build(config, "RTDetrForObjectDetection"), images(2, 128, 128))
    return Call(network, IMAGE, BOXES)


@export(
    "transformers/fast-speech2-conformer",
    "script",
    {"input_ids": Input("int64", (1, "length"), "integers(1, 70)")},
    ({"length": 20}, {"length": 9}, {"length": 41}),
    outputs=["spectrogram"],
)
def _fast_speech() -> nn.Module:
    config = transformers.FastSpeech2ConformerConfig(
        hidden_size=48,
        vocab_size=78,
        num_mel_bins=20,
        encoder_num_attention_heads=2,
        encoder_layers=1,
        encoder_linear_units=96,
        decoder_layers=1,
        decoder_num_attention_heads=2,
        decoder_linear_units=96,
        speech_decoder_postnet_units=32,
        duration_predictor_channels=32,
        energy_predictor_channels=32,
        pitch_predictor_channels=32,
    )
    network = build(config, "FastSpeech2ConformerModel")
    with torch.no_grad():
        # Durations are the exponentials of these, less one.
        network.duration_predictor.linear.bias.fill_(1.2)
    return Call(network, ["input_ids"], ["spectrogram"])


@export("transformers/xlnet", "script", TOKENS, TOKEN_SIZES, outputs=["last_hidden_state"])
def _xlnet() -> nn.Module:
    config = transformers.XLNetConfig(vocab_size=VOCABULARY, d_model=192, n_layer=2, n_head=3, d_inner=384)
    return Call(build(config, "XLNetModel"), TOKENS, ["last_hidden_state"], use_mems=False)
