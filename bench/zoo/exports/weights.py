"""Seeds the weights of torch modules, so that activations neither vanish nor explode."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn

_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Linear)
_TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
_BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
# As in bench.models.calibrate: a channel that hardly varies for the calibration input would otherwise be
# amplified without bound for other inputs.
PADDING = 0.1


def seed(module: nn.Module, gain: float = 1.0) -> nn.Module:
    """Gives `module` random weights, scaled by fan-in, and returns it in evaluation mode.

    `gain` is the square of the ratio of deviations that a product keeps: 2 for networks of ReLU without
    normalisation.
    """
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for layer in module.modules():
            for name, parameter in layer.named_parameters(recurse=False):
                _fill(layer, name, parameter, gain, generator)
    return module.eval()


def calibrate(module: nn.Module, *arguments: torch.Tensor) -> nn.Module:
    """Gives the batch normalisations of `module` the statistics of their inputs in one call."""
    norms = [layer for layer in module.modules() if isinstance(layer, _BATCH_NORMS)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
        norm.train()
    with torch.no_grad():
        module(*arguments)
        for norm in norms:
            norm.running_var += PADDING * norm.running_var.mean()
    return module.eval()


def spread(
    module: nn.Module, layers: Iterable[nn.Module], mean: float, deviation: float, *arguments: torch.Tensor
) -> None:
    """Scales linear layers so that their outputs in one call of `module` have a mean and a deviation.

    Scores of detectors that saturate are equal or nearly so, and rounding would decide which boxes are best.
    """
    outputs: dict[nn.Module, list[torch.Tensor]] = {layer: [] for layer in layers}
    hooks = [
        layer.register_forward_hook(lambda layer, _, result: outputs[layer].append(result.flatten()))
        for layer in outputs
    ]
    with torch.no_grad():
        module(*arguments)
        for layer, results in outputs.items():
            values = torch.cat(results)
            scale = deviation / values.std()
            layer.weight *= scale
            layer.bias.copy_((layer.bias - values.mean()) * scale + mean)
    for hook in hooks:
        hook.remove()


def images(batch: int = 2, height: int = 96, width: int = 96, channels: int = 3) -> torch.Tensor:
    """Returns images of normal values for `calibrate`."""
    return torch.randn(batch, channels, height, width, generator=torch.Generator().manual_seed(1))


def _fill(
    layer: nn.Module, name: str, parameter: nn.Parameter, gain: float, generator: torch.Generator
) -> None:
    noise = torch.randn(parameter.shape, generator=generator)
    if isinstance(layer, _CONVOLUTIONS) and name == "weight":
        parameter.copy_(noise * (gain / parameter[0].numel()) ** 0.5)
    elif isinstance(layer, _TRANSPOSED) and name == "weight":
        parameter.copy_(noise * (gain * _strides(layer) / parameter[:, 0].numel()) ** 0.5)
    elif isinstance(layer, nn.Embedding):
        parameter.copy_(noise)
        if layer.padding_idx is not None:
            parameter[layer.padding_idx] = 0
    elif name == "bias" and parameter.dim() == 1:
        parameter.copy_(noise * 0.1)
    elif parameter.dim() == 1 and _uniform(parameter):
        # The scale of a normalisation or of a residual branch, which packages set to a tiny constant.
        parameter.copy_(0.8 + 0.1 * noise)
    elif _uniform(parameter):
        parameter.copy_(noise * 0.1)


def _uniform(parameter: torch.Tensor) -> bool:
    return bool((parameter == parameter.flatten()[0]).all())


def _strides(layer: nn.Module) -> int:
    return int(torch.tensor(layer.stride).prod())
