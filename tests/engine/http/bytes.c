/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that are pulled or spooled, responses that are pulled. */
#include "tests/support/descriptors.h"
#include "tests/support/unit.h"
#include "tests/support/files.h"
#include "engine/base/codec.h"
#include "engine/http/call.h"
#include <gnutls/crypto.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define LARGE (3 << 20)

static const struct sosia_service *const services[] = {&files_service, NULL};
static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t world;
static char dir[64];
static struct sosia_response *res; /* the last call's */

static int open_with(const struct sosia_engine_options *opt)
{
    strcpy(dir, "/tmp/sosia-bytes-XXXXXX");
    struct sosia_engine_options o = *opt;
    if (!mkdtemp(dir))
        return -1;
    o.spool_dir = dir;
    if (engine_open(&o, services, &engine, &err) < 0)
        return -1;
    return sosia_world_create(engine, NULL, &world, &err);
}

static int open_engine(void **state)
{
    (void)state;
    return open_with(&(struct sosia_engine_options){0});
}

static int close_engine(void **state)
{
    (void)state;
    sosia_response_free(res); /* of a test that has failed */
    res = NULL;
    sosia_engine_close(engine);
    return rmdir(dir); /* nothing is left there */
}

/* ---- bodies ---- */

static char byte_at(int64_t i)
{
    return (char)(i * 2654435761u >> 13);
}

struct source {
    int64_t at, end, cut; /* cut: where reading fails; 0: nowhere */
    size_t step;
};

static int64_t give(void *arg, char *to, size_t size)
{
    struct source *s = arg;
    size_t n = 0, most = s->step && s->step < size ? s->step : size;
    if (s->cut && s->at >= s->cut)
        return -1;
    for (; n < most && s->at < s->end; n++)
        to[n] = byte_at(s->at++);
    return (int64_t)n;
}

static void digest(int64_t n, char hex[65])
{
    uint8_t sum[32];
    char *all = malloc((size_t)n + 1);
    for (int64_t i = 0; i < n; i++)
        all[i] = byte_at(i);
    gnutls_hash_fast(GNUTLS_DIG_SHA256, all, (size_t)n, sum);
    hex_encode(hex, sum, 32);
    free(all);
}

static int call(const struct sosia_request *r)
{
    sosia_response_free(res);
    res = NULL;
    return sosia_call(engine, world, r, &res, &err);
}

static int put_pulled(const char *target, struct source *s, int64_t length)
{
    return call(&(struct sosia_request){
        .method = "PUT", .target = target, .read = give, .read_arg = s, .length = length});
}

static void done(void)
{
    sosia_response_free(res);
    res = NULL;
}

static void assert_kept(int64_t n)
{
    char hex[65], expected[200];
    digest(n, hex);
    snprintf(expected, sizeof expected, "{\"length\":%lld,\"sha256\":\"%s\"}", (long long)n, hex);
    assert_int_equal(res->status, 200);
    assert_string_equal(res->body, expected);
}

/* The present response is the bytes [from, from + n). */
static void assert_pulled(int64_t from, int64_t n)
{
    char part[5000];
    int64_t at = 0, got;
    assert_non_null(res->read);
    assert_int_equal(res->length, n);
    assert_int_equal(res->body_len, 0);
    while ((got = res->read(res, at, part, sizeof part)) > 0)
        for (int64_t i = 0; i < got; i++, at++)
            if (part[i] != byte_at(from + at))
                fail_msg("byte %lld is another", (long long)at);
    assert_int_equal(got, 0);
    assert_int_equal(at, n);
    assert_int_equal(res->read(res, n + 1, part, 1), -1);
}

static int get(const char *target, const char *range, const char *if_range)
{
    struct sosia_header h[] = {{"Range", range}, {"If-Range", if_range}};
    return call(&(struct sosia_request){.method = "GET",
                                        .target = target,
                                        .headers = h,
                                        .n_headers = if_range ? 2
                                                     : range  ? 1
                                                              : 0});
}

static const char *header(const char *name)
{
    for (size_t i = 0; i < res->n_headers; i++)
        if (strcmp(res->headers[i].name, name) == 0)
            return res->headers[i].value;
    return NULL;
}

/* ---- tests ---- */

