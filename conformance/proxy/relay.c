/* SPDX-License-Identifier: Apache-2.0 */
/* An exchange on its way to the target and back. */
#include "conformance/proxy/proxy_impl.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

enum {
    CONNECT_S = 20,
    WAIT_MS = 250,          /* between looks at the proxy's hurry */
    QUEUE_MAX = 1 << 20,    /* the target waits while the client reads */
    REWIND_MAX = 1 << 20,   /* of a request that may have to be sent again */
    SWAPPED_MAX = 64 << 20, /* longer bodies aren't held back to be swapped */
    HEADERS_MAX = 300
};

static int64_t clock_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ---- life ---- */

struct relay *relay_new(struct proxy *p, const char *target)
{
    struct relay *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    arena_init(&r->arena, (size_t)4 << 30);
    r->proxy = p;
    r->target = arena_strdup(&r->arena, target);
    r->start_us = clock_us(CLOCK_MONOTONIC);
    r->wire.at_us = clock_us(CLOCK_REALTIME);
    r->wire.origin = p->origin;
    r->wire.target = r->target;
    r->got_length = -1;
    buf_init(&r->sent.kept, 0);
    buf_init(&r->got.kept, 0);
    buf_init(&r->upload, (size_t)1 << 31);
    buf_init(&r->queue, (size_t)1 << 31);
    atomic_fetch_add(&p->busy, 1);
    return r;
}

static void detach(struct relay *r)
{
    if (r->added)
        curl_multi_remove_handle(r->conn->multi, r->easy);
    r->added = false;
    if (r->easy)
        curl_easy_cleanup(r->easy);
    r->easy = NULL;
}

/* ---- putting it down ---- */

static void keep(struct relay *r, struct relay_body *b, const char *data, size_t len)
{
    size_t room = b->kept.len < r->proxy->max_body ? r->proxy->max_body - b->kept.len : 0;
    buf_add(&b->kept, data, len < room ? len : room);
    b->size += len;
}

/* Drops a header that is not true any more of the body as it is recorded. */
static void drop_header(struct wire_message *m, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_headers; i++)
        if (strcasecmp(m->headers[i].name, name) != 0)
            m->headers[n++] = m->headers[i];
    m->n_headers = n;
}

static void take_body(struct relay *r, struct wire_message *m, struct relay_body *b)
{
    const char *coding = wire_header(m, "Content-Encoding");
    struct buf plain;
    if (!b->size)
        return;
    m->body = (struct wire_body){.data = buf_str(&b->kept),
                                 .len = b->kept.len,
                                 .size = b->size,
                                 .cut = b->kept.len < b->size};
    if (!coding || strcasecmp(coding, "identity") == 0)
        return;
    buf_init(&plain, 0);
    if (!m->body.cut && unpack(b->kept.data, b->kept.len, r->proxy->max_body, &plain)) {
        m->body.data = arena_memdup(&r->arena, plain.data ? plain.data : "", plain.len);
        m->body.len = m->body.size = plain.len;
        drop_header(m, "Content-Encoding");
        drop_header(m, "Content-Length");
    } else {
        /* too long, broken, or in a coding that was not accepted: what is in it can't be
         * redacted */
        m->body.data = "";
        m->body.len = 0;
        m->body.cut = true;
    }
    buf_done(&plain);
}

/* The exchange as it is put down; the client's own is left as it came. */
static struct wire_message copy_message(struct relay *r, const struct wire_message *m)
{
    struct wire_message copy = *m;
    if (m->n_headers)
        copy.headers =
            (void *)arena_memdup(&r->arena, m->headers, m->n_headers * sizeof *m->headers);
    return copy;
}

/* Puts the exchange down, once. */
static void put_down(struct relay *r)
{
    struct sosia_err err = {0};
    struct proxy *p = r->proxy;
    if (r->written || !r->begun)
        return;
    r->written = true;
    if (r->code != CURLE_OK && !r->wire.error)
        r->wire.error =
            arena_strdup(&r->arena, r->error[0] ? r->error : curl_easy_strerror(r->code));
    struct wire e = r->wire;
    e.took_us = clock_us(CLOCK_MONOTONIC) - r->start_us;
    e.sent = copy_message(r, &r->wire.sent);
    e.got = copy_message(r, &r->wire.got);
    take_body(r, &e.sent, &r->sent);
    take_body(r, &e.got, &r->got);
    r->failed = arena_failed(&r->arena) ? sosia_fail_memory(&err)
                                        : recording_add(p->recording, &r->arena, &e, &err);
    if (p->done)
        p->done(p->arg, &e, r->failed < 0 ? &err : NULL);
}

