/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through changes by their numbers (delta), in pages whose tokens say all there is to know.
 */
#ifndef SOSIA_MICROSOFT_WALK_H
#define SOSIA_MICROSOFT_WALK_H

#include "vendors/microsoft/graph.h"

enum { GRAPH_WALK_MOST = 1000 }; /* entries of a page */

struct graph_walk {
    int64_t since;      /* the change behind which it began */
    int64_t from;       /* the last one that an answer had */
    int64_t upto;       /* the last one that answers have; -1: not known yet */
    bool first;         /* all that is there, and nothing that is gone */
    size_t size;        /* of a page */
    const char *select; /* of the first request; "": none */
};

/* One that begins: the page is as large as the client prefers, else otherwise. */
void graph_walk_begin(struct call *c, size_t otherwise, struct graph_walk *ret);
/* The token that the request goes on with; NULL: none. "latest" is one. */
const char *graph_walk_given(struct call *c);
/* From a token of that purpose (graph_seal()). false: it is none. */
bool graph_walk_read(struct call *c, const char *purpose, const char *token, struct graph_walk *w);
/* The token of the next page, or (not more) of what changes from now on; in the arena. */
const char *graph_walk_token(struct call *c, const char *purpose, const struct graph_walk *w,
                             bool more);

#endif
