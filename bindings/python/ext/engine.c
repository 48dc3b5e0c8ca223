/* SPDX-License-Identifier: Apache-2.0 */
/* Engine: opening, closing, calls, and what its outbox's function leaves for the program. */
#include "bindings/python/ext/binding.h"
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SMALL                                                                                      \
    (64 << 10) /* bytes of a body with which a call is made without giving the interpreter away */

static unsigned generation; /* goes on in each child of a fork */

static void count_child(void)
{
    generation++;
}

bool engine_is_ours(const struct engine *e)
{
    return e->generation == generation;
}

bool engine_enter(struct engine *e)
{
    if (!e || !e->engine) { /* no engine: what asks was closed in a process that was forked */
        raise_closed("the engine is closed");
        return false;
    }
    if (e->generation != generation) {
        raise_closed(
            "the engine belongs to the process that this one was forked from: open one here");
        return false;
    }
    e->busy++;
    return true;
}

void engine_leave(struct engine *e)
{
    e->busy--;
}

/* ---- opening and closing ---- */

/* Under a world's lock, on any thread: nothing of Python here. */
static void on_outbox(void *arg, uint64_t world, int64_t first, int64_t last)
{
    struct notices *n = arg;
    uint64_t one = 1;
    pthread_mutex_lock(&n->lock);
    if (n->n == n->room) {
        size_t room = n->room ? n->room * 2 : 64;
        struct notice *list = realloc(n->list, room * sizeof *list);
        if (list) {
            n->list = list;
            n->room = room;
        }
    }
    if (n->n < n->room)
        n->list[n->n++] = (struct notice){world, first, last};
    else
        n->lost = true;
    if (n->fd >= 0 && write(n->fd, &one, sizeof one) < 0) { /* full: somebody has enough to read */
    }
    pthread_mutex_unlock(&n->lock);
}

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    struct sosia_engine_options o = {0};
    struct sosia_err err = {0};
    PyThreadState *kept;
    int oauth = 0, random = 0, evaluation = 0, fixture = 0, mode = 0, keep = 0, rc;
    struct engine *e;
    if (!PyArg_ParseTuple(args, "zO&O&O&zO&izpppii", &o.data_dir, to_u64, &o.max_worlds, to_u64,
                          &o.max_world_size, to_u64, &o.max_size, &o.spool_dir, to_u64,
                          &o.spool_over, &oauth, &o.world_secret, &random, &evaluation, &fixture,
                          &mode, &keep))
        return NULL;
    o.oauth = (enum sosia_oauth)oauth;
    o.random_secrets = random;
    o.evaluation = evaluation;
    o.mcp_fixture = fixture;
    o.journal.mode = (enum sosia_journal_mode)mode;
    o.journal.keep = (enum sosia_journal_keep)keep;
    e = (struct engine *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!e)
        return NULL;
    e->notices.fd = -1;
    pthread_mutex_init(&e->notices.lock, NULL);
    kept = PyEval_SaveThread();
    rc = sosia_engine_open(&o, &e->engine, &err);
    PyEval_RestoreThread(kept);
    if (rc < 0) {
        Py_DECREF((PyObject *)e);
        return raise_error(&err);
    }
    e->generation = generation;
    e->durable = o.data_dir != NULL;
    return (PyObject *)e;
}

static void close_engine(struct engine *e)
{
    struct sosia_engine *engine = e->engine;
    if (engine && e->generation == generation) { /* a child's copy is its parent's */
        while (e->held)
            held_end(e->held);
        e->engine = NULL;
        PyThreadState *kept = PyEval_SaveThread();
        sosia_engine_close(engine);
        PyEval_RestoreThread(kept);
    }
    e->engine = NULL;
    if (e->notices.fd >= 0)
        close(e->notices.fd);
    e->notices.fd = -1;
    free(e->notices.list);
    e->notices.list = NULL;
    e->notices.n = e->notices.room = 0;
}

static PyObject *engine_close(PyObject *self, PyObject *unused)
{
    struct engine *e = (struct engine *)self;
    if (e->busy && e->generation == generation) {
        struct sosia_err err = {.code = SOSIA_E_CONFLICT, .reason = "engineBusy"};
        snprintf(err.text, sizeof err.text,
                 "an engine must have no call under way when it is closed, not %d", e->busy);
        return raise_error(&err);
    }
    close_engine(e);
    Py_RETURN_NONE;
}

