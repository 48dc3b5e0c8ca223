/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/buf.h"
#include "engine/base/arena.h"
#include "engine/base/err.h"
#include "engine/base/given.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buf_init(struct buf *b, size_t max)
{
    memset(b, 0, sizeof *b);
    b->max = max ? max : (size_t)1 << 30;
}

void buf_done(struct buf *b)
{
    free(b->data);
    b->data = NULL;
    b->len = b->cap = 0;
}

static _Thread_local unsigned short_of_memory;

unsigned buf_short(void)
{
    return short_of_memory;
}

/* Without room, so that nothing more is put into what is there. */
static bool fail(struct buf *b)
{
    b->failed = true;
    b->len = b->cap = 0;
    return false;
}

/* cap is what may be used: one byte more is allocated, for a NUL. */
bool buf_grow(struct buf *b, size_t n)
{
    if (!b->failed)
        b->full = n > b->max - b->len;
    if (b->failed || b->full)
        return fail(b);
    size_t need = b->len + n;
    if (need <= b->cap && b->data)
        return true;
    size_t cap = b->cap ? b->cap : 255;
    while (cap < need)
        cap = cap * 2 + 1;
    if (cap > b->max)
        cap = b->max;
    char *p = realloc(b->data, cap + 1);
    if (!p) {
        short_of_memory++;
        return fail(b);
    }
    b->data = p;
    b->cap = cap;
    return true;
}

void buf_insert(struct buf *b, size_t at, const void *data, size_t n)
{
    if (!n || !buf_grow(b, n))
        return;
    memmove(b->data + at + n, b->data + at, b->len - at);
    memcpy(b->data + at, data, n);
    b->len += n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0 && buf_grow(b, (size_t)n)) {
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

void buf_u64(struct buf *b, uint64_t v)
{
    char digits[20];
    size_t i = sizeof digits;
    do {
        digits[--i] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    buf_add(b, digits + i, sizeof digits - i);
}

void buf_i64(struct buf *b, int64_t v)
{
    if (v < 0) {
        buf_byte(b, '-');
        buf_u64(b, 0 - (uint64_t)v);
    } else {
        buf_u64(b, (uint64_t)v);
    }
}

const char *buf_str(struct buf *b)
{
    if (b->failed || !buf_grow(b, 0))
        return "";
    b->data[b->len] = 0;
    return b->data;
}

char *buf_keep(struct buf *b, struct arena *a)
{
    char *text = arena_strdup(a, buf_str(b));
    buf_done(b);
    return text;
}

char *buf_take(struct buf *b, size_t *ret_len)
{
    if (b->failed || !buf_grow(b, 0))
        return NULL;
    char *p = b->data;
    p[b->len] = 0;
    if (ret_len)
        *ret_len = b->len;
    b->data = NULL;
    b->len = b->cap = 0;
    return p;
}

int buf_give(struct buf *b, struct sosia_blob *ret, struct sosia_err *err)
{
    size_t len;
    char *data = buf_take(b, &len);
    if (!data)
        return sosia_fail_memory(err);
    if (given_add(data, len) < 0) {
        free(data);
        return sosia_fail_memory(err);
    }
    *ret = (struct sosia_blob){.data = data, .len = len};
    return 0;
}
