/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as texts. */
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
    return buf_keep(&b, a);
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
