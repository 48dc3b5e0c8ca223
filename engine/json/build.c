/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/json/build.h"
#include <stdlib.h>

void json_build_init(struct json_builder *b, struct arena *a)
{
    b->arena = a;
    b->stack = b->first;
    b->n = 0;
    b->cap = JSON_BUILD_FIRST;
    b->open = JSON_BUILD_NONE;
}

void json_build_done(struct json_builder *b)
{
    if (b->stack != b->first)
        free(b->stack);
    b->stack = b->first;
}

bool json_build_grow(struct json_builder *b)
{
    /* More pending values than the arena could ever take are not worth a larger stack. */
    size_t size = (size_t)b->cap * sizeof *b->stack;
    b->arena->full |= size > b->arena->limit;
    if (b->arena->full || b->cap > UINT32_MAX / 4)
        return false;
    struct json_member *grown = realloc(b->stack == b->first ? NULL : b->stack, size * 2);
    if (!grown)
        return false;
    if (b->stack == b->first)
        memcpy(grown, b->first, sizeof b->first);
    b->stack = grown;
    b->cap *= 2;
    return true;
}

static int by_key(const void *left, const void *right)
{
    const struct json_member *a = *(struct json_member *const *)left;
    const struct json_member *b = *(struct json_member *const *)right;
    if (a->key_len != b->key_len)
        return a->key_len < b->key_len ? -1 : 1;
    int d = memcmp(a->key, b->key, a->key_len);
    return d ? d : (a->key_at > b->key_at) - (a->key_at < b->key_at);
}

int json_build_duplicate(struct json_builder *b, const struct json_member **ret_again)
{
    struct json_member *members = &b->stack[b->open + 1];
    uint32_t n = b->n - b->open - 1;
    const struct json_member *again = NULL;
    if (n >= 2) {
        struct json_member **sorted = malloc(n * sizeof *sorted);
        if (!sorted)
            return -1;
        for (uint32_t i = 0; i < n; i++)
            sorted[i] = &members[i];
        qsort(sorted, n, sizeof *sorted, by_key);
        for (uint32_t i = 1; i < n; i++) {
            const struct json_member *x = sorted[i - 1], *y = sorted[i];
            if (x->key_len == y->key_len && !memcmp(x->key, y->key, x->key_len) &&
                (!again || y->key_at < again->key_at))
                again = y;
        }
        free(sorted);
    }
    *ret_again = again;
    return 0;
}

static bool same_key(const struct json_member *a, const struct json_member *b)
{
    return a->key_len == b->key_len && memcmp(a->key, b->key, a->key_len) == 0;
}

/* Whether two of them have the same key; may be true without that if there are many. */
static bool may_repeat(const struct json_member *members, uint32_t n)
{
    if (n > 16)
        return true;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (same_key(&members[i], &members[k]))
                return true;
    return false;
}

int json_build_last_wins(struct json_builder *b)
{
    struct json_member *members = &b->stack[b->open + 1], **sorted;
    uint32_t n = b->n - b->open - 1, kept = 0;
    if (!may_repeat(members, n))
        return 0;
    if (!(sorted = malloc(n * sizeof *sorted)))
        return -1;
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = &members[i];
    qsort(sorted, n, sizeof *sorted, by_key);
    for (uint32_t i = n; i-- > 1;)
        if (same_key(sorted[i - 1], sorted[i])) {
            sorted[i - 1]->value = sorted[i]->value;
            sorted[i]->key_at = UINT32_MAX; /* it is dropped */
        }
    for (uint32_t i = 0; i < n; i++)
        if (members[i].key_at != UINT32_MAX)
            members[kept++] = members[i];
    b->n = b->open + 1 + kept;
    free(sorted);
    return 0;
}

int json_build_close(struct json_builder *b)
{
    struct json_member *c = &b->stack[b->open], *child = c + 1;
    uint32_t parent = c->value.n, n = b->n - b->open - 1;
    size_t each = c->value.type == JSON_OBJECT ? sizeof *child : sizeof child->value;
    if (n * each > b->arena->limit)
        return -1;
    void *moved = arena_alloc(b->arena, n * each);
    if (arena_failed(b->arena))
        return -1;
    if (c->value.type == JSON_OBJECT) {
        if (n)
            memcpy(moved, child, n * each);
        c->value.members = moved;
    } else {
        struct json *items = moved;
        for (uint32_t i = 0; i < n; i++)
            items[i] = child[i].value;
        c->value.items = items;
    }
    c->value.n = n;
    b->n = b->open + 1;
    b->open = parent;
    return 0;
}

const struct json *json_build_root(struct json_builder *b)
{
    struct json *root = arena_alloc(b->arena, sizeof *root);
    if (arena_failed(b->arena))
        return NULL;
    *root = b->stack[0].value;
    return root;
}

/* ---- writers ---- */

/* The place of a value, with room for n bytes and a NUL behind its key. NULL: the writer failed. */
static struct json *put_value(struct json_writer *w, const char *key, size_t len, size_t n,
                              char **ret_room)
{
    struct json_builder *b = w->build;
    len &= ~JSON_LITERAL;
    struct json_member *m = len + n < UINT32_MAX ? json_build_push(b) : NULL;
    char *text = m ? arena_alloc(b->arena, len + n + 2) : NULL;
    if (!m || arena_failed(b->arena)) {
        w->out->failed = true;
        return NULL;
    }
    if (key) {
        memcpy(text, key, len);
        text[len] = 0;
        m->key = text;
        m->key_len = (uint32_t)len;
    }
    *ret_room = text + len + 1;
    return &m->value;
}

bool json_built_open(struct json_writer *w, const char *key, size_t len, enum json_type type)
{
    char *room;
    if (w->depth == JSON_DEFAULT_DEPTH)
        w->out->failed = true;
    if (w->out->failed || !put_value(w, key, len, 0, &room))
        return false;
    json_build_open(w->build, type);
    w->depth++;
    return true;
}

void json_built_end(struct json_writer *w)
{
    w->depth--;
    if (!w->out->failed && json_build_close(w->build) < 0)
        w->out->failed = true;
}

void json_built_text(struct json_writer *w, const char *key, size_t len, const char *s, size_t n)
{
    char *room;
    struct json *v = w->out->failed ? NULL : put_value(w, key, len, n, &room);
    if (!v)
        return;
    memcpy(room, s, n);
    room[n] = 0;
    v->type = JSON_STRING;
    v->n = (uint32_t)n;
    v->str = room;
}

void json_built_plain(struct json_writer *w, const char *key, size_t len, const char *text,
                      size_t n)
{
    char *room;
    struct json *v = w->out->failed ? NULL : put_value(w, key, len, n, &room);
    if (!v || *text == 'n')
        return;
    if (*text == 't' || *text == 'f') {
        v->type = JSON_BOOL;
        v->truth = *text == 't';
        return;
    }
    memcpy(room, text, n);
    room[n] = 0;
    v->type = JSON_NUMBER;
    v->n = (uint32_t)n;
    v->str = room;
}

void json_built_raw(struct json_writer *w, const char *key, size_t len, const char *text, size_t n)
{
    /* 0 would be the default. */
    unsigned left = JSON_DEFAULT_DEPTH - w->depth;
    const struct json_limits limits = {.max_depth = left ? left : 1};
    const struct json *parsed;
    char *room;
    struct json *v = w->out->failed ? NULL : put_value(w, key, len, 0, &room);
    if (!v)
        return;
    if (json_parse(w->build->arena, text, n, &limits, &parsed, NULL) == 0)
        *v = *parsed;
    else
        w->out->failed = true;
}
