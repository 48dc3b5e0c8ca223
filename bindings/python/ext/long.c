/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that may take long. They are made without the interpreter's lock; in the main thread, where
 * signals arrive, by another thread, while this one looks every now and then whether one of the
 * program's handlers has raised.
 */
#include "bindings/python/ext/binding.h"
#include <string.h>
#include <time.h>

#define LOOK_NS 20000000 /* between two looks at signals */

static unsigned long main_thread;

struct waiter {
    struct job *job;
    pthread_mutex_t lock;
    pthread_cond_t over;
    int rc;
    bool done;
};

static void *run_apart(void *arg)
{
    struct waiter *w = arg;
    int rc = w->job->run(w->job);
    pthread_mutex_lock(&w->lock);
    w->rc = rc;
    w->done = true;
    pthread_cond_signal(&w->over);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Waits for the next look, or the end. */
static bool wait_over(struct waiter *w)
{
    struct timespec at;
    bool done;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += LOOK_NS;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&w->lock);
    while (!w->done && pthread_cond_timedwait(&w->over, &w->lock, &at) == 0)
        ;
    done = w->done;
    pthread_mutex_unlock(&w->lock);
    return done;
}

/* In the main thread. *ret_raised: a handler did, and there is its exception. */
static int run_watched(struct job *job, bool *ret_raised)
{
    struct waiter w = {.job = job, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_condattr_t monotonic;
    pthread_t thread;
    bool over = false;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w.over, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&thread, NULL, run_apart, &w) != 0) {
        PyThreadState *kept = PyEval_SaveThread();
        w.rc = job->run(job);
        PyEval_RestoreThread(kept);
    } else {
        while (!over) {
            PyThreadState *kept = PyEval_SaveThread();
            over = wait_over(&w);
            PyEval_RestoreThread(kept);
            if (!over && !*ret_raised && PyErr_CheckSignals() < 0)
                *ret_raised = true;
            if (!engine_is_ours(job->owner)) /* a handler has forked, and this is the child */
                return -1;
            if (!over && *ret_raised) /* at each look: it may have been about to begin */
                sosia_interrupt(job->engine, job->world);
        }
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&w.over);
    return w.rc;
}

bool job_run(struct job *job)
{
    bool raised = false;
    int rc;
    if (!engine_enter(job->owner))
        return false;
    job->engine = job->owner->engine;
    if (PyThread_get_thread_ident() == main_thread) {
        rc = run_watched(job, &raised);
    } else {
        PyThreadState *kept = PyEval_SaveThread();
        rc = job->run(job);
        PyEval_RestoreThread(kept);
    }
    engine_leave(job->owner);
    if (!engine_is_ours(job->owner))
        return raised ? false : engine_enter(job->owner); /* which says so */
    if (rc < 0 && !raised)
        raise_error(&job->err);
    if (rc == 0 && raised) { /* it was over before */
        sosia_blob_free(&job->blob);
        sosia_blob_free(&job->second);
        sosia_response_free(job->response);
        if (job->made)
            sosia_world_drop(job->engine, job->made, NULL);
    }
    return rc == 0 && !raised;
}

bool job_quick(struct job *job)
{
    int rc;
    if (job->owner->busy || job->owner->durable)
        return job_run(job);
    if (!engine_enter(job->owner))
        return false;
    job->engine = job->owner->engine;
    rc = job->run(job);
    engine_leave(job->owner);
    if (rc < 0)
        raise_error(&job->err);
    return rc == 0;
}

int long_init(void)
{
    PyObject *threading = PyImport_ImportModule("threading"), *thread = NULL, *ident = NULL;
    thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
    ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
    main_thread = ident ? PyLong_AsUnsignedLong(ident) : 0;
    Py_XDECREF(ident);
    Py_XDECREF(thread);
    Py_XDECREF(threading);
    return PyErr_Occurred() ? -1 : 0;
}
