"""The .mlcx file: round trip, damage, hostile structure."""

import io
import json
import os
import random
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.runtime import Executable, ExecutableError, load, read_container, write_container
from mlc.runtime.container import SEAL, seal

X = np.ones((2, 3), np.float32)


@pytest.fixture
def path(executable: Executable, tmp_path: Path) -> Path:
    executable.save(tmp_path / "model.mlcx")
    return tmp_path / "model.mlcx"


def rewrite(path: Path, change: Callable[[dict[str, bytes]], None], method: int = zipfile.ZIP_STORED) -> None:
    """Repacks the file after a change of its members, and seals it again."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    parts = [(name, len(data), zlib.crc32(data)) for name, data in members.items() if name != SEAL]
    members[SEAL] = seal(parts, members.get("manifest.json", b""))
    repack(path, members, method)


def repack(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> None:
    """Writes a file of these members, with right checksums."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_round_trip(path: Path, parts: Any) -> None:
    executable = load(path, threads=1)
    y, n = executable(X, 1.0)
    np.testing.assert_array_equal(y, np.arange(2, 8).reshape(2, 3))
    assert n == 1
    manifest, objects, weights = read_container(path)
    assert manifest == parts.manifest
    assert [bytes(code) for code in objects] == parts.objects
    np.testing.assert_array_equal(weights["w"].view(np.float32), parts.weights["w"])


def test_saving_again_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    load(path).save(tmp_path / "again.mlcx")
    assert (tmp_path / "again.mlcx").read_bytes() == path.read_bytes()