void relay_free(struct relay *r, const char *why)
{
    if (!r)
        return;
    if (!r->wire.error)
        r->wire.error = why;
    put_down(r);
    detach(r);
    curl_slist_free_all(r->headers);
    if (r->stream_open)
        swap_stream_done(&r->stream);
    buf_done(&r->sent.kept);
    buf_done(&r->got.kept);
    buf_done(&r->upload);
    buf_done(&r->queue);
    atomic_fetch_sub(&r->proxy->busy, 1);
    arena_done(&r->arena);
    free(r);
}

/* ---- headers ---- */

/* Headers of a connection and not of its messages; those that libcurl and libmicrohttpd write
 * themselves. */
static bool is_of_connection(const char *name)
{
    static const char *const names[] = {"Connection",
                                        "Keep-Alive",
                                        "Proxy-Connection",
                                        "Proxy-Authenticate",
                                        "Proxy-Authorization",
                                        "TE",
                                        "Trailer",
                                        "Transfer-Encoding",
                                        "Upgrade",
                                        "Content-Length",
                                        "Host",
                                        "Expect"};
    return str_in_nocase(name, names, SOSIA_LEN(names));
}

/* Of the codings that the client takes those that can be read here. NULL: none. */
static const char *codings(struct arena *a, const char *list)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = list; *p;) {
        p += strspn(p, ", \t");
        size_t n = strcspn(p, ","), name = strcspn(p, ",; \t");
        if ((name == 4 && strncasecmp(p, "gzip", 4) == 0) ||
            (name == 8 && strncasecmp(p, "identity", 8) == 0))
            buf_printf(&b, "%s%.*s", b.len ? ", " : "", (int)n, p);
        p += n;
    }
    const char *out = b.len ? arena_strdup(a, buf_str(&b)) : NULL;
    buf_done(&b);
    return out;
}

static int add_line(struct relay *r, const char *line)
{
    struct curl_slist *list = curl_slist_append(r->headers, line);
    if (!list)
        return -1;
    r->headers = list;
    return 0;
}

/* The request's headers, as list for libcurl; the exchange keeps the same. */
static int request_headers(struct relay *r)
{
    static const char *const unasked[] = {"Accept", "User-Agent", "Content-Type"};
    struct wire_message *m = &r->wire.sent;
    struct arena *a = &r->arena;
    size_t n = 0;
    if (add_line(r, "Expect:") < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(unasked); i++)
        if (!wire_header(m, unasked[i]) && add_line(r, arena_printf(a, "%s:", unasked[i])) < 0)
            return -1;
    for (size_t i = 0; i < m->n_headers; i++) {
        struct sosia_header h = m->headers[i];
        if (is_of_connection(h.name))
            continue;
        h.value = strcasecmp(h.name, "Accept-Encoding") == 0 ? codings(a, h.value)
                                                             : swap_text(&r->to_target, a, h.value);
        if (!h.value)
            continue;
        if (add_line(r, arena_printf(a, *h.value ? "%s: %s" : "%s;%s", h.name, h.value)) < 0)
            return -1;
        m->headers[n++] = h;
    }
    m->n_headers = n;
    return r->sent_length == 0 ? add_line(r, "Content-Length: 0") : 0;
}

/* Types with addresses in them; not what people store. */
static bool is_swappable(const struct wire_message *m)
{
    static const char *const types[] = {
        "application/json",     "text/html",
        "text/javascript",      "application/javascript",
        "application/xml",      "text/xml",
        "multipart/mixed",      "application/http",
        "application/atom+xml", "application/x-www-form-urlencoded"};
    const char *disposition = wire_header(m, "Content-Disposition");
    if (disposition && strncasecmp(disposition, "attachment", 10) == 0)
        return false;
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (wire_is_type(m, types[i]))
            return true;
    return wire_header(m, "Content-Type") && wire_is_json(m);
}

static bool is_packed(const struct wire_message *m, bool *ret_known)
{
    const char *coding = wire_header(m, "Content-Encoding");
    bool gzip = coding && (strcasecmp(coding, "gzip") == 0 || strcasecmp(coding, "x-gzip") == 0);
    *ret_known = gzip || !coding || strcasecmp(coding, "identity") == 0;
    return gzip;
}

