/* Programs and the memory of their running calls. */
#ifndef MLC_FRAME_H
#define MLC_FRAME_H

#include "python/native.h"

#include "memory/host_memory.h"

/* An output whose size the running program determines: its memory and its sizes. */
typedef struct {
  void *memory;
  Py_ssize_t bytes;
  Py_ssize_t *sizes; /* of the spec's rank */
  bool is_bound;
} sized_output;

/* The additional state of a call of a program that is dynamic or can fail. */
typedef struct {
  mlc_host_call host;
  const tensor_spec *specs; /* of the outputs, like the next two */
  Py_ssize_t output_count;
  const Py_buffer *given; /* NULL if the program's caller gives none */
  sized_output *outputs;
  int64_t *dims;
} sized_call;

/* The memory of one running call. Calls that run at the same time use different frames. */
typedef struct frame {
  struct frame *next;
  void *arena;
  Py_buffer *views; /* of the inputs, then of given outputs */
  Py_ssize_t held;  /* how many of them are filled */
  sized_call *sized; /* NULL for a static program that cannot fail */
  void *buffers[];  /* inputs, outputs, weights, arena */
} frame;

/* A named dim of a dynamic program: from a tuple (name: str, least: int, most: int | None). */
typedef struct {
  PyObject *name; /* owned */
  int64_t least, most;
  Py_ssize_t input; /* the first that has it, along `axis` */
  int axis;
} named_dim;

typedef struct {
  PyObject_HEAD
  PyObject *image, *convert, *array_type, *messages;
  mlc_entry *entry;
  int threads;
  Py_ssize_t input_count, output_count, weight_count, arena_bytes;
  tensor_spec *inputs, *outputs;
  Py_buffer *weights;
  bool is_dynamic, can_fail; /* a dynamic program can */
  Py_ssize_t dim_count, peak_bytes; /* the most memory that a call has had */
  named_dim *dims;
  frame *idle;
  PyObject *entries, *seen; /* arguments of `watch`; NULL: calls are not counted */
  long long after, clock;
} ProgramObject;

/* An idle frame or a new one; NULL with an exception. The interpreter's lock guards the list. */
frame *frame_acquire(ProgramObject *self);
/* Releases the arrays and keeps the frame for a later call. */
void frame_release(ProgramObject *self, frame *f);
void frame_free(frame *f);

/* ---- program.c ------------------------------------------------------------------------------ */

/* Runs the program in its frame `f` on the inputs that `bound` holds, `f` itself or a frame of a program with the
 * same inputs. Returns the list of the outputs, those in `given` or new ones if it is NULL; NULL with an exception. */
PyObject *program_run(ProgramObject *self, frame *f, const frame *bound, PyObject *given);

/* ---- arguments.c ---------------------------------------------------------------------------- */

/* Binds the sequence of inputs; 0, or -1 with an exception that names one. */
int arguments_bind_inputs(ProgramObject *self, frame *f, PyObject *inputs);

/* Binds the sequence of given outputs, which must not overlap what `bound` holds or each other; 0, or -1 with an
 * exception that names one. */
int arguments_bind_outputs(ProgramObject *self, frame *f, const frame *bound, PyObject *given);

/* Binds new arrays as the outputs of a static program: a list of them, or NULL with an exception. */
PyObject *arguments_new_outputs(ProgramObject *self, frame *f);

/* ---- size_counts.c -------------------------------------------------------------------------- */

/* Counts the calls of a dynamic program by sizes. Arguments as of `Program.watch`; 0, or -1 with an exception. */
int size_counts_watch(ProgramObject *self, PyObject *arguments);
void size_counts_free(ProgramObject *self);

/* As `program_run` on the inputs that `f` holds, by the specialised program for their sizes if there is one. */
PyObject *size_counts_run(ProgramObject *self, frame *f, PyObject *given);

/* ---- named_dims.c --------------------------------------------------------------------------- */

/* Reads the tuple of named dims; 0, or -1 with an exception. The program's inputs are there. */
int named_dims_init(ProgramObject *self, PyObject *dims);
void named_dims_free(ProgramObject *self);

/* Binds named dims to the sizes of an input whose static sizes are right; 0, or -1 with a ValueError. */
int named_dims_bind(const ProgramObject *self, int64_t *dims, Py_ssize_t input, const Py_buffer *view);

/* ---- dynamic_call.c ------------------------------------------------------------------------- */

sized_call *sized_call_new(const ProgramObject *self);
void sized_call_free(sized_call *call);

/* Runs a static program on its inputs and outputs; 0, or -1 with an exception. */
int sized_call_run_static(ProgramObject *self, frame *f);

/* Runs the program on its inputs. Returns the list of its outputs: those in `given`, which `views` describe, or new
 * ones where it is NULL; NULL with an exception. */
PyObject *sized_call_run(ProgramObject *self, frame *f, PyObject *given, const Py_buffer *views);

#endif
