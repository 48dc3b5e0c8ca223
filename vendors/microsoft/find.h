/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST /search/query: hits of what services have. Whoever can be searched lays down a record for a
 * type of entity (struct core_policy of its core, for GRAPH_FIND): struct graph_finder.
 */
#ifndef SOSIA_MICROSOFT_FIND_H
#define SOSIA_MICROSOFT_FIND_H

#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/words.h"

#define GRAPH_FIND "graph.find"

/* What is searched, and the answer so far. */
struct graph_find {
    const char *text;    /* KQL; never empty */
    int64_t from, size;  /* of the page, among what this finder has */
    int64_t total;       /* filled by the finder: how many there are, as far as it counts */
    bool more;           /* filled too: there are others behind the page */
    int64_t n;           /* hits written */
    int64_t rank;        /* of the hit that was written last */
    const char *summary; /* of the next hit; NULL: as graph_hit() makes it */
    const struct graph_words *words; /* of finders of `files`: the text as it is read; NULL: all */
    const struct json
        *fields; /* a list of names of values that items of lists shall have; NULL: none */
    bool drives; /* drive items are searched too: files are not items of lists */
};

struct graph_finder {
    const char *entity; /* "message" */
    const char *scopes; /* of which the token needs one */
    bool files;         /* it is searched together with others that are so, and by apps */
    /* Calls graph_hit() for each hit of the page, the best first. 0, -1. */
    int (*find)(struct call *c, struct graph_find *f);
};

/* Whether there are files to be searched at all: a record of who keeps drives, for GRAPH_SEARCHED.
 */
#define GRAPH_SEARCHED "graph.searched"
struct graph_searched {
    /* Has the caller a drive, or the tenant sites? 1, 0, -1. */
    int (*any)(struct call *c);
};

/* One hit: write() gives the members of the thing to c->out, which leaves out what the mask does
 * (NULL: nothing); type: "message". Its summary is its preview or its name; of files with the
 * words that are searched for marked. 0, -1. */
int graph_hit(struct call *c, struct graph_find *f, const char *id, const char *type,
              const struct json_mask *mask, int (*write)(struct call *c, void *arg), void *arg);

extern const struct dialect search_dialect;

#endif
