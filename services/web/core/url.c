/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of pages. */
#include "services/web/core/web.h"
#include <strings.h>

static const char must[] = "must be an address with http or https and the name of a host";

static bool is_host_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* A number as browsers read one in a host: 127, 0x7f, 0177. */
static bool is_number(const char *label, size_t n)
{
    if (n > 1 && label[0] == '0' && label[1] == 'x')
        return strspn(label + 2, "0123456789abcdef") >= n - 2;
    return strspn(label, "0123456789") >= n;
}

/* Names of this machine and of networks that nobody outside of them has. */
static bool is_private(const char *host)
{
    static const char *const ends[] = {"localhost", "local",     "internal", "intranet",
                                       "lan",       "home.arpa", "onion"};
    size_t n = strlen(host);
    for (size_t i = 0; i < SOSIA_LEN(ends); i++) {
        size_t m = strlen(ends[i]);
        if (n >= m && strcmp(host + n - m, ends[i]) == 0 && (n == m || host[n - m - 1] == '.'))
            return true;
    }
    return false;
}

/* In lower case, without a dot at its end; false: it is not a name that a page may have. */
static bool take_host(char *host)
{
    size_t n = strlen(host), label = 0, last = 0;
    if (n > 1 && host[n - 1] == '.')
        host[--n] = 0;
    if (!n || n > 253)
        return false;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && host[i] >= 'A' && host[i] <= 'Z')
            host[i] = (char)(host[i] + 32);
        if (i < n && host[i] != '.') {
            if (!is_host_letter(host[i]))
                return false;
            continue;
        }
        if (i == label || i - label > 63)
            return false;
        last = label;
        label = i + 1;
    }
    return !is_number(host + last, n - last) && !is_private(host);
}

/* The port of a host, cut off: 0 where it is the usual one. -1: it is not a port. */
static int take_port(char *host)
{
    char *colon = strchr(host, ':');
    int port = 0;
    if (!colon)
        return 0;
    for (const char *p = colon + 1; *p; p++) {
        if (*p < '0' || *p > '9' || (port = port * 10 + (*p - '0')) > 65535)
            return -1;
    }
    *colon = 0;
    return port == 80 || port == 443 ? 0 : port;
}

const char *web_url(struct arena *a, const char *text, const char *base, const char **ret_why)
{
    bool https = strncasecmp(text, "https://", 8) == 0;
    *ret_why = must;
    if (strlen(text) > WEB_URL_MAX)
        return NULL;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p <= ' ' || *p == '\\' || *p == 0x7f)
            return NULL;
    if (base && text[0] == '/' && text[1] != '/')
        return arena_printf(a, "%.*s%.*s", (int)strcspn(base, "/"), base, (int)strcspn(text, "#"),
                            text);
    if (base && text[0] == '/')
        text += 2;
    else if (https || strncasecmp(text, "http://", 7) == 0)
        text += https ? 8 : 7;
    else
        return NULL;
    size_t n = strcspn(text, "/?#");
    char *host = arena_memdup(a, text, n);
    const char *path = text + n;
    int port = take_port(host);
    if (port < 0 || !take_host(host))
        return NULL;
    *ret_why = NULL;
    return arena_printf(a, "%s%s%s%.*s", host, port ? arena_printf(a, ":%d", port) : "",
                        *path == '/' ? "" : "/", (int)strcspn(path, "#"), path);
}
