"""Targets for processors of any of LLVM's triples, checked before LLVM compiles for them."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from dataclasses import replace

from mlc.codegen.host_target import describe_cpu, host_target, resolve_target
from mlc.targets import Target, TargetError, generic, lookup

_GPU_TRIPLES = {"nvptx": "nvptx64-nvidia-cuda", "amdgpu": "amdgcn-amd-amdhsa"}
# The newest PTX that drivers of CUDA 12.4 load; processors after Hopper need a newer one, which LLVM knows.
_PTX_FEATURE, _LAST_ARCH_OF_PTX_FEATURE = "+ptx84", 90

# Compiles an empty function: LLVM complains of names on the standard error, and may end the process.
_PROBE = """
import sys, llvmlite.binding as l
l.initialize_all_targets(); l.initialize_all_asmprinters()
triple, cpu, features = sys.argv[1:]
machine = l.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features)
text = f'target datalayout = "{machine.target_data}"\\ntarget triple = "{triple}"'
machine.emit_assembly(l.parse_assembly(text + '\\ndefine void @f() { ret void }'))
"""


def machine_target(triple: str, cpu: str = "", features: str = "") -> Target:
    """Returns the processor `cpu` of `triple` ("" is its generic one), with `features` ("+a,-b").

    Raises TargetError if LLVM does not know it, or cannot compile for it.
    """
    target = _describe(triple, cpu).with_features(*filter(None, features.split(",")))
    check_target(target)
    return target


def chosen_target(triple: str = "", cpu: str = "", features: str = "") -> Target:
    """Returns the target that a tool's options name; options that are not given are "".

    Without a triple, `cpu` is a name of `mlc targets`, a processor name of LLVM's for x86-64, or a
    target's text form; the host by default. Raises TargetError.
    """
    if triple:
        return machine_target(triple, cpu, features)
    target = resolve_target(cpu or "host")
    if features:
        target = target.with_features(*filter(None, features.split(",")))
        check_target(target)
    return target


def gpu_target(backend: str, arch: str, features: str = "") -> Target:
    """Returns the GPU `arch` ("sm_90a", "gfx942") of `backend` "nvptx" or "amdgpu". Raises TargetError."""
    if backend == "nvptx":
        capability = re.fullmatch(r"sm_(\d+)[af]?", arch)
        if capability is None:
            raise TargetError(f"unknown GPU architecture {arch!r}: expected a name like sm_80 or sm_90a")
        if int(capability[1]) <= _LAST_ARCH_OF_PTX_FEATURE and "+ptx" not in features:
            features = ",".join(part for part in (_PTX_FEATURE, features) if part)
    return machine_target(_GPU_TRIPLES[backend], arch, features)


@functools.cache
def check_target(target: Target) -> None:
    """Raises TargetError if LLVM has no such triple, processor or feature."""
    command = [sys.executable, "-P", "-c", _PROBE, target.triple, target.cpu, ",".join(target.features)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if "No available targets" in result.stderr:
        raise TargetError(f"unknown target triple {target.triple!r}")
    unknown = re.search(r"'(.*)' is not a recognized (\w+)", result.stderr)
    if unknown:
        what = "cpu" if unknown[2] == "processor" else unknown[2]
        raise TargetError(f"unknown target {what} {unknown[1]!r} for {target.triple}")
    if result.returncode != 0:
        reason = (result.stderr.strip().splitlines() or ["LLVM cannot compile for it"])[0]
        raise TargetError(f"target cpu {target.cpu!r} for {target.triple}: {reason}")


def _describe(triple: str, cpu: str) -> Target:
    """Returns the description of `cpu`, or the generic one of the triple."""
    known = host_target() if cpu in ("host", "native") else lookup(cpu)
    if known is not None and known.architecture == triple.partition("-")[0]:
        return replace(known, triple=triple)
    if triple.startswith("x86_64"):
        return replace(describe_cpu(cpu or "x86-64"), triple=triple)
    described = replace(generic(triple), triple=triple)
    return replace(described, name=cpu, cpu=cpu, features=()) if cpu else described
