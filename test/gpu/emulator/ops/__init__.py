"""The emulated ops, by the dialect or unit that has them; each module adds its ops to the table."""

from . import (  # noqa: F401
    aggregate,
    arith,
    barriers,
    control,
    copies,
    inline_assembly,
    math,
    matrix,
    mbarriers,
    memory,
    threads,
    wavefronts,
    wgmma,
)
