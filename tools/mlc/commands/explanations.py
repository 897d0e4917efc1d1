"""Changes that passes made, as JSON and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from mlc.tools.mlc.text_tables import byte_size

if TYPE_CHECKING:
    from rich.console import Console

    from mlc.analysis.explanation import PassReport
    from mlc.analysis.kernel_groups import KernelGroup
    from mlc.passes.remarks import Remark

# Whether an op (name without `graph.`, ONNX nodes) is selected.
Wanted = Callable[[str, Sequence[str]], bool]
# The change, the nodes, and the rule's remark.
Line = tuple[str, Sequence[str], str]
# Lines per pass, and characters of a rule's remark, that are shown without --verbose.
_LINES, _REMARK = 12, 100


def wanted_ops(pattern: str | None) -> Wanted:
    """Returns a filter for ops with a name, or a node, that the glob `pattern` matches; None selects all."""

    def is_wanted(op: str, nodes: Sequence[str]) -> bool:
        """Whether the pattern selects an op."""
        return pattern is None or any(fnmatchcase(name, pattern) for name in (op, f"graph.{op}", *nodes))

    return is_wanted


def pass_data(report: PassReport, wanted: Wanted) -> dict[str, Any]:
    """Returns a report as JSON, with changes of the `wanted` ops only."""
    return {
        "pass": report.name,
        "pipeline": report.pipeline,
        "ops": [report.before.ops(), report.after.ops()],
        "prepare_ops": [report.before.ops("prepare"), report.after.ops("prepare")],
        "launches": sum(kernel.function == "main" for kernel in report.kernels),
        "applied": _remarks([remark for remark in report.applied if _is_wanted(remark, wanted)]),
        "missed": _remarks([remark for remark in report.missed if _is_wanted(remark, wanted)]),
        "removed": _entries(report.removed, wanted),
        "added": _entries(report.added, wanted),
        "kernels": _kernels([kernel for kernel in report.kernels if _in_group(kernel, wanted)]),
        **report.arena,
    }


def _is_wanted(remark: Remark, wanted: Wanted) -> bool:
    return wanted(remark.op.removeprefix("graph."), remark.nodes)


def _in_group(group: KernelGroup, wanted: Wanted) -> bool:
    return any(wanted(op, group.nodes) for op in (group.anchor, *group.joined))


def _nodes(groups: Iterable[Sequence[str]]) -> list[str]:
    """Returns all names, each once, in order."""
    return list(dict.fromkeys(node for nodes in groups for node in nodes))


def _remarks(remarks: Sequence[Remark]) -> list[dict[str, Any]]:
    """Groups remarks by rule and message, the most frequent first."""
    groups: dict[tuple[str, str], list[Remark]] = {}
    for remark in remarks:
        groups.setdefault((remark.rule, remark.message), []).append(remark)
    rows = [
        {
            "rule": rule,
            "message": message,
            "count": len(group),
            "nodes": _nodes(remark.nodes for remark in group),
        }
        for (rule, message), group in groups.items()
    ]
    return sorted(rows, key=lambda row: (-row["count"], row["rule"], row["message"]))


def _entries(entries: Counter, wanted: Wanted) -> list[dict[str, Any]]:
    """Groups ops by name, the most frequent first."""
    counts: Counter[str] = Counter()
    nodes: dict[str, list[Sequence[str]]] = {}
    for (op, names), count in entries.items():
        if wanted(op, names):
            counts[op] += count
            nodes.setdefault(op, []).append(names)
    order = sorted(counts, key=lambda op: (-counts[op], op))
    return [{"op": op, "count": counts[op], "nodes": _nodes(nodes[op])} for op in order]


def _kernels(groups: Sequence[KernelGroup]) -> list[dict[str, Any]]:
    """Groups launches by the ops of their kernels, the most frequent first."""
    by_ops: dict[tuple[str, str, tuple[str, ...]], list[KernelGroup]] = {}
    for group in groups:
        by_ops.setdefault((group.function, group.anchor, group.joined), []).append(group)
    rows = [
        {
            "function": function,
            "anchor": anchor,
            "joined": list(joined),
            "launches": len(group),
            "kernels": len({launch.kernel for launch in group}),
            "nodes": _nodes(launch.nodes for launch in group),
        }
        for (function, anchor, joined), group in by_ops.items()
    ]
    return sorted(rows, key=lambda row: (row["function"], -row["launches"], row["anchor"], row["joined"]))


def has_content(data: Mapping[str, Any]) -> bool:
    """Whether there is anything to print about a pass."""
    moved = data["prepare_ops"][0] != data["prepare_ops"][1]
    return moved or "arena_bytes" in data or names_ops(data)


def names_ops(data: Mapping[str, Any]) -> bool:
    """Whether there are ops that the pass changed, missed or put into kernels."""
    return any(data[name] for name in ("applied", "missed", "removed", "added", "kernels"))


def render_pass(console: Console, data: Mapping[str, Any], *, missed_only: bool, verbose: bool) -> None:
    """Prints the lines about one pass: a heading, then one per rule, in full if `verbose`."""
    console.print(_heading(data), style="bold", soft_wrap=True)
    lines = _lines(data, missed_only)
    for line in lines if verbose else lines[:_LINES]:
        for text in _format_full(line) if verbose else [_format_short(line)]:
            console.print(f"  {text}", soft_wrap=True)
    if len(lines) > _LINES and not verbose:
        console.print(f"        and {len(lines) - _LINES} more, which --verbose shows", soft_wrap=True)


def _format_short(line: Line) -> str:
    """Formats a line with the first node and the beginning of the rule's remark."""
    text, nodes, remark = line
    named = f": {nodes[0]}" if nodes else ""
    more = f" and {len(nodes) - 1} more" if len(nodes) > 1 else ""
    short = f"{remark[: _REMARK - 3]}..." if len(remark) > _REMARK else remark
    return f"{text}{named}{more}{f' ({short})' if short else ''}"


