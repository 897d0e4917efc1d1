"""Modules that give others the calling convention of exports: tensors in, tensors out, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn


class Call(nn.Module):
    """Calls `module` with its inputs by name, and returns fields of its result.

    `fixed` are arguments that are no inputs.
    """

    def __init__(self, module: nn.Module, inputs: Iterable[str], fields: Iterable[str], **fixed: Any) -> None:
        super().__init__()
        self.module, self.inputs, self.fields, self.fixed = module, list(inputs), list(fields), fixed

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        result = self.module(**dict(zip(self.inputs, tensors, strict=True)), **self.fixed)
        return tuple(getattr(result, field) for field in self.fields)


class Apply(nn.Module):
    """Applies `function` to `module` and the inputs."""

    def __init__(self, module: nn.Module, function: Callable[..., Any]) -> None:
        super().__init__()
        self.module, self.function = module, function

    def forward(self, *tensors: torch.Tensor) -> Any:
        return self.function(self.module, *tensors)
