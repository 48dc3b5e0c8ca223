/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of a request: checked more strictly than libmicrohttpd does, so that there is one
 * reading of it.
 *
 * libmicrohttpd (0.9.75) takes a bare LF for the end of a line, cuts lines at a NUL, takes a line
 * that begins with one for the end of the head, joins folded lines only in part, reads the first of
 * several lengths, and takes the whitespace behind a value for a part of it. It works within one
 * buffer, so all of the first four show as gaps: method, target, version, and each name and value
 * must be one behind the other with nothing but the separators between them.
 */
#include "server/host.h"
#include "server/internal.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LINE_END 2 /* CR and LF; a bare LF, which libmicrohttpd takes, is not one */

struct reading {
    struct request *r;
    const char *at; /* end of what was read so far */
    int status;     /* 0 or why to refuse */
    const char *reason, *text;
    int hosts, lengths, codings;
};

static int refuse(struct reading *rd, int status, const char *reason, const char *text)
{
    if (!rd->status) {
        rd->status = status;
        rd->reason = reason;
        rd->text = text;
    }
    return status;
}

static int malformed(struct reading *rd)
{
    return refuse(rd, 400, "badRequest", "The request's head is malformed.");
}

/* RFC 9110: tchar. */
static bool is_token(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')
            continue;
        if (!c || !strchr("!#$%&'*+.^_`|~", c))
            return false;
    }
    return n > 0;
}

static bool is_field_value(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

static bool is_target(const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c <= ' ' || c == 0x7f || c == '#')
            return false;
    }
    return true;
}

/* Two of these can't be distinguished from an attack. */
static void once(struct reading *rd, const char **field, const char *value)
{
    if (*field)
        refuse(rd, 400, "badRequest", "A header field that may come once is repeated.");
    *field = value;
}

static void note(struct reading *rd, const char *name, size_t len, const char *value)
{
    struct fields *f = &rd->r->fields;
#define IS(text) (len == sizeof(text) - 1 && strncasecmp(name, text, len) == 0)
    switch (name[0] | 0x20) {
    case 'h':
        if (IS("Host"))
            once(rd, &f->host, value);
        break;
    case 'c':
        if (IS("Content-Length"))
            once(rd, &f->content_length, value);
        else if (IS("Content-Encoding"))
            once(rd, &f->content_encoding, value);
        else if (IS("Connection"))
            f->connection = value;
        break;
    case 'u':
        if (IS("Upgrade"))
            f->upgrade = value;
        break;
    case 's':
        if (IS("Sec-WebSocket-Key"))
            once(rd, &f->ws_key, value);
        else if (IS("Sec-WebSocket-Version"))
            once(rd, &f->ws_version, value);
        else if (IS("Sec-Fetch-Dest"))
            once(rd, &f->fetch_dest, value);
        break;
    case 't':
        if (IS("Transfer-Encoding"))
            once(rd, &f->transfer_encoding, value);
        break;
    case 'o':
        if (IS("Origin"))
            once(rd, &f->origin, value);
        break;
    case 'e':
        if (IS("Expect"))
            f->expect = value;
        break;
    case 'a':
        if (IS("Authorization"))
            once(rd, &f->authorization, value);
        else if (IS("Accept-Encoding"))
            f->accept_encoding = value;
        else if (IS("Accept"))
            f->accept = value;
        else if (IS("Access-Control-Request-Method"))
            f->cors_method = value;
        else if (IS("Access-Control-Request-Headers"))
            f->cors_headers = value;
        break;
    case 'x':
        if (IS("X-Forwarded-Proto"))
            f->forwarded_proto = value;
        else if (IS("X-Forwarded-Host"))
            f->forwarded_host = value;
        break;
    }
#undef IS
}

static enum MHD_Result read_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                  size_t name_len, const char *value, size_t value_len)
{
    struct reading *rd = cls;
    struct request *r = rd->r;
    const char *start = name + name_len + 1;
    if (!value || name != rd->at + LINE_END || !is_token(name, name_len) ||
        !is_field_value(value, value_len)) {
        malformed(rd);
        return MHD_NO;
    }
    while (*start == ' ' || *start == '\t')
        start++;
    if (start != value) {
        malformed(rd);
        return MHD_NO;
    }
    rd->at = value + value_len;
    if (value_len && (value[value_len - 1] == ' ' || value[value_len - 1] == '\t')) {
        if (name_len == 17 && strncasecmp(name, "Transfer-Encoding", 17) == 0) {
            malformed(rd); /* not chunked for libmicrohttpd */
            return MHD_NO;
        }
        while (value_len && (value[value_len - 1] == ' ' || value[value_len - 1] == '\t'))
            value_len--;
        value = arena_memdup(&r->arena, value, value_len);
    }
    if (r->n_headers == MAX_HEADERS) {
        refuse(rd, 431, "tooManyHeaders", "The request has too many header fields.");
        return MHD_NO;
    }
    if (r->n_headers == INLINE_HEADERS) {
        r->headers = arena_alloc(&r->arena, MAX_HEADERS * sizeof *r->headers);
        memcpy(r->headers, r->headers_inline, sizeof r->headers_inline);
    }
    r->headers[r->n_headers++] = (struct sosia_header){name, value};
    note(rd, name, name_len, value);
    return MHD_YES;
}

