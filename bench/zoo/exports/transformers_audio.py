"""Networks for sound from transformers."""

from __future__ import annotations

from typing import Any

import transformers
from torch import nn

from bench.zoo.exports.modules import Call
from bench.zoo.exports.registry import export
from bench.zoo.exports.transformers_heads import build
from bench.zoo.exports.weights import calibrate, seed
from bench.zoo.model import Input

WAVE = {"input_values": Input("float32", ("batch", "samples"))}
WAVE_SIZES = (
    {"batch": 2, "samples": 4000},
    {"batch": 1, "samples": 16000},
    {"batch": 3, "samples": 2345},
)
SMALL: dict[str, Any] = {
    "vocab_size": 32,
    "hidden_size": 192,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 384,
    "conv_dim": (64,) * 7,
    "num_conv_pos_embeddings": 32,
    "num_conv_pos_embedding_groups": 4,
}


@export("transformers/wav2vec2-ctc", "script dynamo", WAVE, WAVE_SIZES, outputs=["logits"])
def _wav2vec2() -> nn.Module:
    config = transformers.Wav2Vec2Config(**SMALL)
    return Call(build(config, "Wav2Vec2ForCTC"), WAVE, ["logits"])


@export("transformers/hubert", "dynamo", WAVE, WAVE_SIZES, outputs=["last_hidden_state"])
def _hubert() -> nn.Module:
    config = transformers.HubertConfig(**SMALL, do_stable_layer_norm=True, feat_extract_norm="layer")
    return Call(build(config, "HubertModel", "sdpa"), WAVE, ["last_hidden_state"])


@export("transformers/wav2vec2-conformer", "script", WAVE, WAVE_SIZES, outputs=["last_hidden_state"])
def _conformer() -> nn.Module:
    config = transformers.Wav2Vec2ConformerConfig(
        **SMALL, position_embeddings_type="relative", conv_depthwise_kernel_size=15
    )
    network = build(config, "Wav2Vec2ConformerModel")
    return Call(calibrate(network, _wave()), WAVE, ["last_hidden_state"])


@export("transformers/wavlm", "script", WAVE, WAVE_SIZES, outputs=["last_hidden_state"])
def _wavlm() -> nn.Module:
    config = transformers.WavLMConfig(
        hidden_size=60,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=90,
        conv_dim=(12, 16, 16),
        conv_kernel=(10, 3, 2),
        conv_stride=(5, 2, 2),
        num_feat_extract_layers=3,
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=3,
        num_buckets=32,
        max_bucket_distance=40,
    )
    return Call(build(config, "WavLMModel"), WAVE, ["last_hidden_state"])


def _wave() -> Any:
    import torch

    return torch.randn(2, 4000, generator=torch.Generator().manual_seed(1))


SPECTROGRAM = {"input_values": Input("float32", ("batch", 128, 128))}


@export(
    "transformers/spectrogram-transformer",
    "dynamo",
    SPECTROGRAM,
    ({"batch": 2}, {"batch": 1}),
    outputs=["logits"],
)
def _ast() -> nn.Module:
    config = transformers.ASTConfig(
        hidden_size=192,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=384,
        max_length=128,
        num_labels=50,
    )
    return Call(build(config, "ASTForAudioClassification"), SPECTROGRAM, ["logits"])


CODED = {"input_values": Input("float32", ("batch", 1, "samples"))}


@export("transformers/encodec-encoder", "script", CODED, WAVE_SIZES, outputs=["embeddings"])
def _encodec() -> nn.Module:
    config = transformers.EncodecConfig(hidden_size=64, num_filters=8, codebook_size=64, codebook_dim=64)
    return build(config, "EncodecModel").encoder


@export(
    "transformers/univnet-vocoder",
    "dynamo",
    {
        "input_features": Input("float32", ("batch", "frames", 100)),
        "noise_sequence": Input("float32", ("batch", "frames", 64)),
    },
    ({"batch": 2, "frames": 10}, {"batch": 1, "frames": 25}, {"batch": 1, "frames": 4}),
    outputs=["waveforms"],
)
def _univnet() -> nn.Module:
    config = transformers.UnivNetConfig(model_hidden_channels=16)
    # With larger weights it amplifies the rounding of its inputs to 1e-4.
    network = seed(build(config, "UnivNetModel"), 0.5)
    return Call(network, ["input_features", "noise_sequence"], ["waveforms"])
