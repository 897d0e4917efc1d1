/* The Python type mlc.runtime._native.Objects: the strings and sequences of one call. */
#ifndef MLC_OBJECTS_TYPE_H
#define MLC_OBJECTS_TYPE_H

#include "python/native.h"

#include "objects/objects.h"

typedef struct ObjectsObject {
  PyObject_HEAD
  mlc_objects table;
  struct ObjectsObject *constants; /* owned; or NULL */
  PyObject **texts; /* of the table's strings as tables that have it as `constants` have read them; NULL: none yet */
} ObjectsObject;

/* Objects.value(form, ids); object_values.c. */
PyObject *objects_value(ObjectsObject *self, PyObject *const *arguments, Py_ssize_t count);

#endif
