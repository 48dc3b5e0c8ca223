/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine with the service of tests/support/line.h, a server and the control interface, for
 * tests/server/test_sessions.py and a client of WebSockets. Its only world is the default one. The
 * arguments are NAME=VALUE; one JSON line says where it is.
 */
#include "server/ca.h"
#include "server/control/control.h"
#include "tests/support/line.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set(struct server_options *o, const char *name, const char *text)
{
    unsigned n = (unsigned)strtoul(text, NULL, 10);
    if (strcmp(name, "threads") == 0)
        o->threads = n;
    else if (strcmp(name, "ping_ms") == 0)
        o->ping_ms = n;
    else if (strcmp(name, "session_queue") == 0)
        o->session_queue = n;
    else if (strcmp(name, "stop_ms") == 0)
        o->stop_ms = n;
    else if (strcmp(name, "max_connections") == 0)
        o->max_connections = n;
    else if (strcmp(name, "https_port") == 0)
        o->https_port = (int)n;
    else if (strcmp(name, "ca_dir") == 0)
        o->ca_dir = text;
    else {
        fprintf(stderr, "unknown option %s\n", name);
        exit(2);
    }
}

static void die(const struct sosia_err *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

int main(int argc, char **argv)
{
    static const struct sosia_service *const services[] = {&line_service, NULL};
    struct server_options o = SERVER_OPTIONS_INIT;
    const struct sosia_world_options world_options = {
        .seed_doc = line_doc, .seed_doc_len = strlen(line_doc), .name = "line"};
    struct control_options co = {0};
    struct sosia_err err = {0};
    struct sosia_engine *engine;
    struct control *control;
    struct server *server;
    uint64_t world;
    for (int i = 1; i < argc; i++) {
        char *eq = strchr(argv[i], '=');
        if (!eq)
            return 2;
        *eq = 0;
        set(&o, argv[i], eq + 1);
    }
    if (engine_open(NULL, services, &engine, &err) < 0 ||
        sosia_world_create(engine, &world_options, &world, &err) < 0)
        die(&err);
    sosia_engine_default_world(engine, world);
    o.engine = co.engine = engine;
    if (control_open(&co, &control, &err) < 0)
        die(&err);
    o.control = control_serve;
    o.control_arg = control;
    if (server_start(&o, &server, &err) < 0)
        die(&err);
    control_set_server(control, server);
    server_catch_signals(server);
    printf("{\"port\":%d,\"https_port\":%d,\"url\":\"%s\",\"key\":\"%s\",\"control_key\":\"%s\"}\n",
           server_port(server), server_https_port(server), server_url(server),
           server_control_key(server), server_control_key(server));
    fflush(stdout);
    server_run_until_signal(server);
    control_close(control);
    sosia_engine_close(engine);
    return 0;
}
