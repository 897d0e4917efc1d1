/* The Python types and functions of mlc.runtime._native. */
#ifndef MLC_NATIVE_H
#define MLC_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "mlc_runtime.h"

typedef struct {
  PyObject_HEAD
  mlc_image *image;
  PyObject *measured; /* a tuple of (name, number of dims) */
  size_t *dim_counts; /* of the measured kernels */
} ImageObject;

/* Uninitialised memory with the buffer protocol (one-dimensional bytes). */
typedef struct {
  PyObject_HEAD
  void *data;
  Py_ssize_t size;
} AlignedObject;

extern PyTypeObject *image_type, *aligned_type, *program_type, *size_entry_type;
extern PyType_Spec aligned_spec, image_spec, program_spec, size_entry_spec;

/* Functions of the module. */
PyObject *aligned_empty(PyObject *module, PyObject *arguments, PyObject *keywords);
PyObject *call_entry(PyObject *module, PyObject *arguments, PyObject *keywords);

/* A new AlignedObject; `alignment` is a power of two and a multiple of the pointer size. */
PyObject *aligned_new(Py_ssize_t size, size_t alignment);
/* One that takes ownership of memory of posix_memalign, if it succeeds. */
PyObject *aligned_of(void *memory, Py_ssize_t size);

/* In a shape -1 is the value of the program's first named dim, -2 that of its second, and so on; UNKNOWN_SIZE is known
 * when the program has run. */
#define UNKNOWN_SIZE PY_SSIZE_T_MIN

/* The type and shape of one input or output, from a tuple
 * (name: str, dtype: str, category: str, item_size: int, shape: tuple[int, ...], shape_text: str, numpy_dtype). */
typedef struct {
  PyObject *name, *dtype_name, *shape_tuple, *shape_text, *numpy_dtype; /* owned */
  char category; /* b bool, i signed, u unsigned, f float, c complex */
  bool is_static;
  Py_ssize_t item_size, bytes; /* bytes: of a static one */
  int rank;
  Py_ssize_t *shape;
} tensor_spec;

int tensor_spec_init(tensor_spec *spec, PyObject *tuple);
void tensor_spec_free(tensor_spec *spec);

/* 0 if the buffer, an input or output, has the expected type and shape; -1 with a TypeError or ValueError that names
 * it. */
int tensor_spec_check(const tensor_spec *spec, const Py_buffer *view, bool is_input);

/* Raises ValueError: an array has another shape than `expected`, anything that prints as a shape. `role` is "input" or
 * "output". Returns -1. */
int tensor_spec_mismatch(const tensor_spec *spec, PyObject *expected, const Py_buffer *view, const char *role);

/* Adds the type Objects (objects_type.c) to the module; 0, or -1 with an exception. */
int objects_type_add(PyObject *module);

/* Sizes as a tuple. */
PyObject *shape_tuple(const Py_ssize_t *sizes, Py_ssize_t rank);

#endif
