"""The `accel` dialect: programs of thread blocks on tiles."""

from mlc.dialects.accel import views
from mlc.dialects.accel.buffers import AllocOp, ReuseOp
from mlc.dialects.accel.compute import MmaOp, factor_type
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
from mlc.dialects.accel.launches import LaunchOp, SpecializeOp
from mlc.dialects.accel.memory import CommitOp, CopyOp, WaitGroupsOp, WaitOp, box_of
from mlc.dialects.accel.ping_pong import AwaitPingPongOp, PassPingPongOp
from mlc.dialects.accel.semaphores import AwaitOp, CreateSemaphoreOp, NotifyOp
from mlc.dialects.accel.views import *  # noqa: F403

__all__ = [
    "SHARED",
    "Accel",
    "AllocOp",
    "AwaitOp",
    "AwaitPingPongOp",
    "CommitOp",
    "CopyOp",
    "CreateSemaphoreOp",
    "LaunchOp",
    "MmaOp",
    "NotifyOp",
    "PassPingPongOp",
    "ReuseOp",
    "SemaphoreType",
    "SpecializeOp",
    "TokenType",
    "WaitGroupsOp",
    "WaitOp",
    "box_of",
    "cluster_around",
    "cluster_of",
    "factor_type",
    "is_global",
    "is_shared",
    "launch_around",
]
__all__ += views.__all__
