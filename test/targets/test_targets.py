"""Target descriptions: names, the text form, and what is refused."""

import dataclasses

import pytest

from mlc.targets import (
    NAMED,
    GpuTarget,
    Target,
    TargetError,
    base,
    generic,
    named,
    parse_target,
    register_target,
    registered_targets,
)
from mlc.targets.gpus import GPUS
from mlc.targets.processors import PROCESSORS

ARCHITECTURES = ("x86_64", "aarch64", "riscv64")


def test_names_are_of_one_processor_each() -> None:
    assert len(NAMED) == len(PROCESSORS) + len(GPUS)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_processors_without_a_description_are_taken_for_a_described_one(architecture: str) -> None:
    assert generic(f"{architecture}-unknown-linux-gnu").architecture == architecture
    assert generic(f"{architecture}-linux-musl") in NAMED.values()
    assert generic("m68k-linux-gnu").triple == "m68k-linux-gnu"


@pytest.mark.parametrize("name", NAMED)
def test_named_target_survives_its_text(name: str) -> None:
    assert parse_target(str(NAMED[name])) == NAMED[name] == parse_target(name)


def test_every_field_survives_the_text() -> None:
    target = Target("mine", "aarch64-linux-gnu", "apple-m1", ("+sve", "-bf16"), 256, 31, 1, 2, 3, 4)
    assert parse_target(str(target)) == target
    assert not any(c.isspace() for c in str(target))


def test_text_fills_in_from_the_cpu_it_names() -> None:
    target = parse_target("cpu=znver4,features=+avx512bf16:-sse4a,cores=12")
    assert target == dataclasses.replace(NAMED["znver4"], features=("+avx512bf16", "-sse4a"), cores=12)


def test_text_fills_in_from_the_name() -> None:
    target = parse_target("name=riscv64-v256,l2=1048576")
    assert target == dataclasses.replace(NAMED["riscv64-v256"], l2=1 << 20)


def test_text_of_a_gpu_fills_in_from_its_name() -> None:
    target = parse_target("name=cuda:sm_90a,shared-bytes=65536")
    assert isinstance(target, GpuTarget)
    assert (target.cpu, target.shared_bytes, target.block_threads) == ("sm_90a", 65536, 1024)
    with pytest.raises(TargetError, match="'shared-bytes=1': expected one of name, triple"):
        parse_target("name=znver4,shared-bytes=1")


def test_text_of_an_undescribed_cpu_asks_the_given_function() -> None:
    described = Target("odd", cpu="odd", vector_bits=512)
    assert parse_target("cpu=odd,cores=3", lambda cpu: described).vector_bits == 512
    assert parse_target("odd", lambda cpu: described) is described
    assert parse_target("cpu=odd,vector-bits=256", lambda cpu: pytest.fail("asked")).vector_bits == 256


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pentium9", "unknown target 'pentium9'; known are host, .*znver5"),
        ("cuda:sm_8", "unknown target 'cuda:sm_8'; did you mean 'cuda:sm_80'"),
        ("cuda", "did you mean 'cuda:sm_80' or 'cuda:sm_90a'"),
        ("sm_90", "did you mean 'cuda:sm_90a'"),
        ("zen5", "did you mean 'znver5'"),
        ("cpu=znver4,speed=3", "speed=3.*expected one of name, triple, cpu"),
        ("cpu=znver4,l2=big", "l2=big: expected an integer"),
        ("cpu=znver4,cores", "'cores'"),
        ("features=avx2", "'avx2': expected \\+name or -name"),
        ("vector-bits=0", "vector-bits 0"),
        ("vector-registers=0", "vector-registers 0"),
    ],
)
def test_wrong_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(TargetError, match=message):
        parse_target(text)


def test_targets_of_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "_REGISTERED", {})
    mine = dataclasses.replace(
        NAMED["znver5"], name="mine", kernel_pipeline="mine-kernel", libraries=("/lib/a.so", "b.so")
    )
    register_target("mine", lambda: mine)
    assert parse_target("mine") is mine and registered_targets() == ["mine"]
    with pytest.raises(TargetError, match=r"known are host, .*, mine$"):
        parse_target("other")
    for name in ("mine", "znver5"):
        with pytest.raises(ValueError, match=f"target '{name}' is already registered"):
            register_target(name, lambda: mine)
    # Where the plugin is not loaded, the text says all.
    text = str(mine)
    monkeypatch.setattr(named, "_REGISTERED", {})
    assert parse_target(text) == mine


@pytest.mark.parametrize("path", ["a,b.so", "a:b.so", "a b.so"])
def test_paths_of_libraries_must_survive_the_text(path: str) -> None:
    with pytest.raises(TargetError, match="may have no comma, colon or space"):
        Target("mine", libraries=(path,))


def test_targets_are_frozen_and_hashable() -> None:
    target = NAMED["znver5"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        target.cpu = "x"
    assert len({target, parse_target("znver5")}) == 1


def test_with_features_appends() -> None:
    assert NAMED["znver5"].with_features("+a").with_features("-b").features == ("+a", "-b")


def test_architecture_is_the_head_of_the_triple() -> None:
    assert NAMED["znver5"].architecture == "x86_64"


def test_host_comes_from_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_host_provider", None)
    with pytest.raises(TargetError, match=r"import mlc\.codegen\.host"):
        parse_target("host")
    base.set_host_provider(lambda: NAMED["znver5"])
    assert parse_target("host") is NAMED["znver5"] is Target.host()
