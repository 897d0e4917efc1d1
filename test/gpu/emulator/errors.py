"""Errors of an emulated kernel."""

from __future__ import annotations


class EmulatorError(Exception):
    """A kernel does what a GPU forbids or leaves undefined; the message names op, block and warps."""


class UnknownOp(EmulatorError):
    """An op, an intrinsic or a piece of PTX that the emulator has no function for."""


class MemoryFault(EmulatorError):
    """An access outside memory, or misaligned."""


class RaceFound(EmulatorError):
    """Two accesses to shared memory, at least one a write, that nothing orders."""


class Deadlock(EmulatorError):
    """Every warp waits, and nothing is in flight that could wake one."""
