/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts beyond the world that the command of `sosia run` may reach, by name; there are none unless
 * they are given. Two processes pass its connections on:
 *
 *   relay   is outside of the namespaces: resolves the names as the machine does, and connects.
 *           Never to an address of this machine or of a private network, whatever name leads there.
 *   door    is in the command's network: listens on an address of loopback for each host, asks the
 *           server about each connection (web.connect), so that policies may refuse it and the
 *           journal has it, and hands it to the relay.
 *
 * What goes through is not looked at: its TLS is the host's own.
 */
#ifndef SOSIA_CLI_EGRESS_H
#define SOSIA_CLI_EGRESS_H

#include "engine/base/buf.h"
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#define EGRESS_MAX 32

struct egress_host {
    char name[256];
    int port; /* 0: 80 and 443 */
};

struct egress {
    struct egress_host hosts[EGRESS_MAX];
    size_t n;
    int talk; /* with the relay; -1: there is none */
    pid_t relay, door;
};
#define EGRESS_INIT                                                                                \
    {                                                                                              \
        .talk = -1                                                                                 \
    }

/* "NAME" or "NAME:PORT", as an option's value; arg: the egress. -1: a message was printed. */
int egress_add(void *arg, const char *host);
/* Before the namespaces are made, if there are hosts: starts the relay. -1: a message was printed.
 */
int egress_begin(struct egress *e);
/* When the server is there, before the command starts: starts the door. token: in whose name the
 * server is asked. -1: a message was printed. */
int egress_open(struct egress *e, const char *token);
/* Lines for the command's file of hosts (sandbox_go()). */
void egress_lines(const struct egress *e, struct buf *b);
void egress_end(struct egress *e);

/* Is it an address that the relay connects to: not of this machine, of a private network, or of
 * nobody? */
bool egress_is_public(const struct sockaddr *address);

#endif
