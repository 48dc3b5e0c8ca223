/* SPDX-License-Identifier: Apache-2.0 */
/* The tool that edits a text file: each edit takes the first place of its old text, or else lines
 * that are the same but for whitespace around them, whose indentation stays. */
#include "engine/text/unified.h"
#include "mcp/servers/files.h"

/* ---- whitespace, as JavaScript has it ---- */

/* Bytes of a character of whitespace at p, of n; 0: it is another one. */
static size_t space_at(const char *p, size_t n)
{
    static const char *const wide[] = {
        "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82",
        "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87",
        "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9",
        "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf"};
    if (n && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
        return 1;
    for (size_t i = 0; n && (unsigned char)*p >= 0x80 && i < SOSIA_LEN(wide); i++) {
        size_t len = strlen(wide[i]);
        if (len <= n && memcmp(p, wide[i], len) == 0)
            return len;
    }
    return 0;
}

static size_t indent_of(struct unified_text line)
{
    size_t at = 0, n;
    while ((n = space_at(line.data + at, line.len - at)))
        at += n;
    return at;
}

static struct unified_text trimmed(struct unified_text line)
{
    size_t head = indent_of(line), n;
    line.data += head;
    line.len -= head;
    for (size_t back = 1; back <= 3 && back <= line.len;) {
        n = space_at(line.data + line.len - back, back);
        if (n != back) {
            back++;
            continue;
        }
        line.len -= back;
        back = 1;
    }
    return line;
}

/* ---- lines ---- */

struct lines {
    struct unified_text *at; /* without line feeds */
    size_t n;
};

static int split(struct arena *a, const char *text, size_t len, struct lines *ret)
{
    const char *end = text + len;
    size_t n = 1;
    for (const char *p = text; p < end; p++)
        n += *p == '\n';
    ret->at = arena_calloc(a, n, sizeof *ret->at);
    ret->n = n;
    if (arena_failed(a))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *feed = memchr(text, '\n', (size_t)(end - text));
        size_t one = (size_t)((feed ? feed : end) - text);
        ret->at[i] = (struct unified_text){text, one};
        text += one + 1;
    }
    return 0;
}

static bool same_trimmed(struct unified_text a, struct unified_text b)
{
    a = trimmed(a);
    b = trimmed(b);
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* ---- one edit ---- */

struct edit {
    struct call *c;
    const char *old, *new; /* with LF */
    size_t old_len, new_len;
};

/* A line of the new text, with the indentation of the place where the old one was. */
static void put_new_line(struct buf *b, const struct edit *e, const struct lines *old,
                         struct unified_text place, struct unified_text line, size_t i)
{
    size_t own = indent_of(line), before = i < old->n ? indent_of(old->at[i]) : 0;
    if (i && !(own && before)) {
        buf_add(b, line.data, line.len);
        return;
    }
    (void)e;
    buf_add(b, place.data, indent_of(place));
    for (size_t k = before; i && k < own; k++)
        buf_byte(b, ' ');
    buf_add(b, line.data + own, line.len - own);
}

static void put_lines(struct buf *b, const struct lines *l, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        buf_add(b, l->at[i].data, l->at[i].len);
        if (i + 1 < l->n)
            buf_byte(b, '\n');
    }
}

/* By lines: 1 done, into b; 0 there is no such place; -1. */
static int edit_lines(const struct edit *e, const char *text, size_t len, struct buf *b)
{
    struct arena *a = e->c->tx.arena;
    struct lines all, old, new;
    if (split(a, text, len, &all) < 0 || split(a, e->old, e->old_len, &old) < 0 ||
        split(a, e->new, e->new_len, &new) < 0)
        return sosia_fail_memory(e->c->tx.err);
    for (size_t i = 0; i + old.n <= all.n; i++) {
        size_t k = 0;
        while (k < old.n && same_trimmed(old.at[k], all.at[i + k]))
            k++;
        if (k < old.n)
            continue;
        put_lines(b, &all, 0, i);
        for (k = 0; k < new.n; k++) {
            put_new_line(b, e, &old, all.at[i], new.at[k], k);
            if (k + 1 < new.n || i + old.n < all.n)
                buf_byte(b, '\n');
        }
        put_lines(b, &all, i + old.n, all.n);
        return 1;
    }
    return 0;
}

