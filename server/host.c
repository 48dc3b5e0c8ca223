/* SPDX-License-Identifier: Apache-2.0 */
#include "server/host.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static int parse_port(const char *text, size_t len, int *ret_port)
{
    int port = 0;
    if (len == 0 || len > 5)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        port = port * 10 + (text[i] - '0');
    }
    if (port > 65535)
        return -1;
    *ret_port = port;
    return 0;
}

static int parse_name(const char *text, size_t len, struct host *h)
{
    bool label = false; /* a character of the present label was seen */
    if (len > 1 && text[len - 1] == '.')
        len--;
    if (len == 0 || len > HOST_MAX)
        return -1;
    for (size_t i = 0; i < len; i++) {
        char c = lower(text[i]);
        if (c == '.') {
            if (!label)
                return -1;
            label = false;
        } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_') {
            label = true;
        } else {
            return -1;
        }
        h->name[i] = c;
    }
    h->name[len] = 0;
    return label ? 0 : -1;
}

int host_parse(const char *text, size_t len, struct host *ret_host)
{
    struct host h = {.port = -1};
    const char *colon;
    if (len && text[0] == '[') {
        struct in6_addr a;
        const char *end = memchr(text, ']', len);
        size_t n = end ? (size_t)(end - text) - 1 : 0;
        if (!end || n == 0 || n >= INET6_ADDRSTRLEN)
            return -1;
        memcpy(h.name, text + 1, n);
        if (inet_pton(AF_INET6, h.name, &a) != 1 || !inet_ntop(AF_INET6, &a, h.name, sizeof h.name))
            return -1;
        h.ipv6 = true;
        len -= n + 2;
        if (len && (end[1] != ':' || parse_port(end + 2, len - 1, &h.port) < 0))
            return -1;
    } else {
        colon = memchr(text, ':', len);
        size_t n = colon ? (size_t)(colon - text) : len;
        if (parse_name(text, n, &h) < 0)
            return -1;
        if (colon && parse_port(colon + 1, len - n - 1, &h.port) < 0)
            return -1;
    }
    *ret_host = h;
    return 0;
}

int host_parse_origin(const char *origin, bool *ret_https, struct host *ret_host)
{
    bool https = strncasecmp(origin, "https://", 8) == 0;
    if (!https && strncasecmp(origin, "http://", 7) != 0)
        return -1;
    const char *host = origin + (https ? 8 : 7);
    if (host_parse(host, strlen(host), ret_host) < 0)
        return -1;
    *ret_https = https;
    return 0;
}

bool host_is_loopback(const struct host *host)
{
    struct in_addr a;
    if (host->ipv6)
        return strcmp(host->name, "::1") == 0;
    if (strcmp(host->name, "localhost") == 0 || host_matches("*.localhost", host->name))
        return true;
    return inet_pton(AF_INET, host->name, &a) == 1 && ntohl(a.s_addr) >> 24 == 127;
}

bool host_matches(const char *pattern, const char *name)
{
    if (pattern[0] != '*' || pattern[1] != '.')
        return strcasecmp(pattern, name) == 0;
    size_t n = strlen(name), m = strlen(pattern + 1);
    return n > m && strcasecmp(name + n - m, pattern + 1) == 0;
}

char **host_list_copy(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) {
        if (!(copy[i] = strdup(list[i]))) {
            host_list_free(copy);
            return NULL;
        }
    }
    return copy;
}

void host_list_free(char **list)
{
    for (char **p = list; p && *p; p++)
        free(*p);
    free(list);
}
