"""What passes did, as JSON and as text."""

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

# Whether an op (name without `graph.`, ONNX nodes) is asked for.
Wanted = Callable[[str, Sequence[str]], bool]
# What was done, the nodes, and what the rule says of itself.
Line = tuple[str, Sequence[str], str]
# Lines per pass, and characters of a rule's text, that are shown unless all is asked for.
_LINES, _REMARK = 12, 100


def wanted_ops(pattern: str | None) -> Wanted:
    """Ops with a name, or a node, that the glob `pattern` matches; all without one."""

    def wanted(op: str, nodes: Sequence[str]) -> bool:
        return pattern is None or any(fnmatchcase(name, pattern) for name in (op, f"graph.{op}", *nodes))

    return wanted


def pass_data(report: PassReport, wanted: Wanted) -> dict[str, Any]:
    """A report as JSON. Of an op's change only what is `wanted`."""
    return {
        "pass": report.name,
        "pipeline": report.pipeline,
        "ops": [report.before.ops(), report.after.ops()],
        "prepare_ops": [report.before.ops("prepare"), report.after.ops("prepare")],
        "launches": sum(kernel.function == "main" for kernel in report.kernels),
        "applied": _remarks([each for each in report.applied if _asked(each, wanted)]),
        "missed": _remarks([each for each in report.missed if _asked(each, wanted)]),
        "removed": _entries(report.removed, wanted),
        "added": _entries(report.added, wanted),
        "kernels": _kernels([kernel for kernel in report.kernels if _in_group(kernel, wanted)]),
        **report.arena,
    }


def _asked(remark: Remark, wanted: Wanted) -> bool:
    return wanted(remark.op.removeprefix("graph."), remark.nodes)


def _in_group(group: KernelGroup, wanted: Wanted) -> bool:
    return any(wanted(op, group.nodes) for op in (group.anchor, *group.joined))


def _nodes(groups: Iterable[Sequence[str]]) -> list[str]:
    """All names, each once, in order."""
    return list(dict.fromkeys(node for nodes in groups for node in nodes))


def _remarks(remarks: Sequence[Remark]) -> list[dict[str, Any]]:
    """Remarks of one rule and one message together, the most frequent first."""
    groups: dict[tuple[str, str], list[Remark]] = {}
    for remark in remarks:
        groups.setdefault((remark.rule, remark.message), []).append(remark)
    rows = [
        {"rule": rule, "message": message, "count": len(group), "nodes": _nodes(each.nodes for each in group)}
        for (rule, message), group in groups.items()
    ]
    return sorted(rows, key=lambda row: (-row["count"], row["rule"], row["message"]))


def _entries(entries: Counter, wanted: Wanted) -> list[dict[str, Any]]:
    """Ops by kind, the most frequent first."""
    counts: Counter[str] = Counter()
    nodes: dict[str, list[Sequence[str]]] = {}
    for (op, names), count in entries.items():
        if wanted(op, names):
            counts[op] += count
            nodes.setdefault(op, []).append(names)
    order = sorted(counts, key=lambda op: (-counts[op], op))
    return [{"op": op, "count": counts[op], "nodes": _nodes(nodes[op])} for op in order]


def _kernels(groups: Sequence[KernelGroup]) -> list[dict[str, Any]]:
    """Launches by what their kernels hold, the most frequent first."""
    alike: dict[tuple[str, str, tuple[str, ...]], list[KernelGroup]] = {}
    for group in groups:
        alike.setdefault((group.function, group.anchor, group.joined), []).append(group)
    rows = [
        {
            "function": function,
            "anchor": anchor,
            "joined": list(joined),
            "launches": len(group),
            "kernels": len({each.kernel for each in group}),
            "nodes": _nodes(each.nodes for each in group),
        }
        for (function, anchor, joined), group in alike.items()
    ]
    return sorted(rows, key=lambda row: (row["function"], -row["launches"], row["anchor"], row["joined"]))


def says_something(data: Mapping[str, Any]) -> bool:
    """Whether there is anything to print about a pass."""
    moved = data["prepare_ops"][0] != data["prepare_ops"][1]
    return moved or "arena_bytes" in data or names_ops(data)


def names_ops(data: Mapping[str, Any]) -> bool:
    """Whether there are ops that the pass changed, missed or put into kernels."""
    return any(data[name] for name in ("applied", "missed", "removed", "added", "kernels"))


def render_pass(console: Console, data: Mapping[str, Any], *, missed_only: bool, verbose: bool) -> None:
    """The lines about one pass: a heading, then one per rule; what makes them long only if `verbose`."""
    console.print(_heading(data), style="bold", soft_wrap=True)
    lines = _lines(data, missed_only)
    for line in lines if verbose else lines[:_LINES]:
        for text in _in_full(line) if verbose else [_in_short(line)]:
            console.print(f"  {text}", soft_wrap=True)
    if len(lines) > _LINES and not verbose:
        console.print(f"        and {len(lines) - _LINES} more, which --verbose shows", soft_wrap=True)


def _in_short(line: Line) -> str:
    """The first node, and the beginning of what the rule says of itself."""
    text, nodes, remark = line
    named = f": {nodes[0]}" if nodes else ""
    more = f" and {len(nodes) - 1} more" if len(nodes) > 1 else ""
    said = f"{remark[: _REMARK - 3]}..." if len(remark) > _REMARK else remark
    return f"{text}{named}{more}{f' ({said})' if said else ''}"


def _in_full(line: Line) -> list[str]:
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
    return missed if missed_only else [*_done(data), *missed]


def _done(data: Mapping[str, Any]) -> list[Line]:
    """Rewrites of rules and what they did to the ops, or kernels; else the ops that came and went."""
    lines: list[Line] = [
        (f"{row['count']:4d}x {row['rule']}", row["nodes"], row["message"]) for row in data["applied"]
    ]
    if lines and (net := _net(data)):
        lines.append((f"      ops: {net}", (), ""))
    lines += [(f"{row['launches']:4d}x {_kernel(row)}", row["nodes"], "") for row in data["kernels"]]
    if lines or "arena_bytes" in data:
        return lines
    # Of the ops that go without a rule and without others in their place nothing read the results.
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
    """The change of the number of ops of each kind: "-24 transpose, +12 gelu"."""
    net = Counter({row["op"]: row["count"] for row in data["added"]})
    net.subtract({row["op"]: row["count"] for row in data["removed"]})
    changed = sorted((count, op) for op, count in net.items() if count)
    return ", ".join(f"{count:+d} {op}" for count, op in changed)
