/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller of the library may do wrong: handles that are foreign, closed, freed twice or a
 * parent's, structs of another size, pointers that are NULL, and bytes that are not text. */
#include "engine/base/taken.h"
#include "tests/support/world.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOC                                                                                        \
    "{\"sosia\": 1, \"time\": \"2026-03-02T09:00:00Z\", \"people\": [{\"email\": "                 \
    "\"ann@example.com\", "                                                                        \
    "\"name\": "                                                                                   \
    "\"Ann\"}]}"
#define EVENTS "/calendar/v3/calendars/primary/events"

static int open_world(void **state)
{
    (void)state;
    return test_open(DOC);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

static void is_bad(int rc, enum sosia_code code, const char *reason)
{
    assert_int_equal(rc, -1);
    assert_int_equal(test_err.code, code);
    assert_string_equal(test_err.reason, reason);
    test_err = (struct sosia_err){0};
}

static struct sosia_response *call(struct sosia_engine *e, uint64_t world)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer("ann@example.com", NULL)}};
    const struct sosia_request r = {
        .method = "GET", .target = EVENTS, .headers = headers, .n_headers = 1};
    struct sosia_response *response = NULL;
    assert_int_equal(sosia_call(e, world, &r, &response, &test_err), 0);
    return response;
}

/* ---- engines ---- */

static void closed_engine(void **state)
{
    (void)state;
    struct sosia_engine *e, *again;
    uint64_t world;
    int64_t now;
    struct sosia_engine_info info = {.worlds = 7};
    const struct sosia_request r = {.method = "GET", .target = EVENTS};
    struct sosia_response *response = NULL;
    assert_int_equal(sosia_engine_open(NULL, &e, &test_err), 0);
    assert_int_equal(sosia_world_create(e, NULL, &world, &test_err), 0);
    assert_int_equal(sosia_engine_close(e), 0);
    assert_int_equal(sosia_engine_close(e), -1);
    is_bad(sosia_world_create(e, NULL, &world, &test_err), SOSIA_E_HANDLE, "handleClosed");
    is_bad(sosia_clock_get(e, world, &now, &test_err), SOSIA_E_HANDLE, "handleClosed");
    is_bad(sosia_call(e, world, &r, &response, &test_err), SOSIA_E_HANDLE, "handleClosed");
    is_bad(sosia_world_drop(e, world, &test_err), SOSIA_E_HANDLE, "handleClosed");
    assert_int_equal(sosia_engine_info(e, &info), -1);
    assert_int_equal(info.worlds, 7);
    assert_int_equal(sosia_interrupt(e, 0), -1);
    assert_int_equal(sosia_engine_sweep(e), -1);
    assert_null(response);
    /* One that is opened now is another one, and lives when the old one is closed once more. */
    assert_int_equal(sosia_engine_open(NULL, &again, &test_err), 0);
    assert_ptr_not_equal(again, e);
    assert_int_equal(sosia_engine_close(e), -1);
    assert_int_equal(sosia_world_create(again, NULL, &world, &test_err), 0);
    assert_int_equal(sosia_engine_close(again), 0);
    assert_int_equal(sosia_engine_close(NULL), 0);
}

static void foreign_engine(void **state)
{
    (void)state;
    char *heap = calloc(1, 4096), on_stack[256] = {0};
    const uintptr_t wild[] = {1,
                              64,
                              (uintptr_t)heap,
                              (uintptr_t)on_stack,
                              (uintptr_t)test_engine + 64,
                              (uintptr_t)test_engine - 65536,
                              (uintptr_t)&open_world,
                              UINTPTR_MAX,
                              UINTPTR_MAX & ~(uintptr_t)65535};
    uint64_t world;
    for (size_t i = 0; i < SOSIA_LEN(wild); i++) {
        void *p = (void *)wild[i];
        is_bad(sosia_world_create(p, NULL, &world, &test_err), SOSIA_E_HANDLE, "handleUnknown");
        assert_int_equal(sosia_engine_close(p), -1);
        assert_int_equal(sosia_response_free(p), -1);
        assert_int_equal(sosia_suite_close(p), -1);
        assert_int_equal(sosia_spool_free(p), -1);
        assert_int_equal(sosia_session_close(p, 1000), -1);
        assert_int_equal(sosia_stream_take(p, on_stack, 1), -1);
    }
    is_bad(sosia_world_create(NULL, NULL, &world, &test_err), SOSIA_E_HANDLE, "handleNull");
    /* A handle of another kind. */
    assert_int_equal(sosia_response_free((void *)test_engine), -1);
    struct sosia_response *response = call(test_engine, test_world);
    assert_int_equal(sosia_engine_close((void *)response), -1);
    assert_int_equal(sosia_response_free(response), 0);
    free(heap);
}