/* ---- libcurl's side ---- */

static size_t on_read(char *to, size_t size, size_t n, void *arg)
{
    struct relay *r = arg;
    size_t left = r->upload.len - r->upload_at, take = left < size * n ? left : size * n;
    if (!left && !r->upload_whole) {
        r->upload_paused = true;
        return CURL_READFUNC_PAUSE;
    }
    memcpy(to, r->upload.data + r->upload_at, take);
    r->upload_at += take;
    return take;
}

/* A connection that the target had closed: the request is sent again from its start. */
static int on_seek(void *arg, curl_off_t offset, int origin)
{
    struct relay *r = arg;
    if (origin != SEEK_SET || offset < 0 || r->upload_gone || (size_t)offset > r->upload.len)
        return CURL_SEEKFUNC_CANTSEEK;
    r->upload_at = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

static void choose_mode(struct relay *r)
{
    const struct wire_message *m = &r->wire.got;
    bool known, packed = is_packed(m, &known);
    if (strcmp(r->wire.verb, "HEAD") == 0 || r->wire.status == 204 || r->wire.status == 304)
        r->mode = RELAY_EMPTY;
    else if (!is_swappable(m) || !known || r->wire.status == 206)
        r->mode = RELAY_PLAIN;
    else if (r->got_length >= 0 && r->got_length <= SWAPPED_MAX)
        r->mode = RELAY_WHOLE;
    else
        r->mode = RELAY_STREAM;
    if (r->mode == RELAY_STREAM) {
        if (swap_stream_init(&r->stream, &r->to_client, packed) < 0)
            r->mode = RELAY_PLAIN;
        else
            r->stream_open = true;
    }
}

static void end_head(struct relay *r)
{
    long status = 0;
    curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || r->got_head)
        return; /* 100 Continue and the like; trailers */
    r->wire.status = (int)status;
    r->got_head = true;
    choose_mode(r);
}

static size_t on_header(char *line, size_t size, size_t n, void *arg)
{
    struct relay *r = arg;
    struct wire_message *m = &r->wire.got;
    size_t len = size * n;
    while (len && (line[len - 1] == '\r' || line[len - 1] == '\n'))
        len--;
    if (!len) {
        end_head(r);
        return size * n;
    }
    if (r->got_head) /* trailers, whatever they look like */
        return size * n;
    if (len > 5 && memcmp(line, "HTTP/", 5) == 0) {
        m->n_headers = 0;
        r->got_length = -1;
        return size * n;
    }
    const char *colon = memchr(line, ':', len);
    if (!colon || m->n_headers == HEADERS_MAX)
        return size * n;
    if (!m->headers)
        m->headers = arena_alloc(&r->arena, HEADERS_MAX * sizeof *m->headers);
    const char *value = colon + 1, *end = line + len;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    char *text = arena_memdup(&r->arena, value, (size_t)(end - value));
    char *name = arena_memdup(&r->arena, line, (size_t)(colon - line));
    utf8_scrub(text);
    utf8_scrub(name);
    if (arena_failed(&r->arena))
        return 0;
    if (strcasecmp(name, "Content-Length") == 0)
        r->got_length = strtoll(text, NULL, 10);
    m->headers[m->n_headers++] = (struct sosia_header){name, text};
    return size * n;
}

