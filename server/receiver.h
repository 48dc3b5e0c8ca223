/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may be called: receivers that the operator allows, by name and port before a connection is
 * made, and by the address that the name leads to when it is. Never the server itself, nor ports of
 * this machine that the operator has denied, whatever name leads there.
 */
#ifndef SOSIA_SERVER_RECEIVER_H
#define SOSIA_SERVER_RECEIVER_H

#include "server/server.h"
#include <curl/curl.h>
#include <sys/socket.h>

struct receivers;

/* What a URL asks for. */
struct receiver {
    bool loopback; /* by its name: its address must be, too */
    bool here;     /* its name may lead to this machine's loopback */
};

/* "NAME", "*.NAME", and behind it nothing, ":PORT" or ":*". */
bool receiver_is_pattern(const char *text);

/* own: ports that the server listens on; below 1: none. NULL: no memory. */
struct receivers *receivers_new(const struct server_options *o, const int own[2]);
void receivers_free(struct receivers *r); /* NULL is fine */

/* 0; -1: badUrl, hostNotAllowed. */
int receivers_check(const struct receivers *r, CURLU *url, struct receiver *ret,
                    struct sosia_err *err);
/* Of one that was allowed: may this address be connected to? */
bool receivers_may_connect(const struct receivers *r, const struct receiver *to,
                           const struct sockaddr *address, socklen_t len);

#endif
