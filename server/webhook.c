/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outgoing requests: to this machine, or to hosts that the operator allows, and to nothing else.
 *
 * libcurl's multi interface on the loop thread. What server_webhook() takes is copied and queued
 * under a lock; from then on it belongs to the loop thread. A host that passes for this machine by
 * its name must also be this machine by the address that is connected to; redirects are followed
 * where a request says so, each as a request that is checked like the first, and no proxy is used.
 */
#include "engine/base/utf8.h"
#include "server/host.h"
#include "server/internal.h"
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_WAITING 10000
#define MAX_ANSWER  (64u << 10)
#define MAX_BODY    (16u << 20)
#define MAX_AT_ONCE 64
#define CONNECT_MS  5000
#define DEFAULT_MS  10000
#define MAX_FIELDS  64
#define MAX_HEAD    (16u << 10) /* bytes of a response's header fields that are kept */

struct hook {
    struct hook *prev, *next;
    CURL *easy;
    CURLU *url;
    struct curl_slist *headers;
    bool loopback_only;
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
    char **hosts;
    char *ca_file;
    pthread_mutex_t lock; /* queued, n, closed */
    struct hook *queued, *queued_last;
    size_t n; /* queued and under way */
    bool closed;
    struct hook *active;
    _Atomic uint64_t n_sent, n_failed;
};

/* ---- who may be called ---- */

static bool entry_matches(const char *entry, const struct host *host, int port)
{
    const char *colon = strrchr(entry, ':');
    char name[HOST_MAX + 3];
    size_t n = colon ? (size_t)(colon - entry) : strlen(entry);
    if (n >= sizeof name)
        return false;
    memcpy(name, entry, n);
    name[n] = 0;
    if (!host_matches(name, host->name))
        return false;
    return !colon ||
           (strspn(colon + 1, "0123456789") == strlen(colon + 1) && atoi(colon + 1) == port);
}

/* 0 with ret_loopback, or -1. */
static int check_url(const struct webhooks *w, CURLU *url, bool *ret_loopback,
                     struct sosia_err *err)
{
    char *scheme = NULL, *name = NULL, *port = NULL;
    struct host host;
    int result = -1;
    if (curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_HOST, &name, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK ||
        (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0) ||
        host_parse(name, strlen(name), &host) < 0) {
        sosia_fail(err, SOSIA_E_INVALID, "badUrl", "url",
                   "a webhook's URL must be http or https with a host, is not");
        goto done;
    }
    *ret_loopback = host_is_loopback(&host);
    result = *ret_loopback ? 0 : -1;
    for (char **p = w->hosts; result < 0 && *p; p++)
        if (entry_matches(*p, &host, atoi(port)))
            result = 0;
    if (result < 0)
        sosia_fail(err, SOSIA_E_FORBIDDEN, "hostNotAllowed", "url",
                   "the operator does not allow requests to %.100s", host.name);
done:
    curl_free(scheme);
    curl_free(name);
    curl_free(port);
    return result;
}

static curl_socket_t open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
    const struct hook *h = arg;
    bool loopback = false;
    if (a->family == AF_INET)
        loopback = ntohl(((struct sockaddr_in *)&a->addr)->sin_addr.s_addr) >> 24 == 127;
    else if (a->family == AF_INET6)
        loopback = IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6 *)&a->addr)->sin6_addr);
    if (h->loopback_only && !loopback)
        return CURL_SOCKET_BAD;
    return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* ---- one request ---- */

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
    return n; /* the rest is read and forgotten */
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
                          "a webhook's body must have at most %lld bytes, has %zu",
                          (long long)MAX_BODY, r->body_len);
    if (r->method && !is_word(r->method))
        return sosia_fail(err, SOSIA_E_INVALID, "badMethod", "method",
                          "must be an HTTP method, is \"%.40s\"", r->method);
    struct hook *h = calloc(1, sizeof *h);
    if (!h)
        return sosia_fail_memory(err);
    buf_init(&h->answer, MAX_ANSWER);
    buf_init(&h->head, MAX_HEAD);
    h->redirects = r->redirects ? r->redirects : -1;
    h->done = r->done;
    h->arg = r->arg;
    h->easy = curl_easy_init();
    h->url = curl_url();
    int rc = h->easy && h->url ? 0 : sosia_fail_memory(err);
    if (rc == 0 && curl_url_set(h->url, CURLUPART_URL, r->url, 0) != CURLUE_OK)
        rc = sosia_fail(err, SOSIA_E_INVALID, "badUrl", "url",
                        "a webhook's URL must be http or https with a host, is \"%.100s\"", r->url);
    if (rc == 0)
        rc = check_url(w, h->url, &h->loopback_only, err);
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
    bool closed = w->closed, full = w->n >= MAX_WAITING;
    if (!closed && !full) {
        if (w->queued_last)
            w->queued_last->next = h;
        else
            w->queued = h;
        w->queued_last = h;
        w->n++;
        loop_wake(s);
    }
    pthread_mutex_unlock(&w->lock);
    if (!closed && !full)
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

static void unlink_hook(struct webhooks *w, struct hook *h)
{
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
        check_url(w, h->url, &h->loopback_only, &err) < 0 ||
        curl_easy_setopt(h->easy, CURLOPT_CURLU, h->url) != CURLE_OK)
        return -1;
    h->redirects--;
    buf_clear(&h->answer);
    buf_clear(&h->head);
    return curl_multi_add_handle(w->multi, h->easy) == CURLM_OK ? 1 : -1;
}

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
        const char *error = rc == CURLE_OK ? NULL : h->error[0] ? h->error : curl_easy_strerror(rc);
        const char *reason = reason_of(rc);
        int followed = error ? 0 : follow(w, h, &error);
        if (followed > 0)
            continue;
        unlink_hook(w, h);
        finish(w, h, error, followed < 0 ? "redirects" : reason);
    }
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

void webhooks_wake(struct webhooks *w)
{
    for (struct hook *h = take_queued(w, false), *next; h; h = next) {
        next = h->next;
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

void webhooks_close(struct webhooks *w)
{
    for (struct hook *h = take_queued(w, true), *next; h; h = next) {
        next = h->next;
        finish(w, h, "the server is stopping", NULL);
    }
    while (w->active) {
        struct hook *h = w->active;
        curl_multi_remove_handle(w->multi, h->easy);
        unlink_hook(w, h);
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
    if (!(w->hosts = host_list_copy(o->webhook_hosts)) ||
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
    host_list_free(w->hosts);
    free(w->ca_file);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void webhooks_count(struct webhooks *w, struct server_metrics *m)
{
    m->webhooks = atomic_load(&w->n_sent) + atomic_load(&w->n_failed);
    m->webhook_failures = atomic_load(&w->n_failed);
}
