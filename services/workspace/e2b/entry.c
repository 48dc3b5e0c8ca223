/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of directories, as answers show them. */
#include "engine/text/civil.h"
#include "services/workspace/e2b/entry.h"
#include <stdio.h>

#define DIRECTORY_SIZE 4096 /* of any directory */

static void put_permissions(char ret_text[11], const struct workspace_node *n)
{
    static const char kinds[] = {[NODE_FILE] = '-', [NODE_DIRECTORY] = 'd', [NODE_LINK] = 'L'};
    ret_text[0] = kinds[n->kind];
    for (int i = 0; i < 9; i++)
        ret_text[i + 1] = "rwxrwxrwx"[i];
    for (int i = 0; i < 9 && n->kind != NODE_LINK; i++)
        if (!(n->mode >> (8 - i) & 1))
            ret_text[i + 1] = '-';
    ret_text[10] = 0;
}

/* A time as messages of this protocol have it: no more digits than it needs, by threes. */
static void write_time(struct json_writer *w, const char *name, int64_t ns)
{
    char text[STAMP_TEXT + 8];
    int64_t s = ns / 1000000000, rest = ns % 1000000000;
    if (rest < 0) {
        s--;
        rest += 1000000000;
    }
    size_t n = stamp_format(text, s * US_PER_SECOND, 0, 0, true) - 1; /* before the Z */
    int digits = !rest ? 0 : rest % 1000000 == 0 ? 3 : rest % 1000 == 0 ? 6 : 9;
    for (int i = digits; i && i < 9; i++)
        rest /= 10;
    if (digits)
        n += (size_t)snprintf(text + n, sizeof text - n, ".%0*lld", digits, (long long)rest);
    snprintf(text + n, sizeof text - n, "Z");
    json_str(w, name, text);
}

int e2b_write_entry(struct call *c, const char *name, const struct workspace_node *n,
                    const char *absolute)
{
    static const char *const kinds[] = {"FILE_TYPE_FILE", "FILE_TYPE_DIRECTORY"};
    struct json_writer *w = c->out;
    const char *path = e2b_text(c, absolute), *slash = strrchr(path, '/');
    const char *target = NULL;
    struct workspace_place to = {.node = *n};
    char permissions[11];
    int r = 1;
    if (n->kind == NODE_LINK) {
        struct e2b_path at;
        r = e2b_path(c, absolute, &at) < 0 ? -1 : workspace_resolve(&c->tx, at.row, true, &to);
        if (r < 0 && !e2b_why(c))
            return -1;
        *c->tx.err = (struct sosia_err){.code = 0};
        target = r == 1 ? e2b_text(c, arena_printf(c->tx.arena, E2B_HOME "%s%s",
                                                   *to.path ? "/" : "", to.path))
                        : path;
    }
    json_obj(w, name);
    json_str(w, "name", slash && slash[1] ? slash + 1 : path);
    if (r == 1)
        json_str(w, "type", kinds[to.node.kind]);
    json_str(w, "path", path);
    int64_t size = n->kind == NODE_DIRECTORY ? DIRECTORY_SIZE
                   : n->kind == NODE_LINK    ? (int64_t)n->target_len
                                             : n->size;
    if (size)
        json_str(w, "size", arena_printf(c->tx.arena, "%lld", (long long)size));
    if (r == 1 && to.node.mode)
        json_int(w, "mode", to.node.mode);
    put_permissions(permissions, n);
    json_str(w, "permissions", permissions);
    json_str(w, "owner", "user");
    json_str(w, "group", "user");
    if (n->mtime_ns)
        write_time(w, "modifiedTime", n->mtime_ns);
    if (target)
        json_str(w, "symlinkTarget", target);
    json_end(w);
    return 0;
}

int e2b_answer_entry(struct call *c, const struct workspace_node *n, const char *absolute)
{
    json_obj(c->out, NULL);
    int r = e2b_write_entry(c, "entry", n, absolute);
    json_end(c->out);
    return r;
}
