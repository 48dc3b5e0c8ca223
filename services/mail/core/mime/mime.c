/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of a message: one pass over its lines. */
#include "services/mail/core/mime/mime_impl.h"
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define SLOTS 256 /* of the table of open boundaries: more than twice MIME_MAX_DEPTH */

struct open_part {
    int part;
    int last;             /* its last child; -1: none */
    const char *boundary; /* NULL: none, or its end was seen */
    size_t boundary_len;
    uint64_t hash;
};

struct scan {
    struct arena *arena;
    const char *content;
    size_t len;
    struct mime *m;
    size_t cap;
    /* From the root to the part that the next line belongs to. */
    struct open_part chain[MIME_MAX_DEPTH + 1];
    int n;
    bool in_head;         /* of the last one of them */
    size_t longest;       /* of the open boundaries */
    uint8_t slots[SLOTS]; /* places in the chain + 1, by hash */
};

size_t mime_head_len(const char *raw, size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *end = memchr(raw + at, '\n', len - at);
        size_t next = end ? (size_t)(end - raw) + 1 : len;
        size_t n = next - at;
        if (end && (n == 1 || (n == 2 && raw[at] == '\r')))
            return next;
        at = next;
    }
    return len;
}

/* ---- boundaries ---- */

static void index_boundaries(struct scan *s)
{
    memset(s->slots, 0, sizeof s->slots);
    s->longest = 0;
    for (int i = s->n - 1; i >= 0; i--) { /* of equal ones the innermost counts */
        const struct open_part *o = &s->chain[i];
        if (!o->boundary)
            continue;
        if (o->boundary_len > s->longest)
            s->longest = o->boundary_len;
        size_t slot = o->hash % SLOTS;
        while (s->slots[slot])
            slot = (slot + 1) % SLOTS;
        s->slots[slot] = (uint8_t)(i + 1);
    }
}

static int find_boundary(const struct scan *s, const char *text, size_t len)
{
    uint64_t hash = XXH3_64bits(text, len);
    for (size_t slot = hash % SLOTS; s->slots[slot]; slot = (slot + 1) % SLOTS) {
        const struct open_part *o = &s->chain[s->slots[slot] - 1];
        if (o->hash == hash && o->boundary_len == len && memcmp(o->boundary, text, len) == 0)
            return s->slots[slot] - 1;
    }
    return -1;
}

/* Whose delimiter is this line, its end left out? A place in the chain, or -1. */
static int delimiter(const struct scan *s, const char *line, size_t len, bool *ret_close)
{
    if (!s->longest || len < 3 || line[0] != '-' || line[1] != '-')
        return -1;
    while (len > 2 && (line[len - 1] == ' ' || line[len - 1] == '\t'))
        len--;
    line += 2;
    len -= 2;
    *ret_close = false;
    if (len > s->longest + 2)
        return -1;
    int k = find_boundary(s, line, len);
    if (k < 0 && len > 2 && line[len - 1] == '-' && line[len - 2] == '-') {
        *ret_close = true;
        k = find_boundary(s, line, len - 2);
    }
    return k;
}

/* ---- parts ---- */

static struct mime_part *part(struct scan *s, int i)
{
    return &s->m->parts[s->chain[i].part];
}

/* A new part, the child of the last one of the chain; it becomes the last. False: no room. */
static bool add_part(struct scan *s, size_t head)
{
    if (s->m->n == MIME_MAX_PARTS || s->n > MIME_MAX_DEPTH) {
        s->m->cut = true;
        return false;
    }
    void *list = arena_grow(s->arena, s->m->parts, (size_t)s->m->n, &s->cap, sizeof *s->m->parts);
    if (!list)
        return false;
    s->m->parts = list;
    int i = s->m->n++;
    s->m->parts[i] = (struct mime_part){.parent = -1, .first = -1, .next = -1, .head = head};
    struct mime_part *p = &s->m->parts[i];
    if (s->n) {
        struct open_part *up = &s->chain[s->n - 1];
        p->parent = up->part;
        p->depth = s->n;
        if (up->last < 0) {
            s->m->parts[up->part].first = i;
        } else {
            s->m->parts[up->last].next = i;
            p->place = s->m->parts[up->last].place + 1;
        }
        up->last = i;
    }
    s->chain[s->n++] = (struct open_part){.part = i, .last = -1};
    return true;
}

