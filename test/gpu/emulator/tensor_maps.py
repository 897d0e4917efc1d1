"""Tensor maps: what cuTensorMapEncodeTiled makes of an array, and the copies of boxes that TMA does with
it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_SWIZZLED_BITS = {0: 0, 32: 1, 64: 3, 128: 7}
MAX_BOX = 256
UNIT_BYTES = 16


def swizzle(offsets: np.ndarray, width: int) -> np.ndarray:
    """Offsets in shared memory under the swizzle of `width` bytes (0, 32, 64 or 128): rows of 128 bytes
    count, the number of the row is added (exclusive or) to that of the 16-byte chunk."""
    return offsets ^ ((offsets >> 7 & _SWIZZLED_BITS[width]) << 4)


def round_to_tf32(values: np.ndarray) -> np.ndarray:
    """Rounds f32 values to 10 bits of mantissa, to nearest."""
    bits = np.ascontiguousarray(values).view(np.uint32)
    return (bits + np.uint32(0x1000) & np.uint32(0xFFFFE000)).view(np.float32)


@dataclass
class TensorMap:
    """Boxes of `box` elements, innermost dim first, of a contiguous `array`, whose last dim is the
    innermost. With `rounds` numbers of f32 are rounded to tf32 when they are loaded, and with `steps` only
    those so far apart are."""

    array: np.ndarray
    box: tuple[int, ...]
    swizzle: int = 128
    rounds: bool = False
    steps: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Raises `ValueError` for what cuTensorMapEncodeTiled refuses."""
        inner = self.box[0] * self.array.itemsize
        problems = {
            "the box has another rank than the array": len(self.box) != self.array.ndim,
            "arrays have 1 to 5 dims": not 1 <= self.array.ndim <= 5,
            "a side of the box is not in 1 to 256": not all(1 <= side <= MAX_BOX for side in self.box),
            "the box's inner side is no multiple of 16 bytes": inner % UNIT_BYTES != 0,
            "the box's inner side is wider than the swizzle": 0 < self.swizzle < inner,
            "a stride is no multiple of 16 bytes": any(s % UNIT_BYTES for s in self.array.strides[:-1]),
            "the array is not contiguous": not self.array.flags.c_contiguous,
            "a step is not 1 to 8, or along the innermost dim": not all(1 <= step <= 8 for step in self.steps)
            or self.steps[:1] > (1,),
            "only f32 is rounded": self.rounds and self.array.dtype != np.float32,
        }
        if found := [text for text, holds in problems.items() if holds]:
            raise ValueError(f"tensor map of {self.array.shape}, box {self.box}: {'; '.join(found)}")

    @property
    def bytes(self) -> int:
        """Size of a box; elements outside the array count too."""
        return math.prod(self._counts) * self.array.itemsize

    @property
    def _counts(self) -> tuple[int, ...]:
        """Elements that are copied along each dim."""
        steps = self.steps or (1,) * len(self.box)
        return tuple(-(-side // step) for side, step in zip(self.box, steps, strict=True))

    def offsets(self, start: int) -> np.ndarray:
        """Returns the addresses in shared memory of the bytes of a box at `start`, in the box's order."""
        return swizzle(start + np.arange(self.bytes), self.swizzle)

    def load(self, corner: list[int]) -> np.ndarray:
        """The bytes of the box at `corner` (innermost first), zero outside of the array."""
        box = np.zeros(self.box[::-1], self.array.dtype)
        inside, source = self._overlap(corner)
        box[inside] = round_to_tf32(self.array[source]) if self.rounds else self.array[source]
        taken = box[tuple(slice(None, None, step) for step in self.steps[::-1])]
        return np.ascontiguousarray(taken).reshape(-1).view(np.uint8)

    def store(self, corner: list[int], data: np.ndarray, combine: np.ufunc | None = None) -> None:
        """Write the bytes of a box at `corner`, or combine them with what is there; none outside of the
        array."""
        box = data.view(self.array.dtype).reshape(self.box[::-1])
        inside, target = self._overlap(corner)
        self.array[target] = combine(self.array[target], box[inside]) if combine else box[inside]

    def _overlap(self, corner: list[int]) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """The part of the box at `corner` that is inside of the array: as slices of the box and of the
        array."""
        in_box, in_array = [], []
        for start, side, size in zip(corner[::-1], self.box[::-1], self.array.shape, strict=True):
            low, high = min(max(start, 0), size), min(max(start + side, 0), size)
            in_array.append(slice(low, high))
            in_box.append(slice(low - start, high - start) if high > low else slice(0, 0))
        return tuple(in_box), tuple(in_array)
