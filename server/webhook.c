/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outgoing requests: to receivers that the operator allows (receiver.h), and to nothing else.
 *
 * libcurl's multi interface on the loop thread. What server_webhook() takes is copied and queued
 * under a lock; from then on it belongs to the loop thread. Redirects are followed where a request
 * says so, each as a request that is checked like the first, and no proxy is used. A transfer ends
 * with as much of an answer as is kept, however much more there is.
 *
 * Connections are shared out by world: each has a lane with a bound of its own, and those that wait
 * take turns. So one whose receivers do not answer keeps nobody waiting but itself.
 */
#include "engine/base/map.h"
#include "engine/base/utf8.h"
#include "server/internal.h"
#include "server/receiver.h"
#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_WAITING 20000
#define MAX_OF_LANE 5000 /* of them: more of one world are refused */
#define MAX_ANSWER  (64u << 10)
#define MAX_RECEIVED                                                                               \
    (1u << 20) /* bytes of an answer, with all that is in front of, between and behind the pieces  \
                  of its body */
#define MAX_BODY    (16u << 20)
#define MAX_AT_ONCE 128
#define LANE_WIDTH  8 /* of them: at once for one world */
#define CONNECT_MS  5000
#define DEFAULT_MS  10000
#define MAX_FIELDS  64
#define MAX_HEAD    (16u << 10) /* bytes of a response's header fields that are kept */

struct webhooks;

/* The requests of one world. */
struct lane {
    uint64_t world;
    size_t n; /* queued, waiting and under way; under the lock */
    /* of the loop thread */
    struct lane *next; /* among those whose turn comes */
    bool ready;        /* it is among them */
    size_t n_active;
    struct hook *first, *last; /* that wait */
};

struct hook {
    struct hook *prev, *next;
    struct webhooks *webhooks;
    struct lane *lane;
    CURL *easy;
    CURLU *url;
    struct curl_slist *headers;
    struct receiver to;
    bool refused;    /* the address that its name leads to is not allowed */
    bool over;       /* all that is kept of the answer has come */
    size_t received; /* bytes, of what kind ever */
    struct buf answer;
    struct buf head; /* name NUL value NUL, of each field */
    int redirects;
    char error[CURL_ERROR_SIZE];
    void (*done)(void *arg, const struct webhook_result *result);
    void *arg;
};

/* A socket of libcurl's that the loop watches. */
struct watch {
    uv_poll_t poll;
    curl_socket_t fd;
    struct webhooks *webhooks;
};

struct webhooks {
    struct server *server;
    CURLM *multi;
    uv_timer_t timer;
    struct receivers *receivers;
    char *ca_file;
    pthread_mutex_t lock; /* queued, n, closed, lanes */
    struct hook *queued, *queued_last;
    size_t n; /* queued, waiting and under way */
    bool closed;
    struct map lanes; /* by world */
    struct hook *active;
    size_t n_active;
    struct lane *ready, *ready_last; /* those with requests that wait and fewer than LANE_WIDTH */
    _Atomic uint64_t n_sent, n_failed;
};

/* ---- one request ---- */

static curl_socket_t open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
    struct hook *h = arg;
    h->refused = !receivers_may_connect(h->webhooks->receivers, &h->to, &a->addr, a->addrlen);
    return h->refused ? CURL_SOCKET_BAD
                      : socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static void hook_free(struct hook *h)
{
    if (!h)
        return;
    if (h->easy)
        curl_easy_cleanup(h->easy);
    curl_slist_free_all(h->headers);
    curl_url_cleanup(h->url);
    buf_done(&h->answer);
    buf_done(&h->head);
    free(h);
}

static size_t on_answer(char *data, size_t size, size_t n, void *arg)
{
    struct hook *h = arg;
    size_t room = MAX_ANSWER - h->answer.len, take = n < room ? n : room;
    buf_add(&h->answer, data, take);
    h->over = take < n;
    return take; /* less than there is ends the transfer */
}