def test_a_device_is_not_replaced_by_a_file(path: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ExecutableError, match="no regular file"):
        load(path).save(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_an_executable_shows_its_signature(path: Path) -> None:
    assert repr(load(path)).startswith("Executable(x: float32[2,3], ")


def test_libraries_of_a_model_are_opened(parts: Any, tmp_path: Path) -> None:
    missing = str(tmp_path / "libnone.so")
    with pytest.raises(ExecutableError, match=r"libnone\.so: cannot open"):
        Executable(parts.manifest | {"libraries": [missing]}, parts.objects, parts.weights)
    with pytest.raises(ExecutableError, match="'libraries' is \\[1\\], expected a list of paths"):
        Executable(parts.manifest | {"libraries": [1]}, parts.objects, parts.weights)


def test_saving_over_a_loaded_file(path: Path) -> None:
    executable = load(path)
    for _ in range(2):
        executable.save(path)
    assert executable(X, 1.0)[0][0, 0] == 2
    assert load(path)(X, 1.0)[0][0, 0] == 2


def test_weights_are_mapped_aligned_and_read_only(parts: Any, tmp_path: Path) -> None:
    specs: list[dict[str, Any]] = [
        {"name": f"w{i}", "dtype": "uint8", "shape": [size]} for i, size in enumerate((1, 100, 0, 4096, 7))
    ]
    weights = {spec["name"]: np.full(spec["shape"], i, np.uint8) for i, spec in enumerate(specs)}
    write_container(tmp_path / "w.mlcx", parts.manifest | {"weights": specs}, parts.objects, weights)
    _, _, loaded = read_container(tmp_path / "w.mlcx")
    for name, weight in weights.items():
        np.testing.assert_array_equal(loaded[name], weight)
        assert loaded[name].ctypes.data % 64 == 0 or not weight.size
        assert not loaded[name].flags.writeable
    assert loaded["w0"].ctypes.data % 4096 == 0


def test_weights_are_plain_safetensors(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        data = archive.read("weights.safetensors")
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert header == {"w": {"dtype": "F32", "shape": [6], "data_offsets": [0, 24]}}
    assert len(data) == 8 + length + 24


def test_every_truncation_is_refused(path: Path) -> None:
    data = path.read_bytes()
    chance = random.Random(1)
    for size in [0, 1, 22, len(data) - 1, *(chance.randrange(len(data)) for _ in range(40))]:
        path.write_bytes(data[:size])
        with pytest.raises(ExecutableError, match=r"model\.mlcx: "):
            load(path)


def test_random_damage_never_crashes(path: Path) -> None:
    data = path.read_bytes()
    chance = random.Random(2)
    headers = [i for i in range(len(data)) if data[i] not in (0, 0x20)]
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(chance.choice([1, 2, 8])):
            damaged[chance.choice(headers)] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            load(path)
        except ExecutableError as error:
            assert "model.mlcx" in str(error)


def test_a_flipped_bit_is_refused_or_harmless(path: Path) -> None:
    """Samples all of the file: of the names, sizes and directory of the archive every byte."""
    data = path.read_bytes()
    expected = [np.asarray(value).tobytes() for value in load(path, threads=1)(X, 1.0)]
    chance = random.Random(3)
    filled = [index for index, byte in enumerate(data) if byte]
    headers = [at + i for at in find_all(data, b"PK") for i in range(46) if at + i < len(data)]
    refused = 0
    for index in [*headers, *chance.sample(filled, 200), *chance.sample(range(len(data)), 50)]:
        path.write_bytes(flip(data, index, chance.randrange(8)))
        try:
            executable = load(path, threads=1)
        except ExecutableError as error:
            assert "model.mlcx" in str(error)
            refused += 1
            continue
        assert [np.asarray(value).tobytes() for value in executable(X, 1.0)] == expected, index
    assert refused > 200


def find_all(data: bytes, part: bytes) -> list[int]:
    return [index for index in range(len(data)) if data.startswith(part, index)]


def flip(data: bytes, index: int, bit: int) -> bytes:
    return data[:index] + bytes([data[index] ^ 1 << bit]) + data[index + 1 :]


def damage_weights(path: Path) -> None:
    """Flips the last bit of the weights; `w` has six elements."""
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        weights = archive.read("weights.safetensors")
    path.write_bytes(flip(data, data.index(weights) + len(weights) - 1, 0))


def test_damaged_weights_are_refused(path: Path) -> None:
    damage_weights(path)
    for verify in (None, True):
        with pytest.raises(ExecutableError, match=r"the checksum of member 'weights\.safetensors' is wrong"):
            load(path, verify=verify)
    assert load(path, verify=False).weights
    assert read_container(path)


def test_large_weights_are_checked_before_they_are_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlc.runtime.executable.CHECKED_BYTES", 0)
    expected = load(path, threads=1)(X, 1.0)
    damage_weights(path)
    executable = load(path, threads=1)
    uses: list[Callable[[], Any]] = [
        lambda: executable(X, 1.0),
        lambda: executable.run({"x": X, "s": 1.0}),
        lambda: executable.weights,
        lambda: executable.save(path.with_name("copy.mlcx")),
    ]
    for use in [*uses, *uses]:
        with pytest.raises(ExecutableError, match=r"the checksum of member 'weights\.safetensors' is wrong"):
            use()
    assert not path.with_name("copy.mlcx").exists()
    with pytest.raises(ExecutableError, match="the checksum of member 'weights"):
        load(path, verify=True)
    assert len(load(path, threads=1, verify=False)(X, 1.0)) == len(expected)


@pytest.mark.parametrize("member", ["manifest.json", "code/0.o", "weights.safetensors"])
def test_parts_of_different_files_are_refused(path: Path, member: str) -> None:
    """A changed part with a right checksum."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[member] = members[member].replace(b"{", b"{ ", 1) if b"{" in members[member] else b"other code"
    repack(path, members)
    with pytest.raises(ExecutableError, match=r"'manifest\.json' and the other members do not belong"):
        load(path)


def test_a_file_without_a_seal_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != SEAL}
    repack(path, members)
    with pytest.raises(ExecutableError, match=r"made by an earlier version of mlc, or damaged: .* compile"):
        load(path)


def safetensors(header: Any, data: bytes = bytes(24)) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(begin: Any, end: Any) -> dict[str, Any]:
    return {"w": {"dtype": "F32", "shape": [6], "data_offsets": [begin, end]}}


IN_WEIGHTS = r"damaged: weights\.safetensors: .*"


@pytest.mark.parametrize(
    ("member", "content", "message"),
    [
        ("manifest.json", None, "damaged: the member 'manifest.json' is missing"),
        ("code/0.o", None, "damaged: the member 'code/0.o' is missing"),
        ("weights.safetensors", None, "damaged: the member 'weights.safetensors' is missing"),
        ("manifest.json", b"{", "the manifest is not valid JSON"),
        ("manifest.json", b"[" * 100_000, "the manifest is not valid JSON"),
        ("manifest.json", b"[]", "the manifest is not a JSON object"),
        ("manifest.json", b'{"format": 7}', "format 7 is not supported"),
        ("code/0.o", b"\x7fELF", "object 0: not an ELF file"),
        ("weights.safetensors", b"abc", IN_WEIGHTS + "header of .* bytes does not fit"),
        ("weights.safetensors", b"\xff" * 8 + b"{}", IN_WEIGHTS + "header of .* bytes does not fit"),
        ("weights.safetensors", safetensors(b"{"), IN_WEIGHTS + "the header is not valid JSON"),
        ("weights.safetensors", safetensors([]), IN_WEIGHTS + "the header is not a JSON object"),
        ("weights.safetensors", safetensors({}), IN_WEIGHTS + "the weight 'w' is missing"),
        (
            "weights.safetensors",
            safetensors(entry(0, 20)),
            IN_WEIGHTS + "the weight 'w' is missing or has not its 24",
        ),
        ("weights.safetensors", safetensors(entry(4, 28)), IN_WEIGHTS + "tensor 'w' is not inside"),
        ("weights.safetensors", safetensors(entry(-24, 0)), IN_WEIGHTS + "tensor 'w' is not inside"),
        ("weights.safetensors", safetensors(entry(24, 0)), IN_WEIGHTS + "tensor 'w' is not inside"),
        ("weights.safetensors", safetensors(entry("0", 24)), IN_WEIGHTS + "tensor 'w' is not inside"),
        ("weights.safetensors", safetensors({"w": 3}), IN_WEIGHTS + "tensor 'w' is not inside"),
    ],
)
def test_damaged_members(path: Path, member: str, content: bytes | None, message: str) -> None:
    def change(members: dict[str, bytes]) -> None:
        if content is None:
            del members[member]
        else:
            members[member] = content

    rewrite(path, change)
    with pytest.raises(ExecutableError, match=message) as caught:
        load(path)
    assert "model.mlcx" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arena_bytes": -1}, "arena_bytes is -1"),
        ({"arena_bytes": 1 << 60}, "arena_bytes is 1152921504606846976"),
        ({"arena_bytes": True}, "arena_bytes is True"),
        ({"entry": 3}, "'entry' is 3, expected str"),
        ({"inputs": {}}, "'inputs' is {}, expected list"),
        ({"inputs": [3]}, r"inputs\[0\] is 3"),
        ({"inputs": [{"name": "x", "dtype": "float31", "shape": []}]}, "dtype 'float31' is unknown"),
        ({"inputs": [{"name": "x", "dtype": [], "shape": []}]}, r"dtype \[\] is unknown"),
        (
            {"inputs": [{"name": "x", "dtype": "int8", "shape": [-1]}]},
            "a size in shape",
        ),
        ({"inputs": [{"name": "x", "dtype": "int8", "shape": ["n"]}]}, "a size in shape"),
        ({"inputs": [{"name": "x", "dtype": "int8", "shape": [1 << 40, 1 << 40]}]}, "is too large"),
        ({"inputs": [{"name": "x", "dtype": "int8", "shape": []}] * 2}, "inputs has a name twice"),
        ({"target": []}, "'target' is"),
    ],
)
def test_damaged_manifest(path: Path, change: dict[str, Any], message: str) -> None:
    def apply(members: dict[str, bytes]) -> None:
        members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) | change).encode()

    rewrite(path, apply)
    with pytest.raises(ExecutableError, match=message):
        load(path)


def test_compressed_members_are_refused(path: Path) -> None:
    rewrite(path, lambda members: None, zipfile.ZIP_DEFLATED)
    with pytest.raises(ExecutableError, match="is not a stored zip member"):
        load(path)


def test_overlapping_members_are_refused(path: Path) -> None:
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start, first = archive.start_dir, archive.infolist()[0].header_offset
    second = data.index(b"PK\x01\x02", start + 4)
    data[second + 42 : second + 46] = first.to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(ExecutableError, match=r"overlaps|missing"):
        load(path)


def test_wrong_checksum_of_code(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(b"\x7fELF") + 20] ^= 1
    path.write_bytes(data)
    with pytest.raises(ExecutableError, match=r"the checksum of member 'code/0\.o' is wrong"):
        load(path)


def test_files_that_cannot_be_read_or_written(executable: Executable, tmp_path: Path) -> None:
    with pytest.raises(ExecutableError, match=r"nowhere\.mlcx: cannot read: No such file"):
        load(tmp_path / "nowhere.mlcx")
    with pytest.raises(ExecutableError, match="cannot read: "):
        load(tmp_path)
    (tmp_path / "empty.mlcx").touch()
    with pytest.raises(ExecutableError, match=r"empty\.mlcx: the file is empty"):
        load(tmp_path / "empty.mlcx")
    with pytest.raises(ExecutableError, match=r"x\.mlcx: cannot write: No such file"):
        executable.save(tmp_path / "none" / "x.mlcx")


def test_a_full_disk_leaves_no_files(path: Path, tmp_path: Path) -> None:
    script = (
        "import resource, signal, sys\n"
        "from mlc.runtime import ExecutableError, load\n"
        "executable = load(sys.argv[1])\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try:\n"
        "    executable.save(sys.argv[1])\n"
        "except ExecutableError as error:\n"
        "    print(error)\n"
    )
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd="/",
    )
    assert "model.mlcx: cannot write: File too large" in done.stdout
    assert os.listdir(tmp_path) == ["model.mlcx"]
    assert path.read_bytes() == before
