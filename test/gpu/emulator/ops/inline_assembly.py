"""Inline PTX that lowered kernels contain."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..assembly import Instruction, assembly
from ..unit import SHARED_SPACE, Unit
from ..values import Value, spread
from ..wgmma import Product, start_product
from . import wgmma as ops_wgmma
from .arith import reinterpret
from .barriers import fence_proxy

Values = tuple[Value, ...]
_PRODUCT = re.compile(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.(f32|s32)\.(\w+)\.(\w+)(\.satfinite)?"
)


@assembly("wgmma.mma_async")
def _product(unit: Unit, instruction: Instruction, values: Values) -> list[Value]:
    match = _PRODUCT.fullmatch(instruction.opcode)
    if match is None or match[6]:
        unit.fail(f"{instruction.opcode} is not known")
    accumulator, left, right, scale, *flags = (
        instruction.value(operand, values) for operand in instruction.operands
    )
    flags = [int(unit.uniform(flag)) if isinstance(flag, np.ndarray) else flag for flag in flags]
    negate, transpose = [flag == -1 for flag in flags[:2]] or [False] * 2, flags[2:]
    product = Product(
        int(match[1]),
        match[4],
        match[5],
        *negate,
        transpose_left=len(transpose) == 2 and bool(transpose[0]),
        transpose_right=bool(transpose and transpose[-1]),
    )
    if product.depth != int(match[2]) or len(accumulator) != product.columns // 2:
        unit.fail(f"{instruction.opcode} with {len(accumulator)} accumulators")
    if not isinstance(left, list):
        left = unit.uniform(left)
    keep = scale if isinstance(scale, int) else unit.uniform(scale)
    if keep and any(part is None for part in accumulator):
        unit.fail("adds to registers into which nothing comes")
    return list(start_product(unit, product, tuple(accumulator) if keep else None, left, unit.uniform(right)))


def _passed_through(instruction: Instruction, values: Values) -> list[Value]:
    """Outputs of an instruction that leaves the registers tied to them as they are."""
    return [values[instruction.tied[i] - instruction.outputs] for i in range(instruction.outputs)]


@assembly("wgmma.wait_group")
def _wait(unit: Unit, instruction: Instruction, values: Values) -> list[Value]:
    ops_wgmma.wait(unit, instruction.value(instruction.operands[0], values))
    return _passed_through(instruction, values)


@assembly("wgmma.fence")
def _fence(unit: Unit, instruction: Instruction, values: Values) -> list[Value]:
    ops_wgmma.fence(unit, unit.op)
    return _passed_through(instruction, values)


@assembly("wgmma.commit_group")
def _commit(unit: Unit, instruction: Instruction, values: Values) -> list[Value]:
    ops_wgmma.commit(unit, unit.op)
    return _passed_through(instruction, values)


@assembly("fence.proxy.async")
def _fence_proxy(unit: Unit, instruction: Instruction, values: Values) -> list[Value]:
    fence_proxy(unit, unit.op)
    return []


@assembly("st.shared", "st.volatile.shared")
def _store(unit: Unit, instruction: Instruction, values: Values) -> list[Value]:
    address, value = (instruction.value(operand, values) for operand in instruction.operands)
    data = reinterpret(spread(value, unit.lanes), np.dtype(np.uint8))
    unit.store(SHARED_SPACE, address.astype(np.uint64), data, data.shape[1])
    return []


@assembly("mov.b32")
def _move(unit: Unit, instruction: Instruction, values: Values) -> list[Value]:
    return [instruction.value(instruction.operands[1], values)]


@assembly("setmaxnreg", "prefetch", "nanosleep")
def _no_effect(unit: Unit, instruction: Instruction, values: Values) -> list[Any]:
    return []
