"""Features of x86-64 processors: implied ones, and those of targets."""

from __future__ import annotations

import pytest

from mlc.codegen.host_target import host_target
from mlc.runtime.host_features import host_flags
from mlc.targets import NAMED, parse_target
from mlc.targets.features import FEATURES


@pytest.mark.parametrize(
    ("target", "has", "lacks"),
    [
        ("x86-64", "", "sse3 avx2 fma"),
        ("x86-64-v2", "sse4.2 popcnt", "avx fma"),
        ("haswell", "avx2 fma f16c", "avx512f avx512bf16"),
        ("cascadelake", "fma avx512vl", "avx512bf16"),
        ("znver4", "avx512f avx512bf16", "amx-tile"),
        ("cpu=znver4,features=-avx512bf16:+amx-tile", "amx-tile fma", "avx512bf16"),
        ("cpu=x86-64-v3,features=-fma:+fma", "fma", ""),
        ("neoverse-v1", "", "fma avx512bf16"),
        ("cuda:sm_80", "", "fma"),
    ],
)
def test_has(target: str, has: str, lacks: str) -> None:
    found = parse_target(target)
    assert [name for name in has.split() if not found.has(name)] == []
    assert [name for name in lacks.split() if found.has(name)] == []


def test_lines() -> None:
    """Names and flags are unique; processors are described ones."""
    assert (
        len({feature.name for feature in FEATURES})
        == len({feature.flag for feature in FEATURES})
        == len(FEATURES)
    )
    assert {name for feature in FEATURES for name in feature.processors} <= set(NAMED)


def test_the_flags_are_those_of_this_machine() -> None:
    """LLVM, which asks the processor, and Linux agree."""
    flags, host = host_flags(), host_target()
    if not flags or host.architecture != "x86_64":
        pytest.skip("/proc/cpuinfo has no flags of x86-64")
    differing = [feature.name for feature in FEATURES if host.has(feature.name) != (feature.flag in flags)]
    assert not [name for name in differing if not name.startswith("amx")]
