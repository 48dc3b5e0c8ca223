/* SPDX-License-Identifier: Apache-2.0 */
/* Listening sockets. */
#ifndef SOSIA_SERVER_LISTEN_H
#define SOSIA_SERVER_LISTEN_H

#include "engine/base/err.h"
#include <stdbool.h>

struct listener {
    int fd;  /* -1: none */
    int fd6; /* ::1 beside 127.0.0.1, for clients that resolve localhost to it; -1: none */
    int port;
};

/* Listens on an address (NULL: loopback, IPv4 and where possible IPv6) and port (0: a free one). */
int listener_open(struct listener *l, const char *address, int port, struct sosia_err *err);
void listener_close(struct listener *l);
/* Whether only this machine can reach the address (NULL: yes). -1: not an address. */
int listener_is_loopback(const char *address, bool *ret_loopback, struct sosia_err *err);

#endif
