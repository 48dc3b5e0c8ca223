/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as the package gives them: method, target, header fields, and a body that is bytes or
 * was put into a spool before. And what an engine has given out that ends with it. */
#include "bindings/python/ext/binding.h"
#include <stdlib.h>
#include <string.h>

#define MOST_HEADER 1000

/* A pair of str; what they point to lives as long as the pair does. */
static bool add_header(struct asked *h, PyObject *pair)
{
    const char *name, *value;
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
        PyErr_SetString(PyExc_TypeError, "a header must be a tuple of name and value");
        return false;
    }
    name = to_text(PyTuple_GetItem(pair, 0), "the name of a header", NULL);
    value = name ? to_text(PyTuple_GetItem(pair, 1), "the value of a header", NULL) : NULL;
    if (value && (strpbrk(name, "\r\n") || strpbrk(value, "\r\n"))) {
        PyErr_SetString(PyExc_ValueError, "a header must have no line break in it");
        return false;
    }
    if (value)
        h->list[h->n++] = (struct sosia_header){name, value};
    return value != NULL;
}

/* headers: a tuple of pairs. */
static bool take_headers(struct asked *h, PyObject *headers)
{
    Py_ssize_t n;
    h->list = h->few;
    h->n = 0;
    if (headers == Py_None)
        return true;
    if (!PyTuple_Check(headers)) {
        PyErr_SetString(PyExc_TypeError, "headers must be a tuple of pairs");
        return false;
    }
    n = PyTuple_Size(headers);
    if (n > MOST_HEADER) {
        PyErr_Format(PyExc_ValueError, "headers must be %d at most, not %zd", MOST_HEADER, n);
        return false;
    }
    if (n > ASKED_HEADERS && !(h->list = malloc((size_t)n * sizeof *h->list))) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!add_header(h, PyTuple_GetItem(headers, i))) {
            if (h->list != h->few)
                free(h->list);
            return false;
        }
    return true;
}

bool asked_from(struct asked *a, PyObject *const *args, PyObject *base_url)
{
    a->request = (struct sosia_request){.size = sizeof a->request};
    a->spool = NULL;
    if (!to_u64(args[0], &a->world) || !(a->request.method = to_text(args[1], "method", NULL)) ||
        !(a->request.target = to_text(args[2], "target", NULL)))
        return false;
    if (base_url != Py_None && !(a->request.base_url = to_text(base_url, "base_url", NULL)))
        return false;
    if (!take_headers(a, args[3]))
        return false;
    a->request.headers = a->list;
    a->request.n_headers = a->n;
    return true;
}

void asked_done(struct asked *a)
{
    asked_leave_spool(a);
    if (a->list != a->few)
        free(a->list);
}

/* ---- what ends with its engine ---- */

void engine_hold(struct engine *e, struct held *h, void (*end)(struct held *held))
{
    Py_INCREF((PyObject *)e);
    *h = (struct held){.owner = e, .end = end, .next = e->held};
    if (h->next)
        h->next->prev = h;
    e->held = h;
}

void held_end(struct held *h)
{
    struct engine *e = h->owner;
    if (!e)
        return;
    if (h->prev)
        h->prev->next = h->next;
    else
        e->held = h->next;
    if (h->next)
        h->next->prev = h->prev;
    h->owner = NULL; /* before its end, in which other threads may run */
    if (engine_is_ours(e))
        h->end(h);
    Py_DECREF((PyObject *)e);
}
