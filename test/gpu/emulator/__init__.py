"""An emulator of one lowered GPU kernel, given as MLIR (llvm.func or gpu.func; scf or branches, arith,
math, vector, llvm, nvvm), for tests without a GPU.

It executes what the PTX documentation says, as far as its authors understood it, and makes use of all
freedom that the documentation leaves: warps run in a random order, asynchronous copies and products happen
as late as their waits allow, or at random before, and memory that nobody wrote is NaN. A misplaced barrier
becomes a wrong result, an error or a deadlock.

    launch(module, a, TensorMap(b, box=(64, 128)), 7, grid=(4, 2), shared_bytes=65536,
    options=Options(seed=1))
"""

from .errors import Deadlock as Deadlock
from .errors import EmulatorError as EmulatorError
from .errors import MemoryFault as MemoryFault
from .errors import RaceFound as RaceFound
from .errors import UnknownOp as UnknownOp
from .launching import launch as launch
from .launching import load_kernel as load_kernel
from .machine import Options as Options
from .tensor_maps import TensorMap as TensorMap
from .tensor_maps import swizzle as swizzle
