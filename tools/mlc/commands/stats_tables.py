"""The tables of `mlc stats`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlc.tools.mlc.text_tables import byte_size, table, tensor_text

if TYPE_CHECKING:
    from rich.console import Console

_LEVELS = {
    "import": "as imported",
    "graph-optimize": "after graph-optimize",
    "form-kernels": "after form-kernels",
}
_COLUMNS = (
    ">params M",
    ">MACs M",
    ">accesses M",
    ">MFLOP",
    ">MB moved",
    ">FLOP/byte",
)


def render(console: Console, data: Mapping[str, Any]) -> None:
    """Prints the sums, then a line per op or name of op."""
    console.print(table(("", ""), _summary(data)))
    rows = data.get("ops", data["op_types"])
    for title, group in (
        ("convolutions and products", [row for row in rows if row["products"]]),
        ("other ops", [row for row in rows if not row["products"]]),
    ):
        if group:
            console.print()
            first = ("node", "op", "result") if "ops" in data else (">count", "op")
            lines = [_names(row) + _cost_cells(row) for row in group]
            console.print(table((*first, *_COLUMNS), lines, title=title))


def _summary(data: Mapping[str, Any]) -> list[list[str]]:
    known = " of known sizes" if data["unknown"] else ""
    rows = [
        ["model", f"{data['model']}, {_LEVELS[data['level']]}"],
        ["parameters", f"{_millions(data['parameters'])} M ({byte_size(data['weight_bytes'])})"],
        ["multiply-accumulates", f"{_millions(data['macs'])} M"],
        ["memory accesses", f"{_millions(data['accesses'])} M (one read per MAC, weights and outputs once)"],
        ["operations", f"{_millions(data['flops'])} MFLOP (two per MAC, and other ops)"],
        ["bytes moved", f"{byte_size(data['moved_bytes'])} (operands and results of each op, once)"],
        ["intensity", f"{data['intensity']:.1f} FLOP per byte"],
        ["peak memory", f"{byte_size(data['peak_bytes'])} of activations, inputs and outputs{known}"],
    ]
    if data["launches"]:
        rows.append(["kernels", f"{data['kernels']}, in {data['launches']} launches"])
    if "arena_bytes" in data:
        bound = byte_size(data["arena_lower_bound"])
        rows.append(
            ["planned arena", f"{byte_size(data['arena_bytes'])} of activations alone (lower bound {bound})"]
        )
    if data["constant_ops"]:
        rows.append(["not counted", f"{data['constant_ops']} ops on constants alone, computed before a call"])
    if data["unknown"]:
        rows.append(["not known", _unknown(data["unknown"])])
    return rows


def _unknown(ops: Sequence[Mapping[str, Any]]) -> str:
    """Names the ops that are in no sum, at most five."""
    names = [f"{op['op']} '{op['node']}'" if op["node"] else op["op"] for op in ops]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    count = f"{len(names)} {'op' if len(names) == 1 else 'ops'}"
    return f"{count} of sizes that depend on data, in no sum above: {', '.join(names[:5])}{more}"


def _names(row: Mapping[str, Any]) -> list[str]:
    if "nodes" in row:
        return [first_node(row["nodes"]), row["op"], tensor_text(row["dtype"], row["shape"])]
    unknown = f" ({row['unknown']} not known)" if row["unknown"] else ""
    return [str(row["count"]), row["op"] + unknown]


def first_node(nodes: Sequence[str]) -> str:
    """Returns the first of an op's ONNX nodes, and the number of further ones."""
    more = f" (+{len(nodes) - 1})" if len(nodes) > 1 else ""
    return f"{nodes[0]}{more}" if nodes else ""


def _cost_cells(row: Mapping[str, Any]) -> list[str]:
    if row["unknown"] and row["unknown"] == row.get("count", row["unknown"]):
        return [_millions(row["parameters"]), *["?"] * 5]
    counts = [_millions(row[name]) for name in ("parameters", "macs", "accesses", "flops", "moved_bytes")]
    return [*counts, f"{row['intensity']:.1f}"]


def _millions(count: int) -> str:
    """Returns millions with one decimal, or two significant figures for small counts."""
    return f"{count / 1e6:.1f}" if count >= 99_500 or count == 0 else f"{count / 1e6:.2g}"
