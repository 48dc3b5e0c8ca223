/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions through the C interface: who is let in, what frames do, who gets an entry of the outbox
 * and when again, and what forks, resets and imports have of it. */
#include "tests/support/answer.h"
#include "tests/support/carry.h"
#include "tests/support/line.h"
#include "engine/http/session_impl.h"
#include "engine/world/engine.h"
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)

static const struct sosia_service *const services[] = {&line_service, NULL};
static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t world;

/* A client's end of a session: what came, oldest first. */
struct client {
    struct sosia_session *session;
    char got[20][200];
    int n, at;
    int close_code;
    char reason[130];
};
static struct client ann, ben;

static void on_send(void *arg, const char *data, size_t len)
{
    struct client *c = arg;
    assert_true(c->n < 20);
    assert_int_equal(strlen(data), len);
    snprintf(c->got[c->n], sizeof c->got[0], "%s", data);
    __atomic_store_n(&c->n, c->n + 1, __ATOMIC_RELEASE); /* some come from another thread */
}

static void on_close(void *arg, int code, const char *reason)
{
    struct client *c = arg;
    c->close_code = code;
    snprintf(c->reason, sizeof c->reason, "%s", reason);
}

static int open_all(void **state)
{
    struct sosia_world_options opt = {.seed_doc = line_doc, .seed_doc_len = strlen(line_doc)};
    arena_init(&test_arena, 0);
    memset(&ann, 0, sizeof ann);
    memset(&ben, 0, sizeof ben);
    memset(&line_seen, 0, sizeof line_seen);
    if (engine_open(NULL, services, &engine, &err) < 0)
        return -1;
    return sosia_world_create(engine, &opt, &world, &err);
}

static int close_all(void **state)
{
    sosia_session_close(ann.session, 1000);
    sosia_session_close(ben.session, 1000);
    sosia_engine_close(engine);
    arena_done(&test_arena);
    return 0;
}

static struct sosia_response *ask(struct client *c, uint64_t w, const char *target,
                                  const char *protocol)
{
    static const struct sosia_session_calls calls = {.send = on_send, .close = on_close};
    struct sosia_header h = {"Sec-WebSocket-Protocol", protocol};
    struct sosia_request r = {
        .method = "GET", .target = target, .headers = &h, .n_headers = protocol != NULL};
    struct sosia_response *res;
    assert_int_equal(sosia_session_open(engine, w, &r, &calls, c, &c->session, &res, &err), 0);
    return res;
}

static void join(struct client *c, uint64_t w, const char *app)
{
    char target[40];
    snprintf(target, sizeof target, "/line?app=%s", app);
    struct sosia_response *res = ask(c, w, target, NULL);
    assert_int_equal(res->status, 101);
    assert_non_null(c->session);
    sosia_response_free(res);
}

static void leave(struct client *c)
{
    sosia_session_close(c->session, 1006);
    c->session = NULL;
}

static void send_note(uint64_t w, const char *app, const char *text)
{
    char target[80];
    struct sosia_response *res;
    snprintf(target, sizeof target, "/notes?app=%s&text=%s", app, text);
    struct sosia_request r = {.method = "POST", .target = target};
    assert_int_equal(sosia_call(engine, w, &r, &res, &err), 0);
    assert_int_equal(res->status, 204);
    sosia_response_free(res);
}

static int say(struct client *c, const char *text)
{
    return sosia_session_frame(c->session, text, strlen(text), false, &err);
}

/* The next frame that a client got; "": none. */
static const char *next(struct client *c)
{
    return c->at < c->n ? c->got[c->at++] : "";
}

static void advance(uint64_t w, int64_t seconds)
{
    assert_int_equal(sosia_clock_advance(engine, w, seconds * SECOND, &err), 0);
}

static const char *state_of(uint64_t w, int entry)
{
    char path[40];
    snprintf(path, sizeof path, "%d.delivery.state", entry - 1);
    return text_at(read_outbox(engine, w), path);
}

/* ---- who is let in ---- */

static void the_handler_decides(void **state)
{
    struct sosia_response *res = ask(&ann, world, "/line?app=full", NULL);
    assert_int_equal(res->status, 429);
    assert_string_equal(res->body, "full");
    assert_null(ann.session);
    sosia_response_free(res);
    res = ask(&ann, world, "/line?app=X", NULL);
    assert_int_equal(res->status, 404);
    assert_null(ann.session);
    sosia_response_free(res);
}

