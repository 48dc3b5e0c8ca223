/* SPDX-License-Identifier: Apache-2.0 */
#include "bindings/python/ext/binding.h"

static PyObject *version(PyObject *module, PyObject *unused)
{
    return Py_BuildValue("(ss)", sosia_version(), sosia_tzdata_version());
}

static PyMethodDef methods[] = {
    {"set_answer_type", answer_set_type, METH_O,
     "What calls give: a subclass of Answer without members of its own."},
    {"version", version, METH_NOARGS, "Of the library, and of the time zones in it."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef def = {PyModuleDef_HEAD_INIT,
                                 "sosia._sosia",
                                 "The engine, as C has it.",
                                 -1,
                                 methods,
                                 NULL,
                                 NULL,
                                 NULL,
                                 NULL};

PyMODINIT_FUNC PyInit__sosia(void);
PyMODINIT_FUNC PyInit__sosia(void)
{
    PyObject *module = PyModule_Create(&def);
    if (module && (long_init() < 0 || answer_init(module) < 0 || engine_init(module) < 0 ||
                   suite_init(module) < 0 || stream_init(module) < 0 || spool_init(module) < 0 ||
                   session_init(module) < 0))
        Py_CLEAR(module);
    return module;
}
