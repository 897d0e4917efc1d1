"""Networks written in plain torch, as their papers' code and tutorials have them."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from bench.zoo.exports.modules import Apply
from bench.zoo.exports.registry import export
from bench.zoo.exports.weights import calibrate, images, seed
from bench.zoo.model import Input

VOCABULARY = 200
IDS = Input("int64", ("batch", "length"), f"integers(0, {VOCABULARY})")
TEXT_SIZES = ({"batch": 2, "length": 50}, {"batch": 1, "length": 77}, {"batch": 3, "length": 7})


class Encoder(nn.Module):
    """A `TransformerEncoder` with a mask of padded tokens, and a mean over the others."""

    def __init__(self, width: int = 128) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        layer = nn.TransformerEncoderLayer(width, 4, 256, batch_first=True)
        self.encoder, self.head = (
            nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
            nn.Linear(width, 5),
        )

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        encoded = self.encoder(self.embedding(ids), src_key_padding_mask=mask == 0)
        kept = mask[..., None].float()
        return self.head((encoded * kept).sum(1) / kept.sum(1))


MASKED = {"ids": IDS, "mask": Input("int64", ("batch", "length"), "padding")}


# The TorchScript exporter fixes the lengths of `MultiheadAttention`.
@export("torch/transformer-encoder", "dynamo", MASKED, TEXT_SIZES, outputs=["logits"])
def _encoder() -> nn.Module:
    return seed(Encoder())


class Translator(nn.Module):
    """A recurrent encoder and decoder with attention by inner products (Luong et al., 2015)."""

    def __init__(self, cell: type[nn.Module], width: int = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.encoder = cell(width, width, num_layers=2, batch_first=True, bidirectional=True)
        self.decoder = cell(width, 2 * width, batch_first=True)
        self.head = nn.Linear(4 * width, VOCABULARY)

    def forward(self, ids: torch.Tensor, generated: torch.Tensor) -> torch.Tensor:
        memory, _ = self.encoder(self.embedding(ids))
        states, _ = self.decoder(self.embedding(generated))
        weights = (states @ memory.transpose(1, 2) / memory.shape[-1] ** 0.5).softmax(-1)
        return self.head(torch.cat([states, weights @ memory], -1))


PAIR = {"ids": IDS, "generated": Input("int64", ("batch", "generated"), f"integers(0, {VOCABULARY})")}
PAIR_SIZES = (
    {"batch": 2, "length": 20, "generated": 9},
    {"batch": 1, "length": 7, "generated": 31},
    {"batch": 3, "length": 5, "generated": 2},
)


@export("torch/lstm-translator", "script dynamo", PAIR, PAIR_SIZES, outputs=["logits"])
def _lstm() -> nn.Module:
    return seed(Translator(nn.LSTM))


@export("torch/gru-translator", "script", PAIR, PAIR_SIZES, outputs=["logits"])
def _gru() -> nn.Module:
    return seed(Translator(nn.GRU))


def _double(before: int, after: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for channels in (before, after):
        layers += [nn.Conv2d(channels, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU()]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    """Ronneberger et al., 2015; features from above are padded to the size of those that skip."""

    def __init__(self, widths: tuple[int, ...] = (16, 32, 64), *, is_transposed: bool = True) -> None:
        super().__init__()
        self.down = nn.ModuleList(map(_double, (3, *widths), widths))
        self.bottom = _double(widths[-1], 2 * widths[-1])
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(2 * width, width, 2, 2)
            if is_transposed
            else nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(2 * width, width, 1))
            for width in reversed(widths)
        )
        self.merge = nn.ModuleList(_double(2 * width, width) for width in reversed(widths))
        self.head = nn.Conv2d(widths[0], 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        skipped = []
        for block in self.down:
            skipped.append(block(x))
            x = functional.max_pool2d(skipped[-1], 2)
        x = self.bottom(x)
        for up, merge in zip(self.up, self.merge, strict=True):
            x, skip = up(x), skipped.pop()
            x = functional.pad(x, (0, skip.shape[3] - x.shape[3], 0, skip.shape[2] - x.shape[2]))
            x = merge(torch.cat([skip, x], 1))
        return self.head(x)


IMAGE = {"x": Input("float32", ("batch", 3, "height", "width"))}
IMAGE_SIZES = (
    {"batch": 2, "height": 64, "width": 96},
    {"batch": 1, "height": 97, "width": 131},
    {"batch": 3, "height": 32, "width": 32},
)


@export("torch/unet", "script", IMAGE, IMAGE_SIZES)
def _unet() -> nn.Module:
    return calibrate(seed(UNet(), 1.5), images(2, 64, 64))


@export("torch/unet-bilinear", "dynamo", IMAGE, IMAGE_SIZES)
def _unet_bilinear() -> nn.Module:
    return calibrate(seed(UNet(is_transposed=False), 1.5), images(2, 64, 64))


WAVE = {"x": Input("float32", ("batch", 1, "samples"))}
WAVE_SIZES = ({"batch": 2, "samples": 1000}, {"batch": 1, "samples": 4001}, {"batch": 3, "samples": 333})


@export("torch/conv1d-classifier", "script", WAVE, WAVE_SIZES)
def _conv1d() -> nn.Module:
    layers: list[nn.Module] = []
    for before, after in ((1, 16), (16, 32), (32, 64)):
        layers += [nn.Conv1d(before, after, 9, 2, 4), nn.BatchNorm1d(after), nn.ReLU(), nn.MaxPool1d(3, 2)]
    network = nn.Sequential(*layers, nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(64, 10))
    return calibrate(seed(network, 2), images(2, 1, 1000, 1)[:, :, 0])


class WaveNet(nn.Module):
    """Oord et al., 2016: gated convolutions, causal and dilated, whose skips are summed."""

    def __init__(self, channels: int = 32, dilations: tuple[int, ...] = (1, 2, 4, 8, 16)) -> None:
        super().__init__()
        self.dilations, self.first = dilations, nn.Conv1d(1, channels, 1)
        self.gated = nn.ModuleList(nn.Conv1d(channels, 2 * channels, 2, dilation=one) for one in dilations)
        self.mixed = nn.ModuleList(nn.Conv1d(channels, 2 * channels, 1) for _ in dilations)
        self.last = nn.Sequential(
            nn.ReLU(), nn.Conv1d(channels, channels, 1), nn.ReLU(), nn.Conv1d(channels, 64, 1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, total = self.first(x), torch.zeros(1)
        for dilation, gated, mixed in zip(self.dilations, self.gated, self.mixed, strict=True):
            value, gate = gated(functional.pad(x, (dilation, 0))).chunk(2, 1)
            residual, skip = mixed(value.tanh() * gate.sigmoid()).chunk(2, 1)
            x, total = x + residual, total + skip
        return self.last(total)


@export("torch/wavenet", "dynamo script", WAVE, WAVE_SIZES)
def _wavenet() -> nn.Module:
    return seed(WaveNet(), 2)


class Codec(nn.Module):
    """Zeghidour et al., 2021: strided convolutions, a residual quantiser, and transposed convolutions."""

    def __init__(self, strides: tuple[int, ...] = (2, 4, 5), width: int = 16, codes: int = 64) -> None:
        super().__init__()
        down: list[nn.Module] = [nn.Conv1d(1, width, 7, padding=3)]
        up: list[nn.Module] = []
        for stride in strides:
            down += [nn.ELU(), nn.Conv1d(width, 2 * width, 2 * stride, stride, (stride + 1) // 2)]
            up = [nn.ELU(), nn.ConvTranspose1d(2 * width, width, 2 * stride, stride, (stride + 1) // 2), *up]
            width *= 2
        self.encoder, self.decoder = (
            nn.Sequential(*down),
            nn.Sequential(*up, nn.ELU(), nn.Conv1d(16, 1, 7, padding=3)),
        )
        self.codebooks = nn.ModuleList(nn.Embedding(codes, width) for _ in range(3))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rest = self.encoder(x).transpose(1, 2)
        total, chosen = torch.zeros_like(rest), []
        for book in self.codebooks:
            table = book.weight
            distances = rest.square().sum(-1, keepdim=True) - 2 * rest @ table.T + table.square().sum(-1)
            chosen.append(distances.argmin(-1))
            value = book(chosen[-1])
            total, rest = total + value, rest - value
        return self.decoder(total.transpose(1, 2)), torch.stack(chosen)


@export("torch/codec", "script dynamo", WAVE, WAVE_SIZES, outputs=["sound", "codes"])
def _codec() -> nn.Module:
    return seed(Codec())


@export(
    "torch/dcgan-generator",
    "dynamo script",
    {"z": Input("float32", ("batch", 64))},
    ({"batch": 2}, {"batch": 1}, {"batch": 5}),
)
def _generator() -> nn.Module:
    layers: list[nn.Module] = [nn.Unflatten(1, (64, 1, 1)), nn.ConvTranspose2d(64, 128, 4, bias=False)]
    for before, after in ((128, 64), (64, 32), (32, 16)):
        layers += [nn.BatchNorm2d(before), nn.ReLU(), nn.ConvTranspose2d(before, after, 4, 2, 1, bias=False)]
    layers += [nn.BatchNorm2d(16), nn.ReLU(), nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Tanh()]
    return calibrate(seed(nn.Sequential(*layers)), images(8, 1, 64, 1).reshape(8, 64))


class Coupling(nn.Module):
    """An affine coupling of RealNVP (Dinh et al., 2017) and its inverse, by a mask of columns."""

    def __init__(self, width: int, parity: int) -> None:
        super().__init__()
        self.register_buffer("mask", (torch.arange(width) % 2 == parity).float())
        self.network = nn.Sequential(nn.Linear(width, 64), nn.LeakyReLU(), nn.Linear(64, 2 * width))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scale, shift = self.network(x * self.mask).chunk(2, 1)
        scale, shift = scale.tanh() * (1 - self.mask), shift * (1 - self.mask)
        return x * scale.exp() + shift, scale.sum(1)


class Flow(nn.Module):
    """The logarithm of a density: couplings, and a normal distribution of their result."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.couplings = nn.ModuleList(Coupling(width, i % 2) for i in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros(x.shape[0])
        for coupling in self.couplings:
            x, determinant = coupling(x)
            total = total + determinant
        return torch.distributions.Normal(0.0, 1.0, validate_args=False).log_prob(x).sum(1) + total