static void a_plain_request_is_asked_to_upgrade(void **state)
{
    struct sosia_request r = {.method = "GET", .target = "/line?app=A1"};
    struct sosia_response *res;
    assert_int_equal(sosia_call(engine, world, &r, &res, &err), 0);
    assert_int_equal(res->status, 400);
    assert_string_equal(res->body, "upgradeRequired");
    sosia_response_free(res);
}

static void a_handshake_for_another_method_is_a_request(void **state)
{
    struct sosia_response *res = ask(&ann, world, "/nothing", NULL);
    assert_int_equal(res->status, 404);
    assert_null(ann.session);
    sosia_response_free(res);
}

static void the_first_subprotocol_that_is_spoken_is_agreed_on(void **state)
{
    struct sosia_response *res = ask(&ann, world, "/line?app=A1", "soap, line.v1, line.v2");
    assert_int_equal(res->n_headers, 1);
    assert_string_equal(res->headers[0].value, "line.v1");
    sosia_response_free(res);
    res = ask(&ben, world, "/line?app=A1", "soap");
    assert_int_equal(res->n_headers, 0);
    sosia_response_free(res);
}

static void a_snapshot_opens_none(void **state)
{
    uint64_t snapshot;
    assert_int_equal(sosia_world_snapshot(engine, world, NULL, &snapshot, &err), 0);
    struct sosia_response *res = ask(&ann, snapshot, "/line?app=A1", NULL);
    assert_int_equal(res->status, 403);
    assert_null(ann.session);
    sosia_response_free(res);
}

/* ---- frames ---- */

static void frames_are_answered_to_their_own_connection(void **state)
{
    join(&ann, world, "A1");
    join(&ben, world, "A1");
    assert_string_equal(next(&ann), "{\"type\":\"hello\",\"connections\":1}");
    assert_string_equal(next(&ben), "{\"type\":\"hello\",\"connections\":2}");
    assert_int_equal(say(&ann, "hi"), 0);
    assert_string_equal(next(&ann), "{\"type\":\"echo\",\"text\":\"hi\"}");
    assert_string_equal(next(&ben), "");
}

static void turns_are_in_the_journal(void **state)
{
    struct sosia_blob blob;
    join(&ann, world, "A1");
    say(&ann, "hi");
    leave(&ann);
    assert_int_equal(sosia_journal_list(engine, world, 0, 0, true, &blob, &err), 0);
    const struct json *list = parsed(blob.data, blob.len);
    assert_int_equal(count_at(list, ""), 4);
    assert_int_equal(number_at(list, "0.response.status"), 101);
    assert_string_equal(column(list, "", "method"), "line.open line.open line.open line.open");
    assert_string_equal(text_at(list, "1.session.event"), "opened");
    assert_string_equal(text_at(list, "2.session.event"), "frame");
    assert_string_equal(text_at(list, "2.session.frame"), "hi");
    assert_string_equal(text_at(list, "2.session.key"), "app:A1");
    assert_int_equal(number_at(list, "2.session.number"), 1);
    assert_string_equal(text_at(list, "2.sent.0"), "{\"type\":\"echo\",\"text\":\"hi\"}");
    assert_string_equal(text_at(list, "3.session.event"), "closed");
    assert_int_equal(number_at(list, "3.session.code"), 1006);
    sosia_blob_free(&blob);
}

static void a_turn_that_fails_ends_its_session(void **state)
{
    join(&ann, world, "A1");
    assert_int_equal(say(&ann, "fail"), -1);
    assert_int_equal(ann.close_code, 1008);
    assert_string_equal(ann.reason, "the frame must not be \"fail\"");
    assert_int_equal(say(&ann, "hi"), -1);
    assert_int_equal(err.code, SOSIA_E_GONE);
}

static void a_service_ends_a_session(void **state)
{
    join(&ann, world, "A1");
    assert_int_equal(say(&ann, "end 4001"), 0);
    assert_int_equal(ann.close_code, 4001);
    assert_string_equal(ann.reason, "as you wish");
    send_note(world, "A1", "late");
    assert_int_equal(ann.n, 1);
    leave(&ann);
    assert_int_equal(line_seen.closed, 1);
    assert_int_equal(line_seen.closed_code, 1006);
}

/* ---- entries of the outbox ---- */

static void a_note_goes_to_one_of_an_apps_connections(void **state)
{
    static struct client other;
    memset(&other, 0, sizeof other);
    join(&ann, world, "A1");
    join(&ben, world, "A1");
    join(&other, world, "A2");
    ann.n = ben.n = other.n = 0;
    for (int i = 0; i < 4; i++)
        send_note(world, "A1", "n");
    assert_int_equal(ann.n, 2);
    assert_int_equal(ben.n, 2);
    assert_int_equal(other.n, 0);
    leave(&other);
}

