/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recording proxy: a client is set up to take it for the service; each request goes on to the
 * target, each answer comes back, and both are put down before the client has the end of the
 * answer.
 *
 * What passes is what came: methods, targets, headers and bodies, whether they are chunked or
 * packed; bodies are not waited for. Where the target names itself (Location, links, upload
 * sessions, discovery documents), the client reads the proxy's address, and the other way round;
 * what is put down has the target's. Nothing but the target is connected to, redirects are the
 * client's to follow, and certificates are verified.
 */
#ifndef SOSIA_CONFORMANCE_PROXY_H
#define SOSIA_CONFORMANCE_PROXY_H

#include "conformance/record/record.h"

struct proxy;

struct proxy_options {
    const char *target;  /* http or https URL: scheme, host, port, and a path that all targets begin
                            with; no slash at the end is needed */
    const char *address; /* to listen on; NULL: loopback */
    int port;            /* 0: a free one */
    const char *ca_file; /* authorities that are trusted instead of the system's; NULL: those */
    size_t max_body;     /* bytes of a body that are put down; 0: 16 MiB */
    struct recording *recording;
    /* An exchange was put down, or (err) could not be. From any thread. NULL: nobody is
     * notified. */
    void (*done)(void *arg, const struct wire *e, const struct sosia_err *err);
    void *arg;
};

/* Reads a target: *ret_origin is its URL without a slash at the end, in the arena. */
int proxy_target(struct arena *a, const char *text, const char **ret_origin, struct sosia_err *err);
int proxy_start(const struct proxy_options *o, struct proxy **ret_proxy, struct sosia_err *err);
/* "http://127.0.0.1:8788", where clients find it. */
const char *proxy_url(const struct proxy *p);
/* Takes no more requests, waits for those under way (until hurry() gives true), and ends. */
void proxy_stop(struct proxy *p, bool (*hurry)(void *arg), void *arg);

#endif