/* libcurl counts bodies only, and neither heads nor what is between the pieces of one. */
static int on_bytes(CURL *easy, curl_infotype type, char *data, size_t size, void *arg)
{
    struct hook *h = arg;
    if (type == CURLINFO_HEADER_IN || type == CURLINFO_DATA_IN)
        h->received += size;
    return 0;
}

static int on_progress(void *arg, curl_off_t total, curl_off_t now, curl_off_t sent_total,
                       curl_off_t sent)
{
    const struct hook *h = arg;
    return h->received > MAX_RECEIVED;
}

/* A line of the response's head. */
static size_t on_head(char *data, size_t size, size_t n, void *arg)
{
    struct hook *h = arg;
    const char *colon = memchr(data, ':', n);
    if (n > 5 && memcmp(data, "HTTP/", 5) == 0) {
        buf_clear(&h->head); /* of an interim response */
        return n;            /* its phrase may have a colon */
    }
    if (!colon)
        return n;
    const char *value = colon + 1, *end = data + n;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && strchr(" \t\r\n", end[-1]))
        end--;
    size_t name_len = (size_t)(colon - data), len = (size_t)(end - value);
    if (h->head.len + name_len + len + 2 > MAX_HEAD || memchr(data, 0, n) ||
        !utf8_valid(data, (size_t)(end - data)))
        return n;
    buf_add(&h->head, data, name_len);
    buf_byte(&h->head, 0);
    buf_add(&h->head, value, len);
    buf_byte(&h->head, 0);
    return n;
}

static bool is_line(const char *s)
{
    for (; *s; s++)
        if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7f)
            return false;
    return true;
}

static bool is_word(const char *s)
{
    return *s &&
           s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] == 0;
}

static bool add_line(struct hook *h, const char *name, const char *separator, const char *text)
{
    struct buf b;
    buf_init(&b, 64 << 10);
    buf_puts(&b, name);
    buf_puts(&b, separator);
    buf_puts(&b, text);
    struct curl_slist *list = buf_failed(&b) ? NULL : curl_slist_append(h->headers, buf_str(&b));
    buf_done(&b);
    if (list)
        h->headers = list;
    return list != NULL;
}

static int set_headers(struct hook *h, const struct webhook_request *r, struct sosia_err *err)
{
    bool typed = false, ok = add_line(h, "Expect", ":", "");
    for (size_t i = 0; i < r->n_headers && ok; i++) {
        const char *name = r->headers[i].name, *text = r->headers[i].value;
        if (!is_word(name) || !is_line(text))
            return sosia_fail(err, SOSIA_E_INVALID, "badHeader", "headers",
                              "a webhook's header fields must have names that are tokens and "
                              "values of one line, \"%.80s\" has not",
                              name);
        typed |= strcasecmp(name, "Content-Type") == 0;
        ok = *text ? add_line(h, name, ": ", text) : add_line(h, name, ";", "");
    }
    if (!typed)
        ok = ok && add_line(h, "Content-Type", ":", ""); /* none, rather than libcurl's own */
    return ok ? 0 : sosia_fail_memory(err);
}

