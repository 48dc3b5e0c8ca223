/* SPDX-License-Identifier: Apache-2.0 */
/* A world that something keeps for long holds up its own clients, and nobody else. */
#include "engine/service.h"
#include "engine/http/call.h"
#include "identity/identity.h"
#include "server/control/control.h"
#include "server/server.h"
#include "tests/support/unit.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 30000 /* only as long as something is broken */

/* ---- a service that says who asks ---- */

static _Atomic uintptr_t served_by; /* the thread of the last one */

static int ping(struct call *c)
{
    atomic_store(&served_by, (uintptr_t)pthread_self());
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
    o.sweep_ms = 600000; /* by a worker */
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
    char request[300];
    int n =
        snprintf(request, sizeof request,
                 "GET %s HTTP/1.1\r\nHost: localhost\r\nX-Name: %s\r\n"
                 "%sConnection: close\r\n\r\n",
                 target, name, target[1] == '_' ? "Authorization: Bearer key-of-tests\r\n" : "");
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(send(fd, request, (size_t)n, MSG_NOSIGNAL), n);
    return fd;
}

static int post(const char *target, const char *body)
{
    char request[4096];
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)server_port(server)),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int n = snprintf(request, sizeof request,
                     "POST /_sosia/v1%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     "Authorization: Bearer key-of-tests\r\nContent-Type: application/json\r\n"
                     "Content-Length: %zu\r\n\r\n%s",
                     target, strlen(body), body);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(send(fd, request, (size_t)n, MSG_NOSIGNAL), n);
    return fd;
}

static bool has_news(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, ms) == 1;
}

static char text[65536]; /* of the last answer */

/* The whole answer holds both texts; closes. */
static void assert_answer(int fd, const char *one, const char *other)
{
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

static int threads_now(void)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *d; (d = readdir(tasks));)
        n += d->d_name[0] != '.';
    closedir(tasks);
    return n;
}

/* A list of n calls of a path, each with its number for a name. */
static const char *calls_of(const char *first, int n)
{
    static char body[4096];
    size_t at = (size_t)sprintf(body, "{\"calls\":[%s", first);
    for (int i = 0; i < n; i++)
        at += (size_t)sprintf(body + at,
                              "%s{\"method\":\"GET\",\"target\":\"/ping\",\"headers\":{\"X-Name\":"
                              "\"n%d\"}}",
                              i || *first ? "," : "", i);
    sprintf(body + at, "]}");
    return body;
}

static void assert_names(int n)
{
    const char *at = text;
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d\\\"", i);
        assert_non_null(at = strstr(at, name));
    }
}

/* Workers are made when they are wanted, and not before. */
static void what_is_short_needs_no_worker(void **state)
{
    char key[17] = "", body[100];
    assert_answer(ask("/w/b/ping", "other"), " 200 ", "\"other\"");
    uintptr_t serving = atomic_load(&served_by);
    int before = threads_now();
    assert_answer(post("/worlds/b/fork", "{\"actors\":[]}"), " 201 ", "\"world\"");
    memcpy(key, strstr(strstr(text, "\"world\""), ":\"") + 2, 16);
    assert_answer(post("/worlds/b/calls", calls_of("", 16)), " 200 ", "responses");
    assert_names(16);
    assert_int_equal(atomic_load(&served_by), serving);
    snprintf(body, sizeof body, "{\"worlds\":[\"%s\"]}", key);
    assert_answer(post("/worlds/reset", body), " 204 ", "HTTP");
    assert_answer(post("/worlds/drop", body), " 204 ", "HTTP");
    assert_int_equal(threads_now(), before);
    assert_answer(post("/worlds/b/calls", calls_of("", 17)), " 200 ", "responses");
    assert_names(17);
    assert_int_not_equal(atomic_load(&served_by), serving);
    assert_int_equal(threads_now(), before + 1);
}

/* What would wait goes to a worker, and what comes behind it too; what was made is not made again.
 */
