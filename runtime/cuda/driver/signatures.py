"""The driver's functions that the runtime calls, and the structures that they take (cuda.h of CUDA 13.0).

Symbols carry the suffix that cuda.h adds by macros (`cuMemAlloc` is the symbol `cuMemAlloc_v2`).
All of them return a CUresult.
"""

from __future__ import annotations

from ctypes import Structure, c_char_p, c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_void_p
from typing import Any

# Handles and pointers of all types; ctypes takes byref(...) and arrays for it too.
_pointer, _address = c_void_p, c_uint64

SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (_pointer,),
    "cuGetErrorName": (c_int, _pointer),
    "cuGetErrorString": (c_int, _pointer),
    # Devices and contexts
    "cuDeviceGetCount": (_pointer,),
    "cuDeviceGet": (_pointer, c_int),
    "cuDeviceGetName": (_pointer, c_int, c_int),
    "cuDeviceGetAttribute": (_pointer, c_int, c_int),
    "cuDeviceTotalMem_v2": (_pointer, c_int),
    "cuDevicePrimaryCtxRetain": (_pointer, c_int),
    "cuDevicePrimaryCtxRelease_v2": (c_int,),
    "cuCtxPushCurrent_v2": (_pointer,),
    "cuCtxPopCurrent_v2": (_pointer,),
    "cuCtxSynchronize": (),
    # Memory
    "cuMemGetInfo_v2": (_pointer, _pointer),
    "cuMemAlloc_v2": (_pointer, c_size_t),
    "cuMemFree_v2": (_address,),
    "cuMemHostAlloc": (_pointer, c_size_t, c_uint),
    "cuMemFreeHost": (_pointer,),
    "cuMemcpyHtoD_v2": (_address, _pointer, c_size_t),
    "cuMemcpyDtoH_v2": (_pointer, _address, c_size_t),
    "cuMemcpyHtoDAsync_v2": (_address, _pointer, c_size_t, _pointer),
    "cuMemcpyDtoHAsync_v2": (_pointer, _address, c_size_t, _pointer),
    "cuMemcpyDtoDAsync_v2": (_address, _address, c_size_t, _pointer),
    "cuMemsetD8Async": (_address, c_ubyte, c_size_t, _pointer),
    # Streams and events
    "cuStreamCreate": (_pointer, c_uint),
    "cuStreamDestroy_v2": (_pointer,),
    "cuStreamSynchronize": (_pointer,),
    "cuStreamQuery": (_pointer,),
    "cuStreamWaitEvent": (_pointer, _pointer, c_uint),
    "cuEventCreate": (_pointer, c_uint),
    "cuEventDestroy_v2": (_pointer,),
    "cuEventRecord": (_pointer, _pointer),
    "cuEventQuery": (_pointer,),
    "cuEventSynchronize": (_pointer,),
    "cuEventElapsedTime": (_pointer, _pointer, _pointer),
    # Modules and launches
    "cuModuleLoadDataEx": (_pointer, c_char_p, c_uint, _pointer, _pointer),
    "cuModuleUnload": (_pointer,),
    "cuModuleGetFunction": (_pointer, _pointer, c_char_p),
    "cuFuncGetAttribute": (_pointer, c_int, _pointer),
    "cuFuncSetAttribute": (_pointer, c_int, c_int),
    "cuLaunchKernel": (_pointer, *[c_uint] * 7, _pointer, _pointer, _pointer),
    "cuLaunchKernelEx": (_pointer, _pointer, _pointer, _pointer),
    "cuTensorMapEncodeTiled": (_pointer, c_int, c_uint, *[_pointer] * 5, *[c_int] * 4),
    # Graphs
    "cuStreamBeginCapture_v2": (_pointer, c_int),
    "cuStreamEndCapture": (_pointer, _pointer),
    "cuGraphInstantiateWithFlags": (_pointer, _pointer, c_uint64),
    "cuGraphExecUpdate_v2": (_pointer, _pointer, _pointer),
    "cuGraphLaunch": (_pointer, _pointer),
    "cuGraphExecDestroy": (_pointer,),
    "cuGraphDestroy": (_pointer,),
}

# The CUDA version that a driver must support for a function; the others are in every supported driver.
MINIMUM_VERSION = 11040
SINCE = {"cuLaunchKernelEx": 11080, "cuTensorMapEncodeTiled": 12000, "cuGraphExecUpdate_v2": 12000}


class LaunchAttribute(Structure):
    """CUlaunchAttribute with the value `clusterDim`, or with `programmaticStreamSerializationAllowed` as its
    first integer; the union has 64 bytes."""

    _fields_ = [("id", c_int), ("pad", c_int), ("value", c_uint * 16)]


class LaunchConfig(Structure):
    """CUlaunchConfig."""

    _fields_ = [
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared_bytes", c_uint),
        ("stream", c_void_p),
        ("attributes", c_void_p),
        ("attribute_count", c_uint),
    ]


class GraphUpdateResult(Structure):
    """CUgraphExecUpdateResultInfo."""

    _fields_ = [("result", c_int), ("node", c_void_p), ("from_node", c_void_p)]


CLUSTER_DIMENSION, PROGRAMMATIC_SERIALIZATION = 4, 6
FUNCTION_ATTRIBUTES = {
    "max_threads": 0,
    "static_shared_bytes": 1,
    "local_bytes": 3,
    "registers": 4,
    "max_dynamic_shared_bytes": 8,
    "non_portable_cluster": 14,
}
DEVICE_ATTRIBUTES = {
    "max_threads_per_block": 1,
    "multiprocessors": 16,
    "l2_bytes": 38,
    "major": 75,
    "minor": 76,
    "max_shared_bytes": 97,
    "clusters": 120,
    "tensor_maps": 127,
}
