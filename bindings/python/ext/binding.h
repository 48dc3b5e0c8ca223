/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extension module sosia._sosia: what sosia.h has, with as little of Python as it takes. Names,
 * defaults, JSON and times are the package's (../sosia). Limited API of Python 3.10, so that one
 * file serves all later versions.
 *
 * The lock of the interpreter is kept in calls that are short, since giving it away costs more than
 * they do; it is given away in those that may be long (long.c), and no function that the engine
 * calls back ever takes it.
 */
#ifndef SOSIA_PYTHON_BINDING_H
#define SOSIA_PYTHON_BINDING_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030A0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "sosia.h"
#include <pthread.h>

/* ---- conversions (convert.c) ---- */

/* Converters of PyArg_ParseTuple(): a number that has to fit. */
int to_u64(PyObject *value, void *ret_u64);
/* The text of a str without NUL, in UTF-8, borrowed from it; None is NULL where none says that it
 * may be. what: in messages. NULL with an exception: ret_len is untouched then. */
const char *to_text(PyObject *value, const char *what, Py_ssize_t *ret_len);
/* Raises what sosia.errors makes of it. Gives NULL. */
PyObject *raise_error(const struct sosia_err *err);
/* Raises its class Closed. Gives NULL. */
PyObject *raise_closed(const char *text);
/* Takes the blob. */
PyObject *from_blob(struct sosia_blob *blob);
PyObject *from_info(const struct sosia_world_info *info);

/* ---- answers (answer.c) ---- */

struct engine;

extern PyTypeObject *answer_type; /* what calls give: the package sets a subclass */
/* Reads all of the response, which it frees; keep: but for what goes on or is large, which its
 * stream gives. */
PyObject *answer_from(struct engine *e, struct sosia_response *response, bool keep);
int answer_init(PyObject *module);
PyObject *answer_set_type(PyObject *module, PyObject *type);

/* ---- the engine (engine.c) ---- */

struct notice {
    uint64_t world;
    int64_t first, last;
};

/* What the outbox's function leaves for the program's own threads; its lock is held for moments
 * only. */
struct notices {
    pthread_mutex_t lock;
    struct notice *list;
    size_t n, room;
    bool lost; /* there was no memory for some */
    int fd;    /* an eventfd, readable while there is something; -1: nobody asked */
};

struct engine {
    PyObject ob_base;
    struct sosia_engine *engine; /* NULL: closed */
    unsigned generation;         /* of the process that opened it */
    int busy;                    /* calls under way; under the interpreter's lock */
    bool durable;
    struct held *held;
    struct notices notices;
};

/* Begins a use of the engine: false with an exception if it is closed, or another process's. */
bool engine_enter(struct engine *e);
void engine_leave(struct engine *e);
/* Whether this process has opened it. */
bool engine_is_ours(const struct engine *e);
int engine_init(PyObject *module);
extern const PyMethodDef engine_work[]; /* work.c: of worlds, beside their calls */
PyObject *engine_call(PyObject *self, PyObject *const *args, Py_ssize_t n);

/* ---- requests (request.c) ---- */

#define ASKED_HEADERS 32 /* that need no memory */

struct asked {
    struct sosia_request request;
    uint64_t world;
    struct sosia_header *list, few[ASKED_HEADERS];
    size_t n;
    struct spool *spool; /* where the body is: no other thread may have it until asked_done() */
};

/* args: world, method, target, headers (a tuple of pairs, or None); their texts are borrowed. False
 * with an exception. */
bool asked_from(struct asked *a, PyObject *const *args, PyObject *base_url);
/* Its body: bytes, None, or a spool of the engine. */
bool asked_body(struct asked *a, const struct engine *e, PyObject *body);
void asked_done(struct asked *a);
/* The spool of a request is free again, if it has one. */
void asked_leave_spool(struct asked *a);

/* A member of what an engine has given out and has to be freed before it is closed. */
struct held {
    struct engine *owner; /* referred to; NULL: it has ended */
    struct held *prev, *next;
    void (*end)(struct held *held);
};

void engine_hold(struct engine *e, struct held *h, void (*end)(struct held *held));
/* Ends it, if it has not; under the interpreter's lock. */
void held_end(struct held *h);

/* ---- streams (stream.c), spools (spool.c), sessions (session.c) ---- */

int stream_init(PyObject *module);
/* What a response still has to give; it is the stream's then, also where there is an exception. */
PyObject *stream_from(struct engine *e, struct sosia_response *response);
int spool_init(PyObject *module);
PyObject *engine_spool(PyObject *self, PyObject *const *args, Py_ssize_t n);
int session_init(PyObject *module);
PyObject *engine_session(PyObject *self, PyObject *const *args, Py_ssize_t n);

/* ---- suites (work.c) ---- */

int suite_init(PyObject *module);

/* ---- what may take long (long.c) ---- */

/* The arguments and results of one function of sosia.h; which members it has is the function's. */
struct job {
    int (*run)(struct job *job);
    struct engine *owner;
    struct sosia_engine *engine;
    uint64_t world, other;
    const char *text, *name, *more;
    Py_ssize_t len, more_len;
    int64_t from, to;
    int64_t number;
    int form, flag;
    const void *options;
    const struct sosia_suite *suite;
    struct sosia_blob blob, second;
    uint64_t made;
    struct sosia_response *response;
    char hex[65];
    struct sosia_err err;
};

/* For what is short: keeps the interpreter's lock where nothing else is under way in the engine and
 * nothing waits for a disk. */
bool job_quick(struct job *job);
/* Runs it without the interpreter's lock. In the main thread a signal whose handler raises ends it
 * early. False: it failed, or a handler raised: there is an exception, and what it made has been
 * freed. */
bool job_run(struct job *job);
int long_init(void);

#endif
