"""The disk cache: what it returns, what it survives, and its size."""

import errno
import fcntl
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mlc.codegen.cache as cache_module
from mlc.codegen.cache import DEFAULT_SIZE, Cache, default_root, default_size
from mlc.codegen.version import _source_lines, compiler_version

WAIT = 60


def make(root: Path, size: int = 1 << 20, warnings: list[str] | None = None) -> Cache:
    return Cache(root, size, version="test", warn=(warnings if warnings is not None else []).append)


def entries(root: Path) -> list[Path]:
    return [path for path in (root / "entries").rglob("*") if path.is_file()]


def total(root: Path) -> int:
    return sum(path.stat().st_size for path in entries(root))


@pytest.mark.parametrize("value", [b"", b"x", bytes(range(256)) * 100])
def test_value_comes_back_also_in_another_cache_object(tmp_path: Path, value: bytes) -> None:
    cache = make(tmp_path)
    key = cache.key("kernel", value)
    assert cache.get(key) is None
    cache.put(key, value)
    assert cache.get(key) == value == make(tmp_path).get(key)
    cache.put(key, value + b"new")
    assert cache.get(key) == value + b"new"


def test_keys_differ_by_parts_and_versions(tmp_path: Path) -> None:
    cache = make(tmp_path)
    other = Cache(tmp_path, version="other")
    parts = [("ab", "c"), ("a", "bc"), ("abc",), (b"ab", "c"), ("ab", "c", ""), ()]
    keys = [cache.key(*p) for p in parts] + [other.key("ab", "c")]
    assert len(set(keys)) == len(keys)
    assert cache.key("ab", "c") == make(tmp_path / "elsewhere").key("ab", "c")
    assert all(len(key) == 40 for key in keys)


def test_format_is_part_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = make(tmp_path).key("x")
    monkeypatch.setattr(cache_module, "FORMAT", 99)
    assert make(tmp_path).key("x") != before


def test_default_version_names_what_compiles(tmp_path: Path) -> None:
    version = compiler_version()
    for name in ("mlc-compiler ", "torch-mlir ", "llvmlite ", "sources "):
        assert name in version
    assert Cache(tmp_path).key("x") == Cache(tmp_path, version=version).key("x")


def test_version_depends_on_modules_and_tables() -> None:
    files = {line.split()[0] for line in _source_lines()}
    assert {"codegen/version.py", "targets/x86_features.tsv"} <= files


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "extend", "header", "rename"])
def test_damaged_entry_is_deleted_and_a_miss(tmp_path: Path, damage: str) -> None:
    cache = make(tmp_path)
    key = cache.key("x")
    cache.put(key, b"value" * 100)
    (path,) = entries(tmp_path)
    data = path.read_bytes()
    if damage == "rename":
        other = cache.key("y")
        target = tmp_path / "entries" / other[:2] / other
        target.parent.mkdir(exist_ok=True)
        key, path = other, path.rename(target)
    else:
        path.write_bytes(
            {
                "truncate": data[:-1],
                "flip": data[:-1] + bytes([data[-1] ^ 1]),
                "empty": b"",
                "extend": data + b"\0",
                "header": b"\0" + data[1:],
            }[damage]
        )
    assert cache.get(key) is None
    assert not path.exists()
    cache.put(key, b"again")
    assert cache.get(key) == b"again"


def test_damaged_entry_that_cannot_be_deleted_is_a_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = make(tmp_path)
    cache.put(cache.key("x"), b"value")
    entries(tmp_path)[0].write_bytes(b"rubbish that is long enough to be an entry")

    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, "no", path)

    monkeypatch.setattr(Path, "unlink", refuse)
    assert cache.get(cache.key("x")) is None


def test_least_recently_used_entries_go(tmp_path: Path) -> None:
    cache = make(tmp_path, size=100_000)
    keys = [cache.key(str(i)) for i in range(200)]
    start = time.time() - 10_000
    for i, key in enumerate(keys):
        cache.put(key, bytes(1000))
        path = tmp_path / "entries" / key[:2] / key
        if path.exists():
            os.utime(path, (start + i, start + i))
        cache.get(keys[0])  # stays in use
    assert total(tmp_path) <= 100_000 * 33 / 32 + 1100
    kept = [i for i, key in enumerate(keys) if make(tmp_path).get(key) is not None]
    assert kept[0] == 0
    assert kept[1:] == list(range(kept[1], 200)) and len(kept) > 80


