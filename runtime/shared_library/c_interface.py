"""The C text of a model's shared library: its header, its glue and its list of exported names."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.runtime.manifest import Manifest
from mlc.runtime.safetensors import layout
from mlc.runtime.shared_library.c_templates import (
    EMBEDDED,
    FIXED_ARRAYS,
    GLUE,
    HEADER,
    STATIC_DEFINITIONS,
    STATIC_RUN,
    STATIC_TYPES,
)
from mlc.runtime.tensors import TensorSpec


@dataclass(frozen=True)
class Interface:
    """The C interface of a static model. `name` is a C identifier and the prefix of all exports."""

    FUNCTIONS: ClassVar[Sequence[str]] = (
        *("init", "run", "error", "set_threads", "finalize"),
        *("num_inputs", "num_outputs", "input", "output"),
    )
    # The glue's table by which the runtime checks arrays.
    ARRAYS: ClassVar[str] = "arrays"
    # The runtime's header and sources that the library needs.
    HEADER: ClassVar[str] = "standalone/standalone.h"
    SOURCES: ClassVar[Sequence[str]] = (
        *(
            "standalone/standalone.c",
            "standalone/standalone_arrays.c",
            "threads/pool.c",
            "threads/kmpc.c",
            "threads/dispatch.c",
            "threads/transfers.c",
            "loader/builtins.c",
            "processor/cpuid.c",
            "memory/check_data.c",
            "memory/host_memory.c",
            "memory/pages.c",
            "memory/region.c",
        ),
    )

    name: str
    library: str
    manifest: Manifest
    embedded: bool
    weights_header: bytes

    def header(self) -> str:
        """Returns the public header."""
        inputs, outputs = self.manifest.inputs, self.manifest.outputs
        beside = f"The weights are in {self.name}.weights."
        return HEADER.format(
            title=f"The compiled model {self.name}.",
            library=self.library,
            where="The weights are inside." if self.embedded else beside,
            null_path="the weights inside the library are used"
            if self.embedded
            else f"{self.name}.weights in the library's folder is used",
            signature="".join(
                f" *   {role}[{i}]: {_comment(spec)}\n"
                for role, specs in (("inputs", inputs), ("outputs", outputs))
                for i, spec in enumerate(specs)
            ),
            constants="\n".join(self.constants()),
            **{key: text.format(name=self.name) for key, text in self.header_parts().items()},
            name=self.name,
            upper=self.name.upper(),
        )

    def glue(self, header: str) -> str:
        """Returns the C file that connects the model's objects and the runtime."""
        manifest = self.manifest
        offsets, size = layout(manifest.weights)
        rows = [self.row(i, spec) for i, spec in enumerate((*manifest.inputs, *manifest.outputs))]
        count = len(manifest.inputs)
        required = [c_string(str(check)) for check in manifest.target.get("requires", ())]
        return GLUE.format(
            name=self.name,
            header=header,
            runtime=self.HEADER,
            entry=manifest.entry,
            embedded_declaration=EMBEDDED if self.embedded else "",
            embedded="mlc_embedded_weights" if self.embedded else "NULL",
            tables=self.tables(),
            arrays=self.ARRAYS,
            definitions=self.definitions().format(name=self.name),
            inputs=", ".join(rows[:count]) or "{0}",
            outputs=", ".join(rows[count:]) or "{0}",
            offsets=initialisers(offsets),
            required=", ".join([*required, "NULL"]),
            input_count=count,
            output_count=len(manifest.outputs),
            weight_count=len(manifest.weights),
            arena_bytes=manifest.arena_bytes,
            weights_size=len(self.weights_header) + size,
            weights_data=len(self.weights_header),
            weights_hash=_fnv1a(self.weights_header),
            messages=", ".join(map(c_string, manifest.messages)) or "0",
            message_count=len(manifest.messages),
        )

    def exports(self) -> str:
        """Returns the linker's version script, which hides all other symbols."""
        names = " ".join(f"{self.name}_{function};" for function in self.FUNCTIONS)
        return f"{{ global: {names} local: *; }};\n"

    def header_parts(self) -> dict[str, str]:
        """Returns the parts of the header that depend on the model: types, `run`, and further functions."""
        return {"types": STATIC_TYPES, "run": STATIC_RUN, "more": ""}

    def definitions(self) -> str:
        """Returns the glue's definitions for those parts of the header."""
        return STATIC_DEFINITIONS

    def constants(self) -> list[str]:
        """Returns the header's constants."""
        lines = []
        for role, specs in (("INPUT", self.manifest.inputs), ("OUTPUT", self.manifest.outputs)):
            prefix = f"#define {self.name.upper()}"
            lines.append(f"{prefix}_NUM_{role}S {len(specs)}u")
            sized = [(i, spec) for i, spec in enumerate(specs) if spec.is_static]
            lines += [f"{prefix}_{role}_{i}_ELEMENTS {prod(spec.sizes)}u" for i, spec in sized]
        return lines

    def tables(self) -> str:
        """Returns the glue's tables that the rows of inputs and outputs point to."""
        tensors = (*self.manifest.inputs, *self.manifest.outputs)
        return "".join(
            f"static const int64_t shape{i}[] = {{{initialisers(spec.sizes)}}};\n"
            for i, spec in enumerate(tensors)
        ) + FIXED_ARRAYS.format(arrays=", ".join(map(_fixed_array, tensors)) or "{0}")

    def row(self, index: int, spec: TensorSpec) -> str:
        """Returns the initialiser that describes input or output `index`."""
        start = f'{c_string(spec.name)}, "{spec.dtype}", {len(spec.shape)}, shape{index}'
        return f"{{{start}, {spec.nbytes}u}}"


def c_identifier(text: str) -> str:
    """Returns a C identifier that resembles `text`."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{name}" if not name or name[0].isdigit() else name


def c_string(text: str) -> str:
    """Returns a C string literal of the text's UTF-8 bytes."""
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./:,()[]")
    data = text.encode("utf-8", "replace")
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in data) + '"'


def _fixed_array(spec: TensorSpec) -> str:
    """Returns the initialiser of a `mlc_fixed_array`."""
    return f"{{{c_string(spec.name)}, {spec.nbytes}u, {spec.buffer_dtype.itemsize}}}"


def _comment(spec: TensorSpec) -> str:
    """Returns a line of the header's first comment."""
    size = f", {spec.nbytes} bytes" if spec.is_static else ""
    text = f"{json.dumps(spec.name)}, {spec.dtype} [{', '.join(map(str, spec.shape))}]{size}"
    return " ".join(text.split()).replace("*/", "* /").replace("/*", "/ *")


def initialisers(values: Sequence[int]) -> str:
    """Returns the initialisers of an array; C has no empty ones."""
    return ", ".join(map(str, values)) or "0"


def _fnv1a(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value
