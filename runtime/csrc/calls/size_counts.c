/* Counts the calls of a dynamic program by sizes, and runs the programs that are specialised for some of them. */
#include "calls/frame.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

/* Calls with one binding of the named dims; mlc/runtime/specialised_programs.py decides what to do about them. */
typedef struct {
  PyObject_HEAD
  ProgramObject *program; /* specialised for these sizes; NULL: the general program serves them */
  long long general_calls, own_calls;
  long long recent; /* calls of the general program; at `after` of them, and from there on, `seen` is called */
  long long since, used; /* the clock when `recent` began, and at the last call */
} SizeEntryObject;

/* ---- calls ---------------------------------------------------------------------------------- */

/* Notifies `seen` of a call and returns the call's outputs. Errors of `seen` are not the call's, but Ctrl-C is. */
static PyObject *notify(ProgramObject *self, PyObject *key, PyObject *outputs) {
  PyObject *done = PyObject_CallOneArg(self->seen, key);
  if (!done && PyErr_ExceptionMatches(PyExc_Exception))
    PyErr_WriteUnraisable(self->seen);
  if (PyErr_Occurred())
    Py_CLEAR(outputs);
  Py_XDECREF(done);
  return outputs;
}

static PyObject *run_general(ProgramObject *self, frame *f, PyObject *given, PyObject *key, SizeEntryObject *entry) {
  PyObject *outputs = program_run(self, f, f, given);
  if (!outputs) /* sizes that the model rejects are not counted */
    return NULL;
  if (entry)
    entry->general_calls++;
  return !entry || ++entry->recent >= self->after ? notify(self, key, outputs) : outputs;
}

static PyObject *run_own(SizeEntryObject *entry, const frame *bound, PyObject *given) {
  ProgramObject *program = (ProgramObject *)Py_NewRef(entry->program); /* `entry` may lose it meanwhile */
  frame *f = frame_acquire(program);
  PyObject *outputs = NULL;
  entry->own_calls++;
  if (f) {
    memcpy(f->buffers, bound->buffers, (size_t)program->input_count * sizeof *f->buffers);
    outputs = program_run(program, f, bound, given);
    frame_release(program, f);
  }
  Py_DECREF(program);
  return outputs;
}

PyObject *size_counts_run(ProgramObject *self, frame *f, PyObject *given) {
  PyObject *key = PyBytes_FromStringAndSize((const char *)f->sized->dims,
                                            self->dim_count * (Py_ssize_t)sizeof *f->sized->dims);
  if (!key)
    return NULL;
  PyObject *found = Py_XNewRef(PyDict_GetItemWithError(self->entries, key)), *outputs = NULL;
  SizeEntryObject *entry = found && PyObject_TypeCheck(found, size_entry_type) ? (SizeEntryObject *)found : NULL;
  self->clock++;
  if (entry)
    entry->used = self->clock;
  if (!PyErr_Occurred())
    outputs = entry && entry->program ? run_own(entry, f, given) : run_general(self, f, given, key, entry);
  Py_XDECREF(found);
  Py_DECREF(key);
  return outputs;
}

int size_counts_watch(ProgramObject *self, PyObject *arguments) {
  PyObject *entries, *seen;
  long long after;
  if (!PyArg_ParseTuple(arguments, "O!LO", &PyDict_Type, &entries, &after, &seen))
    return -1;
  if (!self->is_dynamic || self->entries) {
    PyErr_SetString(PyExc_ValueError, "only a dynamic program is watched, and once");
    return -1;
  }
  self->after = after;
  self->seen = Py_NewRef(seen);
  self->entries = Py_NewRef(entries);
  return 0;
}

void size_counts_free(ProgramObject *self) {
  Py_CLEAR(self->entries);
  Py_CLEAR(self->seen);
}

/* ---- the type ------------------------------------------------------------------------------- */

static PyObject *get_program(SizeEntryObject *self, void *closure) {
  (void)closure;
  return Py_NewRef(self->program ? (PyObject *)self->program : Py_None);
}

static int set_program(SizeEntryObject *self, PyObject *value, void *closure) {
  (void)closure;
  if (!value || (value != Py_None && !PyObject_TypeCheck(value, program_type))) {
    PyErr_SetString(PyExc_TypeError, "program: expected a Program or None");
    return -1;
  }
  ProgramObject *old = self->program;
  self->program = value == Py_None ? NULL : (ProgramObject *)Py_NewRef(value);
  Py_XDECREF(old);
  return 0;
}

static void entry_dealloc(SizeEntryObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(self->program);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyGetSetDef entry_attributes[] = {
    {"program", (getter)get_program, (setter)set_program, "the program specialised for these sizes, or None", NULL},
    {0},
};

static PyMemberDef entry_members[] = {
    {"general_calls", T_LONGLONG, offsetof(SizeEntryObject, general_calls), 0, "calls of the general program"},
    {"own_calls", T_LONGLONG, offsetof(SizeEntryObject, own_calls), 0, "calls of the specialised program"},
    {"recent", T_LONGLONG, offsetof(SizeEntryObject, recent), 0, "calls of the general program since `since`"},
    {"since", T_LONGLONG, offsetof(SizeEntryObject, since), 0, "the clock when `recent` began"},
    {"used", T_LONGLONG, offsetof(SizeEntryObject, used), 0, "the clock at the last call"},
    {0},
};

static PyType_Slot entry_slots[] = {
    {Py_tp_new, PyType_GenericNew}, {Py_tp_dealloc, entry_dealloc}, {Py_tp_getset, entry_attributes},
    {Py_tp_members, entry_members}, {0, NULL},
};

PyType_Spec size_entry_spec = {"mlc.runtime._native.SizeEntry", sizeof(SizeEntryObject), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, entry_slots};
