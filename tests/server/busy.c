/* SPDX-License-Identifier: Apache-2.0 */
/* A world that something keeps for long holds up its own clients, and nobody else. */
#include "engine/service.h"
#include "engine/http/call.h"
#include "identity/identity.h"
#include "server/control/control.h"
#include "server/server.h"
#include "tests/support/unit.h"
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 30000 /* only as long as something is broken */

/* ---- a service that says who asks ---- */

static int ping(struct call *c)
{
    const char *name = call_request_header(c, "X-Name");
    c->status = 200;
    json_obj(c->out, NULL);
    json_str(c->out, "name", name ? name : "");
    json_end(c->out);
    return 0;
}

static sem_t held, let_go;

/* Takes as long as it likes. */
static int many(struct call *c)
{
    sem_post(&held);
    sem_wait(&let_go);
    return ping(c);
}

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
}

static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "test", .front = &front};
static const struct route routes[] = {{.id = "test.ping",
                                       .verbs = GET,
                                       .paths = PATHS("/ping"),
                                       .handler = ping,
                                       .risk = RISK_READ,
                                       .anonymous = true},
                                      {.id = "test.many",
                                       .verbs = GET,
                                       .paths = PATHS("/ping/many"),
                                       .handler = many,
                                       .risk = RISK_READ,
                                       .anonymous = true,
                                       .outside = true}};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/ping", NULL};
static const struct dialect test = {
    .name = "test", .vendor = &vendor, .prefixes = prefixes, .tables = TABLES(&all_rows)};

static const struct sosia_service own = {
    .name = "test",
    .cores = (const struct sosia_core *const[]){&identity_core, NULL},
    .dialects = (const struct dialect *const[]){&test, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

/* ---- the server ---- */

static struct sosia_engine *engine;
static struct control *control;
static struct server *server;
static struct sosia_err err;
static uint64_t kept;
static pthread_t keeper;

static int open_all(void **state)
{
    struct server_options o = SERVER_OPTIONS_INIT;
    struct sosia_world_options a = {.name = "a"}, b = {.name = "b"};
    uint64_t other;
    if (engine_open(NULL, services, &engine, &err) < 0 ||
        sosia_world_create(engine, &a, &kept, &err) < 0 ||
        sosia_world_create(engine, &b, &other, &err) < 0 ||
        control_open(&(struct control_options){.engine = engine}, &control, &err) < 0 ||
        sem_init(&held, 0, 0) < 0 || sem_init(&let_go, 0, 0) < 0)
        return -1;
    o.engine = engine;
    o.threads = 1;
    o.stop_ms = 50;
    o.control = control_serve;
    o.control_arg = control;
    o.control_key = "key-of-tests";
    o.log_level = SERVER_LOG_OFF;
    return server_start(&o, &server, &err);
}

static int close_all(void **state)
{
    sem_post(&let_go); /* for a test that has failed */
    server_stop(server);
    server = NULL;
    control_close(control);
    sosia_engine_close(engine);
    sem_destroy(&held);
    sem_destroy(&let_go);
    return 0;
}

/* Runs under the world's lock. */
static int keep(void *arg, const struct sosia_world_info *info)
{
    if (info->id != kept)
        return 0;
    sem_post(&held);
    sem_wait(&let_go);
    return 1;
}

static void *keep_world(void *arg)
{
    sosia_world_list(engine, 0, keep, NULL, NULL);
    return NULL;
}

static void take_world(void)
{
    assert_int_equal(pthread_create(&keeper, NULL, keep_world, NULL), 0);
    sem_wait(&held);
}

static void give_world(void)
{
    sem_post(&let_go);
    pthread_join(keeper, NULL);
}

/* ---- clients ---- */

static int ask(const char *target, const char *name)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)server_port(server)),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char text[300];
    int n =
        snprintf(text, sizeof text,
                 "GET %s HTTP/1.1\r\nHost: localhost\r\nX-Name: %s\r\n"
                 "%sConnection: close\r\n\r\n",
                 target, name, target[1] == '_' ? "Authorization: Bearer key-of-tests\r\n" : "");
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(send(fd, text, (size_t)n, MSG_NOSIGNAL), n);
    return fd;
}

