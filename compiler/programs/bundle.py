"""Compiled programs in the disk cache: everything but the weights that are found again in the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.host_program.step_list import StepList
from mlc.compiler.packed import pack, unpack
from mlc.frontends.weights.store import INLINE, Reference, WeightStore

# Bytes of a computed weight at most that a bundle holds: the cache has a limit of size. A program with a
# larger one is compiled again.
MOST_BYTES = 1 << 26


@dataclass(frozen=True)
class Stage:
    """A host function with its objects; each weight is a portable reference (a list), the bytes that the
    import has computed, or a result of `@prepare` (an int). `step_list` has the steps of a host function
    without an object."""

    host: HostFunction
    objects: Mapping[str, bytes]
    weights: tuple[Any, ...]
    step_list: StepList | None = None


@dataclass(frozen=True)
class Bundle:
    """The stages by name ("main", "prepare") and the model's names.

    `external` holds portable references to all that was read from files beside the model: small constants are
    part of the kernels, so that unchanged weights do not suffice.
    """

    stages: Mapping[str, Stage]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    report: Mapping[str, Any]
    external: tuple[Any, ...] = ()

    def to_bytes(self) -> bytes:
        """Returns the bytes that `from_bytes` reads."""
        blobs: list[bytes] = []
        header = {
            "stages": {name: _write_stage(stage, blobs) for name, stage in self.stages.items()},
            "inputs": self.inputs,
            "outputs": self.outputs,
            "report": self.report,
            "external": self.external,
        }
        return pack(header, blobs)

    @classmethod
    def from_bytes(cls, data: bytes) -> Bundle:
        """Returns the bundle of `to_bytes`; the cache has checked the bytes."""
        header, blobs = unpack(data)
        stages = {name: _read_stage(entry, blobs) for name, entry in header["stages"].items()}
        return cls(
            stages,
            tuple(header["inputs"]),
            tuple(header["outputs"]),
            header["report"],
            tuple(header["external"]),
        )


def _write_stage(stage: Stage, blobs: list[bytes]) -> dict[str, Any]:
    ranges = {name: _add(data, blobs) for name, data in stage.objects.items()}
    weights = [
        {"bytes": _add(weight, blobs)} if isinstance(weight, bytes) else weight for weight in stage.weights
    ]
    host = asdict(stage.host) | {"text": "", "weights": []}
    step_list = stage.step_list.to_json() if stage.step_list else None
    return {"host": host, "objects": ranges, "weights": weights, "step_list": step_list}


def _add(data: bytes, blobs: list[bytes]) -> list[int]:
    """Appends bytes; returns their offset and size."""
    blobs.append(data)
    return [sum(map(len, blobs[:-1])), len(data)]


def _read_stage(entry: dict[str, Any], blobs: memoryview) -> Stage:
    host = entry["host"]
    infos: dict[str, Any] = {
        name: tuple(TensorInfo(info["dtype"], tuple(info["shape"])) for info in host[name])
        for name in ("inputs", "outputs", "weight_types")
    }
    infos |= {name: tuple(host[name]) for name in ("kernels", "messages", "functions", "strings")}
    dims = None if host["dims"] is None else tuple(host["dims"])
    function = HostFunction(**(host | infos | {"weights": (), "dims": dims}))

    def read(at: int, size: int) -> bytes:
        return bytes(blobs[at : at + size])

    objects = {name: read(*range_) for name, range_ in entry["objects"].items()}
    weights = tuple(
        read(*weight["bytes"]) if isinstance(weight, dict) else weight for weight in entry["weights"]
    )
    step_list = StepList.from_json(entry["step_list"]) if entry["step_list"] else None
    return Stage(function, objects, weights, step_list)


def portable_weights(host: HostFunction, source: Any, store: WeightStore) -> tuple[Any, ...]:
    """Returns the function's weights as the bundle holds them."""

    def portable(weight: Any) -> Any:
        if not isinstance(weight, Reference):
            return weight
        entry = source.portable(weight)
        computed = entry[0] == INLINE and weight.size <= MOST_BYTES
        return store.buffer(weight).tobytes() if computed else entry

    return tuple(map(portable, host.weights))
