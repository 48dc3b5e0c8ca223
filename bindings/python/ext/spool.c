/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that are put together before their call, beyond the engine's bound in an unnamed file. */
#include "bindings/python/ext/binding.h"
#include <stddef.h>

struct spool {
    PyObject ob_base;
    struct held held;
    struct sosia_spool *spool; /* NULL: freed */
    bool busy;
};

static PyTypeObject *spool_type;

static void end_spool(struct held *held)
{
    struct spool *s = (struct spool *)((char *)held - offsetof(struct spool, held));
    struct sosia_spool *spool = s->spool;
    s->spool = NULL;
    sosia_spool_free(spool);
}

/* spool(world, method, target, headers): for the body of such a request, of as many bytes as its
 * method takes. */
PyObject *engine_spool(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct engine *e = (struct engine *)self;
    struct sosia_spool *spool = NULL;
    struct sosia_err err = {0};
    struct asked asked;
    struct spool *s;
    int64_t most;
    int rc;
    if (n != 4) {
        PyErr_SetString(PyExc_TypeError, "spool takes world, method, target and headers");
        return NULL;
    }
    if (!asked_from(&asked, args, Py_None))
        return NULL;
    if (!engine_enter(e)) {
        asked_done(&asked);
        return NULL;
    }
    most = sosia_body_max(e->engine, &asked.request);
    rc = sosia_spool_open(e->engine, most > 0 ? most : 64 << 20, &spool, &err);
    engine_leave(e);
    asked_done(&asked);
    if (rc < 0)
        return raise_error(&err);
    s = (struct spool *)((allocfunc)PyType_GetSlot(spool_type, Py_tp_alloc))(spool_type, 0);
    if (!s) {
        sosia_spool_free(spool);
        return NULL;
    }
    s->spool = spool;
    engine_hold(e, &s->held, end_spool);
    return (PyObject *)s;
}

static void spool_dealloc(PyObject *self)
{
    struct spool *s = (struct spool *)self;
    PyTypeObject *type = Py_TYPE(self);
    held_end(&s->held);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static bool spool_enter(struct spool *s)
{
    if (!s->spool) {
        raise_closed("the spool is closed");
        return false;
    }
    if (s->busy) {
        PyErr_SetString(PyExc_ValueError, "a spool must be used by one thread at a time");
        return false;
    }
    if (!engine_enter(s->held.owner))
        return false;
    s->busy = true;
    return true;
}

static void spool_leave(struct spool *s)
{
    s->busy = false;
    engine_leave(s->held.owner);
}

static PyObject *spool_write(PyObject *self, PyObject *data)
{
    struct spool *s = (struct spool *)self;
    struct sosia_err err = {0};
    PyThreadState *kept;
    Py_ssize_t len;
    char *bytes;
    int rc;
    if (PyBytes_AsStringAndSize(data, &bytes, &len) < 0 || !spool_enter(s))
        return NULL;
    kept = PyEval_SaveThread();
    rc = sosia_spool_write(s->spool, bytes, (size_t)len, &err);
    PyEval_RestoreThread(kept);
    spool_leave(s);
    if (rc < 0)
        return raise_error(&err);
    Py_RETURN_NONE;
}

static PyObject *spool_close(PyObject *self, PyObject *unused)
{
    struct spool *s = (struct spool *)self;
    if (s->busy) {
        PyErr_SetString(PyExc_ValueError, "a spool must be used by one thread at a time");
        return NULL;
    }
    held_end(&s->held);
    Py_RETURN_NONE;
}

bool asked_body(struct asked *a, const struct engine *e, PyObject *body)
{
    char *bytes;
    Py_ssize_t len;
    if (body == Py_None)
        return true;
    if (Py_TYPE(body) == spool_type) {
        struct spool *s = (struct spool *)body;
        if (!s->spool || s->busy || s->held.owner != e) {
            PyErr_SetString(PyExc_ValueError,
                            "a spool must be open, of the same engine, and not in use");
            return false;
        }
        a->request.spool = s->spool;
        a->spool = s;
        s->busy = true;
        return true;
    }
    if (PyBytes_AsStringAndSize(body, &bytes, &len) < 0)
        return false;
    a->request.body = bytes;
    a->request.body_len = (size_t)len;
    return true;
}

void asked_leave_spool(struct asked *a)
{
    if (a->spool)
        a->spool->busy = false;
    a->spool = NULL;
}

static PyMethodDef spool_methods[] = {
    {"write", spool_write, METH_O, "Adds bytes."},
    {"close", spool_close, METH_NOARGS, "Frees it."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot spool_slots[] = {
    {Py_tp_doc, (void *)"A body that is put together before its call."},
    {Py_tp_dealloc, (void *)spool_dealloc},
    {Py_tp_methods, spool_methods},
    {0, NULL},
};

static PyType_Spec spool_spec = {"sosia._sosia.Spool", sizeof(struct spool), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 spool_slots};

int spool_init(PyObject *module)
{
    spool_type = (PyTypeObject *)PyType_FromSpec(&spool_spec);
    if (!spool_type)
        return -1;
    Py_INCREF((PyObject *)spool_type);
    return PyModule_AddObject(module, "Spool", (PyObject *)spool_type);
}