static void dropped_world(void **state)
{
    (void)state;
    uint64_t fork, other;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    assert_int_equal(sosia_world_drop(test_engine, fork, &test_err), 0);
    is_bad(sosia_world_drop(test_engine, fork, &test_err), SOSIA_E_NOT_FOUND, "worldNotFound");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &other, &test_err), 0);
    assert_int_not_equal(fork, other);
    is_bad(sosia_world_drop(test_engine, fork, &test_err), SOSIA_E_NOT_FOUND, "worldNotFound");
    is_bad(sosia_world_fork(test_engine, 0, NULL, &other, &test_err), SOSIA_E_NOT_FOUND,
           "worldNotFound");
}

/* ---- what is given out ---- */

static void freed_response(void **state)
{
    (void)state;
    struct sosia_response *r = call(test_engine, test_world), *next[300];
    assert_int_equal(r->status, 200);
    assert_int_equal(sosia_response_free(r), 0);
    assert_int_equal(r->status, 0);
    assert_int_equal(r->n_headers, 0);
    assert_string_equal(r->body, "");
    assert_int_equal(sosia_response_free(r), -1);
    /* Those of the next calls are others, and are not freed with it. */
    for (size_t i = 0; i < SOSIA_LEN(next); i++) {
        next[i] = call(test_engine, test_world);
        assert_int_equal(sosia_response_free(r), -1);
        assert_int_equal(next[i]->status, 200);
        if (i >= 100)
            assert_int_equal(sosia_response_free(next[i - 100]), 0);
    }
    for (size_t i = SOSIA_LEN(next) - 100; i < SOSIA_LEN(next); i++)
        assert_int_equal(sosia_response_free(next[i]), 0);
    assert_int_equal(sosia_response_free(NULL), 0);
}

static void freed_blob(void **state)
{
    (void)state;
    struct sosia_blob blob, copy, own = {.data = malloc(8), .len = 3};
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &test_err), 0);
    copy = blob;
    assert_int_equal(sosia_blob_free(&blob), 0);
    assert_null(blob.data);
    assert_int_equal(sosia_blob_free(&blob), 0);
    assert_int_equal(sosia_blob_free(&copy), -1);
    assert_null(copy.data);
    char *data = own.data;
    assert_int_equal(sosia_blob_free(&own), -1);
    free(data);
    assert_int_equal(sosia_blob_free(NULL), 0);
    /* Many at once, freed in another order. */
    struct sosia_blob many[500];
    for (size_t i = 0; i < SOSIA_LEN(many); i++)
        assert_int_equal(sosia_actor_list(test_engine, test_world, 0, 0, &many[i], &test_err), 0);
    for (size_t i = 0; i < SOSIA_LEN(many); i++) {
        struct sosia_blob *b = &many[i * 7 % SOSIA_LEN(many)];
        struct sosia_blob second = *b;
        assert_int_equal(sosia_blob_free(b), 0);
        assert_int_equal(sosia_blob_free(&second), -1);
    }
}

static void closed_suite_and_spool(void **state)
{
    (void)state;
    static const char doc[] =
        "{\"version\": \"1\", \"assertions\": [{\"diff_type\": \"unchanged\", "
        "\"entity\": \"event\"}]}";
    struct sosia_suite *suite;
    struct sosia_spool *spool;
    struct sosia_blob blob;
    assert_int_equal(sosia_suite_open(doc, sizeof doc - 1, NULL, &suite, &test_err), 0);
    assert_int_equal(sosia_suite_close(suite), 0);
    assert_int_equal(sosia_suite_close(suite), -1);
    is_bad(sosia_suite_list(suite, &blob, &test_err), SOSIA_E_HANDLE, "handleClosed");
    is_bad(sosia_grade(test_engine, suite, NULL, 0, test_world, &blob, &test_err), SOSIA_E_HANDLE,
           "handleClosed");
    assert_int_equal(sosia_spool_open(test_engine, 100, &spool, &test_err), 0);
    assert_int_equal(sosia_spool_write(spool, "x", 1, &test_err), 0);
    assert_int_equal(sosia_spool_free(spool), 0);
    assert_int_equal(sosia_spool_free(spool), -1);
    is_bad(sosia_spool_write(spool, "x", 1, &test_err), SOSIA_E_HANDLE, "handleClosed");
    const struct sosia_request r = {.method = "POST", .target = EVENTS, .spool = spool};
    struct sosia_response *response;
    is_bad(sosia_call(test_engine, test_world, &r, &response, &test_err), SOSIA_E_HANDLE,
           "handleClosed");
}

