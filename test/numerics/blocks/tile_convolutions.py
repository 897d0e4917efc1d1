"""Kernels of a convolution on an image with its channels innermost, as text, and their results in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tile_products import kernel, op, tensor


@dataclass(frozen=True)
class Conv:
    """`x [N, G, H, W, C/G]`, with as many filters of each group, or depthwise `x [N, 1, H, W, C]`."""

    image: Sequence[int]
    channels: int
    filters: int
    window: Sequence[int] = (3, 3)
    strides: Sequence[int] = (1, 1)
    dilations: Sequence[int] = (1, 1)
    pads: Sequence[int] = (0, 0, 0, 0)
    group: int = 1
    batch: int = 1
    element: str = "f32"
    bias: bool = False

    @property
    def depthwise(self) -> bool:
        return self.group == self.channels

    @property
    def x(self) -> list[int]:
        blocks = 1 if self.depthwise else self.group
        return [self.batch, blocks, *self.image, self.channels // blocks]

    @property
    def w(self) -> list[int]:
        if self.depthwise:
            return [1, *self.window, self.channels]
        return [self.group, 1, *self.window, self.channels // self.group, self.filters // self.group]

    @property
    def result(self) -> list[int]:
        windows = [
            (size + before + after - dilation * (width - 1) - 1) // stride + 1
            for size, before, after, dilation, width, stride in zip(
                self.image,
                self.pads[:2],
                self.pads[2:],
                self.dilations,
                self.window,
                self.strides,
                strict=True,
            )
        ]
        return [self.batch, self.x[1], *windows, self.w[-1]]

    def text(self) -> str:
        types = [tensor(shape, self.element) for shape in (self.x, self.w)]
        narrow, wide = tensor(self.result, self.element), tensor(self.result, "f32")
        body = op("p", "conv", "%0, %1", [*types, narrow], self._attributes())
        body += op("r", "cast", "%p", [narrow, wide])
        if self.bias:
            types.append(tensor([self.result[-1]], "f32"))
            body = body.replace("%r =", "%c =") + op("s", "add", "%c, %2", [wide, types[2], wide])
            body += op("r", "relu", "%s", [wide, wide])
        return kernel(types, wide, body)

    def _attributes(self) -> str:
        lists = {"strides": self.strides, "dilations": self.dilations, "pads": self.pads}
        given = [f"{name} = array<i64: {', '.join(map(str, values))}>" for name, values in lists.items()]
        mark = ["graph.unrounded"] if self.element in ("f16", "bf16") else []
        return ", ".join([*given, f"group = {self.group} : i64", 'layout = "NCHWc"', *mark])

    def sums(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The convolution, by one matrix product for each offset of the window."""
        low, high = self.pads[:2], self.pads[2:]
        around = [(0, 0), (0, 0), *zip(low, high, strict=True), (0, 0)]
        padded, result = np.pad(x, around), np.zeros(self.result)
        for offset in np.ndindex(*self.window):
            parts = [
                slice(at * dilation, at * dilation + (count - 1) * stride + 1, stride)
                for at, dilation, stride, count in zip(
                    offset, self.dilations, self.strides, self.result[2:4], strict=True
                )
            ]
            part = padded[:, :, parts[0], parts[1]]
            if self.depthwise:
                result += part * w[:, *offset]
            else:
                result += np.einsum("nghwi,gio->nghwo", part, w[:, 0, *offset])
        return result


@dataclass(frozen=True)
class IntegerConv(Conv):
    """In i32, of `x` and `w` of `elements`, "i8" or "ui8", read as they are stored: `w` with
    the channels after the filters."""

    elements: Sequence[str] = ("ui8", "i8")

    @property
    def stored(self) -> list[int]:
        """The shape of `w` in memory."""
        return [*self.w[:-2], self.w[-1], self.w[-2]]

    def text(self) -> str:
        narrow = [
            tensor(shape, value_type)
            for shape, value_type in zip((self.x, self.stored), self.elements, strict=True)
        ]
        wide = [tensor(shape, "i32") for shape in (self.x, self.stored, self.w, self.result)]
        last = len(self.w) - 1
        order = ", ".join(map(str, [*range(last - 1), last, last - 1]))
        body = op("x", "cast", "%0", [narrow[0], wide[0]], "graph.rematerialize")
        body += op("y", "cast", "%1", [narrow[1], wide[1]], "graph.rematerialize")
        body += op(
            "z", "transpose", "%y", wide[1:3], f"graph.rematerialize, permutation = array<i64: {order}>"
        )
        body += op("r", "conv", "%x, %z", [wide[0], *wide[2:]], self._attributes())
        return kernel(narrow, wide[3], body)

    def reference(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Sums of this size are exact in f64."""
        return self.sums(x.astype(np.float64), w.swapaxes(-1, -2).astype(np.float64)).astype(np.int32)
