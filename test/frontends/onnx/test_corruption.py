"""Truncated and corrupt models: one clear error each, never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import onnx
import pytest
from models import dense, info, model, weights
from onnx import helper, numpy_helper

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

LIGHT = Path(onnx.__file__).parent / "backend/test/data/light/light_squeezenet.onnx"


def _small_model() -> bytes:
    """Nodes with attributes, a large and a small initializer."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], name="conv", pads=[1, 1, 1, 1], auto_pad="NOTSET"),
        helper.make_node("Add", ["a", "b"], ["c"], name="add"),
        helper.make_node("Reshape", ["c", "s"], ["y"], name="shape"),
    ]
    constants = [
        numpy_helper.from_array(weights(8, 4, 3, 3), "w"),
        numpy_helper.from_array(weights(8, 1, 1), "b"),
        helper.make_tensor("s", onnx.TensorProto.INT64, [2], [1, -1]),
    ]
    return model(nodes, [info("x", 1, 4, 8, 8)], ["y"], constants).SerializeToString()


def _imports(data: bytes) -> bool:
    """Whether the bytes import; they must either do so or fail with one message."""
    try:
        import_model(data, name="broken.onnx")
    except ModelError as error:
        assert str(error).startswith("broken.onnx: "), error
        assert "Traceback" not in str(error)
        return False
    return True


def test_truncated_models_are_refused() -> None:
    data = _small_model()
    assert _imports(data)
    for length in range(0, len(data), 97):
        assert not _imports(data[:length]), length


def test_every_short_prefix_is_refused() -> None:
    data = _small_model()
    for length in range(200):
        assert not _imports(data[:length]), length


def test_truncated_file_names_file_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "half.onnx"
    path.write_bytes(LIGHT.read_bytes()[:9000])
    with pytest.raises(
        ModelError, match=r"half\.onnx: not a valid ONNX model: at byte \d+: .* end at byte 9000"
    ):
        import_model(path)


@pytest.mark.slow
def test_flipped_bits_never_crash() -> None:
    data = _small_model()
    rng = random.Random(0)
    # Most bytes are weights, whose bits do not matter: flip mostly the others.
    offsets = [i for i in range(len(data)) if i < 400 or i > len(data) - 600]
    refused = 0
    for _ in range(800):
        broken = bytearray(data)
        broken[rng.choice(offsets)] ^= 1 << rng.randrange(8)
        refused += not _imports(bytes(broken))
    assert refused > 100


@pytest.mark.slow
def test_overwritten_ranges_never_crash() -> None:
    data = _small_model()
    rng = random.Random(1)
    for _ in range(300):
        start = rng.randrange(len(data))
        length = rng.randrange(1, 40)
        _imports(data[:start] + rng.randbytes(length) + data[start + length :])


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"", "x.onnx: the model is empty"),
        (b"hello, this is no model", "not a valid ONNX model"),
        (b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "not a valid ONNX model"),
        (b"\xff" * 64, "at byte 0: a varint is longer than 10 bytes"),
        (b"\x08\x08", "it has no graph"),
        (b"\x02\x00", "at byte 0: field number 0"),
        (b"\x0b", "wire type 3"),
        (bytes([0x3A, 200, 1]) + b"x" * 10, "reaches beyond the end at byte 13"),
    ],
)
def test_not_a_model(data: bytes, cause: str) -> None:
    with pytest.raises(ModelError) as caught:
        import_model(data, name="x.onnx")
    assert str(caught.value).startswith("x.onnx: ")
    assert cause in str(caught.value)


def test_empty_models(tmp_path: Path) -> None:
    path = tmp_path / "x.onnx"
    path.write_bytes(b"")
    with pytest.raises(ModelError, match=r"x\.onnx: the file is empty$"):
        import_model(path)
    with pytest.raises(ModelError, match=r"^<memory>: the model is empty$"):
        import_model(onnx.ModelProto())


def _field(field_number: int, data: bytes) -> bytes:
    """A length-delimited field."""
    length = len(data)
    encoded = bytearray()
    while length > 0x7F:
        encoded.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes([field_number << 3 | 2, *encoded, length]) + data


@pytest.mark.parametrize("levels", [20, 40, 500])
def test_deeply_nested_graphs_are_refused(levels: int) -> None:
    """Graph in attribute in node in graph ..., each large enough to be looked into."""
    graph = _field(2, b"g" * 2000)
    for _ in range(levels):
        graph = _field(1, _field(5, _field(6, graph)))
    assert not _imports(b"\x08\x08" + _field(7, graph))


@pytest.mark.parametrize("cut", [-4, 4])
def test_raw_data_of_the_wrong_size(cut: int) -> None:
    proto = dense()
    tensor = proto.graph.initializer[0]
    tensor.raw_data = (tensor.raw_data + b"\0" * 4)[: len(tensor.raw_data) + cut]
    with pytest.raises(ModelError, match=r"tensor 'w': dims \[32, 32\] of FLOAT take 4096 bytes"):
        import_model(proto)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        import_model(tmp_path / "nothing.onnx")
    with pytest.raises(ModelError, match="not a regular file"):
        import_model(tmp_path)
    (tmp_path / "empty.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match="is empty"):
        import_model(tmp_path / "empty.onnx")
