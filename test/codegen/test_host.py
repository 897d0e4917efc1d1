"""The description of this machine, and LLVM's processor names."""

import os
from pathlib import Path

import pytest

from mlc.codegen.emit import emit
from mlc.codegen.host_target import _cache_sizes, host_target, resolve_target
from mlc.targets import Target, TargetError, parse_target


def test_host_survives_its_text() -> None:
    host = host_target()
    assert parse_target(str(host)) == host == Target.host() == resolve_target("host")
    assert host.cores == len(os.sched_getaffinity(0))


def test_host_compiles_without_a_complaint_from_llvm(capfd: pytest.CaptureFixture[str]) -> None:
    emit("define void @f() { ret void }", host_target())
    assert capfd.readouterr().err == ""


def test_cache_sizes_are_read_from_sysfs(tmp_path: Path) -> None:
    entries = [
        ("1", "Data", "48K"),
        ("1", "Instruction", "64K"),
        ("2", "Unified", "2048K"),
        ("3", "Unified", "32M"),
    ]
    for i, entry in enumerate(entries):
        folder = tmp_path / f"index{i}"
        folder.mkdir()
        for name, value in zip(("level", "type", "size"), entry, strict=True):
            (folder / name).write_text(value + "\n")
    (tmp_path / "index9").mkdir()
    assert _cache_sizes(tmp_path) == {"l1d": 48 << 10, "l2": 2 << 20, "l3": 32 << 20}
    assert _cache_sizes(tmp_path / "absent") == {}


@pytest.mark.parametrize("cpu", ["i386", "pentium4"])
def test_processors_without_64_bit_mode_are_refused(cpu: str) -> None:
    with pytest.raises(TargetError, match=f"'{cpu}' is no 64-bit processor"):
        resolve_target(cpu)


@pytest.mark.parametrize(("cpu", "bits", "fma"), [("goldmont", 128, False), ("lunarlake", 256, True)])
def test_undescribed_processor_is_probed(cpu: str, bits: int, fma: bool) -> None:
    target = resolve_target(f"cpu={cpu},cores=4")
    assert (target.cpu, target.vector_bits, target.has("fma"), target.cores) == (cpu, bits, fma, 4)
    assert resolve_target(cpu).vector_bits == bits


@pytest.mark.parametrize("text", ["pentium9", "cpu=pentium9"])
def test_processor_unknown_to_llvm_is_refused(text: str) -> None:
    with pytest.raises(TargetError, match="'pentium9'"):
        resolve_target(text)
