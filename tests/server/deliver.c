/* SPDX-License-Identifier: Apache-2.0 */
/* Webhooks from a world's outbox to a receiver on this machine, and again by the world's clock. */
#include "engine/service.h"
#include "engine/http/call.h"
#include "identity/identity.h"
#include "engine/send/delivery.h"
#include "engine/world/engine.h"
#include "server/server.h"
#include "tests/support/unit.h"
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 30000 /* only as long as something is broken */
#define SILENCE_MS  500   /* long enough to see what should not come */
#define SECOND      INT64_C(1000000)

/* ---- a service that sends ---- */

static enum delivery_verdict judge(const struct sosia_outcome *o)
{
    return o->status == 0 || o->status >= 500 ? DELIVERY_AGAIN : DELIVERY_GOOD;
}

static const int32_t waits_s[] = {10, 20, 40, 80, 160, 0};
static const struct delivery_kind hook_delivery = {
    .name = "test.hook", .waits_s = waits_s, .judge = judge};
static const struct delivery_kind *const deliveries[] = {&hook_delivery, NULL};
static const struct sosia_core core = {.name = "test", .deliveries = deliveries};

static int hook(struct call *c)
{
    const char *url = json_get_str(c->body, "url");
    static const struct sosia_header headers[] = {{"X-A", "1"}, {"X-B", ""}};
    const struct delivery hello = {.kind = &hook_delivery,
                                   .from = "test",
                                   .method = "POST",
                                   .url = url,
                                   .body = "hello",
                                   .headers = headers,
                                   .n_headers = 2};
    int64_t times = 1;
    json_i64(json_get(c->body, "times"), &times);
    c->status = 204;
    for (; times; times--)
        if (delivery_add(&c->tx, &hello, NULL) < 0)
            return -1;
    return 0;
}

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
}

static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "test", .front = &front};
static const struct route routes[] = {{.id = "test.hook",
                                       .verbs = POST,
                                       .paths = PATHS("/hook"),
                                       .handler = hook,
                                       .risk = RISK_WRITE,
                                       .anonymous = true,
                                       .body = BODY_JSON}};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/hook", NULL};
static const struct dialect test = {
    .name = "test", .vendor = &vendor, .prefixes = prefixes, .tables = TABLES(&all_rows)};