/* The head of the last part of the chain is known; its body begins at `at`. */
static void begin_body(struct scan *s, const char *head, size_t head_len, size_t at)
{
    struct mime_part *p = part(s, s->n - 1);
    struct open_part *o = &s->chain[s->n - 1];
    const struct mime_part *up = s->n > 1 ? part(s, s->n - 2) : NULL;
    bool digest = up && strcmp(up->type, "multipart/digest") == 0;
    const char *boundary = NULL;
    mime_read_head(s->arena, head, head_len, digest ? "message/rfc822" : "text/plain", p,
                   &boundary);
    p->head_len = s->n > 1 ? head_len : 0;
    p->at = at;
    s->in_head = false;
    if (mime_is_multipart(p)) {
        if (!boundary || !*boundary)
            return;
        if (s->n > MIME_MAX_DEPTH) {
            s->m->cut = true;
            return;
        }
        o->boundary = boundary;
        o->boundary_len = strlen(boundary);
        o->hash = XXH3_64bits(boundary, o->boundary_len);
        index_boundaries(s);
    } else if (strcmp(p->type, "message/rfc822") == 0 || strcmp(p->type, "message/global") == 0) {
        if (p->encoding <= MIME_BINARY && add_part(s, at))
            s->in_head = true;
    }
}

/* All parts of the chain from place k on end at `end`. */
static void close_parts(struct scan *s, int k, size_t end)
{
    while (s->n > k) {
        if (s->in_head) {
            size_t head = part(s, s->n - 1)->head;
            size_t at = end > head ? end : head;
            /* The part has no empty line, and its body is empty. What it contains is empty too. */
            begin_body(s, s->content + head, at - head, at);
            if (s->in_head)
                continue;
        }
        struct mime_part *p = part(s, s->n - 1);
        p->len = end > p->at ? end - p->at : 0;
        s->n--;
    }
}

static bool is_field_line(const char *line, size_t len)
{
    size_t i = 0;
    while (i < len && (unsigned char)line[i] > ' ' && line[i] != ':' && line[i] != 127)
        i++;
    return i && i < len && line[i] == ':';
}

static void scan_line(struct scan *s, size_t at, size_t next)
{
    const char *line = s->content + at;
    size_t len = next - at;
    if (len && line[len - 1] == '\n')
        len -= len > 1 && line[len - 2] == '\r' ? 2 : 1;
    bool close;
    int k = delimiter(s, line, len, &close);
    if (k >= 0) {
        size_t end = at; /* the line end before a delimiter is part of it */
        if (end && s->content[end - 1] == '\n')
            end -= end > 1 && s->content[end - 2] == '\r' ? 2 : 1;
        if (!close && s->m->n == MIME_MAX_PARTS) {
            s->m->cut = true; /* the last part continues */
            return;
        }
        bool in_head = s->in_head;
        close_parts(s, k + 1, in_head ? at : end);
        if (close) {
            s->chain[k].boundary = NULL;
            s->in_head = false;
        } else {
            s->in_head = add_part(s, next);
        }
        index_boundaries(s);
        return;
    }
    if (!s->in_head)
        return;
    size_t head = part(s, s->n - 1)->head;
    if (len == 0)
        begin_body(s, s->content + head, next - head, next);
    else if (at == head && !is_field_line(line, len))
        begin_body(s, s->content + head, 0, at); /* no head at all */
}

void mime_parse(struct arena *a, const char *head, size_t head_len, const char *content, size_t len,
                struct mime *ret)
{
    struct scan *s = arena_calloc(a, 1, sizeof *s);
    *ret = (struct mime){0};
    s->arena = a;
    s->content = content;
    s->len = len;
    s->m = ret;
    if (arena_failed(a) || !add_part(s, 0))
        return;
    begin_body(s, head, head_len, 0);
    for (size_t at = 0; at < len && !arena_failed(a);) {
        /* Lines matter in heads and where a boundary is open. */
        if (!s->in_head && !s->longest)
            break;
        const char *end = memchr(content + at, '\n', len - at);
        size_t next = end ? (size_t)(end - content) + 1 : len;
        scan_line(s, at, next);
        at = next;
    }
    close_parts(s, 0, len);
    for (int i = 0; i < ret->n && !arena_failed(a); i++) {
        struct mime_part *p = &ret->parts[i];
        if (p->first < 0)
            p->size = mime_decoded_size(p->encoding, content + p->at, p->len);
    }
}

bool mime_is_file(const struct mime *m, int part)
{
    const struct mime_part *p = &m->parts[part];
    return !mime_is_multipart(p) &&
           (p->filename || p->disposition == MIME_ATTACHMENT || strncmp(p->type, "text/", 5) != 0);
}

/* ---- the form in which a tree is stored ---- */

static void put_number(struct buf *b, uint64_t v)
{
    for (; v > 127; v >>= 7)
        buf_byte(b, (char)(v | 128));
    buf_byte(b, (char)v);
}

static void put_text(struct buf *b, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    put_number(b, text ? n + 1 : 0);
    if (text)
        buf_add(b, text, n + 1); /* with its NUL: it is read in place */
}

