"""Plans of GPU programs: kernels of several launches, offsets, copies, and operands that kernels refuse."""

from __future__ import annotations

from dataclasses import replace

from mlc.codegen.ptxas import KernelResources, PtxasReport
from mlc.compiler.device.kernel import DeviceKernel, KernelLaunch
from mlc.compiler.device.plan import program_plan
from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.host_program.step_list import COPY, BufferRegion, HostStep, StepList
from mlc.runtime.cuda import Plan, TensorMapSpec
from mlc.runtime.cuda.plan.parts import (
    ArenaBuffer,
    BufferOffset,
    CopyStep,
    LaunchStep,
    PlanKernel,
    PointerParameter,
    ScalarParameter,
    TensorMapParameter,
)

X, Y = TensorInfo("float32", (4, 8)), TensorInfo("float32", (8, 8))
NAMES = {"input": ["x"], "output": ["y"], "weight": ["w0"]}
MAP = TensorMapSpec("float32", (8, 4), (32,), (8, 4))


def host() -> HostFunction:
    """Arguments: x, y, one weight, the arena."""
    return HostFunction("main", "", (X,), (Y,), (X,), (0,), 256, 256, "size", ("twice", "one"))


def kernels() -> dict[str, DeviceKernel]:
    first = KernelLaunch(
        PlanKernel(0, "twice_0", (2, 1, 1), (128, 1, 1), shared_bytes=64, overlap=True),
        (TensorMapParameter(BufferOffset(0), MAP), PointerParameter(1), ScalarParameter("i32", 7)),
    )
    second = KernelLaunch(PlanKernel(0, "twice_1", (1, 1, 1), (64, 1, 1)), (PointerParameter(1, 16),))
    report = PtxasReport((KernelResources("one_0", "sm_90a", 40, 1, 0, 0, 8, 8),), ("a warning",))
    other = KernelLaunch(PlanKernel(0, "one_0", (1, 1, 1), (32, 1, 1)), (PointerParameter(0),))
    return {
        "twice": DeviceKernel((first, second), b"PTX of twice"),
        "one": DeviceKernel((other,), b"\x7fELF", "cubin", report),
    }


def region(argument: int, offset: int = 0) -> BufferRegion:
    return BufferRegion(argument, offset, "float32", (4, 8))


def plan_of(*steps: HostStep) -> Plan:
    return program_plan("sm_90a", host(), StepList(steps), kernels(), NAMES)


def test_steps_launch_on_the_buffers_of_the_program() -> None:
    plan = plan_of(
        HostStep("one", (region(2),)),
        HostStep("twice", (region(0), region(3, 128))),
        HostStep(COPY, (region(3, 128), region(1, 128))),
    )
    assert [image.name for image in plan.images] == ["twice.ptx", "one.cubin"]
    assert [(kernel.function, kernel.image) for kernel in plan.kernels] == [
        ("twice_0", 0),
        ("twice_1", 0),
        ("one_0", 1),
    ]
    assert [kernel.overlap for kernel in plan.kernels] == [True, False, False]
    assert plan.to_json()["steps"] == [
        {"launch": {"kernel": 2, "parameters": [{"pointer": {"buffer": 2}}]}},
        {
            "launch": {
                "kernel": 0,
                "parameters": [
                    {"tensor_map": {"address": {"buffer": 0}, "map": MAPPED}},
                    {"pointer": {"buffer": 3, "offset": 128}},
                    {"scalar": {"type": "i32", "value": 7}},
                ],
            }
        },
        {"launch": {"kernel": 1, "parameters": [{"pointer": {"buffer": 3, "offset": 144}}]}},
        {
            "copy": {
                "target": {"buffer": 1, "offset": 128},
                "source": {"buffer": 3, "offset": 128},
                "nbytes": 128,
            }
        },
    ]
    assert Plan.from_json(plan.to_json()) == plan


MAPPED = {"dtype": "float32", "dims": [8, 4], "strides": [32], "box": [8, 4]}


def test_parts_of_tensors_that_begin_anywhere_are_copied() -> None:
    """Kernels access 16 bytes at once. Results are copied back; all such copies share memory after the
    arena."""
    ones = [HostStep("one", (region(3, offset),)) for offset in (4, 32)]
    plan = plan_of(HostStep("twice", (region(1, 8), region(3, 20))), *ones)
    assert plan.buffers[3] == ArenaBuffer(256 + 2 * 128)
    copies = [(at, step) for at, step in enumerate(plan.steps) if isinstance(step, CopyStep)]
    assert copies == [
        (0, CopyStep(BufferOffset(3, 256), BufferOffset(1, 8), 128)),
        (3, CopyStep(BufferOffset(3, 20), BufferOffset(3, 384), 128)),
        (5, CopyStep(BufferOffset(3, 4), BufferOffset(3, 256), 128)),
    ]
    launches = [step for step in plan.steps if isinstance(step, LaunchStep)]
    assert [launch.parameters[-1] for launch in launches[1:]] == [
        PointerParameter(3, 400),
        PointerParameter(3, 256),
        PointerParameter(3, 32),
    ]


def test_kernels_survive_their_bytes() -> None:
    for kernel in kernels().values():
        assert DeviceKernel.from_bytes(kernel.to_bytes()) == kernel


def test_resources_are_those_of_the_functions() -> None:
    twice, one = kernels().values()
    assert [resource["dynamic_shared_bytes"] for resource in twice.resources()] == [64, 0]
    assert "registers" not in twice.resources()[0]
    assert (one.resources()[0]["registers"], one.warnings) == (40, ("a warning",))


def test_workspaces_come_after_the_arena() -> None:
    """All kernels share one workspace, of the size of the largest."""
    launch = KernelLaunch(
        PlanKernel(0, "sum_0", (2, 1, 1), (128, 1, 1)), (PointerParameter(0), PointerParameter(1, 128))
    )
    given = {
        name: DeviceKernel((launch,), b"", workspace_bytes=size) for name, size in (("a", 256), ("b", 640))
    }
    steps = StepList((HostStep("a", (region(0),)), HostStep("b", (region(3, 128),))))
    plan = program_plan("sm_90a", replace(host(), arena_bytes=200), steps, given, NAMES)
    assert plan.buffers[3] == ArenaBuffer(256 + 640)
    part = PointerParameter(3, 256 + 128)
    assert plan.steps == (
        LaunchStep(0, (PointerParameter(0), part)),
        LaunchStep(1, (PointerParameter(3, 128), part)),
    )
