/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing buffer of bytes with a maximum size. Appending beyond the maximum, or without memory,
 * marks the buffer as failed and drops its content; the owner checks buf_failed() once at the end.
 */
#ifndef SOSIA_BASE_BUF_H
#define SOSIA_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sosia_blob;
struct sosia_err;

struct buf {
    char *data; /* len bytes; NUL-terminated after buf_str() */
    size_t len, cap, max;
    bool failed;
    bool full; /* it failed since its maximum was reached */
};

/* max: bytes it may hold, 0: 1 GiB. */
void buf_init(struct buf *b, size_t max);
void buf_done(struct buf *b);
static inline bool buf_failed(const struct buf *b)
{
    return b->failed;
}
/* Forgets the content, keeps the memory. */
static inline void buf_clear(struct buf *b)
{
    b->len = 0;
    b->failed = false;
}
/* Makes room for n more bytes; false when the buffer has failed. */
bool buf_grow(struct buf *b, size_t n);
static inline void buf_add(struct buf *b, const void *data, size_t n)
{
    if (n > b->cap - b->len && !buf_grow(b, n))
        return;
    if (n)
        memcpy(b->data + b->len, data, n);
    b->len += n;
}
static inline void buf_byte(struct buf *b, char c)
{
    if (b->cap == b->len && !buf_grow(b, 1))
        return;
    b->data[b->len++] = c;
}
/* Puts n bytes before those from `at` on. */
void buf_insert(struct buf *b, size_t at, const void *data, size_t n);
static inline void buf_puts(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *b, const char *fmt, ...);
void buf_u64(struct buf *b, uint64_t v);
void buf_i64(struct buf *b, int64_t v);
/* NUL-terminates and gives the content; "" when failed. Borrowed until the next change. */
const char *buf_str(struct buf *b);
/* The same in the arena; the buffer is done. */
struct arena;
char *buf_keep(struct buf *b, struct arena *a);
/* How many buffers of this thread could not grow so far because there was no memory: who compares
 * two of them knows whether a text that was made in between may be lacking. */
unsigned buf_short(void);
/* Hands the memory to the caller (free with free()), NUL-terminated; NULL when failed. */
char *buf_take(struct buf *b, size_t *ret_len);
/* The same as a blob. -1 with err NO_MEMORY when failed; *ret is untouched then. */
int buf_give(struct buf *b, struct sosia_blob *ret, struct sosia_err *err);

#endif
