/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as callers give them. */
#include "engine/base/utf8.h"
#include "services/workspace/e2b/e2b.h"

const char *e2b_text(struct call *c, const char *path)
{
    char *copy = arena_strdup(c->tx.arena, path);
    utf8_scrub(copy);
    return copy;
}

/* Behind a root; NULL: it is not below it. */
static const char *below(const char *absolute, const char *root)
{
    size_t n = strlen(root);
    if (strncmp(absolute, root, n) != 0)
        return NULL;
    return !absolute[n] ? absolute + n : absolute[n] == '/' ? absolute + n + 1 : NULL;
}

int e2b_path(struct call *c, const char *text, struct e2b_path *ret)
{
    struct arena *a = c->tx.arena;
    if (text[0] == '~' && text[1] && text[1] != '/' && text[1] != '\\')
        return e2b_fail(c, E2B_INVALID_ARGUMENT,
                        "failed to expand path '%s' for user 'user': cannot expand user-specific "
                        "home dir",
                        e2b_text(c, text));
    if (text[0] != '/')
        text = arena_printf(a, E2B_HOME "/%s", text[0] == '~' ? text + 1 : text);
    ret->absolute = workspace_absolute(a, text);
    ret->row = below(ret->absolute, E2B_HOME);
    if (!ret->row)
        ret->row = below(ret->absolute, WORKSPACE_ROOT);
    return 0;
}

int e2b_find(struct call *c, const struct e2b_path *path, bool follow, struct workspace_place *ret)
{
    if (!path->row)
        return 0;
    int r = workspace_resolve(&c->tx, path->row, follow, ret);
    const char *reason = r < 0 && c->tx.err->reason ? c->tx.err->reason : "";
    if (strcmp(reason, "ENOENT") == 0 || strcmp(reason, "EACCES") == 0) {
        *c->tx.err = (struct sosia_err){.code = 0};
        return 0; /* outside of the workspace nothing is there */
    }
    if (r < 0 && e2b_why(c))
        return e2b_fail(
            c, strcmp(reason, "ELOOP") == 0 ? E2B_FAILED_PRECONDITION : E2B_INVALID_ARGUMENT,
            "error getting file info: stat %s: %s", e2b_text(c, path->absolute), e2b_why(c));
    return r;
}

static int make_dir(struct call *c, const struct e2b_path *path)
{
    struct workspace_place at;
    int r = workspace_resolve(&c->tx, path->row, true, &at);
    if (r == 1 && at.node.kind != NODE_DIRECTORY)
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "path is a file: %s", e2b_text(c, path->absolute));
    if (r == 0)
        r = workspace_mkdir(&c->tx, at.path);
    if (r < 0 && e2b_why(c))
        return e2b_fail(c, E2B_INVALID_ARGUMENT, "failed to create directory: mkdir %s: %s",
                        e2b_text(c, path->absolute), e2b_why(c));
    return r < 0 ? -1 : 0;
}

int e2b_make_dirs(struct call *c, const struct e2b_path *path, bool self)
{
    if (!path->row)
        return e2b_fail(c, E2B_PERMISSION_DENIED,
                        "failed to create directory: mkdir %s: permission denied: what is not "
                        "below " E2B_HOME " can't be changed",
                        e2b_text(c, path->absolute));
    const size_t head = (size_t)(path->row - path->absolute);
    for (const char *end = strchr(path->row, '/');; end = strchr(end + 1, '/')) {
        const size_t n = end ? (size_t)(end - path->row) : strlen(path->row);
        if ((!end && !self) || !n)
            return 0;
        const char *absolute = arena_memdup(c->tx.arena, path->absolute, head + n);
        if (arena_failed(c->tx.arena))
            return sosia_fail_memory(c->tx.err);
        if (make_dir(c, &(struct e2b_path){.absolute = absolute, .row = absolute + head}) < 0)
            return -1;
        if (!end)
            return 0;
    }
}
