"""The `tloop` dialect: kernels, launches, schedules."""

from mlc.dialects.tloop.dialect import BlockType, LoopType, TLoop
from mlc.dialects.tloop.kernels import Launch, LaunchInto
from mlc.dialects.tloop.schedule import ComputeAt, GetBlock, Peel, Reorder, Schedule, Tile, Unroll, Vectorize

__all__ = [
    "GetBlock",
    "BlockType",
    "ComputeAt",
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
]
