/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST /search/query: hits of what services have. Whoever can be searched lays down a record for a
 * type of entity (struct core_policy of its core, for GRAPH_FIND): struct graph_finder.
 */
#ifndef SOSIA_MICROSOFT_FIND_H
#define SOSIA_MICROSOFT_FIND_H

#include "vendors/microsoft/graph.h"

#define GRAPH_FIND "graph.find"

/* What is searched, and the answer so far. */
struct graph_find {
    const char *text;   /* KQL; never empty */
    int64_t from, size; /* of the page */
    int64_t total;      /* filled by the finder: how many there are, as far as it counts */
    bool more;          /* filled too: there are others behind the page */
    int64_t n;          /* hits written */
};

struct graph_finder {
    const char *entity; /* "message" */
    const char *scopes; /* of which the token needs one */
    /* Calls graph_hit() for each hit of the page, the best first. 0, -1. */
    int (*find)(struct call *c, struct graph_find *f);
};

/* One hit: write() gives the members of the thing to c->out, which leaves out what the mask does
 * (NULL: nothing); type: "message". Its summary is its preview or its name. 0, -1. */
int graph_hit(struct call *c, struct graph_find *f, const char *id, const char *type,
              const struct json_mask *mask, int (*write)(struct call *c, void *arg), void *arg);

extern const struct dialect search_dialect;

#endif
