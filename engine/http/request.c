/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/http/serve.h"

static int check_headers(const struct sosia_request *r, struct sosia_err *err)
{
    if (r->n_headers && taken_pointer(r->headers, "headers", err) < 0)
        return -1;
    for (size_t i = 0; i < r->n_headers; i++)
        if (!r->headers[i].name || !r->headers[i].value)
            return taken_pointer(NULL, r->headers[i].name ? "a header's value" : "a header's name",
                                 err);
    return 0;
}

const struct sosia_request *request_take(const struct sosia_request *request,
                                         struct sosia_request *space, struct sosia_err *err)
{
    const struct sosia_request *r = request;
    if (taken_pointer(r, "request", err) < 0)
        return NULL;
    if (r->size && r->size != sizeof *r) {
        if (TAKEN(sosia_request, space, r, err) < 0)
            return NULL;
        r = space;
    }
    if (!r->method || !r->target)
        return taken_pointer(NULL, r->method ? "target" : "method", err), NULL;
    if (check_headers(r, err) < 0 ||
        (r->body_len && !r->read && !r->spool && taken_pointer(r->body, "body", err) < 0) ||
        (r->spool && handle_check(HANDLE_SPOOL, r->spool, err) < 0))
        return NULL;
    return r;
}
