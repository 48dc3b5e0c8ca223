/* SPDX-License-Identifier: Apache-2.0 */
/* Names of hosts in requests: what is well-formed, what is this machine. */
#ifndef SOSIA_SERVER_HOST_H
#define SOSIA_SERVER_HOST_H

#include <stdbool.h>
#include <stddef.h>

#define HOST_MAX 253

struct host {
    char name[HOST_MAX + 1]; /* lower case; an IPv6 address without brackets; no dot at the end */
    bool ipv6;
    int port; /* -1: none */
};

/* Reads "name", "name:port", "[address]:port". -1 when it isn't well-formed. */
int host_parse(const char *text, size_t len, struct host *ret_host);
/* Reads "scheme://host[:port]", as in an Origin field; https, http only. */
int host_parse_origin(const char *origin, bool *ret_https, struct host *ret_host);

/* localhost, anything.localhost, 127.0.0.0/8, ::1. */
bool host_is_loopback(const struct host *host);
/* "name" or "*.name" (which means anything below it, but not the name itself). */
bool host_matches(const char *pattern, const char *name);

/* A copy of a NULL-terminated list (NULL: an empty one); NULL without memory. */
char **host_list_copy(const char *const *list);
void host_list_free(char **list); /* NULL is fine */

#endif
