/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control interface, "/_sosia/v1/": what an operator, a test or the `sosia` command does with
 * worlds from outside. It is given to a server as its control function and works through the public
 * interface of the engine alone. Who may use it is the server's business.
 *
 * Its operations are rows of a dialect as those of vendors are (operations.c, engine/api/route.h):
 * the same router finds them, the same generator writes the OpenAPI document, and the checks of
 * parameters and bodies read them. No engine has the dialect: no token of a world reaches it.
 */
#ifndef SOSIA_SERVER_CONTROL_CONTROL_H
#define SOSIA_SERVER_CONTROL_CONTROL_H

#include "server/server.h"

struct control;
struct dialect;

/* Its operations, for documents: rows of the dialect "sosia.control", whose paths follow
 * "/_sosia/v1". */
extern const struct dialect control_dialect;

/* Zero bytes everywhere but in engine mean the defaults. */
struct control_options {
    struct sosia_engine *engine; /* outlives the control interface */
    /* Gives the snapshot of a fixture, made at the first use: the caller forks it. clock: of the
     * worlds that will be made from it; a fixture's relative times are meant against real time with
     * SOSIA_CLOCK_REAL, else against its own. Unknown name: -1 with NOT_FOUND. Called from several
     * threads. NULL: there are no fixtures. */
    int (*fixture)(void *arg, const char *name, enum sosia_clock_mode clock, uint64_t *ret_snapshot,
                   struct sosia_err *err);
    void *fixture_arg;
    enum sosia_clock_mode clock; /* of new worlds when the request doesn't say */
    const char *runs; /* a directory with a folder for each attempt that loops have kept; NULL: no
                         runs are shown; borrowed */
    const char
        *workflows; /* a directory with evidence of workflows; NULL: none is shown; borrowed */
    const char
        *temp_dir; /* where exports and imports pass through; NULL: $TMPDIR, else /tmp; copied */
};

/* ret_control: to be closed with control_close(). */
int control_open(const struct control_options *options, struct control **ret_control,
                 struct sosia_err *err);
/* Sets the server that it is part of, for the figures of /metrics: after server_start(); NULL
 * before server_stop(). */
void control_set_server(struct control *control, struct server *server);
/* For struct server_options: control = control_serve, control_arg = the struct control. */
server_control_fn control_serve;
/* A link with which a browser gets in, once and within ten minutes: "BASE/#code=CODE". base_url: of
 * the server, without a slash at its end. */
#define CONTROL_CONSOLE_URL_MAX 400
int control_console_url(struct control *control, const char *base_url, bool read_only,
                        char ret_url[CONTROL_CONSOLE_URL_MAX], struct sosia_err *err);
/* After server_stop(). */
void control_close(struct control *control);

#endif
