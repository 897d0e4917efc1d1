"""The parts of a plan, as data. docs/gpu-runtime.md describes their JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import ClassVar, Literal

from mlc.runtime.cuda.driver.dtypes import DTYPES
from mlc.runtime.cuda.driver.tensor_map import TensorMapSpec
from mlc.runtime.tensors import TensorSpec

Space = Literal["device", "host"]


@dataclass(frozen=True)
class Image:
    """Code for an architecture ("sm_90a"). `name` is a file name."""

    name: str
    architecture: str


@dataclass(frozen=True)
class PlanKernel:
    """A function of the image with index `image`. `grid` and `cluster` count blocks, `block` threads;
    `shared_bytes` is dynamic shared memory per block. One with `overlap` may begin before the preceding
    kernel has ended: it lets the next one begin early, and waits before it accesses memory, except that of
    the parameters with indices `early_reads`, which are weights."""

    image: int
    function: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int] = (1, 1, 1)
    shared_bytes: int = 0
    overlap: bool = False
    early_reads: tuple[int, ...] = ()


@dataclass(frozen=True)
class Processor:
    """Code of the host's processor. `functions` are symbols of the relocatable `objects` (file names), to
    which `call` steps refer by index; `triple`, `cpu`, `features` and `requires` describe the machines that
    can run them, as the target of a manifest does."""

    objects: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    triple: str = ""
    cpu: str = ""
    features: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()


NO_CODE = Processor()


@dataclass(frozen=True)
class TensorBuffer:
    """A dense row-major input, output or weight. Those on the host are for functions of the processor, inputs
    and outputs also for steps that copy them. A weight may be a buffer in each space."""

    TAG: ClassVar[str] = "tensor"
    role: Literal["input", "output", "weight"]
    name: str
    dtype: str
    shape: tuple[int, ...]
    space: Space = "device"

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return prod(self.shape) * DTYPES[self.dtype].nbytes

    @cached_property
    def spec(self) -> TensorSpec:
        """The description of the tensor for the rest of the runtime."""
        return TensorSpec(self.name, self.dtype, self.shape)


@dataclass(frozen=True)
class ArenaBuffer:
    """The memory of intermediate values, at most one in each space; on the host it is pinned."""

    TAG: ClassVar[str] = "arena"
    nbytes: int
    space: Space = "device"


Buffer = TensorBuffer | ArenaBuffer


@dataclass(frozen=True)
class BufferOffset:
    """Byte `offset` of the buffer with index `buffer`."""

    buffer: int
    offset: int = 0


@dataclass(frozen=True)
class PointerParameter(BufferOffset):
    """The address of a byte on the device."""

    TAG: ClassVar[str] = "pointer"


@dataclass(frozen=True)
class ScalarParameter:
    """A scalar; for the types see `launches.scalar`."""

    TAG: ClassVar[str] = "scalar"
    type: str
    value: int | float


@dataclass(frozen=True)
class TensorMapParameter:
    """A tensor map of memory on the device."""

    TAG: ClassVar[str] = "tensor_map"
    address: BufferOffset
    map: TensorMapSpec


PlanParameter = PointerParameter | ScalarParameter | TensorMapParameter


@dataclass(frozen=True)
class LaunchStep:
    """Launches the kernel with index `kernel` on a stream."""

    TAG: ClassVar[str] = "launch"
    kernel: int
    parameters: tuple[PlanParameter, ...]
    stream: int = 0


@dataclass(frozen=True)
class CopyStep:
    """Copies `nbytes` bytes, on the device or between device and host."""

    TAG: ClassVar[str] = "copy"
    target: BufferOffset
    source: BufferOffset
    nbytes: int
    stream: int = 0


@dataclass(frozen=True)
class FillStep:
    """Sets `nbytes` bytes on the device to `byte`."""

    TAG: ClassVar[str] = "fill"
    target: BufferOffset
    nbytes: int
    byte: int = 0
    stream: int = 0


@dataclass(frozen=True)
class WaitStep:
    """Makes later steps on `stream` begin after all earlier ones on `other`."""

    TAG: ClassVar[str] = "wait"
    stream: int
    other: int


@dataclass(frozen=True)
class Argument(BufferOffset):
    """`nbytes` bytes of a buffer on the host that a function of the processor reads, or also writes."""

    nbytes: int = 0
    access: Literal["read", "write"] = "read"


@dataclass(frozen=True)
class CallStep:
    """Calls the processor's function with index `function` on addresses of the host. It begins when all
    earlier steps are done, on all streams; later ones begin when it has returned."""

    TAG: ClassVar[str] = "call"
    stream: ClassVar[int] = 0
    function: int
    arguments: tuple[Argument, ...]


Step = LaunchStep | CopyStep | FillStep | WaitStep | CallStep