static CURLcode set_options(struct webhooks *w, struct hook *h, const struct webhook_request *r)
{
    CURL *e = h->easy;
    CURLcode rc = curl_easy_setopt(e, CURLOPT_CURLU, h->url);
#define SET(option, value)                                                                         \
    do {                                                                                           \
        if (rc == CURLE_OK)                                                                        \
            rc = curl_easy_setopt(e, option, value);                                               \
    } while (0)
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_TIMEOUT_MS, (long)(r->timeout_ms ? r->timeout_ms : DEFAULT_MS));
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, h);
    SET(CURLOPT_HTTPHEADER, h->headers);
    SET(CURLOPT_USERAGENT, "sosia/" SOSIA_VERSION);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_len);
    SET(CURLOPT_COPYPOSTFIELDS, r->body ? r->body : "");
    SET(CURLOPT_CUSTOMREQUEST, r->method ? r->method : "POST");
    SET(CURLOPT_WRITEFUNCTION, on_answer);
    SET(CURLOPT_WRITEDATA, h);
    SET(CURLOPT_HEADERFUNCTION, on_head);
    SET(CURLOPT_HEADERDATA, h);
    SET(CURLOPT_VERBOSE, 1L);
    SET(CURLOPT_DEBUGFUNCTION, on_bytes);
    SET(CURLOPT_DEBUGDATA, h);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, on_progress);
    SET(CURLOPT_PROGRESSDATA, h);
    SET(CURLOPT_PRIVATE, h);
    SET(CURLOPT_ERRORBUFFER, h->error);
    if (w->ca_file)
        SET(CURLOPT_CAINFO, w->ca_file);
#undef SET
    return rc;
}

static int hook_new(struct webhooks *w, const struct webhook_request *r, struct hook **ret_hook,
                    struct sosia_err *err)
{
    if (r->body_len > MAX_BODY)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", "body",
                          "a webhook's body must have at most %lld bytes, not %zu",
                          (long long)MAX_BODY, r->body_len);
    if (r->method && !is_word(r->method))
        return sosia_fail(err, SOSIA_E_INVALID, "badMethod", "method",
                          "must be an HTTP method, not \"%.40s\"", r->method);
    struct hook *h = calloc(1, sizeof *h);
    if (!h)
        return sosia_fail_memory(err);
    buf_init(&h->answer, MAX_ANSWER);
    buf_init(&h->head, MAX_HEAD);
    h->redirects = r->redirects ? r->redirects : -1;
    h->done = r->done;
    h->arg = r->arg;
    h->webhooks = w;
    h->easy = curl_easy_init();
    h->url = curl_url();
    int rc = h->easy && h->url ? 0 : sosia_fail_memory(err);
    if (rc == 0 && curl_url_set(h->url, CURLUPART_URL, r->url, 0) != CURLUE_OK)
        rc = sosia_fail(err, SOSIA_E_INVALID, "badUrl", "url",
                        "a webhook's URL must be http(s)://HOST..., not \"%.100s\"", r->url);
    if (rc == 0)
        rc = receivers_check(w->receivers, h->url, &h->to, err);
    if (rc == 0)
        rc = set_headers(h, r, err);
    if (rc == 0 && set_options(w, h, r) != CURLE_OK)
        rc = sosia_fail_memory(err);
    if (rc < 0)
        hook_free(h);
    else
        *ret_hook = h;
    return rc;
}

/* ---- lanes ---- */

static const char *name_of(uint64_t world, char name[20])
{
    snprintf(name, 20, "%" PRIx64, world);
    return name;
}

/* Under the lock: one more request of a world. NULL: no memory. */
static struct lane *enter_lane(struct webhooks *w, uint64_t world)
{
    char name[20];
    struct lane *l = map_get(&w->lanes, name_of(world, name));
    if (!l && (l = calloc(1, sizeof *l))) {
        l->world = world;
        if (map_set(&w->lanes, name, l) < 0) {
            free(l);
            l = NULL;
        }
    }
    if (l)
        l->n++;
    return l;
}

/* Under the lock: one of them is over. */
static void leave_lane(struct webhooks *w, struct lane *l)
{
    char name[20];
    if (--l->n)
        return;
    map_remove(&w->lanes, name_of(l->world, name));
    free(l);
}

/* Its turn comes, if there is anything to do in it. */
static void lane_ready(struct webhooks *w, struct lane *l)
{
    if (l->ready || !l->first || l->n_active >= LANE_WIDTH)
        return;
    l->ready = true;
    l->next = NULL;
    if (w->ready_last)
        w->ready_last->next = l;
    else
        w->ready = l;
    w->ready_last = l;
}

