/* SPDX-License-Identifier: Apache-2.0 */
/* One entry after the other on a stage. */
#include "engine/base/codec.h"
#include "engine/http/entry.h"
#include "engine/http/serve.h"
#include "engine/http/session.h"
#include "engine/replay/replay.h"
#include "engine/state/dump.h"
#include "engine/text/civil.h"
#include "engine/send/delivery.h"
#include "engine/world/places.h"
#include "engine/world/took.h"
#include "engine/world/refused.h"
#include <stdlib.h>
#include <strings.h>

#define MAX_HEADERS (64 + ENTRY_LABELS_OWN_MAX)

void stage_open(struct stage *s, struct sosia_engine *e, uint64_t id, struct step *step,
                const struct tree *start, struct sosia_err *err)
{
    *s = (struct stage){.engine = e, .err = err};
    arena_init(&s->arena, 0);
    struct world *w = &s->world;
    w->id = id;
    w->version = world_fresh_version();
    w->flags = (uint32_t)SOSIA_JOURNAL_ALL << 3 |
               (step->flags & (WORLD_STEP_FLAGS | WORLD_EVALUATION) & ~(uint32_t)WORLD_CLOCK) |
               (uint32_t)SOSIA_CLOCK_FROZEN << 1 | WORLD_REPLAY | 1u << 16;
    w->seed = w->start_seed = step->seed;
    world_secret_take(w, &step->secret);
    w->clock.at_us = step->clock.at_us;
    w->next_due_us = step->next_due_us;
    w->now = step->tree;
    step->tree = (struct tree){0};
    tree_fork(start, &w->start);
}

void stage_close(struct stage *s)
{
    struct world *w = &s->world;
    tree_done(&w->now);
    tree_done(&w->start);
    journal_past_unref(w->past);
    if (w->extra) {
        journal_clear(&w->extra->journal);
        world_count_journal(s->engine, &w->extra->journal);
        free(w->extra->rates);
        took_clear(w);
        guard_free(s->engine, w);
        refused_clear(w);
        places_free(w);
        free(w->extra);
    }
    arena_done(&s->arena);
}

static int last_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    struct sosia_blob *b = arg;
    (void)seq;
    *b = (struct sosia_blob){.data = (char *)(uintptr_t)entry, .len = len};
    return 0;
}

const char *stage_last(const struct stage *s, size_t *ret_len)
{
    struct sosia_blob b = {0};
    if (s->world.extra)
        journal_each(&s->world.extra->journal, s->world.extra->journal.n - 1, 1, last_entry, &b);
    *ret_len = b.len;
    return b.data;
}

/* ---- members of an entry ---- */

static int broken(struct stage *s, const char *what)
{
    return sosia_fail(s->err, SOSIA_E_INVALID, "journal", NULL,
                      "an entry of the journal must have %s, has not", what);
}

/* What of entries is kept from here on: as of this one. */
static int read_keep(struct stage *s, const struct json *entry)
{
    const struct json *keep = json_get(entry, "keep");
    uint32_t i = KEEP_REDACTED;
    if (keep && keep->type != JSON_STRING)
        return broken(s, "what was kept as a text");
    while (keep && journal_keeps[i] && strcmp(journal_keeps[i], keep->str) != 0)
        i++;
    if (!journal_keeps[i])
        return broken(s, "what was kept as one of redacted, full and hashes");
    s->world.flags = (s->world.flags & ~(uint32_t)WORLD_KEEP) | i << 11;
    return 0;
}

/* A body as it was kept: 1; 0: only its length and hash; -1: it can't be one. */
static int read_body(struct stage *s, const struct json *v, const char **ret, size_t *ret_len)
{
    uint8_t *data;
    const struct json *base64 = json_get(v, "base64");
    *ret = "";
    *ret_len = 0;
    if (!v)
        return 1;
    if (v->type == JSON_STRING) {
        *ret = v->str;
        *ret_len = v->n;
        return 1;
    }
    if (v->type != JSON_OBJECT)
        return broken(s, "bodies as texts or objects");
    if (!base64)
        return 0;
    if (base64->type != JSON_STRING ||
        base64_decode(&s->arena, base64->str, base64->n, &data, ret_len) < 0)
        return broken(s, "bytes in base64");
    *ret = (const char *)data;
    return 1;
}