/* Two threads that free the same: one of them does. */
struct race {
    struct sosia_response *response;
    _Atomic(int) freed, ready;
};

static void *free_it(void *arg)
{
    struct race *race = arg;
    race->ready++;
    while (race->ready < 2)
        ;
    if (sosia_response_free(race->response) == 0)
        race->freed++;
    return NULL;
}

static void freed_by_two(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct race race = {.response = call(test_engine, test_world)};
        pthread_t other;
        assert_int_equal(pthread_create(&other, NULL, free_it, &race), 0);
        free_it(&race);
        pthread_join(other, NULL);
        assert_int_equal(race.freed, 1);
    }
}

/* ---- processes ---- */

static int in_child(struct sosia_response *parents)
{
    struct sosia_engine *own;
    uint64_t world;
    struct sosia_err err = {0};
    if (sosia_world_fork(test_engine, test_world, NULL, &world, &err) != -1 ||
        err.code != SOSIA_E_HANDLE || strcmp(err.reason, "handleForked") != 0)
        return 1;
    if (sosia_engine_close(test_engine) != -1 || sosia_response_free(parents) != -1 ||
        sosia_interrupt(test_engine, 0) != -1)
        return 2;
    if (sosia_engine_open(NULL, &own, &err) < 0)
        return 3;
    const struct sosia_world_options options = {.seed_doc = DOC, .seed_doc_len = strlen(DOC)};
    if (sosia_world_create(own, &options, &world, &err) < 0)
        return 4;
    return sosia_engine_close(own) == 0 ? 0 : 5;
}

static void *keeps_calling(void *arg)
{
    _Atomic(bool) *stop = arg;
    while (!*stop) {
        struct sosia_blob blob;
        uint64_t fork;
        if (sosia_world_fork(test_engine, test_world, NULL, &fork, NULL) == 0) {
            if (sosia_world_dump(test_engine, fork, &blob, NULL) == 0)
                sosia_blob_free(&blob);
            sosia_world_drop(test_engine, fork, NULL);
        }
    }
    return NULL;
}

static void forked_process(void **state)
{
    (void)state;
    struct sosia_response *r = call(test_engine, test_world);
    _Atomic(bool) stop = false;
    pthread_t busy;
    int status;
    assert_int_equal(pthread_create(&busy, NULL, keeps_calling, &stop), 0);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    /* A thread that runs, or only ends, may hold locks of theirs, which a child then waits for. */
    stop = true;
    pthread_join(busy, NULL);
#endif
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            alarm(60);
            _exit(in_child(r));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    stop = true;
    pthread_join(busy, NULL);
#endif
    assert_int_equal(r->status, 200);
    assert_int_equal(sosia_response_free(r), 0);
}

/* ---- structs that grow ---- */