/* Every byte of the head must be accounted for; see the top. */
static int read_fields(struct reading *rd, const char *method, const char *version)
{
    struct request *r = rd->r;
    size_t method_len = strlen(method);
    if (r->wire_target != method + method_len + 1 || !is_token(method, method_len))
        return malformed(rd);
    /* the target itself has been decoded in place since, but not moved */
    if (version != r->wire_target + strlen(r->target) + 1)
        return malformed(rd);
    rd->at = version + strlen(version);
    MHD_get_connection_values_n(r->mhd, MHD_HEADER_KIND, read_field, rd);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (!rd->status && method + info->header_size != rd->at + 2 * LINE_END)
        return malformed(rd);
    if (strcmp(version, "HTTP/1.1") == 0)
        r->head_size = info->header_size;
    return rd->status;
}

/* "http://host/path" becomes "/path" with this host (RFC 9112, 3.2.2). */
static int absolute_target(struct reading *rd)
{
    struct request *r = rd->r;
    char *host = r->target + (strncasecmp(r->target, "https", 5) == 0 ? 8 : 7);
    size_t n = strcspn(host, "/?");
    const char *copy = arena_memdup(&r->arena, host, n);
    if (n == 0)
        return malformed(rd);
    r->target = host + n;
    if (r->target[0] != '/') { /* the authority's last byte makes room */
        r->target--;
        r->target[0] = '/';
    }
    for (size_t i = 0; i < r->n_headers; i++)
        if (r->headers[i].value == r->fields.host)
            r->headers[i].value = copy;
    r->fields.host = copy;
    return 0;
}

static int check_target(struct reading *rd)
{
    struct request *r = rd->r;
    if (!is_target(r->target))
        return refuse(rd, 400, "badRequest", "The request's target is malformed.");
    if (strncasecmp(r->target, "http://", 7) == 0 || strncasecmp(r->target, "https://", 8) == 0)
        return absolute_target(rd);
    if (r->target[0] == '/' || strcmp(r->method, "CONNECT") == 0 ||
        (strcmp(r->target, "*") == 0 && strcmp(r->method, "OPTIONS") == 0))
        return 0;
    return refuse(rd, 400, "badRequest", "The request's target is malformed.");
}

/* Request smuggling needs two readings of where a request ends: whatever allows a second one is
 * refused. Between chunks libmicrohttpd takes bare LFs, and does not show what is there: so
 * nothing that follows a chunked body is served. */
static int check_lengths(struct reading *rd, const char *version)
{
    const struct fields *f = &rd->r->fields;
    if (!f->transfer_encoding)
        return 0;
    if (f->content_length)
        return refuse(rd, 400, "badRequest",
                      "A request has a Content-Length or a Transfer-Encoding, not both.");
    if (strcasecmp(f->transfer_encoding, "chunked") != 0)
        return refuse(rd, 501, "notImplemented", "The only Transfer-Encoding served is chunked.");
    if (strcmp(version, "HTTP/1.0") == 0)
        return refuse(rd, 400, "badRequest", "HTTP/1.0 has no Transfer-Encoding.");
    rd->r->last = true;
    return 0;
}

/* A page on the web may make a browser resolve the page's own host name to this machine: the Host
 * field then shows it. */
static int check_host(struct reading *rd, const char *version, struct host *ret_host)
{
    const struct server *s = http_conn(rd->r)->server;
    const char *text = rd->r->fields.host;
    const bool inside = http_is_inside(http_conn(rd->r));
    if (!text || !*text) {
        if (!text && !inside && strcmp(version, "HTTP/1.0") == 0)
            return 0;
        return refuse(rd, 400, "badRequest", "The request has no Host.");
    }
    if (host_parse(text, strlen(text), ret_host) < 0)
        return refuse(rd, 400, "badRequest", "The request's Host is malformed.");
    if (inside && !inside_has(s, ret_host->name))
        return refuse(rd, 421, "misdirectedRequest",
                      "From inside of a sandbox the services' own hosts answer, and no other one.");
    if (inside)
        return inside_takes(s, text, rd->r->target)
                   ? 0
                   : refuse(rd, 404, "notFound",
                            "From inside of a sandbox there are no tools and no programs.");
    if (host_is_loopback(ret_host))
        return 0;
    for (const char *const *p = s->vendor_hosts; p && *p; p++)
        if (host_matches(*p, ret_host->name))
            return 0;
    for (char **p = s->hosts; *p; p++)
        if (host_matches(*p, ret_host->name))
            return 0;
    rd->r->web = s->web_path != NULL;
    if (rd->r->web || s->any_host)
        return 0;
    return refuse(rd, 421, "misdirectedRequest",
                  "This server does not answer for that host name (sosia serve --host).");
}