/* Everything that a request had and that was kept. */
static void read_headers(struct stage *s, const struct json *entry, const struct json *request,
                         struct sosia_request *ret)
{
    const struct json *headers = json_get(request, "headers"), *labels = json_get(entry, "labels");
    struct sosia_header *list = arena_calloc(&s->arena, MAX_HEADERS, sizeof *list);
    const char *host = json_get_str(request, "host");
    if (arena_failed(&s->arena))
        return;
    for (uint32_t i = 0; headers && headers->type == JSON_OBJECT && i < headers->n; i++)
        if (headers->members[i].value.type == JSON_STRING &&
            ret->n_headers < MAX_HEADERS - 10 - ENTRY_LABELS_OWN_MAX)
            list[ret->n_headers++] = (struct sosia_header){.name = headers->members[i].key,
                                                           .value = headers->members[i].value.str};
    if (host)
        list[ret->n_headers++] = (struct sosia_header){.name = "Host", .value = host};
    for (uint32_t i = 0; labels && labels->type == JSON_OBJECT && i < labels->n; i++) {
        const struct json *v = &labels->members[i].value;
        if (v->type != JSON_STRING && v->type != JSON_NUMBER)
            continue;
        bool known = false;
        for (const struct entry_label *l = entry_labels; l->header; l++)
            if (strcmp(l->name, labels->members[i].key) == 0 && ret->n_headers < MAX_HEADERS) {
                list[ret->n_headers++] = (struct sosia_header){.name = l->header, .value = v->str};
                known = true;
            }
        if (!known && v->type == JSON_STRING && ret->n_headers < MAX_HEADERS)
            list[ret->n_headers++] = (struct sosia_header){
                .name = arena_printf(&s->arena, "%s%s", ENTRY_LABEL_OWN, labels->members[i].key),
                .value = v->str};
    }
    ret->headers = list;
}

/* False: it is not known whose credential it was. */
static bool read_principal(const struct json *entry, struct replayed *ret)
{
    const struct json *as = json_get(entry, "as");
    const char *kind = as ? json_get_str(as, "kind") : "user";
    ret->actor = json_get_str(entry, "actor");
    ret->kind = !kind || strcmp(kind, "none") == 0 ? (enum token_kind)0
                : strcmp(kind, "bot") == 0         ? TOKEN_BOT
                : strcmp(kind, "app") == 0         ? TOKEN_APP
                                                   : TOKEN_USER;
    ret->app = json_get_int(as, "app", 0);
    ret->account = json_get_int(as, "account", 0);
    ret->tenant = as ? json_get_str(as, "tenant") : NULL;
    ret->expires_us = json_get_int(as, "expires_us", 0);
    ret->scopes = as ? json_get_str(as, "scopes") : NULL;
    const char *credential = json_get_str(entry, "credential");
    if (credential && strcmp(credential, "none") == 0) {
        ret->actor = NULL;
        credential = NULL;
    }
    return !credential;
}

/* What came back from a receiver. 1; 0: its body was not kept; -1: it can't be one. */
static int read_outcome(struct stage *s, const struct json *v, struct sosia_outcome *ret)
{
    struct sosia_header *type = arena_calloc(&s->arena, 1, sizeof *type);
    const char *text = json_get_str(v, "type");
    *ret = (struct sosia_outcome){.status = (int)json_get_int(v, "status", 0),
                                  .error = json_get_str(v, "error"),
                                  .reason = json_get_str(v, "reason")};
    if (text && !arena_failed(&s->arena)) {
        *type = (struct sosia_header){.name = "Content-Type", .value = text};
        ret->headers = type;
        ret->n_headers = 1;
    }
    return read_body(s, json_get(v, "body"), &ret->body, &ret->body_len);
}

/* ---- running ---- */

static int run_call(struct stage *s, const struct json *entry, const struct json *request,
                    enum staged *ret)
{
    static const struct sosia_session_calls nobody;
    struct session_offer offer = {.calls = &nobody};
    struct replayed again = {.world = &s->world,
                             .part = json_get_true(request, "part"),
                             .batch = json_get_true(request, "batch"),
                             .fault = json_get(entry, "fault"),
                             .stop = json_get(entry, "stop"),
                             .note = json_get(entry, "budget"),
                             .counts = json_get_str(entry, "counts"),
                             .rates = json_get_str(entry, "rates"),
                             .draft_of = json_get_str(entry, "draft_of"),
                             .poll = json_get_true(entry, "poll")};
    const struct json *resumed = json_get(entry, "resumed");
    const char *most = json_get_str(request, "risk_most");
    const char *target = json_get_str(request, "target"), *via = json_get_str(request, "via");
    struct sosia_request r = {.method = json_get_str(request, "verb"),
                              .base_url = json_get_str(request, "base"),
                              .head_only = json_get_true(request, "head_only")};
    struct sosia_outcome outcome;
    struct served served;
    if (!r.method || !target)
        return broken(s, "a request with verb and target");
    int limit = most ? str_place(risk_names, most) : RISK_DESTRUCTIVE;
    if (limit < 0)
        return broken(s, "a request whose risk_most is a risk");
    again.risk_most = (enum risk)limit;
    again.tool = json_get_str(json_get(entry, "guard"), "tool");
    again.token_sha256 = json_get_str(entry, "token_sha256");
    again.short_body = json_get(json_get(json_get(entry, "response"), "body"), "xxh3") != NULL;
    again.credential = world_journal_keep(&s->world) == KEEP_FULL;
    bool known = read_principal(entry, &again) || again.credential;
    int body = read_body(s, json_get(request, "body"), &r.body, &r.body_len),
        back = resumed ? read_outcome(s, resumed, &outcome) : 1;
    if (body < 0 || back < 0)
        return -1;
    if (!known || json_get_true(request, "secret") || !body || !back) {
        *ret = STAGED_HIDDEN;
        return 0;
    }
    read_headers(s, entry, request, &r);
    r.target = via ? arena_printf(&s->arena, "%s%s", via, target) : target;
    if (arena_failed(&s->arena))
        return sosia_fail_memory(s->err);
    struct sosia_response *response =
        call_again(s->engine, &r, &again, resumed ? json_get_int(resumed, "entry", 0) : 0,
                   resumed ? &outcome : NULL, json_get_true(request, "handshake") ? &offer : NULL,
                   &served, s->err);
    if (!response && !served.suspended)
        return -1;
    sosia_response_free(response);
    return 0;
}