static bool has_news(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, ms) == 1;
}

/* The whole answer holds both texts; closes. */
static void assert_answer(int fd, const char *one, const char *other)
{
    static char text[8192];
    size_t n = 0;
    ssize_t got = 1;
    while (got > 0 && n < sizeof text - 1) {
        assert_true(has_news(fd, PATIENCE_MS));
        got = recv(fd, text + n, sizeof text - 1 - n, 0);
        n += got > 0 ? (size_t)got : 0;
    }
    text[n] = 0;
    assert_non_null(strstr(text, one));
    assert_non_null(strstr(text, other));
    close(fd);
}

/* ---- tests ---- */

static void others_are_answered_while_a_world_is_kept(void **state)
{
    int waiting[6];
    take_world();
    for (int i = 0; i < 3; i++)
        waiting[i] = ask("/w/a/ping", i ? "second" : "first");
    waiting[3] = ask("/_sosia/v1/worlds/a", "");
    waiting[4] = ask("/_sosia/v1/worlds/a/clock", "");
    waiting[5] = ask("/_sosia/v1/worlds/a/dump", "");
    for (int i = 0; i < 20; i++) {
        assert_answer(ask("/w/b/ping", "other"), " 200 ", "\"other\"");
        assert_answer(ask("/_sosia/v1/worlds/b", ""), " 200 ", "\"name\":\"b\"");
        assert_answer(ask("/_sosia/v1/worlds/b/dump", ""), " 200 ", "\"sosia\"");
    }
    for (int i = 0; i < 6; i++)
        assert_false(has_news(waiting[i], 0));
    give_world();
    for (int i = 0; i < 3; i++)
        assert_answer(waiting[i], " 200 ", i ? "\"second\"" : "\"first\"");
    assert_answer(waiting[3], " 200 ", "\"name\":\"a\"");
    assert_answer(waiting[4], " 200 ", "\"frozen\"");
    assert_answer(waiting[5], " 200 ", "\"sosia\"");
}

static void others_are_answered_during_many_calls_in_one(void **state)
{
    int fd = ask("/w/a/ping/many", "many");
    sem_wait(&held);
    for (int i = 0; i < 20; i++)
        assert_answer(ask(i % 2 ? "/w/b/ping" : "/w/a/ping", "other"), " 200 ", "\"other\"");
    assert_false(has_news(fd, 0));
    sem_post(&let_go);
    assert_answer(fd, " 200 ", "\"many\"");
}

static void *stop(void *arg)
{
    server_stop(server);
    server = NULL;
    return NULL;
}

/* More of them than there are workers, so that some begin when their clients are gone. */
static void a_stop_gives_up_requests_that_wait_for_a_world(void **state)
{
    pthread_t stopper;
    char byte;
    int fds[40];
    take_world();
    for (int i = 0; i < 40; i++)
        fds[i] = ask(i % 2 ? "/_sosia/v1/worlds/a/dump" : "/w/a/ping", "nobody");
    assert_answer(ask("/w/b/ping", "other"), " 200 ", "\"other\"");
    assert_int_equal(pthread_create(&stopper, NULL, stop, NULL), 0);
    for (int i = 0; i < 40; i++) {
        assert_true(has_news(fds[i], PATIENCE_MS)); /* closed without an answer */
        assert_true(recv(fds[i], &byte, 1, 0) <= 0);
        close(fds[i]);
    }
    give_world();
    pthread_join(stopper, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(others_are_answered_while_a_world_is_kept, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(others_are_answered_during_many_calls_in_one, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(a_stop_gives_up_requests_that_wait_for_a_world, open_all,
                                        close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
