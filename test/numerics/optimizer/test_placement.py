"""Models whose parts run on two devices, the second one being thread blocks on the processor."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompileError, Options, compile_program, worker_pool
from mlc.compiler.levels import units_of
from mlc.pipelines.pass_error import PassRunError

TOLERANCE = 1e-5
# Biases of more than 1 KiB are no constants inside kernels, which blocks do not take yet.
WIDTH = 320


def model() -> onnx.ModelProto:
    """Two products with bias, an activation each, a residual around the second one, softmax."""
    random = np.random.default_rng(0)
    shapes = {"w0": (24, WIDTH), "b0": (WIDTH,), "w1": (WIDTH, WIDTH), "b1": (WIDTH,)}
    weights = [
        numpy_helper.from_array((random.standard_normal(shape) / 5).astype(np.float32), name)
        for name, shape in shapes.items()
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["p0"], name="first"),
        helper.make_node("Add", ["p0", "b0"], ["s0"], name="bias"),
        helper.make_node("Relu", ["s0"], ["r0"], name="activation"),
        helper.make_node("MatMul", ["r0", "w1"], ["p1"], name="second"),
        helper.make_node("Add", ["p1", "b1"], ["s1"]),
        helper.make_node("Add", ["s1", "r0"], ["t1"], name="residual"),
        helper.make_node("Softmax", ["t1"], ["y"], axis=1, name="end"),
    ]
    graph = helper.make_graph(
        nodes,
        "placed",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (12, 24))],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, (12, WIDTH)) for name in ("y", "r0")],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with worker_pool(1) as workers:
        yield workers


def options(placement: str, pool: WorkerPool) -> Options:
    return Options(replace_passes={"graph-place": f"graph-place{{{placement}}}"}, cache=False, pool=pool)


# What is placed -> which kernels, in the order of the program, run on the second device. Weights are packed.
PLACEMENTS = {
    "nodes=first": [True, False, False, False],
    "nodes=second,end": [False, True, False, True],
    "nodes=end": [False, False, True],
    "ops=matmul": [True, False, True, False, False],
    "ops=add,relu,softmax": [False, True, False, True, True],
}


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_placed_parts(placement: str, pool: WorkerPool) -> None:
    """On one thread transfers are done when they are waited for, on two beside the kernels."""
    chosen = options(placement, pool)
    main = units_of(model(), chosen)["main"]
    assert [main.pipeline(name) == "accel-kernel,accel-cpu" for name in main.kernels] == PLACEMENTS[placement]
    x = np.random.default_rng(1).standard_normal((12, 24)).astype(np.float32)
    session = onnxruntime.InferenceSession(model().SerializeToString(), providers=["CPUExecutionProvider"])
    wanted, program = session.run(None, {"x": x}), compile_program(model(), chosen)
    for threads in (1, 2):
        for ours, theirs in zip(program.executable(threads)(x), wanted, strict=True):
            assert np.abs(ours - theirs).max() <= TOLERANCE * np.abs(theirs).max()


def test_weights_are_transferred_beside_kernels(pool: WorkerPool) -> None:
    """The weight and the bias of the second product, while the first one is computed; the first result while
    the second is."""
    text = units_of(model(), options("nodes=second,end", pool))["main"].host.text
    steps = re.findall(r"(gpu\.memcpy|gpu\.wait|memref\.copy|tloop\.launch_into)", text)
    assert steps.count("gpu.memcpy") == steps.count("gpu.wait") > 0
    first = steps.index("gpu.memcpy")
    assert "tloop.launch_into" in steps[first : steps.index("gpu.wait")]


def test_a_name_that_no_op_has(pool: WorkerPool) -> None:
    with pytest.raises(PassRunError, match="@main has no op 'nowhere' to place"):
        compile_program(model(), options("nodes=nowhere", pool))


@pytest.mark.parametrize(("target", "device"), [("cuda:sm_80", "accel"), ("cpu", "cpu")])
def test_devices_that_a_target_does_not_have_beside_it(target: str, device: str, pool: WorkerPool) -> None:
    passes = {"graph-place": f"graph-place{{device={device} nodes=first}}"}
    chosen = Options(target=target, replace_passes=passes, cache=False, pool=pool)
    with pytest.raises(CompileError, match=f"is placed on {device}, which .* does not have beside it"):
        compile_program(model(), chosen)
