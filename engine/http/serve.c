/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the public interface: the door, and waiting for the disk. */
#include "engine/http/serve.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/http/bytes.h"
#include "engine/http/hold.h"
#include "engine/http/suspend.h"
#include "engine/base/buf.h"
#include "engine/world/keeper.h"
#include "engine/world/engine.h"
#include "engine/world/pass.h"
#include <stdlib.h>
#include <string.h>

enum { TRIES = 3 }; /* to serve a call, or to leave it with who has the world */

/* ---- bodies that are not in memory ---- */

int sosia_spool_open(struct sosia_engine *engine, int64_t max, struct sosia_spool **ret_spool,
                     struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_spool, "ret_spool", err) < 0)
        return -1;
    return spool_open(engine->spool_dir, max, ret_spool, err);
}

int sosia_spool_write(struct sosia_spool *spool, const void *data, size_t len,
                      struct sosia_err *err)
{
    if (handle_check(HANDLE_SPOOL, spool, err) < 0)
        return -1;
    return spool_write(spool, data, len, err);
}

int sosia_spool_free(struct sosia_spool *spool)
{
    if (spool && handle_end(HANDLE_SPOOL, spool) < 0)
        return -1;
    spool_free(spool);
    return 0;
}

/* A request whose body was pulled. */
struct pulled {
    struct sosia_request request;
    struct buf body;
    struct sosia_spool *spool;
};

static void pulled_free(struct pulled *p)
{
    buf_done(&p->body);
    spool_free(p->spool);
}

static int bad_length(const struct sosia_request *r, int64_t came, struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_INVALID, "length", NULL,
                      "the body should have %lld bytes, has %s %lld", (long long)r->length,
                      came > r->length ? "at least" : "only", (long long)came);
}

static int too_large(int64_t max, struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                      "the request's body must have at most %lld bytes", (long long)max);
}

/* The next bytes: into memory, or from a bound on into a file, with what is in memory. */
static int pull_part(struct sosia_engine *e, struct pulled *p, int64_t max, const char *data,
                     size_t n, struct sosia_err *err)
{
    if (!p->spool && p->body.len + n > e->options.spool_over &&
        (spool_open(e->spool_dir, max, &p->spool, err) < 0 ||
         spool_write(p->spool, buf_str(&p->body), p->body.len, err) < 0))
        return -1;
    if (p->spool)
        return spool_write(p->spool, data, n, err);
    buf_add(&p->body, data, n);
    return buf_failed(&p->body) ? sosia_fail_memory(err) : 0;
}

/* Fills *ret, which pulled_free() frees in any case. */
static int pull_body(struct sosia_engine *e, uint64_t world, const struct sosia_request *r,
                     struct pulled *ret, struct sosia_err *err)
{
    char part[16384];
    int64_t max = sosia_body_max(e, r), came = 0, n;
    *ret = (struct pulled){.request = *r};
    buf_init(&ret->body, 0);
    ret->request.read = NULL;
    if (max < BYTES_VIEW)
        max = BYTES_VIEW;
    if (r->length > max)
        return too_large(max, err);
    if (sosia_head_refused(e, world, r)) {
        ret->request.head_only = true;
        ret->request.body = "";
        return 0;
    }
    while ((n = r->read(r->read_arg, part, sizeof part)) > 0) {
        came += n;
        if (r->length >= 0 && came > r->length)
            return bad_length(r, came, err);
        if (came > max)
            return too_large(max, err);
        if (pull_part(e, ret, max, part, (size_t)n, err) < 0)
            return -1;
    }
    if (n < 0)
        return sosia_fail(err, SOSIA_E_IO, "cut", NULL,
                          "the body was given up by its reader after %lld bytes", (long long)came);
    if (r->length >= 0 && came < r->length)
        return bad_length(r, came, err);
    ret->request.body = ret->spool ? NULL : buf_str(&ret->body);
    ret->request.body_len = ret->spool ? 0 : ret->body.len;
    ret->request.spool = ret->spool;
    return 0;
}

/* ---- calls ---- */

