/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, and what they lead to through links. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/workspace/core/node.h"

const char *workspace_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

unsigned workspace_depth(const char *path)
{
    unsigned n = *path != 0;
    for (; *path; path++)
        n += *path == '/';
    return n;
}

const char *workspace_parent(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_memdup(a, path, (size_t)(slash - path)) : "";
}

const char *workspace_below(struct arena *a, const char *dir, const char *name)
{
    return *dir ? arena_printf(a, "%s/%s", dir, name) : arena_strdup(a, name);
}

bool workspace_path_is_valid(const char *path)
{
    if (!*path || strlen(path) > WORKSPACE_PATH || workspace_depth(path) > WORKSPACE_DEPTH)
        return false;
    for (const char *p = path;; p++) {
        size_t n = strcspn(p, "/");
        if (!n || n > WORKSPACE_NAME || (n == 1 && p[0] == '.') ||
            (n == 2 && p[0] == '.' && p[1] == '.'))
            return false;
        p += n;
        if (!*p)
            return true;
    }
}

const char *workspace_shown(struct arena *a, const char *path)
{
    size_t n = strlen(path);
    struct buf b;
    if (utf8_valid(path, n))
        return path;
    buf_init(&b, 0);
    for (const char *p = path; *p;) {
        unsigned len = utf8_sequence(p, n - (size_t)(p - path));
        if (len)
            buf_add(&b, p, len);
        else
            buf_printf(&b, "\\x%02x", (unsigned char)*p);
        p += len ? len : 1;
    }
    const char *text = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Adds the parts of a text behind an absolute path of len bytes, which has room for it ("" is the
 * root of all). Gives the new length. */
static size_t add_parts(char *path, size_t len, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "/");
        if (n == 2 && text[0] == '.' && text[1] == '.') {
            while (len && path[--len] != '/')
                ;
        } else if (n && !(n == 1 && text[0] == '.')) {
            path[len++] = '/';
            memcpy(path + len, text, n);
            len += n;
        }
        text += n + (text[n] == '/');
    }
    path[len] = 0;
    return len;
}

const char *workspace_absolute(struct arena *a, const char *text)
{
    char *path = arena_alloc(a, sizeof WORKSPACE_ROOT + strlen(text) + 2);
    size_t n = 0;
    if (*text != '/')
        n = add_parts(path, n, WORKSPACE_ROOT);
    n = add_parts(path, n, text);
    return n ? path : "/";
}

const char *workspace_inside(const char *absolute)
{
    size_t n = sizeof WORKSPACE_ROOT - 1;
    if (strncmp(absolute, WORKSPACE_ROOT, n) != 0)
        return NULL;
    return !absolute[n] ? absolute + n : absolute[n] == '/' ? absolute + n + 1 : NULL;
}

/* ---- following links ---- */

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
