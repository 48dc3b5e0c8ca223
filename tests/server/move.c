/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that write in one world come to one serving thread, and nothing of what they send is
 * lost. */
#include "engine/http/call.h"
#include "engine/service.h"
#include "identity/identity.h"
#include "server/server.h"
#include "tests/support/unit.h"
#include <arpa/inet.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- a service that says which thread has served it ---- */

static sem_t held, let_go;

static int ping(struct call *c)
{
    c->status = 200;
    json_obj(c->out, NULL);
    json_int(c->out, "thread", (int64_t)(uintptr_t)pthread_self());
    json_str(c->out, "name", call_request_header(c, "X-Name"));
    json_end(c->out);
    return 0;
}

static int hold(struct call *c)
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
                                       .verbs = POST,
                                       .paths = PATHS("/ping"),
                                       .handler = ping,
                                       .risk = RISK_WRITE,
                                       .anonymous = true},
                                      {.id = "test.look",
                                       .verbs = GET,
                                       .paths = PATHS("/ping"),
                                       .handler = ping,
                                       .risk = RISK_READ,
                                       .anonymous = true},
                                      {.id = "test.hold",
                                       .verbs = POST,
                                       .paths = PATHS("/ping/hold"),
                                       .handler = hold,
                                       .risk = RISK_WRITE,
                                       .anonymous = true}};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/ping", NULL};
static const struct dialect test = {
    .name = "test", .vendor = &vendor, .prefixes = prefixes, .tables = TABLES(&all_rows)};

