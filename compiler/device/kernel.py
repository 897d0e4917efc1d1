"""A compiled kernel of a GPU: its launches, its code, and what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mlc.codegen.ptxas import KernelResources, PtxasReport
from mlc.compiler.packed import pack, unpack
from mlc.runtime.cuda.plan.json_records import decode, encode
from mlc.runtime.cuda.plan.parts import PlanKernel, PlanParameter


@dataclass(frozen=True)
class KernelLaunch:
    """A launch of a function of the kernel's code. Buffer indices of the parameters are those of the kernel's
    arguments."""

    kernel: PlanKernel
    parameters: tuple[PlanParameter, ...]


@dataclass(frozen=True)
class DeviceKernel:
    """A compiled kernel, whose `launches` run in order. `image` is PTX or a cubin, according to `suffix`.
    `report` is that of NVIDIA's assembler, None where it did not run. The launches share `workspace_bytes`
    bytes of memory, which hold nothing before or after them: the buffer after the kernel's arguments."""

    launches: tuple[KernelLaunch, ...]
    image: bytes
    suffix: str = "ptx"
    report: PtxasReport | None = None
    workspace_bytes: int = 0

    def to_bytes(self) -> bytes:
        """Returns the bytes that `from_bytes` reads."""
        report = asdict(self.report) if self.report else None
        header = {
            "launches": encode(self.launches),
            "suffix": self.suffix,
            "report": report,
            "workspace_bytes": self.workspace_bytes,
        }
        return pack(header, [self.image])

    @classmethod
    def from_bytes(cls, data: bytes) -> DeviceKernel:
        """Returns the kernel of `to_bytes`; the cache has checked the bytes."""
        header, image = unpack(data)
        launches = decode(tuple[KernelLaunch, ...], header["launches"], "a kernel's launches")
        report = _report(header["report"])
        return cls(launches, bytes(image), header["suffix"], report, header["workspace_bytes"])

    def resources(self) -> list[dict[str, Any]]:
        """Returns the geometry of each launch, with ptxas's report of its function."""
        known = {kernel.name: asdict(kernel) for kernel in self.report.kernels} if self.report else {}
        return [
            {
                "function": launch.kernel.function,
                "grid": list(launch.kernel.grid),
                "threads": launch.kernel.block[0],
                "dynamic_shared_bytes": launch.kernel.shared_bytes,
                **known.get(launch.kernel.function, {}),
            }
            for launch in self.launches
        ]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of ptxas."""
        return self.report.warnings if self.report else ()


def _report(data: Mapping[str, Any] | None) -> PtxasReport | None:
    if data is None:
        return None
    kernels = tuple(KernelResources(**resources) for resources in data["kernels"])
    return PtxasReport(kernels, tuple(data["warnings"]))
