/* SPDX-License-Identifier: Apache-2.0 */
#include "server/receiver.h"
#include "engine/base/err.h"
#include "server/host.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is allowed where the operator says nothing: whatever the developer runs beside it. */
static const char *const usual[] = {"localhost:*", NULL};

struct receivers {
    char **hosts;
    size_t n_denied;
    int denied[]; /* ports of this machine */
};

/* ---- patterns ---- */

/* The port behind a pattern's name: 0: any; -1: it is not well formed. */
static int port_of(const char *pattern, size_t *ret_name)
{
    const char *colon = strchr(pattern, ':');
    *ret_name = colon ? (size_t)(colon - pattern) : strlen(pattern);
    if (!colon || strcmp(colon, ":*") == 0)
        return 0;
    size_t n = strspn(colon + 1, "0123456789");
    int port = n && n <= 5 && !colon[1 + n] ? atoi(colon + 1) : 0;
    return port && port <= 65535 ? port : -1;
}

bool receiver_is_pattern(const char *text)
{
    struct host host;
    size_t n;
    if (port_of(text, &n) < 0)
        return false;
    if (strncmp(text, "*.", 2) == 0) {
        text += 2;
        n -= 2;
    }
    return host_parse(text, n, &host) == 0 && !host.ipv6;
}

/* exact: the pattern is of one name and one port. */
static bool matches(const char *pattern, const struct host *host, int port, bool *ret_exact)
{
    char name[HOST_MAX + 3];
    size_t n;
    int wanted = port_of(pattern, &n);
    if (n >= sizeof name || (wanted && wanted != port))
        return false;
    memcpy(name, pattern, n);
    name[n] = 0;
    *ret_exact = wanted && name[0] != '*';
    return host_matches(name, host->name) ||
           (strcmp(name, "localhost") == 0 && host_is_loopback(host));
}

static bool is_allowed(const struct receivers *r, const struct host *host, int port,
                       bool *ret_exact)
{
    bool allowed = false, exact;
    *ret_exact = false;
    for (char **p = r->hosts; *p; p++) {
        if (!matches(*p, host, port, &exact))
            continue;
        allowed = true;
        *ret_exact |= exact;
    }
    return allowed;
}

/* ---- addresses ---- */

static bool is_denied(const struct receivers *r, int port)
{
    for (size_t i = 0; i < r->n_denied; i++)
        if (r->denied[i] == port)
            return true;
    return false;
}

/* Of IPv4, in the host's order, however it is written: true. */
static bool ipv4_of(const struct sockaddr *address, uint32_t *ret)
{
    const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
    uint32_t a;
    if (address->sa_family == AF_INET)
        a = ((const struct sockaddr_in *)address)->sin_addr.s_addr;
    else if (IN6_IS_ADDR_V4MAPPED(six))
        memcpy(&a, &six->s6_addr[12], sizeof a);
    else
        return false;
    *ret = ntohl(a);
    return true;
}

/* Loopback, or the address of nobody, which leads there too. */
static bool is_loopback(const struct sockaddr *address)
{
    const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
    uint32_t a;
    if (ipv4_of(address, &a))
        return a >> 24 == 127 || a >> 24 == 0;
    return IN6_IS_ADDR_LOOPBACK(six) || IN6_IS_ADDR_UNSPECIFIED(six);
}

static int port_at(const struct sockaddr *address)
{
    return ntohs(address->sa_family == AF_INET ? ((const struct sockaddr_in *)address)->sin_port
                                               : ((const struct sockaddr_in6 *)address)->sin6_port);
}

/* An address of this machine: that is what can be bound to. */
static bool is_here(const struct sockaddr *address, socklen_t len)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } a;
    if (len > sizeof a)
        return true;
    memcpy(&a, address, len);
    if (a.any.sa_family == AF_INET)
        a.four.sin_port = 0;
    else
        a.six.sin6_port = 0;
    int fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool here = fd < 0 || bind(fd, &a.any, len) == 0;
    if (fd >= 0)
        close(fd);
    return here;
}

bool receivers_may_connect(const struct receivers *r, const struct receiver *to,
                           const struct sockaddr *address, socklen_t len)
{
    if (address->sa_family != AF_INET && address->sa_family != AF_INET6)
        return false;
    bool loopback = is_loopback(address);
    if (to->loopback ? !loopback : loopback && !to->here)
        return false;
    return !is_denied(r, port_at(address)) || !(loopback || is_here(address, len));
}

/* ---- URLs ---- */

int receivers_check(const struct receivers *r, CURLU *url, struct receiver *ret,
                    struct sosia_err *err)
{
    static const struct host localhost = {.name = "localhost", .port = -1};
    char *scheme = NULL, *name = NULL, *digits = NULL;
    struct host host;
    bool exact, also;
    int rc = -1;
    if (curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_HOST, &name, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_PORT, &digits, CURLU_DEFAULT_PORT) != CURLUE_OK ||
        (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0) ||
        host_parse(name, strlen(name), &host) < 0) {
        sosia_fail(err, SOSIA_E_INVALID, "badUrl", "url",
                   "a webhook's URL must be http(s)://HOST...");
        goto done;
    }
    int port = atoi(digits);
    ret->loopback = host_is_loopback(&host);
    rc = is_allowed(r, &host, port, &exact) && !(ret->loopback && is_denied(r, port)) ? 0 : -1;
    ret->here = exact || is_allowed(r, &localhost, port, &also);
    if (rc < 0)
        sosia_fail(err, SOSIA_E_FORBIDDEN, "hostNotAllowed", "url",
                   "the operator does not allow requests to %.100s, port %d", host.name, port);
done:
    curl_free(scheme);
    curl_free(name);
    curl_free(digits);
    return rc;
}

/* ---- life ---- */

struct receivers *receivers_new(const struct server_options *o, const int own[2])
{
    size_t n = 0;
    while (o->webhook_denied && o->webhook_denied[n])
        n++;
    struct receivers *r = calloc(1, sizeof *r + (n + 2) * sizeof *r->denied);
    if (!r)
        return NULL;
    for (size_t i = 0; i < n; i++)
        r->denied[r->n_denied++] = o->webhook_denied[i];
    for (size_t i = 0; i < 2; i++)
        if (own[i] > 0)
            r->denied[r->n_denied++] = own[i];
    if (!(r->hosts = host_list_copy(o->webhook_hosts ? o->webhook_hosts : usual))) {
        free(r);
        return NULL;
    }
    return r;
}

void receivers_free(struct receivers *r)
{
    if (!r)
        return;
    host_list_free(r->hosts);
    free(r);
}
