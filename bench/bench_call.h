/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in process that must succeed, for benchmark programs. */
#ifndef SOSIA_BENCH_CALL_H
#define SOSIA_BENCH_CALL_H

#include "bench/bench.h"
#include "engine/base/buf.h"
#include "sosia.h"

/* bearer: the value of the header Authorization; body: JSON or NULL. The caller frees the answer. A
 * failure or a refusal ends the program. */
static inline struct sosia_response *bench_call(struct sosia_engine *engine, uint64_t world,
                                                const char *bearer, const char *method,
                                                const char *target, const char *body)
{
    struct sosia_header headers[] = {{"Authorization", bearer},
                                     {"Content-Type", "application/json"}};
    struct sosia_request req = {.method = method,
                                .target = target,
                                .headers = headers,
                                .n_headers = 2,
                                .body = body,
                                .body_len = body ? strlen(body) : 0};
    struct sosia_response *res;
    struct sosia_err err;
    if (sosia_call(engine, world, &req, &res, &err) < 0)
        bench_die(target, err.text);
    if (res->status >= 300) {
        fprintf(stderr, "%s %s: %d\n%s\n", method, target, res->status, res->body);
        exit(1);
    }
    return res;
}

/* A world of one person with so many small files in a workspace, a hundred a folder; bearer: the
 * value of the header Authorization, with a token that forks of the world have too. */
static inline uint64_t bench_workspace(struct sosia_engine *engine, int files, char *bearer,
                                       size_t size)
{
    const struct sosia_world_options wo = {.size = sizeof wo};
    const struct sosia_token_options to = {
        .size = sizeof to, .actor = "ada@bench.example", .value = "bench-token-of-ada"};
    char token[SOSIA_TOKEN_MAX];
    struct sosia_err err;
    struct buf b;
    uint64_t world;
    buf_init(&b, 0);
    buf_puts(&b, "{\"sosia\":1,\"people\":[{\"email\":\"ada@bench.example\",\"name\":\"Ada\"}],"
                 "\"workspace\":[");
    for (int i = 0; i < files; i++)
        buf_printf(
            &b,
            "%s{\"path\":\"d%d/f%d\",\"text\":\"number %d, and what there is to say of it\\n\"}",
            i ? "," : "", i / 100, i, i);
    buf_puts(&b, "]}");
    if (sosia_world_create(engine, &wo, &world, &err) < 0 ||
        sosia_world_seed(engine, world, buf_str(&b), b.len, "bench", &err) < 0 ||
        sosia_token_issue(engine, world, &to, token, sizeof token, &err) < 0)
        bench_die("world", err.text);
    buf_done(&b);
    snprintf(bearer, size, "Bearer %s", token);
    return world;
}

/* Calls a target n times (100 at most), which must succeed: the median of their CPU time in us. */
static inline double bench_gets(struct sosia_engine *engine, const char *bearer, const char *target,
                                int n)
{
    double times[100];
    struct sosia_header headers[] = {{"Authorization", bearer}};
    struct sosia_request r = {
        .method = "GET", .target = target, .headers = headers, .n_headers = 1};
    for (int i = 0; i < n; i++) {
        struct sosia_response *res;
        struct sosia_err err;
        double begun = bench_cpu();
        if (sosia_call(engine, 0, &r, &res, &err) < 0)
            bench_die(target, err.text);
        times[i] = bench_cpu() - begun;
        if (res->status != 200) {
            fprintf(stderr, "%s: %d %s\n", target, res->status, res->body);
            exit(1);
        }
        sosia_response_free(res);
    }
    return bench_percentile(times, n, 0.5) / 1e3;
}

/* The i-th of the events of a full calendar, to insert; size: 512 bytes are enough. */
static inline void bench_event(char *body, size_t size, int i)
{
    snprintf(body, size,
             "{\"id\":\"bench%05d\",\"summary\":\"Meeting number %d\",\"location\":\"Room %d\","
             "\"description\":\"About the things of day %d\","
             "\"start\":{\"dateTime\":\"2026-%02d-%02dT%02d:00:00Z\"},"
             "\"end\":{\"dateTime\":\"2026-%02d-%02dT%02d:30:00Z\"}}",
             i, i, i % 7, i / 8, i / 224 % 12 + 1, i / 8 % 28 + 1, i % 8 + 9, i / 224 % 12 + 1,
             i / 8 % 28 + 1, i % 8 + 9);
}

/* Grades a world by its diff, both of one look for the changes; it must pass. */
static inline void bench_grade(struct sosia_engine *engine, const struct sosia_suite *suite,
                               uint64_t world)
{
    struct sosia_blob json, diff;
    struct sosia_err err;
    if (sosia_grade_diff(engine, suite, NULL, 0, world, &json, &diff, &err) < 0)
        bench_die("grade", err.text);
    if (!strstr(json.data, "\"passed\": true"))
        bench_die("grade", json.data);
    sosia_blob_free(&json);
    sosia_blob_free(&diff);
}

#endif