static size_t on_write(char *data, size_t size, size_t n, void *arg)
{
    struct relay *r = arg;
    bool streams = r->mode == RELAY_PLAIN || r->mode == RELAY_STREAM;
    if (streams && r->upload_whole && r->queue.len - r->queue_at > QUEUE_MAX) {
        r->answer_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    keep(r, &r->got, data, size * n);
    if (r->mode == RELAY_STREAM)
        swap_stream_feed(&r->stream, data, size * n, false, &r->queue);
    else if (r->mode != RELAY_EMPTY)
        buf_add(&r->queue, data, size * n);
    return buf_failed(&r->queue) || buf_failed(&r->got.kept) ? 0 : size * n;
}

static CURLcode set_options(struct relay *r, bool uploads)
{
    CURL *e = r->easy;
    struct arena *a = &r->arena;
    CURLcode rc = CURLE_OK;
#define SET(option, value)                                                                         \
    do {                                                                                           \
        if (rc == CURLE_OK)                                                                        \
            rc = curl_easy_setopt(e, option, value);                                               \
    } while (0)
    SET(CURLOPT_URL, r->proxy->base);
    SET(CURLOPT_REQUEST_TARGET, arena_printf(a, "%s%s", r->proxy->path, r->wire.target));
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    SET(CURLOPT_HTTPHEADER, r->headers);
    SET(CURLOPT_ERRORBUFFER, r->error);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, r);
    SET(CURLOPT_WRITEFUNCTION, on_write);
    SET(CURLOPT_WRITEDATA, r);
    SET(CURLOPT_PRIVATE, r);
    if (r->proxy->ca_file)
        SET(CURLOPT_CAINFO, r->proxy->ca_file);
    if (uploads) {
        int64_t length =
            r->collects && r->sent_length >= 0 ? (int64_t)r->upload.len : r->sent_length;
        SET(CURLOPT_UPLOAD, 1L);
        SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)length);
        SET(CURLOPT_READFUNCTION, on_read);
        SET(CURLOPT_READDATA, r);
        SET(CURLOPT_SEEKFUNCTION, on_seek);
        SET(CURLOPT_SEEKDATA, r);
    } else if (strcmp(r->wire.verb, "HEAD") == 0) {
        SET(CURLOPT_NOBODY, 1L);
    }
    SET(CURLOPT_CUSTOMREQUEST, r->wire.verb);
#undef SET
    return rc;
}

static void fail(struct relay *r, CURLcode code)
{
    r->done = true;
    r->code = code;
}

static void connect_target(struct relay *r)
{
    bool uploads = r->sent_length == -1 || r->sent_length > 0;
    r->easy = curl_easy_init();
    CURLcode rc = r->easy ? set_options(r, uploads) : CURLE_OUT_OF_MEMORY;
    if (rc == CURLE_OK &&
        (arena_failed(&r->arena) || curl_multi_add_handle(r->conn->multi, r->easy) != CURLM_OK))
        rc = CURLE_OUT_OF_MEMORY;
    else if (rc == CURLE_OK)
        r->added = true;
    if (rc != CURLE_OK)
        fail(r, rc);
}

/* ---- driving it ---- */

static void collect(struct relay *r)
{
    CURLMsg *m;
    int left;
    while ((m = curl_multi_info_read(r->conn->multi, &left)))
        if (m->msg == CURLMSG_DONE && m->easy_handle == r->easy)
            fail(r, m->data.result);
}

/* Bytes go and come, as far as they can at once. False: the exchange is over, one way or the other.
 */
static bool drive(struct relay *r)
{
    int running;
    if (r->done)
        return false;
    if (atomic_load(&r->proxy->hurry)) {
        snprintf(r->error, sizeof r->error, "the recording was ended");
        fail(r, CURLE_ABORTED_BY_CALLBACK);
        return false;
    }
    curl_multi_perform(r->conn->multi, &running);
    collect(r);
    return !r->done;
}

/* Until more can go or come. */
static void pause_for_more(struct relay *r)
{
    int n;
    curl_multi_poll(r->conn->multi, NULL, 0, WAIT_MS, &n);
}

static void go_on(struct relay *r)
{
    if (r->easy && r->added && !r->done && (r->upload_paused || r->answer_paused)) {
        r->upload_paused = r->answer_paused = false;
        curl_easy_pause(r->easy, CURLPAUSE_CONT);
    }
}

/* ---- the request ---- */

int relay_begin(struct relay *r, const char *base)
{
    struct proxy *p = r->proxy;
    swap_init(&r->to_target, &r->arena, base, p->origin);
    swap_init(&r->to_client, &r->arena, p->origin, base);
    bool known;
    r->collects = r->sent_length != 0 && r->sent_length != -2 && r->sent_length <= SWAPPED_MAX &&
                  is_swappable(&r->wire.sent) && !is_packed(&r->wire.sent, &known) && known;
    r->wire.target = swap_text(&r->to_target, &r->arena, r->target);
    r->wire.n = recording_number(p->recording);
    r->begun = true;
    if (request_headers(r) < 0 || arena_failed(&r->arena))
        return -1;
    if (!r->collects)
        connect_target(r);
    return 0;
}

