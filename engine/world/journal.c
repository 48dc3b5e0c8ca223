/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/journal.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <stdlib.h>

struct journal_chunk {
    struct journal_chunk *next;
    uint32_t used, cap;
    int64_t first; /* number of its first entry */
    char data[];   /* entries: uint32_t length, text */
};

int journal_append(struct journal *j, const char *entry, size_t len)
{
    size_t need = len + sizeof(uint32_t);
    struct journal_chunk *c = j->last;
    if (len > UINT32_MAX / 2)
        return -1;
    if (!c || c->cap - c->used < need) {
        /* Chunks double, so that a world with three entries is small and one with many has few
         * chunks. */
        size_t cap = c ? (size_t)c->cap * 2 : 1024;
        if (cap > 256 * 1024)
            cap = 256 * 1024;
        if (cap < need)
            cap = need;
        c = malloc(sizeof *c + cap);
        if (!c)
            return -1;
        *c = (struct journal_chunk){.cap = (uint32_t)cap, .first = j->n + 1};
        if (j->last)
            j->last->next = c;
        else
            j->first = c;
        j->last = c;
        j->bytes += sizeof *c + cap;
    }
    uint32_t n = (uint32_t)len;
    memcpy(c->data + c->used, &n, sizeof n);
    memcpy(c->data + c->used + sizeof n, entry, len);
    c->used += (uint32_t)need;
    j->n++;
    return 0;
}

void journal_clear(struct journal *j)
{
    for (struct journal_chunk *c = j->first; c;) {
        struct journal_chunk *next = c->next;
        free(c);
        c = next;
    }
    *j = (struct journal){.generation = j->generation + 1, .counted = j->counted};
}

void journal_truncate(struct journal *j, int64_t n)
{
    struct journal_chunk *c = j->first, *last = NULL;
    if (n >= j->n)
        return;
    while (c && c->first <= n) {
        last = c;
        c = c->next;
    }
    for (struct journal_chunk *next; c; c = next) {
        next = c->next;
        j->bytes -= sizeof *c + c->cap;
        free(c);
    }
    j->n = n;
    j->last = last;
    if (!last) {
        j->first = NULL;
    } else {
        uint32_t at = 0, len;
        for (int64_t seq = last->first; seq <= n; seq++) {
            memcpy(&len, last->data + at, sizeof len);
            at += (uint32_t)sizeof len + len;
        }
        last->used = at;
        last->next = NULL;
    }
    journal_mark(j);
}

size_t journal_fresh(const struct journal *j, char *to)
{
    size_t sum = 0;
    for (const struct journal_chunk *c = j->marked ? j->marked : j->first; c; c = c->next) {
        uint32_t from = c == j->marked ? j->marked_at : 0;
        if (to)
            memcpy(to + sum, c->data + from, c->used - from);
        sum += c->used - from;
    }
    return sum;
}

void journal_mark(struct journal *j)
{
    j->marked = j->last;
    j->marked_at = j->last ? j->last->used : 0;
}

int journal_append_packed(struct journal *j, const char *data, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t n;
        if (len - at < sizeof n)
            return -1;
        memcpy(&n, data + at, sizeof n);
        at += sizeof n;
        if (n > len - at || journal_append(j, data + at, n) < 0)
            return -1;
        at += n;
    }
    return 0;
}

int journal_each(const struct journal *j, int64_t after, int64_t limit,
                 int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg)
{
    for (const struct journal_chunk *c = j->first; c; c = c->next) {
        if (c->next && c->next->first <= after + 1)
            continue;
        int64_t seq = c->first;
        for (uint32_t at = 0; at < c->used; seq++) {
            uint32_t len;
            memcpy(&len, c->data + at, sizeof len);
            if (seq > after) {
                if (limit-- <= 0)
                    return 0;
                int r = fn(arg, seq, c->data + at + sizeof len, len);
                if (r)
                    return r;
            }
            at += (uint32_t)sizeof len + len;
        }
    }
    return 0;
}

void journal_digest(struct json_writer *w, const char *name, int64_t len, const char *kind,
                    const uint8_t *bytes, size_t n)
{
    char hex[65];
    hex_encode(hex, bytes, n);
    json_obj(w, name);
    json_int(w, "length", len);
    json_str(w, kind, hex);
    json_end(w);
}

void journal_body(struct json_writer *w, const char *name, const char *data, size_t len,
                  bool secret)
{
    if (!len)
        return;
    if (secret) {
        json_obj(w, name);
        json_int(w, "length", (int64_t)len);
        json_end(w);
        return;
    }
    if (len > JOURNAL_BODY_MAX) {
        XXH128_canonical_t h;
        XXH128_canonicalFromHash(&h, XXH3_128bits(data, len));
        journal_digest(w, name, (int64_t)len, "xxh3", h.digest, sizeof h.digest);
    } else if (utf8_valid(data, len) && !memchr(data, 0, len)) { /* entries are read without NULs */
        json_strn(w, name, data, len);
    } else {
        struct buf b;
        buf_init(&b, 0);
        base64_add(&b, data, len);
        json_obj(w, name);
        json_strn(w, "base64", b.data ? b.data : "", b.len);
        json_end(w);
        buf_done(&b);
    }
}
