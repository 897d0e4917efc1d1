"""The manifest of a compiled model: its inputs and outputs, and what it needs of the host."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

from mlc.runtime.errors import ExecutableError
from mlc.runtime.named_dims import NamedDim, parse_dims
from mlc.runtime.tensors import EXTENSION_DTYPES, NUMPY_DTYPES, TensorSpec, is_object

if TYPE_CHECKING:
    from mlc.runtime.cuda.plan.plan import Plan

T = TypeVar("T")

# Static programs; programs with named dims; and those with specialised programs.
FORMATS = STATIC_FORMAT, DYNAMIC_FORMAT, SPECIALISED_FORMAT = 1, 2, 3
# The user address space of x86-64; a model that claims more is corrupt.
MAX_BYTES = 1 << 47
MAX_RANK = 64
# The entry of the report with the kernels that calls launch: of each its name, "kernel"; "nodes", the ONNX
# nodes of its launches; "dtype"; "schedule"; the number of its dynamic "dims", if it has some; what a
# launch computes and moves, "flops" and "bytes", formulas of the dims (`profiling.formula`), if known.
LAUNCHED = "launched_kernels"


@dataclass(frozen=True)
class SpecialisedEntry:
    """A program specialised for `sizes` of the named dims. Its code is the next `objects` objects of the
    file, after those of earlier entries; its weights are some of the file's."""

    sizes: Mapping[str, int]
    objects: int
    manifest: Manifest


@dataclass(frozen=True)
class Manifest:
    """A checked manifest: of objects with an `entry`, or of a GPU program with a `plan`, whose images are the
    code. `data` is the JSON object that it was read from, including keys unknown here.

    `dims` are the named dims of a dynamic program, None for a static one; `messages` the texts of its
    failures, `functions` the runtime's functions on strings and sequences that it calls, `strings` those
    with the first ids, and `specialised` the specialised programs.
    """

    entry: str
    plan: Plan | None
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    weights: tuple[TensorSpec, ...]
    dims: tuple[NamedDim, ...] | None
    messages: tuple[str, ...]
    arena_bytes: int
    libraries: tuple[str, ...]
    functions: tuple[str, ...]
    strings: tuple[str, ...]
    target: Mapping[str, Any]
    report: Mapping[str, Any]
    data: Mapping[str, Any]
    specialised: tuple[SpecialisedEntry, ...] = ()

    @property
    def stored_weights(self) -> tuple[TensorSpec, ...]:
        """The weights of all programs, each name once."""
        programs = [self, *(entry.manifest for entry in self.specialised)]
        return tuple({spec.name: spec for program in reversed(programs) for spec in program.weights}.values())

    @property
    def has_objects(self) -> bool:
        """Whether the program has strings, sequences, optionals or maps, if only inside."""
        specs = (*self.inputs, *self.outputs)
        return bool(self.functions or self.strings or any(spec.is_object for spec in specs))


def parse_manifest(data: Any, where: str, formats: Sequence[int] = FORMATS) -> Manifest:
    """Checks a manifest's JSON object of one of `formats`. `where` starts the message of the
    ExecutableError."""
    if not isinstance(data, Mapping):
        raise ExecutableError(f"{where}: the manifest is not a JSON object")
    if data.get("format") not in formats:
        raise ExecutableError(
            f"{where}: format {data.get('format')!r} is not supported, this runtime reads formats"
            f" {', '.join(map(str, formats))}"
        )
    dynamic = data["format"] != STATIC_FORMAT
    if dynamic and "plan" in data:
        raise ExecutableError(f"{where}: manifest: a program of a GPU has format 1, with static sizes")
    inputs = _tensors(data, "inputs", where, dynamic)
    dims = parse_dims(data.get("dims"), inputs, f"{where}: manifest") if dynamic else None
    specialised = data["format"] == SPECIALISED_FORMAT
    return Manifest(
        entry="" if "plan" in data else _field(data, "entry", str, where),
        plan=_plan(data["plan"], where) if "plan" in data else None,
        inputs=inputs,
        outputs=_tensors(data, "outputs", where, dynamic),
        weights=_tensors(data, "weights", where),
        dims=dims,
        messages=_texts(data, "messages", "texts", where),
        arena_bytes=_size(data.get("arena_bytes"), f"{where}: arena_bytes"),
        libraries=_texts(data, "libraries", "paths", where),
        functions=_texts(data, "functions", "names", where),
        strings=_texts(data, "strings", "texts", where),
        target=_field(data, "target", Mapping, where, {}),
        report=_field(data, "report", Mapping, where, {}),
        data=data,
        specialised=_read_specialised(data, dims or (), where) if specialised else (),
    )


