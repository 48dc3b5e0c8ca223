/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request bodies: collected under a limit for each, which is its method's, and a budget for all
 * that is in memory; beyond a bound they go on in a spool. Inflated under the same limits. Answers
 * share the budget.
 *
 * A body that is too large is read on and thrown away for as much again, so that a client that
 * sends before it reads gets its 413; beyond that the connection is closed.
 */
#include "engine/base/spool.h"
#include "server/internal.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#define SMALL    (64u << 10) /* bodies up to this don't count against the budget */
#define NOT_READ (1u << 20)  /* nor are longer ones read when the request is refused anyhow */

static const char TOO_LARGE[] = "The request's body is larger than this server takes.";

/* Beyond its limit a body is read on and thrown away for so many bytes. */
static size_t thrown_away(const struct request *r)
{
    const size_t most = (size_t)64 << 20;
    return r->body_max < most ? r->body_max : most;
}

static size_t limit_of(const struct request *r)
{
    const struct server *s = http_conn((struct request *)(uintptr_t)r)->server;
    if (!s->backend.body_max || control_takes(r))
        return s->max_body;
    const struct sosia_request head = http_request_of(r);
    int64_t max =
        s->backend.body_max(http_backend(http_conn((struct request *)(uintptr_t)r)), &head);
    return max > (int64_t)s->max_body ? (size_t)max : s->max_body;
}

/* Before anything is kept for it: a client that may not send it is refused by its head. */
static bool is_refused(struct request *r)
{
    const struct server *s = http_conn(r)->server;
    const struct sosia_request head = http_request_of(r);
    if (control_takes(r))
        return control_refused(r);
    return s->backend.head_refused && s->backend.head_refused(http_backend(http_conn(r)), &head);
}

bool body_is_long(const struct request *r)
{
    const char *length = r->fields.content_length;
    return r->fields.expect || (length && strtoull(length, NULL, 10) > NOT_READ);
}

int body_begin(struct request *r, const char **ret_reason, const char **ret_text)
{
    const char *length = r->fields.content_length;
    uint64_t n = length ? strtoull(length, NULL, 10) : 0; /* libmicrohttpd has checked it */
    bool large = n > SMALL || r->fields.transfer_encoding;
    r->body_max = large ? limit_of(r) : http_conn(r)->server->max_body;
    r->body_expected = n < r->body_max ? (size_t)n : 0;
    r->too_large = n > r->body_max;
    r->spool_status = 0;
    r->refused = large && is_refused(r);
    if (r->refused)
        return 0;
    if (r->too_large && (n > (uint64_t)r->body_max + thrown_away(r) || r->fields.expect)) {
        *ret_reason = "tooLarge";
        *ret_text = TOO_LARGE;
        return 413;
    }
    return 0;
}

/* Lets go of what is in memory. */
static void drop_memory(struct request *r)
{
    free(r->body);
    r->body = NULL;
    if (r->body_counted)
        atomic_fetch_sub(&http_conn(r)->server->bodies, r->body_counted);
    r->body_cap = r->body_counted = 0;
}

