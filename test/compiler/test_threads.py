"""Compilations in several threads, after a fork, and after Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

# Each script runs in a new process: what it tests happens when a process compiles for the first time.
MODELS = """
import os, signal, sys, threading
import numpy as np
import onnx
from onnx import TensorProto as T, helper as h

def model(i):
    operator = ("Abs", "Relu", "Neg")[i % 3]
    nodes = [h.make_node(operator, ["x"], ["y"]), h.make_node("MatMul", ["y", "w"], ["z"])]
    w = onnx.numpy_helper.from_array(weights(i), "w")
    x, z = (h.make_tensor_value_info(*info) for info in (("x", T.FLOAT, [3, 8 + i]), ("z", T.FLOAT, [3, 4])))
    graph = h.make_graph(nodes, "g", [x], [z], [w])
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=10).SerializeToString()

def weights(i):
    return np.random.default_rng(i).standard_normal((8 + i, 4)).astype(np.float32)

def check(i, pool=None, folder=None):
    import mlc
    x = np.random.default_rng(99).standard_normal((3, 8 + i)).astype(np.float32)
    executable = mlc.compile(model(i), pool=pool, jobs=1, threads=1)
    if folder:
        executable.save(f"{folder}/{i}.mlcx")
        executable = mlc.load(f"{folder}/{i}.mlcx", threads=1)
    expected = (np.abs(x), np.maximum(x, 0), -x)[i % 3] @ weights(i)
    np.testing.assert_allclose(executable(x)[0], expected, rtol=1e-4, atol=1e-5)

def in_threads(functions):
    failures, barrier = [], threading.Barrier(len(functions))
    def run(function):
        barrier.wait()
        try:
            function()
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
"""


def run(script: str, *arguments: str) -> None:
    text = MODELS + textwrap.dedent(script)
    command = [sys.executable, "-P", "-c", text, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def rounds(count: int, folder: str) -> None:
    script = """
        from mlc.compiler import worker_pool
        rounds, folder = int(sys.argv[1]), sys.argv[2]
        with worker_pool(2) as pool:
            def compile_all(i):
                for _ in range(rounds):
                    check(i, pool, folder)
            in_threads([lambda i=i: compile_all(i) for i in range(8)])
        """
    run(script, str(count), folder)


def test_eight_threads(tmp_path: object) -> None:
    rounds(1, str(tmp_path))


@pytest.mark.slow
def test_eight_threads_twenty_times(tmp_path: object) -> None:
    rounds(20, str(tmp_path))


def test_parts_of_the_compiler_used_at_the_same_time() -> None:
    """Each thread imports, registers and loads parts while others use them too."""
    script = """
        def kernel():
            import mlc
            graph_function = mlc.graph_function
            from mlc.kernels import Tensor, f32
            def twice(x: Tensor[f32, 2, 3]):
                return x + x
            twice = graph_function(twice)
            x = np.arange(6, dtype=np.float32).reshape(2, 3)
            np.testing.assert_array_equal(twice(x), 2 * x)

        def passes():
            from mlc.threads import importing
            with importing:
                from mlc.dialects import create_context
                from mlc.bindings import ir
                from mlc.passes.remarks import collect_remarks
                from mlc.pipelines.driver import run_pipeline
            text = 'func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {' \\
                '  %0 = "graph.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32>' \\
                '  %1 = "graph.neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>' \\
                '  return %1 : tensor<4xf32> }'
            for _ in range(5):
                with create_context(), collect_remarks() as remarks:
                    module = ir.Module.parse(text)
                    run_pipeline("builtin.module(graph-optimize)", module)
                    assert "graph.neg" not in str(module)
                    assert remarks and all("neg" in remark.op for remark in remarks), remarks

        in_threads([kernel, passes, passes, lambda: check(0), lambda: check(1), kernel])
        """
    run(script)


def test_a_pool_after_a_fork() -> None:
    """The child neither uses nor ends the workers of its parent."""
    script = """
        from mlc.compiler import worker_pool
        with worker_pool(1) as pool:
            check(0, pool)
            child = os.fork()
            if not child:
                check(1, pool)
                pool.close()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            check(2, pool)
        """
    run(script)


@pytest.mark.parametrize("stage", ["import", "optimise", "kernels"])
def test_a_process_compiles_after_ctrl_c(stage: str) -> None:
    script = """
        import mlc
        def interrupt(stage, done, total):
            if stage == sys.argv[1]:
                os.kill(os.getpid(), signal.SIGINT)
        try:
            mlc.compile(model(0), progress=interrupt, jobs=1, cache=False)
        except KeyboardInterrupt:
            in_threads([lambda: check(0), lambda: check(1)])
        else:
            raise AssertionError("the compilation was not interrupted")
        """
    run(script, stage)