static void an_acknowledged_note_is_delivered(void **state)
{
    join(&ann, world, "A1");
    next(&ann);
    send_note(world, "A1", "one");
    assert_string_equal(next(&ann), "{\"type\":\"note\",\"id\":1,\"text\":\"one\",\"attempt\":1}");
    assert_string_equal(state_of(world, 1), "pending");
    assert_int_equal(say(&ann, "ack 1 thanks"), 0);
    assert_string_equal(state_of(world, 1), "delivered");
    assert_int_equal(line_seen.delivered, 1);
    assert_string_equal(line_seen.ack, "thanks");
    advance(world, 100);
    assert_string_equal(next(&ann), "");
    assert_int_equal(say(&ann, "ack 1 again"), 0);
    assert_int_equal(line_seen.delivered, 1);
}

static void another_apps_note_cannot_be_acknowledged(void **state)
{
    join(&ann, world, "A1");
    send_note(world, "A2", "secret");
    assert_int_equal(say(&ann, "ack 1 mine"), 0);
    assert_string_equal(state_of(world, 1), "pending");
}

static void a_note_without_acknowledgement_is_sent_again_by_the_worlds_clock(void **state)
{
    join(&ann, world, "A1");
    next(&ann);
    send_note(world, "A1", "one");
    next(&ann);
    advance(world, 9);
    assert_string_equal(next(&ann), "");
    advance(world, 1);
    assert_string_equal(next(&ann), "{\"type\":\"note\",\"id\":1,\"text\":\"one\",\"attempt\":2}");
    advance(world, 20);
    assert_string_equal(next(&ann), "{\"type\":\"note\",\"id\":1,\"text\":\"one\",\"attempt\":3}");
    assert_int_equal(line_seen.given_up, 0);
    advance(world, 20);
    assert_string_equal(next(&ann), "");
    assert_int_equal(line_seen.given_up, 1);
    assert_string_equal(state_of(world, 1), "given up");
}

static void the_next_attempt_goes_to_another_connection(void **state)
{
    join(&ann, world, "A1");
    join(&ben, world, "A1");
    ann.n = ben.n = 0;
    send_note(world, "A1", "one");
    assert_int_equal(ann.n + ben.n, 1);
    advance(world, 10);
    assert_int_equal(ann.n, 1);
    assert_int_equal(ben.n, 1);
}

static void what_a_lost_connection_had_goes_to_another(void **state)
{
    join(&ann, world, "A1");
    send_note(world, "A1", "one");
    join(&ben, world, "A1");
    assert_int_equal(ben.n, 1); /* hello */
    next(&ben);
    leave(&ann);
    assert_string_equal(next(&ben), "{\"type\":\"note\",\"id\":1,\"text\":\"one\",\"attempt\":2}");
    leave(&ben);
    assert_int_equal(line_seen.given_up, 0);
    join(&ben, world, "A1");
    next(&ben);
    assert_string_equal(next(&ben), "{\"type\":\"note\",\"id\":1,\"text\":\"one\",\"attempt\":3}");
    leave(&ben);
    assert_int_equal(line_seen.given_up, 1);
}

static void *leave_first(void *arg)
{
    leave(&ann);
    return arg;
}

/* Until its end is in the world, a connection has what it was sent. */
static void what_an_ending_connection_has_goes_to_another_once(void **state)
{
    pthread_t thread;
    join(&ann, world, "A1");
    send_note(world, "A1", "one");
    join(&ben, world, "A1");
    struct world *w = world_take(engine, world, &err);
    assert_int_equal(pthread_create(&thread, NULL, leave_first, NULL), 0);
    while (session_count(engine, world, "app:A1") != 1)
        sched_yield();
    session_pump(engine, w, "app:A1", 1, INT64_MAX);
    world_drop(w);
    pthread_join(thread, NULL);
    next(&ben);
    assert_string_equal(next(&ben), "{\"type\":\"note\",\"id\":1,\"text\":\"one\",\"attempt\":2}");
    assert_string_equal(next(&ben), "");
}

