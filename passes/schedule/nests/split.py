"""The primitive split: one loop becomes a nest."""

from __future__ import annotations

from math import prod

from mlc.bindings import affine, ir, scf
from mlc.dialects import tloop
from mlc.dialects.tloop.handles import REST
from mlc.passes.common.cloning import clone_ops
from mlc.passes.schedule.common.loops import Loop, sequential
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.building import (
    Bound,
    add_suffix,
    build_loop,
    end_loop,
    kept_attributes,
    replace_loop,
    take_over,
)


def split(op: ir.Operation, state: ScheduleState) -> None:
    """Splits off the innermost loop, then splits what is left."""
    step = tloop.Split(op)
    factors, tail = state.sizes(op, "factors"), step.tail
    tags = [state.new_loop(result) for result in op.results]
    for target in state.targets(step.loop):
        loop = sequential(target)
        sizes = complete(loop, factors, tail)
        for position in range(len(sizes) - 1, 0, -1):
            loop, inner = split_in_two(loop, sizes[position], tail)
            mark(inner, tags[position], f".{position}")
        mark(loop, tags[0], ".0")


def mark(loop: Loop, tag: str, suffix: str) -> None:
    """Tags a loop, and adds the suffix to its name."""
    loop.op.attributes[tag] = ir.UnitAttr.get()
    for name, value in add_suffix(kept_attributes(loop.op), suffix).items():
        loop.op.attributes[name] = value


def complete(loop: Loop, factors: list[int], tail: str) -> list[int]:
    """Returns the factors, with what the others leave instead of -1. Raises StepError if they do not fit."""
    inner = prod(factor for factor in factors if factor != REST)
    if REST not in factors:
        if loop.trips is None:
            raise StepError(f"the number of iterations of loop {loop.name} is not known; let a factor be -1")
        if inner < loop.trips or (tail == "exact" and inner != loop.trips):
            raise StepError(
                f"factors {factors} make {inner} iterations, but loop {loop.name} has {loop.trips}"
            )
        return factors
    if tail != "guard" and loop.trips is None:
        raise StepError(
            f"the number of iterations of loop {loop.name} is not known, so that only 'guard' works"
        )
    if tail == "exact" and (loop.trips or 0) % inner:
        raise StepError(f"factor {inner} does not divide the {loop.trips} iterations of loop {loop.name}")
    if tail == "peel" and inner > (loop.trips or 0):
        raise StepError(f"loop {loop.name} has only {loop.trips} iterations; a factor of {inner} leaves none")
    if factors[0] == REST:
        return factors
    if loop.trips is None:
        raise StepError(
            f"the number of iterations of loop {loop.name} is not known; let the first factor be -1"
        )
    return [-(-loop.trips // inner) if factor == REST else factor for factor in factors]


def split_in_two(loop: Loop, factor: int, tail: str) -> tuple[Loop, Loop]:
    """Splits a loop into an outer one, which steps by `factor` iterations of the inner one. The caller tags
    them."""
    step = loop.step
    if step is None:
        raise StepError(f"the step of loop {loop.name} is not constant")
    divides = loop.trips is not None and loop.trips % factor == 0
    if tail == "peel" and not divides:
        _peel_rest(loop, factor)
    kept = kept_attributes(loop.op)
    lower, upper = (Bound(list(m.results), v) for m, v in (loop.bound("lower"), loop.bound("upper")))
    with ir.InsertionPoint(loop.op), loop.op.location:
        outer = build_loop(loop.op.name, lower, upper, step * factor, loop.inits, kept)
    with ir.InsertionPoint(outer.body), loop.op.location:
        guarded = tail == "guard" and not divides
        end = _guard(loop, outer, factor, step) if guarded else Bound.constant(factor)
        inner = build_loop(loop.op.name, Bound.constant(0), end, 1, outer.carried, kept)
    end_loop(outer, list(inner.op.results))
    with ir.InsertionPoint(inner.body), loop.op.location:
        first, second = (ir.AffineExpr.get_dim(position) for position in range(2))
        index = affine.AffineApplyOp(
            ir.AffineMap.get(2, 0, [first + second * step]), [outer.iv, inner.iv]
        ).result
    loop.iv.replace_all_uses_with(index)
    take_over(loop, inner)
    replace_loop(loop, list(outer.op.results))
    return outer, inner


def _guard(loop: Loop, outer: Loop, factor: int, step: int) -> Bound:
    """Returns the smaller of `factor` and the remaining iterations."""
    upper, operands = loop.bound("upper")
    count = len(operands)
    left = [
        ir.AffineExpr.get_ceil_div(result - ir.AffineExpr.get_dim(count), step) for result in upper.results
    ]
    return Bound([ir.AffineExpr.get_constant(factor), *left], [*operands, outer.iv])


def _peel_rest(loop: Loop, factor: int) -> None:
    """Clones the loop after itself for the iterations that the factor leaves."""
    assert loop.trips is not None and loop.lower is not None and loop.upper is not None
    step = loop.step or 1
    end = loop.lower + loop.trips // factor * factor * step
    upper = loop.upper
    with ir.InsertionPoint.after(loop.op), loop.op.location:
        kept = add_suffix(kept_attributes(loop.op), ".rest")
        rest = build_loop(
            loop.op.name, Bound.constant(end), Bound.constant(upper), step, list(loop.op.results), kept
        )
    for old, new in zip(loop.op.results, rest.op.results, strict=True):
        old.replace_all_uses_except(new, [rest.op])
    _copy_body(loop, rest)
    _shorten(loop, end)


def _copy_body(source: Loop, target: Loop) -> None:
    """Clones the body of `source` into `target`."""
    values = {}
    for old, new in zip(source.body.arguments, target.body.arguments, strict=True):
        values[old] = new
    with ir.InsertionPoint(target.body):
        clone_ops(source.statements, values)
    end_loop(target, [values.get(operand, operand) for operand in source.terminator.operands])


def _shorten(loop: Loop, end: int) -> None:
    """Sets the upper bound of a loop of constant bounds to `end`."""
    if loop.is_affine:
        affine.AffineFor(loop.op).upper_bound_map = ir.AffineMap.get_constant(end)
        return
    with ir.InsertionPoint(loop.op), loop.op.location:
        scf.For(loop.op).upper_bound = Bound.constant(end).value()
