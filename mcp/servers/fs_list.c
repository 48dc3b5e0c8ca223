/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that list directories. */
#include "engine/text/utf8.h"
#include "mcp/servers/files.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* A directory that is there. 0, -1: refused. */
static int directory(struct call *c, struct file_path *ret)
{
    int r = file_path(c, json_get_str(server_arguments(c), "path"), ret);
    if (r <= 0)
        return r < 0 ? -1 : file_fail(c, "ENOENT", "scandir", ret->absolute);
    return ret->node.kind != NODE_DIRECTORY ? file_fail(c, "ENOTDIR", "scandir", ret->absolute) : 0;
}

int fs_list(struct call *c)
{
    struct file_path at;
    struct workspace_node n;
    struct buf b;
    int r;
    if (directory(c, &at) < 0)
        return -1;
    struct workspace_list list = {.dir = at.path};
    buf_init(&b, 0);
    while ((r = workspace_next(&c->tx, &list, &n)) == 1) {
        const char *name = workspace_name(n.path);
        buf_printf(&b, "%s%s ", b.len ? "\n" : "", n.kind == NODE_DIRECTORY ? "[DIR]" : "[FILE]");
        server_put_text(&b, name, strlen(name));
    }
    if (r < 0) {
        buf_done(&b);
        return -1;
    }
    return server_buf(c, &b);
}

/* ---- with sizes ---- */

struct entry {
    const char *name, *key;
    bool directory;
    int64_t size;
    size_t place;
};

/* Names as people have them in order: punctuation, digits, letters of either case. */
static int rank(unsigned char c)
{
    return c >= 0x80 || isalpha(c) ? 2 : isdigit(c) ? 1 : 0;
}

static int by_name(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    const unsigned char *x = (const unsigned char *)a->key, *y = (const unsigned char *)b->key;
    while (*x && *x == *y)
        x++, y++;
    if (!*x || !*y)
        return !*x && !*y ? strcmp(b->name, a->name) : *x ? 1 : -1; /* small letters first */
    return rank(*x) != rank(*y) ? rank(*x) - rank(*y) : *x - *y;
}

static int by_size(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return a->place < b->place ? -1 : 1;
}

static void put_size(char text[32], int64_t size)
{
    static const char *const units[] = {"B", "KB", "MB", "GB"};
    double v = (double)size;
    size_t unit = 0;
    while (v >= 1024 && unit + 1 < SOSIA_LEN(units)) {
        v /= 1024;
        unit++;
    }
    snprintf(text, 32, unit ? "%.2f %s" : "%.0f %s", v, units[unit]);
}

/* A link has the size of what it leads to, or none. */
static int size_of(struct call *c, const struct workspace_node *n, int64_t *ret)
{
    struct workspace_place at = {.node = *n};
    int r = n->kind == NODE_LINK ? workspace_resolve(&c->tx, n->path, true, &at) : 1;
    if (r < 0 && !c->tx.err->reason)
        return -1;
    *c->tx.err = (struct sosia_err){.code = 0};
    *ret = r != 1 ? 0 : at.node.kind == NODE_DIRECTORY ? 4096 : at.node.size;
    return 0;
}

static int read_entries(struct call *c, const char *dir, struct entry **ret, size_t *ret_n)
{
    struct workspace_list list = {.dir = dir};
    struct workspace_node n;
    struct entry *all = NULL;
    size_t cap = 0;
    int r;
    *ret_n = 0;
    while ((r = workspace_next(&c->tx, &list, &n)) == 1) {
        all = arena_grow(c->tx.arena, all, *ret_n, &cap, sizeof *all);
        if (!all)
            return sosia_fail_memory(c->tx.err);
        struct entry *e = &all[*ret_n];
        *e = (struct entry){
            .name = workspace_name(n.path), .directory = n.kind == NODE_DIRECTORY, .place = *ret_n};
        e->key = utf8_fold(c->tx.arena, e->name);
        if (size_of(c, &n, &e->size) < 0)
            return -1;
        ++*ret_n;
    }
    *ret = all;
    return r;
}

static void put_entry(struct buf *b, const struct entry *e)
{
    char size[32];
    size_t at = b->len;
    buf_puts(b, e->directory ? "[DIR] " : "[FILE] ");
    size_t head = b->len - at;
    server_put_text(b, e->name, strlen(e->name));
    for (size_t n = utf8_count(b->data + at + head, b->len - at - head); n < 30; n++)
        buf_byte(b, ' ');
    buf_byte(b, ' ');
    put_size(size, e->size);
    if (!e->directory)
        buf_printf(b, "%10s", size);
    buf_byte(b, '\n');
}

