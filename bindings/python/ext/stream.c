/* SPDX-License-Identifier: Apache-2.0 */
/* Answers whose body comes in pieces: those that go on, and large files, which are read as far as
 * somebody asks. */
#include "bindings/python/ext/binding.h"
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define PIECE (64 << 10) /* bytes */

struct stream {
    PyObject ob_base;
    struct held held;
    struct sosia_response *response; /* NULL: it has ended */
    int64_t at, length;              /* of a file's content; length -1: it goes on */
    bool closed;                     /* nobody wants the rest */
    int fd;                          /* readable when there may be something; -1: a file */
};

static PyTypeObject *stream_type;

/* By any thread, under a lock. */
static void wake(void *arg)
{
    const struct stream *s = arg;
    uint64_t one = 1;
    if (write(s->fd, &one, sizeof one) < 0) { /* full: there is enough to read */
    }
}

static void end_stream(struct held *held)
{
    struct stream *s = (struct stream *)((char *)held - offsetof(struct stream, held));
    struct sosia_response *response = s->response;
    s->response = NULL;
    sosia_response_free(response); /* nobody is woken any more */
    if (s->fd >= 0)
        wake(s); /* but for the end */
}

PyObject *stream_from(struct engine *e, struct sosia_response *response)
{
    struct stream *s =
        (struct stream *)((allocfunc)PyType_GetSlot(stream_type, Py_tp_alloc))(stream_type, 0);
    if (!s) {
        sosia_response_free(response);
        return NULL;
    }
    s->fd = -1;
    s->response = response;
    s->length = response->stream ? -1 : response->length;
    engine_hold(e, &s->held, end_stream);
    if (response->stream) {
        s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (s->fd < 0) {
            PyErr_SetFromErrno(PyExc_OSError);
            Py_DECREF((PyObject *)s);
            return NULL;
        }
        sosia_stream_wake(response->stream, 0, wake, s);
    }
    return (PyObject *)s;
}

static void stream_dealloc(PyObject *self)
{
    struct stream *s = (struct stream *)self;
    PyTypeObject *type = Py_TYPE(self);
    held_end(&s->held);
    if (s->fd >= 0)
        close(s->fd);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Bytes; b"": none at the moment; None: that was all. */
static PyObject *stream_take(PyObject *self, PyObject *unused)
{
    struct stream *s = (struct stream *)self;
    struct sosia_response *r = s->response;
    PyObject *piece, *some;
    uint64_t gone;
    int64_t n;
    char *to;
    if (!r && s->at < s->length && !s->closed)
        return raise_closed("the engine was closed before the body was read to its end");
    if (!r || !s->held.owner) /* without an owner: it was closed in a process that was forked */
        Py_RETURN_NONE;
    if (!engine_enter(s->held.owner))
        return NULL;
    engine_leave(s->held.owner);
    if (s->fd >= 0 && read(s->fd, &gone, sizeof gone) < 0) { /* nothing was there */
    }
    piece = PyBytes_FromStringAndSize(NULL, PIECE);
    if (!piece)
        return NULL;
    to = PyBytes_AsString(piece);
    if (r->stream) {
        n = sosia_stream_take(r->stream, to, PIECE);
    } else {
        n = s->at < r->length ? r->read(r, s->at, to, PIECE) : 0;
        if (n < 0 || (n == 0 && s->at < r->length)) {
            Py_DECREF(piece);
            PyErr_Format(PyExc_OSError, "a body of %lld bytes must come whole, only %lld came",
                         (long long)r->length, (long long)s->at);
            return NULL;
        }
        s->at += n;
        n = n ? n : -1;
    }
    if (n < 0) {
        Py_DECREF(piece);
        held_end(&s->held);
        Py_RETURN_NONE;
    }
    if (n == PIECE)
        return piece;
    some = PyBytes_FromStringAndSize(to, (Py_ssize_t)n);
    Py_DECREF(piece);
    return some;
}

static PyObject *stream_fileno(PyObject *self, PyObject *unused)
{
    return PyLong_FromLong(((struct stream *)self)->fd);
}

static PyObject *stream_close(PyObject *self, PyObject *unused)
{
    struct stream *s = (struct stream *)self;
    s->closed = true;
    held_end(&s->held);
    Py_RETURN_NONE;
}

static PyObject *get_length(PyObject *self, void *unused)
{
    return PyLong_FromLongLong(((struct stream *)self)->length);
}

static PyMethodDef stream_methods[] = {
    {"take", stream_take, METH_NOARGS,
     "The next piece; b\"\": there is none at the moment; None: that was all."},
    {"fileno", stream_fileno, METH_NOARGS,
     "A descriptor that is readable when there may be more; -1: there always is."},
    {"close", stream_close, METH_NOARGS, "Ends it, as if the client had gone away."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef stream_get[] = {
    {"length", get_length, NULL, "In bytes; -1: it goes on.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_doc, (void *)"A body that comes in pieces."},
    {Py_tp_dealloc, (void *)stream_dealloc},
    {Py_tp_methods, stream_methods},
    {Py_tp_getset, stream_get},
    {0, NULL},
};

static PyType_Spec stream_spec = {"sosia._sosia.Stream", sizeof(struct stream), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  stream_slots};

int stream_init(PyObject *module)
{
    stream_type = (PyTypeObject *)PyType_FromSpec(&stream_spec);
    if (!stream_type)
        return -1;
    Py_INCREF((PyObject *)stream_type);
    return PyModule_AddObject(module, "Stream", (PyObject *)stream_type);
}
