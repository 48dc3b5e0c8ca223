/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/replay/look.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/http/entry.h"
#include "engine/http/serve.h"
#include "engine/replay/replay.h"
#include "engine/text/civil.h"
#include "engine/world/guard.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What looks must be known before: a method that makes calls of its own makes them of the world. */
static int check_row(struct sosia_engine *e, const struct sosia_request *r, struct sosia_err *err)
{
    const char *path = r->target;
    const struct vendor *vendor = NULL;
    struct match m = {0};
    enum verb verb;
    size_t at = str_starts(path, "/@") ? 2 : str_starts(path, "/%40") ? 4 : 0;
    if (at) {
        size_t n = strcspn(path + at, "/?#");
        vendor = router_host(e->router, path + at, n);
        path += at + n;
    }
    if (verb_from_name(r->method, &verb) == 0 && (!at || vendor) && *path == '/')
        router_match(e->router, vendor, verb, path, strcspn(path, "?#"), &m);
    if (!m.route)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "unknownMethod", "path",
                          "the path must be one of a service's methods, is not");
    if (m.route->risk != RISK_READ || m.route->secret || m.route->outside || m.route->upgrade ||
        m.upload || m.route->pace == PACE_SLOW)
        return sosia_fail(err, SOSIA_E_FORBIDDEN, "looksOnly", "path",
                          "the method must be one that only reads, %s is not", m.route->id);
    return 0;
}

/* An entry's time, where the world's clock follows real time: what it was then. */
static int entry_time(struct sosia_engine *e, uint64_t world, int64_t seq, int64_t *ret_us,
                      struct sosia_err *err)
{
    struct sosia_blob text;
    const struct json *list;
    struct stamp at;
    struct arena a;
    if (seq < 1)
        return 0;
    if (sosia_journal_list(e, world, seq - 1, 1, false, &text, err) < 0)
        return -1;
    arena_init(&a, 0);
    int rc = json_parse(&a, text.data, text.len, NULL, &list, err);
    const char *time = rc == 0 && list->n ? json_get_str(&list->items[0], "at") : NULL;
    if (time && stamp_parse(time, strlen(time), false, &at) == 0)
        *ret_us = at.local_us - at.offset * US_PER_SECOND;
    arena_done(&a);
    sosia_blob_free(&text);
    return rc;
}

/* The state and the time that are looked at, and the one that the world began with. */
static int take_view(struct sosia_engine *e, uint64_t world, int64_t seq, struct step *ret,
                     struct tree *ret_start, uint64_t *ret_ticket, struct sosia_err *err)
{
    struct step start;
    struct world *w = world_take(e, world, err);
    if (!w)
        return -1;
    int64_t now_us = world_now(w);
    bool real = world_clock_mode(w) == SOSIA_CLOCK_REAL;
    if (seq == LOOK_NOW)
        world_step_now(w, ret);
    world_step_start(w, &start);
    *ret_ticket = w->ticket;
    world_drop(w);
    if (seq != LOOK_NOW && replay_state(e, world, seq, ret, err) < 0) {
        step_done(&start);
        return -1;
    }
    if (seq != LOOK_NOW && real && entry_time(e, world, seq, &now_us, err) < 0) {
        step_done(&start);
        step_done(ret);
        return -1;
    }
    if (seq == LOOK_NOW || real)
        ret->clock.at_us = now_us;
    *ret_start = start.tree;
    return 0;
}

int look(struct sosia_engine *e, uint64_t world, int64_t step, const char *actor,
         const struct sosia_request *request, struct sosia_response **ret, struct sosia_err *err)
{
    struct stage s;
    struct step at;
    struct tree start;
    struct served served;
    struct sosia_request whole = *request;
    uint64_t ticket;
    char key[17];
    if (check_row(e, request, err) < 0)
        return -1;
    size_t n = strlen(request->target) + sizeof "/w/" + sizeof key;
    char *target = malloc(n);
    if (!target)
        return sosia_fail_memory(err);
    world_key(world, key);
    snprintf(target, n, "/w/%s%s", key, request->target); /* which links in the answer begin with */
    whole.target = target;
    if (take_view(e, world, step, &at, &start, &ticket, err) < 0) {
        free(target);
        return -1;
    }
    stage_open(&s, e, world, &at, &start, err);
    tree_done(&start);
    s.world.flags &= ~(uint32_t)(WORLD_RATES | WORLD_JOURNAL);
    s.world.flags |= (uint32_t)SOSIA_JOURNAL_NONE << 3;
    s.world.next_due_us = INT64_MAX;
    s.world.guard = GUARD_NONE;
    const struct replayed again = {
        .world = &s.world, .actor = actor, .kind = TOKEN_USER, .risk_most = RISK_READ};
    struct sosia_response *r = call_again(e, &whole, &again, 0, NULL, NULL, &served, err);
    stage_close(&s);
    free(target);
    if (!r)
        return -1;
    if (engine_sync(e, ticket, err) < 0) {
        sosia_response_free(r);
        return -1;
    }
    *ret = r;
    return 0;
}
