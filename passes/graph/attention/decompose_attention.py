"""graph-decompose-attention: attention and rotary embedding as products, softmax and elementwise ops.

Operands of attention as its kernel takes them: f32, and an additive mask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import ml_dtypes
import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size
from mlc.passes.base import Pass, option
from mlc.passes.exactness import rounding
from mlc.passes.graph.attention.heads import heads, is_grouped, split_groups
from mlc.passes.graph.attention.kernel import obstacle, thread_block_obstacle
from mlc.passes.graph.common.rules import Rules, apply_rules
from mlc.passes.graph.common.terms import like_type
from mlc.passes.graph.common.values import dtype, scalar_constant
from mlc.passes.graph.simplify.slice_rules import Part, slice_of
from mlc.passes.remarks import report_missed


def in_f32(op: ir.Operation) -> ir.Value | None:
    """The op on f32, where its elements are narrower: they are rounded once, not at each step."""
    element_type = graph.element_type(op.results[0])
    if dtype(op.results[0]).itemsize >= 4:
        return None
    f32 = ir.F32Type.get(op.context)
    wide = [x if str(graph.element_type(x)) == "i1" else like_type(x, f32) for x in op.operands]
    attributes = {name: graph.attribute(op, name) for name in ("scale", "causal", "fill", "safe")}
    return like_type(graph.build("attention", wide, attributes), element_type)


def with_additive_mask(op: ir.Operation) -> ir.Value | None:
    """The op with an additive mask of 0 and `fill`, where adding a value as low amounts to replacing by
    it."""
    q, k, v, *masks = list(op.operands)
    if not masks or str(graph.element_type(masks[0])) != "i1":
        return None
    fill = graph.attribute(op, "fill")
    fill_value = float("-inf") if fill is None else fill
    if fill_value > ml_dtypes.finfo(dtype(q)).min / 2:  # type: ignore[no-untyped-call]
        return None
    additive = graph.build("where", [masks[0], scalar_constant(0, q), scalar_constant(fill_value, q)])
    attributes = {name: graph.attribute(op, name) for name in ("scale", "causal", "safe")}
    return graph.build("attention", [q, k, v, additive], attributes)


def _scale_scores(scores: ir.Value, scale: float) -> ir.Value:
    """Multiplies scores after the product, whose kernel fuses the factor as epilogue."""
    return scores if scale == 1 else graph.build("mul", [scores, scalar_constant(scale, scores)])


def _mask_scores(op: ir.Operation, scores: ir.Value) -> ir.Value:
    """Scores with the mask operand and the causal mask."""
    operands = list(op.operands)
    if len(operands) > 3 and str(graph.element_type(operands[3])) == "i1":
        fill = graph.attribute(op, "fill")
        lowest = scalar_constant(float("-inf") if fill is None else fill, scores)
        scores = graph.build("where", [operands[3], scores, lowest])
    elif len(operands) > 3:
        scores = graph.build("add", [scores, operands[3]])
    return graph.build("add", [scores, _causal(scores)]) if graph.attribute(op, "causal") else scores


def _causal(scores: ir.Value) -> ir.Value:
    """0 for keys that a query sees, the lowest value for later ones; work for `@prepare`."""
    *_, rows, keys = graph.dims_of(scores)
    lowest = float(ml_dtypes.finfo(dtype(scores)).min)  # type: ignore[no-untyped-call]
    if isinstance(rows, Size) or isinstance(keys, Size):
        seen = graph.build(
            "less_equal", [_indices_between(0, keys), _column(_indices_between(keys - rows, keys), rows)]
        )
        return graph.build("where", [seen, scalar_constant(0, scores), scalar_constant(lowest, scores)])
    full = ir.RankedTensorType.get([rows, keys], graph.element_type(scores))
    low = graph.build("full", [], {"value": lowest}, full)
    return graph.build("trilu", [low], {"upper": True, "k": keys - rows + 1})


def _indices_between(first: int | Size, end: int | Size) -> ir.Value:
    """The integers of `[first, end)`, whose bounds are known sizes."""
    bounds = [graph.reshape_to(graph.sizes_vector([bound]), []) for bound in (first, end)]
    return graph.build("range", [*bounds, graph.build("constant", [], {"value": np.asarray(1)})])


def _column(vector: ir.Value, length: int | Size) -> ir.Value:
    return graph.reshape_to(vector, [length, 1])


def _weights(op: ir.Operation, scores: ir.Value) -> ir.Value:
    """The softmax over the keys; NaN counts as 0 where the op says so."""
    weights = graph.build("softmax", [scores], {"axis": scores.type.rank - 1})
    if not graph.attribute(op, "safe"):
        return weights
    return graph.build("where", [graph.build("is_nan", [weights]), scalar_constant(0, weights), weights])


@rounding
def attention_in_parts(op: ir.Operation) -> ir.Value | None:
    """Attention that no kernel computes as one. Boolean masks become additive ones, and
    groups of heads a dim."""
    if (wide := in_f32(op)) is not None:
        return wide
    if (added := with_additive_mask(op)) is not None:
        return added
    reason = obstacle(op) or _unknown_batches(op)
    if reason is None:
        return split_groups(op) if is_grouped(op) else None
    report_missed(op, "attention in one kernel", reason)
    return attention(op)


def _unknown_batches(op: ir.Operation) -> str | None:
    """Returns the reason where it is dynamic whether keys and values have the queries' batches or one."""
    q, k, v = (graph.dims_of(value)[:-3] for value in list(op.operands)[:3])
    shared = all(
        dim in (1, whole) for operand_dims in (k, v) for whole, dim in zip(q, operand_dims, strict=True)
    )
    return None if shared else "whether keys and values have the batches of the queries is not known"


