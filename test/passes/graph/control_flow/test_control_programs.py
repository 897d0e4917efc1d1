"""Random programs with control flow, compiled whole, compute what their evaluator says: the planner of memory
may put no value where another one is still needed."""

from __future__ import annotations

import numpy as np
import pytest
from control_programs import StaticProgram, evaluate

from mlc.bindings import ir
from mlc.compiler import Options, compile_program, worker_pool
from mlc.dialects import create_context

INPUTS = [(a, b, n, c) for a, b in ((2, 5), (-1, 0)) for n in (0, 1, 3) for c in (True, False)]
# More values in buffers, fewer in kernels.
APART = {"graph-form-kernels": "graph-form-kernels{fuse=false}"}


def check(seeds: range) -> None:
    with worker_pool(1) as pool:
        for seed in seeds:
            with create_context(), ir.Location.unknown():
                module = StaticProgram(seed).write()
                assert module.operation.verify()
                options = Options(pool=pool, replace_passes=APART if seed % 2 else {})
                executable = compile_program(module, options).executable(1)
                block = module.body.operations[0].entry_block
                for *integers, truth in INPUTS:
                    values = [*map(np.int64, integers), np.bool_(truth)]
                    expected = evaluate(block, dict(zip(block.arguments, values, strict=True)))
                    inputs = {f"input{index}": np.asarray(value) for index, value in enumerate(values)}
                    found = executable.run(inputs)
                    assert [*map(int, found.values())] == [*map(int, expected)], f"seed {seed}: {module}"


def test_some_programs_run_right() -> None:
    check(range(3))


@pytest.mark.slow
def test_many_programs_run_right() -> None:
    check(range(3, 150))
