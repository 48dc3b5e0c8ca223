/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the host and the raw path of a request to the row of a method: trees of path segments, built
 * once from all dialects' tables. Each vendor has a tree, for its own hosts; one of all vendors is
 * for other hosts (localhost, an address); there, a path that two vendors have belongs to the one
 * whose dialect comes first.
 *
 * A segment of a row's path is a literal, or
 *   {name}             a parameter, with text before or behind it: "{id}:send", "users('{id}')"
 *   {name*}            a parameter that goes over several segments, to its end ("{path*}:") or the
 *                      path's
 *   fn(a={a},b={b})    a function with arguments by name, in any order, values in quotes or bare
 *   fn()               a function without arguments, which may leave the brackets out
 * Functions, and keys in brackets (below), are for vendors that have them (vendor.key_brackets); to
 * these an empty segment is none.
 */
#ifndef SOSIA_API_ROUTER_H
#define SOSIA_API_ROUTER_H

#include "engine/api/vendor.h"
#include "sosia.h"

struct router;

/* The trees of all rows of the dialects (NULL-terminated), which must outlive it. -1: two rows of a
 * vendor have the same verb and path, or there is no memory. */
int router_open(const struct dialect *const *dialects, struct router **ret_router,
                struct sosia_err *err);
void router_close(struct router *r); /* NULL is fine */

#define MAX_PATH_PARAMS 8

struct match {
    const struct route *route;     /* NULL: no method for this verb */
    const struct dialect *dialect; /* of the route, else the owner of the prefix; NULL: nobody's */
    const char *path;              /* the row's, of those that it has */
    bool path_known;               /* the path exists with another verb */
    bool upload;                   /* it is the path for the route's media */
    struct {
        const char *name; /* of the path parameter, in the row's path */
        size_t name_len;
        const char *text; /* raw, still encoded */
        size_t len;
        bool quoted; /* was in quotes: '' in it is a quote */
    } params[MAX_PATH_PARAMS];
    size_t n_params;
    const char *lost; /* where no route is found: the first segment of the path behind the longest
                         way that some row goes, lost_len bytes; NULL: the path ends there */
    size_t lost_len;
};

/* The vendor whose host it is ("name", "name:port"; any case); NULL: no vendor's. */
const struct vendor *router_host(const struct router *r, const char *host, size_t len);
/* What a path (raw, without the query) leads to, on the hosts of a vendor; vendor NULL: on other
 * hosts. */
void router_match(const struct router *r, const struct vendor *vendor, enum verb verb,
                  const char *path, size_t len, struct match *ret);
/* -1 if there is no such verb. HEAD is GET. */
int verb_from_name(const char *name, enum verb *ret);
const char *verb_name(enum verb verb);
/* The first verb of a row, for documents that can show one only. */
enum verb route_verb(const struct route *r);
/* Is a parameter of that name (n bytes) in a path of a row? */
bool route_path_has(const char *path, const char *name, size_t n);
/* Is the parameter in some path of the row, or in none because it is in another place; and can no
 * call be without it? */
bool route_takes(const struct route *r, const struct param *p);
bool route_requires(const struct route *r, const struct param *p);
/* The number of a scope that some row names; -1: none does. */
int router_scope(const struct router *r, const char *name, size_t len);
/* The name of a number; NULL: none has it. */
const char *router_scope_name(const struct router *r, int number);

#endif