static const struct sosia_service own = {
    .name = "test",
    .cores = (const struct sosia_core *const[]){&identity_core, &core, NULL},
    .dialects = (const struct dialect *const[]){&test, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

/* ---- a receiver ---- */

static int listening;
static char url[64], text[8192];

static int open_receiver(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    listening = socket(AF_INET, SOCK_STREAM, 0);
    if (listening < 0 || bind(listening, (struct sockaddr *)&a, n) < 0 ||
        listen(listening, 16) < 0 || getsockname(listening, (struct sockaddr *)&a, &n) < 0)
        return -1;
    snprintf(url, sizeof url, "http://127.0.0.1:%d/x", ntohs(a.sin_port));
    return 0;
}

static bool comes(int ms)
{
    struct pollfd p = {.fd = listening, .events = POLLIN};
    return poll(&p, 1, ms) == 1;
}

/* Takes one request into text; gives its connection. */
static int receive(void)
{
    size_t n = 0;
    assert_true(comes(PATIENCE_MS));
    int fd = accept(listening, NULL, NULL);
    assert_true(fd >= 0);
    while (n < sizeof text - 1) {
        ssize_t got = recv(fd, text + n, sizeof text - 1 - n, 0);
        assert_true(got > 0);
        n += (size_t)got;
        text[n] = 0;
        if (strstr(text, "\r\n\r\nhello"))
            break;
    }
    return fd;
}

static void answer_with(int fd, int status)
{
    char answer[100];
    int len = snprintf(answer, sizeof answer,
                       "HTTP/1.1 %d X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    assert_int_equal(send(fd, answer, (size_t)len, MSG_NOSIGNAL), len);
    close(fd);
}

static void take(int status)
{
    answer_with(receive(), status);
}

/* ---- the world ---- */

static struct sosia_engine *engine;
static struct server *server;
static struct sosia_err err;
static uint64_t world;

static int open_all(void **state)
{
    struct server_options o = SERVER_OPTIONS_INIT;
    if (open_receiver() < 0 || engine_open(NULL, services, &engine, &err) < 0)
        return -1;
    o.engine = engine;
    o.threads = 1;
    o.log_level = SERVER_LOG_OFF;
    return server_start(&o, &server, &err);
}

static int close_all(void **state)
{
    server_stop(server);
    sosia_engine_close(engine);
    close(listening);
    return 0;
}

static int make_world(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\"}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    return sosia_world_create(engine, &opt, &world, &err);
}

static void send_hooks(int times)
{
    char body[100];
    struct sosia_response *res;
    int n = snprintf(body, sizeof body, "{\"url\":\"%s\",\"times\":%d}", url, times);
    struct sosia_request r = {
        .method = "POST", .target = "/hook", .body = body, .body_len = (size_t)n};
    assert_int_equal(sosia_call(engine, world, &r, &res, &err), 0);
    assert_int_equal(res->status, 204);
    sosia_response_free(res);
}

static void send_hook(void)
{
    send_hooks(1);
}

/* Until the server has recorded what came of so many attempts: the receiver has them before. */
static void noted(int attempts)
{
    struct sosia_blob b;
    char wanted[32];
    bool found = false;
    snprintf(wanted, sizeof wanted, "\"attempts\": %d,", attempts);
    for (int i = 0; i < PATIENCE_MS && !found; i++) {
        assert_int_equal(sosia_outbox_list(engine, world, 0, 10, &b, &err), 0);
        found = strstr(b.data, wanted) != NULL;
        sosia_blob_free(&b);
        if (!found)
            usleep(1000);
    }
    assert_true(found);
}

static void advance(int64_t seconds)
{
    assert_int_equal(sosia_clock_advance(engine, world, seconds * SECOND, &err), 0);
}

/* ---- tests ---- */

static void a_message_arrives_once_with_its_headers(void **state)
{
    send_hook();
    take(200);
    assert_int_equal(strncmp(text, "POST /x HTTP/1.1\r\n", 18), 0);
    assert_non_null(strstr(text, "\r\nX-A: 1\r\n"));
    assert_non_null(strstr(text, "\r\nX-B:\r\n"));
    assert_non_null(strstr(text, "\r\nContent-Length: 5\r\n"));
    assert_null(strstr(text, "Content-Type"));
    assert_false(comes(SILENCE_MS));
}

/* What one call sends is more than the server reads in one go. */
static void many_messages_arrive_once_each(void **state)
{
    send_hooks(300);
    send_hook();
    for (int i = 0; i < 301; i++)
        take(200);
    assert_false(comes(SILENCE_MS));
}

/* Others of that call or turn were: the range has it among them. */
static void what_is_under_way_is_not_sent_again_by_news_of_it(void **state)
{
    send_hook();
    int first = receive();
    outbox_notify_range(engine, world, 1, 1);
    send_hook();
    int second = receive();
    assert_false(comes(SILENCE_MS));
    answer_with(first, 503);
    answer_with(second, 200);
    noted(1);
    advance(10);
    take(200);
    assert_false(comes(SILENCE_MS));
}

/* The entry has the number of another one now. */
static void what_came_back_from_before_a_reset_is_not_taken(void **state)
{
    struct sosia_blob b;
    send_hook();
    int before = receive();
    assert_int_equal(sosia_world_reset(engine, world, &err), 0);
    send_hook();
    int after = receive();
    answer_with(before, 503);
    send_hook();
    take(200); /* what came before it has come */
    noted(1);
    assert_int_equal(sosia_outbox_list(engine, world, 0, 1, &b, &err), 0);
    assert_non_null(strstr(b.data, "\"state\": \"pending\""));
    sosia_blob_free(&b);
    answer_with(after, 200);
}

static void a_receiver_in_trouble_is_asked_again_by_the_worlds_clock(void **state)
{
    send_hook();
    take(503);
    noted(1);
    assert_false(comes(SILENCE_MS));
    advance(9);
    assert_false(comes(SILENCE_MS));
    advance(1);
    take(500);
    noted(2);
    assert_false(comes(SILENCE_MS));
    advance(10);
    assert_false(comes(SILENCE_MS));
    advance(10);
    take(204);
    noted(3);
    advance(100000);
    assert_false(comes(SILENCE_MS));
}

static void a_receiver_that_refuses_is_left_alone(void **state)
{
    send_hook();
    take(404);
    noted(1);
    advance(100000);
    assert_false(comes(SILENCE_MS));
}

static void nothing_is_asked_for_ever(void **state)
{
    send_hook();
    for (int i = 0; i < 6; i++) {
        take(502);
        noted(i + 1);
        advance(i < 5 ? 10 << i : 100000);
    }
    assert_false(comes(SILENCE_MS));
}

static void a_fork_and_a_dropped_world_send_nothing(void **state)
{
    uint64_t fork;
    send_hook();
    take(503);
    noted(1);
    assert_int_equal(sosia_world_fork(engine, world, NULL, &fork, &err), 0);
    assert_int_equal(sosia_world_drop(engine, world, &err), 0);
    assert_int_equal(sosia_clock_advance(engine, fork, 1000 * SECOND, &err), 0);
    assert_false(comes(SILENCE_MS));
}

static void a_fork_that_inherits_deliveries_sends_them(void **state)
{
    struct sosia_fork_options opt = {.inherit_deliveries = true};
    uint64_t fork;
    send_hook();
    take(503);
    noted(1);
    assert_int_equal(sosia_world_fork(engine, world, &opt, &fork, &err), 0);
    assert_int_equal(sosia_world_drop(engine, world, &err), 0);
    assert_int_equal(sosia_clock_advance(engine, fork, 10 * SECOND, &err), 0);
    take(200);
    assert_false(comes(SILENCE_MS / 2));
}

static void an_evaluation_has_no_receivers(void **state)
{
    struct sosia_fork_options opt = {.evaluation = true};
    struct sosia_blob b;
    uint64_t fork;
    assert_int_equal(sosia_world_fork(engine, world, &opt, &fork, &err), 0);
    assert_int_equal(sosia_world_fork(engine, fork, NULL, &world, &err), 0);
    send_hook();
    noted(1);
    assert_int_equal(sosia_outbox_list(engine, world, 0, 1, &b, &err), 0);
    assert_non_null(strstr(b.data, "the world is an evaluation, which has no receivers"));
    sosia_blob_free(&b);
    assert_false(comes(SILENCE_MS));
}

/* ---- the end ---- */

#define HOOKS 20

static FILE *captured; /* in the place of standard error */
static int real_stderr;

static int open_captured(void **state)
{
    struct server_options o = SERVER_OPTIONS_INIT;
    captured = tmpfile();
    real_stderr = dup(STDERR_FILENO);
    if (!captured || real_stderr < 0 || dup2(fileno(captured), STDERR_FILENO) < 0 ||
        open_receiver() < 0 || engine_open(NULL, services, &engine, &err) < 0)
        return -1;
    o.engine = engine;
    o.threads = 1;
    return make_world(state) < 0 ? -1 : server_start(&o, &server, &err);
}

static int close_captured(void **state)
{
    sosia_engine_close(engine);
    close(listening);
    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    fclose(captured);
    return 0;
}

/* How often the log says this. */
static int said(const char *what)
{
    char line[2000];
    int n = 0;
    rewind(captured);
    while (fgets(line, sizeof line, captured))
        n += strstr(line, what) != NULL;
    return n;
}

/* Takes nothing before the server takes nothing any more. */
static void *take_all(void *arg)
{
    const int *port = arg;
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                            .sin_port = htons((uint16_t)*port)};
    for (int fd, open = 1; open; close(fd)) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        open = connect(fd, (struct sockaddr *)&a, sizeof a) == 0;
    }
    for (int i = 0; i < HOOKS; i++)
        take(200);
    return NULL;
}

static void a_stop_sends_what_came_before_it(void **state)
{
    pthread_t receiver;
    int port = server_port(server);
    for (int i = 0; i < HOOKS; i++)
        send_hook();
    assert_int_equal(pthread_create(&receiver, NULL, take_all, &port), 0);
    server_stop(server);
    pthread_join(receiver, NULL);
    assert_false(comes(0));
    assert_int_equal(said("webhook"), 0);
}

static void what_waits_for_the_worlds_clock_at_a_stop_is_logged(void **state)
{
    send_hook();
    take(503);
    noted(1);
    server_stop(server);
    assert_int_equal(said("webhook not delivered"), 1);
    assert_int_equal(said(url), 1);
    assert_int_equal(said("tries=1"), 1);
}

static void a_receiver_that_does_not_answer_does_not_hold_up_a_stop(void **state)
{
    for (int i = 0; i < 40; i++)
        send_hook();
    assert_true(comes(PATIENCE_MS));
    server_stop(server);
    assert_int_equal(said("webhook not delivered"), 20);
    assert_int_equal(said("more=20"), 1);
}

int main(void)
{
    const struct CMUnitTest ends[] = {
        cmocka_unit_test_setup_teardown(a_stop_sends_what_came_before_it, open_captured,
                                        close_captured),
        cmocka_unit_test_setup_teardown(what_waits_for_the_worlds_clock_at_a_stop_is_logged,
                                        open_captured, close_captured),
        cmocka_unit_test_setup_teardown(a_receiver_that_does_not_answer_does_not_hold_up_a_stop,
                                        open_captured, close_captured),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_message_arrives_once_with_its_headers, make_world),
        cmocka_unit_test_setup(many_messages_arrive_once_each, make_world),
        cmocka_unit_test_setup(what_is_under_way_is_not_sent_again_by_news_of_it, make_world),
        cmocka_unit_test_setup(what_came_back_from_before_a_reset_is_not_taken, make_world),
        cmocka_unit_test_setup(a_receiver_in_trouble_is_asked_again_by_the_worlds_clock,
                               make_world),
        cmocka_unit_test_setup(a_receiver_that_refuses_is_left_alone, make_world),
        cmocka_unit_test_setup(nothing_is_asked_for_ever, make_world),
        cmocka_unit_test_setup(a_fork_and_a_dropped_world_send_nothing, make_world),
        cmocka_unit_test_setup(a_fork_that_inherits_deliveries_sends_them, make_world),
        cmocka_unit_test_setup(an_evaluation_has_no_receivers, make_world),
    };
    int failed = cmocka_run_group_tests(tests, open_all, close_all);
    return cmocka_run_group_tests(ends, NULL, NULL) || failed;
}
