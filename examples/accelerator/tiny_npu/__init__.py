"""A made-up accelerator, tiny-npu, as a plugin of mlc: `mlc compile model.onnx --target tiny-npu`."""

from __future__ import annotations

from typing import Any


def register(registry: Any) -> None:
    """Adds the passes, which are imported when they run, the pipelines and the target; mlc calls it."""
    from mlc.pipelines.named import register_pipeline
    from mlc.targets import register_target
    from tiny_npu.pipelines import GRAPH, KERNEL
    from tiny_npu.target import NAME, describe

    registry.register("tiny-npu-schedule", "tiny_npu.schedule:ScheduleForNpu")
    registry.register("tiny-npu-lower", "tiny_npu.lower:Lower")
    register_pipeline("tiny-npu-graph", GRAPH)
    register_pipeline("tiny-npu-kernel", KERNEL)
    register_target(NAME, describe)