void mime_pack(const struct mime *m, struct buf *out)
{
    put_number(out, (uint64_t)m->n);
    put_number(out, m->cut);
    for (int i = 0; i < m->n; i++) {
        const struct mime_part *p = &m->parts[i];
        put_number(out, (uint64_t)p->depth);
        buf_byte(out, (char)((unsigned)p->encoding | (unsigned)p->disposition << 4));
        put_text(out, p->type);
        put_text(out, p->charset);
        put_text(out, p->filename);
        put_text(out, p->cid);
        put_number(out, p->head);
        put_number(out, p->head_len);
        put_number(out, p->at);
        put_number(out, p->len);
        put_number(out, p->size);
        put_number(out, (uint64_t)p->blob);
        put_number(out, p->lines);
    }
}

struct unpack {
    const char *at, *end;
    bool bad;
};

static uint64_t get_number(struct unpack *u)
{
    uint64_t v = 0;
    for (unsigned shift = 0; u->at < u->end && shift < 64; shift += 7) {
        unsigned char c = (unsigned char)*u->at++;
        v |= (uint64_t)(c & 127) << shift;
        if (c < 128)
            return v;
    }
    u->bad = true;
    return 0;
}

static const char *get_text(struct unpack *u)
{
    uint64_t n = get_number(u);
    const char *text = u->at;
    if (n == 0)
        return NULL;
    if (n > (uint64_t)(u->end - u->at) || text[n - 1]) {
        u->bad = true;
        return NULL;
    }
    u->at += n;
    return text;
}

static void get_part(struct unpack *u, struct mime_part *p)
{
    *p = (struct mime_part){.parent = -1, .first = -1, .next = -1};
    uint64_t depth = get_number(u);
    unsigned char kinds = u->at < u->end ? (unsigned char)*u->at++ : 255;
    p->type = get_text(u);
    p->charset = get_text(u);
    p->filename = get_text(u);
    p->cid = get_text(u);
    p->head = get_number(u);
    p->head_len = get_number(u);
    p->at = get_number(u);
    p->len = get_number(u);
    p->size = get_number(u);
    p->blob = (int64_t)get_number(u);
    uint64_t lines = get_number(u);
    p->depth = (int)depth;
    p->encoding = kinds & 15;
    p->disposition = kinds >> 4;
    p->lines = (uint32_t)lines;
    if (depth > MIME_MAX_DEPTH || (kinds & 15) > MIME_UU || kinds >> 4 > MIME_ATTACHMENT ||
        !p->type || lines > 1000000 || (lines && (lines < 16 || lines >> 2 & 3)))
        u->bad = true;
}

/* Counts the bytes that are in blobs before the part; false: its places are invalid. */
static bool place_part(const struct mime *m, int i, size_t content_len, size_t own_len,
                       size_t *blobs)
{
    struct mime_part *p = &m->parts[i];
    if (p->at > content_len || p->len > content_len - p->at || p->at < *blobs)
        return false;
    if (i && (p->head > p->at || p->head_len != p->at - p->head || p->head < *blobs))
        return false;
    p->own = p->at - *blobs;
    if (p->blob)
        *blobs += p->len;
    else if (p->first < 0 && (p->own > own_len || p->len > own_len - p->own))
        return false;
    return p->own <= own_len;
}

int mime_unpack(struct arena *a, const char *data, size_t len, size_t content_len, size_t own_len,
                struct mime *ret)
{
    struct unpack u = {.at = data, .end = data + len};
    int last[MIME_MAX_DEPTH + 1]; /* of each depth */
    size_t blobs = 0, end = 0;
    uint64_t n = get_number(&u);
    *ret = (struct mime){.cut = get_number(&u) != 0};
    if (u.bad || n < 1 || n > MIME_MAX_PARTS)
        return -1;
    ret->parts = arena_alloc(a, n * sizeof *ret->parts);
    if (arena_failed(a))
        return -1;
    for (int i = 0; i < (int)n; i++) {
        struct mime_part *p = &ret->parts[i];
        get_part(&u, p);
        if (u.bad || (i == 0) != (p->depth == 0) || (i && p->depth > p[-1].depth + 1))
            return -1;
        if (i) {
            p->parent = last[p->depth - 1];
            struct mime_part *up = &ret->parts[p->parent];
            if (up->first < 0) {
                up->first = i;
            } else {
                ret->parts[last[p->depth]].next = i;
                p->place = ret->parts[last[p->depth]].place + 1;
            }
        }
        last[p->depth] = i;
    }
    ret->n = (int)n;
    for (int i = 0; i < ret->n; i++) {
        struct mime_part *p = &ret->parts[i];
        if ((p->blob && (p->first >= 0 || p->at < end)) ||
            !place_part(ret, i, content_len, own_len, &blobs))
            return -1;
        if (p->blob)
            end = p->at + p->len;
    }
    return content_len - blobs == own_len ? 0 : -1;
}