static void bodies_of_any_length_are_pulled(void **state)
{
    static const int64_t lengths[] = {0, 1, 65536, 1 << 20, (1 << 20) + 1, LARGE};
    static const size_t steps[] = {0, 1000};
    (void)state;
    int before = count_open();
    for (size_t i = 0; i < SOSIA_LEN(lengths); i++)
        for (size_t k = 0; k < 4; k++) {
            struct source s = {.end = lengths[i], .step = steps[k % 2]};
            assert_int_equal(put_pulled("/files/a", &s, k < 2 ? -1 : lengths[i]), 0);
            assert_kept(lengths[i]);
            assert_int_equal(get("/files/a", NULL, NULL), 0);
            if (lengths[i])
                assert_pulled(0, lengths[i]);
        }
    done();
    assert_int_equal(count_open(), before);
}

static uint64_t size_of(void)
{
    struct sosia_world_info info;
    assert_int_equal(sosia_world_info(engine, world, &info, &err), 0);
    return info.size;
}

static void wrong_lengths_leave_nothing(void **state)
{
    (void)state;
    int before = count_open();
    uint64_t size = size_of();
    for (int64_t n = 1000; n <= LARGE; n += LARGE - 1000) {
        struct source more = {.end = n + 1}, fewer = {.end = n - 1}, cut = {.end = n, .cut = n / 2};
        assert_int_equal(put_pulled("/files/a", &more, n), -1);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        assert_string_equal(err.reason, "length");
        assert_non_null(strstr(err.text, "has at least"));
        assert_int_equal(put_pulled("/files/a", &fewer, n), -1);
        assert_string_equal(err.reason, "length");
        assert_non_null(strstr(err.text, "has only"));
        assert_int_equal(put_pulled("/files/a", &cut, n), -1);
        assert_int_equal(err.code, SOSIA_E_IO);
        assert_string_equal(err.reason, "cut");
    }
    assert_int_equal(count_open(), before);
    assert_int_equal(size_of(), size);
    assert_int_equal(get("/files/a", NULL, NULL), 0);
    assert_int_equal(res->status, 404);
    done();
}

