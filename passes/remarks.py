"""Remarks of passes for users of a model: applied and missed rewrites, with reasons.

The pattern driver reports what patterns changed; a pass itself reports its other rewrites, and those that it
could not do. Without a collector nothing is kept, and nothing costs time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.threads import ThreadStack


@dataclass(frozen=True)
class Remark:
    """A rewrite that a pass did ("applied") or could not do ("missed") at an op of the model.

    `rule` is the pattern's or the decision's name, `op` the name of the op ("graph.conv"), `location` the
    text of its location.
    """

    outcome: str
    rule: str
    op: str
    location: str
    message: str = ""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names in the location: ONNX nodes, or locations in a file."""
        return names_in(self.location)


_collectors: ThreadStack[list[Remark]] = ThreadStack()


@contextmanager
def collect_remarks() -> Iterator[list[Remark]]:
    """Collects the remarks of the `with` block, in order."""
    remarks: list[Remark] = []
    _collectors.items.append(remarks)
    try:
        yield remarks
    finally:
        # By identity: two collectors that hold the same are equal.
        _collectors.items[:] = [collector for collector in _collectors.items if collector is not remarks]


def listening() -> bool:
    """Whether there is a collector: ask before a message that costs time to build."""
    return bool(_collectors.items)


def report_applied(op: ir.Operation, rule: str, message: str = "") -> None:
    """Reports that `rule` changed `op`; called while the op still exists."""
    if _collectors.items:
        report_applied_at(op.name, op.location, rule, message)


def report_applied_at(name: str, location: ir.Location, rule: str, message: str = "") -> None:
    """Reports that `rule` changed an op called `name`, which may be gone."""
    _add("applied", name, location, rule, message)


def report_missed(op: ir.Operation, rule: str, reason: str) -> None:
    """Reports that `rule` would have changed `op`, but for `reason`, which a user can understand."""
    if _collectors.items:
        _add("missed", op.name, op.location, rule, reason)


def _add(outcome: str, name: str, location: ir.Location, rule: str, message: str) -> None:
    if _collectors.items:
        remark = Remark(outcome, rule, name, str(location), message)
        for collector in _collectors.items:
            collector.append(remark)


def names_in(location: str) -> tuple[str, ...]:
    """Returns the distinct names in a location's text: `a` and `b` of `loc(fused["a", "b"])`, locations in
    files as `file:line:column`."""
    found = re.finditer(r'"((?:[^"\\]|\\.)*)"(:\d+:\d+)?', location)
    return tuple(dict.fromkeys(_unescape(match[1]) + (match[2] or "") for match in found))


def _unescape(text: str) -> str:
    r"""Decodes MLIR's string escapes: `\\`, and `\41` for a byte."""
    parts = re.split(r"\\(\\|[0-9A-Fa-f]{2})", text)
    raw = [
        part.encode() if index % 2 == 0 else b"\\" if part == "\\" else bytes.fromhex(part)
        for index, part in enumerate(parts)
    ]
    return b"".join(raw).decode(errors="replace")
