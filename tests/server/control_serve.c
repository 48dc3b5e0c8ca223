/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine, a server and the control interface, for test_control*.py. Its worlds have people and
 * one small service, "/notes". The arguments are NAME=VALUE; one JSON line says where it is.
 */
#include "engine/service.h"
#include "engine/base/codec.h"
#include "engine/http/call.h"
#include "engine/send/delivery.h"
#include "identity/identity.h"
#include "mcp/mcp.h"
#include "server/control/control.h"
#include "tests/server/options.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the service ---- */

static int add(struct call *c)
{
    json_obj(c->out, NULL);
    json_str(c->out, "by", c->actor.email);
    json_end(c->out);
    return outbox_add(&c->tx, "mail", c->actor.email, "eve@other.example",
                      "{\"subject\":\"a note\"}");
}

static int whoami(struct call *c)
{
    json_obj(c->out, NULL);
    json_str(c->out, "email", c->actor.email);
    json_end(c->out);
    return 0;
}

static const int32_t waits[] = {60, 0};

static enum delivery_verdict judge(const struct sosia_outcome *outcome)
{
    return outcome->status == 200 ? DELIVERY_GOOD : DELIVERY_AGAIN;
}

static const struct delivery_kind hook = {.name = "notes.hook", .waits_s = waits, .judge = judge};
static const struct delivery_kind *const kinds[] = {&hook, NULL};
static const struct sosia_core notes_core = {.name = "notes", .deliveries = kinds};

static int push(struct call *c)
{
    json_obj(c->out, NULL);
    json_end(c->out);
    return delivery_add(&c->tx,
                        &(struct delivery){.kind = &hook,
                                           .from = "notes",
                                           .method = "POST",
                                           .url = json_get_str(c->body, "url"),
                                           .body = "a note"},
                        NULL);
}

static void finish(struct call *c)
{
    call_header(c, "Content-Type", "application/json; charset=UTF-8");
}

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
    buf_puts(c->body_out, "{}");
    finish(c);
}

static const struct front front = {.finish = finish, .error = error};
static const struct vendor vendor = {.name = "notes", .front = &front};
static const struct route routes[] = {
    {.id = "notes.add",
     .verbs = POST,
     .paths = PATHS("/notes"),
     .handler = add,
     .risk = RISK_WRITE,
     .scopes = "notes.write",
     .body = BODY_JSON_OPTIONAL},
    {.id = "notes.push",
     .verbs = POST,
     .paths = PATHS("/notes/push"),
     .handler = push,
     .risk = RISK_WRITE,
     .scopes = "notes.write",
     .body = BODY_JSON},
    {.id = "notes.whoami",
     .verbs = GET,
     .paths = PATHS("/notes/whoami"),
     .handler = whoami,
     .scopes = "notes.read notes.write"},
};
static const struct rate_class rates[] = {{"calls", true, 2, 60 * INT64_C(1000000)}, {0}};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/notes", NULL};
static const struct dialect notes = {.name = "notes",
                                     .vendor = &vendor,
                                     .prefixes = prefixes,
                                     .rates = rates,
                                     .tables = TABLES(&all_rows)};

static const struct sosia_service own = {
    .name = "test",
    .cores = (const struct sosia_core *const[]){&identity_core, &notes_core, NULL},
    .dialects = (const struct dialect *const[]){&notes, NULL}};
static const struct sosia_service *const services[] = {&own, &mcp_endpoint, NULL};

/* ---- fixtures ---- */

static const char SMALL[] = "sosia: 1\n"
                            "time: 2026-11-23T08:00:00Z\n"
                            "organizations:\n"
                            "  - {domain: acme.example, name: Acme}\n"
                            "people:\n"
                            "  - {email: ada@acme.example, name: Ada, zone: Europe/Rome}\n"
                            "  - {email: bob@acme.example, name: Bob, zone: Europe/Berlin}\n";