static void notes_wait_for_a_connection(void **state)
{
    send_note(world, "A1", "one");
    send_note(world, "A2", "two");
    send_note(world, "A1", "three");
    join(&ann, world, "A1");
    next(&ann);
    assert_string_equal(next(&ann), "{\"type\":\"note\",\"id\":1,\"text\":\"one\",\"attempt\":1}");
    assert_string_equal(next(&ann),
                        "{\"type\":\"note\",\"id\":3,\"text\":\"three\",\"attempt\":1}");
    assert_string_equal(next(&ann), "");
}

struct first_frame {
    bool any, hello;
};

static void keep_first(void *arg, const char *data, size_t len)
{
    static const char hello[] = "{\"type\":\"hello\"";
    struct first_frame *f = arg;
    if (!f->any)
        f->hello = len > sizeof hello && memcmp(data, hello, sizeof hello - 1) == 0;
    f->any = true;
}

static void ignore_close(void *arg, int code, const char *reason)
{
}

static void *send_notes(void *arg)
{
    _Atomic bool *stop = arg;
    while (!*stop) {
        struct sosia_request r = {.method = "POST", .target = "/notes?app=A1&text=x"};
        struct sosia_response *res = NULL;
        sosia_call(engine, world, &r, &res, NULL);
        sosia_response_free(res);
    }
    return NULL;
}

/* Whatever happens in the world between the handshake and the service's greeting. */
static void the_greeting_is_the_first_frame(void **state)
{
    static const struct sosia_session_calls calls = {.send = keep_first, .close = ignore_close};
    struct sosia_request r = {.method = "GET", .target = "/line?app=A1"};
    _Atomic bool stop = false;
    pthread_t thread;
    int n_greeted = 0;
    assert_int_equal(pthread_create(&thread, NULL, send_notes, &stop), 0);
    for (int i = 0; i < 300; i++) {
        struct first_frame first = {0};
        struct sosia_session *session = NULL;
        struct sosia_response *res = NULL;
        if (sosia_session_open(engine, world, &r, &calls, &first, &session, &res, &err) == 0 &&
            first.hello)
            n_greeted++;
        sosia_response_free(res);
        sosia_session_close(session, 1006);
    }
    stop = true;
    pthread_join(thread, NULL);
    assert_int_equal(n_greeted, 300);
}

/* ---- worlds ---- */

static void a_fork_has_no_sessions_and_sends_nothing_of_its_parent(void **state)
{
    uint64_t fork, heir;
    struct sosia_fork_options inherit = {.inherit_deliveries = true};
    join(&ann, world, "A1");
    send_note(world, "A1", "one");
    assert_int_equal(sosia_world_fork(engine, world, NULL, &fork, &err), 0);
    assert_int_equal(sosia_world_fork(engine, world, &inherit, &heir, &err), 0);
    ann.n = ann.at = 0;
    send_note(fork, "A1", "forked");
    assert_int_equal(ann.n, 0);
    join(&ben, fork, "A1");
    next(&ben);
    assert_string_equal(next(&ben),
                        "{\"type\":\"note\",\"id\":2,\"text\":\"forked\",\"attempt\":1}");
    advance(fork, 100);
    assert_string_equal(next(&ben),
                        "{\"type\":\"note\",\"id\":2,\"text\":\"forked\",\"attempt\":2}");
    leave(&ben);
    ben.n = ben.at = 0;
    join(&ben, heir, "A1");
    next(&ben);
    assert_string_equal(next(&ben), "{\"type\":\"note\",\"id\":1,\"text\":\"one\",\"attempt\":1}");
}

static void a_reset_ends_sessions(void **state)
{
    join(&ann, world, "A1");
    send_note(world, "A1", "one");
    assert_int_equal(sosia_world_reset(engine, world, &err), 0);
    assert_int_equal(ann.close_code, 1012);
    assert_string_equal(ann.reason, "the world was reset");
    assert_int_equal(say(&ann, "hi"), -1);
    leave(&ann);
    assert_int_equal(line_seen.closed, 0); /* the world does not notice */
    join(&ben, world, "A1");
    assert_int_equal(ben.n, 1);
}

static void a_dropped_worlds_sessions_end(void **state)
{
    join(&ann, world, "A1");
    assert_int_equal(sosia_world_drop(engine, world, &err), 0);
    assert_int_equal(ann.close_code, 1012);
    leave(&ann);
}

static void an_imported_world_sends_nothing_that_was_pending(void **state)
{
    char path[] = "/tmp/sosia-sessions-XXXXXX";
    uint64_t back;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    send_note(world, "A1", "one");
    assert_int_equal(export_and_import(engine, world), 0);
    assert_int_equal(sosia_world_export(engine, world, path, &err), 0);
    assert_int_equal(sosia_world_import(engine, path, NULL, &back, &err), 0);
    unlink(path);
    join(&ann, back, "A1");
    assert_int_equal(ann.n, 1);
    advance(back, 100);
    assert_int_equal(ann.n, 1);
}

