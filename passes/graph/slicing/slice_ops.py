"""How ops compute a part of their result: from which parts of their operands."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.dim_groups import dim_groups
from mlc.passes.graph.common.kernel_categories import REDUCTIONS
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.rules import rule_of
from mlc.passes.graph.slicing.slice_contractions import attention, convolution, matmul, pool
from mlc.passes.graph.slicing.slice_sources import Narrowed, Parts, Rule, is_cut
from mlc.passes.graph.slicing.slice_windows import WHOLE


def _broadcast_part(op: ir.Operation, operand: ir.Value, taken: Parts) -> Parts | None:
    """What a part of the result needs of an operand that broadcasts to it; None if that is not known."""
    result, own = graph.shape_of(op.results[0]), graph.shape_of(operand)
    cut, offset = is_cut(taken, op.results[0]), len(result) - len(own)
    needed = []
    for axis, dim in enumerate(own):
        part, is_one = taken[offset + axis], dim == 1 and result[offset + axis] != 1
        if not cut[offset + axis] or is_one:
            needed.append(WHOLE)
        elif dim is None and len(op.operands) > 1:
            return None
        else:
            needed.append(part)
    return needed


def _elementwise(op: ir.Operation, taken: Parts) -> Narrowed | None:
    parts = [_broadcast_part(op, operand, taken) for operand in op.operands]
    found = [each for each in parts if each is not None]
    return Narrowed(tuple(found)) if len(found) == len(parts) else None


@rounding
def _along_rows(op: ir.Operation, taken: Parts) -> Narrowed | None:
    """Softmax, normalisations, scans: whole rows."""
    name = "axes" if op.name in ("graph.layer_norm", "graph.rms_norm") else "axis"
    axes = graph.attribute(op, name)
    cut = is_cut(taken, op.results[0])
    return (
        None if any(cut[axis] for axis in ([axes] if isinstance(axes, int) else axes)) else Narrowed((taken,))
    )


@rounding
def _reduction(op: ir.Operation, taken: Parts) -> Narrowed | None:
    name = "axis" if op.name in ("graph.arg_max", "graph.arg_min") else "axes"
    found = graph.attribute(op, name)
    axes = [found] if isinstance(found, int) else found
    rest, kept = iter(taken), graph.attribute(op, "keepdims")
    parts = []
    for axis in range(op.operands[0].type.rank):
        part = next(rest) if kept or axis not in axes else WHOLE
        if axis in axes and kept and not part.is_whole(1):
            return None
        parts.append(WHOLE if axis in axes else part)
    return Narrowed((parts,))


def _transpose(op: ir.Operation, taken: Parts) -> Narrowed | None:
    parts = [WHOLE] * len(taken)
    for axis, part in zip(graph.attribute(op, "permutation"), taken, strict=True):
        parts[axis] = part
    return Narrowed((parts,))


def _reshape(op: ir.Operation, taken: Parts) -> Narrowed | None:
    """Dims that the reshape leaves as they are."""
    old, new = graph.shape_of(op.operands[0]), graph.shape_of(op.results[0])
    groups = None if None in old or None in new or 0 in old else dim_groups(old, new)
    if groups is None or len(op.operands) > 1:
        return None
    cut, parts = is_cut(taken, op.results[0]), [WHOLE] * len(old)
    for olds, news in groups:
        if len(olds) == len(news) == 1:
            parts[olds[0]] = taken[news[0]]
        elif any(cut[axis] for axis in news):
            return None
    sizes = [part.size if touched else dim for part, touched, dim in zip(taken, cut, new, strict=True)]
    return Narrowed((parts,), {"shape": sizes})


def _expand(op: ir.Operation, taken: Parts) -> Narrowed | None:
    if len(op.operands) > 1 or not op.results[0].type.has_static_shape:
        return None
    parts = _broadcast_part(op, op.operands[0], taken)
    sizes = zip(taken, is_cut(taken, op.results[0]), graph.shape_of(op.results[0]), strict=True)
    shape = [part.size if touched else dim for part, touched, dim in sizes]
    return None if parts is None else Narrowed((parts,), {"shape": shape})


def _pad(op: ir.Operation, taken: Parts) -> Narrowed | None:
    amounts = zip(graph.attribute(op, "low"), graph.attribute(op, "high"), strict=True)
    padded = [low or high for low, high in amounts]
    cut = is_cut(taken, op.results[0])
    return None if any(a and b for a, b in zip(padded, cut, strict=True)) else Narrowed((taken,))


def _gather(op: ir.Operation, taken: Parts) -> Narrowed | None:
    axis, rank = graph.attribute(op, "axis"), op.operands[1].type.rank
    return Narrowed(([*taken[:axis], WHOLE, *taken[axis + rank :]], list(taken[axis : axis + rank])))


_RULES: dict[str, Rule] = {
    **dict.fromkeys(ELEMENTWISE, _elementwise),
    **dict.fromkeys(REDUCTIONS, _reduction),
    **dict.fromkeys(("softmax", "log_softmax", "layer_norm", "rms_norm", "cumsum", "cumprod"), _along_rows),
    **dict.fromkeys(("graph.max_pool", "graph.average_pool"), pool),
    "graph.matmul": matmul,
    "graph.conv": convolution,
    "graph.attention": attention,
    "graph.transpose": _transpose,
    "graph.reshape": _reshape,
    "graph.expand": _expand,
    "graph.pad": _pad,
    "graph.gather": _gather,
}
_RULES |= {f"graph.{name}": rule for name, rule in _RULES.items() if not name.startswith("graph.")}


def narrowed(op: ir.Operation, taken: Parts, exactness: str) -> Narrowed | None:
    """How `op` computes a part of its result; None where it cannot, or not within a class of exactness."""
    rule = rule_of(_RULES, op, exactness)
    if rule is None:
        return None
    cut = is_cut(taken, op.results[0])
    return rule(op, [part if touched else WHOLE for part, touched in zip(taken, cut, strict=True)])
