/* The extension module mlc.runtime._native. */
#include "python/native.h"

PyTypeObject *image_type, *aligned_type, *program_type, *size_entry_type;

static PyObject *cpu_has(PyObject *module, PyObject *check) {
  const char *text = PyUnicode_AsUTF8(check);
  (void)module;
  return text ? PyBool_FromLong(mlc_cpu_has(text)) : NULL;
}

static PyMethodDef functions[] = {
    {"aligned_empty", (PyCFunction)(void (*)(void))aligned_empty, METH_VARARGS | METH_KEYWORDS,
     "aligned_empty(nbytes, alignment=64) -> uninitialised memory with the buffer protocol"},
    {"call_entry", (PyCFunction)(void (*)(void))call_entry, METH_VARARGS | METH_KEYWORDS,
     "call_entry(image, symbol, buffers, dims=(), threads=1): void symbol(void **buffers, int64_t *dims)"},
    {"cpu_has", cpu_has, METH_O, "cpu_has(check) -> whether this processor has a feature"},
    {0},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, functions, 0, 0, 0, 0};

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec) {
  PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(spec);
  if (type && PyModule_AddType(module, type) != 0)
    Py_CLEAR(type);
  return type;
}

PyMODINIT_FUNC PyInit__native(void) {
  PyObject *module = PyModule_Create(&definition);
  if (!module)
    return NULL;
  if (!(aligned_type = add_type(module, &aligned_spec)) || !(image_type = add_type(module, &image_spec)) ||
      !(program_type = add_type(module, &program_spec)) ||
      !(size_entry_type = add_type(module, &size_entry_spec)) || objects_type_add(module) != 0)
    Py_CLEAR(module);
  return module;
}
