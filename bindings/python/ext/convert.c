/* SPDX-License-Identifier: Apache-2.0 */
#include "bindings/python/ext/binding.h"
#include <string.h>

int to_u64(PyObject *value, void *ret_u64)
{
    unsigned long long n;
    if (!PyLong_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "a number must be an int");
        return 0;
    }
    n = PyLong_AsUnsignedLongLong(value);
    if (n == (unsigned long long)-1 && PyErr_Occurred())
        return 0;
    *(uint64_t *)ret_u64 = n;
    return 1;
}

const char *to_text(PyObject *value, const char *what, Py_ssize_t *ret_len)
{
    Py_ssize_t len;
    const char *text;
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %R", what, (PyObject *)Py_TYPE(value));
        return NULL;
    }
    text = PyUnicode_AsUTF8AndSize(value, &len); /* refuses surrogates */
    if (text && memchr(text, 0, (size_t)len)) {
        PyErr_Format(PyExc_ValueError, "%s must have no NUL in it", what);
        return NULL;
    }
    if (text && ret_len)
        *ret_len = len;
    return text;
}

static PyObject *from_errors(const char *name)
{
    PyObject *module = PyImport_ImportModule("sosia.errors");
    PyObject *found = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return found;
}

PyObject *raise_error(const struct sosia_err *err)
{
    PyObject *make = from_errors("from_engine"), *made;
    if (!make)
        return NULL;
    made = PyObject_CallFunction(make, "izziz", (int)err->code, err->reason, err->where, err->line,
                                 err->text);
    Py_DECREF(make);
    if (made)
        PyErr_SetObject((PyObject *)Py_TYPE(made), made);
    Py_XDECREF(made);
    return NULL;
}

PyObject *raise_closed(const char *text)
{
    PyObject *type = from_errors("Closed");
    if (type)
        PyErr_SetString(type, text);
    Py_XDECREF(type);
    return NULL;
}

PyObject *from_blob(struct sosia_blob *blob)
{
    PyObject *made = PyBytes_FromStringAndSize(blob->data ? blob->data : "", (Py_ssize_t)blob->len);
    sosia_blob_free(blob);
    return made;
}

PyObject *from_info(const struct sosia_world_info *i)
{
    return Py_BuildValue("{sKsssssOsKsLsisLsisKsKsKsLsOsO}", "id", (unsigned long long)i->id, "key",
                         i->key, "name", i->name, "snapshot", i->snapshot ? Py_True : Py_False,
                         "parent", (unsigned long long)i->parent, "now_us", (long long)i->now_us,
                         "clock", (int)i->clock, "step_us", (long long)i->step_us, "journal",
                         (int)i->journal, "seed", (unsigned long long)i->seed, "size",
                         (unsigned long long)i->size, "base_size", (unsigned long long)i->base_size,
                         "expires_us", (long long)i->expires_us, "expires_by_clock",
                         i->expires_by_clock ? Py_True : Py_False, "evaluation",
                         i->evaluation ? Py_True : Py_False);
}
