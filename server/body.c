/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request bodies: collected under a limit for each and a budget for all, inflated under the same
 * limit. Answers share the budget.
 *
 * A body that is too large is read on and thrown away for as much again, so that a client that
 * sends before it reads gets its 413; beyond that the connection is closed.
 */
#include "server/internal.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#define SMALL (64u << 10) /* bodies up to this don't count against the budget */

static const char TOO_LARGE[] = "The request's body is larger than this server takes.";

int body_begin(struct request *r, const char **ret_reason, const char **ret_text)
{
    const struct server *s = http_conn(r)->server;
    const char *length = r->fields.content_length;
    uint64_t n = length ? strtoull(length, NULL, 10) : 0; /* libmicrohttpd has checked it */
    r->body_expected = n < s->max_body ? (size_t)n : 0;
    r->too_large = n > s->max_body;
    if (r->too_large && (n > 2 * (uint64_t)s->max_body || r->fields.expect)) {
        *ret_reason = "tooLarge";
        *ret_text = TOO_LARGE;
        return 413;
    }
    return 0;
}

void body_done(struct request *r)
{
    free(r->body);
    r->body = NULL;
    if (r->body_counted)
        atomic_fetch_sub(&http_conn(r)->server->bodies, r->body_counted);
    r->body_len = r->body_cap = r->body_counted = 0;
}

/* An answer that nobody reads is held until its deadline, so that many would be many. One alone may
 * be larger than the budget, and what the operator asks for is the operator's business. */
bool body_count_answer(struct request *r, size_t len)
{
    struct server *s = http_conn(r)->server;
    if (len <= SMALL || r->control)
        return true;
    size_t before = atomic_fetch_add(&s->bodies, len);
    if (before && before + len > s->max_bodies) {
        atomic_fetch_sub(&s->bodies, len);
        return false;
    }
    r->answer_counted = len;
    return true;
}

void body_answered(struct request *r)
{
    if (r->answer_counted)
        atomic_fetch_sub(&http_conn(r)->server->bodies, r->answer_counted);
    r->answer_counted = 0;
}

/* Room for cap bytes and a NUL, against the budget. */
static bool reserve(struct request *r, size_t cap)
{
    struct server *s = http_conn(r)->server;
    if (cap > SMALL) {
        size_t more = cap - r->body_counted;
        if (atomic_fetch_add(&s->bodies, more) + more > s->max_bodies) {
            atomic_fetch_sub(&s->bodies, more);
            return false;
        }
        r->body_counted = cap;
    }
    char *p = realloc(r->body, cap + 1);
    if (!p)
        return false;
    r->body = p;
    r->body_cap = cap;
    return true;
}

static bool grow(struct request *r, size_t size)
{
    size_t max = http_conn(r)->server->max_body;
    if (size > max - r->body_len) {
        r->too_large = true;
        return false;
    }
    size_t need = r->body_len + size, cap = r->body_cap * 2;
    if (cap < 1024)
        cap = 1024;
    if (cap < need)
        cap = need;
    if (r->body_expected >= need && cap > r->body_expected)
        cap = r->body_expected;
    if (cap > max)
        cap = max;
    if (reserve(r, cap))
        return true;
    r->no_room = true;
    return false;
}

int body_add(struct request *r, const char *data, size_t size)
{
    const struct server *s = http_conn(r)->server;
    r->body_seen += size;
    if (r->body_seen > 2 * (uint64_t)s->max_body)
        return -1;
    if (r->too_large || r->no_room)
        return 0;
    if (size > r->body_cap - r->body_len && !grow(r, size)) {
        body_done(r);
        return 0;
    }
    memcpy(r->body + r->body_len, data, size);
    r->body_len += size;
    return 0;
}

/* Inflates gzip or zlib data into r->body. 0 or a status. */
static int inflate_body(struct request *r, const char *data, size_t len)
{
    z_stream z = {0};
    int rc, status = 0;
    if (inflateInit2(&z, 15 + 32) != Z_OK)
        return 503;
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)len;
    do {
        if (r->body_cap == r->body_len && !grow(r, 1)) {
            status = r->too_large ? 413 : 503;
            break;
        }
        z.next_out = (Bytef *)r->body + r->body_len;
        z.avail_out = (uInt)(r->body_cap - r->body_len);
        rc = inflate(&z, Z_NO_FLUSH);
        r->body_len = r->body_cap - z.avail_out;
        if (rc == Z_STREAM_END && z.avail_in) /* another member follows */
            rc = inflateReset(&z);
        else if (rc == Z_BUF_ERROR && z.avail_in == 0)
            rc = Z_DATA_ERROR; /* cut short */
    } while (rc == Z_OK || (rc == Z_BUF_ERROR && z.avail_out == 0));
    if (!status && rc != Z_STREAM_END)
        status = rc == Z_MEM_ERROR ? 503 : 400;
    inflateEnd(&z);
    return status;
}

/* The engine gets the inflated body, without the fields that described it as it came. */
static void drop_coding_fields(struct request *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_headers; i++)
        if (r->headers[i].value != r->fields.content_encoding &&
            r->headers[i].value != r->fields.content_length)
            r->headers[n++] = r->headers[i];
    r->n_headers = n;
}

static int decode(struct request *r, const char **ret_reason, const char **ret_text)
{
    const char *coding = r->fields.content_encoding;
    if (strcasecmp(coding, "identity") == 0 || r->body_len == 0)
        return 0;
    if (strcasecmp(coding, "gzip") && strcasecmp(coding, "x-gzip") &&
        strcasecmp(coding, "deflate")) {
        *ret_reason = "unsupportedMediaType";
        *ret_text = "The only Content-Encodings served are gzip and deflate.";
        return 415;
    }
    char *packed = r->body;
    size_t packed_len = r->body_len, packed_counted = r->body_counted;
    r->body = NULL;
    r->body_len = r->body_cap = r->body_counted = r->body_expected = 0;
    int status = inflate_body(r, packed, packed_len);
    free(packed);
    if (packed_counted)
        atomic_fetch_sub(&http_conn(r)->server->bodies, packed_counted);
    if (status == 400) {
        *ret_reason = "badRequest";
        *ret_text = "The request's body is not what its Content-Encoding says.";
    }
    if (!status)
        drop_coding_fields(r);
    return status;
}

int body_end(struct request *r, const char **ret_reason, const char **ret_text)
{
    int status = 0;
    if (!r->too_large && !r->no_room && r->fields.content_encoding)
        status = decode(r, ret_reason, ret_text);
    if (r->too_large) {
        *ret_reason = "tooLarge";
        *ret_text = TOO_LARGE;
        status = 413;
    } else if (r->no_room || status == 503) {
        *ret_reason = "unavailable";
        *ret_text = "The server holds too many large requests at the moment.";
        status = 503;
    }
    if (status)
        body_done(r);
    else if (r->body)
        r->body[r->body_len] = 0;
    return status;
}