@rounding
def attention_without_blocks(op: ir.Operation) -> ir.Value | None:
    """Attention that no program of a GPU's thread blocks computes as one. Groups of heads and boolean masks
    are left to the program."""
    reason = thread_block_obstacle(op)
    if reason is None:
        return None
    report_missed(op, "attention in one kernel", reason)
    return attention(op)


@rounding
def attention(op: ir.Operation) -> ir.Value | None:
    """softmax(scale * q k^T + mask) v. The queries of one group of heads are rows of one product."""
    q, k, v = list(op.operands)[:3]
    groups = graph.dims_of(q)[-3] != graph.dims_of(k)[-3]
    dims = (*graph.dims_of(q), *graph.dims_of(k), *graph.dims_of(v))
    if (groups or graph.attribute(op, "causal")) and not graph.can_compute_dims(dims):
        report_missed(op, "attention", "grouped heads and causal masks need known dims")
        return None
    *batch, count, rows, width = graph.dims_of(q)
    joined = [graph.dims_of(k)[-3], count // graph.dims_of(k)[-3] * rows] if groups else [count, rows]
    query = graph.reshape_to(q, [*batch, *joined, width]) if groups else q
    product = graph.build("matmul", [query, heads(k, transposed=True).build()])
    *leading, _, _, keys = graph.dims_of(product)
    scores = graph.reshape_to(product, [*leading, count, rows, keys]) if groups else product
    weights = _weights(op, _mask_scores(op, _scale_scores(scores, graph.attribute(op, "scale"))))
    if not groups:
        return graph.build("matmul", [weights, v])
    *leading, _, _, _ = graph.dims_of(weights)
    value = graph.build("matmul", [graph.reshape_to(weights, [*leading, *joined, keys]), v])
    return graph.reshape_to(value, graph.dims_of(op.results[0]))


def _swap_halves(x: ir.Value, axis: int) -> ir.Value:
    """Returns `x` with the two elements along `axis` exchanged."""
    whole = [Part(0, -1 if dim is None else dim, 1) for dim in graph.shape_of(x)]
    whole[axis] = Part(1, 2, -1)
    return slice_of(x, whole)


@rounding
def rotary_embedding(op: ir.Operation) -> ir.Value | None:
    """swapped(x) * (sin with the sign of the swapped pairs) + x * cos, all with a dim of 2 for the pairs: one
    kernel, as swapping is a slice with a step of -1. The signs go into sin, most often a weight."""
    x = graph.RotaryEmbedding(op).x
    shapes = [graph.dims_of(value) for value in op.operands]
    if not all(map(graph.can_compute_dims, shapes)) or not isinstance(shapes[0][-1], int):
        report_missed(op, "rotary_embedding", "its dims are not known")
        return None
    interleaved = graph.RotaryEmbedding(op).interleaved
    half = shapes[0][-1] // 2
    pairs, axis = ([half, 2], -1) if interleaved else ([2, half], -2)
    signs = np.asarray([-1, 1], dtype(x)).reshape([1, 2] if interleaved else [2, 1])
    views = zip(op.operands, shapes, strict=True)
    paired, cosines, sines = (graph.reshape_to(value, [*shape[:-1], *pairs]) for value, shape in views)
    signed = graph.build("mul", [sines, graph.build("constant", [], {"value": signs})])
    turned = graph.build("mul", [_swap_halves(paired, paired.type.rank + axis), signed])
    total = graph.build("add", [turned, graph.build("mul", [paired, cosines])])
    return graph.reshape_to(total, shapes[0])


RULES: Rules = {graph.Attention.NAME: (attention_in_parts,), graph.RotaryEmbedding.NAME: (rotary_embedding,)}
GPU_RULES: Rules = {**RULES, graph.Attention.NAME: (attention_without_blocks,)}
ALL_RULES: Rules = {**RULES, graph.Attention.NAME: (attention,)}


@dataclass(frozen=True)
class DecomposeAttention(Pass):
    """Take attention and rotary embedding apart where no kernel computes them as one.

    `attention` stays where one kernel computes it: f32, and few enough keys that the scores of a block of
    queries stay in the L2 cache, or a dynamic count of them; groups of heads become a dim. Otherwise it
    becomes product, scale, mask, softmax and product, in the form in which scale and mask end the first
    product's kernel, and the transposes of k and v its reading. Narrower
    floats are computed as f32. On GPUs (`device=gpu`) it stays for any number of keys and with all
    masks, in f32, f16 and bf16, for heads of at most 256 elements. `rotary_embedding` becomes two products
    with its factors and their sum.
    """

    name: ClassVar[str] = "graph-decompose-attention"
    exactness: ClassVar[str] = "rounding"

    one_kernel: bool = option(True, help="leave attention that one kernel computes whole")
    device: str = option("cpu", help="what those kernels run on", choices=("cpu", "gpu"))

    def run(self, op: ir.Operation) -> bool:
        # Whatever class is asked for: these ops have no other lowering.
        rules = GPU_RULES if self.device == "gpu" else RULES
        return apply_rules(op, rules if self.one_kernel else ALL_RULES, self.exactness)
