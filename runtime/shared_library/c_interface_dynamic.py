"""The C text of the shared library of a model with named dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mlc.runtime.manifest import Manifest
from mlc.runtime.shared_library.c_interface import Interface, c_string, initialisers
from mlc.runtime.tensors import TensorSpec

_TYPES = """\
/* One input or output. `dtype` is NumPy's name of the element type. A dynamic size in `shape` is -1: then
 * `dims` has its name, or the expression of an output's size; elsewhere NULL. */
typedef struct {{
  const char *name;
  const char *dtype;
  size_t rank;
  const int64_t *shape;
  const char *const *dims;
  size_t element_bytes;
}} {name}_tensor;

/* A dim whose size the inputs of a call choose; it is the same wherever the name occurs in their shapes. */
typedef struct {{
  const char *name;
  int64_t least, most;
}} {name}_named_dim;

/* An array of one call; `shape` has as many sizes as the tensor's rank. */
typedef struct {{
  void *data;
  size_t bytes;
  int64_t shape[{upper}_MAX_RANK];
}} {name}_array;
"""
_TEXTS = """\
/* Elements of dtype "string" are `const char *`, NUL-terminated UTF-8. `data` of such an output must be NULL:
 * it is set to one block of memory with the pointers and the text. */
"""
_RUN = """\
/* Runs the model once on inputs[0 .. num_inputs - 1], of which it reads `data` and `shape`, and writes the
 * addresses and sizes of the results to outputs[0 .. num_outputs - 1]. An output whose `data` is NULL gets
 * 64-byte aligned memory, which the caller releases with free(). Another is written to `data`, which has
 * room for `bytes` bytes, aligned to its elements, and overlaps neither inputs nor other outputs. Then
 * `shape` and `bytes` are those of the result. Several threads may call it at the same time. Returns 0, or
 * -1 with a message in {name}_error(); then `outputs` is unchanged. */
