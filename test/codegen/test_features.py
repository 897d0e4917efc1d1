"""Features of x86-64 processors: implied ones, and those of targets."""

from __future__ import annotations

import re
from functools import cache

import pytest

from mlc.codegen import llvm_features
from mlc.codegen.host_target import host_target, resolve_target
from mlc.runtime.host_features import host_has
from mlc.targets import TargetError, parse_target
from mlc.targets.features import FEATURE_NAMES, FEATURES, TABLE, UNCHECKED
from mlc.targets.processors import X86

listed = cache(llvm_features.names_in_llvm)


@pytest.mark.parametrize(
    ("target", "has", "lacks"),
    [
        ("x86-64", "", "sse3 avx2 fma"),
        ("x86-64-v2", "sse4.2 popcnt", "avx fma"),
        ("haswell", "avx2 fma f16c", "avx512f avx512bf16"),
        ("cascadelake", "fma avx512vl avx512vnni", "avx512bf16"),
        ("graniterapids", "avx512fp16 amx-int8 amx-fp16", "amx-complex avx10.1"),
        ("znver4", "avx512f avx512bf16", "amx-tile"),
        ("cpu=znver4,features=-avx512bf16:+amx-tile", "amx-tile fma", "avx512bf16"),
        ("cpu=x86-64-v3,features=-fma:+fma", "fma", ""),
        ("cpu=x86-64,features=+avx512fp16", "avx512fp16 avx512bw avx512f fma avx2", "avx512vl bmi"),
        ("cpu=znver4,features=-avx512f", "avx2 fma gfni", "avx512f avx512bf16 avx512vnni"),
        ("cpu=znver4,features=-avx2:+avx2", "avx2 fma", "avx512f"),
        ("neoverse-v1", "", "fma avx512bf16"),
        ("cuda:sm_80", "", "fma"),
    ],
)
def test_has(target: str, has: str, lacks: str) -> None:
    found = parse_target(target)
    assert [name for name in has.split() if not found.has(name)] == []
    assert [name for name in lacks.split() if found.has(name)] == []


def test_lines() -> None:
    """Names are unique, those of APX alone share a bit, and no check is of the form that finds nothing."""
    names = [feature.name for feature in FEATURES]
    assert len(set(names)) == len(names) and not UNCHECKED & set(names)
    bits: dict[str, list[str]] = {}
    for feature in FEATURES:
        bits.setdefault(feature.cpuid, []).append(feature.name)
        assert re.fullmatch(r"[0-9a-f]+\.[01]\.e[a-d]x\.(\d|[12]\d|3[01])", feature.cpuid)
    assert [names for names in bits.values() if len(names) > 1] == [
        ["ccmp", "cf", "egpr", "ndd", "nf", "ppx", "push2pop2", "zu"]
    ]


@pytest.mark.parametrize("cpu", [target.cpu for target in X86])
def test_a_processor_has_the_features_that_llvm_uses(cpu: str) -> None:
    """The features that LLVM has for its name are checked, or are known to need no check."""
    _, every = listed()
    other = [name for name in every if name not in {feature.name for feature in FEATURES} | UNCHECKED]
    found, base = llvm_features.features([cpu, "x86-64"], every)
    assert found & FEATURE_NAMES == {name for name in FEATURE_NAMES if parse_target(cpu).has(name)}
    assert found & set(other) == base & set(other)


@pytest.mark.slow
def test_the_table_is_current() -> None:
    """If this fails, run `python -P -m mlc.codegen.llvm_features`."""
    assert llvm_features.table() == TABLE.read_text(encoding="utf-8")


def test_an_unknown_feature_is_refused() -> None:
    with pytest.raises(TargetError, match=r"unknown target feature '\+avx13' for x86_64"):
        resolve_target("cpu=znver4,features=+avx2:+avx13")


def test_the_checks_are_those_of_this_machine() -> None:
    """LLVM and the runtime, which both ask the processor, agree."""
    host = host_target()
    if host.architecture != "x86_64":
        pytest.skip("this machine is no x86-64 one")
    assert [feature.name for feature in FEATURES if host.has(feature.name) != host_has(feature.check)] == []


@pytest.mark.parametrize(
    "check", ["", "sse3", "sse3=", "sse3=1.0.ecx.32:0", "sse3=1.0.efx.0:0", "sse3=1.0.ecx.0"]
)
def test_what_is_no_check_is_not_met(check: str) -> None:
    assert not host_has(check)