def own_objects(manifest: Manifest, objects: Sequence[T]) -> Sequence[T]:
    """Returns the general program's objects, the first ones. Raises ExecutableError for too few."""
    count = len(objects) - sum(entry.objects for entry in manifest.specialised)
    if count < 0 or (manifest.specialised and count == 0):
        raise ExecutableError(f"{len(objects)} objects are fewer than the manifest's programs have")
    return objects[:count]


def load_manifest(text: bytes | memoryview, where: str) -> Manifest:
    """Parses and checks a manifest's JSON text."""
    try:
        data = json.loads(bytes(text))
    except (ValueError, RecursionError) as error:
        raise ExecutableError(f"{where}: the manifest is not valid JSON: {error}") from error
    return parse_manifest(data, where)


def _read_specialised(
    data: Mapping[str, Any], dims: Sequence[NamedDim], where: str
) -> tuple[SpecialisedEntry, ...]:
    names = [dim.name for dim in dims]
    found = []
    for index, given in enumerate(_field(data, "specialised", list, where)):
        what = f"{where}: manifest: specialised[{index}]"
        entry = given if isinstance(given, Mapping) else {}
        sizes, objects = entry.get("sizes"), entry.get("objects")
        if not isinstance(sizes, Mapping) or sorted(sizes) != sorted(names):
            raise ExecutableError(f"{what}: sizes is {sizes!r}, expected a size of each of {names}")
        for name in names:
            _size(sizes[name], f"{what}: {name}")
        if _size(objects, f"{what}: objects") == 0:
            raise ExecutableError(f"{what}: it has no objects")
        manifest = parse_manifest(entry.get("manifest"), what, FORMATS[:2])
        if manifest.plan is not None:
            raise ExecutableError(f"{what}: it is a program of a GPU")
        found.append(SpecialisedEntry(sizes, int(objects or 0), manifest))
    return tuple(found)


def _field(data: Mapping[str, Any], key: str, expected: type, where: str, default: Any = None) -> Any:
    value = data.get(key, default)
    if not isinstance(value, expected):
        raise ExecutableError(f"{where}: manifest: '{key}' is {value!r}, expected {expected.__name__}")
    return value


def _size(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MAX_BYTES:
        raise ExecutableError(f"{what} is {value!r}, expected a number of bytes")
    return value


def _texts(data: Mapping[str, Any], key: str, what: str, where: str) -> tuple[str, ...]:
    texts = _field(data, key, list, where, [])
    if not all(isinstance(text, str) for text in texts):
        raise ExecutableError(f"{where}: manifest: '{key}' is {texts!r}, expected a list of {what}")
    return tuple(texts)


def _tensors(data: Mapping[str, Any], key: str, where: str, dynamic: bool = False) -> tuple[TensorSpec, ...]:
    entries = _field(data, key, list, where)
    whats = [f"{where}: manifest: {key}[{i}]" for i in range(len(entries))]
    specs = tuple(_tensor(entry, what, dynamic) for entry, what in zip(entries, whats, strict=True))
    names = [spec.name for spec in specs]
    if len(set(names)) != len(names):
        raise ExecutableError(f"{where}: manifest: {key} has a name twice: {sorted(names)}")
    return specs


def _tensor(entry: Any, what: str, dynamic: bool) -> TensorSpec:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise ExecutableError(f"{what} is {entry!r}, expected an object with name, dtype and shape")
    dtype, shape = entry.get("dtype"), entry.get("shape")
    if not isinstance(dtype, str) or not (dtype in NUMPY_DTYPES | EXTENSION_DTYPES or is_object(dtype)):
        raise ExecutableError(f"{what}: dtype {dtype!r} is unknown")
    if not isinstance(shape, (list, tuple)) or len(shape) > MAX_RANK:
        raise ExecutableError(f"{what}: shape is {shape!r}, expected a list of sizes")
    texts = str if dynamic else ()
    sizes = tuple(
        size if isinstance(size, texts) else _size(size, f"{what}: a size in shape {list(shape)!r}")
        for size in shape
    )
    if prod(size for size in sizes if isinstance(size, int)) >= MAX_BYTES // 16:
        raise ExecutableError(f"{what}: shape {list(shape)!r} is too large")
    return TensorSpec(entry["name"], dtype, sizes)


def _plan(data: Any, where: str) -> Plan:
    # Programs of CPUs do not need this part of the runtime.
    from mlc.runtime.cuda.plan.plan import Plan

    return Plan.from_json(data, f"{where}: manifest: plan")