int {name}_run(const {name}_array *inputs, {name}_array *outputs);
"""
_MORE = """\
size_t {name}_num_dims(void);
const {name}_named_dim *{name}_dim(size_t index);
"""
_DEFINITIONS = """\
int {name}_run(const {name}_array *in, {name}_array *out) {{
  return mlc_sized_run(&sized, in, out, sizeof *out);
}}
void {name}_finalize(void) {{
  mlc_model_finalize();
  mlc_sized_finalize(&sized);
}}
size_t {name}_num_dims(void) {{ return sized.dim_count; }}
const {name}_named_dim *{name}_dim(size_t index) {{ return index < sized.dim_count ? &dims[index] : NULL; }}
"""
_TABLES = """\
static const {name}_named_dim dims[] = {{{dims}}};
static const mlc_sized_dim sized_dims[] = {{{dims}}};
static const mlc_sized_tensor sized_inputs[] = {{{inputs}}};
static const mlc_sized_tensor sized_outputs[] = {{{outputs}}};
static const mlc_model model;
static const mlc_sized_model sized = {{
    .model = &model,
    .inputs = sized_inputs,
    .outputs = sized_outputs,
    .dims = sized_dims,
    .dim_count = {dim_count},
    .max_rank = {upper}_MAX_RANK,
{objects}}};
"""


class SizedInterface(Interface):
    """The C interface of a model with named dims."""

    FUNCTIONS: ClassVar[Sequence[str]] = (*Interface.FUNCTIONS, "num_dims", "dim")
    ARRAYS: ClassVar[str] = "NULL"
    HEADER: ClassVar[str] = "standalone/standalone_dynamic.h"
    SOURCES: ClassVar[Sequence[str]] = (
        *Interface.SOURCES,
        *(
            "standalone/standalone_dynamic.c",
            "standalone/standalone_inputs.c",
        ),
    )

    def header_parts(self) -> dict[str, str]:
        """See the base class."""
        types = _TYPES.replace("{upper}", self.name.upper())
        return {"types": types, "run": _RUN, "more": _MORE}

    def definitions(self) -> str:
        """See the base class."""
        return _DEFINITIONS

    def constants(self) -> list[str]:
        """See the base class."""
        ranks = [len(spec.shape) for spec in (*self.manifest.inputs, *self.manifest.outputs)]
        prefix = f"#define {self.name.upper()}"
        return [
            *super().constants(),
            f"{prefix}_NUM_DIMS {len(self.manifest.dims or ())}u",
            f"{prefix}_MAX_RANK {max([1, *ranks])}",
        ]

    def tables(self) -> str:
        """See the base class."""
        manifest, count = self.manifest, len(self.manifest.inputs)
        tensors = (*manifest.inputs, *manifest.outputs)
        dims = [
            f"{{{c_string(dim.name)}, {dim.least}, {'INT64_MAX' if dim.most is None else dim.most}}}"
            for dim in manifest.dims or ()
        ]
        rows = [
            f"{{{c_string(spec.name)}, {len(spec.shape)}, sizes{i}, {spec.buffer_dtype.itemsize},"
            f" {int(spec.is_object)}}}"
            for i, spec in enumerate(tensors)
        ]
        return "".join(self._sizes(i, spec) for i, spec in enumerate(tensors)) + _TABLES.format(
            name=self.name,
            upper=self.name.upper(),
            dims=", ".join(dims) or "{0}",
            inputs=", ".join(rows[:count]) or "{0}",
            outputs=", ".join(rows[count:]) or "{0}",
            dim_count=len(dims),
            objects=self.objects(),
        )

    def objects(self) -> str:
        """Returns the part of the tables for strings and sequences."""
        return ""

    def row(self, index: int, spec: TensorSpec) -> str:
        """See the base class."""
        start = f'{c_string(spec.name)}, "{spec.dtype}", {len(spec.shape)}'
        return f"{{{start}, shape{index}, dims{index}, {spec.buffer_dtype.itemsize}}}"

    def _sizes(self, index: int, spec: TensorSpec) -> str:
        """Returns the tables of a tensor's sizes, for callers and for the runtime."""
        names = [dim.name for dim in self.manifest.dims or ()]
        shape = [-1 if isinstance(size, str) else size for size in spec.shape]
        texts = [c_string(size) if isinstance(size, str) else "0" for size in spec.shape]
        codes = {name: str(-1 - i) for i, name in enumerate(names)}
        sizes = [
            codes.get(size, "MLC_UNKNOWN_SIZE") if isinstance(size, str) else str(size) for size in spec.shape
        ]
        return (
            f"static const int64_t shape{index}[] = {{{initialisers(shape)}}};\n"
            f"static const char *const dims{index}[] = {{{', '.join(texts) or '0'}}};\n"
            f"static const int64_t sizes{index}[] = {{{', '.join(sizes) or '0'}}};\n"
        )


class ObjectInterface(SizedInterface):
    """The C interface of a model with strings or sequences, of which strings may be inputs and outputs."""

    HEADER: ClassVar[str] = "standalone/standalone_objects.h"
    SOURCES: ClassVar[Sequence[str]] = (
        *SizedInterface.SOURCES,
        *(
            "standalone/standalone_objects.c",
            "objects/objects.c",
            "objects/string_table.c",
            "objects/sequence_table.c",
            "objects/collect.c",
        ),
        *(
            "objects/object_calls.c",
            "objects/strings.c",
            "objects/string_case.c",
            "objects/string_codes.c",
            "objects/string_conversions.c",
            "objects/tokens.c",
        ),
        *("objects/sequences.c", "objects/sequence_parts.c", "objects/maps.c", "objects/coupling.c"),
    )

    def header_parts(self) -> dict[str, str]:
        """See the base class."""
        parts = super().header_parts()
        return {**parts, "types": parts["types"] + _TEXTS}

    def tables(self) -> str:
        """See the base class."""
        rows = (f"{{{c_string(text)}, {len(text.encode())}}}" for text in self.manifest.strings)
        return f"static const mlc_sized_text texts[] = {{{', '.join(rows) or '{0}'}}};\n" + super().tables()

    def objects(self) -> str:
        """See the base class."""
        count = len(self.manifest.strings)
        return f"    .objects = &mlc_standalone_objects,\n    .texts = texts,\n    .text_count = {count},\n"


def interface_of(
    name: str, library: str, manifest: Manifest, embedded: bool, weights_header: bytes
) -> Interface:
    """Returns the interface of the model's category: static, dynamic, or with strings or sequences."""
    dynamic = ObjectInterface if manifest.has_objects else SizedInterface
    interface = Interface if manifest.dims is None else dynamic
    return interface(name, library, manifest, embedded, weights_header)
