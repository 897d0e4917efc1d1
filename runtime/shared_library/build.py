"""Builds shared libraries of models for C programs, which run them without Python."""

from __future__ import annotations

import os
import platform
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlc.runtime.container import Buffer, weight_chunks
from mlc.runtime.errors import ExecutableError
from mlc.runtime.manifest import Manifest, parse_manifest
from mlc.runtime.safetensors import encode_header, layout
from mlc.runtime.shared_library.c_compiler import run_c_compiler
from mlc.runtime.shared_library.c_interface import Interface, c_identifier
from mlc.runtime.shared_library.c_interface_dynamic import interface_of
from mlc.runtime.shared_library.c_templates import EMBEDDED_WEIGHTS
from mlc.runtime.tensors import weight_bytes

SOURCES = Path(__file__).parent.parent / "csrc"
_FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-pthread", "-shared")
# Worker threads may be asleep inside the library, so dlclose must not unmap it (nodelete).
_LINK_FLAGS = ("-Wl,-z,nodelete", "-Wl,-z,noexecstack", "-Wl,-z,defs", "-Wl,--version-script=exports.map")
# The small code model reaches 2 GiB.
MAX_EMBEDDED = 7 << 28


@dataclass(frozen=True)
class SharedLibrary:
    """The files of a shared library; `weights` is None if they are inside."""

    library: Path
    header: Path
    weights: Path | None


def write_shared_library(
    manifest: Mapping[str, Any],
    objects: Sequence[Buffer],
    weights: Mapping[str, Any],
    path: str | os.PathLike[str],
    *,
    embed_weights: bool = False,
    cc: str = "cc",
) -> SharedLibrary:
    """Builds `path` (say, libNAME.so), NAME.h and, unless embedded, NAME.weights in one folder.

    `cc` is the command of a C compiler for this machine. The files appear when all of them are complete.
    Raises ExecutableError with the compiler's output if it fails.
    """
    target = Path(path)
    checked = parse_manifest(manifest, str(target))
    _refuse_objects(checked, str(target))
    metadata = {"crc32": _checksum(checked, weights, str(target))}
    if embed_weights and layout(checked.weights)[1] > MAX_EMBEDDED:
        raise ExecutableError(
            f"{target}: {layout(checked.weights)[1]} bytes of weights are too many to embed; "
            "keep them beside the library"
        )
    interface = interface_of(
        _library_name(target), target.name, checked, embed_weights, encode_header(checked.weights, metadata)
    )
    try:
        with tempfile.TemporaryDirectory(prefix=".mlc-", dir=target.parent) as folder:
            _write_sources(Path(folder), interface, objects)
            with open(Path(folder) / f"{interface.name}.weights", "wb") as file:
                file.writelines(weight_chunks(checked.weights, weights, metadata, str(target)))
            _compile(Path(folder), interface, cc, target)
            return _publish(Path(folder), interface, target)
    except OSError as error:
        raise ExecutableError(f"{target}: cannot write: {error.strerror or error}") from error


def _refuse_objects(manifest: Manifest, where: str) -> None:
    for spec in (*manifest.inputs, *manifest.outputs):
        if spec.is_object and spec.dtype != "string":
            raise ExecutableError(
                f"{where}: '{spec.name}' is a {spec.dtype}: sequences, optionals and maps cannot enter or"
                " leave shared libraries; write a .mlcx file instead"
            )


def _library_name(target: Path) -> str:
    name = c_identifier(target.name.partition(".")[0].removeprefix("lib"))
    if name.startswith("mlc"):
        raise ExecutableError(
            f"{target}: names that begin with 'mlc' belong to the runtime; choose another one"
        )
    return name


def _checksum(manifest: Manifest, weights: Mapping[str, Any], where: str) -> str:
    """Returns a checksum that distinguishes the weights of models with the same shapes."""
    value = 0
    for spec in manifest.weights:
        value = zlib.crc32(weight_bytes(spec, weights, where).data, value)
    return f"{value:08x}"


def _write_sources(folder: Path, interface: Interface, objects: Sequence[Buffer]) -> None:
    name = interface.name
    (folder / f"{name}.h").write_text(interface.header(), encoding="utf-8")
    (folder / "glue.c").write_text(interface.glue(f"{name}.h"), encoding="utf-8")
    (folder / "exports.map").write_text(interface.exports(), encoding="utf-8")
    if interface.embedded:
        (folder / "weights.s").write_text(EMBEDDED_WEIGHTS.format(file=f"{name}.weights"), encoding="utf-8")
    for index, code in enumerate(objects):
        (folder / f"{index}.o").write_bytes(code)
    # A response file: there may be more objects than a command line holds.
    (folder / "objects").write_text("\n".join(f"{i}.o" for i in range(len(objects))), encoding="utf-8")


def _compile(folder: Path, interface: Interface, cc: str, target: Path) -> None:
    sources = ["glue.c", *(str(SOURCES / name) for name in interface.SOURCES)]
    sources += ["weights.s"] if interface.embedded else []
    libraries = map(os.path.abspath, interface.manifest.libraries)
    arguments = [*_FLAGS, f"-I{SOURCES}", *sources, "@objects", *_LINK_FLAGS]
    arguments += [f"-Wl,-soname,{target.name}", "-o", "library", *libraries, "-lm", "-ldl"]
    try:
        run_c_compiler(arguments, f"{target}:", cc, folder)
    except ExecutableError as error:
        architecture = str(interface.manifest.target.get("triple", "")).partition("-")[0]
        if architecture in ("", platform.machine()):
            raise
        hint = f"the program is for {architecture}: --cc, or cc, names a C compiler for it"
        raise ExecutableError(f"{error}\n{hint}, such as {architecture}-linux-gnu-gcc") from None


def _publish(folder: Path, interface: Interface, target: Path) -> SharedLibrary:
    """Moves the finished files to the target folder, the library last."""
    header = target.with_name(f"{interface.name}.h")
    weights = None if interface.embedded else target.with_name(f"{interface.name}.weights")
    if weights:
        os.replace(folder / weights.name, weights)
    os.replace(folder / header.name, header)
    os.replace(folder / "library", target)
    return SharedLibrary(target, header, weights)