/* A body in memory has the same bound as one that is pulled. */
static int check_length(struct sosia_engine *e, const struct sosia_request *r,
                        struct sosia_err *err)
{
    if (r->read || r->spool || r->body_len <= BYTES_VIEW)
        return 0;
    int64_t max = sosia_body_max(e, r);
    if (max < BYTES_VIEW)
        max = BYTES_VIEW;
    return r->body_len > (uint64_t)max ? too_large(max, err) : 0;
}

int sosia_call(struct sosia_engine *engine, uint64_t world, const struct sosia_request *request,
               struct sosia_response **ret_response, struct sosia_err *err)
{
    struct sosia_request space;
    struct served served;
    struct pulled p;
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_response, "ret_response", err) < 0 ||
        !(request = request_take(request, &space, err)) || check_length(engine, request, err) < 0)
        return -1;
    if (request->read) {
        int rc = pull_body(engine, world, request, &p, err);
        if (rc == 0)
            rc = sosia_call(engine, world, &p.request, ret_response, err);
        pulled_free(&p);
        return rc;
    }
    struct sosia_response *r = call_serve(engine, world, request, true, NULL, &served, err);
    if (served.suspended && !hold_answered(served.suspended))
        r = suspend_wait(engine, request, NULL, &served, err);
    if (hold_answered(served.suspended)) /* what came of its program may be held */
        r = hold_wait(engine, request, NULL, true, r, &served, err);
    if (!r)
        return -1;
    if (engine_sync(engine, served.ticket, err) < 0) {
        sosia_response_free(r);
        return -1;
    }
    *ret_response = r;
    return 0;
}

int call_poll(struct sosia_engine *e, uint64_t world, const struct sosia_request *request,
              struct sosia_response **ret_response, struct sosia_err *err)
{
    const struct known_request known = {.request = *request, .poll = true};
    struct served served;
    struct sosia_response *r = call_anew(e, world, &known, NULL, &served, err);
    if (hold_answered(served.suspended))
        r = hold_wait(e, request, NULL, true, r, &served, err);
    else if (served.suspended)
        r = suspend_wait(e, request, NULL, &served, err);
    if (r && engine_sync(e, served.ticket, err) < 0) {
        sosia_response_free(r);
        r = NULL;
    }
    *ret_response = r;
    return r ? 0 : -1;
}

struct waiting {
    struct sosia_response *response;
    void (*done)(void *arg, struct sosia_response *response);
    void *arg;
};

static void on_disk(void *arg, int rc)
{
    struct waiting w = *(struct waiting *)arg;
    free(arg);
    if (rc < 0) {
        sosia_response_free(w.response);
        w.response = NULL;
    }
    w.done(w.arg, w.response);
}

void call_hand_over(struct sosia_engine *engine, struct sosia_response *r, uint64_t ticket,
                    const struct call_waiter *waiter)
{
    int on_disk_now = r && engine->durable ? engine->keeper->state(engine->durable, ticket) : 1;
    if (on_disk_now) {
        if (on_disk_now < 0) {
            sosia_response_free(r);
            r = NULL;
        }
        waiter->done(waiter->arg, r);
        return;
    }
    struct waiting *w = malloc(sizeof *w);
    if (!w) { /* wait here instead */
        if (engine_sync(engine, ticket, NULL) < 0) {
            sosia_response_free(r);
            r = NULL;
        }
        waiter->done(waiter->arg, r);
        return;
    }
    *w = (struct waiting){.response = r, .done = waiter->done, .arg = waiter->arg};
    engine->keeper->notify(engine->durable, ticket, on_disk, w);
}

/* Serves it for a waiter. Where the outbox has no sender, a suspended call is answered on its
 * caller's thread. ret_world: where it was served, 0: nowhere. False: it is busy. */
