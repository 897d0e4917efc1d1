"""Tensors and references by torch on the device."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bench.gpu.runner.manifest import WeightSource
from bench.gpu.runner.operators import COMMON
from bench.operator_graph import Attributes, Operator, elementwise
from bench.torch_operators import BY_TORCH, linear
from mlc.runtime.cuda import Program


class TorchLibrary:
    """Makes tensors on the device. `device` is "cuda"; "cpu" is for tests."""

    def __init__(self, device: str = "cuda") -> None:
        self.device = device
        self.operators: Mapping[str, Operator] = OPERATORS

    def release(self) -> None:
        """Frees torch's cached memory: the program's memory is not torch's."""
        torch.cuda.empty_cache()

    def draw(self, source: WeightSource) -> Tensor:
        """Draws a tensor of a seeded fill."""
        generator = torch.Generator(self.device).manual_seed(source.seed)
        dtype = getattr(torch, source.dtype)
        if source.fill == "integers":
            low, high = int(source.first), int(source.second)
            return torch.randint(
                low, high, source.shape, generator=generator, device=self.device, dtype=dtype
            )
        made = torch.empty(source.shape, device=self.device, dtype=dtype)
        fill = made.normal_ if source.fill == "normal" else made.uniform_
        return fill(source.first, source.second, generator=generator)

    def put(self, array: np.ndarray, dtype: str) -> Tensor:
        """Converts a shipped array, which has the bits of types that NumPy lacks, to a tensor."""
        return torch.from_numpy(np.array(array)).view(getattr(torch, dtype)).to(self.device)

    def to_bytes(self, tensor: Tensor) -> np.ndarray:
        """Returns the tensor's bytes on the host. NumPy may lack its type."""
        return tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy()

    def upload(self, tensor: Tensor) -> tuple[Tensor, object]:
        """Returns the tensor, which is on the device, and the owner of its memory."""
        return tensor, tensor

    def wide(self, tensor: Tensor) -> Tensor:
        """Converts floats to float64."""
        return tensor.double() if tensor.is_floating_point() else tensor

    def run(self, program: Program, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Returns the program's outputs. It runs twice, with outputs filled by NaN: the second call replays
        the graph of the first, and elements that it does not write stay NaN."""
        outputs = self.empty(program)
        for _ in range(2):
            for output in outputs:
                output.fill_(math.nan if output.is_floating_point() else 0)
            # The program runs on its own stream.
            torch.cuda.synchronize()
            program(*inputs, out=outputs)
        return outputs

    def empty(self, program: Program) -> list[Tensor]:
        """Returns tensors for the program's outputs."""
        return [
            torch.empty(spec.shape, device=self.device, dtype=getattr(torch, spec.dtype))
            for spec in program.outputs
        ]

    def error(self, found: Tensor, wanted: Tensor) -> float:
        """Returns the largest difference over the largest expected value; NaN if any value is NaN."""
        difference = (found.double() - wanted).abs().max()
        return float(difference / wanted.abs().max().clamp_min(np.finfo(np.float64).tiny))


def _gemm(a: Attributes, x: Tensor, y: Tensor, z: Tensor | None = None) -> Tensor:
    if a.get("alpha", 1.0) != 1.0 or a.get("beta", 1.0) != 1.0:
        return COMMON["Gemm"](a, x, y, z)
    return linear(a, x, y, z)


def _layer_normalization(a: Attributes, x: Tensor, scale: Tensor, bias: Tensor | None = None) -> Tensor:
    shape = x.shape[a.get("axis", -1) % x.ndim :]
    return functional.layer_norm(x, shape, scale, bias, a.get("epsilon", 1e-5))


def _gather(a: Attributes, x: Tensor, indices: Tensor) -> Tensor:
    axis = a.get("axis", 0) % x.ndim
    if axis == 0 and x.ndim == 2:
        return functional.embedding(indices, x)
    picked = torch.index_select(x, axis, indices.reshape(-1))
    return picked.reshape(*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])


def _split(a: Attributes, x: Tensor, sizes: Any = None) -> tuple[Tensor, ...]:
    axis = a.get("axis", 0)
    parts = -(-x.shape[axis] // a["num_outputs"]) if sizes is None else list(sizes)
    return tuple(torch.split(x, parts, axis))


def _attention(a: Attributes, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return functional.scaled_dot_product_attention(q, k, v, is_causal=bool(a.get("is_causal", 0)))


OPERATORS: dict[str, Operator] = {
    **COMMON,
    **BY_TORCH,
    "Attention": _attention,
    "Erf": elementwise(torch.erf),
    "Expand": lambda _, x, shape: x.expand(torch.broadcast_shapes(x.shape, tuple(shape))),
    "Gather": _gather,
    "GatherElements": lambda a, x, indices: torch.gather(x, a.get("axis", 0), indices),
    "Gelu": lambda a, x: functional.gelu(x, approximate=a.get("approximate", "none")),
    "Gemm": _gemm,
    "LayerNormalization": _layer_normalization,
    "Relu": elementwise(functional.relu),
    "Split": _split,
    "Sqrt": elementwise(torch.sqrt),
    "Tanh": elementwise(torch.tanh),
    "Transpose": lambda a, x: x.permute(a.get("perm", tuple(reversed(range(x.ndim))))),
    "Where": elementwise(torch.where),
}
