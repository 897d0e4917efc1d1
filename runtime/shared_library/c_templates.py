"""The C text around a model in a shared library: templates for `str.format`."""

HEADER = """\
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

{types}
/* Loads the weights. `weights_path` may be NULL: {null_path}.
 * Returns 0, or -1 with a message in {name}_error(). Further calls do nothing and return 0. */
int {name}_init(const char *weights_path);

{run}
/* The error of the calling thread's last {name}_init or {name}_run; empty if it succeeded. */
const char *{name}_error(void);

/* Sets the threads that {name}_run uses when the calling thread calls it (1 to 256, initially 1). */
void {name}_set_threads(int threads);

/* Ends the worker threads and releases the weights; no {name}_run may be in progress. */
void {name}_finalize(void);

size_t {name}_num_inputs(void);
size_t {name}_num_outputs(void);

/* The description of an input or output; NULL if there is none with that index. */
const {name}_tensor *{name}_input(size_t index);
const {name}_tensor *{name}_output(size_t index);
{more}
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}}
#endif

#endif
"""

GLUE = """\
#include "{header}"
#include "{runtime}"

extern mlc_entry {entry};
{embedded_declaration}
{tables}
static const {name}_tensor inputs[] = {{{inputs}}};
static const {name}_tensor outputs[] = {{{outputs}}};
static const uint64_t weight_offsets[] = {{{offsets}}};
static const char *const required[] = {{{required}}};
static const char *const messages[] = {{{messages}}};

static const mlc_model model = {{
    .name = "{name}",
    .entry = {entry},
    .arrays = {arrays},
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
    .required = required,
    .messages = messages,
    .message_count = {message_count},
}};

int {name}_init(const char *weights_path) {{ return mlc_model_init(&model, weights_path); }}
const char *{name}_error(void) {{ return mlc_model_error(); }}
void {name}_set_threads(int threads) {{ mlc_set_threads(threads); }}
{definitions}size_t {name}_num_inputs(void) {{ return model.input_count; }}
size_t {name}_num_outputs(void) {{ return model.output_count; }}
const {name}_tensor *{name}_input(size_t index) {{
  return index < model.input_count ? &inputs[index] : NULL;
}}
const {name}_tensor *{name}_output(size_t index) {{
  return index < model.output_count ? &outputs[index] : NULL;
}}
"""

EMBEDDED = "extern const unsigned char mlc_embedded_weights[];\n"
EMBEDDED_WEIGHTS = """\
    .section .rodata.mlc_weights, "a", @progbits
    .balign 4096
    .globl mlc_embedded_weights
    .hidden mlc_embedded_weights
mlc_embedded_weights:
    .incbin "{file}"
    .section .note.GNU-stack, "", @progbits
"""

# The parts of HEADER and GLUE for a static model.
STATIC_TYPES = """\
/* One input or output. `dtype` is NumPy's name of the element type. */
typedef struct {{
  const char *name;
  const char *dtype;
  size_t rank;
  const int64_t *shape;
  size_t bytes;
}} {name}_tensor;
"""
FIXED_ARRAYS = "static const mlc_fixed_array arrays[] = {{{arrays}}};\n"
STATIC_RUN = """\
/* Runs the model once: reads inputs[0 .. num_inputs - 1], fills outputs[0 .. num_outputs - 1], which overlap
 * neither inputs nor each other.
 * Several threads may call it at the same time. Returns 0, or -1 with a message in {name}_error(). */
int {name}_run(const void *const *inputs, void *const *outputs);
"""
STATIC_DEFINITIONS = """\
int {name}_run(const void *const *in, void *const *out) {{ return mlc_model_run(&model, in, out); }}
void {name}_finalize(void) {{ mlc_model_finalize(); }}
"""
