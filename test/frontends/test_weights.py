"""The weight store, and references of modules that are files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlc import dialects
from mlc.bindings import ir
from mlc.frontends.errors import ModelError
from mlc.frontends.weights.module_references import relocate, weight_references, write_safetensors
from mlc.frontends.weights.store import INLINE, WeightStore, content_hash

DATA = bytes(range(256)) * 8


def _module(source: str, offset: int, data: bytes) -> ir.Module:
    text = (
        f'func.func @main() -> tensor<{len(data)}xui8> {{ %0 = "graph.weight"() {{source = "{source}", '
        f'offset = {offset} : i64, size = {len(data)} : i64, hash = "{content_hash(data)}"}} : () '
        f"-> tensor<{len(data)}xui8> return %0 : tensor<{len(data)}xui8> }}"
    )
    return ir.Module.parse(text, context=dialects.create_context())


def test_ranges_of_files_are_views(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(DATA)
    store = WeightStore(tmp_path)
    reference = store.reference("data.bin", 3, 1000)
    found = store.buffer(reference)
    assert found.tobytes() == DATA[3:1003]
    assert not found.flags.writeable
    assert not found.flags.owndata
    assert reference.hash == content_hash(DATA[3:1003])
    assert store.sources == {"data.bin": tmp_path / "data.bin"}


def test_equal_contents_get_one_reference(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(DATA)
    store = WeightStore(tmp_path)
    first = store.reference("data.bin", 0, 256)
    assert store.reference("data.bin", 256, 256) == first
    assert store.add_blob(DATA[:256]) == first


def test_blobs() -> None:
    store = WeightStore()
    references = [store.add_blob(bytes([i]) * (i + 1)) for i in range(100)]
    assert all(r.source == INLINE and r.offset % 64 == 0 for r in references)
    assert [store.buffer(r).tobytes() for r in references] == [bytes([i]) * (i + 1) for i in range(100)]
    with pytest.raises(ModelError, match="no bytes in memory"):
        store.reference(INLINE, 10, 64)


@pytest.mark.parametrize(("offset", "size"), [(2000, 100), (-1, 10), (0, -1), (2**70, 1), (2048, 1)])
def test_ranges_beyond_the_file_are_refused(tmp_path: Path, offset: int, size: int) -> None:
    (tmp_path / "data.bin").write_bytes(DATA)
    with pytest.raises(ModelError, match=r"beyond the end of 'data\.bin'"):
        WeightStore(tmp_path).reference("data.bin", offset, size)


def test_for_module_opens_references(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(DATA)
    module = _module("data.bin", 8, DATA[8:1032])
    store = WeightStore.for_module(module, tmp_path)
    (reference,) = weight_references(module)
    assert store.buffer(reference).tobytes() == DATA[8:1032]


def test_for_module_sees_changed_bytes(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(DATA)
    module = _module("data.bin", 9, DATA[8:1032])
    with pytest.raises(ModelError, match="are not those that were imported"):
        WeightStore.for_module(module, tmp_path)
    assert WeightStore.for_module(module, tmp_path, verify=False)


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("../data.bin", "leaves the model's folder"),
        ("/etc/passwd", "absolute path"),
        ("nothing", "does not exist"),
        ("link", "symbolic link"),
        ("inline", "only held in memory"),
    ],
)
def test_for_module_is_as_careful_as_the_importer(tmp_path: Path, source: str, cause: str) -> None:
    (tmp_path / "data.bin").write_bytes(DATA)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "link").symlink_to("../data.bin")
    with pytest.raises(ModelError, match=cause):
        WeightStore.for_module(_module(source, 0, DATA), tmp_path / "m")


def test_relocate_writes_weights_of_other_folders(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(DATA)
    (tmp_path / "out").mkdir()
    module = _module("data.bin", 0, DATA)
    store = WeightStore.for_module(module, tmp_path)
    assert relocate(module, store, tmp_path / "a.mlir") is None
    sidecar = relocate(module, store, tmp_path / "out" / "a.mlir")
    assert sidecar == tmp_path / "out" / "a.weights.safetensors"
    (reference,) = weight_references(module)
    again = WeightStore.for_module(module, tmp_path / "out")
    assert again.buffer(reference).tobytes() == DATA


def test_safetensors_header_names_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    offsets = write_safetensors(path, {"a": memoryview(DATA), "b": memoryview(b"12345")})
    raw = path.read_bytes()
    assert raw[offsets["a"] : offsets["a"] + len(DATA)] == DATA
    assert raw[offsets["b"] :] == b"12345"
    length = int.from_bytes(raw[:8], "little")
    assert np.array(offsets["a"]) == 8 + length
    assert offsets["a"] % 64 == 0
