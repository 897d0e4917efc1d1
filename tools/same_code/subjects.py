"""The subjects to compile: graphs written for this tool, ONNX's own test cases, and the model set."""

from __future__ import annotations

import importlib
import math
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class TargetName:
    """A target as `mlc compile --target` takes it."""

    name: str
    on_gpu: bool = False


TARGETS = {
    "avx512": TargetName("x86-64-v4"),
    "avx2": TargetName("x86-64-v3"),
    "neon": TargetName("neoverse-n1"),
    "sm_80": TargetName("cuda:sm_80", on_gpu=True),
    "sm_90a": TargetName("cuda:sm_90a", on_gpu=True),
    "gfx90a": TargetName("hip:gfx90a", on_gpu=True),
    "gfx942": TargetName("hip:gfx942", on_gpu=True),
}
ALL = ("avx512", "avx2", "neon", "sm_80", "sm_90a")
_GROUPS = {"all": ALL, "cpu": ALL[:3], "gpu": ALL[3:], "amd": ("gfx90a", "gfx942")}
# Models of the set that need no PyTorch, and those of the quick run.
MODELS = (
    *(
        "alexnet",
        "densenet121",
        "inception_v1",
        "inception_v2",
        "mobilenet_v2",
        "mlp_small_b1",
        "mlp_small_b64",
    ),
    *("mlp_wide_b1", "mlp_wide_b64", "resnet50", "shufflenet", "squeezenet", "vgg16_conv_126x224"),
)
QUICK_MODELS = ("squeezenet", "mlp_small_b64")
# One of this many of ONNX's cases is compiled for the targets other than the first.
SAMPLE = 6
_WEIGHT = re.compile(r"= weight : (tensor<([\dx]+)x(\w+)>)")
_BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1, "ui8": 1, "i64": 8, "i32": 4}
WEIGHTS, WEIGHT_BYTES = "weights.bin", 64 << 20


@dataclass(frozen=True)
class Subject:
    """A model that is compiled for each of `targets`. `source` is the text of a graph, the text or bytes of
    an ONNX model, or the name of a model of the set."""

    name: str
    source: str | bytes
    targets: tuple[str, ...]
    dims: tuple[tuple[str, int | tuple[int, int]], ...] = ()
    precision: str = "f32"

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Subject:
        """Returns the subject with these fields, whose tuples may have become lists between processes."""
        dims = ((name, size if isinstance(size, int) else tuple(size)) for name, size in fields["dims"])
        return cls(**{**fields, "targets": tuple(fields["targets"]), "dims": tuple(dims)})

    def load(self, folder: Path) -> Any:
        """Returns the model for `mlc.compiler`. Files are written to `folder`, where the weights are."""
        if isinstance(self.source, bytes):
            return self.source
        if self.name.startswith("graph/"):
            return _graph(self.source, folder)
        if self.name.startswith("onnx/"):
            return importlib.import_module("onnx.parser").parse_model(self.source)
        return _model(self.source)


def subjects(folder: Path, quick: bool) -> Iterator[Subject]:
    """Yields all subjects, those of `folder` first; with `quick` those of the quick run, with its targets."""
    for path in sorted((folder / "graphs").glob("*.mlir")):
        for chunk in path.read_text(encoding="utf-8").split("// -----\n"):
            yield _subject(path, chunk)
    for path in sorted((folder / "onnx").glob("*.onnxtxt")):
        yield Subject(f"onnx/{path.stem}", path.read_text(encoding="utf-8"), ALL)
    for name in QUICK_MODELS if quick else MODELS:
        yield Subject(f"model/{name}", name, ALL)
    if not quick:
        yield from _node_cases()


def _subject(path: Path, chunk: str) -> Subject:
    """Parses a chunk of a file of graphs. Its first line is `// NAME: TARGETS`, then come `// dim NAME SIZE`,
    or `// dim NAME LEAST MOST`, and `// precision TYPE` as needed. Raises ValueError."""
    head = re.match(r"// ([\w-]+): (.+)\n", chunk)
    if head is None:
        raise ValueError(f"{path}: a chunk begins with {chunk[:40]!r}, not with '// NAME: TARGETS'")
    targets = tuple(target for name in head[2].split() for target in _GROUPS.get(name, (name,)))
    if unknown := [target for target in targets if target not in TARGETS]:
        raise ValueError(
            f"{path}: {head[1]}: unknown target {unknown[0]!r}, expected one of {', '.join(TARGETS)}"
        )
    dims = [line.split() for line in re.findall(r"^// dim (.*)$", chunk, re.M)]
    sizes = tuple((name, _size(*map(int, size))) for name, *size in dims)
    precision = re.search(r"^// precision (\w+)$", chunk, re.M)
    name = f"graph/{path.stem}/{head[1]}"
    return Subject(name, chunk, targets, sizes, precision[1] if precision else "f32")


def _size(least: int, most: int | None = None) -> int | tuple[int, int]:
    return least if most is None else (least, most)


def _node_cases() -> Iterator[Subject]:
    """Yields ONNX's cases of single operators, in the order of their names."""
    with warnings.catch_warnings(action="ignore"):
        cases = importlib.import_module("onnx.backend.test.case.node").collect_testcases(None)
    by_name = {case.name: case.model.SerializeToString(deterministic=True) for case in cases if case.model}
    for index, name in enumerate(sorted(by_name)):
        targets = ALL if index % SAMPLE == 0 else ALL[:1]
        yield Subject(f"case/{name.removeprefix('test_')}", by_name[name], targets)


def _graph(text: str, folder: Path) -> Path:
    """Writes a file with the graph `text`, in which `weight : TYPE` stands for an op that reads the file of
    weights beside it."""
    from mlc.frontends.weights.store import content_hash

    weights = folder / WEIGHTS
    data = memoryview(weights.read_bytes())
    start = 0

    def reference(match: re.Match[str]) -> str:
        """Returns the op with a reference to the next bytes of the file."""
        nonlocal start
        size = math.prod(map(int, match[2].split("x"))) * _BYTES[match[3]]
        digest = content_hash(data[start : start + size])
        span = f"offset = {start} : i64, size = {size} : i64"
        start += size
        return f'= "graph.weight"() {{hash = "{digest}", {span}, source = "{WEIGHTS}"}} : () -> {match[1]}'

    expanded = _WEIGHT.sub(reference, text)
    path = folder / f"{content_hash(expanded.encode())}.mlir"
    # Other processes may compile it for other targets at the same time.
    own = path.with_suffix(f".{os.getpid()}")
    own.write_text(expanded, encoding="utf-8")
    return own.replace(path)


def write_weights(folder: Path) -> None:
    """Writes the file that the graphs' weights are parts of: small random values."""
    values = np.random.default_rng(0).uniform(-0.1, 0.1, WEIGHT_BYTES // 4)
    (folder / WEIGHTS).write_bytes(values.astype(np.float32).tobytes())


def _model(name: str) -> Any:
    """Returns a model of the set before its calibration, which would run it."""
    catalogue = importlib.import_module("bench.models.catalogue")
    if name in catalogue.light.FILES:
        return catalogue.light.read(name).to_model()
    if name in catalogue.CONVOLUTIONAL:
        return catalogue.CONVOLUTIONAL[name]().to_model()
    return catalogue.MODELS[name].build()