static const char BROKEN[] =
    "sosia: 1\npeople:\n  - email: ada@acme.example\n    zone: Mars/Base\n";

struct fixtures {
    struct sosia_engine *engine;
    pthread_mutex_t lock;
    uint64_t small[3]; /* by the clock */
};

static int make(struct fixtures *f, const char *text, const char *name, enum sosia_clock_mode clock,
                uint64_t *ret_snapshot, struct sosia_err *err)
{
    const struct sosia_world_options opt = {.seed_doc = text,
                                            .seed_doc_len = strlen(text),
                                            .seed_doc_name = name,
                                            .clock = clock,
                                            .step_us = 1};
    uint64_t world;
    if (sosia_world_create(f->engine, &opt, &world, err) < 0)
        return -1;
    int rc = sosia_world_snapshot(f->engine, world, NULL, ret_snapshot, err);
    sosia_world_drop(f->engine, world, NULL);
    return rc;
}

static int fixture(void *arg, const char *name, enum sosia_clock_mode clock, uint64_t *ret_snapshot,
                   struct sosia_err *err)
{
    struct fixtures *f = arg;
    if (strcmp(name, "broken") == 0)
        return make(f, BROKEN, "broken.yaml", clock, ret_snapshot, err);
    if (strcmp(name, "small") != 0)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "fixtureNotFound", NULL,
                          "there is no fixture \"%.80s\"", name);
    pthread_mutex_lock(&f->lock);
    int rc = 0;
    if (!f->small[clock])
        rc = make(f, SMALL, "small.yaml", clock, &f->small[clock], err);
    if (rc == 0)
        *ret_snapshot = f->small[clock];
    pthread_mutex_unlock(&f->lock);
    return rc;
}

/* ---- options ---- */

struct set_up {
    struct sosia_engine_options engine;
    struct control_options control;
    bool without_fixtures;
};

static bool own_option(void *arg, const char *name, const char *text)
{
    struct set_up *up = arg;
    uint64_t n = strtoull(text, NULL, 10);
    if (strcmp(name, "max_worlds") == 0)
        up->engine.max_worlds = n;
    else if (strcmp(name, "max_size") == 0)
        up->engine.max_size = n;
    else if (strcmp(name, "max_world_size") == 0)
        up->engine.max_world_size = n;
    else if (strcmp(name, "data_dir") == 0)
        up->engine.data_dir = text;
    else if (strcmp(name, "temp_dir") == 0)
        up->control.temp_dir = text;
    else if (strcmp(name, "real") == 0)
        up->control.clock = SOSIA_CLOCK_REAL;
    else if (strcmp(name, "no_fixtures") == 0)
        up->without_fixtures = true;
    else
        return false;
    return true;
}

static void die(const struct sosia_err *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

int main(int argc, char **argv)
{
    struct server_options o = SERVER_OPTIONS_INIT;
    struct fixtures fixtures = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct set_up up = {.control.fixture_arg = &fixtures};
    struct sosia_err err = {0};
    struct control *control;
    struct server *server;
    options_read(argc, argv, &o, own_option, &up);
    if (engine_open(&up.engine, services, &fixtures.engine, &err) < 0)
        die(&err);
    o.engine = up.control.engine = fixtures.engine;
    up.control.fixture = up.without_fixtures ? NULL : fixture;
    if (control_open(&up.control, &control, &err) < 0)
        die(&err);
    o.control = control_serve;
    o.control_arg = control;
    if (server_start(&o, &server, &err) < 0)
        die(&err);
    control_set_server(control, server);
    server_catch_signals(server);
    printf("{\"port\":%d,\"url\":\"%s\",\"key\":\"%s\"}\n", server_port(server), server_url(server),
           server_control_key(server));
    fflush(stdout);
    server_run_until_signal(server);
    control_close(control);
    sosia_engine_close(fixtures.engine);
    return 0;
}
