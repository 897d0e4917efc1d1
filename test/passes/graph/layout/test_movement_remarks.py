"""Remarks of the passes that move data: what they left, and why."""

from __future__ import annotations

import pytest

from mlc.bindings import ir
from mlc.dialects import create_context, graph
from mlc.passes.remarks import Remark, collect_remarks
from mlc.pipelines.driver import run_pipeline

IMAGE, PADDED = "tensor<1x2x4x4xf32>", "tensor<1x2x6x6xf32>"
CONV = (
    '{dilations = array<i64: 1, 1>, group = 1 : i64, layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, '
    "strides = array<i64: 1, 1>}"
)
PAD = '{{high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = "constant", value = {} : f64}}'


def remarks(name: str, arguments: str, results: str, body: str) -> list[Remark]:
    """Returns the remarks of a pass about a function."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(f"func.func @main({arguments}) -> {results} {{\n{body}\n}}")
        with collect_remarks() as found:
            run_pipeline(f"builtin.module({name})", module.operation)
    return found


def missed_remarks(found: list[Remark]) -> list[tuple[str, str]]:
    """The op and the reason of missed rewrites."""
    return [(remark.op, remark.message) for remark in found if remark.outcome == "missed"]


def padded_convolution(value: str, results: str, returned: str) -> list[tuple[str, str]]:
    body = f"""
      %0 = "graph.pad"(%x) {PAD.format(value)} : ({IMAGE}) -> {PADDED}
      %1 = "graph.conv"(%0, %w) {CONV} : ({PADDED}, tensor<2x2x3x3xf32>) -> {IMAGE}
      return {returned}"""
    return missed_remarks(
        remarks("graph-fold-padding", f"%x: {IMAGE}, %w: tensor<2x2x3x3xf32>", results, body)
    )


def test_padding_of_another_value() -> None:
    found = padded_convolution("1.0", IMAGE, f"%1 : {IMAGE}")
    assert found == [(graph.Conv.NAME, "padding of another value, or of batch or channels")]


def test_padding_that_something_else_reads() -> None:
    found = padded_convolution("0.0", f"({IMAGE}, {PADDED})", f"%1, %0 : {IMAGE}, {PADDED}")
    assert found == [(graph.Conv.NAME, "another op reads the padded tensor, which is made anyway")]


def test_parts_in_another_order() -> None:
    part = "{{sizes = array<i64: 4>, starts = array<i64: {}>, steps = array<i64: 1>}}"
    body = f"""
      %0 = "graph.slice"(%x) {part.format(4)} : (tensor<8xf32>) -> tensor<4xf32>
      %1 = "graph.slice"(%x) {part.format(0)} : (tensor<8xf32>) -> tensor<4xf32>
      %2 = "graph.relu"(%0) : (tensor<4xf32>) -> tensor<4xf32>
      %3 = "graph.relu"(%1) : (tensor<4xf32>) -> tensor<4xf32>
      %4 = "graph.concat"(%2, %3) {{axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0>}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
      return %4 : tensor<8xf32>"""  # noqa: E501
    found = missed_remarks(
        remarks("graph-eliminate-concat-split", "%x: tensor<8xf32>", "tensor<8xf32>", body)
    )
    assert found == [
        (graph.Concat.NAME, "the parts are not neighbours of one value, in order, or are read elsewhere")
    ]


@pytest.mark.parametrize(
    ("user", "returned", "reason"),
    [
        ("x", "%0", "something else reads what it is a part of"),
        ("w", "%2", "other products read the same weights"),
    ],
)
def test_a_part_of_a_product(user: str, returned: str, reason: str) -> None:
    square, columns = "tensor<8x8xf32>", "tensor<8x2xf32>"
    body = f"""
      %w = "graph.weight"() {{source = "m.onnx", offset = 0 : i64, size = 256 : i64, hash = "a"}} : () -> {square}
      %0 = "graph.matmul"(%x, %w) : ({square}, {square}) -> {square}
      %1 = "graph.slice"(%0) {{sizes = array<i64: 8, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>}} : ({square}) -> {columns}
      %2 = "graph.matmul"(%{user}, %w) : ({square}, {square}) -> {square}
      return %1, {returned} : {columns}, {square}"""  # noqa: E501
    found = missed_remarks(remarks("graph-hoist-movement", f"%x: {square}", f"({columns}, {square})", body))
    assert found == [(graph.Slice.NAME, reason)]


def test_transposes_that_do_not_cancel() -> None:
    image, last = "tensor<2x8x4x6xf32>", "tensor<2x4x6x8xf32>"
    body = f"""
      %0 = "graph.transpose"(%x) {{permutation = array<i64: 0, 2, 3, 1>}} : ({image}) -> {last}
      %1 = "graph.exp"(%0) : ({last}) -> {last}
      %2 = "graph.transpose"(%1) {{permutation = array<i64: 0, 2, 1, 3>}} : ({last}) -> tensor<2x6x4x8xf32>
      return %2, %1 : tensor<2x6x4x8xf32>, {last}"""
    found = missed_remarks(
        remarks("graph-sink-transposes", f"%x: {image}", f"(tensor<2x6x4x8xf32>, {last})", body)
    )
    assert [op for op, _ in found] == [graph.Transpose.NAME, graph.Transpose.NAME]
    assert {reason for _, reason in found} == {"the ops around it would need as many transposes elsewhere"}