static void engine_dealloc(PyObject *self)
{
    struct engine *e = (struct engine *)self;
    PyTypeObject *type = Py_TYPE(self);
    close_engine(e);
    pthread_mutex_destroy(&e->notices.lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *get_closed(PyObject *self, void *unused)
{
    struct engine *e = (struct engine *)self;
    return PyBool_FromLong(!e->engine || e->generation != generation);
}

/* ---- calls ---- */

static void keep_response(void *arg, struct sosia_response *response)
{
    *(struct sosia_response **)arg = response;
}

static int run_call(struct job *job)
{
    return sosia_call(job->engine, job->world, job->options, &job->response, &job->err);
}

static struct sosia_response *make_call(struct engine *e, uint64_t world,
                                        const struct sosia_request *request)
{
    struct sosia_response *response = NULL;
    if (!e->durable && request->body_len <= SMALL && !request->spool) {
        bool served;
        if (!engine_enter(e))
            return NULL;
        served = sosia_call_try(e->engine, world, request, keep_response, &response);
        engine_leave(e);
        if (served && !response) {
            struct sosia_err err = {.code = SOSIA_E_NO_MEMORY, .text = "no answer could be made"};
            raise_error(&err);
        }
        if (served)
            return response;
    }
    struct job job = {.run = run_call, .owner = e, .world = world, .options = request};
    return job_run(&job) ? job.response : NULL;
}

/* call(world, method, target, headers, body, base_url[, keep]): the answer. body: bytes, or a
 * spool. keep: of one that goes on, or has a large body, Answer.stream gives the rest. */
PyObject *engine_call(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct engine *e = (struct engine *)self;
    struct sosia_response *response;
    struct asked asked;
    int keep = 0;
    if (n != 6 && n != 7) {
        PyErr_SetString(PyExc_TypeError,
                        "call takes world, method, target, headers, body, base_url and keep");
        return NULL;
    }
    if (n == 7 && (keep = PyObject_IsTrue(args[6])) < 0)
        return NULL;
    if (!asked_from(&asked, args, args[5]))
        return NULL;
    if (!asked_body(&asked, e, args[4])) {
        asked_done(&asked);
        return NULL;
    }
    response = make_call(e, asked.world, &asked.request);
    asked_done(&asked);
    return response ? answer_from(e, response, keep) : NULL;
}

/* ---- the outbox's notices ---- */

/* A descriptor that is readable while there are notices; from now on they are kept. */
static PyObject *engine_listen(PyObject *self, PyObject *unused)
{
    struct engine *e = (struct engine *)self;
    if (!engine_enter(e))
        return NULL;
    if (e->notices.fd < 0) {
        e->notices.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (e->notices.fd >= 0) {
            struct sosia_engine *engine = e->engine;
            PyThreadState *kept = PyEval_SaveThread();
            sosia_engine_on_outbox(engine, on_outbox, &e->notices);
            PyEval_RestoreThread(kept);
        }
    }
    engine_leave(e);
    return e->notices.fd >= 0 ? PyLong_FromLong(e->notices.fd) : PyErr_SetFromErrno(PyExc_OSError);
}

/* The notices since the last time, as (list of (world, first, last), whether some are lost). */
static PyObject *engine_take(PyObject *self, PyObject *unused)
{
    struct engine *e = (struct engine *)self;
    struct notices *n = &e->notices;
    struct notice *list;
    size_t count;
    bool lost;
    uint64_t gone;
    PyObject *made;
    pthread_mutex_lock(&n->lock);
    list = n->list;
    count = n->n;
    lost = n->lost;
    n->list = NULL;
    n->n = n->room = 0;
    n->lost = false;
    if (n->fd >= 0 && read(n->fd, &gone, sizeof gone) < 0) { /* nothing was there */
    }
    pthread_mutex_unlock(&n->lock);
    made = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; made && i < count; i++) {
        PyObject *one = Py_BuildValue("(KLL)", (unsigned long long)list[i].world,
                                      (long long)list[i].first, (long long)list[i].last);
        if (!one)
            Py_CLEAR(made);
        else
            PyList_SetItem(made, (Py_ssize_t)i, one);
    }
    free(list);
    return made ? Py_BuildValue("(NO)", made, lost ? Py_True : Py_False) : NULL;
}

/* ---- the type ---- */

static PyMethodDef own_methods[] = {
    {"call", (PyCFunction)(void (*)(void))engine_call, METH_FASTCALL, NULL},
    {"close", engine_close, METH_NOARGS, NULL},
    {"listen", engine_listen, METH_NOARGS, NULL},
    {"take", engine_take, METH_NOARGS, NULL},
    {"session", (PyCFunction)(void (*)(void))engine_session, METH_FASTCALL, NULL},
    {"spool", (PyCFunction)(void (*)(void))engine_spool, METH_FASTCALL, NULL},
};

static PyMethodDef methods[64]; /* those, and engine_work */

static PyGetSetDef engine_get[] = {
    {"closed", get_closed, NULL, "Whether it can't be used any more, in this process.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot engine_slots[] = {
    {Py_tp_doc, (void *)"An engine and the worlds in it."},
    {Py_tp_new, (void *)engine_new},
    {Py_tp_dealloc, (void *)engine_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, engine_get},
    {0, NULL},
};

static PyType_Spec engine_spec = {"sosia._sosia.Engine", sizeof(struct engine), 0,
                                  Py_TPFLAGS_DEFAULT, engine_slots};

int engine_init(PyObject *module)
{
    size_t n = sizeof own_methods / sizeof own_methods[0];
    PyObject *type;
    memcpy(methods, own_methods, sizeof own_methods);
    for (const PyMethodDef *m = engine_work; m->ml_name; m++)
        methods[n++] = *m;
    pthread_atfork(NULL, NULL, count_child);
    type = PyType_FromSpec(&engine_spec);
    if (type && PyModule_AddObject(module, "Engine", type) < 0)
        Py_CLEAR(type);
    return type ? 0 : -1;
}