static void struct_sizes(void **state)
{
    (void)state;
    struct sosia_fork_options o = {.seed = 5};
    struct later {
        struct sosia_fork_options known;
        uint64_t more[4];
    } later = {.known = {.size = sizeof later, .seed = 5}};
    uint64_t fork;
    assert_int_equal(sosia_world_fork(test_engine, test_world, &o, &fork, &test_err), 0);
    o.size = sizeof o;
    assert_int_equal(sosia_world_fork(test_engine, test_world, &o, &fork, &test_err), 0);
    assert_int_equal(sosia_world_fork(test_engine, test_world, &later.known, &fork, &test_err), 0);
    later.more[3] = 1;
    is_bad(sosia_world_fork(test_engine, test_world, &later.known, &fork, &test_err),
           SOSIA_E_INVALID, "structSize");
    const size_t wrong[] = {1, 7, sizeof o - 1, 4097, SIZE_MAX, (size_t)1 << 63};
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        struct sosia_request r = {.size = wrong[i], .method = "GET", .target = EVENTS};
        struct sosia_engine_options engine = {.size = wrong[i]};
        struct sosia_world_options world = {.size = wrong[i]};
        struct sosia_token_options token = {.size = wrong[i], .actor = "ann@example.com"};
        struct sosia_diff_options diff = {.size = wrong[i] == 7 ? 15 : wrong[i]};
        struct sosia_journal_query query = {.size = wrong[i]};
        struct sosia_replay_options replay = {.size = wrong[i]};
        struct sosia_outcome outcome = {.size = wrong[i]};
        struct sosia_engine *e = NULL;
        struct sosia_response *response = NULL;
        struct sosia_blob blob;
        char text[SOSIA_TOKEN_MAX];
        int64_t next;
        o.size = wrong[i];
        is_bad(sosia_world_fork(test_engine, test_world, &o, &fork, &test_err), SOSIA_E_INVALID,
               "structSize");
        is_bad(sosia_call(test_engine, test_world, &r, &response, &test_err), SOSIA_E_INVALID,
               "structSize");
        is_bad(sosia_engine_open(&engine, &e, &test_err), SOSIA_E_INVALID, "structSize");
        is_bad(sosia_world_create(test_engine, &world, &fork, &test_err), SOSIA_E_INVALID,
               "structSize");
        is_bad(sosia_token_issue(test_engine, test_world, &token, text, sizeof text, &test_err),
               SOSIA_E_INVALID, "structSize");
        if (wrong[i] != sizeof o - 1) /* which is a later size of this one */
            is_bad(sosia_diff(test_engine, 0, test_world, &diff, &blob, &test_err), SOSIA_E_INVALID,
                   "structSize");
        is_bad(sosia_journal_find(test_engine, test_world, &query, &blob, &next, &test_err),
               SOSIA_E_INVALID, "structSize");
        is_bad(sosia_journal_replay(test_engine, test_world, &replay, NULL, &blob, &test_err),
               SOSIA_E_INVALID, "structSize");
        is_bad(sosia_delivery_outcome(test_engine, test_world, 1, 1, &outcome, NULL, &test_err),
               SOSIA_E_INVALID, "structSize");
    }
}

/* As they will be when a struct has grown: an old caller's is shorter. */
static void struct_grows(void **state)
{
    (void)state;
    struct {
        size_t size;
        int64_t a, b, added;
    } old = {.a = 1, .b = 2, .added = 77}, now;
    assert_int_equal(taken_struct(&now, sizeof now, &old, 24, "it", &test_err), 0);
    assert_int_equal(now.b, 2);
    assert_int_equal(now.added, 0); /* size 0: the first release's, which did not have it */
    old.size = 24;
    assert_int_equal(taken_struct(&now, sizeof now, &old, 24, "it", &test_err), 0);
    assert_int_equal(now.added, 0);
    old.size = sizeof old;
    assert_int_equal(taken_struct(&now, sizeof now, &old, 24, "it", &test_err), 0);
    assert_int_equal(now.added, 77);
    assert_int_equal(now.size, sizeof now);
}

/* ---- arguments ---- */

