"""The `tloop` dialect: kernels, launches, schedules."""

from mlc.dialects.tloop.dialect import BlockType, LoopType, TLoop
from mlc.dialects.tloop.kernels import OPERAND_LIMIT, Launch, LaunchInto, build_launch, build_launch_into
from mlc.dialects.tloop.schedule import ComputeAt, GetBlock, Peel, Reorder, Schedule, Tile, Unroll, Vectorize

__all__ = [
    "OPERAND_LIMIT",
    "BlockType",
    "ComputeAt",
    "GetBlock",
    "Launch",
    "LaunchInto",
    "LoopType",
    "Peel",
    "Reorder",
    "Schedule",
    "TLoop",
    "Tile",
    "Unroll",
    "Vectorize",
    "build_launch",
    "build_launch_into",
]
