"""Instruction wgmma: operands in shared memory by descriptors, products that complete when they are awaited.

Every warp computes 16 rows of the 64; the `sync` of these instructions is only among the lanes of a warp.
Sources: PTX ISA, "Asynchronous warpgroup-level matrix instructions" (strides, canonical layouts,
descriptors).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .asynchronous import Action
from .fragments import gather, left_index, result_index, scatter
from .memory import SHARED
from .ops.matrix import ELEMENTS, by_warp, read_elements, registers
from .races import Access
from .tensor_maps import swizzle
from .unit import Unit
from .values import LANES

# By the descriptor's layout type: 128, 64, 32 bytes, none.
_SWIZZLES = {0: 0, 1: 128, 2: 64, 3: 32}
INSTRUCTION_BYTES = 32
_ROWS_PER_WARP = 16


@dataclass(frozen=True)
class Product:
    """A product m64 x `columns` x (32 bytes): types, signs, and which operands are column-major."""

    columns: int
    left_type: str
    right_type: str
    negate_left: bool = False
    negate_right: bool = False
    transpose_left: bool = False
    transpose_right: bool = False

    @property
    def depth(self) -> int:
        """Elements in the direction of the sum."""
        return INSTRUCTION_BYTES // self.element_bytes

    @property
    def element_bytes(self) -> int:
        """Bytes per element of both operands."""
        return np.dtype(ELEMENTS[self.left_type]).itemsize

    @property
    def accumulator(self) -> type[np.generic]:
        """The type of the results."""
        return np.uint32 if self.left_type in ("s8", "u8") else np.float32


@dataclass(frozen=True)
class Descriptor:
    """A matrix in shared memory (PTX ISA, "Matrix descriptor format"); all in bytes."""

    start: int
    leading: int
    stride: int
    swizzle: int

    @staticmethod
    def decode(word: int, unit: Unit) -> Descriptor:
        """Raises `EmulatorError` for what is not known."""
        if word >> 49 & 7:
            unit.fail("matrix descriptors with a base offset are not known")
        start, leading, stride = ((word >> shift & 0x3FFF) << 4 for shift in (0, 16, 32))
        return Descriptor(start, leading, stride, _SWIZZLES[word >> 62])

    def addresses(self, rows: np.ndarray, depth: int, element: int, transposed: bool) -> np.ndarray:
        """Addresses [rows, depth] of elements of `element` bytes; `rows` are along m or n, `depth` along
        k."""
        row, k = rows[:, None], np.arange(depth)[None, :]
        if transposed:
            return swizzle(self.start + self._transposed_address(row, k, element), self.swizzle)
        width = self.swizzle or 16
        inner = k * element
        address = row // 8 * self.stride + row % 8 * width + inner % width + inner // width * self.leading
        return swizzle(self.start + address, self.swizzle)

    def _transposed_address(self, row: np.ndarray, k: np.ndarray, element: int) -> np.ndarray:
        width = self.swizzle or 16
        many = width // element
        inside = k % 8 * width + row % many * element
        # Without a swizzle the two strides change their parts.
        along_row, along_k = (self.leading, self.stride) if self.swizzle else (self.stride, self.leading)
        return row // many * along_row + k // 8 * along_k + inside


def start_product(
    unit: Unit,
    product: Product,
    accumulator: tuple[np.ndarray, ...] | None,
    left: int | list[np.ndarray],
    right: int,
) -> tuple[np.ndarray, ...]:
    """Registers that will hold accumulator + left x right (None: zero); garbage until they are waited for.

    `left` is a descriptor, or the registers of each lane; `right` a descriptor.
    """
    if not unit.product_fence:
        unit.fail("a product without a wgmma.fence since the last commit, or the beginning")
    if not unit.mask.all():
        unit.fail("not all lanes take part in a product of the warpgroup")
    access = unit.clock.start_async("products")
    lefts = _left_operand(unit, product, left, access)
    rights = _operand(unit, product, Descriptor.decode(right, unit), np.arange(product.columns), False)
    unit.clock.read(unit.block, rights.addresses - SHARED, access)
    results = np.full((product.columns // 2, unit.lanes), 0xFFFFFFFF, np.uint32).view(product.accumulator)

    def compute() -> None:
        sign = -1 if product.negate_left != product.negate_right else 1
        matrix = sign * (lefts() @ rights().T)
        held = scatter(matrix.reshape(-1, _ROWS_PER_WARP, product.columns), result_index(product.columns))
        held = held.reshape(unit.lanes, -1).T.astype(product.accumulator)
        results[:] = held if accumulator is None else np.stack(np.broadcast_arrays(*accumulator)) + held

    unit.products.add(unit.mask, Action(compute, clock=access.clock))
    return tuple(results)


def _left_operand(
    unit: Unit, product: Product, left: int | list[np.ndarray], access: Access
) -> Callable[[], np.ndarray]:
    """The rows of A that the unit multiplies; but it may read all 64, as far as races go."""
    if isinstance(left, int):
        descriptor = Descriptor.decode(left, unit)
        everything = _operand(unit, product, descriptor, np.arange(4 * _ROWS_PER_WARP), True)
        unit.clock.read(unit.block, everything.addresses - SHARED, access)
        return _operand(unit, product, descriptor, _rows(unit), True)
    held = read_elements(by_warp(registers(left, unit.lanes)), product.left_type)
    matrix = gather(held, left_index(*held.shape[2:]), (_ROWS_PER_WARP, product.depth))
    return lambda: matrix.reshape(-1, product.depth)


def _rows(unit: Unit) -> np.ndarray:
    """The rows of the warpgroup's 64 that the unit's warps compute."""
    warps = unit.threads[::LANES] // LANES % 4
    return (warps[:, None] * _ROWS_PER_WARP + np.arange(_ROWS_PER_WARP)).reshape(-1)


@dataclass(frozen=True)
class _Operand:
    """An operand in shared memory, [rows, depth]."""

    unit: Unit
    addresses: np.ndarray
    element_type: str

    def __call__(self) -> np.ndarray:
        size = np.dtype(ELEMENTS[self.element_type]).itemsize
        memory = self.unit.block.shared
        data = memory.data[memory.offsets(self.addresses.reshape(-1), size, size)]
        data = np.ascontiguousarray(data.reshape(len(self.addresses), -1)).view(np.uint32)
        return read_elements(data, self.element_type).reshape(len(self.addresses), -1)


def _operand(
    unit: Unit, product: Product, descriptor: Descriptor, rows: np.ndarray, is_left: bool
) -> _Operand:
    transposed = product.transpose_left if is_left else product.transpose_right
    element_type = product.left_type if is_left else product.right_type
    if transposed and product.element_bytes != 2:
        unit.fail(f"operands of type {element_type} cannot be transposed")
    addresses = descriptor.addresses(rows, product.depth, product.element_bytes, transposed)
    return _Operand(unit, addresses, element_type)