static void null_pointers(void **state)
{
    (void)state;
    struct sosia_engine *e = test_engine;
    uint64_t w = test_world;
    struct sosia_response *response = NULL;
    const struct sosia_header nameless = {.value = "x"}, empty = {.name = "x"};
    const struct sosia_request requests[] = {
        {.target = EVENTS},
        {.method = "GET"},
        {.method = "GET", .target = EVENTS, .n_headers = 1},
        {.method = "GET", .target = EVENTS, .headers = &nameless, .n_headers = 1},
        {.method = "GET", .target = EVENTS, .headers = &empty, .n_headers = 1},
        {.method = "POST", .target = EVENTS, .body_len = 5}};
    for (size_t i = 0; i < SOSIA_LEN(requests); i++) {
        is_bad(sosia_call(e, w, &requests[i], &response, &test_err), SOSIA_E_INVALID, "required");
        assert_false(sosia_head_refused(e, w, &requests[i]));
        assert_int_equal(sosia_body_max(e, &requests[i]), -1);
    }
    is_bad(sosia_call(e, w, NULL, &response, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_call(e, w, &requests[0], NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_engine_open(NULL, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_fork(e, w, NULL, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_info(e, w, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_list(e, 0, NULL, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_find(e, NULL, &w, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_dump(e, w, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_diff(e, w, w, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_hash(e, w, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_seed(e, w, NULL, 0, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_export(e, w, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_world_import(e, NULL, NULL, &w, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_diff(e, 0, w, NULL, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_clock_get(e, w, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_actor_list(e, w, 0, 0, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_token_issue(e, w, NULL, NULL, 0, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_token_issue(e, w, &(struct sosia_token_options){0}, (char[8]){0}, 8, &test_err),
           SOSIA_E_INVALID, "required");
    is_bad(sosia_token_revoke(e, w, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_credential(e, w, NULL, NULL, NULL, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_journal_list(e, w, 0, 0, false, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_journal_info(e, w, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_outbox_list(e, w, 0, 0, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_suite_open(NULL, 5, NULL, NULL, &test_err), SOSIA_E_INVALID, "required");
    is_bad(sosia_journal_verify(NULL, 5, NULL, NULL, NULL, NULL, &test_err), SOSIA_E_INVALID,
           "required");
    is_bad(sosia_data_check(NULL, NULL, NULL, NULL, &test_err), SOSIA_E_INVALID, "required");
    assert_int_equal(sosia_call(e, w, NULL, NULL, NULL), -1); /* without err too */
    assert_null(response);
}

static void bad_text(void **state)
{
    (void)state;
    static const char bad[] = "\xff\xc3(\xe2\x82 ann";
    struct sosia_engine *e = test_engine;
    uint64_t w;
    struct sosia_suite *suite;
    struct sosia_blob blob;
    char token[SOSIA_TOKEN_MAX];
    const struct sosia_world_options options = {.name = bad};
    const struct sosia_token_options t = {.actor = bad};
    assert_int_equal(sosia_world_create(e, &options, &w, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_int_equal(sosia_world_seed(e, test_world, bad, sizeof bad - 1, bad, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_int_equal(sosia_token_issue(e, test_world, &t, token, sizeof token, &test_err), -1);
    assert_int_equal(sosia_suite_open(bad, sizeof bad - 1, bad, &suite, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_int_equal(sosia_world_find(e, bad, &w, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    assert_int_equal(
        sosia_credential(e, test_world, bad, "ann@example.com", "http://x", &blob, &test_err), -1);
    const struct sosia_header headers[] = {{"Authorization", test_bearer("ann@example.com", NULL)},
                                           {bad, bad},
                                           {"Content-Type", "application/json"}};
    const struct sosia_request requests[] = {
        {.method = bad, .target = EVENTS, .headers = headers, .n_headers = 3},
        {.method = "GET", .target = bad, .headers = headers, .n_headers = 3},
        {.method = "GET",
         .target = "/calendar/v3/calendars/\xff/events?q=\xc3(",
         .headers = headers,
         .n_headers = 3},
        {.method = "POST",
         .target = EVENTS,
         .headers = headers,
         .n_headers = 3,
         .body = bad,
         .body_len = sizeof bad - 1},
        {.method = "GET", .target = EVENTS, .headers = headers, .n_headers = 3, .base_url = bad}};
    for (size_t i = 0; i < SOSIA_LEN(requests); i++) {
        struct sosia_response *r = NULL;
        assert_int_equal(sosia_call(e, test_world, &requests[i], &r, &test_err), 0);
        assert_true(i == 4 || (r->status >= 400 && r->status < 500));
        sosia_response_free(r);
    }
}

/* Memory that takes no place: all of it is one page of zero bytes. */
static void huge_body(void **state)
{
    (void)state;
    const size_t len = (size_t)1 << 31;
    char *body = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(body, MAP_FAILED);
    const struct sosia_header headers[] = {{"Authorization", test_bearer("ann@example.com", NULL)},
                                           {"Content-Type", "application/json"}};
    static const char *const targets[] = {EVENTS, "/gmail/v1/users/me/messages/send",
                                          "/api/chat.postMessage", "/mcp", "/nothing"};
    for (size_t i = 0; i < SOSIA_LEN(targets); i++) {
        const struct sosia_request r = {.method = "POST",
                                        .target = targets[i],
                                        .headers = headers,
                                        .n_headers = 2,
                                        .body = body,
                                        .body_len = len};
        struct sosia_response *response = NULL;
        if (sosia_call(test_engine, test_world, &r, &response, &test_err) == 0)
            assert_in_range(response->status, 400, 499);
        else
            assert_int_equal(test_err.code, SOSIA_E_TOO_LARGE);
        sosia_response_free(response);
    }
    struct sosia_suite *suite;
    assert_int_equal(sosia_world_seed(test_engine, test_world, body, len, NULL, &test_err), -1);
    assert_int_equal(sosia_suite_open(body, len, NULL, &suite, &test_err), -1);
    munmap(body, len);
}

/* A base's signed token is good in the base alone; a fork has its own, and a fixed one passes on.
 */
static void tokens_of_forks(void **state)
{
    (void)state;
    struct sosia_token_options of = {.actor = "ann@example.com"};
    char base[SOSIA_TOKEN_MAX], own[SOSIA_TOKEN_MAX], fixed[SOSIA_TOKEN_MAX], bearer[600];
    uint64_t fork;
    assert_int_equal(sosia_token_issue(test_engine, test_world, &of, base, sizeof base, &test_err),
                     0);
    of.value = "a-fixed-token-of-the-world";
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &of, fixed, sizeof fixed, &test_err), 0);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    of.value = NULL;
    assert_int_equal(sosia_token_issue(test_engine, fork, &of, own, sizeof own, &test_err), 0);
    const char *const tokens[] = {base, own, fixed};
    for (size_t i = 0; i < SOSIA_LEN(tokens); i++) {
        const struct sosia_header h = {"Authorization", bearer};
        const struct sosia_request r = {
            .method = "GET", .target = EVENTS, .headers = &h, .n_headers = 1};
        struct sosia_response *response;
        snprintf(bearer, sizeof bearer, "Bearer %s", tokens[i]);
        assert_int_equal(sosia_call(test_engine, fork, &r, &response, &test_err), 0);
        assert_int_equal(response->status, i ? 200 : 401);
        sosia_response_free(response);
    }
}

/* Five bytes of a file are read like gigabytes: body is empty, and read() has them. */
static void small_content(void **state)
{
    (void)state;
    const struct sosia_header headers[] = {{"Authorization", test_bearer("ann@example.com", NULL)},
                                           {"Content-Type", "text/plain"}};
    struct sosia_request r = {.method = "POST",
                              .target = "/upload/drive/v3/files?uploadType=media",
                              .headers = headers,
                              .n_headers = 2,
                              .body = "hello",
                              .body_len = 5};
    struct sosia_response *response;
    char target[200], text[16] = "";
    assert_int_equal(sosia_call(test_engine, test_world, &r, &response, &test_err), 0);
    const char *id = strstr(response->body, "\"id\": \"");
    assert_non_null(id);
    snprintf(target, sizeof target, "/drive/v3/files/%.*s?alt=media", (int)strcspn(id + 7, "\""),
             id + 7);
    sosia_response_free(response);
    r = (struct sosia_request){
        .method = "GET", .target = target, .headers = headers, .n_headers = 1};
    assert_int_equal(sosia_call(test_engine, test_world, &r, &response, &test_err), 0);
    assert_int_equal(response->status, 200);
    assert_int_equal(response->body_len, 0);
    assert_int_equal(response->length, 5);
    int64_t (*read)(struct sosia_response *, int64_t, char *, size_t) = response->read;
    assert_non_null(read);
    assert_int_equal(read(response, 0, text, sizeof text), 5);
    assert_string_equal(text, "hello");
    assert_int_equal(read(response, 0, NULL, 5), -1);
    sosia_response_free(response);
    assert_int_equal(read(response, 0, text, sizeof text), -1);
}

/* What hands on all headers takes them as one text, which says the same as the list. */
static void head_in_one(void **state)
{
    (void)state;
    const struct sosia_header headers[] = {{"Authorization", test_bearer("ann@example.com", NULL)}};
    struct sosia_request r = {
        .method = "GET", .target = EVENTS, .headers = headers, .n_headers = 1};
    for (int refused = 0; refused < 2; refused++) {
        struct sosia_response *s;
        r.target = refused ? EVENTS "?timeMin=x" : EVENTS;
        assert_int_equal(sosia_call(test_engine, test_world, &r, &s, &test_err), 0);
        assert_int_equal(s->status, refused ? 400 : 200);
        assert_int_equal(!s->why, !refused);
        assert_non_null(s->head);
        const char *p = s->head, *end = s->head + s->head_len;
        for (size_t i = 0; i < s->n_headers; i++) {
            assert_true(p < end);
            assert_string_equal(p, s->headers[i].name);
            p += strlen(p) + 1;
            assert_string_equal(p, s->headers[i].value);
            p += strlen(p) + 1;
        }
        if (refused) {
            assert_string_equal(p, s->why);
            p += strlen(p) + 1;
        }
        assert_ptr_equal(p, end);
        sosia_response_free(s);
        assert_null(s->head);
    }
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(closed_engine),  WITH(foreign_engine),  WITH(dropped_world),
        WITH(freed_response), WITH(freed_blob),      WITH(closed_suite_and_spool),
        WITH(freed_by_two),   WITH(forked_process),  WITH(struct_sizes),
        WITH(struct_grows),   WITH(null_pointers),   WITH(bad_text),
        WITH(huge_body),      WITH(tokens_of_forks), WITH(small_content),
        WITH(head_in_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