static void a_method_says_how_long_its_body_may_be(void **state)
{
    struct source s = {.end = 1};
    (void)state;
    const struct sosia_request put = {.method = "PUT", .target = "/files/a"},
                               note = {.method = "POST", .target = "/files/a/note"},
                               none = {.method = "PUT", .target = "/else"};
    assert_int_equal(sosia_body_max(engine, &put), FILES_MAX);
    assert_int_equal(sosia_body_max(engine, &note), 0);
    assert_int_equal(sosia_body_max(engine, &none), 0);
    assert_int_equal(put_pulled("/files/a", &s, FILES_MAX + 1), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    struct source endless = {.end = INT64_MAX};
    const struct sosia_request other = {.method = "POST",
                                        .target = "/files/a/note",
                                        .read = give,
                                        .read_arg = &endless,
                                        .length = -1};
    assert_int_equal(call(&other), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
}

static void a_body_is_spooled_by_its_caller(void **state)
{
    struct sosia_spool *s;
    char part[4096];
    (void)state;
    int before = count_open();
    assert_int_equal(sosia_spool_open(engine, LARGE, &s, &err), 0);
    for (int64_t at = 0; at < LARGE; at += (int64_t)sizeof part) {
        for (size_t i = 0; i < sizeof part; i++)
            part[i] = byte_at(at + (int64_t)i);
        assert_int_equal(sosia_spool_write(s, part, sizeof part, &err), 0);
    }
    assert_int_equal(sosia_spool_write(s, part, 1, &err), -1);
    assert_string_equal(err.reason, "tooLarge");
    struct sosia_request r = {.method = "PUT", .target = "/files/a", .spool = s};
    assert_int_equal(call(&r), 0);
    assert_kept(LARGE);
    uint64_t size = size_of();
    r.target = "/files/b"; /* the same bytes: nothing is written */
    assert_int_equal(call(&r), 0);
    assert_kept(LARGE);
    assert_true(size_of() < size + (64 << 10));
    r.target = "/files/b/note"; /* a row without it */
    r.method = "POST";
    assert_int_equal(call(&r), 0);
    assert_int_equal(res->status, 200);
    sosia_spool_free(s);
    done();
    assert_int_equal(count_open(), before);
}

struct caller {
    pthread_barrier_t *start;
    struct sosia_request request;
    struct sosia_response *response;
    pthread_t thread;
};

static void *call_with_others(void *arg)
{
    struct caller *c = arg;
    struct sosia_err why;
    pthread_barrier_wait(c->start);
    if (sosia_call(engine, world, &c->request, &c->response, &why) < 0)
        c->response = NULL;
    return NULL;
}

/* The first of them ends the body, which the others wait for. */
static void calls_at_once_have_one_spooled_body(void **state)
{
    static const char *const targets[] = {"/files/a", "/files/b", "/files/c", "/files/d"};
    char part[100 << 10];
    (void)state;
    for (size_t i = 0; i < sizeof part; i++)
        part[i] = byte_at((int64_t)i);
    for (int round = 0; round < 50; round++) {
        struct caller callers[SOSIA_LEN(targets)];
        pthread_barrier_t start;
        struct sosia_spool *s;
        pthread_barrier_init(&start, NULL, SOSIA_LEN(targets));
        assert_int_equal(sosia_spool_open(engine, LARGE, &s, &err), 0);
        assert_int_equal(sosia_spool_write(s, part, sizeof part, &err), 0);
        for (size_t i = 0; i < SOSIA_LEN(targets); i++) {
            callers[i] = (struct caller){
                .start = &start, .request = {.method = "PUT", .target = targets[i], .spool = s}};
            assert_int_equal(
                pthread_create(&callers[i].thread, NULL, call_with_others, &callers[i]), 0);
        }
        for (size_t i = 0; i < SOSIA_LEN(targets); i++) {
            pthread_join(callers[i].thread, NULL);
            sosia_response_free(res);
            res = callers[i].response;
            assert_non_null(res);
            assert_kept(sizeof part);
        }
        sosia_spool_free(s);
        pthread_barrier_destroy(&start);
    }
    done();
}

static void a_full_disk_is_said(void **state)
{
    struct rlimit before, small;
    struct source s = {.end = LARGE};
    (void)state;
    int open = count_open();
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 2 << 20;
    setrlimit(RLIMIT_FSIZE, &small);
    int rc = put_pulled("/files/a", &s, LARGE);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(rc, -1);
    assert_int_equal(err.code, SOSIA_E_FULL);
    assert_string_equal(err.reason, "spoolFull");
    assert_int_equal(count_open(), open);
    s.at = 0;
    assert_int_equal(put_pulled("/files/a", &s, LARGE), 0);
    assert_kept(LARGE);
    done();
}

/* The last piece is written by the call; what was not kept then is never taken for a body. */
static void a_disk_that_is_full_at_the_end_is_said(void **state)
{
    struct rlimit before, small;
    struct sosia_spool *s;
    char part[4096];
    (void)state;
    memset(part, 'x', sizeof part);
    assert_int_equal(sosia_spool_open(engine, LARGE, &s, &err), 0);
    for (int64_t at = 0; at < (2 << 20) + 8192; at += (int64_t)sizeof part)
        assert_int_equal(sosia_spool_write(s, part, sizeof part, &err), 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = (2 << 20) + 100;
    setrlimit(RLIMIT_FSIZE, &small);
    const struct sosia_request r = {.method = "PUT", .target = "/files/a", .spool = s};
    int rc = call(&r);
    setrlimit(RLIMIT_FSIZE, &before);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rc, 0);
        assert_int_equal(res->status, 507);
        rc = call(&r); /* there is room now, but a part of it is lost */
    }
    sosia_spool_free(s);
    assert_int_equal(get("/files/a", NULL, NULL), 0);
    assert_int_equal(res->status, 404);
    done();
}

static int open_small_world(void **state)
{
    (void)state;
    return open_with(&(struct sosia_engine_options){.max_world_size = 2 << 20});
}

static void a_full_world_keeps_what_it_had(void **state)
{
    struct source small = {.end = 1000}, s = {.end = LARGE};
    (void)state;
    assert_int_equal(put_pulled("/files/a", &small, -1), 0);
    const struct sosia_request put = {.method = "PUT", .target = "/files/a"};
    assert_int_equal(sosia_body_max(engine, &put), 2 << 20);
    assert_int_equal(put_pulled("/files/a", &s, LARGE), 0);
    assert_int_equal(res->status, 507);
    assert_int_equal(get("/files/a", NULL, NULL), 0);
    assert_pulled(0, 1000);
    done();
}

static void ranges_are_given(void **state)
{
    struct source s = {.end = LARGE};
    (void)state;
    assert_int_equal(put_pulled("/files/a", &s, LARGE), 0);
    assert_int_equal(get("/files/a", "bytes=70000-1200000", NULL), 0);
    assert_int_equal(res->status, 206);
    assert_string_equal(header("Content-Range"), "bytes 70000-1200000/3145728");
    assert_pulled(70000, 1130001);
    assert_int_equal(get("/files/a", "bytes=-5", "\"one\""), 0);
    assert_int_equal(res->status, 206);
    assert_pulled(LARGE - 5, 5);
    static const char *const whole[][2] = {{"bytes=0-9", "\"two\""},
                                           {"bytes=0-9,20-29", NULL},
                                           {"bytes=x", NULL},
                                           {"lines=1-2", NULL}};
    for (size_t i = 0; i < SOSIA_LEN(whole); i++) {
        assert_int_equal(get("/files/a", whole[i][0], whole[i][1]), 0);
        assert_int_equal(res->status, 200);
        assert_null(header("Content-Range"));
        assert_pulled(0, LARGE);
    }
    assert_int_equal(get("/files/a", "bytes=3145728-", NULL), 0);
    assert_int_equal(res->status, 416);
    assert_string_equal(header("Content-Range"), "bytes */3145728");
    assert_null(res->read);
    done();
}

static void later_calls_do_not_change_an_answer(void **state)
{
    struct source s = {.end = LARGE}, other = {.end = 100};
    struct sosia_response *kept;
    (void)state;
    assert_int_equal(put_pulled("/files/a", &s, LARGE), 0);
    assert_int_equal(get("/files/a", NULL, NULL), 0);
    kept = res;
    res = NULL;
    assert_int_equal(put_pulled("/files/a", &other, 100), 0); /* the large blob is deleted */
    assert_int_equal(sosia_world_drop(engine, world, &err), 0);
    done();
    res = kept;
    assert_pulled(0, LARGE);
    done();
}

static void a_call_that_writes_gives_what_it_wrote(void **state)
{
    struct source s = {.end = LARGE};
    (void)state;
    assert_int_equal(call(&(struct sosia_request){.method = "POST",
                                                  .target = "/files/a/echo",
                                                  .read = give,
                                                  .read_arg = &s,
                                                  .length = LARGE}),
                     0);
    assert_int_equal(res->status, 200);
    assert_pulled(0, LARGE);
    done();
}

static void the_journal_has_lengths_and_digests(void **state)
{
    struct source s = {.end = LARGE};
    struct sosia_blob json;
    char hex[65], expected[200];
    (void)state;
    digest(LARGE, hex);
    assert_int_equal(call(&(struct sosia_request){.method = "POST",
                                                  .target = "/files/a/echo",
                                                  .read = give,
                                                  .read_arg = &s,
                                                  .length = LARGE}),
                     0);
    assert_int_equal(sosia_journal_list(engine, world, 0, 0, true, &json, &err), 0);
    snprintf(expected, sizeof expected, "\"blob_sha256\": \"%s\"", hex);
    assert_non_null(strstr(json.data, expected));
    assert_non_null(strstr(json.data, "\"xxh3\": \""));
    sosia_blob_free(&json);
    done();
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
    const struct CMUnitTest tests[] = {
        T(bodies_of_any_length_are_pulled),
        T(wrong_lengths_leave_nothing),
        T(a_method_says_how_long_its_body_may_be),
        T(a_body_is_spooled_by_its_caller),
        T(calls_at_once_have_one_spooled_body),
        T(a_full_disk_is_said),
        T(a_disk_that_is_full_at_the_end_is_said),
        cmocka_unit_test_setup_teardown(a_full_world_keeps_what_it_had, open_small_world,
                                        close_engine),
        T(ranges_are_given),
        T(later_calls_do_not_change_an_answer),
        T(a_call_that_writes_gives_what_it_wrote),
        T(the_journal_has_lengths_and_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