static void calls_that_would_wait_go_on_elsewhere(void **state)
{
    assert_answer(ask("/w/b/ping", "other"), " 200 ", "\"other\"");
    uintptr_t serving = atomic_load(&served_by);
    int fd =
        post("/worlds/a/calls", calls_of("{\"method\":\"GET\",\"target\":\"/ping\"},{\"method\":"
                                         "\"GET\",\"target\":\"/ping/many\"}",
                                         3));
    sem_wait(&held);
    assert_int_equal(atomic_load(&served_by), serving);
    for (int i = 0; i < 20; i++)
        assert_answer(ask("/w/b/ping", "other"), " 200 ", "\"other\"");
    assert_false(has_news(fd, 0));
    sem_post(&let_go);
    assert_answer(fd, " 200 ", "responses");
    assert_names(3);
    int n = 0;
    for (const char *at = text; (at = strstr(at, "\"status\"")); at++)
        n++;
    assert_int_equal(n, 5);
}

/* The world is taken when they begin. */
static void calls_of_a_world_that_is_kept_wait_elsewhere(void **state)
{
    static const char worlds[] = "{\"worlds\":[\"a\"]}";
    take_world();
    int calls = post("/worlds/a/calls", calls_of("", 2)), reset = post("/worlds/reset", worlds),
        drop = post("/worlds/drop", worlds);
    for (int i = 0; i < 20; i++)
        assert_answer(ask("/w/b/ping", "other"), " 200 ", "\"other\"");
    assert_false(has_news(calls, 0) || has_news(reset, 0) || has_news(drop, 0));
    give_world();
    assert_answer(drop, " 204 ", "HTTP");
    assert_true(has_news(calls, PATIENCE_MS) && has_news(reset, PATIENCE_MS));
    close(calls);
    close(reset);
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

/* ---- answers that go out together ---- */

static int dial(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)server_port(server)),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static void send_ping(int fd, int name)
{
    char request[200];
    int n = snprintf(request, sizeof request,
                     "GET /w/b/ping HTTP/1.1\r\nHost: localhost\r\nX-Name: n%d.\r\n\r\n", name);
    assert_int_equal(send(fd, request, (size_t)n, MSG_NOSIGNAL), n);
}

/* Reads until that many answers of a connection are there, which have these names in this order. */
static void assert_pings(int fd, int first, int n)
{
    size_t len = 0;
    int found = 0;
    for (const char *at = text; found < n;) {
        char name[20];
        assert_true(has_news(fd, PATIENCE_MS));
        ssize_t got = recv(fd, text + len, sizeof text - 1 - len, 0);
        assert_true(got > 0);
        text[len += (size_t)got] = 0;
        for (const char *next; found < n; found++, at = next) {
            snprintf(name, sizeof name, "\"n%d.\"", first + found);
            if (!(next = strstr(at, name)))
                break;
        }
    }
}

/* Many at once, one and two on a connection, and clients that go before they are answered. */
static void requests_that_come_together_have_their_own_answers(void **state)
{
    enum { CONNECTIONS = 24, ROUNDS = 40 };
    int fds[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++)
        fds[i] = dial();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CONNECTIONS; i++) {
            send_ping(fds[i], round * 100 + i * 2);
            if (i % 4 == 1)
                send_ping(fds[i], round * 100 + i * 2 + 1);
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            if (i % 8 == round % 8) {
                close(fds[i]);
                fds[i] = dial();
                continue;
            }
            assert_pings(fds[i], round * 100 + i * 2, i % 4 == 1 ? 2 : 1);
        }
    }
    for (int i = 0; i < CONNECTIONS; i++)
        close(fds[i]);
    /* One alone is answered as before. */
    int fd = dial();
    for (int i = 0; i < 100; i++) {
        send_ping(fd, i);
        assert_pings(fd, i, 1);
    }
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(others_are_answered_while_a_world_is_kept, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(others_are_answered_during_many_calls_in_one, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(what_is_short_needs_no_worker, open_all, close_all),
        cmocka_unit_test_setup_teardown(calls_that_would_wait_go_on_elsewhere, open_all, close_all),
        cmocka_unit_test_setup_teardown(calls_of_a_world_that_is_kept_wait_elsewhere, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(a_stop_gives_up_requests_that_wait_for_a_world, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(requests_that_come_together_have_their_own_answers,
                                        open_all, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
