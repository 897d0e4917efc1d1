"""The weight references of a module that is a file: they are written beside a .mlir file and reopened with
it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.frontends.errors import ModelError
from mlc.frontends.weights.store import INLINE, Reference, WeightStore

_FIELDS = ("source", "offset", "size", "hash")


def weight_ops(module: ir.Module) -> Iterator[ir.Operation]:
    """Yields every `graph.weight` of the module, in order."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        """Collects `graph.weight` ops."""
        if graph.Weight.isa(op):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    yield from found


def get_reference(op: ir.Operation) -> Reference:
    """Returns the reference that a `graph.weight` carries."""
    values = [op.attributes[name] for name in _FIELDS]
    return Reference(
        *(ir.StringAttr(v).value if isinstance(v, ir.StringAttr) else ir.IntegerAttr(v).value for v in values)
    )


def weight_references(module: ir.Module) -> list[Reference]:
    """Returns the references of the module's `graph.weight` ops, in order."""
    return [get_reference(op) for op in weight_ops(module)]


def set_reference(op: ir.Operation, reference: Reference) -> None:
    """Replaces the reference that a `graph.weight` carries."""
    integer = ir.IntegerType.get_signless(64, op.context)
    op.attributes["source"] = ir.StringAttr.get(reference.source, op.context)
    op.attributes["offset"] = ir.IntegerAttr.get(integer, reference.offset)
    op.attributes["size"] = ir.IntegerAttr.get(integer, reference.size)
    op.attributes["hash"] = ir.StringAttr.get(reference.hash, op.context)


def store_for_module(module: ir.Module, base_dir: str | os.PathLike, verify: bool = True) -> WeightStore:
    """Returns a store that holds every reference of a parsed module, with files looked up below `base_dir`.

    `verify` reads every weight once and compares its content hash. Raises `ModelError` naming the weight's
    location.
    """
    store = WeightStore(Path(base_dir))
    for op in weight_ops(module):
        try:
            _reopen(store, get_reference(op), verify)
        except ModelError as error:
            raise ModelError(f"{op.location}: graph.weight: {error}") from None
    return store


def _reopen(store: WeightStore, wanted: Reference, verify: bool) -> None:
    if wanted.source == INLINE:
        raise ModelError(
            "the weight was only held in memory when the module was written; write it with -o to a file"
        )
    if not verify:
        store.buffer(wanted)
        return
    found = store.reference(wanted.source, wanted.offset, wanted.size)
    if found.hash != wanted.hash:
        raise ModelError(
            f"the bytes of '{wanted.source}' at offset {wanted.offset} are not those that were imported "
            f"(hash {found.hash}, expected {wanted.hash})"
        )


def relocate(module: ir.Module, store: WeightStore, output: Path) -> Path | None:
    """Makes the module's references relative to the folder of `output`, a .mlir file that will be written.

    Weights that are stored in no file below that folder go to a safetensors file beside it, whose path is
    returned.
    """
    folder = output.parent.resolve()
    sidecar = output.with_suffix(".weights.safetensors")
    moved: list[tuple[ir.Operation, Reference]] = []
    for op in weight_ops(module):
        reference = get_reference(op)
        path = store.sources.get(reference.source)
        if path is not None and path.resolve().is_relative_to(folder):
            name = path.resolve().relative_to(folder).as_posix()
            set_reference(op, Reference(name, reference.offset, reference.size, reference.hash))
        else:
            moved.append((op, reference))
    if not moved:
        return None
    offsets = write_safetensors(sidecar, {r.hash: store.buffer(r).data for _, r in moved})
    for op, reference in moved:
        set_reference(op, Reference(sidecar.name, offsets[reference.hash], reference.size, reference.hash))
    return sidecar


def write_safetensors(path: Path, tensors: dict[str, memoryview]) -> dict[str, int]:
    """Writes byte tensors (type U8) in the safetensors format; returns the offset of each in the file.

    The file is written under a temporary name and renamed, so that a reader never sees half a file.
    """
    header: dict[str, object] = {}
    position = 0
    for name, data in tensors.items():
        header[name] = {"dtype": "U8", "shape": [len(data)], "data_offsets": [position, position + len(data)]}
        position += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 64)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with open(temporary, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for data in tensors.values():
            file.write(data)
    os.replace(temporary, path)
    begin = 8 + len(text)
    return {name: begin + entry["data_offsets"][0] for name, entry in header.items()}  # type: ignore[index]