/* The first request of the lane whose turn it is, which comes again behind the others. */
static struct hook *next_hook(struct webhooks *w)
{
    struct lane *l = w->ready;
    struct hook *h = l->first;
    w->ready = l->next;
    if (!w->ready)
        w->ready_last = NULL;
    l->ready = false;
    l->first = h->next;
    if (!l->first)
        l->last = NULL;
    l->n_active++;
    w->n_active++;
    lane_ready(w, l);
    return h;
}

static void wait_in_lane(struct webhooks *w, struct hook *h)
{
    struct lane *l = h->lane;
    h->next = NULL;
    if (l->last)
        l->last->next = h;
    else
        l->first = h;
    l->last = h;
    lane_ready(w, l);
}

/* ---- taking requests ---- */

static void global_init(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

int server_webhook(struct server *s, const struct webhook_request *request, struct sosia_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, global_init);
    struct webhooks *w = s->webhooks;
    struct hook *h = NULL;
    if (hook_new(w, request, &h, err) < 0)
        return -1;
    pthread_mutex_lock(&w->lock);
    bool closed = w->closed;
    struct lane *l = closed || w->n >= MAX_WAITING ? NULL : enter_lane(w, request->world);
    bool full = !l || l->n > MAX_OF_LANE;
    if (l && full)
        leave_lane(w, l);
    if (!full) {
        h->lane = l;
        if (w->queued_last)
            w->queued_last->next = h;
        else
            w->queued = h;
        w->queued_last = h;
        w->n++;
        loop_wake(s);
    }
    pthread_mutex_unlock(&w->lock);
    if (!full)
        return 0;
    hook_free(h);
    if (closed)
        return sosia_fail(err, SOSIA_E_INTERNAL, "stopping", NULL, "the server is stopping");
    return sosia_fail(err, SOSIA_E_LIMIT, "tooMany", NULL, "too many webhooks are waiting");
}

/* ---- on the loop thread ---- */

/* Why there was no response, in a word. */
static const char *reason_of(CURLcode rc)
{
    switch (rc) {
    case CURLE_OPERATION_TIMEDOUT:
        return "timeout";
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
        return "connect";
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
        return "tls";
    default:
        return NULL;
    }
}

static size_t read_head(const struct hook *h, struct sosia_header *ret)
{
    const char *p = h->head.data, *end = p + h->head.len;
    size_t n = 0;
    while (p < end && n < MAX_FIELDS) {
        ret[n].name = p;
        p += strlen(p) + 1;
        ret[n++].value = p;
        p += strlen(p) + 1;
    }
    return n;
}

static void finish(struct webhooks *w, struct hook *h, const char *error, const char *reason)
{
    struct sosia_header headers[MAX_FIELDS];
    long status = 0;
    if (!error)
        curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
    atomic_fetch_add(error ? &w->n_failed : &w->n_sent, 1);
    pthread_mutex_lock(&w->lock);
    w->n--;
    leave_lane(w, h->lane);
    pthread_mutex_unlock(&w->lock);
    if (h->done) {
        struct webhook_result result = {.status = (int)status,
                                        .error = error,
                                        .body = buf_str(&h->answer),
                                        .body_len = h->answer.len,
                                        .headers = headers,
                                        .n_headers = read_head(h, headers),
                                        .reason = reason};
        h->done(h->arg, &result);
    }
    hook_free(h);
}

/* It is under way no more. */
static void unlink_hook(struct webhooks *w, struct hook *h)
{
    h->lane->n_active--;
    w->n_active--;
    lane_ready(w, h->lane);
    if (h->prev)
        h->prev->next = h->next;
    else
        w->active = h->next;
    if (h->next)
        h->next->prev = h->prev;
}

/* Puts the request on its way to where its response says: 1; 0: it says nothing, or is not to be
 * followed; -1: there may be no request, error says why. */