/* What libcurl has taken is let go, once it is too much to send it again. */
static void trim_upload(struct relay *r)
{
    if (r->upload_at < REWIND_MAX)
        return;
    memmove(r->upload.data, r->upload.data + r->upload_at, r->upload.len - r->upload_at);
    r->upload.len -= r->upload_at;
    r->upload_gone += r->upload_at;
    r->upload_at = 0;
}

int relay_send(struct relay *r, const char *data, size_t len)
{
    if (r->collects) {
        if (r->upload.len + len <= SWAPPED_MAX) {
            buf_add(&r->upload, data, len);
            return buf_failed(&r->upload) ? -1 : 0;
        }
        r->collects = false; /* chunked, and too long to be collected */
        keep(r, &r->sent, r->upload.data ? r->upload.data : "", r->upload.len);
        connect_target(r);
    }
    keep(r, &r->sent, data, len);
    if (r->done)
        return 0; /* the target's response is complete; the rest is read and dropped */
    buf_add(&r->upload, data, len);
    if (buf_failed(&r->upload) || buf_failed(&r->sent.kept))
        return -1;
    go_on(r);
    /* nothing drives it while the client is waited for, so all of it is sent now */
    while (drive(r) && r->upload_at < r->upload.len)
        pause_for_more(r);
    trim_upload(r);
    return 0;
}

static void swap_upload(struct relay *r)
{
    struct swap_stream s;
    struct buf out;
    buf_init(&out, (size_t)1 << 31);
    if (swap_stream_init(&s, &r->to_target, false) == 0 &&
        swap_stream_feed(&s, r->upload.data ? r->upload.data : "", r->upload.len, true, &out) ==
            0) {
        buf_done(&r->upload);
        r->upload = out;
    } else {
        buf_done(&out);
    }
    swap_stream_done(&s);
    keep(r, &r->sent, r->upload.data ? r->upload.data : "", r->upload.len);
    connect_target(r);
}

/* ---- the response ---- */

static void swap_whole(struct relay *r)
{
    struct swap_stream s;
    struct buf out;
    bool known;
    buf_init(&out, (size_t)1 << 31);
    if (swap_stream_init(&s, &r->to_client, is_packed(&r->wire.got, &known)) == 0 &&
        swap_stream_feed(&s, r->queue.data ? r->queue.data : "", r->queue.len, true, &out) == 0 &&
        s.changed && !buf_failed(&out)) {
        buf_done(&r->queue);
        r->queue = out;
    } else {
        buf_done(&out); /* nothing to swap: the same bytes */
    }
    swap_stream_done(&s);
}

/* The transfer is over: what is held back comes out, and the exchange is put down. */
static void complete(struct relay *r)
{
    if (r->written)
        return;
    if (r->mode == RELAY_STREAM && r->stream_open && r->code == CURLE_OK &&
        swap_stream_feed(&r->stream, "", 0, true, &r->queue) < 0)
        r->wire.error = "its compression is broken";
    if (r->mode == RELAY_WHOLE && r->code == CURLE_OK)
        swap_whole(r);
    put_down(r);
}

void relay_ask(struct relay *r)
{
    if (r->collects)
        swap_upload(r);
    r->upload_whole = true;
    go_on(r);
    while (drive(r) && (!r->got_head || r->mode == RELAY_WHOLE || r->mode == RELAY_EMPTY))
        pause_for_more(r);
    if (r->done)
        complete(r);
}

ssize_t relay_give(struct relay *r, size_t max, const char **ret_data)
{
    for (;;) {
        if (r->done)
            complete(r);
        if (r->failed < 0)
            return -1;
        size_t ready = r->queue.len - r->queue_at;
        /* the end is not passed on before the exchange is recorded */
        if (!r->done && ready)
            ready--;
        if (ready) {
            if (ready > max)
                ready = max;
            *ret_data = r->queue.data + r->queue_at;
            r->queue_at += ready;
            return (ssize_t)ready;
        }
        if (r->done)
            return r->wire.error ? -1 : 0;
        if (r->queue_at && r->queue_at + 1 >= r->queue.len) {
            memmove(r->queue.data, r->queue.data + r->queue_at, r->queue.len - r->queue_at);
            r->queue.len -= r->queue_at;
            r->queue_at = 0;
        }
        go_on(r);
        if (drive(r) && r->queue.len - r->queue_at <= 1)
            pause_for_more(r);
    }
}