def _format_full(line: Line) -> list[str]:
    text, nodes, remark = line
    return [f"{text}{f' ({remark})' if remark else ''}", *(f"        {node}" for node in nodes)]


def _heading(data: Mapping[str, Any]) -> str:
    before, after = data["ops"]
    if "arena_bytes" in data:
        bound = byte_size(data["arena_lower_bound"])
        changes = [f"arena {byte_size(data['arena_bytes'])}, lower bound {bound}"]
    elif data["launches"]:
        changes = [f"{before} ops -> {data['launches']} launches"]
    else:
        changes = [f"{before} -> {after} ops" if before != after else f"{after} ops"]
        if data["prepare_ops"][0] != data["prepare_ops"][1]:
            changes.append(f"@prepare {data['prepare_ops'][0]} -> {data['prepare_ops'][1]}")
    where = f" ({data['pipeline']})" if data["pipeline"] not in ("", data["pass"]) else ""
    return f"{data['pass']}{where}: {', '.join(changes)}"


def _lines(data: Mapping[str, Any], missed_only: bool) -> list[Line]:
    missed = [
        (f"{row['count']:4d}x missed {row['rule']}", row["nodes"], row["message"]) for row in data["missed"]
    ]
    return missed if missed_only else [*_changes(data), *missed]


def _changes(data: Mapping[str, Any]) -> list[Line]:
    """Returns lines for rewrites of rules with their net effect, and kernels; else the ops that were added
    and removed."""
    lines: list[Line] = [
        (f"{row['count']:4d}x {row['rule']}", row["nodes"], row["message"]) for row in data["applied"]
    ]
    if lines and (net := _net(data)):
        lines.append((f"      ops: {net}", (), ""))
    lines += [(f"{row['launches']:4d}x {_kernel(row)}", row["nodes"], "") for row in data["kernels"]]
    if lines or "arena_bytes" in data:
        return lines
    # Ops that are removed without a rule and without replacements had unused results.
    dead = " (dead)" if data["pass"] == "canonicalize" and not data["added"] else ""
    return [
        (f"{sign}{row['count']:3d}x {row['op']}{dead}", row["nodes"], "")
        for sign, name in (("-", "removed"), ("+", "added"))
        for row in data[name]
    ]


def _kernel(row: Mapping[str, Any]) -> str:
    where = "" if row["function"] == "main" else f"@{row['function']}: "
    joined = f" with {', '.join(row['joined'])}" if row["joined"] else " alone"
    return f"{where}{row['anchor']}{joined}"


def _net(data: Mapping[str, Any]) -> str:
    """Returns the net change of op counts by name: "-24 transpose, +12 gelu"."""
    net = Counter({row["op"]: row["count"] for row in data["added"]})
    net.subtract({row["op"]: row["count"] for row in data["removed"]})
    changed = sorted((count, op) for op, count in net.items() if count)
    return ", ".join(f"{count:+d} {op}" for count, op in changed)