static int follow(struct webhooks *w, struct hook *h, const char **ret_error)
{
    static const char many[] = "too many redirects", closed[] = "the redirect may not be followed";
    struct sosia_err err;
    char *to = NULL;
    long status = 0;
    curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(h->easy, CURLINFO_REDIRECT_URL, &to);
    if (h->redirects < 0 || status < 301 || status > 308 || !to)
        return 0;
    *ret_error = h->redirects == 0 ? many : closed;
    if (h->redirects == 0 || curl_url_set(h->url, CURLUPART_URL, to, 0) != CURLUE_OK ||
        receivers_check(w->receivers, h->url, &h->to, &err) < 0 ||
        curl_easy_setopt(h->easy, CURLOPT_CURLU, h->url) != CURLE_OK)
        return -1;
    h->redirects--;
    buf_clear(&h->answer);
    buf_clear(&h->head);
    h->over = false;
    h->received = 0;
    return curl_multi_add_handle(w->multi, h->easy) == CURLM_OK ? 1 : -1;
}

/* Why there is no response; NULL: there is one. */
static const char *error_of(const struct hook *h, CURLcode rc)
{
    if (rc == CURLE_OK || (rc == CURLE_WRITE_ERROR && h->over))
        return NULL;
    if (h->refused)
        return "the operator does not allow requests to where the host's name leads";
    if (rc == CURLE_ABORTED_BY_CALLBACK)
        return "the receiver answers without end";
    return h->error[0] ? h->error : curl_easy_strerror(rc);
}

static void start_some(struct webhooks *w);

static void collect(struct webhooks *w)
{
    CURLMsg *m;
    int left;
    while ((m = curl_multi_info_read(w->multi, &left))) {
        struct hook *h;
        if (m->msg != CURLMSG_DONE)
            continue;
        CURLcode rc = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&h);
        curl_multi_remove_handle(w->multi, h->easy);
        const char *error = error_of(h, rc);
        const char *reason = reason_of(rc);
        int followed = error ? 0 : follow(w, h, &error);
        if (followed > 0)
            continue;
        unlink_hook(w, h);
        finish(w, h, error, followed < 0 ? "redirects" : reason);
    }
    start_some(w);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct watch *x = poll->data;
    struct webhooks *w = x->webhooks;
    int running, flags = 0;
    if (status < 0)
        flags = CURL_CSELECT_ERR;
    if (events & UV_READABLE)
        flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        flags |= CURL_CSELECT_OUT;
    curl_multi_socket_action(w->multi, x->fd, flags, &running);
    collect(w);
}

static void on_timer(uv_timer_t *timer)
{
    struct webhooks *w = timer->data;
    int running;
    curl_multi_socket_action(w->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    collect(w);
}

static int want_timer(CURLM *multi, long ms, void *arg)
{
    struct webhooks *w = arg;
    if (ms < 0)
        uv_timer_stop(&w->timer);
    else
        uv_timer_start(&w->timer, on_timer, (uint64_t)ms, 0);
    return 0;
}

static void free_watch(uv_handle_t *handle)
{
    free(handle->data);
}

static int want_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
    struct webhooks *w = arg;
    struct watch *x = socket_arg;
    if (what == CURL_POLL_REMOVE) {
        if (x) {
            uv_poll_stop(&x->poll);
            uv_close((uv_handle_t *)&x->poll, free_watch);
            curl_multi_assign(w->multi, fd, NULL);
        }
        return 0;
    }
    if (!x) {
        x = calloc(1, sizeof *x);
        if (!x || uv_poll_init_socket(&w->server->loop, &x->poll, fd) < 0) {
            free(x);
            return -1;
        }
        x->fd = fd;
        x->webhooks = w;
        x->poll.data = x;
        curl_multi_assign(w->multi, fd, x);
    }
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return uv_poll_start(&x->poll, events, on_poll) == 0 ? 0 : -1;
}

static struct hook *take_queued(struct webhooks *w, bool close)
{
    pthread_mutex_lock(&w->lock);
    struct hook *list = w->queued;
    w->queued = w->queued_last = NULL;
    w->closed |= close;
    pthread_mutex_unlock(&w->lock);
    return list;
}

