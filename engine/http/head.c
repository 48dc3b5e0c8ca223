/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a request's head before its body is read: whether it will be refused whatever the
 * body is, and how long that may be. */
#include "engine/api/router.h"
#include "engine/base/handle.h"
#include "engine/http/serve.h"
#include "engine/http/admit.h"
#include "engine/http/bytes.h"
#include "engine/http/own.h"
#include "engine/http/param.h"
#include "engine/http/target.h"
#include "engine/world/engine.h"

/* May the body hold the credential that the head lacks? */
static bool body_may_admit(const struct call *c)
{
    enum verb sent;
    const enum param_place *p = c->front ? c->front->arguments : NULL;
    if (p && *p) /* for some vendors one in the body is stronger, too */
        return true;
    return verb_from_name(c->request->method, &sent) == 0 && sent != c->verb && !c->token;
}

static bool is_refused(struct call *c, struct worker *k, struct world *w)
{
    if (c->route && c->route->outside)
        return false; /* the parts have credentials of their own */
    if (tx_begin(&c->tx, c->tx.engine, w, k, false, world_now(w), c->tx.err) < 0)
        return false;
    bool refused = admit_caller(c, k) < 0;
    tx_rollback(&c->tx);
    return refused;
}

bool sosia_head_refused(struct sosia_engine *engine, uint64_t world,
                        const struct sosia_request *request)
{
    struct sosia_request space;
    if (!handle_is_out(HANDLE_ENGINE, engine) || !(request = request_take(request, &space, NULL)))
        return false;
    struct worker *k = worker_take(engine, NULL);
    if (!k)
        return false;
    struct sosia_request head = *request;
    head.body = "";
    head.body_len = 0;
    head.spool = NULL;
    struct call c = {.tx = {.engine = engine, .arena = &k->arena, .db = k->slot, .err = &k->err},
                     .request = &head,
                     .base_url = head.base_url};
    struct target t;
    struct match m;
    struct world *w = NULL;
    bool busy = false, refused = false;
    if (verb_from_name(head.method, &c.verb) < 0 || target_split(&c, &t) < 0)
        goto done;
    target_row(&c, &t, NULL, &m);
    if (is_own_page(&c) || query_parse(&c) < 0)
        goto done;
    if (c.front && c.front->credential)
        c.front->credential(&c);
    else
        c.token = call_bearer(&c);
    w = target_world(&c, k, world, &t, &busy);
    refused = w ? !body_may_admit(&c) && is_refused(&c, k, w) : !busy;
    if (w)
        world_drop(w);
done:
    worker_drop(k);
    return refused;
}

int64_t sosia_body_max(struct sosia_engine *engine, const struct sosia_request *head)
{
    struct sosia_request space;
    if (!handle_is_out(HANDLE_ENGINE, engine) || !(head = request_take(head, &space, NULL)))
        return -1;
    struct sosia_err err;
    struct call c = {.tx = {.engine = engine, .err = &err}, .request = head};
    struct target t;
    struct match m;
    if (verb_from_name(head->method, &c.verb) < 0 || target_split(&c, &t) < 0)
        return 0;
    target_row(&c, &t, NULL, &m);
    int64_t max = route_body_max(c.route, c.upload);
    uint64_t world = engine->options.max_world_size;
    return max > BYTES_VIEW && world && world < (uint64_t)max ? (int64_t)world : max;
}
