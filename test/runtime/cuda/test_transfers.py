"""Transfers beside kernels in a plan: streams, the order of the driver's calls, results on the stub."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cuda_stub import PTX

from mlc.compiler.device.kernel import DeviceKernel, KernelLaunch
from mlc.compiler.device.plan import program_plan, transfer_streams
from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.host_program.step_list import COPY, WAIT, BufferRegion, HostStep, StepList
from mlc.runtime.cuda import Device, Plan, Program
from mlc.runtime.cuda.plan.checks import MAX_STREAMS
from mlc.runtime.cuda.plan.parts import (
    CopyStep,
    PlanKernel,
    PlanParameter,
    PointerParameter,
    ScalarParameter,
    WaitStep,
)

COUNT = 64
INFO = TensorInfo("float32", (COUNT,))
RNG = np.random.default_rng(0)
X, W = (RNG.normal(size=COUNT).astype(np.float32) for _ in "xw")
# Arguments: inputs, outputs, weights, the arena.
INPUT, Y, Z, WEIGHT, ARENA = range(5)


def region(argument: int, offset: int = 0) -> BufferRegion:
    return BufferRegion(argument, offset, "float32", (COUNT,))


MOVED, SQUARE, PRODUCT = (region(ARENA, 256 * i) for i in range(3))


def launch(a: BufferRegion, b: BufferRegion, result: BufferRegion) -> HostStep:
    return HostStep("multiply", (a, b, result))


# The weight is transferred while x is squared, the result while z = x * y is computed.
STEPS = (
    HostStep(COPY, (region(WEIGHT), MOVED), 0),
    launch(region(INPUT), region(INPUT), SQUARE),
    HostStep(WAIT, (), 0),
    launch(SQUARE, MOVED, PRODUCT),
    HostStep(COPY, (PRODUCT, region(Y)), 1),
    launch(region(INPUT), PRODUCT, region(Z)),
    HostStep(WAIT, (), 1),
)


def make_plan(*steps: HostStep) -> Plan:
    pointers = [PointerParameter(buffer) for buffer in range(3)]
    parameters: tuple[PlanParameter, ...] = (*pointers, ScalarParameter("i32", COUNT))
    kernel = KernelLaunch(PlanKernel(0, "multiply", (1, 1, 1), (32, 1, 1)), parameters)
    names = {"input": ["x"], "output": ["y", "z"], "weight": ["w"]}
    host = HostFunction("main", "", (INFO,), (INFO, INFO), (INFO,), (0,), 768, 768, "size", ("multiply",))
    return program_plan("sm_80", host, StepList(steps), {"multiply": DeviceKernel((kernel,), PTX)}, names)


def program(plan: Plan, graph: bool) -> Program:
    return Program(plan, {"multiply.ptx": PTX}, {"w": W}, graph=graph)


def test_transfers_have_a_separate_stream() -> None:
    plan = make_plan(*STEPS)
    found = [(type(step).__name__, step.stream, getattr(step, "other", None)) for step in plan.steps]
    assert found == [
        ("WaitStep", 1, 0),
        ("CopyStep", 1, None),
        ("LaunchStep", 0, None),
        ("WaitStep", 0, 1),
        ("LaunchStep", 0, None),
        ("WaitStep", 1, 0),
        ("CopyStep", 1, None),
        ("LaunchStep", 0, None),
        ("WaitStep", 0, 1),
    ]
    assert plan.streams == 2


def test_transfers_in_flight_together_have_separate_streams() -> None:
    started = [HostStep(COPY, (), i) for i in range(3)]
    again = [HostStep(WAIT, (), 1), HostStep(COPY, (), 3)]
    assert transfer_streams([*started, *again]) == {None: 0, 0: 1, 1: 2, 2: 3, 3: 2}
    many = transfer_streams([HostStep(COPY, (), i) for i in range(2 * MAX_STREAMS)])
    assert max(many.values()) == MAX_STREAMS - 1


@pytest.mark.parametrize("graph", [True, False], ids=["graph", "direct"])
def test_results(graph: bool, stub: Any) -> None:
    with program(make_plan(*STEPS), graph) as ready:
        for scale in (1, 2):
            x = X * np.float32(scale)
            y, z = ready(x)
            np.testing.assert_array_equal(y, x * x * W)
            np.testing.assert_array_equal(z, x * y)


def test_without_its_waits_the_results_are_wrong(stub: Any) -> None:
    """The stub does everything as late as it may: so the test above means something."""
    plan = make_plan(*STEPS)
    broken = replace(plan, steps=tuple(step for step in plan.steps if step != WaitStep(0, 1)))
    with program(broken, graph=False) as ready:
        y, _ = ready(X)
        assert not np.array_equal(y, X * X * W)


def test_the_order_of_the_calls(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels of the first stream are launched between the start of a transfer and the wait for it."""
    calls: list[tuple[str, int]] = []
    # The position of the stream in the call.
    positions = {"cuEventRecord": 1, "cuStreamWaitEvent": 0, "cuMemcpyDtoDAsync_v2": 3, "cuLaunchKernel": 8}
    call = Device.call

    def record(self: Device, name: str, *arguments: Any, **rest: Any) -> int:
        if name in positions:
            calls.append((name, arguments[positions[name]]))
        return call(self, name, *arguments, **rest)

    with program(make_plan(*STEPS), graph=False) as ready:
        monkeypatch.setattr(Device, "call", record)
        ready(X)
        main, beside = (stream.handle for stream in ready._streams)
    names = {main: 0, beside: 1}
    fork = [("cuEventRecord", 0), ("cuStreamWaitEvent", 1)]
    join = [("cuEventRecord", 1), ("cuStreamWaitEvent", 0)]
    copied, launched = [("cuMemcpyDtoDAsync_v2", 1)], [("cuLaunchKernel", 0)]
    transfer = fork + copied + launched + join
    assert [(name, names[stream]) for name, stream in calls] == fork + transfer + launched + transfer + join


def test_a_copy_that_is_waited_for_at_once_stays_on_the_stream_of_the_kernels() -> None:
    [copy] = make_plan(HostStep(COPY, (region(INPUT), region(Y)))).steps
    assert isinstance(copy, CopyStep) and copy.stream == 0
