"""Named dims: dynamic dims of a model's inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlc.runtime.errors import ExecutableError
from mlc.runtime.tensors import TensorSpec

# Sizes are int64_t.
_MOST = 1 << 63


@dataclass(frozen=True)
class NamedDim:
    """A dim whose size a call chooses, from `least` to `most` (None: as large as memory allows). It is the
    same wherever the name occurs in the shapes of inputs."""

    name: str
    least: int = 0
    most: int | None = None

    def __str__(self) -> str:
        if self.least == 0 and self.most is None:
            return self.name
        return f"{self.name}={self.least}..{'' if self.most is None else self.most}"

    def native(self) -> tuple[str, int, int | None]:
        """Returns the tuple that the native `Program` expects."""
        return (self.name, self.least, self.most)


def parse_dims(data: Any, inputs: Sequence[TensorSpec], where: str) -> tuple[NamedDim, ...]:
    """Checks "dims" of a manifest: a list of objects with name, least and most, which name all texts in the
    shapes of inputs and nothing else. `where` starts the message of the ExecutableError."""
    if not isinstance(data, list):
        raise ExecutableError(f"{where}: 'dims' is {data!r}, expected a list")
    dims = tuple(_dim(entry, f"{where}: dims[{i}]") for i, entry in enumerate(data))
    names = [dim.name for dim in dims]
    if len(set(names)) != len(names):
        raise ExecutableError(f"{where}: dims has a name twice: {sorted(names)}")
    for spec in inputs:
        for size in spec.shape:
            if isinstance(size, str) and size not in names:
                raise ExecutableError(f"{where}: dims lacks '{size}', a dim of input '{spec.name}'")
    if unseen := [name for name in names if all(name not in spec.shape for spec in inputs)]:
        raise ExecutableError(f"{where}: no input has the dim '{unseen[0]}'")
    return dims


def _dim(entry: Any, what: str) -> NamedDim:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise ExecutableError(f"{what} is {entry!r}, expected an object with name, least and most")
    least: Any = entry.get("least")
    most: Any = entry.get("most")
    bounds = [least, least if most is None else most]
    if not all(isinstance(bound, int) and not isinstance(bound, bool) for bound in bounds):
        raise ExecutableError(f"{what}: least is {least!r} and most is {most!r}, expected integers")
    if not 0 <= bounds[0] <= bounds[1] < _MOST:
        raise ExecutableError(f"{what}: {least} to {most} is no range of sizes")
    return NamedDim(entry["name"], least, most)
