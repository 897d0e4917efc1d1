"""Tensor maps, which describe to TMA (sm_90 and later) a tensor in global memory that it copies box by box.

The rules are those of `cuTensorMapEncodeTiled` in the CUDA driver API's reference, without interleaving.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.dtypes import DTYPES, TENSOR_MAP_ONLY, DType
from mlc.runtime.cuda.driver.errors import CudaError

MAX_RANK, MAX_BOX, MAX_STEP, MAX_DIM, MAX_STRIDE = 5, 256, 8, 1 << 32, 1 << 40
ALIGNMENT = 16
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
L2_PROMOTIONS = {0: 0, 64: 1, 128: 2, 256: 3}
FILLS = {"zero": 0, "nan": 1}
_BYTES, _BYTE_ALIGNMENT = 128, 64
_FLOATS = ("float", "bfloat16", "tfloat32")


@dataclass(frozen=True)
class TensorMapSpec:
    """The contents of a tensor map, but for the address. The innermost dimension comes first.

    `dims` count elements; `strides` are bytes, of all dimensions but the first; `box` is the extent of one
    copy; `steps` are strides of elements inside the box (ones by default). `swizzle` and `l2_promotion` are
    bytes, 0 for none. Elements outside the tensor read as `fill`: "zero", or "nan" for floats."""

    dtype: str
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...] = ()
    swizzle: int = 0
    l2_promotion: int = 0
    fill: str = "zero"

    def __post_init__(self) -> None:
        """Raises CudaError naming the rule that is broken."""
        for broken, rule in _rules(self):
            if broken:
                raise CudaError(f"tensor map {_summary(self)}: {rule}")

    @property
    def element(self) -> DType:
        """The element type."""
        return TENSOR_MAP_ONLY.get(self.dtype) or DTYPES[self.dtype]

    @property
    def nbytes(self) -> int:
        """Bytes from the address to the end of the last element."""
        outer = zip(self.dims[1:], self.strides, strict=True)
        return sum((dim - 1) * stride for dim, stride in outer) + self.dims[0] * self.element.nbytes


class TensorMap:
    """A tensor map, as a parameter of a launch. Its 128 bytes are at `encoded_address`, aligned to 64."""

    def __init__(self, device: Device, spec: TensorMapSpec, address: int | None) -> None:
        """`address` is that of the tensor, None if `encode` sets it before the first launch. Raises CudaError
        if the device has no tensor maps."""
        if not device.properties.tensor_maps:
            architecture = device.properties.architecture
            raise CudaError(f"tensor maps need sm_90 or later, {device} is {architecture}")
        self.spec = spec
        self._device = device
        self._storage = (ctypes.c_ubyte * (_BYTES + _BYTE_ALIGNMENT))()
        begin = ctypes.addressof(self._storage)
        self.encoded_address = -(-begin // _BYTE_ALIGNMENT) * _BYTE_ALIGNMENT
        if address is not None:
            self.encode(address)

    def encode(self, address: int) -> None:
        """Points the map to another tensor of the same shape. Raises CudaError."""
        spec, rank = self.spec, len(self.spec.dims)
        check_address(spec, address)
        self._device.call(
            "cuTensorMapEncodeTiled",
            self.encoded_address,
            spec.element.tensor_map,
            rank,
            address,
            (ctypes.c_uint64 * rank)(*spec.dims),
            (ctypes.c_uint64 * max(rank - 1, 1))(*spec.strides),
            (ctypes.c_uint32 * rank)(*spec.box),
            (ctypes.c_uint32 * rank)(*(spec.steps or (1,) * rank)),
            0,
            SWIZZLES[spec.swizzle],
            L2_PROMOTIONS[spec.l2_promotion],
            FILLS[spec.fill],
            doing=f"encode the tensor map {_summary(spec)}",
        )

    def bytes(self) -> bytes:
        """Returns the encoded 128 bytes."""
        return ctypes.string_at(self.encoded_address, _BYTES)


def check_address(spec: TensorMapSpec, address: int) -> None:
    """Raises CudaError unless the tensor's address is aligned."""
    if address % ALIGNMENT:
        rule = f"the address {address:#x} is not aligned to {ALIGNMENT} bytes"
        raise CudaError(f"tensor map {_summary(spec)}: {rule}")


def _rules(spec: TensorMapSpec) -> list[tuple[bool, str]]:
    """Returns the rules in order, with whether they are broken; later ones rely on earlier ones."""
    element = TENSOR_MAP_ONLY.get(spec.dtype) or DTYPES.get(spec.dtype)
    if element is None or element.tensor_map is None:
        return [(True, f"tensor maps have no element type '{spec.dtype}'")]
    rank, size = len(spec.dims), element.nbytes
    lengths = (len(spec.strides) + 1, len(spec.box), len(spec.steps or spec.box))
    if not 1 <= rank <= MAX_RANK or lengths != (rank,) * 3:
        return [
            (not 1 <= rank <= MAX_RANK, f"rank {rank} is not 1 to {MAX_RANK}"),
            (True, f"{rank} dims need {rank - 1} strides, {rank} box sizes and {rank} steps"),
        ]
    inner = spec.box[0] * size
    return [
        (not _within(spec.dims, MAX_DIM), f"dims are not 1 to {MAX_DIM}"),
        (not _within(spec.box, MAX_BOX), f"box sizes are not 1 to {MAX_BOX}"),
        (not _within(spec.steps, MAX_STEP), f"steps {list(spec.steps)} are not 1 to {MAX_STEP}"),
        (any(stride % ALIGNMENT for stride in spec.strides), f"a stride is no multiple of {ALIGNMENT} bytes"),
        (not _within(spec.strides, MAX_STRIDE - 1), f"strides are not 1 to {MAX_STRIDE - 1} bytes"),
        (inner % ALIGNMENT != 0, f"the box's innermost {inner} bytes are no multiple of {ALIGNMENT}"),
        (spec.swizzle not in SWIZZLES, f"swizzle {spec.swizzle} is none of {list(SWIZZLES)} bytes"),
        (
            bool(spec.swizzle) and inner > spec.swizzle,
            f"the box's innermost {inner} bytes are more than the swizzle's {spec.swizzle}",
        ),
        (spec.l2_promotion not in L2_PROMOTIONS, f"l2_promotion is none of {list(L2_PROMOTIONS)} bytes"),
        (spec.fill not in FILLS, f"fill '{spec.fill}' is none of {list(FILLS)}"),
        (spec.fill == "nan" and not spec.dtype.startswith(_FLOATS), "only floats can be filled with nan"),
    ]


def _within(sizes: tuple[int, ...], most: int) -> bool:
    return all(1 <= size <= most for size in sizes)


def _summary(spec: TensorMapSpec) -> str:
    return (
        f"{spec.dtype} dims {list(spec.dims)}, strides {list(spec.strides)}, box {list(spec.box)}, "
        f"swizzle {spec.swizzle}"
    )