FLOW = {"x": Input("float32", ("batch", 8))}


@export("torch/real-nvp", "script dynamo", FLOW, ({"batch": 2}, {"batch": 1}, {"batch": 100}))
def _flow() -> nn.Module:
    return seed(Flow())


class Windows(nn.Module):
    """Causal attention within a window, blocked by segment ids, with a bias of relative positions."""

    def __init__(self, width: int = 64, heads: int = 4, window: int = 16) -> None:
        super().__init__()
        self.projection, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.bias, self.heads, self.window = nn.Embedding(2 * window + 1, heads), heads, window

    def forward(self, x: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.projection(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        position = torch.arange(length)
        distance = position[:, None] - position
        is_near = (distance >= 0) & (distance < self.window)
        is_kept = is_near & (segments[:, None, :] == segments[:, :, None])
        bias = self.bias(distance.clamp(-self.window, self.window) + self.window).permute(2, 0, 1)
        mask = bias.masked_fill(~is_kept[:, None], float("-inf"))
        mixed = functional.scaled_dot_product_attention(*parts.unbind(0), attn_mask=mask)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


SEGMENTED = {
    "x": Input("float32", ("batch", "length", 64)),
    "segments": Input("int64", ("batch", "length"), "integers(0, 3)"),
}


@export("torch/windowed-attention", "script dynamo", SEGMENTED, TEXT_SIZES)
def _windows() -> nn.Module:
    return seed(Windows())


class Spotter(nn.Module):
    """Log-mel features by a Fourier transform, written as a convolution, and separable convolutions."""

    def __init__(self, size: int = 64, hop: int = 32, bands: int = 20) -> None:
        super().__init__()
        angles = 2 * torch.pi * torch.outer(torch.arange(size // 2 + 1), torch.arange(size)) / size
        basis = torch.cat([angles.cos(), angles.sin()]) * torch.hann_window(size)
        self.register_buffer("basis", basis[:, None])
        self.register_buffer(
            "bands", torch.rand(bands, size // 2 + 1, generator=torch.Generator().manual_seed(1))
        )
        self.hop = hop
        self.network = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 16, 3, padding=1, groups=16),
            nn.Conv2d(16, 32, 1),
            nn.Hardswish(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(32, 12),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        real, imaginary = functional.conv1d(x, self.basis, stride=self.hop).chunk(2, 1)
        power = real.square() + imaginary.square()
        mel = (self.bands @ power).clamp(min=1e-5).log()
        mel = (mel - mel.mean((1, 2), keepdim=True)) / (mel.std((1, 2), keepdim=True) + 1e-5)
        return self.network(mel[:, None])


@export("torch/keyword-spotter", "dynamo script", WAVE, WAVE_SIZES)
def _spotter() -> nn.Module:
    return seed(Spotter(), 2)


@export("torch/detr-like-decoder", "dynamo", {"x": Input("float32", ("batch", "length", 64))}, TEXT_SIZES)
def _queries() -> nn.Module:
    layer = nn.TransformerDecoderLayer(64, 4, 128, batch_first=True)
    network = seed(nn.TransformerDecoder(layer, 2))
    network.queries = nn.Parameter(torch.randn(1, 10, 64, generator=torch.Generator().manual_seed(1)))

    def decode(module: Any, x: torch.Tensor) -> torch.Tensor:
        return module(module.queries.expand(x.shape[0], -1, -1), x)

    return Apply(network, decode)
