"""The `accel` dialect: programs of thread blocks on tiles."""

from mlc.dialects.accel.buffers import Alloc, Reuse
from mlc.dialects.accel.compute import Mma, factor_type
from mlc.dialects.accel.dialect import (
    SHARED,
    Accel,
    SemaphoreType,
    TokenType,
    cluster_around,
    cluster_of,
    is_global,
    is_shared,
    launch_around,
)
from mlc.dialects.accel.launches import Launch, Specialize
from mlc.dialects.accel.memory import Commit, Copy, Wait, WaitGroups, box_of
from mlc.dialects.accel.ping_pong import AwaitTurn, PassTurn
from mlc.dialects.accel.semaphores import Await, CreateSemaphore, Notify

__all__ = [
    "SHARED",
    "Accel",
    "Alloc",
    "Await",
    "AwaitTurn",
    "Commit",
    "Copy",
    "CreateSemaphore",
    "Launch",
    "Mma",
    "Notify",
    "PassTurn",
    "Reuse",
    "SemaphoreType",
    "Specialize",
    "TokenType",
    "Wait",
    "WaitGroups",
    "box_of",
    "cluster_around",
    "cluster_of",
    "factor_type",
    "is_global",
    "is_shared",
    "launch_around",
]
