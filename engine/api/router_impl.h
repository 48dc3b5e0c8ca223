/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of the router: built by router.c, walked by router_match.c. */
#ifndef SOSIA_API_ROUTER_IMPL_H
#define SOSIA_API_ROUTER_IMPL_H

#include "engine/api/router.h"
#include "engine/base/arena.h"
#include "engine/base/map.h"
#include "engine/world/scopes.h"

/* BY_LENGTH: lengths of segments that the index keeps apart; TRAILS: paths of a row that have one.
 */
enum { BY_LENGTH = 16, TRAILS = 32, TRAIL_DEPTH = 16 };

/* In the order in which they are tried. */
enum kind { LITERAL, FUNCTION, PARAM, REST };

/* The methods whose paths end at a node. */
struct leaf {
    struct {
        const struct route *route;
        const char *path;
    } rows[N_VERBS], upload; /* upload: the path is the one for its media */
    const struct dialect *dialect;
};

/* A segment of a path. There are as many as rows have segments: it is kept small. */
struct node {
    uint8_t kind;      /* enum kind */
    bool nocase, keys; /* of the vendor */
    bool brackets;     /* LITERAL: may have "()" behind it */
    char first, also;  /* LITERAL: letters that a segment may begin with, of either case; else 0 */
    uint16_t space_len;
    const char *space;        /* of the vendor; NULL: none */
    const struct node *elder; /* LITERAL: another vendor's, older one of the same text, which is
                                 tried before it; NULL: none */
    const char *text;         /* LITERAL; name of a FUNCTION; text before a parameter */
    const char *behind; /* PARAM, REST: what follows it; FUNCTION: "a={a},b={b})" of the row */
    uint32_t len, behind_len;
    struct node **children; /* see order() */
    uint32_t n_children, seq;
    const uint16_t *from; /* by length of a segment: the child to begin with, before which are
                             literals that are shorter; NULL: the first */
    struct leaf *leaf;    /* NULL: no path ends here */
};

/* The path that was added last, and the nodes of its segments: most paths begin as the one at the
 * same place of the row before does. */
struct trail {
    const struct node *root;
    const struct vendor *vendor;
    const char *path;
    struct node *at[TRAIL_DEPTH];
};

struct route_tree {
    const struct vendor *vendor; /* NULL: all of them */
    struct node root;
};

struct router {
    struct arena arena;
    struct trail (*trails)[TRAILS]; /* while it is built: of the tree of all, of the vendor's; by
                                       the path's place in the row */
    struct route_tree *trees;       /* [0]: of all vendors */
    size_t n_trees;
    uint32_t n_nodes;
    struct map hosts;                          /* "name" or "*.name" -> vendor */
    struct map scopes;                         /* name -> number + 1 */
    const char *scope_names[SCOPE_WORDS * 64]; /* by number */
    int n_scopes;
    const struct dialect *const *dialects;
};

/* The tree of a vendor; NULL: it has no rows. */
struct route_tree *router_tree(const struct router *r, const struct vendor *v);

#endif
