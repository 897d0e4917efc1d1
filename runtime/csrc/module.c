#include <Python.h>
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "_native", 0, -1, 0, 0, 0, 0, 0};
PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&def); }
