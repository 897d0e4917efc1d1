"""Step lists: host functions as steps that Python interprets, such as `@prepare`, which runs at compile time.

Compiling a kernel takes as long as moving a hundred megabytes does, and `@prepare` has many: one for each
shape of weights that are scaled and packed, each run once. So kernels of arithmetic and of movement are
evaluated by NumPy; the others are compiled, and called.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.compiler.host_program.numpy_evaluation import evaluate
from mlc.runtime.tensors import TensorSpec

if TYPE_CHECKING:
    from mlc.runtime import Image

# The kernel of steps that copy their first buffer to their second; and of those that wait for such a copy.
COPY, WAIT = "", "!wait"


@dataclass(frozen=True)
class BufferRegion:
    """A dense array in the argument with index `argument` of the host function, `offset` bytes in."""

    argument: int
    offset: int
    dtype: str
    shape: tuple[int, ...]

    def of(self, arguments: Sequence[np.ndarray]) -> np.ndarray:
        """Returns the array; `arguments` are arrays of bytes."""
        dtype = TensorSpec("", self.dtype, ()).buffer_dtype
        size = dtype.itemsize * prod(self.shape)
        return arguments[self.argument][self.offset : self.offset + size].view(dtype).reshape(self.shape)


@dataclass(frozen=True)
class HostStep:
    """A call of `kernel` on `regions`, its inputs and then its `outputs`. A copy with an id `transfer` is
    only started; the step WAIT of that id waits for it. `device` is that of the kernel, or the destination of
    a transfer."""

    kernel: str
    regions: tuple[BufferRegion, ...]
    transfer: int | None = None
    device: str = "host"
    outputs: int = 1


@dataclass(frozen=True)
class Evaluated:
    """One op of a kernel's body: `operands` are indices of the kernel's inputs, then its constants and
    ops."""

    name: str
    attributes: dict[str, Any]
    operands: tuple[int, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True)
class EncodedConstant:
    """A constant with its elements in base64."""

    dtype: str
    shape: tuple[int, ...]
    data: str

    @classmethod
    def of(cls, array: np.ndarray) -> EncodedConstant:
        """Encodes an array."""
        return cls(array.dtype.name, array.shape, base64.b64encode(array.tobytes()).decode())

    def array(self) -> np.ndarray:
        """Decodes the array."""
        return np.frombuffer(base64.b64decode(self.data), self.dtype).reshape(self.shape)


@dataclass(frozen=True)
class NumpyKernel:
    """A kernel that NumPy evaluates; `results` are indices of its values, as `Evaluated.operands`."""

    items: tuple[EncodedConstant | Evaluated, ...]
    results: tuple[int, ...]

    def run(self, regions: Sequence[np.ndarray]) -> None:
        """Computes the outputs, the last of `regions`, from the inputs."""
        values = list(regions[: len(regions) - len(self.results)])
        for item in self.items:
            values.append(item.array() if isinstance(item, EncodedConstant) else _evaluate(item, values))
        for target, result in zip(regions[len(regions) - len(self.results) :], self.results, strict=True):
            target[...] = values[result]


def _evaluate(op: Evaluated, values: Sequence[np.ndarray]) -> np.ndarray:
    return evaluate(op.name, op.attributes, [values[operand] for operand in op.operands], op.shape)


@dataclass(frozen=True)
class StepList:
    """The steps of a host function, and the bodies of the kernels that NumPy evaluates."""

    steps: tuple[HostStep, ...]
    bodies: Mapping[str, NumpyKernel] = field(default_factory=dict)

    def run(
        self,
        arguments: Sequence[np.ndarray],
        objects: Sequence[bytes],
        unused: Callable[[np.ndarray], None] = lambda _: None,
    ) -> None:
        """Runs the steps; `arguments` are the function's arguments as bytes, `objects` the compiled kernels.
        `unused` is called with each argument after the last step that has it."""
        last = {region.argument: step for step in self.steps for region in step.regions}
        image = None
        if objects:
            # Without compiled kernels no C extension is needed.
            from mlc.runtime import Image

            image = Image(list(objects))
        with np.errstate(all="ignore"):
            for step in self.steps:
                regions = [region.of(arguments) for region in step.regions]
                self._run_step(step, regions, image)
                for argument in {region.argument for region in step.regions if last[region.argument] is step}:
                    unused(arguments[argument])

    def _run_step(self, step: HostStep, regions: Sequence[np.ndarray], image: Image | None) -> None:
        if step.kernel == COPY:
            # Asynchronous copies are done at once.
            regions[1][...] = regions[0]
        elif step.kernel in self.bodies:
            self.bodies[step.kernel].run(regions)
        elif step.kernel != WAIT:
            from mlc.runtime import call_entry

            assert image is not None, "kernels without a body are compiled"
            call_entry(image, step.kernel, regions, [], 1)

    def to_json(self) -> dict[str, Any]:
        """Returns JSON values that `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StepList:
        """Returns the step list of `to_json`."""
        steps = [
            HostStep(**step | {"regions": tuple(map(_region, step["regions"]))}) for step in data["steps"]
        ]
        bodies = {
            name: NumpyKernel(tuple(map(_item, body["items"])), tuple(body["results"]))
            for name, body in data["bodies"].items()
        }
        return cls(tuple(steps), bodies)


def _region(data: Mapping[str, Any]) -> BufferRegion:
    return BufferRegion(data["argument"], data["offset"], data["dtype"], tuple(data["shape"]))


def _item(data: Mapping[str, Any]) -> EncodedConstant | Evaluated:
    if "data" in data:
        return EncodedConstant(data["dtype"], tuple(data["shape"]), data["data"])
    return Evaluated(data["name"], data["attributes"], tuple(data["operands"]), tuple(data["shape"]))
