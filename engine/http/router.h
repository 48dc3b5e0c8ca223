/* SPDX-License-Identifier: Apache-2.0 */
/* From a raw request target to the row of a method: a tree of path segments, built once from all
 * dialects' tables. */
#ifndef SOSIA_HTTP_ROUTER_H
#define SOSIA_HTTP_ROUTER_H

#include "engine/http/vendor.h"
#include "sosia.h"

struct router;

/* The tree of all rows of the dialects (NULL-terminated), which must outlive it. -1: two rows have
 * the same verb and path, or there is no memory. */
int router_open(const struct dialect *const *dialects, struct router **ret_router,
                struct sosia_err *err);
void router_close(struct router *r); /* NULL is fine */

#define MAX_PATH_PARAMS 8

struct match {
    const struct route *route;     /* NULL: no method for this verb */
    const struct dialect *dialect; /* of the route, else the owner of the prefix; NULL: nobody's */
    bool path_known;               /* the path exists with another verb */
    bool upload;                   /* it is the path for the route's media */
    struct {
        const char *name; /* of the path parameter, in the row's path */
        size_t name_len;
        const char *text; /* raw, still encoded */
        size_t len;
    } params[MAX_PATH_PARAMS];
    size_t n_params;
};

/* What a path (raw, without the query) leads to. */
void router_match(const struct router *r, enum verb verb, const char *path, size_t len,
                  struct match *ret);
/* -1 if it is none. */
int verb_from_name(const char *name, enum verb *ret);
const char *verb_name(enum verb verb);
/* The number of a scope that some row names; -1. */
int router_scope(const struct router *r, const char *name, size_t len);

#endif
