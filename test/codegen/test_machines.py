"""Processors of any triple, and the GPUs."""

import pytest

from mlc.codegen.triples import chosen_target, gpu_target, machine_target
from mlc.passes.common.target import has_fma
from mlc.targets import NAMED, TargetError


@pytest.mark.parametrize(
    ("triple", "cpu", "features", "message"),
    [
        ("pdp11", "", "", "unknown target triple 'pdp11'"),
        ("aarch64", "zork", "", "unknown target cpu 'zork' for aarch64"),
        ("aarch64", "", "+zork", "unknown target feature '\\+zork' for aarch64"),
        ("riscv64", "generic-rv32", "", "RV64 target requires an RV64 CPU"),
        ("x86_64", "i386", "", "'i386' is no 64-bit processor"),
        ("x86_64-linux-gnu", "neoverse-v1", "", "'neoverse-v1'"),
        ("aarch64-linux-gnu", "znver4", "", "unknown target cpu 'znver4' for aarch64-linux-gnu"),
    ],
)
def test_what_llvm_cannot_compile_for_is_refused(triple: str, cpu: str, features: str, message: str) -> None:
    with pytest.raises(TargetError, match=message):
        machine_target(triple, cpu, features)


def test_described_processors_keep_their_vectors_under_another_triple() -> None:
    target = machine_target("x86_64-pc-windows-msvc", "znver4", "-avx512bf16")
    assert (target.vector_bits, target.features) == (512, ("-avx512bf16",))


@pytest.mark.parametrize("name", [name for name, target in NAMED.items() if target.architecture != "x86_64"])
def test_llvm_knows_the_described_processors(name: str) -> None:
    described = NAMED[name]
    assert machine_target(described.triple, name) == described == chosen_target(cpu=name)


def test_other_processors_have_the_vectors_of_their_machine() -> None:
    target = machine_target("aarch64-linux-gnu", "cortex-x3", "+sve2")
    assert (target.vector_bits, target.vector_registers, has_fma(target)) == (128, 32, True)
    assert (target.cpu, target.features) == ("cortex-x3", ("+sve2",))
    assert machine_target("riscv64-linux-gnu", "sifive-u74").vector_bits == 32
    assert machine_target("riscv64-linux-gnu").features == NAMED["riscv64"].features


def test_features_without_a_triple_are_added_and_checked() -> None:
    assert chosen_target(cpu="znver4", features="+avx512fp16").features == ("+avx512fp16",)
    assert chosen_target() == chosen_target(cpu="host")
    with pytest.raises(TargetError, match="unknown target feature '\\+zork'"):
        chosen_target(cpu="znver4", features="+zork")


def test_ptx_version_is_raised_only_where_it_is_not_given_or_too_old() -> None:
    assert gpu_target("nvptx", "sm_90a").features == ("+ptx84",)
    assert gpu_target("nvptx", "sm_90a", "+ptx86").features == ("+ptx86",)
    assert gpu_target("nvptx", "sm_100").features == ()
    assert gpu_target("amdgpu", "gfx942").features == ()


@pytest.mark.parametrize(("backend", "arch"), [("nvptx", "gfx942"), ("nvptx", "sm_9"), ("amdgpu", "sm_90")])
def test_unknown_gpus_are_refused(backend: str, arch: str) -> None:
    with pytest.raises(TargetError, match=f"unknown .*'{arch}'"):
        gpu_target(backend, arch)
