"""The kernel that a schedule transforms, and the ops to which the schedule's handles refer.

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

# The attribute of a loop to which a handle refers is this and an id.
LOOP_TAG = "tloop.loop."


class StepError(Exception):
    """A schedule primitive does not apply; the message has the reason."""


class ScheduleState:
    """The kernel under transformation and the ops to which the schedule's handles refer."""

    def __init__(self, kernel: ir.Operation, random: Random | None = None) -> None:
        self.kernel = kernel
        self.tags: dict[ir.Value, str] = {}
        self.loops = 0
        # Decides for the stochastic primitives; None if they must be decided.
        self.random = random
        self.sampled: dict[ir.Value, int] = {}

    def name(self, handle: ir.Value, tag: str) -> None:
        """Lets `handle` refer to the ops that carry `tag`."""
        self.tags[handle] = tag

    def new_loop(self, handle: ir.Value) -> str:
        """Returns a new loop tag for `handle`."""
        self.loops += 1
        self.tags[handle] = f"{LOOP_TAG}{self.loops}"
        return self.tags[handle]

    def targets(self, handle: ir.Value) -> list[ir.Operation]:
        """Returns the ops to which `handle` refers. Raises StepError if there are none: no transform
        would."""
        found = carriers(self.kernel, self.name_of(handle))
        if not found:
            raise StepError("what it works on is gone: an earlier step has replaced it")
        return found

    def name_of(self, handle: ir.Value) -> str:
        """Returns the tag of `handle`. Raises StepError for a handle from elsewhere."""
        if handle not in self.tags:
            raise StepError("it uses a handle that this schedule does not define")
        return self.tags[handle]

    def tag(self, handle: ir.Value) -> str:
        """Returns the tag of the ops to which `handle` refers. Raises StepError if there are none."""
        self.targets(handle)
        return self.tags[handle]

    def loop_tag(self, handle: ir.Value) -> str:
        """Returns the tag of a sequential loop. Raises StepError for other loops."""
        if any(op.name not in (scf.For.NAME, affine.AffineFor.NAME) for op in self.targets(handle)):
            raise StepError("the loop is parallel; only a sequential one can be changed")
        return self.tags[handle]

    def sizes(self, op: ir.Operation, attribute: str) -> list[int]:
        """Returns the array `attribute` of a primitive, with its sampled values."""
        values = iter(operand for operand in op.operands if is_value(operand))
        return [self.sampled[next(values)] if size == SAMPLED else size for size in op.attributes[attribute]]

    def run(self, *script: str) -> None:
        """Applies the lines of a transform script to the kernel."""
        try:
            run_script(self.kernel, "\n".join(script))
        except (ValueError, ir.MLIRError) as error:
            raise StepError(_explain(str(error))) from error


def _explain(message: str) -> str:
    """Returns the first message of a failed transform, without the location in the script and the IR."""
    found = re.search(r"^Diagnostic message at loc\(.*?\): (.*)$", message, re.MULTILINE)
    return found[1].removesuffix(" -> ") if found else message
