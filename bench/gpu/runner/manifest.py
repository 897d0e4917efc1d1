"""The manifest of a folder of artefacts: cases with their tensors, work and tolerances."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mlc.runtime.cuda.plan.json_records import decode, encode
from mlc.runtime.errors import ExecutableError

FORMAT = 1
MANIFEST, VALUES, GRAPH, PREPARE = "manifest.json", "values.npz", "graph.json", "prepare.json"
Precision = Literal["f32", "tf32", "f16", "bf16"]


@dataclass(frozen=True)
class WeightSource:
    """A tensor that the runner makes. `fill`: "normal" of mean `first` and deviation `second`, "uniform" or
    "integers" in [`first`, `second`), drawn from `seed`; or "values", which are in values.npz."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    fill: Literal["normal", "uniform", "integers", "values"] = "normal"
    first: float = 0.0
    second: float = 1.0
    seed: int = 0


@dataclass(frozen=True)
class WeightBinding:
    """A weight of the plan: the bytes of `tensor`, or if that is "" the result `prepared` of `@prepare`."""

    weight: str
    tensor: str = ""
    prepared: int = 0


@dataclass(frozen=True)
class Work:
    """Floating-point operations and bytes of the definition; 0 if no rate is shown. A "cold" cache is
    flushed before each call."""

    operations: int = 0
    nbytes: int = 0
    cache: Literal["warm", "cold"] = "warm"


@dataclass(frozen=True)
class GpuCase:
    """A compiled model, or with a `reason` one that does not compile. `weight` is its share of the time.

    `tolerance` bounds the largest error over the largest value. `peers` are names of `peers.py`; `triton` is
    the name of a kernel there, "" for none. `steps` are those of the plan.
    """

    name: str
    group: str
    precision: Precision
    inputs: tuple[WeightSource, ...] = ()
    weights: tuple[WeightSource, ...] = ()
    bindings: tuple[WeightBinding, ...] = ()
    outputs: tuple[str, ...] = ()
    peers: tuple[str, ...] = ()
    triton: str = ""
    work: Work = Work()
    tolerance: float = 0.0
    weight: float = 1.0
    steps: int = 1
    reason: str = ""

    @property
    def one_launch(self) -> bool:
        """Whether the plan is one step, so that CUDA graphs would only cost time."""
        return self.steps == 1


@dataclass(frozen=True)
class CasesManifest:
    """Cases, the most important first."""

    format: int
    architecture: str
    compiler: str
    cases: tuple[GpuCase, ...]

    def __post_init__(self) -> None:
        """Raises ExecutableError for another format, and for names that are not plain and unique."""
        if self.format != FORMAT:
            raise ExecutableError(f"format {self.format} is not {FORMAT}, which this runner reads")
        names = [case.name for case in self.cases]
        for name in names:
            if Path(name).name != name or name.startswith("."):
                raise ExecutableError(f"the case's name '{name}' is no plain file name")
            if names.count(name) > 1:
                raise ExecutableError(f"two cases have the name '{name}'")


def read_manifest(root: Path) -> CasesManifest:
    """Reads and checks the manifest. Raises ExecutableError with the path and the cause."""
    path = root / MANIFEST
    return decode(CasesManifest, read_json(path), str(path))


def read_json(path: Path) -> object:
    """Reads a JSON file. Raises ExecutableError with the path and the cause."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ExecutableError(f"{path}: cannot read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ExecutableError(f"{path}: not valid JSON: {error}") from error


def write_manifest(root: Path, manifest: CasesManifest) -> None:
    """Writes manifest.json."""
    (root / MANIFEST).write_text(json.dumps(encode(manifest), indent=1))


def case_folder(root: Path, name: str) -> Path:
    """Returns the folder of the plan, images and data of a case."""
    return root / "cases" / name
