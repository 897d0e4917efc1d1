"""Buffers of random host functions keep their contents from the first write to the last read."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from planned_contents import Interpreter, Memory, on_tensors

from mlc import dialects
from mlc.bindings import create_context, func, ir, parse_module
from mlc.dialects.graph.sizes import evaluate
from mlc.passes.host.memory.buffers import sizes_of
from mlc.passes.host.plan_memory import HostPlanMemory

SHAPES = (["n", "4"], ["n", "m"], ["4", "m"], ["n", "n", "2"], ["16"])
SIZES = ((1, 1), (3, 40), (70, 2), (0, 9), (33, 17))
SEGMENTS = "operandSegmentSizes = array<i32: {0}>, resultSegmentSizes = array<i32: 1, 0, 0, 0>"


def tensor(shape: Sequence[str]) -> str:
    return "tensor<" + "".join(f"{dim if dim.isdigit() else '?'}x" for dim in shape) + "f32>"


def names(shape: Sequence[str]) -> str:
    return "[" + ", ".join('""' if dim.isdigit() else f'"{dim}"' for dim in shape) + "]"


def kernel(index: int, shapes: Sequence[Sequence[str]], result: Sequence[str]) -> str:
    """Declares a kernel that may overwrite its first operand if that has the result's shape."""
    mark = ", tloop.in_place = array<i64: 0>" if shapes[0] == result else ""
    types = ", ".join(map(tensor, shapes))
    return f"func.func private @k{index}({types}) -> {tensor(result)} attributes {{tloop.kernel{mark}}}"


def random_module(seed: int) -> str:
    """A host function of two inputs and two results, whose launches read what up to six before them wrote."""
    generator = random.Random(seed)
    values: list[tuple[str, Sequence[str]]] = [("%x", SHAPES[0]), ("%y", SHAPES[1])]
    kernels, lines = [], []
    for index in range(generator.randint(2, 25)):
        operands = generator.sample(values[-6:], generator.randint(1, min(3, len(values))))
        result = generator.choice([*SHAPES, operands[0][1]])
        shapes = [shape for _, shape in operands]
        kernels.append(kernel(index, shapes, result))
        segments = SEGMENTS.format(", ".join("1" if i < len(operands) else "0" for i in range(24)))
        lines.append(
            f'%{index} = "tloop.launch"({", ".join(name for name, _ in operands)}) {{kernel = @k{index},'
            f" graph.dims = [{names(result)}], {segments}}}"
            f" : ({', '.join(map(tensor, shapes))}) -> {tensor(result)}"
        )
        values.append((f"%{index}", result))
    results = values[-2:]
    types = ", ".join(tensor(shape) for _, shape in results)
    arguments = ", ".join(f"{n}: {tensor(s)} {{graph.dims = {names(s)}}}" for n, s in values[:2])
    returned = f"return {', '.join(name for name, _ in results)} : {types}"
    main = "\n  ".join([f"func.func @main({arguments}) -> ({types}) {{", *lines, returned])
    return "\n".join([*kernels, main, "}"])


def main_of(module: ir.Module) -> ir.Block:
    (main,) = [op for op in module.body.operations if func.Func(op.operation).sym_name == "main"]
    return func.Func(main.operation).entry_block


@pytest.mark.parametrize("seed", range(15))
def test_results_are_those_of_the_function_on_tensors(seed: int) -> None:
    with create_context() as context, ir.Location.unknown():
        dialects.load(context)
        module = parse_module(random_module(seed), context)
        dims = [dict(zip("nm", sizes, strict=True)) for sizes in SIZES]
        block = main_of(module)
        shapes = [[tuple(evaluate(size, d) for size in sizes_of(x)) for x in block.arguments] for d in dims]
        inputs = [[Memory.of_input(index, shape) for index, shape in enumerate(pair)] for pair in shapes]
        expected = [
            on_tensors(block, [memory.read() for memory in pair], d)
            for pair, d in zip(inputs, dims, strict=True)
        ]
        HostPlanMemory().run(module.operation)
        for pair, wanted in zip(inputs, expected, strict=True):
            found = Interpreter(main_of(module), pair).outputs
            assert [found[index].read() for index in sorted(found)] == wanted
