/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of the router: built by router.c, walked by router_match.c. */
#ifndef SOSIA_API_ROUTER_IMPL_H
#define SOSIA_API_ROUTER_IMPL_H

#include "engine/api/router.h"
#include "engine/base/arena.h"
#include "engine/base/map.h"
#include "engine/world/scopes.h"

/* BY_LENGTH: lengths of segments that the index keeps apart; FEW: children that need none; TRAILS:
 * paths of a row that have a trail. */
enum { BY_LENGTH = 16, FEW = 4, TRAILS = 32, TRAIL_DEPTH = 16 };

/* In the order in which they are tried. */
enum kind { LITERAL, FUNCTION, PARAM, REST };

/* A method whose path ends at a node. */
struct end {
    const struct route *route;
    struct end *next;              /* the method with another verb */
    const struct dialect *dialect; /* of the first of a node: the node's */
    uint16_t path;                 /* the number of the route's path */
    uint8_t verbs;                 /* bits; none: the path is the one for its media */
    bool upload;
};

/* A segment of a path. There are as many as rows have segments: it is kept small, and so is what
 * ends at it, which are 10,000 each. */
struct node {
    uint8_t kind : 2;          /* enum kind */
    bool nocase : 1, keys : 1; /* of the vendor */
    bool brackets : 1;         /* LITERAL: may have "()" behind it */
    uint8_t vendor;            /* LITERAL: whose name space it may have in front; else 0 */
    char first, also; /* LITERAL: letters that a segment may begin with, of either case; else 0 */
    uint16_t len, behind_len;    /* of text; of what is behind it */
    uint16_t behind, n_children; /* behind: see behind() */
    uint32_t seq;
    const char *text;         /* LITERAL; name of a FUNCTION; text before a parameter */
    const struct node *elder; /* LITERAL: another vendor's, older one of the same text, which is
                                 tried before it; NULL: none */
    union {
        struct node *child;     /* the only one */
        struct node **children; /* see order(); of more than FEW lengths() are in front */
    };
    struct end *ends; /* NULL: no path ends here */
};

/* PARAM, REST: what follows it; FUNCTION: "a={a},b={b})" of the row. */
static inline const char *behind(const struct node *n)
{
    return n->text + n->behind;
}

static inline struct node *const *children(const struct node *n)
{
    return n->n_children == 1 ? &n->child : n->children;
}

/* By length of a segment: the child to begin with, before which are literals that are shorter; of
 * a node with more than FEW children. */
static inline const uint16_t *lengths(const struct node *n)
{
    return (const uint16_t *)(const void *)n->children - BY_LENGTH;
}

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
    size_t space_len;            /* of the vendor's name space */
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
