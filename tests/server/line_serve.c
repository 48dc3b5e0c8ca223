/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine with the service of tests/support/line.h, a server and the control interface, for
 * tests/server/test_sessions.py and a client of WebSockets. Its only world is the default one. The
 * arguments are NAME=VALUE; one JSON line says where it is.
 */
#include "server/ca.h"
#include "server/control/control.h"
#include "tests/server/options.h"
#include "tests/support/line.h"

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
    options_read(argc, argv, &o, NULL, NULL);
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
