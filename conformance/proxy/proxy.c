/* SPDX-License-Identifier: Apache-2.0 */
/* The listening side: libmicrohttpd with a thread for each connection. */
#include "conformance/proxy/proxy_impl.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "server/host.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 250,
    CONNECTION_MEMORY = 128 << 10,
    HEADERS_MAX = 200,
    BLOCK = 64 << 10,
    DEFAULT_BODY = 16 << 20,
    STOP_WAIT_MS = 20
};

/* ---- responses of the proxy's own ---- */

static enum MHD_Result refuse(struct MHD_Connection *mhd, int status, const char *text)
{
    struct buf b;
    struct json_writer w;
    size_t len;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_obj(&w, NULL);
    json_obj(&w, "error");
    json_int(&w, "code", status);
    json_str(&w, "reason", "recording");
    json_str(&w, "message", text);
    json_end(&w);
    json_end(&w);
    char *body = buf_take(&b, &len);
    struct MHD_Response *response =
        body ? MHD_create_response_from_buffer_with_free_callback(len, body, free) : NULL;
    if (!response) {
        free(body);
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", "application/json; charset=UTF-8");
    MHD_add_response_header(response, "Connection", "close");
    enum MHD_Result result = MHD_queue_response(mhd, (unsigned)status, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- the request's head ---- */

static bool is_token(const char *s)
{
    static const char allowed[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return *s && !s[strspn(s, allowed)];
}

static bool is_clean(const char *s)
{
    for (; *s; s++)
        if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7f)
            return false;
    return true;
}

static enum MHD_Result take_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    struct relay *r = cls;
    struct wire_message *m = &r->wire.sent;
    if (m->n_headers == HEADERS_MAX || !is_token(name) || !is_clean(value ? value : "")) {
        m->n_headers = HEADERS_MAX + 1;
        return MHD_NO;
    }
    char *text = arena_strdup(&r->arena, value ? value : "");
    utf8_scrub(text);
    m->headers[m->n_headers++] = (struct sosia_header){arena_strdup(&r->arena, name), text};
    return MHD_YES;
}

/* How long the body is, as one reads it here. False: it can be read in two ways. */
static bool read_length(struct relay *r)
{
    const struct wire_message *m = &r->wire.sent;
    const char *length = NULL, *coding = NULL;
    size_t n = 0;
    for (size_t i = 0; i < m->n_headers; i++) {
        if (strcasecmp(m->headers[i].name, "Content-Length") == 0) {
            length = m->headers[i].value;
            n++;
        } else if (strcasecmp(m->headers[i].name, "Transfer-Encoding") == 0) {
            coding = m->headers[i].value;
            n++;
        }
    }
    if (n > 1 || (coding && strcasecmp(coding, "chunked") != 0))
        return false;
    r->sent_length = -2;
    if (coding)
        r->sent_length = -1;
    else if (length && parse_i64(length, strlen(length), &r->sent_length) < 0)
        return false;
    return true;
}

static const char *read_head(struct relay *r, struct MHD_Connection *mhd, const char *method,
                             const char **ret_base)
{
    struct host host;
    r->wire.sent.headers = arena_alloc(&r->arena, (HEADERS_MAX + 2) * sizeof *r->wire.sent.headers);
    MHD_get_connection_values(mhd, MHD_HEADER_KIND, take_field, r);
    r->wire.verb = arena_strdup(&r->arena, method);
    if (r->wire.sent.n_headers > HEADERS_MAX || !is_token(method))
        return "The request's head is malformed.";
    if (r->target[0] != '/')
        return "Give this address as the service's, not as a proxy's.";
    for (const char *p = r->target; *p; p++)
        if (*p <= ' ' || *p >= 0x7f || *p == '#')
            return "The request's target is malformed.";
    if (!read_length(r))
        return "The request's length is given in two ways.";
    const char *name = wire_header(&r->wire.sent, "Host");
    *ret_base = r->proxy->url;
    if (!name)
        return NULL;
    if (host_parse(name, strlen(name), &host) < 0)
        return "The request's Host is malformed.";
    /* a page on the web may make a browser take the page's own name for this machine */
    if (r->proxy->loopback && !host_is_loopback(&host))
        return "This proxy does not answer for that host name.";
    *ret_base = arena_printf(&r->arena, "http://%s", name);
    return NULL;
}

/* ---- the response ---- */

static ssize_t give(void *cls, uint64_t pos, char *to, size_t max)
{
    const char *data;
    ssize_t n = relay_give(cls, max, &data);
    if (n > 0)
        memcpy(to, data, (size_t)n);
    return n > 0    ? n
           : n == 0 ? MHD_CONTENT_READER_END_OF_STREAM
                    : MHD_CONTENT_READER_END_WITH_ERROR;
}

static bool add_headers(struct relay *r, struct MHD_Response *response)
{
    const struct wire_message *m = &r->wire.got;
    static const char *const own[] = {"Connection", "Keep-Alive",        "Proxy-Connection",
                                      "Trailer",    "Transfer-Encoding", "Upgrade",
                                      "TE",         "Content-Length"};
    for (size_t i = 0; i < m->n_headers; i++) {
        bool skip = !m->headers[i].value[0];
        for (size_t k = 0; k < SOSIA_LEN(own); k++)
            skip |= strcasecmp(own[k], m->headers[i].name) == 0;
        if (!skip && MHD_add_response_header(
                         response, m->headers[i].name,
                         swap_text(&r->to_client, &r->arena, m->headers[i].value)) != MHD_YES)
            return false;
    }
    return !atomic_load(&r->proxy->stopping) ||
           MHD_add_response_header(response, "Connection", "close") == MHD_YES;
}

static void nothing_to_free(void *cls)
{
}

static enum MHD_Result answer(struct relay *r, struct MHD_Connection *mhd)
{
    uint64_t size = MHD_SIZE_UNKNOWN;
    char text[512];
    if (r->failed < 0)
        return refuse(mhd, 502, "The answer could not be put down, so it is not given.");
    if (!r->got_head) {
        snprintf(text, sizeof text, "No answer from %.200s: %.200s", r->proxy->origin,
                 r->wire.error ? r->wire.error : "it closed the connection");
        return refuse(mhd, 502, text);
    }
    if (r->wire.error && r->mode == RELAY_WHOLE)
        return MHD_NO; /* it broke off: so does this */
    if (r->mode == RELAY_EMPTY)
        size = r->got_length > 0 && strcmp(r->wire.verb, "HEAD") == 0 ? (uint64_t)r->got_length : 0;
    else if (r->mode == RELAY_WHOLE)
        size = r->queue.len;
    else if (r->mode == RELAY_PLAIN && r->got_length >= 0)
        size = (uint64_t)r->got_length;
    struct MHD_Response *response =
        MHD_create_response_from_callback(size, BLOCK, give, r, nothing_to_free);
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_NO;
    if (add_headers(r, response))
        result = MHD_queue_response(mhd, (unsigned)r->wire.status, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- libmicrohttpd's callbacks ---- */

/* The only place where the target can be seen as it was sent. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct relay *r = relay_new(cls, target);
    /* libmicrohttpd would make a record of each parameter: it need not look at them */
    char *query = strchr(target, '?');
    if (query)
        query[1] = 0;
    return r;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **context)
{
    struct relay *r = *context;
    const char *base, *why;
    if (!r)
        return MHD_NO;
    if (!r->head_read) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        r->head_read = true;
        r->conn = info ? info->socket_context : NULL;
        if (!r->conn || arena_failed(&r->arena))
            return MHD_NO;
        if ((why = read_head(r, mhd, method, &base)))
            return refuse(mhd, 400, why);
        if (atomic_load(&r->proxy->hurry))
            return MHD_NO;
        return relay_begin(r, base) == 0 ? MHD_YES : MHD_NO;
    }
    if (!r->begun) { /* refused: the rest is ignored */
        *size = 0;
        return MHD_YES;
    }
    if (*size) {
        size_t n = *size;
        *size = 0;
        return relay_send(r, data, n) == 0 ? MHD_YES : MHD_NO;
    }
    relay_ask(r);
    return answer(r, mhd);
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **context,
                         enum MHD_RequestTerminationCode code)
{
    relay_free(*context, code == MHD_REQUEST_TERMINATED_COMPLETED_OK
                             ? NULL
                             : "the client went away before the end");
    *context = NULL;
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct client_conn *c = *context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        c = calloc(1, sizeof *c);
        if (c && !(c->multi = curl_multi_init())) {
            free(c);
            c = NULL;
        }
        *context = c;
    } else if (c) {
        curl_multi_cleanup(c->multi);
        free(c);
    }
}

/* ---- life ---- */

int proxy_target(struct arena *a, const char *text, const char **ret_origin, struct sosia_err *err)
{
    CURLU *u = curl_url();
    char *scheme = NULL, *host = NULL, *port = NULL, *path = NULL, *query = NULL, *user = NULL;
    int rc = -1;
    struct host parsed;
    if (!u)
        return sosia_fail_memory(err);
    if (curl_url_set(u, CURLUPART_URL, text, 0) != CURLUE_OK ||
        curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(u, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
        curl_url_get(u, CURLUPART_PATH, &path, 0) != CURLUE_OK ||
        (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0) ||
        host_parse(host, strlen(host), &parsed) < 0 || strlen(text) > 1500)
        sosia_fail(err, SOSIA_E_INVALID, "badUrl", "target",
                   "\"%.100s\" is not an http or https URL of a service", text);
    else if (curl_url_get(u, CURLUPART_QUERY, &query, 0) == CURLUE_OK ||
             curl_url_get(u, CURLUPART_USER, &user, 0) == CURLUE_OK)
        sosia_fail(err, SOSIA_E_INVALID, "badUrl", "target",
                   "a target has neither a query nor a user");
    else
        rc = 0;
    if (rc == 0) {
        curl_url_get(u, CURLUPART_PORT, &port, CURLU_NO_DEFAULT_PORT);
        size_t n = strlen(path);
        while (n && path[n - 1] == '/')
            n--;
        *ret_origin = arena_printf(a, "%s://%s%s%s%.*s", scheme, host, port ? ":" : "",
                                   port ? port : "", (int)n, path);
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_free(path);
    curl_free(query);
    curl_free(user);
    curl_url_cleanup(u);
    return rc;
}

static struct MHD_Daemon *start_daemon(struct proxy *p, int fd)
{
    return MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
            MHD_USE_ITC | MHD_USE_SUPPRESS_DATE_NO_CLOCK,
        0, NULL, NULL, on_request, p, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, p, MHD_OPTION_NOTIFY_COMPLETED, on_completed, p,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, p, MHD_OPTION_END);
}

static int listen_there(struct proxy *p, const struct proxy_options *o, struct sosia_err *err)
{
    const char *name = o->address ? o->address : "127.0.0.1";
    if (listener_is_loopback(o->address, &p->loopback, err) < 0 ||
        listener_open(&p->listener, o->address, o->port, err) < 0)
        return -1;
    snprintf(p->url, sizeof p->url, strchr(name, ':') ? "http://[%s]:%d" : "http://%s:%d", name,
             p->listener.port);
    p->daemons[0] = start_daemon(p, p->listener.fd);
    if (p->daemons[0])
        p->listener.fd = -1; /* it closes it */
    if (p->daemons[0] && p->listener.fd6 >= 0 && (p->daemons[1] = start_daemon(p, p->listener.fd6)))
        p->listener.fd6 = -1;
    return p->daemons[0] ? 0
                         : sosia_fail(err, SOSIA_E_INTERNAL, "server", NULL,
                                      "the proxy's server can't be started");
}

static void proxy_free(struct proxy *p)
{
    listener_close(&p->listener);
    free(p->ca_file);
    free(p);
}

int proxy_start(const struct proxy_options *o, struct proxy **ret_proxy, struct sosia_err *err)
{
    static _Atomic bool initialised;
    struct arena a;
    const char *origin;
    if (!atomic_exchange(&initialised, true))
        curl_global_init(CURL_GLOBAL_DEFAULT);
    struct proxy *p = calloc(1, sizeof *p);
    if (!p)
        return sosia_fail_memory(err);
    p->recording = o->recording;
    p->done = o->done;
    p->arg = o->arg;
    p->max_body = o->max_body ? o->max_body : DEFAULT_BODY;
    p->listener.fd = p->listener.fd6 = -1;
    arena_init(&a, 0);
    int rc = proxy_target(&a, o->target, &origin, err);
    if (rc == 0) {
        const char *path = strchr(strstr(origin, "://") + 3, '/');
        snprintf(p->origin, sizeof p->origin, "%s", origin);
        p->path = path ? p->origin + (path - origin) : "";
        snprintf(p->base, sizeof p->base, "%.*s", (int)(strlen(origin) - strlen(p->path)), origin);
        if (o->ca_file && !(p->ca_file = strdup(o->ca_file)))
            rc = sosia_fail_memory(err);
    }
    arena_done(&a);
    if (rc == 0)
        rc = listen_there(p, o, err);
    if (rc < 0)
        proxy_free(p);
    else
        *ret_proxy = p;
    return rc;
}

const char *proxy_url(const struct proxy *p)
{
    return p->url;
}

void proxy_stop(struct proxy *p, bool (*hurry)(void *arg), void *arg)
{
    const struct timespec pause = {.tv_nsec = STOP_WAIT_MS * 1000000L};
    int fds[SOSIA_LEN(p->daemons)];
    atomic_store(&p->stopping, true);
    /* the sockets may be closed only after the daemons */
    for (size_t i = 0; i < SOSIA_LEN(p->daemons); i++) {
        fds[i] = p->daemons[i] ? MHD_quiesce_daemon(p->daemons[i]) : -1;
        if (fds[i] >= 0)
            shutdown(fds[i], SHUT_RDWR);
    }
    while (atomic_load(&p->busy) > 0 && !(hurry && hurry(arg)))
        nanosleep(&pause, NULL);
    atomic_store(&p->hurry, true);
    for (size_t i = 0; i < SOSIA_LEN(p->daemons); i++)
        if (p->daemons[i])
            MHD_stop_daemon(p->daemons[i]);
    for (size_t i = 0; i < SOSIA_LEN(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    proxy_free(p);
}
