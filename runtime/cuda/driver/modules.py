"""Loads images of GPU code (PTX, cubin, fatbin) and finds their functions."""

from __future__ import annotations

import ctypes
from functools import partial

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.errors import CudaError
from mlc.runtime.cuda.driver.image_info import ImageInfo, inspect_image
from mlc.runtime.cuda.driver.resource import Resource
from mlc.runtime.cuda.driver.signatures import FUNCTION_ATTRIBUTES

LOG_BYTES = 1 << 14
# CU_JIT_INFO_LOG_BUFFER, its size, CU_JIT_ERROR_LOG_BUFFER, its size.
_LOG_OPTIONS = (3, 4, 5, 6)


class Module(Resource):
    """A loaded image. `log` is the output of the driver's compiler for PTX; "" for a cubin."""

    def __init__(self, device: Device, image: bytes, name: str = "image") -> None:
        """`name` is for messages. Raises CudaError with the compiler's log if the image cannot be loaded."""
        self.name = name
        self.info = inspect_image(image, name)
        handle, self.log = _load(device, image, name, self.info)
        self._handle = handle.value
        release = partial(device.call, "cuModuleUnload", handle, doing=f"unload {name}")
        super().__init__(device, release)

    def function(self, name: str) -> Function:
        """Returns a kernel by its name in the image. Raises CudaError if there is none."""
        self.check_open()
        handle = ctypes.c_void_p()
        doing = f"find the kernel '{name}' in {self.name}"
        self.device.call(
            "cuModuleGetFunction", ctypes.byref(handle), self._handle, name.encode(), doing=doing
        )
        return Function(self, name, handle.value or 0)


class Function:
    """A kernel. It keeps its module alive."""

    def __init__(self, module: Module, name: str, handle: int) -> None:
        self.module = module
        self.device = module.device
        self.name = name
        self.handle = handle

    def __str__(self) -> str:
        return f"the kernel '{self.name}'"

    def attribute(self, name: str) -> int:
        """Returns an attribute: per block "max_threads", "static_shared_bytes", "max_dynamic_shared_bytes";
        per thread "registers", "local_bytes" (spills)."""
        value = ctypes.c_int()
        self.device.call(
            "cuFuncGetAttribute",
            ctypes.byref(value),
            FUNCTION_ATTRIBUTES[name],
            self.handle,
            doing=f"ask for {name} of {self}",
        )
        return value.value

    def reserve_shared(self, nbytes: int) -> None:
        """Lets launches use up to `nbytes` of dynamic shared memory per block.

        Raises CudaError naming the limit if the device has less beside the kernel's static shared memory.
        """
        static, most = self.attribute("static_shared_bytes"), self.device.properties.max_shared_bytes
        if nbytes + static > most:
            raise CudaError(
                f"{self} needs {nbytes} bytes of dynamic and {static} of static shared memory per block; "
                f"{self.device} ({self.device.properties.architecture}) has {most}"
            )
        if nbytes > self.attribute("max_dynamic_shared_bytes"):
            self._set("max_dynamic_shared_bytes", nbytes)

    def allow_large_clusters(self) -> None:
        """Lets clusters have more than 8 blocks, which not every device of an architecture can hold."""
        self._set("non_portable_cluster", 1)

    def _set(self, name: str, value: int) -> None:
        doing = f"set {name} of {self} to {value}"
        self.device.call("cuFuncSetAttribute", self.handle, FUNCTION_ATTRIBUTES[name], value, doing=doing)


def _load(device: Device, image: bytes, name: str, info: ImageInfo) -> tuple[ctypes.c_void_p, str]:
    handle = ctypes.c_void_p()
    output, errors = ctypes.create_string_buffer(LOG_BYTES), ctypes.create_string_buffer(LOG_BYTES)
    options = (ctypes.c_int * 4)(*_LOG_OPTIONS)
    # Sizes are passed as pointers; the driver overwrites them with the bytes that it used.
    values = (ctypes.c_void_p * 4)(ctypes.addressof(output), LOG_BYTES, ctypes.addressof(errors), LOG_BYTES)
    # ctypes terminates bytes with NUL, which PTX needs.
    arguments = (ctypes.byref(handle), image, len(options), options, values)
    with device.current():
        status = device.driver.function("cuModuleLoadDataEx")(*arguments)
    if status:
        cause = info.cause(status, device.properties.architecture, device.driver.version)
        error = device.driver.error(status, f"load {name} on {device}", cause)
        log = errors.value.decode(errors="replace").strip()
        raise CudaError(f"{error}\n{log}" if log else str(error), error.status, error.name)
    return handle, output.value.decode(errors="replace").strip()