/* The first of a list, as intermediaries write it. */
static size_t first_item(const char *list)
{
    size_t n = strcspn(list, ",");
    while (n && (list[n - 1] == ' ' || list[n - 1] == '\t'))
        n--;
    return n;
}

static void set_base_url(struct request *r, const struct host *host)
{
    const struct conn *c = http_conn(r);
    const struct fields *f = &r->fields;
    struct host forwarded;
    bool https = c->tls;
    char *at = r->base_url;
    if (f->forwarded_proto) {
        size_t n = first_item(f->forwarded_proto);
        if (n == 5 && strncasecmp(f->forwarded_proto, "https", 5) == 0)
            https = true;
        else if (n == 4 && strncasecmp(f->forwarded_proto, "http", 4) == 0)
            https = false;
    }
    if (f->forwarded_host &&
        host_parse(f->forwarded_host, first_item(f->forwarded_host), &forwarded) == 0)
        host = &forwarded;
    if (!host->name[0]) {
        strcpy(at, c->tls ? c->server->https_url : c->server->url);
        return;
    }
    at = stpcpy(at, https ? "https://" : "http://");
    if (host->ipv6)
        *at++ = '[';
    at = stpcpy(at, host->name);
    if (host->ipv6)
        *at++ = ']';
    if (host->port >= 0) {
        char digits[6];
        int n = 0, port = host->port;
        do {
            digits[n++] = (char)('0' + port % 10);
            port /= 10;
        } while (port);
        *at++ = ':';
        while (n)
            *at++ = digits[--n];
    }
    *at = 0;
}

/* A request for a host of the web: it goes to that path, in the name of the world's person. What it
 * says of credentials, hosts and worlds is for the host that it means. The server's own ports are
 * how it got here, and say nothing of the page. */
static void take_to_web(struct request *r, const struct host *host)
{
    const struct server *s = http_conn(r)->server;
    size_t n = 0;
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcasecmp(r->headers[i].name, "Authorization") != 0 &&
            strncasecmp(r->headers[i].name, "X-Sosia-", 8) != 0)
            r->headers[n++] = r->headers[i];
    if (n == MAX_HEADERS)
        n--;
    if (n == INLINE_HEADERS && r->headers == r->headers_inline) {
        r->headers = arena_alloc(&r->arena, MAX_HEADERS * sizeof *r->headers);
        memcpy(r->headers, r->headers_inline, sizeof r->headers_inline);
    }
    r->headers[n++] = (struct sosia_header){"Authorization", s->web_credential};
    r->n_headers = n;
    r->fields.authorization = s->web_credential;
    char port[16] = "";
    const bool own = host->port == server_port(s) || host->port == server_https_port(s);
    if (host->port >= 0 && host->port != 80 && host->port != 443 && !own)
        snprintf(port, sizeof port, ":%d", host->port);
    r->target = (char *)(uintptr_t)arena_printf(&r->arena, "%s/%s%s%s", s->web_path, host->name,
                                                port, *r->target == '/' ? r->target : "/");
}

/* libmicrohttpd (0.9.75) reads what it does not know in part as 1.0, in part as 1.1. */
static int check_version(struct reading *rd, const char *version)
{
    if (strcmp(version, "HTTP/1.1") == 0 || strcmp(version, "HTTP/1.0") == 0)
        return 0;
    return refuse(rd, 505, "httpVersionNotSupported",
                  "The versions of HTTP that are served are 1.1 and 1.0.");
}

int request_head(struct request *r, const char *method, const char *version,
                 const char **ret_reason, const char **ret_text)
{
    struct reading rd = {.r = r};
    struct host host = {.port = -1};
    r->method = method;
    if (read_fields(&rd, method, version) || check_version(&rd, version) ||
        check_lengths(&rd, version) || check_target(&rd) || check_host(&rd, version, &host)) {
        *ret_reason = rd.reason;
        *ret_text = rd.text;
        return rd.status;
    }
    if (r->web)
        take_to_web(r, &host);
    if (arena_failed(&r->arena)) {
        *ret_reason = "unavailable";
        *ret_text = "There is no memory for this request.";
        return 503;
    }
    set_base_url(r, &host);
    if (strcmp(method, "HEAD") == 0) {
        r->head = true;
        r->method = "GET";
    }
    return 0;
}
