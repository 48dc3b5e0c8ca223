/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References of repositories, from the files that git keeps below ".git": HEAD, refs and
 * packed-refs, and what the commit says that a reference leads to, of its own file or in a pack. No
 * program is run for it.
 */
#include "engine/base/utf8.h"
#include "services/workspace/core/fact.h"
#include "services/workspace/core/fact_pack.h"
#include "services/workspace/core/node.h"
#include <ctype.h>
#include <zlib.h>

#define REF_BYTES    4096                /* of a file with one reference */
#define PACKED_BYTES (INT64_C(1) << 20)  /* of packed-refs */
#define OBJECT_BYTES (INT64_C(1) << 20)  /* of an object's file */
#define COMMIT_BYTES ((size_t)64 << 10)  /* that are looked at of what is in it */
#define SUBJECT_MAX  ((size_t)500)       /* bytes */
#define HEX_MAX      64                  /* digits of an object's id: 40 or 64 */
#define WALK_MAX     (4 * FACT_REFS_MAX) /* nodes below refs */

struct ref {
    const char *name;   /* "refs/heads/main" */
    const char *commit; /* NULL: none */
    const char *target; /* of a symbolic one; NULL: none */
};
struct refs {
    struct tx *tx;
    const char *dir; /* path of ".git" */
    struct ref *list;
    size_t n, cap;
};

/* ---- files ---- */

/* A small file's bytes: 1; 0 there is none, or it is too large; -1. */
static int read_file(struct refs *s, const char *name, int64_t most, const char **ret,
                     size_t *ret_len)
{
    struct workspace_node n;
    int r = workspace_find(s->tx, workspace_below(s->tx->arena, s->dir, name), &n);
    if (r != 1 || n.kind != NODE_FILE || n.size > most)
        return r < 0 ? -1 : 0;
    return workspace_load(s->tx, &n, ret, ret_len) < 0 ? -1 : 1;
}

/* The length of an id in hexadecimal digits at a place; 0: there is none. */
static size_t hex_length(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && n <= HEX_MAX &&
           (isdigit((unsigned char)text[n]) || (text[n] >= 'a' && text[n] <= 'f')))
        n++;
    return n == 40 || n == HEX_MAX ? n : 0;
}

/* "refs/..." of parts, without what no reference's name has; shown as a text. */
static const char *name_of(struct arena *a, const char *text, size_t n)
{
    const char *name = arena_memdup(a, text, n);
    if (arena_failed(a) || strlen(name) != n || n > WORKSPACE_NAME ||
        strncmp(name, "refs/", 5) != 0 || !workspace_path_is_valid(name))
        return NULL;
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127)
            return NULL;
    return workspace_shown(a, name);
}

/* What a file of one reference says. */
static void read_ref(struct arena *a, const char *data, size_t len, struct ref *ret)
{
    size_t n = 0;
    while (n < len && data[n] != '\n' && data[n] != '\r')
        n++;
    if (n > 5 && strncmp(data, "ref: ", 5) == 0)
        ret->target = name_of(a, data + 5, n - 5);
    else if (n && hex_length(data, n) == n)
        ret->commit = arena_memdup(a, data, n);
}

/* Among the first n. */
static const struct ref *find(const struct refs *s, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(s->list[i].name, name) == 0)
            return &s->list[i];
    return NULL;
}

static int add(struct refs *s, const struct ref *r)
{
    struct ref *list;
    if ((!r->commit && !r->target) || s->n == FACT_REFS_MAX)
        return 0;
    list = arena_grow(s->tx->arena, s->list, s->n, &s->cap, sizeof *list);
    if (!list)
        return -1;
    s->list = list;
    list[s->n++] = *r;
    return 0;
}

/* ---- the two places ---- */

static int read_loose(struct refs *s)
{
    const char *dir = workspace_below(s->tx->arena, s->dir, "refs"), *after = NULL, *data;
    size_t head = strlen(s->dir) + 1, len;
    struct workspace_node n;
    int r, seen = 0;
    while ((r = workspace_walk(s->tx, dir, after, &n)) == 1 && seen++ < WALK_MAX) {
        struct ref ref = {0};
        after = n.path;
        if (n.kind != NODE_FILE || n.size > REF_BYTES)
            continue;
        ref.name = name_of(s->tx->arena, n.path + head, strlen(n.path + head));
        if (!ref.name)
            continue;
        if (workspace_load(s->tx, &n, &data, &len) < 0)
            return -1;
        read_ref(s->tx->arena, data, len, &ref);
        if (add(s, &ref) < 0)
            return -1;
    }
    return r < 0 ? -1 : 0;
}