/* libcurl and the libraries below it take a megabyte and a half, and milliseconds: only for who has
 * webhooks. */
static CURLMcode start(struct webhooks *w)
{
    if (w->multi)
        return CURLM_OK;
    if (!(w->multi = curl_multi_init()))
        return CURLM_OUT_OF_MEMORY;
    curl_multi_setopt(w->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)MAX_AT_ONCE);
    curl_multi_setopt(w->multi, CURLMOPT_SOCKETFUNCTION, want_socket);
    curl_multi_setopt(w->multi, CURLMOPT_SOCKETDATA, w);
    curl_multi_setopt(w->multi, CURLMOPT_TIMERFUNCTION, want_timer);
    curl_multi_setopt(w->multi, CURLMOPT_TIMERDATA, w);
    return CURLM_OK;
}

/* As many as may be under way. */
static void start_some(struct webhooks *w)
{
    while (w->ready && w->n_active < MAX_AT_ONCE) {
        struct hook *h = next_hook(w);
        h->prev = NULL;
        h->next = w->active;
        if (h->next)
            h->next->prev = h;
        w->active = h;
        CURLMcode rc = start(w);
        if (rc == CURLM_OK)
            rc = curl_multi_add_handle(w->multi, h->easy);
        if (rc != CURLM_OK) {
            unlink_hook(w, h);
            finish(w, h, curl_multi_strerror(rc), NULL);
        }
    }
}

void webhooks_wake(struct webhooks *w)
{
    for (struct hook *h = take_queued(w, false), *next; h; h = next) {
        next = h->next;
        wait_in_lane(w, h);
    }
    start_some(w);
}

void webhooks_close(struct webhooks *w)
{
    for (struct hook *h = take_queued(w, true), *next; h; h = next) {
        next = h->next;
        wait_in_lane(w, h);
    }
    while (w->active) {
        struct hook *h = w->active;
        curl_multi_remove_handle(w->multi, h->easy);
        unlink_hook(w, h);
        finish(w, h, "the server is stopping", NULL);
    }
    while (w->ready) { /* every lane with requests that wait, now that none is under way */
        struct hook *h = next_hook(w);
        w->n_active--;
        h->lane->n_active--;
        lane_ready(w, h->lane);
        finish(w, h, "the server is stopping", NULL);
    }
    if (w->multi)
        curl_multi_cleanup(w->multi);
    w->multi = NULL;
    uv_close((uv_handle_t *)&w->timer, NULL);
}

/* ---- life ---- */

int webhooks_init(struct server *s, const struct server_options *o, struct sosia_err *err)
{
    struct webhooks *w = calloc(1, sizeof *w);
    if (!w)
        return sosia_fail_memory(err);
    w->server = s;
    pthread_mutex_init(&w->lock, NULL);
    map_init(&w->lanes);
    const int own[] = {s->plain.port, s->secure.port};
    if (!(w->receivers = receivers_new(o, own)) ||
        (o->webhook_ca && !(w->ca_file = strdup(o->webhook_ca)))) {
        webhooks_free(w);
        return sosia_fail_memory(err);
    }
    uv_timer_init(&s->loop, &w->timer);
    w->timer.data = w;
    s->webhooks = w;
    return 0;
}

bool webhooks_busy(struct webhooks *w)
{
    pthread_mutex_lock(&w->lock);
    bool busy = w->n > 0;
    pthread_mutex_unlock(&w->lock);
    return busy;
}

void webhooks_free(struct webhooks *w)
{
    if (!w)
        return;
    receivers_free(w->receivers);
    map_done(&w->lanes);
    free(w->ca_file);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void webhooks_count(struct webhooks *w, struct server_metrics *m)
{
    m->webhooks = atomic_load(&w->n_sent) + atomic_load(&w->n_failed);
    m->webhook_failures = atomic_load(&w->n_failed);
}
