"""Networks of diffusion models from diffusers, with few channels."""

from __future__ import annotations

import diffusers
import torch
from torch import nn

from bench.zoo.exports.modules import Apply
from bench.zoo.exports.registry import export
from bench.zoo.exports.weights import seed
from bench.zoo.model import Input

TIME = Input("int64", ("batch",), "integers(0, 1000)")
NOISE = {"sample": Input("float32", ("batch", 3, "height", "width")), "timestep": TIME}
SIZES = (
    {"batch": 2, "height": 32, "width": 48},
    {"batch": 1, "height": 64, "width": 64},
    {"batch": 3, "height": 16, "width": 16},
)
LATENT = {
    "sample": Input("float32", ("batch", 4, "height", "width")),
    "timestep": TIME,
    "encoder_hidden_states": Input("float32", ("batch", 77, 64)),
}


@export("diffusers/unet2d", "script dynamo", NOISE, SIZES, outputs=["out_sample"])
def _unet() -> nn.Module:
    network = diffusers.UNet2DModel(
        in_channels=3,
        out_channels=3,
        block_out_channels=(32, 64),
        layers_per_block=1,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D"),
        norm_num_groups=8,
    )
    return Apply(seed(network), lambda module, sample, time: module(sample, time).sample)


@export("diffusers/unet2d-conditioned", "script dynamo", LATENT, SIZES, outputs=["out_sample"])
def _conditional() -> nn.Module:
    network = diffusers.UNet2DConditionModel(
        block_out_channels=(32, 64),
        layers_per_block=1,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        cross_attention_dim=64,
        attention_head_dim=8,
        norm_num_groups=8,
    )
    return Apply(seed(network), lambda module, sample, time, text: module(sample, time, text).sample)


def _autoencoder() -> nn.Module:
    return seed(
        diffusers.AutoencoderKL(
            block_out_channels=(32, 64),
            down_block_types=("DownEncoderBlock2D",) * 2,
            up_block_types=("UpDecoderBlock2D",) * 2,
            layers_per_block=1,
            norm_num_groups=8,
        )
    )


@export("diffusers/autoencoder-encoder", "dynamo", {"sample": NOISE["sample"]}, SIZES, outputs=["latent"])
def _encoder() -> nn.Module:
    return Apply(_autoencoder(), lambda module, sample: module.encode(sample).latent_dist.parameters)


@export("diffusers/autoencoder-decoder", "script", {"latent": LATENT["sample"]}, SIZES, outputs=["sample"])
def _decoder() -> nn.Module:
    return Apply(_autoencoder(), lambda module, latent: module.decode(latent).sample)


CLASSES = {
    "sample": Input("float32", ("batch", 4, 16, 16)),
    "timestep": TIME,
    "class_labels": Input("int64", ("batch",), "integers(0, 10)"),
}


@export(
    "diffusers/dit", "dynamo", CLASSES, ({"batch": 2}, {"batch": 1}, {"batch": 5}), outputs=["out_sample"]
)
def _dit() -> nn.Module:
    network = diffusers.DiTTransformer2DModel(
        num_attention_heads=4,
        attention_head_dim=32,
        num_layers=2,
        sample_size=16,
        num_embeds_ada_norm=10,
        out_channels=8,
    )

    def denoise(
        module: nn.Module, sample: torch.Tensor, time: torch.Tensor, labels: torch.Tensor
    ) -> torch.Tensor:
        return module(sample, timestep=time, class_labels=labels).sample

    return Apply(seed(network), denoise)