static const struct route *route_of(const struct sosia_engine *e, const char *id)
{
    const struct route *row;
    for (const struct dialect **d = e->dialects; id && *d; d++)
        for (size_t i = 0; (row = dialect_row(*d, i)); i++)
            if (row->upgrade && strcmp(row->id, id) == 0)
                return row;
    return NULL;
}

static int run_turn(struct stage *s, struct worker *k, const struct json *entry, enum staged *ret)
{
    const struct json *session = json_get(entry, "session"), *o = json_get(entry, "outcome");
    struct sosia_outcome outcome;
    const char *data;
    size_t len;
    if (o) {
        int back = read_outcome(s, o, &outcome);
        if (back < 0)
            return -1;
        if (back)
            return delivery_outcome_on(s->engine, &s->world, k, json_get_int(o, "entry", 0),
                                       json_get_int(o, "attempt", 0), &outcome, s->err);
        *ret = STAGED_HIDDEN;
        return 0;
    }
    const struct route *route = route_of(s->engine, json_get_str(entry, "method"));
    if (!route)
        return broken(s, "a request, an outcome, a session or a control");
    int frame = read_body(s, json_get(session, "frame"), &data, &len);
    if (frame <= 0) {
        *ret = STAGED_HIDDEN;
        return frame;
    }
    return session_turn_on(s->engine, &s->world, k, &s->arena, route, session, data, len, s->err);
}

/* How the world's clock goes on from an entry about it. */
static int read_clock(struct stage *s, const struct json *control)
{
    static const char *const modes[] = {"frozen", "step", "real", NULL};
    const char *mode = json_get_str(control, "clock");
    int64_t step_us = json_get_int(control, "step_us", 0);
    int i = 0;
    while (mode && modes[i] && strcmp(modes[i], mode) != 0)
        i++;
    if (!mode)
        return 0;
    if (!modes[i] || step_us < 0)
        return broken(s, "a clock that is frozen, step or real, and its step");
    s->clock_known = true;
    s->clock_mode = (enum sosia_clock_mode)i;
    s->step_us = step_us;
    return 0;
}

void stage_settings(const struct stage *s, struct step *step)
{
    const struct world *w = &s->world;
    step->flags = (step->flags & ~(uint32_t)WORLD_RATES) | (w->flags & WORLD_RATES);
    if (s->clock_known) {
        step->flags = (step->flags & ~(uint32_t)WORLD_CLOCK) | (uint32_t)s->clock_mode << 1;
        step->clock.step_us = s->step_us;
    }
    if ((step->flags & WORLD_CLOCK) >> 1 != SOSIA_CLOCK_REAL)
        step->clock.at_us = w->clock.at_us;
    else if (s->clock_known) /* how far it was from real time then is not in the entry */
        step->clock.at_us = w->clock.at_us - real_now_us();
}

