"""Runs GPU programs through the CUDA driver API: libcuda through ctypes, NumPy, the standard library.

`import mlc.runtime` loads none of this. The runtime's C extension is loaded only for plans with parts that
run on the processor.
"""

from mlc.runtime.cuda.device_tensors import Tensor
from mlc.runtime.cuda.driver.device import Device, Properties, device_count, device_properties
from mlc.runtime.cuda.driver.errors import CudaError, DriverMissingError
from mlc.runtime.cuda.driver.graphs import Graph
from mlc.runtime.cuda.driver.launches import Launch, pointer, scalar
from mlc.runtime.cuda.driver.library import Driver, load_driver
from mlc.runtime.cuda.driver.memory import DeviceMemory, PinnedMemory
from mlc.runtime.cuda.driver.modules import Function, Module
from mlc.runtime.cuda.driver.streams import Event, Stream, elapsed_milliseconds
from mlc.runtime.cuda.driver.tensor_map import TensorMap, TensorMapSpec
from mlc.runtime.cuda.execution.program import Program
from mlc.runtime.cuda.foreign_tensors import Borrowed, borrow, borrow_array
from mlc.runtime.cuda.plan.plan import Plan, parse_plan
from mlc.runtime.cuda.plan.program_files import read_program, write_program

__all__ = [
    "Borrowed",
    "CudaError",
    "Device",
    "DeviceMemory",
    "Driver",
    "DriverMissingError",
    "Event",
    "Function",
    "Graph",
    "Launch",
    "Module",
    "PinnedMemory",
    "Plan",
    "Program",
    "Properties",
    "Stream",
    "Tensor",
    "TensorMap",
    "TensorMapSpec",
    "borrow",
    "borrow_array",
    "device_count",
    "device_properties",
    "elapsed_milliseconds",
    "load_driver",
    "parse_plan",
    "pointer",
    "read_program",
    "scalar",
    "write_program",
]
