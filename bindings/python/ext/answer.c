/* SPDX-License-Identifier: Apache-2.0 */
/* What a call gives: its status, and the header fields and the body as they are asked for. The
 * fields are kept as they came, in one piece of memory, and are made into strings when somebody
 * looks at them: most callers don't. */
#include "bindings/python/ext/binding.h"
#include <string.h>

#define LARGE (64 << 10) /* bytes; a larger body is copied without the interpreter's lock */

struct answer {
    PyObject ob_base;
    int status;
    PyObject *body;   /* bytes */
    PyObject *fields; /* bytes: name NUL value NUL, of each; or the list that was made of them */
    PyObject *why;    /* str or None */
    PyObject *stream; /* NULL: body is all of it */
};

PyTypeObject *answer_type;

static PyObject *answer_new(PyTypeObject *type)
{
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return make(type, 0);
}

static void answer_dealloc(PyObject *self)
{
    struct answer *a = (struct answer *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(a->body);
    Py_XDECREF(a->fields);
    Py_XDECREF(a->why);
    Py_XDECREF(a->stream);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static int answer_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct answer *a = (struct answer *)self;
    Py_VISIT((PyObject *)Py_TYPE(self));
    Py_VISIT(a->body);
    Py_VISIT(a->fields);
    Py_VISIT(a->stream);
    return 0;
}

static int answer_clear(PyObject *self)
{
    struct answer *a = (struct answer *)self;
    Py_CLEAR(a->fields);
    Py_CLEAR(a->stream);
    return 0;
}

/* Answer(status, fields, body): as one from elsewhere is made. */
static int answer_make(PyObject *self, PyObject *args, PyObject *named)
{
    struct answer *a = (struct answer *)self;
    PyObject *fields, *body, *list;
    int status;
    if ((named && PyDict_Size(named)) || !PyArg_ParseTuple(args, "iOS", &status, &fields, &body)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError,
                            "an answer is made of status, fields and body, without their names");
        return -1;
    }
    list = PySequence_List(fields);
    if (!list)
        return -1;
    Py_INCREF(body);
    Py_XDECREF(a->body);
    Py_XDECREF(a->fields);
    a->status = status;
    a->body = body;
    a->fields = list;
    return 0;
}

static PyObject *get_status(PyObject *self, void *unused)
{
    return PyLong_FromLong(((struct answer *)self)->status);
}

static PyObject *get_body(PyObject *self, void *unused)
{
    struct answer *a = (struct answer *)self;
    PyObject *body = a->body;
    if (!body)
        return PyBytes_FromStringAndSize("", 0);
    Py_INCREF(body);
    return body;
}

static PyObject *get_why(PyObject *self, void *unused)
{
    struct answer *a = (struct answer *)self;
    PyObject *why = a->why ? a->why : Py_None;
    Py_INCREF(why);
    return why;
}

static PyObject *get_stream(PyObject *self, void *unused)
{
    struct answer *a = (struct answer *)self;
    PyObject *stream = a->stream ? a->stream : Py_None;
    Py_INCREF(stream);
    return stream;
}

static PyObject *fields_list(const char *at, const char *end)
{
    PyObject *list = PyList_New(0);
    while (list && at < end) {
        size_t n = strlen(at), m = strlen(at + n + 1);
        PyObject *name = PyUnicode_DecodeLatin1(at, (Py_ssize_t)n, NULL);
        PyObject *value = PyUnicode_DecodeUTF8(at + n + 1, (Py_ssize_t)m, "surrogateescape");
        PyObject *pair = NULL;
        if (name && value) {
            PyUnicode_InternInPlace(&name);
            pair = PyTuple_Pack(2, name, value);
        }
        if (!pair || PyList_Append(list, pair) < 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
        Py_XDECREF(name);
        Py_XDECREF(value);
        at += n + m + 2;
    }
    return list;
}

static PyObject *get_fields(PyObject *self, void *unused)
{
    struct answer *a = (struct answer *)self;
    if (!a->fields)
        return PyList_New(0);
    if (PyBytes_Check(a->fields)) {
        char *at = PyBytes_AsString(a->fields);
        PyObject *list = fields_list(at, at + PyBytes_Size(a->fields));
        if (!list)
            return NULL;
        Py_DECREF(a->fields);
        a->fields = list;
    }
    Py_INCREF(a->fields);
    return a->fields;
}

static PyObject *pack_fields(const struct sosia_response *r)
{
    PyObject *made;
    size_t len = 0;
    char *to;
    for (size_t i = 0; i < r->n_headers; i++)
        len += strlen(r->headers[i].name) + strlen(r->headers[i].value) + 2;
    made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)len);
    to = made ? PyBytes_AsString(made) : NULL;
    for (size_t i = 0; made && i < r->n_headers; i++) {
        to = stpcpy(to, r->headers[i].name) + 1;
        to = stpcpy(to, r->headers[i].value) + 1;
    }
    return made;
}

