"""The kernel that a schedule transforms, and what the schedule's handles stand for.

Computations and loops are found by tags, not by transform handles: a computation carries
`tloop.block = "name"`, a loop the attribute `tloop.loop.<n>`. Tags survive cloning, so that a step after
peeling reaches every copy.
"""

from __future__ import annotations

import re
from random import Random

from mlc.bindings import affine, ir, scf
from mlc.dialects.tloop.handles import SAMPLED, is_value
from mlc.passes.common.named_blocks import carriers
from mlc.passes.schedule.common.transform_script import run_script

# A loop that a handle stands for carries this and a number.
LOOP_TAG = "tloop.loop."


class StepError(Exception):
    """A schedule primitive does not apply; the message says why."""


class ScheduleState:
    """The kernel under transformation and what the schedule's handles stand for."""

    def __init__(self, kernel: ir.Operation, random: Random | None = None) -> None:
        self.kernel = kernel
        self.tags: dict[ir.Value, str] = {}
        self.loops = 0
        # What decides for the stochastic primitives; None where they must be decided.
        self.random = random
        self.sampled: dict[ir.Value, int] = {}

    def name(self, handle: ir.Value, tag: str) -> None:
        """Lets `handle` stand for the ops that carry `tag`."""
        self.tags[handle] = tag

    def new_loop(self, handle: ir.Value) -> str:
        """Makes a fresh loop tag for `handle`."""
        self.loops += 1
        self.tags[handle] = f"{LOOP_TAG}{self.loops}"
        return self.tags[handle]

    def targets(self, handle: ir.Value) -> list[ir.Operation]:
        """The ops that `handle` stands for. Raises StepError if there are none: no transform would."""
        found = carriers(self.kernel, self.name_of(handle))
        if not found:
            raise StepError("what it works on is gone: an earlier step has replaced it")
        return found

    def name_of(self, handle: ir.Value) -> str:
        """The tag of `handle`. Raises StepError for a handle from elsewhere."""
        if handle not in self.tags:
            raise StepError("it uses a handle that this schedule does not define")
        return self.tags[handle]

    def tag(self, handle: ir.Value) -> str:
        """The tag of the ops that `handle` stands for. Raises StepError if there are none."""
        self.targets(handle)
        return self.tags[handle]

    def loop_tag(self, handle: ir.Value) -> str:
        """The tag of a sequential loop. Raises StepError for other loops."""
        if any(op.name not in (scf.For.NAME, affine.AffineFor.NAME) for op in self.targets(handle)):
            raise StepError("the loop is parallel; only a sequential one can be changed")
        return self.tags[handle]

    def sizes(self, op: ir.Operation, attribute: str) -> list[int]:
        """The array `attribute` of a primitive, with sampled values in their places."""
        values = iter(operand for operand in op.operands if is_value(operand))
        return [self.sampled[next(values)] if size == SAMPLED else size for size in op.attributes[attribute]]

    def run(self, *script: str) -> None:
        """Applies the lines of a transform script to the kernel."""
        try:
            run_script(self.kernel, "\n".join(script))
        except (ValueError, ir.MLIRError) as error:
            raise StepError(_explain(str(error))) from error


def _explain(message: str) -> str:
    """What a failed transform says first, without the place in the script and without the IR."""
    found = re.search(r"^Diagnostic message at loc\(.*?\): (.*)$", message, re.MULTILINE)
    return found[1].removesuffix(" -> ") if found else message
