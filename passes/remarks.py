"""What passes tell people about a model: what they changed, and what they left and why.

Pattern drivers report what patterns changed; a pass reports by itself what it did otherwise, and what it
wanted to do and could not. Without a collector nothing is kept, and nothing costs time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mlc.bindings import ir


@dataclass(frozen=True)
class Remark:
    """One thing that a pass did ("applied") or did not do ("missed") at a place of the model.

    `rule` is the pattern's or the decision's name, `op` the name of the op ("graph.conv"), `location` the
    text of its location.
    """

    kind: str
    rule: str
    op: str
    location: str
    message: str = ""


_collectors: list[list[Remark]] = []


@contextmanager
def collect_remarks() -> Iterator[list[Remark]]:
    """The remarks made inside the `with` block, in order."""
    remarks: list[Remark] = []
    _collectors.append(remarks)
    try:
        yield remarks
    finally:
        _collectors.remove(remarks)


def listening() -> bool:
    """Whether anybody collects remarks: ask before a message that costs time to make."""
    return bool(_collectors)


def applied(op: ir.Operation, rule: str, message: str = "") -> None:
    """Says that `rule` changed `op`; called while the op still exists."""
    _add("applied", op, rule, message)


def missed(op: ir.Operation, rule: str, reason: str) -> None:
    """Says that `rule` would have changed `op`, but for `reason`, which a user can understand."""
    _add("missed", op, rule, reason)


def _add(kind: str, op: ir.Operation, rule: str, message: str) -> None:
    if _collectors:
        remark = Remark(kind, rule, op.name, str(op.location), message)
        for collector in _collectors:
            collector.append(remark)