/* What was done to the world itself. */
static int run_control(struct stage *s, struct worker *k, const struct json *entry,
                       const char *text, size_t text_len, enum staged *ret)
{
    const struct json *c = json_get(entry, "control");
    const char *what = json_get_str(c, "do"), *doc, *name = json_get_str(c, "name");
    int64_t now, fired = INT64_MIN;
    struct world *w = &s->world;
    size_t len;
    if (!what)
        return broken(s, "what was done");
    if (strcmp(what, "seed") == 0) {
        int body = read_body(s, json_get(c, "body"), &doc, &len);
        if (body < 0)
            return -1;
        if (body)
            return world_seed_on(s->engine, w, k, doc, len, name ? name : "seed", s->err);
        *ret = STAGED_HIDDEN;
        return 0;
    }
    if (strcmp(what, "token") == 0 || strcmp(what, "revoke") == 0 || strcmp(what, "link") == 0) {
        *ret = STAGED_HIDDEN;
        return 0;
    }
    if (strcmp(what, "rates") == 0) {
        world_set_rates(w, json_get_true(c, "on"));
        return stage_take(s, text, text_len);
    }
    if ((strcmp(what, "policy") == 0 || strcmp(what, "approval") == 0 ||
         strcmp(what, "guard") == 0) &&
        s->engine->guard)
        return s->engine->guard->again(s->engine, w, k, c, s->err);
    if (json_i64(json_get(c, "now_us"), &now) < 0 || now < TIME_FIRST_US || now > TIME_LAST_US)
        return broken(s, "a time in the years 1 to 9999");
    json_i64(json_get(c, "fired_us"), &fired);
    if (read_clock(s, c) < 0)
        return -1;
    if (strcmp(what, "advance") == 0 && world_run_due(s->engine, w, k, now, s->err) < 0)
        return -1;
    if (fired != INT64_MIN && stage_fire(s, fired) < 0)
        return -1;
    w->clock.at_us = now;
    return stage_take(s, text, text_len);
}

int stage_fire(struct stage *s, int64_t before_us)
{
    if (s->world.next_due_us >= before_us || before_us == INT64_MIN)
        return 0;
    struct worker *k = worker_take(s->engine, s->err);
    if (!k)
        return -1;
    int64_t until = before_us == US_NEVER ? s->world.clock.at_us : before_us - 1;
    int rc = world_run_due(s->engine, &s->world, k, until, s->err);
    worker_drop(k);
    return rc < 0 ? -1 : 0;
}

int stage_take(struct stage *s, const char *text, size_t len)
{
    struct world_extra *x = world_extra(&s->world);
    s->world.written = 0;
    places_next(&s->world);
    return x && journal_append(&x->journal, text, len) == 0 ? 0 : sosia_fail_memory(s->err);
}

int stage_run(struct stage *s, const char *text, size_t len, enum staged *ret)
{
    const struct json *entry, *request;
    struct stamp at;
    enum staged staged = STAGED_RAN;
    int rc;
    arena_reset(&s->arena);
    if (json_parse(&s->arena, text, len, NULL, &entry, s->err) < 0)
        return -1;
    const char *time = json_get_str(entry, "at");
    if (!time || stamp_parse(time, strlen(time), false, &at) < 0)
        return broken(s, "the time \"at\"");
    s->world.clock.at_us = at.local_us - at.offset * US_PER_SECOND;
    if (read_keep(s, entry) < 0)
        return -1;
    if (places_give(&s->world, json_get(entry, "fired"), json_get(entry, "ids")) < 0)
        return sosia_fail_memory(s->err);
    if ((request = json_get(entry, "request"))) {
        rc = run_call(s, entry, request, &staged);
    } else {
        struct worker *k = worker_take(s->engine, s->err);
        if (!k)
            return -1;
        rc = json_get(entry, "control") ? run_control(s, k, entry, text, len, &staged)
                                        : run_turn(s, k, entry, &staged);
        worker_drop(k);
    }
    if (rc == 0)
        *ret = staged;
    return rc;
}

/* ---- differences ---- */

bool entries_differ(struct arena *a, const struct json *x, const struct json *y,
                    const char **ret_path, const struct json **ret_x, const struct json **ret_y)
{
    if (!x || !y || x->type != JSON_OBJECT || y->type != JSON_OBJECT) {
        bool same =
            x && y && x->type == y->type && x->n == y->n &&
            (x->type == JSON_BOOL                               ? x->truth == y->truth
             : x->type == JSON_STRING || x->type == JSON_NUMBER ? !memcmp(x->str, y->str, x->n)
                                                                : x->type == JSON_NULL);
        if (x && y && x->type == JSON_ARRAY && y->type == JSON_ARRAY && x->n == y->n) {
            same = true;
            for (uint32_t i = 0; i < x->n && same; i++)
                same = !entries_differ(a, &x->items[i], &y->items[i], ret_path, ret_x, ret_y);
        }
        *ret_path = "";
        *ret_x = x;
        *ret_y = y;
        return !same;
    }
    for (uint32_t i = 0; i < x->n + y->n; i++) {
        const struct json_member *m = i < x->n ? &x->members[i] : &y->members[i - x->n];
        if (i >= x->n && json_get(x, m->key))
            continue;
        if (!entries_differ(a, json_get(x, m->key), json_get(y, m->key), ret_path, ret_x, ret_y))
            continue;
        *ret_path = **ret_path ? arena_printf(a, "%s.%s", m->key, *ret_path) : m->key;
        return true;
    }
    return false;
}
