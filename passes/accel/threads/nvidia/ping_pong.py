"""Ping-pong of warp groups, as CUTLASS's OrderedSequenceBarrier: each group has a barrier at which it waits
for the arrival of the group before it.

Source: NVIDIA's PTX documentation, "barrier"; Shah et al., "FlashAttention-3" (the order of warpgroups).
"""

from __future__ import annotations

from mlc.bindings import arith, ir, nvvm
from mlc.dialects import accel
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.layouts import LANE_BITS
from mlc.passes.accel.common.warpgroups import GROUP
from mlc.passes.accel.threads.common.code import Role, ThreadCode
from mlc.passes.accel.threads.common.control import then

# The id of the first group's barrier; 0 and 1 are those of the thread block and of the consumers.
_FIRST_BARRIER = 2
_GROUP_BITS = GROUP.bit_length() - 1
# The group that waits and the one that arrives.
_THREADS = 2 * GROUP << LANE_BITS


def await_ping_pong(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.await_ping_pong`: waits for the group before this one."""
    role, group = _groups(code)
    if role.warps == GROUP:
        return
    if accel.AwaitPingPong(op).first:
        with ir.InsertionPoint(then(integers.is_set(group))):
            _wait(group)
    else:
        _wait(group)


def _wait(group: ir.Value) -> None:
    barrier = integers.value(integers.add(group, _FIRST_BARRIER))
    nvvm.barrier(barrier_id=barrier, number_of_threads=integers.value(_THREADS))


def pass_ping_pong(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.pass_ping_pong`: arrives at the next group's barrier."""
    role, group = _groups(code)
    if role.warps == GROUP:
        return
    following = integers.value(integers.add(group, 1))
    is_last = arith.cmpi(arith.CmpIPredicate.eq, following, integers.value(role.warps >> _GROUP_BITS))
    if accel.PassPingPong(op).last:
        others = arith.XOrIOp(is_last, integers.truth()).result
        with ir.InsertionPoint(then(others)):
            _arrive(following)
    else:
        _arrive(integers.either(is_last, integers.value(0), following))


def _arrive(group: ir.Value) -> None:
    barrier = integers.value(integers.add(group, _FIRST_BARRIER))
    nvvm.barrier_arrive(number_of_threads=integers.value(_THREADS), barrier_id=barrier)


def _groups(code: ThreadCode) -> tuple[Role, ir.Value]:
    """Returns the role, and the index of the thread's warp group in it."""
    role = code.role
    assert role is not None, "only consumers alternate"
    return role, integers.value(integers.shift_right(role.warp, _GROUP_BITS))


HANDLERS = {accel.AwaitPingPong.NAME: await_ping_pong, accel.PassPingPong.NAME: pass_ping_pong}
