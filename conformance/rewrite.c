/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/rewrite.h"
#include "engine/base/codec.h"

void rewrite_init(struct rewrite *r, struct arena *arena)
{
    *r = (struct rewrite){.arena = arena};
}

static void add_pair(struct rewrite *r, const char *ours, const char *theirs)
{
    if (!*ours || !*theirs || strcmp(ours, theirs) == 0)
        return;
    void *list = arena_grow(r->arena, r->pairs, r->n, &r->cap, sizeof *r->pairs);
    if (!list)
        return;
    r->pairs = list;
    r->pairs[r->n++] =
        (struct rewrite_pair){arena_strdup(r->arena, ours), arena_strdup(r->arena, theirs)};
}

static const char *encoded(struct rewrite *r, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    percent_add(&b, text, strlen(text));
    return buf_keep(&b, r->arena);
}

void rewrite_add(struct rewrite *r, const char *ours, const char *theirs)
{
    const char *a = encoded(r, ours), *b = encoded(r, theirs);
    add_pair(r, ours, theirs);
    if (strcmp(a, ours) != 0 || strcmp(b, theirs) != 0)
        add_pair(r, a, b);
}

static const char *rewrite(const struct rewrite *r, const char *text, size_t len, bool out,
                           size_t *ret_len)
{
    struct buf b;
    bool changed = false;
    buf_init(&b, 0);
    for (size_t i = 0; i < len;) {
        size_t best = 0;
        const char *with = NULL;
        for (size_t k = 0; k < r->n; k++) {
            const char *from = out ? r->pairs[k].ours : r->pairs[k].theirs;
            size_t n = strlen(from);
            if (n > best && n <= len - i && memcmp(text + i, from, n) == 0) {
                best = n;
                with = out ? r->pairs[k].theirs : r->pairs[k].ours;
            }
        }
        if (with) {
            buf_puts(&b, with);
            i += best;
            changed = true;
        } else {
            buf_byte(&b, text[i++]);
        }
    }
    *ret_len = len;
    if (changed && !buf_failed(&b)) {
        *ret_len = b.len;
        text = arena_memdup(r->arena, b.data, b.len);
    }
    buf_done(&b);
    return text;
}

const char *rewrite_out(const struct rewrite *r, const char *text, size_t len, size_t *ret_len)
{
    return rewrite(r, text, len, true, ret_len);
}

const char *rewrite_in(const struct rewrite *r, const char *text, size_t len, size_t *ret_len)
{
    return rewrite(r, text, len, false, ret_len);
}
