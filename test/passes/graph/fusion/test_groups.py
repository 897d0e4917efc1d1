"""Groups of ops that share a kernel."""

from __future__ import annotations

import pytest

from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.passes.graph.fusion.groups import fuse

MATRIX, ROW, VECTOR = "tensor<8x16xf32>", "tensor<8x1xf32>", "tensor<16xf32>"
REDUCE = "{axes = array<i64: 1>, keepdims = true}"
CONV = (
    '{dilations = array<i64: 1, 1>, group = 1, layout = "NCHWc", pads = array<i64: 0, 0, 0, 0>, '
    "strides = array<i64: 1, 1>}"
)
IMAGE, FILTER, PADDED = "tensor<1x1x4x4x8xf32>", "tensor<1x1x1x1x8x8xf32>", "tensor<1x1x6x6x8xf32>"
PAD = '{{low = array<i64: 0, 0, 1, 1, 0>, high = array<i64: 0, 0, 1, 1, 0>, mode = "{}", value = 0.0}}'


def op(name: str, operands: str, types: str, attributes: str = "") -> str:
    """One op in generic form; `types` is its function type."""
    return f'"graph.{name}"({operands}) {attributes} : {types}'


def groups(arguments: str, body: str) -> list[list[str]]:
    """The names of the ops of each group of a function with the lines of `body`."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(f"func.func @main({arguments}) {{\n{body}\nreturn\n}}")
        function = module.body.operations[0].operation
        return [
            [op.name.removeprefix("graph.") for op in group.ops]
            for group in fuse(function.regions[0].blocks[0])
        ]


def unary(result: str, name: str, operand: str, type_: str = MATRIX) -> str:
    return f"{result} = {op(name, operand, f'({type_}) -> {type_}')}\n"


def binary(result: str, name: str, operands: str, left: str = MATRIX, right: str = MATRIX) -> str:
    return f"{result} = {op(name, operands, f'({left}, {right}) -> {MATRIX}')}\n"


def use(value: str, type_: str = MATRIX) -> str:
    """A reader that fuses with nothing: the value leaves its group."""
    return f"%u{value[1:]} = {op('shape_of', value, f'({type_}) -> tensor<2xi64>')}\n"


def test_a_kernel_has_a_limit_of_ops() -> None:
    """In a chain, and where the operand of an op is the end of another one."""
    chain = "".join(unary(f"%a{i + 1}", "relu", f"%a{i}") for i in range(300))
    assert list(map(len, groups(f"%a0: {MATRIX}", chain + use("%a300")))) == [128, 128, 44, 1]
    left, right = ("".join(unary(f"%{n}{i + 1}", "relu", f"%{n}{i}") for i in range(100)) for n in "ab")
    body = left + right + binary("%c", "add", "%a100, %b100") + use("%c")
    assert sorted(map(len, groups(f"%a0: {MATRIX}, %b0: {MATRIX}", body))) == [1, 100, 101]


def test_elementwise_chain_is_one_group() -> None:
    body = unary("%0", "exp", "%x") + unary("%1", "neg", "%0") + binary("%2", "add", "%1, %b", right=VECTOR)
    assert groups(f"%x: {MATRIX}, %b: {VECTOR}", body) == [["exp", "neg", "add"]]


def test_a_value_with_two_readers_ends_its_group() -> None:
    body = unary("%0", "exp", "%x") + unary("%1", "neg", "%0") + unary("%2", "abs", "%0")
    assert groups(f"%x: {MATRIX}", body) == [["exp"], ["neg"], ["abs"]]


def test_an_op_that_reads_a_value_twice_takes_it() -> None:
    body = unary("%0", "exp", "%x") + binary("%1", "mul", "%0, %0")
    assert groups(f"%x: {MATRIX}", body) == [["exp", "mul"]]


def test_an_elementwise_op_takes_both_producers() -> None:
    body = unary("%0", "exp", "%x") + unary("%1", "neg", "%y") + binary("%2", "mul", "%0, %1")
    assert groups(f"%x: {MATRIX}, %y: {MATRIX}", body) == [["neg", "exp", "mul"]]


def test_a_broadcast_producer_stays_outside() -> None:
    body = f"%0 = {op('exp', '%b', f'({VECTOR}) -> {VECTOR}')}\n" + unary("%1", "neg", "%y")
    body += binary("%2", "mul", "%1, %0", right=VECTOR)
    assert groups(f"%b: {VECTOR}, %y: {MATRIX}", body) == [["exp"], ["neg", "mul"]]


def test_the_epilogue_of_a_matmul_takes_its_producers() -> None:
    product = f"%1 = {op('matmul', '%a, %b', f'(tensor<8x4xf32>, tensor<4x16xf32>) -> {MATRIX}')}\n"
    body = unary("%0", "exp", "%x") + product + binary("%2", "add", "%0, %1")
    arguments = f"%x: {MATRIX}, %a: tensor<8x4xf32>, %b: tensor<4x16xf32>"
    assert groups(arguments, body) == [["exp", "matmul", "add"]]


def test_a_larger_result_is_no_epilogue() -> None:
    body = unary("%0", "exp", "%r", ROW) + binary("%1", "add", "%0, %x", left=ROW)
    assert groups(f"%r: {ROW}, %x: {MATRIX}", body) == [["exp"], ["add"]]


def test_softmax_takes_elementwise_ops_before_and_after() -> None:
    softmax = f"%1 = {op('softmax', '%0', f'({MATRIX}) -> {MATRIX}', '{axis = 1}')}\n"
    body = unary("%0", "exp", "%x") + softmax + unary("%2", "neg", "%1")
    assert groups(f"%x: {MATRIX}", body) == [["exp", "softmax", "neg"]]


def test_a_reduction_takes_elementwise_ops_only() -> None:
    reduce = f"%1 = {op('reduce_sum', '%0', f'({MATRIX}) -> {ROW}', REDUCE)}\n"
    assert groups(f"%x: {MATRIX}", unary("%0", "exp", "%x") + reduce) == [["exp", "reduce_sum"]]
    gather = f"%0 = {op('gather', '%x, %i', f'({MATRIX}, tensor<8xi64>) -> {MATRIX}', '{axis = 0}')}\n"
    assert groups(f"%x: {MATRIX}, %i: tensor<8xi64>", gather + reduce) == [["gather"], ["reduce_sum"]]


@pytest.mark.parametrize(
    ("mode", "expected"), [("constant", [["conv", "pad"]]), ("wrap", [["conv"], ["pad"]])]
)
def test_constant_padding_joins_the_convolution(mode: str, expected: list[list[str]]) -> None:
    body = f"%0 = {op('conv', '%x, %w', f'({IMAGE}, {FILTER}) -> {IMAGE}', CONV)}\n"
    body += f"%1 = {op('pad', '%0', f'({IMAGE}) -> {PADDED}', PAD.format(mode))}\n"
    assert groups(f"%x: {IMAGE}, %w: {FILTER}", body) == expected


def test_nothing_follows_padding() -> None:
    body = f"%0 = {op('conv', '%x, %w', f'({IMAGE}, {FILTER}) -> {IMAGE}', CONV)}\n"
    body += f"%1 = {op('pad', '%0', f'({IMAGE}) -> {PADDED}', PAD.format('constant'))}\n"
    body += unary("%2", "exp", "%1", PADDED)
    assert groups(f"%x: {IMAGE}, %w: {FILTER}", body) == [["conv", "pad"], ["exp"]]


@pytest.mark.parametrize(
    ("operand", "permutation", "fuses"),
    [(0, "1, 0", True), (1, "1, 0", False), (0, "0, 1", True), (1, "0, 1", True)],
)
def test_a_product_reads_through_transposes_that_keep_its_columns(
    operand: int, permutation: str, fuses: bool
) -> None:
    square = "tensor<8x8xf32>"
    attributes = f"{{permutation = array<i64: {permutation}>}}"
    body = f"%0 = {op('transpose', '%x', f'({square}) -> {square}', attributes)}\n"
    operands = "%0, %y" if operand == 0 else "%y, %0"
    body += f"%1 = {op('matmul', operands, f'({square}, {square}) -> {square}')}\n"
    expected = [["transpose", "matmul"]] if fuses else [["transpose"], ["matmul"]]
    assert groups(f"%x: {square}, %y: {square}", body) == expected


ROWS = "tensor<9x16xf32>"
INDICES = "tensor<8xi32>"


def lookup(result: str, data: str, indices: str) -> str:
    types = f"({ROWS}, {INDICES}) -> {MATRIX}"
    return f"{result} = {op('gather', f'{data}, {indices}', types, '{axis = 0}')}\n"


def test_gathers_share_an_elementwise_kernel() -> None:
    body = lookup("%0", "%x", "%i") + lookup("%1", "%x", "%j")
    body += binary("%2", "mul", "%0, %w", right=ROW) + binary("%3", "mul", "%1, %w", right=ROW)
    body += binary("%4", "add", "%2, %3")
    arguments = f"%x: {ROWS}, %i: {INDICES}, %j: {INDICES}, %w: {ROW}"
    (found,) = groups(arguments, body)
    assert sorted(found) == ["add", "gather", "gather", "mul", "mul"]


def test_a_gather_is_no_part_of_a_products_epilogue() -> None:
    body = f"%0 = {op('matmul', '%a, %b', f'(tensor<8x4xf32>, tensor<4x16xf32>) -> {MATRIX}')}\n"
    body += lookup("%1", "%x", "%i") + binary("%2", "add", "%0, %1")
    arguments = f"%x: {ROWS}, %i: {INDICES}, %a: tensor<8x4xf32>, %b: tensor<4x16xf32>"
    assert groups(arguments, body) == [["gather"], ["matmul", "add"]]


@pytest.mark.parametrize(
    ("data", "result", "expected"),
    [
        ("tensor<9xf32>", "tensor<8xf32>", [["add", "gather"]]),
        # Each index is read 16 times.
        (ROWS, MATRIX, [["add"], ["gather"]]),
    ],
)
def test_a_gather_of_single_elements_computes_its_indices(
    data: str, result: str, expected: list[list[str]]
) -> None:
    body = f"%0 = {op('add', '%i, %j', f'({INDICES}, {INDICES}) -> {INDICES}')}\n"
    body += f"%1 = {op('gather', '%x, %0', f'({data}, {INDICES}) -> {result}', '{axis = 0}')}\n"
    assert groups(f"%x: {data}, %i: {INDICES}, %j: {INDICES}", body) == expected


def test_kernels_do_not_exceed_the_operands_of_a_launch() -> None:
    count = 40
    body = binary("%1", "add", "%a0, %a1")
    for index in range(2, count):
        body += binary(f"%{index}", "add", f"%{index - 1}, %a{index}")
    found = groups(", ".join(f"%a{index}: {MATRIX}" for index in range(count)), body)
    assert len(found) == 2
    assert max(len(names) + 1 for names in found) <= 22


def test_groups_follow_their_producers() -> None:
    """The matmul's group ends after the one that computes its epilogue's other operand, and runs after it."""
    product = f"%0 = {op('matmul', '%a, %b', f'(tensor<8x4xf32>, tensor<4x16xf32>) -> {MATRIX}')}\n"
    body = product + unary("%1", "exp", "%x") + use("%1") + binary("%2", "add", "%0, %1")
    arguments = f"%x: {MATRIX}, %a: tensor<8x4xf32>, %b: tensor<4x16xf32>"
    assert groups(arguments, body) == [["exp"], ["shape_of"], ["matmul", "add"]]