int fs_list_sizes(struct call *c)
{
    const char *sort = json_get_str(server_arguments(c), "sortBy");
    struct file_path at;
    struct entry *all;
    size_t n, files = 0;
    int64_t sum = 0;
    char size[32];
    struct buf b;
    if (directory(c, &at) < 0 || read_entries(c, at.path, &all, &n) < 0)
        return -1;
    if (n)
        qsort(all, n, sizeof *all, sort && strcmp(sort, "size") == 0 ? by_size : by_name);
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        put_entry(&b, &all[i]);
        files += !all[i].directory;
        sum += all[i].directory ? 0 : all[i].size;
    }
    put_size(size, sum);
    buf_printf(&b, "\nTotal: %zu files, %zu directories\nCombined size: %s", files, n - files,
               size);
    return server_buf(c, &b);
}

/* ---- trees ---- */

/* Whether a path is left out: patterns without "*" count anywhere. */
static bool is_excluded(struct call *c, const char *path, bool anywhere)
{
    const struct json *patterns = json_get(server_arguments(c), "excludePatterns");
    struct arena *a = c->tx.arena;
    for (uint32_t i = 0; patterns && i < patterns->n; i++) {
        const char *p = patterns->items[i].str;
        if (glob_matches(a, p, path) || (anywhere && !strchr(p, '*') &&
                                         (glob_matches(a, arena_printf(a, "**/%s", p), path) ||
                                          glob_matches(a, arena_printf(a, "**/%s/**", p), path))))
            return true;
    }
    return false;
}

static const char *below_root(const char *root, const char *path)
{
    return *root ? path + strlen(root) + 1 : path;
}

struct listing {
    struct call *c;
    const char *root;
    struct json_writer w;
};

static void put_name(struct listing *t, const char *name)
{
    struct buf b;
    buf_init(&b, 0);
    server_put_text(&b, name, strlen(name));
    json_strn(&t->w, "name", buf_str(&b), b.len);
    buf_done(&b);
}

static int add_tree(struct listing *t, const char *dir, int depth)
{
    struct workspace_list list = {.dir = dir};
    struct workspace_node n;
    int r = 0;
    json_arr(&t->w, depth ? "children" : NULL);
    while ((r = workspace_next(&t->c->tx, &list, &n)) == 1) {
        if (is_excluded(t->c, below_root(t->root, n.path), true))
            continue;
        json_obj(&t->w, NULL);
        put_name(t, workspace_name(n.path));
        json_str(&t->w, "type", n.kind == NODE_DIRECTORY ? "directory" : "file");
        if (n.kind == NODE_DIRECTORY && add_tree(t, n.path, depth + 1) < 0)
            return -1;
        json_end(&t->w);
    }
    json_end(&t->w);
    return r;
}

int fs_tree(struct call *c)
{
    struct file_path at;
    struct buf b;
    if (directory(c, &at) < 0)
        return -1;
    struct listing t = {.c = c, .root = at.path};
    buf_init(&b, 0);
    json_init(&t.w, &b, true, NULL);
    if (add_tree(&t, at.path, 0) < 0) {
        buf_done(&b);
        return -1;
    }
    if (buf_failed(&b)) {
        buf_done(&b);
        return server_fail(c, "the tree must be at most %d directories deep", JSON_DEPTH / 2);
    }
    server_trim(&b);
    return server_buf(c, &b);
}

/* ---- search ---- */

/* In the order in which directories are gone through. */
static int search(struct call *c, const char *root, const char *dir, const char *pattern,
                  struct buf *b)
{
    struct workspace_list list = {.dir = dir};
    struct workspace_node n;
    struct workspace_place at;
    int r;
    while ((r = workspace_next(&c->tx, &list, &n)) == 1) {
        const char *path = below_root(root, n.path);
        /* A link that leads out is passed over. */
        int leads = n.kind == NODE_LINK ? workspace_resolve(&c->tx, n.path, true, &at) : 1;
        if (leads < 0 && !c->tx.err->reason)
            return -1;
        *c->tx.err = (struct sosia_err){.code = 0};
        if (leads != 1 || is_excluded(c, path, false))
            continue;
        if (glob_matches(c->tx.arena, pattern, path)) {
            buf_printf(b, "%s" WORKSPACE_ROOT "/", b->len ? "\n" : "");
            server_put_text(b, n.path, strlen(n.path));
        }
        if (n.kind == NODE_DIRECTORY && search(c, root, n.path, pattern, b) < 0)
            return -1;
    }
    return r;
}

int fs_search(struct call *c)
{
    const char *pattern = json_get_str(server_arguments(c), "pattern");
    struct file_path at;
    struct buf b;
    if (directory(c, &at) < 0)
        return -1;
    buf_init(&b, 0);
    if (search(c, at.path, at.path, pattern, &b) < 0) {
        buf_done(&b);
        return -1;
    }
    if (!b.len)
        buf_puts(&b, "No matches found");
    return server_buf(c, &b);
}
