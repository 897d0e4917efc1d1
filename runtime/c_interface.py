"""The C text of a model's shared library: its header, its glue and its list of exported names."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.runtime.host import required_features
from mlc.runtime.manifest import Manifest
from mlc.runtime.safetensors import layout
from mlc.runtime.tensors import TensorSpec

FUNCTIONS = (
    *("init", "run", "error", "set_threads", "finalize"),
    *("num_inputs", "num_outputs", "input", "output"),
)
# What GCC's and Clang's __builtin_cpu_supports know; other features are not checked.
_CHECKED_FEATURES = frozenset(
    [
        *("ssse3", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "fma", "bmi", "bmi2", "avx512f", "avx512bw"),
        *("avx512cd", "avx512dq", "avx512vl", "avx512ifma", "avx512vbmi", "avx512vnni"),
    ]
)

_HEADER = """\
/* {title}
 *
 * Made by mlc. Link with {library}, or open it with dlopen. {where}
 * A call takes dense row-major arrays, aligned to their elements:
 *
{signature} */
#ifndef {upper}_H
#define {upper}_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

{constants}

/* One input or output. `dtype` is NumPy's name of the element type. */
typedef struct {{
  const char *name;
  const char *dtype;
  size_t rank;
  const int64_t *shape;
  size_t bytes;
}} {name}_tensor;

/* Loads the weights. `weights_path` may be NULL: {null_path}.
 * Returns 0, or -1 with a message in {name}_error(). Further calls do nothing and return 0. */
int {name}_init(const char *weights_path);

/* Runs the model once: reads inputs[0 .. num_inputs - 1], fills outputs[0 .. num_outputs - 1].
 * Several threads may call it at the same time. Returns 0, or -1 with a message in {name}_error(). */
int {name}_run(const void *const *inputs, void *const *outputs);

/* The message of the calling thread's last failure. */
const char *{name}_error(void);

/* How many threads {name}_run uses when the calling thread calls it (1 to 256, initially 1). */
void {name}_set_threads(int threads);

/* Ends the worker threads and releases the weights; no {name}_run may be in progress. */
void {name}_finalize(void);

size_t {name}_num_inputs(void);
size_t {name}_num_outputs(void);

/* Description of an input or output; NULL if there is none of that index. */
const {name}_tensor *{name}_input(size_t index);
const {name}_tensor *{name}_output(size_t index);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}}
#endif

#endif
"""

_GLUE = """\
#include "{header}"
#include "standalone.h"

extern mlc_entry {entry};
{embedded_declaration}
{shapes}
static const {name}_tensor inputs[] = {{{inputs}}};
static const {name}_tensor outputs[] = {{{outputs}}};
static const uint64_t weight_offsets[] = {{{offsets}}};

static const char *missing_feature(void) {{
{features}  return NULL;
}}

static const mlc_model model = {{
    .name = "{name}",
    .entry = {entry},
    .input_count = {input_count},
    .output_count = {output_count},
    .weight_count = {weight_count},
    .arena_bytes = {arena_bytes}u,
    .weights_file = "{name}.weights",
    .embedded = {embedded},
    .weights_size = {weights_size}u,
    .weights_data = {weights_data}u,
    .weights_hash = {weights_hash}u,
    .weight_offsets = weight_offsets,
    .missing_feature = missing_feature,
}};

int {name}_init(const char *weights_path) {{ return mlc_model_init(&model, weights_path); }}
int {name}_run(const void *const *in, void *const *out) {{ return mlc_model_run(&model, in, out); }}
const char *{name}_error(void) {{ return mlc_model_error(); }}
void {name}_set_threads(int threads) {{ mlc_set_threads(threads); }}
void {name}_finalize(void) {{ mlc_model_finalize(); }}
size_t {name}_num_inputs(void) {{ return model.input_count; }}
size_t {name}_num_outputs(void) {{ return model.output_count; }}
const {name}_tensor *{name}_input(size_t index) {{
  return index < model.input_count ? &inputs[index] : NULL;
}}
const {name}_tensor *{name}_output(size_t index) {{
  return index < model.output_count ? &outputs[index] : NULL;
}}
"""

_EMBEDDED = "extern const unsigned char mlc_embedded_weights[];\n"
EMBEDDED_WEIGHTS = """\
    .section .rodata.mlc_weights, "a", @progbits
    .balign 4096
    .globl mlc_embedded_weights
    .hidden mlc_embedded_weights