void body_done(struct request *r)
{
    drop_memory(r);
    sosia_spool_free(r->spool);
    r->spool = NULL;
    r->view = NULL;
    r->body_len = 0;
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
    size_t max = r->body_max;
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

static bool spool_put(struct request *r, const void *data, size_t size)
{
    struct sosia_err err;
    if (spool_write(r->spool, data, size, &err) == 0)
        return true;
    r->spool_status = sosia_code_status(err.code);
    return false;
}

static bool open_spool(struct request *r)
{
    const struct server *s = http_conn(r)->server;
    struct sosia_err err;
    if (s->backend.spool_open(http_backend(http_conn(r)), (int64_t)r->body_max, &r->spool, &err) <
        0) {
        r->spool_status = sosia_code_status(err.code);
        return false;
    }
    return !r->body_len || spool_put(r, r->body, r->body_len);
}

/* The body goes on in a spool, with what is in memory. One alone may have more than the budget. */
static bool start_spool(struct request *r)
{
    struct server *s = http_conn(r)->server;
    size_t before = atomic_fetch_add(&s->bodies, SPOOL_ROOM);
    r->no_room = before > r->body_counted && before + SPOOL_ROOM > s->max_bodies;
    if (r->no_room || !open_spool(r)) {
        atomic_fetch_sub(&s->bodies, SPOOL_ROOM);
        return false;
    }
    drop_memory(r);
    r->body_counted = SPOOL_ROOM;
    return true;
}

/* More of the body. False: it is refused, and the request says why. */
static bool put(struct request *r, const void *data, size_t size)
{
    const struct server *s = http_conn(r)->server;
    if (size > r->body_max - r->body_len) {
        r->too_large = true;
        return false;
    }
    size_t len = r->body_len + size, expected = r->body_expected;
    if (!r->spool && s->backend.spool_open && (len > expected ? len : expected) > s->spool_over &&
        !start_spool(r))
        return false;
    if (r->spool) {
        if (!spool_put(r, data, size))
            return false;
    } else {
        if (size > r->body_cap - r->body_len && !grow(r, size))
            return false;
        if (size)
            memcpy(r->body + r->body_len, data, size);
    }
    r->body_len += size;
    return true;
}

int body_add(struct request *r, const char *data, size_t size)
{
    size_t before = r->body_seen;
    r->body_seen += size;
    if (r->body_seen > (uint64_t)r->body_max + thrown_away(r))
        return -1;
    if (r->refused || r->too_large || r->no_room || r->spool_status)
        return 0;
    if (!put(r, data, size))
        body_done(r);
    else if (r->spool && before >> 20 != r->body_seen >> 20) /* each MiB has its own deadline */
        http_phase(http_conn(r), PHASE_RECEIVE);
    return 0;
}

/* No more of the body comes. False: as spool_put(). */
static bool close_spool(struct request *r, struct sosia_spool *spool)
{
    struct sosia_err err;
    if (spool_end(spool, &err) == 0)
        return true;
    r->spool_status = sosia_code_status(err.code);
    return false;
}

/* Inflates gzip or zlib data to the request's body. 0 or a status. */
static int inflate_body(struct request *r, const char *data, size_t len)
{
    enum { PART = 1 << 16, AT_ONCE = 1 << 30 };
    z_stream z = {0};
    int rc = Z_OK, status = 0;
    Bytef *part = malloc(PART);
    if (!part || inflateInit2(&z, 15 + 32) != Z_OK) {
        free(part);
        return 503;
    }
    z.next_in = (Bytef *)(uintptr_t)data;
    do {
        if (!z.avail_in) {
            z.avail_in = len < AT_ONCE ? (uInt)len : AT_ONCE;
            len -= z.avail_in;
        }
        z.next_out = part;
        z.avail_out = PART;
        rc = inflate(&z, Z_NO_FLUSH);
        if (!put(r, part, PART - z.avail_out)) {
            status = r->too_large ? 413 : r->spool_status ? r->spool_status : 503;
            break;
        }
        bool more = z.avail_in || len;
        if (rc == Z_STREAM_END && more) /* another member follows */
            rc = inflateReset(&z);
        else if (rc == Z_BUF_ERROR && !more)
            rc = Z_DATA_ERROR; /* cut short */
    } while (rc == Z_OK || (rc == Z_BUF_ERROR && z.avail_out == 0));
    if (!status && rc != Z_STREAM_END)
        status = rc == Z_MEM_ERROR ? 503 : 400;
    inflateEnd(&z);
    free(part);
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
    const char *data = packed;
    struct sosia_spool *spool = r->spool;
    size_t packed_len = r->body_len, packed_counted = r->body_counted;
    if (spool && (!close_spool(r, spool) || spool_view(spool, &data, NULL) < 0))
        return 503;
    r->body = NULL;
    r->spool = NULL;
    r->body_len = r->body_cap = r->body_counted = r->body_expected = 0;
    int status = inflate_body(r, data, packed_len);
    free(packed);
    spool_free(spool);
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

/* Control requests have their bodies in one piece. */
static int end_spool(struct request *r)
{
    if (!close_spool(r, r->spool))
        return -1;
    return control_takes(r) ? spool_view(r->spool, &r->view, NULL) : 0;
}

int body_end(struct request *r, const char **ret_reason, const char **ret_text)
{
    int status = 0;
    if (r->refused)
        return 0;
    if (!r->too_large && !r->no_room && !r->spool_status && r->fields.content_encoding)
        status = decode(r, ret_reason, ret_text);
    if (r->too_large) {
        *ret_reason = "tooLarge";
        *ret_text = TOO_LARGE;
        status = 413;
    } else if (r->spool_status || (r->spool && !status && end_spool(r) < 0)) {
        status = r->spool_status ? r->spool_status : 500;
        *ret_reason = status == 507 ? "spoolFull" : "spool";
        *ret_text = status == 507 ? "The disk has no room for the request's body."
                                  : "The request's body can't be kept on the disk.";
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
