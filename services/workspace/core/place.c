/* SPDX-License-Identifier: Apache-2.0 */
/* What paths lead to through links. */
#include "services/workspace/core/node.h"

/* A path that is gone through: what is behind us, an absolute path of real directories, and what is
 * before us. */
struct way {
    struct tx *tx;
    const char *done; /* a row's path; "": the root */
    const char *rest;
    unsigned links;
};

static const struct workspace_node root = {
    .path = "", .kind = NODE_DIRECTORY, .mode = 0755, .target = NULL};

static int leads_outside(struct way *w, const char *absolute, struct workspace_place *ret)
{
    ret->outside = absolute;
    return workspace_fail(w->tx, "EACCES", absolute);
}

/* The link's target takes its place. */
static int follow_link(struct way *w, const struct workspace_node *link, const char *rest,
                       struct workspace_place *ret)
{
    struct arena *a = w->tx->arena;
    if (++w->links > WORKSPACE_LINKS)
        return workspace_fail(w->tx, "ELOOP", link->path);
    if (strlen(rest) + link->target_len > 2 * WORKSPACE_PATH)
        return workspace_fail(w->tx, "ENAMETOOLONG", link->path);
    w->rest = arena_printf(a, "%s/%s", link->target, rest);
    if (*link->target != '/')
        return 0;
    /* By the parts, since a link on its way may be followed by "..". */
    size_t n = sizeof WORKSPACE_ROOT - 1;
    const char *p = w->rest + strspn(w->rest, "/");
    if (strncmp(p, &WORKSPACE_ROOT[1], n - 1) != 0 || (p[n - 1] && p[n - 1] != '/'))
        return leads_outside(w, workspace_absolute(a, w->rest), ret);
    w->done = "";
    w->rest = p + n - 1;
    return 0;
}

/* Takes a part of n bytes. 1 went on; 0 nothing is there (ret->path says where it would be). */
static int take_part(struct way *w, size_t n, bool follow, struct workspace_place *ret)
{
    struct arena *a = w->tx->arena;
    const char *name = arena_memdup(a, w->rest, n), *rest = w->rest + n;
    bool last = !rest[strspn(rest, "/")];
    if (strcmp(name, "..") == 0) {
        if (!*w->done)
            return leads_outside(
                w, workspace_absolute(a, arena_printf(a, WORKSPACE_ROOT "/%s", w->rest)), ret);
        w->done = workspace_parent(a, w->done);
        ret->node = root;
        w->rest = rest;
        return *w->done ? workspace_find(w->tx, w->done, &ret->node) : 1;
    }
    if (n > WORKSPACE_NAME)
        return workspace_fail(w->tx, "ENAMETOOLONG", w->rest);
    ret->path = workspace_below(a, w->done, name);
    if (strlen(ret->path) > WORKSPACE_PATH)
        return workspace_fail(w->tx, "ENAMETOOLONG", ret->path);
    int r = workspace_find(w->tx, ret->path, &ret->node);
    if (r <= 0)
        return r < 0 || last ? r : workspace_fail(w->tx, "ENOENT", ret->path);
    if (ret->node.kind == NODE_LINK && (!last || follow)) {
        r = follow_link(w, &ret->node, rest, ret);
        ret->node = root;
        ret->path = "";
        return r < 0 ? -1 : 1;
    }
    if (ret->node.kind == NODE_FILE && !last)
        return workspace_fail(w->tx, "ENOTDIR", ret->path);
    w->done = ret->path;
    w->rest = rest;
    return 1;
}

int workspace_resolve(struct tx *tx, const char *path, bool follow, struct workspace_place *ret)
{
    struct way w = {.tx = tx, .done = "", .rest = path};
    *ret = (struct workspace_place){.node = root, .path = path};
    /* A path with a row has real directories above it. */
    int r = *path && strlen(path) <= WORKSPACE_PATH ? workspace_find(tx, path, &ret->node) : 0;
    if (r < 0 || (r && (ret->node.kind != NODE_LINK || !follow)))
        return r;
    ret->node = root;
    ret->path = "";
    for (;;) {
        w.rest += strspn(w.rest, "/");
        size_t n = strcspn(w.rest, "/");
        if (!n)
            break;
        if (n == 1 && *w.rest == '.') {
            w.rest++;
            continue;
        }
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        r = take_part(&w, n, follow, ret);
        if (r <= 0)
            return r;
    }
    ret->path = ret->node.path;
    if (strcmp(ret->path, w.done) != 0) { /* behind a link to the root or to a parent */
        ret->path = w.done;
        ret->node = root;
        return *w.done ? workspace_find(tx, w.done, &ret->node) : 1;
    }
    return 1;
}