static int edit_one(const struct edit *e, const char *asked, const char **text, size_t *len)
{
    const char *at = e->old_len ? memmem(*text, *len, e->old, e->old_len) : *text;
    struct buf b;
    int r = 1;
    buf_init(&b, WORKSPACE_FILE);
    if (at) {
        buf_add(&b, *text, (size_t)(at - *text));
        buf_add(&b, e->new, e->new_len);
        buf_add(&b, at + e->old_len, *len - (size_t)(at - *text) - e->old_len);
    } else {
        r = edit_lines(e, *text, *len, &b);
    }
    if (r > 0 && buf_failed(&b))
        r = file_fail(e->c, "EFBIG", "write", NULL);
    if (r > 0) {
        *text = arena_memdup(e->c->tx.arena, b.data ? b.data : "", b.len);
        *len = b.len;
    } else if (r == 0) {
        r = server_fail(e->c, "Could not find exact match for edit:\n%s", asked);
    }
    buf_done(&b);
    return r < 0 ? -1 : 0;
}

/* ---- the tool ---- */

static int edit_all(struct call *c, const char **text, size_t *len)
{
    const struct json *edits = json_get(server_arguments(c), "edits");
    for (uint32_t i = 0; i < edits->n; i++) {
        const struct json *old = json_get(&edits->items[i], "oldText"),
                          *new = json_get(&edits->items[i], "newText");
        struct edit e = {.c = c, .old_len = old->n, .new_len = new->n};
        e.old = file_lines(c->tx.arena, old->str, &e.old_len);
        e.new = file_lines(c->tx.arena, new->str, &e.new_len);
        if (arena_failed(c->tx.arena))
            return sosia_fail_memory(c->tx.err);
        if (edit_one(&e, old->str, text, len) < 0)
            return -1;
    }
    return 0;
}

/* The longest run of backticks, so that a fence is longer. */
static size_t fence_of(const struct buf *b)
{
    size_t most = 2, run = 0;
    for (size_t i = 0; i < b->len; i++) {
        run = b->data[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most + 1;
}

static int answer(struct call *c, const char *absolute, struct unified_text from,
                  struct unified_text to)
{
    struct buf diff, b;
    buf_init(&diff, 0);
    buf_printf(&diff,
               "Index: %s\n===================================================================\n"
               "--- %s\toriginal\n+++ %s\tmodified\n",
               absolute, absolute, absolute);
    if (unified_hunks(c->tx.arena, from, to, 4, &diff) < 0) {
        buf_done(&diff);
        return sosia_fail_memory(c->tx.err);
    }
    size_t fence = fence_of(&diff);
    buf_init(&b, 0);
    for (size_t i = 0; i < fence; i++)
        buf_byte(&b, '`');
    buf_puts(&b, "diff\n");
    server_put_text(&b, diff.data, diff.len);
    for (size_t i = 0; i < fence; i++)
        buf_byte(&b, '`');
    buf_puts(&b, "\n\n");
    buf_done(&diff);
    return server_buf(c, &b);
}

int fs_edit(struct call *c)
{
    const struct json *args = server_arguments(c);
    struct file_path at;
    const char *data, *text;
    size_t len;
    if (file_content(c, json_get_str(args, "path"), &at, &data, &len) < 0)
        return -1;
    struct buf whole;
    buf_init(&whole, 0);
    server_put_text(&whole, data, len);
    len = whole.len;
    data = arena_memdup(c->tx.arena, whole.data ? whole.data : "", len);
    buf_done(&whole);
    data = file_lines(c->tx.arena, data, &len);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    text = data;
    size_t now = len;
    if (edit_all(c, &text, &now) < 0)
        return -1;
    if (!json_get_true(args, "dryRun") && workspace_write(&c->tx, at.path, text, now, NULL) < 0)
        return file_failed(c, "write", NULL);
    return answer(c, at.absolute, (struct unified_text){data, len},
                  (struct unified_text){text, now});
}
