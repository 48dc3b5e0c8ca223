/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in process that must succeed, for benchmark programs. */
#ifndef SOSIA_BENCH_CALL_H
#define SOSIA_BENCH_CALL_H

#include "bench/bench.h"
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

#endif