mlc_embedded_weights:
    .incbin "{file}"
    .section .note.GNU-stack, "", @progbits
"""


@dataclass(frozen=True)
class Interface:
    """A model as its shared library shows it. `name` is a C identifier and the prefix of all exports."""

    name: str
    library: str
    manifest: Manifest
    embedded: bool
    weights_header: bytes

    def header(self) -> str:
        """The public header."""
        inputs, outputs = self.manifest.inputs, self.manifest.outputs
        beside = f"The weights are in {self.name}.weights."
        return _HEADER.format(
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
            constants="\n".join(self._constants("INPUT", inputs) + self._constants("OUTPUT", outputs)),
            name=self.name,
            upper=self.name.upper(),
        )

    def glue(self, header: str) -> str:
        """The C file that joins the model's objects and the runtime."""
        manifest = self.manifest
        offsets, size = layout(manifest.weights)
        tensors = [*manifest.inputs, *manifest.outputs]
        rows = [_row(i, spec) for i, spec in enumerate(tensors)]
        count = len(manifest.inputs)
        checked = [f for f in required_features(manifest.target) if f in _CHECKED_FEATURES]
        return _GLUE.format(
            name=self.name,
            header=header,
            entry=manifest.entry,
            embedded_declaration=_EMBEDDED if self.embedded else "",
            embedded="mlc_embedded_weights" if self.embedded else "NULL",
            shapes="".join(_shape(i, spec) for i, spec in enumerate(tensors)),
            inputs=", ".join(rows[:count]) or "{0}",
            outputs=", ".join(rows[count:]) or "{0}",
            offsets=_numbers(offsets),
            features="".join(f'  if (!__builtin_cpu_supports("{f}"))\n    return "{f}";\n' for f in checked),
            input_count=count,
            output_count=len(manifest.outputs),
            weight_count=len(manifest.weights),
            arena_bytes=manifest.arena_bytes,
            weights_size=len(self.weights_header) + size,
            weights_data=len(self.weights_header),
            weights_hash=_fnv1a(self.weights_header),
        )

    def exports(self) -> str:
        """The linker's version script: nothing else is visible outside."""
        names = " ".join(f"{self.name}_{function};" for function in FUNCTIONS)
        return f"{{ global: {names} local: *; }};\n"

    def _constants(self, role: str, specs: Sequence[TensorSpec]) -> list[str]:
        prefix = f"#define {self.name.upper()}"
        sizes = [f"{prefix}_{role}_{i}_ELEMENTS {prod(spec.sizes)}u" for i, spec in enumerate(specs)]
        return [f"{prefix}_NUM_{role}S {len(specs)}u", *sizes]


def c_identifier(text: str) -> str:
    """A C identifier that resembles `text`."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{name}" if not name or name[0].isdigit() else name


def c_string(text: str) -> str:
    """A C string literal of the text's UTF-8 bytes."""
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./:,()[]")
    data = text.encode("utf-8", "replace")
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in data) + '"'


def _comment(spec: TensorSpec) -> str:
    name = json.dumps(spec.name).replace("*/", "* /").replace("/*", "/ *")
    return f"{name}, {spec.dtype} {list(spec.shape)}, {spec.nbytes} bytes"


def _shape(index: int, spec: TensorSpec) -> str:
    return f"static const int64_t shape{index}[] = {{{_numbers(spec.sizes)}}};\n"


def _row(index: int, spec: TensorSpec) -> str:
    return f'{{{c_string(spec.name)}, "{spec.dtype}", {len(spec.shape)}, shape{index}, {spec.nbytes}u}}'


def _numbers(values: Sequence[int]) -> str:
    """Initialisers; C has no empty arrays."""
    return ", ".join(map(str, values)) or "0"


def _fnv1a(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value
