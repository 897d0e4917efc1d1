"""External data: the paths that are allowed, and every way in which it can be wrong."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import dense, external, save, weights

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model
from mlc.frontends.weights.module_references import weight_references

SIZE = 32 * 32 * 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder `m` with data.bin beside a file outside of it."""
    inside = tmp_path / "m"
    inside.mkdir()
    (inside / "data.bin").write_bytes(b"\0" * 64 + weights(32, 32).tobytes())
    (tmp_path / "secret.bin").write_bytes(b"s" * SIZE)
    return inside


def _message(folder: Path, location: str, **more: Any) -> str:
    path = save(dense(external(location, **more)), folder / "model.onnx")
    with pytest.raises(ModelError) as caught:
        import_model(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: tensor 'w': ")
    assert "\n" not in text
    return text


@pytest.mark.parametrize("more", [{"length": str(SIZE)}, {}])
def test_external_data_is_referenced(folder: Path, more: dict[str, str]) -> None:
    path = save(dense(external("data.bin", offset="64", **more)), folder / "model.onnx")
    imported = import_model(path)
    (reference,) = weight_references(imported.module)
    assert (reference.source, reference.offset, reference.size) == ("data.bin", 64, SIZE)
    np.testing.assert_array_equal(
        imported.weights.buffer(reference).view(np.float32), weights(32, 32).ravel()
    )


def test_subfolders_and_links_inside_are_fine(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "link.bin").symlink_to("../data.bin")
    path = save(dense(external("./sub/link.bin", offset="64")), folder / "model.onnx")
    (reference,) = weight_references(import_model(path).module)
    assert reference.source == "sub/link.bin"


def test_small_external_data_becomes_a_constant(folder: Path) -> None:
    path = save(dense(external("data.bin", dims=(32, 1), offset="64")), folder / "model.onnx")
    assert "graph.constant" in str(import_model(path).module)


@pytest.mark.parametrize(
    "location", ["../secret.bin", "a/../../secret.bin", "..\\secret.bin", "..", "../../etc"]
)
def test_parent_folders_are_refused(folder: Path, location: str) -> None:
    assert "leaves the model's folder" in _message(folder, location)


@pytest.mark.parametrize("location", ["/etc/passwd", "//x", "C:\\x", "C:x", "\\x"])
def test_absolute_paths_are_refused(folder: Path, location: str) -> None:
    assert "is an absolute path" in _message(folder, location)


def test_symlinks_out_of_the_folder_are_refused(folder: Path) -> None:
    (folder / "link.bin").symlink_to("../secret.bin")
    (folder / "up").symlink_to("..")
    assert "symbolic link" in _message(folder, "link.bin")
    assert "symbolic link" in _message(folder, "up/secret.bin")


def test_what_is_no_file_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    (folder / "file").write_bytes(b"")
    assert "does not exist" in _message(folder, "nothing.bin")
    assert "not a regular file" in _message(folder, "pipe")
    assert "not a regular file" in _message(folder, ".")
    assert "cannot be opened" in _message(folder, "loop")
    assert "cannot be opened" in _message(folder, "file/x") or "does not exist" in _message(folder, "file/x")
    assert "cannot be opened" in _message(folder, "x" * 5000)
    assert "is empty" in _message(folder, "")
    assert "beyond the end" in _message(folder, "file")


@pytest.mark.parametrize(
    ("more", "cause"),
    [
        ({"offset": "65"}, "reach beyond the end of 'data.bin' (4160 bytes)"),
        ({"offset": "9" * 18}, "reach beyond the end"),
        ({"offset": "9" * 30}, "is not a number of bytes"),
        ({"offset": "-1"}, "is not a number of bytes"),
        ({"offset": "0x10"}, "is not a number of bytes"),
        ({"length": "4095"}, "take 4096 bytes, but its data has 4095"),
        ({"length": "4160"}, "take 4096 bytes, but its data has 4160"),
        ({"length": ""}, "is not a number of bytes"),
        ({"dims": (32, 64)}, "reach beyond the end"),
        ({"dims": (32, -32)}, "are negative"),
        ({"dims": (2**40, 2**40)}, "over the limit"),
        ({"dims": (2**40, 2**40, 0)}, f"make {2**80} elements besides the dims of 0, over the limit"),
        ({"dims": (1,) * 200}, "rank 200"),
        ({"onnx_type": 8}, "need 1024 strings, but its data has 0"),
        ({"onnx_type": 99}, "data type 99"),
    ],
)
def test_wrong_sizes_are_refused(folder: Path, more: dict[str, object], cause: str) -> None:
    assert cause in _message(folder, "data.bin", **more)


def test_no_location_is_refused(folder: Path) -> None:
    tensor = external("data.bin")
    del tensor.external_data[:]
    path = save(dense(tensor), folder / "model.onnx")
    with pytest.raises(ModelError, match="no location"):
        import_model(path)


def test_a_model_in_memory_has_no_folder(folder: Path) -> None:
    with pytest.raises(ModelError, match="not given as a file"):
        import_model(dense(external("data.bin")))
