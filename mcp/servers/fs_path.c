/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as callers give them, and failures in the words of Node.js. */
#include "engine/base/codec.h"
#include "mcp/servers/files.h"
#include <ctype.h>

#define KEEP_MOST 1000         /* names that are tried */
#define HOME      "/home/user" /* that "~" is, in programs' sandboxes too */

static const char *words_of(const char *reason)
{
    static const char *const all[][2] = {
        {"ENOENT", "no such file or directory"},
        {"ENOTDIR", "not a directory"},
        {"EISDIR", "illegal operation on a directory"},
        {"EEXIST", "file already exists"},
        {"ENOTEMPTY", "directory not empty"},
        {"ELOOP", "too many symbolic links encountered"},
        {"ENAMETOOLONG", "name too long"},
        {"EINVAL", "invalid argument"},
        {"EFBIG", "file too large"},
        {"ENOSPC", "no space left on device"},
    };
    for (size_t i = 0; reason && i < SOSIA_LEN(all); i++)
        if (strcmp(all[i][0], reason) == 0)
            return all[i][1];
    return NULL;
}

int file_fail(struct call *c, const char *reason, const char *what, const char *absolute)
{
    *c->tx.err = (struct sosia_err){.code = strcmp(reason, "ENOENT") == 0 ? SOSIA_E_NOT_FOUND
                                                                          : SOSIA_E_INVALID};
    return server_fail(c, "%s: %s, %s%s%s%s", reason, words_of(reason), what, absolute ? " '" : "",
                       absolute ? absolute : "", absolute ? "'" : "");
}

int file_failed(struct call *c, const char *what, const char *absolute)
{
    const char *reason = c->tx.err->reason;
    return words_of(reason) ? file_fail(c, reason, what, absolute) : -1;
}

static int outside(struct call *c, const char *what, const char *absolute)
{
    *c->tx.err = (struct sosia_err){.code = SOSIA_E_FORBIDDEN};
    return server_fail(c, "Access denied - %s outside allowed directories: %s not in %s", what,
                       absolute, WORKSPACE_ROOT);
}

static const char *absolute_of(struct arena *a, const char *path)
{
    return *path ? ARENA_JOIN(a, WORKSPACE_ROOT "/", path) : WORKSPACE_ROOT;
}

static void fill(struct call *c, const struct workspace_place *at, struct file_path *ret)
{
    ret->node = at->node;
    ret->path = at->path;
    ret->absolute = absolute_of(c->tx.arena, at->path);
}

/* Nothing is there: behind the nearest directory that is, if no link is in between which leads to
 * nothing. */
static int find_missing(struct call *c, const char *path, const char *asked, struct file_path *ret)
{
    struct arena *a = c->tx.arena;
    struct workspace_place at = {.path = ""};
    struct workspace_node link;
    const char *dir = path;
    int r = 0;
    while (r != 1) {
        dir = workspace_parent(a, dir);
        *c->tx.err = (struct sosia_err){.code = 0};
        r = workspace_resolve(&c->tx, dir, true, &at);
        if (r < 0 && (!c->tx.err->reason || strcmp(c->tx.err->reason, "ENOENT") != 0))
            return -1;
        if (arena_failed(a))
            return sosia_fail_memory(c->tx.err);
    }
    const char *rest = *dir ? path + strlen(dir) + 1 : path;
    const char *first = arena_memdup(a, rest, strcspn(rest, "/"));
    r = workspace_find(&c->tx, workspace_below(a, at.path, first), &link);
    if (r < 0)
        return -1;
    if (r) {
        c->tx.err->code = SOSIA_E_NOT_FOUND;
        return server_fail(c, "Parent directory does not exist: %s",
                           absolute_of(a, workspace_parent(a, asked)));
    }
    at.path = workspace_below(a, at.path, rest);
    fill(c, &at, ret);
    return 0;
}

int file_path(struct call *c, const char *text, struct file_path *ret)
{
    struct arena *a = c->tx.arena;
    struct workspace_place at;
    if (text[0] == '~' && (!text[1] || text[1] == '/'))
        text = arena_printf(a, HOME "%s", text + 1);
    if (isalpha((unsigned char)text[0]) && text[1] == ':' &&
        (!text[2] || text[2] == '/' || text[2] == '\\'))
        return server_fail(c, "Access denied - Windows-style path received on a POSIX host: %s",
                           text);
    const char *absolute = workspace_absolute(a, text), *path = workspace_inside(absolute);
    if (!path)
        return outside(c, "path", absolute);
    int r = workspace_resolve(&c->tx, path, true, &at);
    const char *reason = r < 0 && c->tx.err->reason ? c->tx.err->reason : "";
    if (strcmp(reason, "EACCES") == 0)
        return outside(c, "symlink target", at.outside);
    if (r == 0 || strcmp(reason, "ENOENT") == 0)
        return find_missing(c, path, path, ret);
    if (r < 0)
        return file_failed(c, "realpath", absolute);
    fill(c, &at, ret);
    return 1;
}

int file_content(struct call *c, const char *text, struct file_path *ret, const char **ret_data,
                 size_t *ret_len)
{
    int r = file_path(c, text, ret);
    if (r <= 0)
        return r < 0 ? -1 : file_fail(c, "ENOENT", "open", ret->absolute);
    if (ret->node.kind == NODE_DIRECTORY)
        return file_fail(c, "EISDIR", "read", NULL);
    return workspace_load(&c->tx, &ret->node, ret_data, ret_len);
}

const char *file_lines(struct arena *a, const char *text, size_t *len)
{
    char *copy = arena_alloc(a, *len + 1);
    size_t n = 0;
    if (arena_failed(a))
        return text;
    for (size_t i = 0; i < *len; i++)
        if (text[i] != '\r' || i + 1 == *len || text[i + 1] != '\n')
            copy[n++] = text[i];
    copy[n] = 0;
    *len = n;
    return copy;
}

/* ---- keeping what comes from elsewhere ---- */

/* "name(1).ext" */
static const char *numbered(struct arena *a, const char *name, int n)
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return arena_printf(a, "%.*s(%d)%s", (int)stem, name, n, name + stem);
}

int file_keep(struct call *c, const char *dir, const char *name, const struct file_bytes *data,
              bool over, const char **ret)
{
    struct arena *a = c->tx.arena;
    struct file_path in, to;
    name = workspace_name(name);
    if (!call_has_scope(c, "workspace"))
        return tx_fail(&c->tx, SOSIA_E_FORBIDDEN, "scope", NULL,
                       "the token must have the scope workspace");
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return tx_fail(&c->tx, SOSIA_E_INVALID, "EINVAL", NULL, "a file must have a name");
    int r = file_path(c, dir, &in);
    if (r < 0)
        return -1;
    if (!r && workspace_mkdir(&c->tx, in.path) < 0)
        return file_failed(c, "mkdir", in.absolute);
    for (int n = 0; n <= KEEP_MOST; n++) {
        const char *one = n ? numbered(a, name, n) : name;
        r = file_path(c, arena_printf(a, "%s/%s", in.absolute, one), &to);
        if (r < 0)
            return -1;
        if (r && !over)
            continue;
        if (r && to.node.kind == NODE_DIRECTORY)
            return file_fail(c, "EISDIR", "open", to.absolute);
        *ret = to.absolute;
        return workspace_write(&c->tx, to.path, data->at, data->len, NULL) < 0
                   ? file_failed(c, "open", to.absolute)
                   : 0;
    }
    return file_fail(c, "EEXIST", "open", to.absolute);
}
