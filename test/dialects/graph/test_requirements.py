"""Requirements on dynamic dims are what the definitions of ops check on static ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from indexed_cases import indexing_case
from shape_cases import FAMILIES, Case, cases

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.function_dims import Dims, names_attribute
from mlc.dialects.graph.dims.requirements import requirements
from mlc.dialects.graph.sizes import Requirement, Size, assumptions, evaluate, symbol
from mlc.dialects.graph.spec import GraphTensor
from mlc.dialects.graph.verifier import OpData, infer, read_op

UNKNOWN = ir.ShapedType.get_dynamic_size()
COUNT = 300

pytestmark = pytest.mark.usefixtures("context")


def _with_names(case: Case, random: Random) -> tuple[list[tuple[int | Size, ...]], dict[str, int]]:
    """Returns the operands' dims, some of them names, and the values of the names."""
    sizes: dict[str, int] = {}
    shapes = []
    for index, shape in enumerate(case.operands):
        dims: list[int | Size] = []
        for axis, dim in enumerate(shape):
            is_known = random.random() < 0.3 or (index in case.known and axis == len(shape) - 1)
            name = f"x{index}_{axis}"
            if not is_known:
                sizes[name] = dim
            dims.append(dim if is_known else symbol(name))
        shapes.append(tuple(dims))
    return shapes, sizes


def _find_requirements(case: Case, shapes: Sequence[Sequence[int | Size]]) -> tuple[list[Requirement], tuple]:
    """Returns the requirements of the op on operands of named dims, and the dims of its result."""
    elements = case.elements or ("f32",) * len(shapes)
    types = [
        ir.RankedTensorType.get(
            [UNKNOWN if isinstance(dim, Size) else dim for dim in shape], ir.Type.parse(element)
        )
        for shape, element in zip(shapes, elements, strict=True)
    ]
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        function = ir.Operation.create(
            "func.func",
            regions=1,
            attributes={
                "sym_name": ir.StringAttr.get("main"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
                "arg_attrs": ir.ArrayAttr.get(
                    [ir.DictAttr.get({"graph.dims": names_attribute([shape])[0]}) for shape in shapes]
                ),
            },
        )
    block = function.regions[0].blocks.append(*types)
    with ir.InsertionPoint(block):
        made = graph.build(case.name, list(block.arguments), case.attributes).owner
        ir.Operation.create("func.return")
    dims = Dims(function)
    return requirements(made, dims), dims.of(made.results[0])


@pytest.mark.parametrize("family", (*FAMILIES, indexing_case), ids=lambda family: family.__name__)
def test_requirements_are_what_the_definition_asks(family: Callable[[Random], Case]) -> None:
    """They hold of the dims that NumPy or ONNX allows, whose result has then these dims, and of no others."""
    random, checked = Random(1), 0
    for case in cases(family, COUNT):
        shapes, sizes = _with_names(case, random)
        try:
            found, result = _find_requirements(case, shapes)
        except graph.ShapeError:
            assert case.expected is None, case
            continue
        holds = all(requirement.holds(sizes) for requirement in found)
        assert holds == (case.expected is not None), (case, shapes, found)
        if case.expected is not None:
            assert tuple(evaluate(dim, sizes) for dim in result) == case.expected, (case, shapes, result)
            checked += bool(sizes)
    assert checked > COUNT / 4


OPS = sorted(Path(__file__).parent.glob("[!i]*.mlir"))
# Control flow has bodies; the others say the dims of their results, or ask for known ones.
LEFT_OUT = {"if", "loop", "yield", "reshape", "expand", "full", "prepared", "weight", "constant", "sizes"}
# The last dim of their indices says what rank the result has: it is known.
TUPLES = {"gather_nd"}


def _ops(path: Path) -> Iterator[OpData]:
    """The ops of a lit test whose operands have known dims."""
    for text in re.split(r"^// -----", path.read_text(), flags=re.M):
        found: list[OpData] = []

        def visit(op: ir.Operation, found: list[OpData] = found) -> ir.WalkResult:
            if op.name.startswith("graph.") and op.name.removeprefix("graph.") not in LEFT_OUT:
                data = read_op(op)
                if data.operands and all(None not in (operand.shape or (None,)) for operand in data.operands):
                    found.append(data)
            return ir.WalkResult.ADVANCE

        ir.Module.parse(text).operation.walk(visit)
        yield from found


def _change_dim(data: OpData, random: Random) -> list[GraphTensor]:
    """Returns the operands with one dim changed."""
    operands = list(data.operands)
    index = random.choice([index for index, operand in enumerate(operands) if operand.shape])
    dims = [dim or 0 for dim in operands[index].shape or ()]
    axis = random.randrange(len(dims))
    dims[axis] = random.choice([0, 1, max(0, dims[axis] - 1), dims[axis] + 1, 2 * dims[axis]])
    operands[index] = GraphTensor(tuple(dims), operands[index].element)
    return operands


def _allows(data: OpData, operands: Sequence[GraphTensor]) -> tuple[GraphTensor, ...] | None:
    try:
        return infer(data.spec, operands, data.attributes, data.results, data.bodies)
    except graph.ShapeError:
        return None


def _as_names(
    data: OpData, operands: Sequence[GraphTensor], random: Random
) -> tuple[list[GraphTensor], dict[str, int]]:
    sizes: dict[str, int] = {}
    named = []
    for index, tensor in enumerate(operands):
        dims: list[int | Size] = []
        for axis, dim in enumerate(tensor.shape or ()):
            is_last = index == 1 and axis == len(tensor.shape or ()) - 1
            is_known = random.random() < 0.3 or (is_last and data.spec.name in TUPLES)
            dims.append(dim if is_known else symbol(f"x{index}_{axis}"))  # type: ignore[arg-type]
            if not is_known:
                sizes[f"x{index}_{axis}"] = dim or 0
        named.append(GraphTensor(tuple(dims), tensor.element))  # type: ignore[arg-type]
    return named, sizes


def test_what_has_words_is_required_first() -> None:
    """For a window without any position not only the result's -3 elements are reported."""
    window = {"kernel": (5,), "strides": (1,), "pads": (0, 0), "dilations": (1,), "ceil_mode": False}
    n = symbol("n")
    found, _ = _find_requirements(
        Case("max_pool", ((1, 2, 9),), None, {**window, "layout": "NCHW"}), [(1, 2, n)]
    )
    assert [(requirement.left, requirement.fault) for requirement in found] == [
        (n - 5, "its window is larger than x"),
        (n - 4, ""),
    ]


@pytest.mark.parametrize("path", OPS, ids=lambda path: path.stem)
def test_definitions_assume_what_they_check(path: Path) -> None:
    """Every op of the lit tests, with operands as they are there and with changed dims: on names the
    definition assumes what it checks on integers."""
    random = Random(path.stem)
    for data in _ops(path):
        for repeat in range(40):
            operands = list(data.operands) if not repeat else _change_dim(data, random)
            expected = _allows(data, operands)
            named, sizes = _as_names(data, operands, random)
            try:
                with assumptions() as found:
                    result = infer(data.spec, named, data.attributes, data.results, data.bodies)
            except graph.ShapeError:
                result = None
            holds = result is not None and all(requirement.holds(sizes) for requirement in found)
            assert holds == (expected is not None), (data.spec.name, operands, named, found)