/* A body that is pulled: straight into its bytes. */
static PyObject *pull_body(struct sosia_response *r)
{
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)r->length);
    char *to = made ? PyBytes_AsString(made) : NULL;
    int64_t at = 0, n = 1;
    if (!made)
        return NULL;
    if (r->length <= LARGE) {
        while (at < r->length && (n = r->read(r, at, to + at, (size_t)(r->length - at))) > 0)
            at += n;
    } else {
        PyThreadState *kept = PyEval_SaveThread();
        while (at < r->length && (n = r->read(r, at, to + at, (size_t)(r->length - at))) > 0)
            at += n;
        PyEval_RestoreThread(kept);
    }
    if (at < r->length) {
        Py_DECREF(made);
        PyErr_Format(PyExc_OSError, "a body of %lld bytes must come whole, only %lld came",
                     (long long)r->length, (long long)at);
        return NULL;
    }
    return made;
}

/* An answer that goes on: what is there by now, and it ends as if the client had gone away. */
static PyObject *take_stream(struct sosia_response *r)
{
    PyObject *made = PyBytes_FromStringAndSize("", 0);
    char piece[4096];
    int64_t n;
    while (made && (n = sosia_stream_take(r->stream, piece, sizeof piece)) > 0) {
        PyObject *next = PyBytes_FromStringAndSize(piece, (Py_ssize_t)n),
                 *both = next ? PySequence_Concat(made, next) : NULL;
        Py_XDECREF(next);
        Py_DECREF(made);
        made = both;
    }
    return made;
}

PyObject *answer_from(struct engine *e, struct sosia_response *r, bool keep)
{
    struct answer *a = (struct answer *)answer_new(answer_type);
    bool kept = keep && (r->stream || (r->read && r->length > LARGE));
    if (!a)
        goto done;
    a->status = r->status;
    a->fields = pack_fields(r);
    a->body = kept        ? PyBytes_FromStringAndSize("", 0)
              : r->read   ? pull_body(r)
              : r->stream ? take_stream(r)
                          : PyBytes_FromStringAndSize(r->body, (Py_ssize_t)r->body_len);
    if (r->why)
        a->why = PyUnicode_DecodeUTF8(r->why, (Py_ssize_t)strlen(r->why), "replace");
    if (!a->fields || !a->body || (r->why && !a->why)) {
        Py_CLEAR(a);
    } else if (kept) {
        a->stream = stream_from(e, r);
        r = NULL;
        if (!a->stream)
            Py_CLEAR(a);
    }
done:
    sosia_response_free(r);
    return (PyObject *)a;
}

static PyGetSetDef answer_get[] = {
    {"status", get_status, NULL, "The HTTP status.", NULL},
    {"body", get_body, NULL, "The bytes of the body.", NULL},
    {"fields", get_fields, NULL, "The header fields, as a list of (name, value) in their order.",
     NULL},
    {"why", get_why, NULL,
     "Why it is refused, where the service's own words don't say; None: they do.", NULL},
    {"stream", get_stream, NULL,
     "What gives the body piece by piece, of an answer that was asked for so; None: .body has it.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot answer_slots[] = {
    {Py_tp_doc, (void *)"An answer as it came."},
    {Py_tp_dealloc, (void *)answer_dealloc},
    {Py_tp_traverse, (void *)answer_traverse},
    {Py_tp_clear, (void *)answer_clear},
    {Py_tp_init, (void *)answer_make},
    {Py_tp_getset, answer_get},
    {0, NULL},
};

static PyType_Spec answer_spec = {"sosia._sosia.Answer", sizeof(struct answer), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                  answer_slots};

PyObject *answer_set_type(PyObject *module, PyObject *type)
{
    PyObject *base = PyObject_GetAttrString(module, "Answer");
    int is = base && PyType_Check(type) ? PyObject_IsSubclass(type, base) : base ? 0 : -1;
    Py_XDECREF(base);
    if (is <= 0) {
        if (is == 0)
            PyErr_SetString(PyExc_TypeError, "what calls give must be a subclass of Answer");
        return NULL;
    }
    Py_INCREF(type);
    Py_DECREF((PyObject *)answer_type);
    answer_type = (PyTypeObject *)type;
    Py_RETURN_NONE;
}

int answer_init(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&answer_spec);
    if (!type)
        return -1;
    Py_INCREF(type);
    answer_type = (PyTypeObject *)type;
    if (PyModule_AddObject(module, "Answer", type) < 0) {
        Py_DECREF(type);
        return -1;
    }
    return 0;
}
