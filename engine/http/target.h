/* SPDX-License-Identifier: Apache-2.0 */
/* Where a request goes. */
#ifndef SOSIA_HTTP_TARGET_H
#define SOSIA_HTTP_TARGET_H

#include "engine/http/call.h"

struct match;
struct worker;

/* Where a request says it goes: "/w/KEY/", then "/@HOST/", then the path. */
struct target {
    const char *key; /* of the world; NULL: not said */
    size_t key_len;
    const char *host; /* NULL: not said */
    size_t host_len;
    bool at_host; /* in the path, as "/@HOST/" */
};

/* Reads the request's target: the call's path and query, and *ret. 0, -1. */
int target_split(struct call *c, struct target *ret);
/* Whether it leads to a vendor's host, so that nothing but a row of that vendor answers it. host:
 * of the request, where the target names none. */
bool target_is_of_vendor(const struct sosia_engine *e, const char *host, const char *target);
/* Whose host it is, and which row: into the call and *m. outer: the call that it is a part of;
 * NULL: none. */
void target_row(struct call *c, const struct target *t, const struct call *outer, struct match *m);
/* Path wins over host, host over header, header over token. A token whose world is gone, or was
 * never here, names none: it is a token that nobody knows, and what is said to that is the vendor's
 * business.
 * given: the world that the caller names; 0: none. It is locked. NULL: the call has failed, or it
 * is busy; ret_busy NULL: waits for it. */
struct world *target_world(struct call *c, struct worker *k, uint64_t given, const struct target *t,
                           bool *ret_busy);
/* The request's base URL, with the world's prefix and the host's if the path had them. */
const char *target_base_url(struct call *c, const struct target *t);

#endif
