"""Launches that may begin before the preceding ones have ended."""

from typing import Any

import numpy as np
import pytest
from cuda_stub import PTX
from host_code import CODE
from plans import COUNT, IMAGES, WEIGHTS, affine, at, host_calls, launch, plan, pointer

from mlc.runtime.cuda import Program
from mlc.runtime.cuda.plan.launch_overlap import VARIABLE, find_overlaps

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
IMAGES_90 = {"kernels.ptx": PTX.replace(b"sm_80", b"sm_90a")}
FIRST, SECOND = (
    launch(0, pointer(0), pointer(2), pointer(3), COUNT),
    launch(0, pointer(3), pointer(2), pointer(3), COUNT),
)
LAST = launch(0, pointer(3), pointer(2), pointer(1), COUNT)
COPY = {"copy": {"target": at(3, 128), "source": at(3), "nbytes": 32}}
FILL = {"fill": {"target": at(3, 128), "nbytes": 32}}
both = pytest.mark.parametrize("graph", [True, False], ids=["graph", "direct"])


def chain(*steps: Any, streams: int = 1) -> dict[str, Any]:
    """Returns a plan of multiplications by w; kernel 1 is the same as kernel 0, but cannot begin early."""
    plain = {"image": 0, "function": "multiply", "grid": [1, 1, 1], "block": [32, 1, 1]}
    images = [{"name": "kernels.ptx", "architecture": "sm_90a"}]
    kernels = [{**plain, "overlap": True}, plain]
    return {**affine(), "images": images, "kernels": kernels, "steps": list(steps), "streams": streams}


def on(stream: int, step: dict[str, Any]) -> dict[str, Any]:
    return {"launch": {**step["launch"], "stream": stream}}


def plain(step: dict[str, Any]) -> dict[str, Any]:
    return {"launch": {**step["launch"], "kernel": 1}}


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ([FIRST, SECOND, LAST], [0, 1, 1]),
        ([FIRST, COPY, SECOND, LAST], [0, 0, 0, 1]),
        ([FILL, FIRST, LAST], [0, 0, 1]),
        ([FIRST, plain(SECOND), SECOND, LAST], [0, 0, 0, 1]),
        # Each stream has its own order.
        ([FIRST, on(1, FIRST), SECOND, on(1, SECOND)], [0, 0, 1, 1]),
        # What waits, and what is waited for: an event is between the launches.
        ([FIRST, {"wait": {"stream": 0, "other": 1}}, SECOND, LAST], [0, 0, 0, 1]),
        ([FIRST, {"wait": {"stream": 1, "other": 0}}, SECOND, LAST], [0, 0, 0, 1]),
    ],
)
def test_which_may_begin_early(steps: list[Any], wanted: list[int]) -> None:
    made = plan(chain(*steps, streams=2))
    assert find_overlaps(made.steps, made.kernels) == [bool(flag) for flag in wanted]


def test_kernels_of_other_plans_do_not() -> None:
    made = plan(affine())
    assert find_overlaps(made.steps, made.kernels) == [False, False, False]


@both
def test_a_program(stub: Any, graph: bool) -> None:
    """Its graph is updated when tensors move, and keeps the edges."""
    with Program(plan(chain(FIRST, SECOND, COPY, SECOND, LAST)), IMAGES_90, WEIGHTS, graph=graph) as program:
        for scale in (1, 2):
            [y] = program(X * scale, results="device")
            np.testing.assert_array_equal(y.numpy(), X * scale * WEIGHTS["w"].reshape(2, 4) ** 4)
            # The memory of the first stays in use, so that the second has other memory.
            kept = y
        del y, kept
    assert stub.overlaps() == (4, 0)
    assert [line.endswith("early") for line in stub.log().splitlines()] == [False, True, False, True] * 2
    assert stub.calls("cuGraphInstantiateWithFlags") == stub.calls("cuGraphExecUpdate_v2") == int(graph)


@both
def test_two_streams(stub: Any, graph: bool) -> None:
    steps = [on(1, FIRST), on(1, SECOND), {"wait": {"stream": 0, "other": 1}}, SECOND, LAST]
    with Program(plan(chain(*steps, streams=2)), IMAGES_90, WEIGHTS, graph=graph) as program:
        np.testing.assert_array_equal(program(X)[0], X * WEIGHTS["w"].reshape(2, 4) ** 4)
    assert stub.overlaps() == (2, 0)


@both
def test_calls_of_the_processor_are_between(stub: Any, graph: bool) -> None:
    """The first launch after one is the first of its graph."""
    data = host_calls()
    steps = [*data["steps"][:2], FIRST, SECOND, data["steps"][0], SECOND, LAST]
    data = {**chain(*steps), "buffers": data["buffers"], "processor": data["processor"]}
    files = {**IMAGES_90, "code.o": CODE}
    with Program(plan(data), files, WEIGHTS, graph=graph) as program:
        np.testing.assert_array_equal(program(X)[0], X * WEIGHTS["w"].reshape(2, 4) ** 4)
    assert [line.endswith("early") for line in stub.log().splitlines()] == [False, True, False, True]
    assert stub.overlaps() == (2, 0)


@both
@pytest.mark.parametrize("off", ["argument", "variable", "driver"])
def test_turned_off(stub: Any, monkeypatch: pytest.MonkeyPatch, graph: bool, off: str) -> None:
    if off == "variable":
        monkeypatch.setenv(VARIABLE, "0")
    if off == "driver":
        monkeypatch.setenv("MLC_STUB_VERSION", "12020")
    made = plan(chain(FIRST, SECOND, LAST))
    with Program(made, IMAGES_90, WEIGHTS, graph=graph, overlap=off != "argument") as program:
        np.testing.assert_array_equal(program(X)[0], X * WEIGHTS["w"].reshape(2, 4) ** 3)
    assert stub.overlaps() == (0, 0)


def test_the_stub_counts_overlaps_after_no_launch(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the tests above mean something."""
    monkeypatch.setattr(
        "mlc.runtime.cuda.execution.prepared_steps.find_overlaps", lambda steps, _: [True] * len(steps)
    )
    with Program(plan(affine()), IMAGES, WEIGHTS) as program:
        program(X)
    assert stub.overlaps() == (2, 1)