def test_one_process_prunes_at_a_time(tmp_path: Path) -> None:
    cache = make(tmp_path, size=20_000)
    cache.put(cache.key("first"), b"")
    with open(tmp_path / "prune.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        for i in range(50):
            cache.put(cache.key(str(i)), bytes(1000))
    assert total(tmp_path) > 50_000
    cache.put(cache.key("last"), bytes(1000))
    assert total(tmp_path) <= 20_000


def test_value_near_the_bound_is_not_kept(tmp_path: Path) -> None:
    warnings: list[str] = []
    cache = make(tmp_path, 4000, warnings)
    cache.put(cache.key("small"), bytes(900))
    cache.put(cache.key("large"), bytes(1001))
    assert (cache.get(cache.key("small")), cache.get(cache.key("large"))) == (bytes(900), None)
    assert warnings == []


def test_stale_temporary_files_are_swept_and_fresh_ones_stay(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    stale, fresh = folder / "1-stale", folder / "1-fresh"
    stale.touch()
    fresh.touch()
    os.utime(stale, (1, time.time() - 7200))
    make(tmp_path).put("00aa", b"x")
    assert not stale.exists()
    assert fresh.exists()


def test_unwritable_root_costs_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    warnings: list[str] = []
    cache = make(tmp_path / "file" / "cache", warnings=warnings)
    for name in "abc":
        cache.put(cache.key(name), b"x")
        assert cache.get(cache.key(name)) is None
    assert len(warnings) == 1
    assert str(tmp_path / "file" / "cache") in warnings[0] and "Not a directory" in warnings[0]


def test_full_disk_costs_one_warning_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    cache = make(tmp_path, warnings=warnings)

    def full(source: object, target: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        cache.put(cache.key("a"), b"x")
        cache.put(cache.key("b"), b"x")
    assert len(warnings) == 1 and "No space left" in warnings[0]
    assert list((tmp_path / "temporary").iterdir()) == []
    cache.put(cache.key("a"), b"y")
    assert cache.get(cache.key("a")) == b"y"


def test_new_root_is_private(tmp_path: Path) -> None:
    cache = make(tmp_path / "new")
    cache.put(cache.key("x"), b"x")
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0


def test_root_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", "/one")
    monkeypatch.setenv("XDG_CACHE_HOME", "/two")
    monkeypatch.setenv("HOME", "/home/three")
    assert default_root() == Path("/one")
    monkeypatch.delenv("MLC_CACHE_DIR")
    assert default_root() == Path("/two/mlc")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_root() == Path("/home/three/.cache/mlc")


def test_user_without_a_home_costs_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(uid: int) -> None:
        raise KeyError(uid)

    for name in ("MLC_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    warnings: list[str] = []
    cache = Cache(warn=warnings.append)
    key = cache.key("x")
    assert cache.get(key) is None
    cache.put(key, b"x")
    cache.put(key, b"x")
    assert len(warnings) == 1 and "cannot be written" in warnings[0]


@pytest.mark.parametrize(
    ("text", "size", "warns"),
    [("", DEFAULT_SIZE, 0), ("1000", 1000, 0), ("3K", 3072, 0), ("2g", 2 << 30, 0), ("big", DEFAULT_SIZE, 1)],
)
def test_size_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, text: str, size: int, warns: int
) -> None:
    monkeypatch.setenv("MLC_CACHE_SIZE", text)
    warnings: list[str] = []
    assert default_size(warnings.append) == size
    assert len(warnings) == warns


# Writes and reads the same few keys; exits with 1 when a value is not one that was written for its key.
WRITER = """
import hashlib, random, sys
from mlc.codegen.cache import Cache
root, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random = random.Random(seed)
cache = Cache(root, 300_000, version="test", warn=lambda text: sys.exit(text))
print("ready", flush=True)
for i in range(rounds):
    name = str(random.randrange(60))
    key = cache.key(name)
    value = cache.get(key)
    if value is not None and value[:32] != hashlib.sha256(name.encode() + value[32:]).digest():
        sys.exit(f"wrong value for {name}")
    body = random.randbytes(random.randrange(20_000))
    cache.put(key, hashlib.sha256(name.encode() + body).digest() + body)
"""


def start_writers(root: Path, count: int, rounds: int) -> list[subprocess.Popen]:
    return [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, root, str(seed), str(rounds)], stdout=subprocess.PIPE, text=True
        )
        for seed in range(count)
    ]


def finish(process: subprocess.Popen) -> int:
    process.communicate(timeout=WAIT)
    return process.returncode


def test_concurrent_writers_never_see_a_wrong_value(tmp_path: Path) -> None:
    assert [finish(writer) for writer in start_writers(tmp_path, 4, 400)] == [0, 0, 0, 0]
    assert list((tmp_path / "temporary").iterdir()) == []
    assert 0 < total(tmp_path) <= 300_000 * (1 + 4 / 32) + 4 * 20_100


def test_killed_writers_leave_a_sound_cache(tmp_path: Path) -> None:
    chance = random.Random(0)
    for _ in range(3):
        writers = start_writers(tmp_path, 3, 10**6)
        for writer in writers:
            assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.02, 0.2))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        assert [finish(writer) for writer in writers] == [-signal.SIGKILL] * 3
    cache = make(tmp_path, 300_000)
    assert entries(tmp_path)
    for path in entries(tmp_path):
        assert cache.get(path.name) is not None
    assert [finish(writer) for writer in start_writers(tmp_path, 1, 200)] == [0]
