"""The GPUs that there is code for threads of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.passes.accel.distribution.architectures import ARCHITECTURES, architecture_of
from mlc.passes.base import PassError
from mlc.passes.common.target import ATTRIBUTE
from mlc.targets import NAMED, GpuTarget, named, parse_target, register_target

GPUS = [target for target in NAMED.values() if isinstance(target, GpuTarget)]


def module(target: str) -> ir.Operation:
    return ir.Module.parse(f'module attributes {{{ATTRIBUTE} = "{target}"}} {{}}').operation


@pytest.mark.parametrize("target", GPUS, ids=lambda target: target.name)
def test_each_gpu_has_an_architecture(target: GpuTarget) -> None:
    with create_context(), ir.Location.unknown():
        architecture = architecture_of(module(target.name))
        assert architecture is ARCHITECTURES[target.cpu] is architecture_of(module(str(target)))
        assert architecture.shared_limit == target.shared_bytes
        assert architecture.clusters == target.clusters


def test_a_gpu_of_a_plugin_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "_REGISTERED", {})
    other = replace(parse_target("cuda:sm_80"), name="cuda:sm_75", cpu="sm_75")
    register_target("cuda:sm_75", lambda: other)
    expected = "no code for threads of cuda:sm_75, LLVM's sm_75; there is for sm_80, sm_90a, gfx90a, gfx942"
    with create_context(), ir.Location.unknown(), pytest.raises(PassError, match=expected):
        architecture_of(module("cuda:sm_75"))