/* The same calls and turns: the same world, whatever is connected. */
static void a_replay_needs_no_connections(void **state)
{
    char a[65], b[65];
    uint64_t fork;
    assert_int_equal(sosia_world_fork(engine, world, NULL, &fork, &err), 0);
    join(&ann, world, "A1");
    send_note(world, "A1", "one");
    advance(world, 10);
    join(&ben, fork, "A1");
    leave(&ben);
    send_note(fork, "A1", "one");
    advance(fork, 10);
    assert_int_equal(sosia_world_hash(engine, world, a, &err), 0);
    assert_int_equal(sosia_world_hash(engine, fork, b, &err), 0);
    assert_string_equal(a, b);
    assert_string_equal(state_of(world, 1), "pending");
    assert_string_equal(state_of(fork, 1), "pending");
}

/* ---- on disk ---- */

/* What comes from the store's thread. */
static const char *wait_for(struct client *c)
{
    for (int i = 0; i < 30000 && c->at >= __atomic_load_n(&c->n, __ATOMIC_ACQUIRE); i++)
        usleep(1000);
    return next(c);
}

static void remove_dir(const char *dir)
{
    char path[300];
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        unlink(path);
    }
    closedir(d);
    rmdir(dir);
}

static void frames_wait_for_the_disk_and_a_restart_goes_on_with_what_is_pending(void **state)
{
    char dir[] = "/tmp/sosia-sessions-XXXXXX";
    struct sosia_world_options opt = {
        .seed_doc = line_doc, .seed_doc_len = strlen(line_doc), .name = "line"};
    struct sosia_engine_options on_disk = {.data_dir = dir};
    assert_non_null(mkdtemp(dir));
    sosia_engine_close(engine);
    assert_int_equal(engine_open(&on_disk, services, &engine, &err), 0);
    assert_int_equal(sosia_world_create(engine, &opt, &world, &err), 0);
    join(&ann, world, "A1");
    assert_string_equal(wait_for(&ann), "{\"type\":\"hello\",\"connections\":1}");
    send_note(world, "A1", "one");
    assert_string_equal(wait_for(&ann),
                        "{\"type\":\"note\",\"id\":1,\"text\":\"one\",\"attempt\":1}");
    assert_int_equal(say(&ann, "ack 1 yes"), 0);
    send_note(world, "A1", "two");
    wait_for(&ann);
    leave(&ann);
    sosia_engine_close(engine);
    assert_int_equal(engine_open(&on_disk, services, &engine, &err), 0);
    assert_int_equal(sosia_world_find(engine, "line", &world, &err), 0);
    join(&ben, world, "A1");
    wait_for(&ben);
    assert_string_equal(wait_for(&ben),
                        "{\"type\":\"note\",\"id\":2,\"text\":\"two\",\"attempt\":2}");
    leave(&ben);
    remove_dir(dir);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        T(the_handler_decides),
        T(a_plain_request_is_asked_to_upgrade),
        T(a_handshake_for_another_method_is_a_request),
        T(the_first_subprotocol_that_is_spoken_is_agreed_on),
        T(a_snapshot_opens_none),
        T(frames_are_answered_to_their_own_connection),
        T(turns_are_in_the_journal),
        T(a_turn_that_fails_ends_its_session),
        T(a_service_ends_a_session),
        T(a_note_goes_to_one_of_an_apps_connections),
        T(an_acknowledged_note_is_delivered),
        T(another_apps_note_cannot_be_acknowledged),
        T(a_note_without_acknowledgement_is_sent_again_by_the_worlds_clock),
        T(the_next_attempt_goes_to_another_connection),
        T(what_a_lost_connection_had_goes_to_another),
        T(what_an_ending_connection_has_goes_to_another_once),
        T(notes_wait_for_a_connection),
        T(the_greeting_is_the_first_frame),
        T(a_fork_has_no_sessions_and_sends_nothing_of_its_parent),
        T(a_reset_ends_sessions),
        T(a_dropped_worlds_sessions_end),
        T(an_imported_world_sends_nothing_that_was_pending),
        T(a_replay_needs_no_connections),
        T(frames_wait_for_the_disk_and_a_restart_goes_on_with_what_is_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
