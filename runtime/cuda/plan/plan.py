"""A plan: the host program of a GPU as data (docs/gpu-runtime.md describes its JSON).

Images are code; kernels are their functions with a geometry; buffers are memory; steps launch, copy
and call, in order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mlc.runtime.cuda.plan.checks import check_plan
from mlc.runtime.cuda.plan.json_records import decode, encode
from mlc.runtime.cuda.plan.parts import NO_CODE, Buffer, Image, PlanKernel, Processor, Step, TensorBuffer
from mlc.runtime.errors import ExecutableError

FORMAT = 2
MAX_TEXT_BYTES = 1 << 28


@dataclass(frozen=True)
class Plan:
    """Steps of one stream run in order. All streams begin together; the end waits for all of them."""

    images: tuple[Image, ...]
    kernels: tuple[PlanKernel, ...]
    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    streams: int = 1
    processor: Processor = NO_CODE

    def __post_init__(self) -> None:
        """Raises ExecutableError naming the part that does not fit the others."""
        check_plan(self)

    def tensors(self, role: str) -> dict[int, TensorBuffer]:
        """Returns the inputs, outputs or weights, by index of the buffer, in order."""
        return self._by_role[role]

    @property
    def code_files(self) -> tuple[str, ...]:
        """The names of the images, followed by those of the processor's objects."""
        return (*(image.name for image in self.images), *self.processor.objects)

    @cached_property
    def _by_role(self) -> dict[str, dict[int, TensorBuffer]]:
        found: dict[str, dict[int, TensorBuffer]] = {"input": {}, "output": {}, "weight": {}}
        for index, buffer in enumerate(self.buffers):
            if isinstance(buffer, TensorBuffer):
                found[buffer.role][index] = buffer
        return found

    def to_json(self) -> dict[str, Any]:
        """Returns a JSON object that `from_json` reads."""
        return {"format": FORMAT, **encode(self)}

    @staticmethod
    def from_json(data: Any, where: str = "plan") -> Plan:
        """Returns a checked plan. `where` begins the message of the ExecutableError."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise ExecutableError(f"{where}: no plan of format {FORMAT}")
        made = decode(Plan, {key: value for key, value in data.items() if key != "format"}, where)
        assert isinstance(made, Plan)
        return made


def parse_plan(text: bytes | str, where: str = "plan") -> Plan:
    """Returns a checked plan from JSON text. Raises ExecutableError."""
    if len(text) > MAX_TEXT_BYTES:
        raise ExecutableError(f"{where}: {len(text)} bytes are more than {MAX_TEXT_BYTES}")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ExecutableError(f"{where}: not valid JSON: {error}") from error
    return Plan.from_json(data, where)