/* Lines "ID NAME"; a file of its own counts more. */
static int read_packed(struct refs *s)
{
    const char *data;
    size_t len, loose = s->n;
    int r = read_file(s, "packed-refs", PACKED_BYTES, &data, &len);
    if (r <= 0)
        return r;
    for (const char *p = data, *end = data + len; p < end && s->n < FACT_REFS_MAX;) {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((feed ? feed : end) - p), id = hex_length(p, n);
        struct ref ref = {0};
        if (id && n > id + 1 && p[id] == ' ')
            ref.name = name_of(s->tx->arena, p + id + 1, n - id - 1);
        if (ref.name && !find(s, loose, ref.name)) {
            ref.commit = arena_memdup(s->tx->arena, p, id);
            if (add(s, &ref) < 0)
                return -1;
        }
        p += n + 1;
    }
    return 0;
}

/* ---- commits ---- */

/* The beginning of what an object's file has, in the arena; *ret_len 0: it cannot be read. */
static const char *inflated(struct arena *a, const char *data, size_t len, size_t *ret_len)
{
    char *out = arena_alloc(a, COMMIT_BYTES + 1);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len};
    *ret_len = 0;
    if (arena_failed(a) || inflateInit(&z) != Z_OK)
        return "";
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)COMMIT_BYTES;
    int r = inflate(&z, Z_SYNC_FLUSH);
    if (r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR)
        *ret_len = COMMIT_BYTES - z.avail_out;
    inflateEnd(&z);
    out[*ret_len] = 0;
    return out;
}

/* The first line behind the head of a commit, or of a tag; NULL: it has none. */
static const char *subject_in(struct arena *a, const char *text, size_t len)
{
    const char *end = text + len, *p = memchr(text, 0, len);
    if (!p || (strncmp(text, "commit ", 7) != 0 && strncmp(text, "tag ", 4) != 0))
        return NULL;
    for (p++; p < end && *p != '\n';) { /* fields, up to an empty line */
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        if (!feed)
            return NULL;
        p = feed + 1;
    }
    while (p < end && *p == '\n')
        p++;
    size_t n = 0;
    while (p + n < end && p[n] && p[n] != '\n' && p[n] != '\r')
        n++;
    char *line = arena_memdup(a, p, n);
    if (arena_failed(a))
        return NULL;
    utf8_scrub(line);
    line[utf8_truncate(line, strlen(line), SUBJECT_MAX)] = 0;
    return *line ? line : NULL;
}

/* What is read for it is not kept: there may be many. */
static int read_subject(struct refs *s, const char *commit, const char **ret)
{
    struct arena own, *kept = s->tx->arena;
    const char *data, *subject = NULL;
    size_t len;
    arena_init(&own, 0);
    s->tx->arena = &own;
    int r = read_file(s, arena_printf(&own, "objects/%.2s/%s", commit, commit + 2), OBJECT_BYTES,
                      &data, &len);
    if (r == 1)
        data = inflated(&own, data, len, &len);
    else if (r == 0)
        r = pack_read(s->tx, s->dir, commit, COMMIT_BYTES, &data, &len);
    s->tx->arena = kept;
    if (r == 1)
        subject = subject_in(&own, data, len);
    if (arena_failed(&own))
        r = sosia_fail_memory(s->tx->err);
    *ret = subject ? arena_strdup(kept, subject) : NULL;
    arena_done(&own);
    return r < 0 ? -1 : 0;
}

/* ---- all of them ---- */

static int add_fact(struct refs *s, const struct ref *r, struct facts *ret)
{
    const char *subject = NULL;
    struct json_writer w;
    struct buf b;
    if (r->commit && read_subject(s, r->commit, &subject) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str_opt(&w, "target", r->target);
    json_str_opt(&w, "commit", r->commit);
    json_str_opt(&w, "subject", subject);
    json_end(&w);
    return fact_add(ret, r->name, fact_text(s->tx->arena, &b)) < 0 ? sosia_fail_memory(s->tx->err)
                                                                   : 0;
}

int fact_read_git(struct tx *tx, const char *tree, struct facts *ret)
{
    struct refs s = {.tx = tx, .dir = workspace_below(tx->arena, tree, ".git")};
    struct ref head = {.name = "HEAD"};
    const char *data;
    size_t len;
    int r = read_file(&s, "HEAD", REF_BYTES, &data, &len);
    if (r <= 0)
        return r;
    read_ref(tx->arena, data, len, &head);
    if (read_loose(&s) < 0 || read_packed(&s) < 0)
        return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : -1;
    if (head.target) {
        const struct ref *at = find(&s, s.n, head.target);
        head.commit = at ? at->commit : NULL;
    }
    if ((head.commit || head.target) && add_fact(&s, &head, ret) < 0)
        return -1;
    for (size_t i = 0; i < s.n; i++)
        if (add_fact(&s, &s.list[i], ret) < 0)
            return -1;
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}