static const struct sosia_service own = {
    .name = "test",
    .cores = (const struct sosia_core *const[]){&identity_core, NULL},
    .dialects = (const struct dialect *const[]){&test, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

/* Calls of one or two clients are soon answered one by one, which moves nothing: these are more. */
enum { EACH = 4, ALL = 2 * EACH };

/* ---- the server ---- */

static struct sosia_engine *engine;
static struct server *server;
static struct sosia_err err;

static int open_with(unsigned connections)
{
    struct server_options o = SERVER_OPTIONS_INIT;
    struct sosia_world_options a = {.name = "a"}, b = {.name = "b"}, c = {.name = "c"};
    uint64_t world;
    if (engine_open(NULL, services, &engine, &err) < 0 ||
        sosia_world_create(engine, &a, &world, &err) < 0 ||
        sosia_world_create(engine, &b, &world, &err) < 0 ||
        sosia_world_create(engine, &c, &world, &err) < 0 || sem_init(&held, 0, 0) < 0 ||
        sem_init(&let_go, 0, 0) < 0)
        return -1;
    o.engine = engine;
    o.threads = 2;
    o.max_connections = connections;
    o.log_level = SERVER_LOG_OFF;
    return server_start(&o, &server, &err);
}

static int open_all(void **state)
{
    return open_with(0);
}

/* As few connections as two crowds and two more. */
static int open_few(void **state)
{
    return open_with(ALL + 2);
}

static int close_all(void **state)
{
    sem_post(&let_go); /* for a test that has failed */
    server_stop(server);
    sosia_engine_close(engine);
    sem_destroy(&held);
    sem_destroy(&let_go);
    return 0;
}

static uint64_t moved(void)
{
    struct server_metrics m;
    server_metrics(server, &m);
    return m.moved;
}

/* ---- clients ---- */

static int dial(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)server_port(server)),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static void send_text(int fd, const char *text)
{
    size_t n = strlen(text);
    assert_int_equal(send(fd, text, n, MSG_NOSIGNAL), n);
}

static char *put_request(char *to, const char *line, const char *name, const char *more)
{
    return to + sprintf(to, "%s HTTP/1.1\r\nHost: localhost\r\nX-Name: %s\r\n%s", line, name, more);
}

#define SHORT_BODY "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
static void ask(int fd, const char *line, const char *name)
{
    char request[400];
    put_request(request, line, name, SHORT_BODY);
    send_text(fd, request);
}

/* Reads one answer, to just this name: the thread that has made it. */
static uintptr_t answer(int fd, const char *name)
{
    char text[2048], wanted[64];
    size_t n = 0, whole = 0;
    while (!whole || n < whole) { /* byte by byte: the next answer may be there */
        ssize_t got = recv(fd, text + n, 1, 0);
        assert_int_equal(got, 1);
        text[n += 1] = 0;
        assert_true(n < sizeof text - 1);
        const char *end = strstr(text, "\r\n\r\n"), *len = strstr(text, "Content-Length: ");
        if (!whole && end && len)
            whole = (size_t)(end + 4 - text) + strtoul(len + 16, NULL, 10);
    }
    assert_non_null(strstr(text, " 200 "));
    snprintf(wanted, sizeof wanted, "\"name\":\"%s\"", name);
    assert_non_null(strstr(text, wanted));
    return strtoul(strstr(text, "\"thread\":") + 9, NULL, 10);
}

/* More connections, for the thread that is not this connection's: while that one is held, the other
 * takes what comes. hold: in a world that the other thread has not had. */
static void dial_other(int held_by, const char *hold, int *ret_fds, int n)
{
    ask(held_by, hold, "held");
    sem_wait(&held);
    for (int i = 0; i < n; i++) {
        ret_fds[i] = dial();
        ask(ret_fds[i], "GET /w/a/ping", "free");
        answer(ret_fds[i], "free");
    }
    sem_post(&let_go);
    answer(held_by, "held");
}

/* Two connections, each with a thread of its own. */
static void two_threads(int *ret_one, int *ret_other)
{
    *ret_one = dial();
    dial_other(*ret_one, "POST /w/b/ping/hold", ret_other, 1);
}

/* The first half has one thread, the second the other. */
static void two_crowds(int fds[ALL])
{
    two_threads(&fds[0], &fds[EACH]);
    dial_other(fds[0], "POST /w/b/ping/hold", fds + EACH + 1, EACH - 1);
    dial_other(fds[EACH], "POST /w/c/ping/hold", fds + 1, EACH - 1);
}

static void hang_up(int fds[ALL])
{
    for (int i = 0; i < ALL; i++)
        close(fds[i]);
}

/* The thread that has a connection: it makes what only reads itself, while a call that writes may
 * be made by another one that has the world. */
static uintptr_t thread_of(int fd)
{
    ask(fd, "GET /w/a/ping", "look");
    return answer(fd, "look");
}

/* All at once. */
static void write_all(const int fds[ALL])
{
    char name[16];
    for (int i = 0; i < ALL; i++) {
        snprintf(name, sizeof name, "n%d", i);
        ask(fds[i], "POST /w/a/ping", name);
    }
    for (int i = 0; i < ALL; i++) {
        snprintf(name, sizeof name, "n%d", i);
        answer(fds[i], name);
    }
}

/* Until so many have moved. How soon is a matter of time; the test's limit ends what never comes.
 */
static void write_until_moved(const int fds[ALL], unsigned n)
{
    while (moved() < n)
        write_all(fds);
}

static void assert_one_thread(const int fds[ALL])
{
    uintptr_t thread = thread_of(fds[0]);
    for (int i = 1; i < ALL; i++)
        assert_int_equal(thread_of(fds[i]), thread);
}

/* ---- tests ---- */

static void writers_of_a_world_come_to_one_thread(void **state)
{
    int fds[ALL];
    struct server_metrics m;
    two_crowds(fds);
    assert_int_equal(moved(), 0);
    write_until_moved(fds, EACH);
    assert_one_thread(fds);
    for (int i = 0; i < 50; i++)
        write_all(fds);
    assert_int_equal(moved(), EACH);
    assert_one_thread(fds);
    server_metrics(server, &m);
    assert_int_equal(m.connections, ALL); /* that clients have made */
    hang_up(fds);
}

static void readers_stay_where_they_are(void **state)
{
    int one, other;
    two_threads(&one, &other);
    for (int i = 0; i < 100; i++) {
        ask(one, "GET /w/a/ping", "one");
        ask(other, "GET /w/a/ping", "other");
        assert_int_not_equal(answer(one, "one"), answer(other, "other"));
    }
    assert_int_equal(moved(), 0);
    close(one);
    close(other);
}

static void worlds_apart_stay_where_they_are(void **state)
{
    int one, other;
    two_threads(&one, &other);
    for (int i = 0; i < 100; i++) {
        ask(one, "POST /w/a/ping", "one");
        ask(other, "POST /w/b/ping", "other");
        assert_int_not_equal(answer(one, "one"), answer(other, "other"));
    }
    assert_int_equal(moved(), 0);
    close(one);
    close(other);
}

/* Several requests in one piece: a connection moves behind the last of them. */
static void what_is_sent_ahead_is_not_lost(void **state)
{
    int fds[ALL];
    two_crowds(fds);
    while (moved() == 0) {
        for (int i = 0; i < ALL; i++) {
            char three[1200], *at = three;
            at = put_request(at, "POST /w/a/ping", "first", SHORT_BODY);
            at = put_request(at, "POST /w/a/ping", "second", SHORT_BODY);
            put_request(at, "POST /w/a/ping", "third", SHORT_BODY);
            send_text(fds[i], three);
        }
        for (int i = 0; i < ALL; i++) {
            answer(fds[i], "first");
            answer(fds[i], "second");
            answer(fds[i], "third");
        }
    }
    hang_up(fds);
}

/* Nor half a request. */
static void what_has_begun_is_not_lost(void **state)
{
    int fds[ALL];
    uintptr_t threads[ALL];
    two_crowds(fds);
    for (int i = 0; i < ALL; i++)
        threads[i] = thread_of(fds[i]);
    for (int times = 0; times < 20; times++) {
        char text[800], *half = put_request(text, "POST /w/a/ping", "first", SHORT_BODY);
        put_request(half, "GET /w/a/ping", "second", SHORT_BODY);
        char *cut = half + 40, kept = *cut;
        *cut = 0;
        for (int i = 0; i < ALL; i++)
            send_text(fds[i], text);
        for (int i = 0; i < ALL; i++)
            answer(fds[i], "first");
        *cut = kept;
        for (int i = 0; i < ALL; i++)
            send_text(fds[i], cut);
        for (int i = 0; i < ALL; i++)
            assert_int_equal(answer(fds[i], "second"), threads[i]);
    }
    assert_int_equal(moved(), 0);
    write_until_moved(fds, 1); /* they could have */
    hang_up(fds);
}

/* A client that goes when its connection has moved is gone for both threads. */
static void clients_that_go_are_forgotten(void **state)
{
    int fds[ALL];
    struct server_metrics m;
    two_crowds(fds);
    write_until_moved(fds, 1);
    hang_up(fds);
    do
        server_metrics(server, &m);
    while (m.open_connections); /* the test's limit of time ends this */
    assert_int_equal(m.connections, ALL);
}

/* The last place of a thread is for who comes to it first: nobody moves there, and none of those
 * that it would not be enough for is closed. */
static void nobody_moves_where_there_is_hardly_room(void **state)
{
    int fds[ALL];
    two_crowds(fds);
    for (int i = 0; i < 300; i++)
        write_all(fds);
    assert_int_equal(moved(), 0);
    hang_up(fds);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writers_of_a_world_come_to_one_thread),
        TEST(readers_stay_where_they_are),
        TEST(worlds_apart_stay_where_they_are),
        TEST(what_is_sent_ahead_is_not_lost),
        TEST(what_has_begun_is_not_lost),
        TEST(clients_that_go_are_forgotten),
        cmocka_unit_test_setup_teardown(nobody_moves_where_there_is_hardly_room, open_few,
                                        close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
