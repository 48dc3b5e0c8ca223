/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: what a WebSocket carries. Frames for the client are left in a list, which the program's
 * own threads empty. */
#include "bindings/frames.h"
#include "bindings/python/ext/binding.h"
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct session {
    PyObject ob_base;
    struct held held;
    struct sosia_session *session; /* NULL: closed */
    int busy;                      /* frames of the client under way */
    int ending;                    /* with this code, when they are over; 0: it goes on */
    struct frames frames;
    int fd;
};

static PyTypeObject *session_type;

/* From any thread, under a lock: nothing of Python here. */
static void wake(const struct session *s)
{
    uint64_t one = 1;
    if (write(s->fd, &one, sizeof one) < 0) { /* full: there is enough to read */
    }
}

static void on_send(void *arg, const char *data, size_t len)
{
    struct session *s = arg;
    frames_leave(&s->frames, 0, data, len);
    wake(s);
}

static void on_close(void *arg, int code, const char *reason)
{
    struct session *s = arg;
    frames_end(&s->frames, code, reason);
    wake(s);
}

static void end_with(struct session *s, int code)
{
    struct sosia_session *session = s->session;
    s->session = NULL;
    if (session) { /* of a parent process it is no handle here, and nothing is done */
        PyThreadState *kept = PyEval_SaveThread();
        sosia_session_close(session, code);
        PyEval_RestoreThread(kept);
    }
}

static void end_session(struct held *held)
{
    end_with((struct session *)((char *)held - offsetof(struct session, held)), FRAME_ABNORMAL);
}

static void session_dealloc(PyObject *self)
{
    struct session *s = (struct session *)self;
    PyTypeObject *type = Py_TYPE(self);
    held_end(&s->held);
    if (s->fd >= 0)
        close(s->fd);
    frames_done(&s->frames);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

struct opening {
    struct job job;
    struct session *session;
};

static int run_open(struct job *job)
{
    struct opening *o = (struct opening *)job;
    const struct sosia_session_calls calls = {
        .size = sizeof calls, .send = on_send, .close = on_close};
    return sosia_session_open(job->engine, job->world, job->options, &calls, o->session,
                              &o->session->session, &job->response, &job->err);
}

static struct session *session_new(struct engine *e)
{
    struct session *s =
        (struct session *)((allocfunc)PyType_GetSlot(session_type, Py_tp_alloc))(session_type, 0);
    if (!s)
        return NULL;
    frames_init(&s->frames);
    s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    engine_hold(e, &s->held, end_session);
    if (s->fd < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        Py_DECREF((PyObject *)s);
        return NULL;
    }
    return s;
}

/* session(world, method, target, headers, base_url): (answer, session or None) */
PyObject *engine_session(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct engine *e = (struct engine *)self;
    PyObject *answer, *given;
    struct asked asked;
    if (n != 5) {
        PyErr_SetString(PyExc_TypeError,
                        "session takes world, method, target, headers and base_url");
        return NULL;
    }
    if (!asked_from(&asked, args, args[4]))
        return NULL;
    struct opening o = {.job = {.run = run_open, .owner = e, .world = asked.world},
                        .session = session_new(e)};
    o.job.options = &asked.request;
    if (!o.session || !job_run(&o.job)) {
        asked_done(&asked);
        if (o.session)
            Py_DECREF((PyObject *)o.session);
        return NULL;
    }
    asked_done(&asked);
    answer = answer_from(e, o.job.response, false);
    given = o.session->session ? (PyObject *)o.session : Py_None;
    if (given == Py_None) {
        Py_INCREF(given);
        Py_DECREF((PyObject *)o.session);
    }
    if (!answer) {
        Py_DECREF(given);
        return NULL;
    }
    return Py_BuildValue("(NN)", answer, given);
}

/* All that was left: a list of (0, message) and (code, reason). */
static PyObject *session_take(PyObject *self, PyObject *unused)
{
    struct session *s = (struct session *)self;
    PyObject *list = PyList_New(0);
    struct frame *first, *next;
    uint64_t gone;
    bool lost;
    if (!list)
        return NULL;
    if (read(s->fd, &gone, sizeof gone) < 0) { /* nothing was there */
    }
    first = frames_take(&s->frames, &lost);
    for (struct frame *f = first; f; f = next) {
        PyObject *text = PyUnicode_DecodeUTF8(f->text, (Py_ssize_t)f->len, "replace");
        PyObject *pair = text ? Py_BuildValue("(iN)", f->code, text) : NULL;
        if (list && (!pair || PyList_Append(list, pair) < 0))
            Py_CLEAR(list);
        Py_XDECREF(pair);
        next = f->next;
        free(f);
    }
    if (lost) {
        Py_XDECREF(list);
        return PyErr_NoMemory();
    }
    return list;
}

struct sending {
    struct job job;
    struct sosia_session *session;
};

static int run_send(struct job *job)
{
    return sosia_session_frame(((struct sending *)job)->session, job->text, (size_t)job->len,
                               job->flag, &job->err);
}

/* send(data, binary): a message of the client's. */
static PyObject *session_send(PyObject *self, PyObject *args)
{
    struct session *s = (struct session *)self;
    struct sending send = {.job = {.run = run_send, .owner = s->held.owner}};
    bool sent;
    if (!PyArg_ParseTuple(args, "y#p", &send.job.text, &send.job.len, &send.job.flag))
        return NULL;
    if (!s->session)
        return raise_closed("the session is closed");
    send.session = s->session;
    s->busy++;
    sent = job_run(&send.job);
    s->busy--;
    if (!s->busy && s->ending) {
        end_with(s, s->ending);
        held_end(&s->held);
    }
    if (!sent)
        return NULL;
    Py_RETURN_NONE;
}

/* close(code): the connection has ended. */
static PyObject *session_close(PyObject *self, PyObject *args)
{
    struct session *s = (struct session *)self;
    int code;
    if (!PyArg_ParseTuple(args, "i", &code))
        return NULL;
    if (s->busy) {
        s->ending = code;
    } else if (s->held.owner) {
        end_with(s, code);
        held_end(&s->held);
    }
    Py_RETURN_NONE;
}

static PyObject *session_fileno(PyObject *self, PyObject *unused)
{
    return PyLong_FromLong(((struct session *)self)->fd);
}

static PyObject *get_max_frame(PyObject *self, void *unused)
{
    struct session *s = (struct session *)self;
    return PyLong_FromSize_t(s->session ? sosia_session_max_frame(s->session) : 0);
}

static PyMethodDef session_methods[] = {
    {"take", session_take, METH_NOARGS,
     "What it has for the client: (0, message), (code, reason)."},
    {"send", session_send, METH_VARARGS, "A message of the client's, and whether it is binary."},
    {"close", session_close, METH_VARARGS, "The connection has ended, with this code."},
    {"fileno", session_fileno, METH_NOARGS, "Readable while there is something to take."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef session_get[] = {
    {"max_frame", get_max_frame, NULL, "How long a client's message may be, in bytes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot session_slots[] = {
    {Py_tp_doc, (void *)"A connection on which a program and a service send frames."},
    {Py_tp_dealloc, (void *)session_dealloc},
    {Py_tp_methods, session_methods},
    {Py_tp_getset, session_get},
    {0, NULL},
};

static PyType_Spec session_spec = {"sosia._sosia.Session", sizeof(struct session), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   session_slots};

int session_init(PyObject *module)
{
    session_type = (PyTypeObject *)PyType_FromSpec(&session_spec);
    if (!session_type)
        return -1;
    Py_INCREF((PyObject *)session_type);
    return PyModule_AddObject(module, "Session", (PyObject *)session_type);
}
