"""The command `mlc stats`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.commands.stats_tables import first_node, render
from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.compile_options import graph_options
from mlc.tools.mlc.model_loading import check_is_model, show_log
from mlc.tools.mlc.option_types import FilePath
from mlc.tools.mlc.session import CommandSession, output_options

if TYPE_CHECKING:
    from mlc.analysis import Cost, ModuleCosts, OpCosts
    from mlc.compiler import Options


@click.command("stats", short_help="Count what a model computes and moves.")
@click.argument("model", type=FilePath())
@click.option("--per-op/--by-type", default=False, help="One line per op, or per op type (the default).")
@click.option("--optimized", is_flag=True, help="After graph-optimize rather than as imported.")
@click.option("--kernels", is_flag=True, help="After fusion: the launches of kernels.")
@graph_options
@output_options
def stats_command(
    session: CommandSession, *, flags: CompileFlags, model: str, per_op: bool, optimized: bool, kernels: bool
) -> None:
    """Count the parameters, multiply-accumulates (MACs), memory accesses and bytes of MODEL (.onnx or .mlir).

    Memory accesses are the literature's: one input read per MAC, each weight once, each output once. Moved
    bytes are each op's operands and results, once. The totals of MACs and accesses cover convolutions and
    matrix products; other ops are listed apart. Peak memory is that of activations, each allocated until its
    last use; with --kernels also the planned arena. Ops on values whose sizes depend on data are named, and
    not counted. Nothing is compiled.
    """
    if optimized and kernels:
        raise click.UsageError("--optimized and --kernels are two levels; choose one")
    check_is_model(model)
    show_log(session)
    level = "form-kernels" if kernels else "graph-optimize" if optimized else "import"
    with session.progress() as progress:
        costs, plan = _measure(model, flags.options(progress), level)
    data = {"model": model, "level": level, **_totals(costs), **plan, "op_types": _sum_by_name(costs.ops)}
    if per_op:
        data["ops"] = [_op(op) for op in costs.ops]
    session.show(data, lambda console: render(console, data))


def _measure(model: str, options: Options, level: str) -> tuple[ModuleCosts, dict[str, int]]:
    """Returns the costs at `level`, and after kernels are formed the planned arena, if there is one."""
    from mlc.analysis import module_costs
    from mlc.compiler.levels import levels

    steps = levels(model, options, static=True)
    costs = next(module_costs(module, known_only=True) for name, module in steps if name == level)
    if level != "form-kernels":
        return costs, {}
    *_, (_, planned) = steps
    return costs, _arena(planned)


def _arena(module: Any) -> dict[str, int]:
    """Returns the planner's attributes of `@main`; empty for dynamic allocation."""
    from mlc.compiler.sources.imported_module import main_of

    attributes = main_of(module).operation.attributes
    if "tloop.dims" in attributes:
        return {}
    return {name: attributes[f"tloop.{name}"].value for name in ("arena_bytes", "arena_lower_bound")}


def _cost(cost: Cost) -> dict[str, Any]:
    return {
        "macs": cost.macs,
        "accesses": cost.accesses,
        "flops": cost.flops,
        "moved_bytes": cost.moved_bytes,
        "intensity": round(cost.intensity, 3),
    }


def _totals(costs: ModuleCosts) -> dict[str, Any]:
    """Returns the totals; MACs and memory accesses are those of products and convolutions."""
    return {
        "parameters": costs.parameters,
        "weight_bytes": costs.weight_bytes,
        **_cost(costs.total),
        "accesses": costs.products.accesses,
        "peak_bytes": costs.peak_bytes,
        "launches": costs.launches,
        "kernels": costs.kernels,
        "constant_ops": costs.constant_ops,
        "unknown": [
            {"node": first_node(op.nodes), "op": op.name, "cause": op.unknown} for op in costs.unknown
        ],
    }


def _sum_by_name(ops: Iterable[OpCosts]) -> list[dict[str, Any]]:
    """Sums costs by op name, those with the most work first."""
    from mlc.analysis import Cost

    groups: dict[str, list[OpCosts]] = {}
    for op in ops:
        groups.setdefault(op.name, []).append(op)
    rows = [
        {
            "op": name,
            "products": group[0].is_product,
            "count": len(group),
            "unknown": sum(bool(op.unknown) for op in group),
            "parameters": sum(op.parameters for op in group),
            **_cost(sum((op.cost for op in group), Cost())),
        }
        for name, group in groups.items()
    ]
    return sorted(rows, key=lambda row: (-row["macs"], -row["flops"], -row["moved_bytes"], row["op"]))


def _op(op: OpCosts) -> dict[str, Any]:
    kernel = {"kernel": op.kernel} if op.kernel else {}
    facts = {"op": op.name, **kernel, "products": op.is_product, "nodes": list(op.nodes), "dtype": op.dtype}
    return {
        **facts,
        "shape": list(op.shape),
        "unknown": op.unknown,
        "parameters": op.parameters,
        **_cost(op.cost),
    }