static bool call_for(struct sosia_engine *engine, uint64_t world,
                     const struct sosia_request *request, bool patient,
                     const struct call_waiter *waiter, uint64_t *ret_world)
{
    *ret_world = 0;
    if (request->read && !patient)
        return false; /* pulling may take any time */
    if (request->read) {
        struct pulled p;
        if (pull_body(engine, world, request, &p, NULL) < 0)
            waiter->done(waiter->arg, NULL);
        else
            call_for(engine, world, &p.request, true, waiter, ret_world);
        pulled_free(&p);
        return true;
    }
    bool serves = atomic_load_explicit(&engine->on_outbox, memory_order_relaxed) != NULL;
    bool sent = serves && !engine->on_handshake;
    struct served served;
    struct sosia_response *r =
        call_serve(engine, world, request, patient, sent ? waiter : NULL, &served, NULL);
    if (served.busy)
        return false;
    *ret_world = served.world;
    if (served.suspended > 0 && sent)
        return true; /* the waiter has been notified, or will be */
    if (served.suspended && !hold_answered(served.suspended))
        r = suspend_wait(engine, request, NULL, &served, NULL);
    if (hold_answered(served.suspended)) {
        if (serves && hold_park(engine, request, waiter, r, &served)) {
            whole_end(served.whole);
            return true; /* the same */
        }
        if (!serves || draft_suspended(served.suspended))
            r = hold_wait(engine, request, NULL, patient, r, &served, NULL);
        else
            whole_end(served.whole);
        if (served.busy)
            return false;
    }
    /* A request that is refused by its head changes nothing that a crash could undo. */
    call_hand_over(engine, r, request->head_only ? 0 : served.ticket, waiter);
    return true;
}

void sosia_call_async(struct sosia_engine *engine, uint64_t world,
                      const struct sosia_request *request,
                      void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    struct sosia_request space;
    if (!handle_is_out(HANDLE_ENGINE, engine) || !(request = request_take(request, &space, NULL)) ||
        check_length(engine, request, NULL) < 0) {
        done(arg, NULL);
        return;
    }
    uint64_t at;
    call_for(engine, world, request, true, &(struct call_waiter){.done = done, .arg = arg}, &at);
}

bool sosia_call_try(struct sosia_engine *engine, uint64_t world,
                    const struct sosia_request *request,
                    void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    struct sosia_request space;
    uint64_t at;
    if (!handle_is_out(HANDLE_ENGINE, engine) || !(request = request_take(request, &space, NULL)) ||
        check_length(engine, request, NULL) < 0) {
        done(arg, NULL);
        return true;
    }
    return call_for(engine, world, request, false, &(struct call_waiter){.done = done, .arg = arg},
                    &at);
}

/* ---- in a world that others want as well ---- */

struct passed {
    struct pass pass;
    uint64_t world;
    const struct sosia_request *request;
    const struct call_waiter *waiter;
};

static enum pass_end try_now(const struct passed *p, uint64_t *ret_world)
{
    pass_want(true);
    bool served = call_for(p->pass.engine, p->world, p->request, false, p->waiter, ret_world);
    pass_want(false);
    return served ? PASS_SERVED : pass_taken() ? PASS_AGAIN : PASS_BUSY;
}

/* What only reads leaves the world in the caches of all processors, and its answer is long. */
static bool is_worth_passing(const struct sosia_request *request)
{
    return request->method && strcmp(request->method, "GET") != 0 &&
           strcmp(request->method, "HEAD") != 0;
}

static enum pass_end try_passed(struct pass *pass)
{
    uint64_t at;
    return try_now((struct passed *)pass, &at);
}

bool call_try(struct sosia_engine *engine, uint64_t world, const struct sosia_request *request,
              void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    struct sosia_request space;
    if (!handle_is_out(HANDLE_ENGINE, engine) || !(request = request_take(request, &space, NULL)) ||
        check_length(engine, request, NULL) < 0) {
        done(arg, NULL);
        return true;
    }
    const struct call_waiter waiter = {.done = done, .arg = arg};
    struct passed p = {.pass = {.engine = engine, .serve = try_passed},
                       .world = world,
                       .request = request,
                       .waiter = &waiter};
    uint64_t at;
    for (int i = 0; i < TRIES && is_worth_passing(request); i++) {
        enum pass_end end = try_now(&p, &at);
        if (end == PASS_SERVED)
            pass_serve(engine, at);
        else if (end == PASS_AGAIN)
            end = pass_on(&p.pass);
        if (end != PASS_AGAIN)
            return end == PASS_SERVED;
    }
    bool served = call_for(engine, world, request, false, &waiter, &at);
    pass_serve(engine, at);
    return served;
}

void call_keep_world(void)
{
    pass_keep();
}

uint64_t call_kept(bool *ret_met)
{
    return pass_kept(ret_met);
}

void call_leave_world(struct sosia_engine *engine)
{
    pass_leave(engine);
}
