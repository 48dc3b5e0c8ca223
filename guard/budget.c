/* SPDX-License-Identifier: Apache-2.0 */
/* What is used up of budgets, and when a call is stopped. */
#include "guard/budget.h"
#include "engine/base/codec.h"
#include "engine/http/entry.h"
#include "engine/world/engine.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { USES_MAX = 1024, RECENT = 16 };
#define AMOUNT_MAX (INT64_MAX / 4)

const struct meter_about meters[N_METERS] = {
    [METER_CALLS] = {"calls", "tool_call_budget_exceeded", "tool_calls_used", 1},
    [METER_WRITES] = {"writes", "write_budget_exceeded", "writes_used", 1},
    [METER_RECIPIENTS] = {"recipients", "recipient_budget_exceeded", "recipients_used", 1},
    [METER_REMOVED] = {"removed", "removal_budget_exceeded", "removed_used", 1},
    [METER_BYTES] = {"bytes", "byte_budget_exceeded", "bytes_used", 1},
    [METER_WORLD_TIME] = {"world_seconds", "world_time_budget_exceeded", "world_ms_used", 1000},
    [METER_REAL_TIME] = {"seconds", "runtime_budget_exceeded", "runtime_ms_used", 1000},
    [METER_RETRIES] = {"retries", "retry_budget_exceeded", "retries_used", 1},
    [METER_UNITS] = {"units", "unit_budget_exceeded", "units_used", 1},
    [METER_TOKENS] = {"tokens", "model_token_budget_exceeded", "model_tokens_used", 1},
    [METER_DOLLARS] = {"dollars", "cost_budget_exceeded", "estimated_cost_usd_used", 1000000},
};

struct use {
    uint64_t key;
    int64_t used[N_METERS];
    int64_t began_us, began_real_us; /* when its first call came */
    struct {
        uint64_t hash; /* of a call; 0: none */
        int64_t n;
    } recent[RECENT];
    uint32_t next; /* of recent */
};

struct budget_uses {
    uint32_t n, cap;
    struct use list[];
};

static struct use *use_of(struct budget_uses **uses, uint64_t key)
{
    struct budget_uses *u = *uses;
    for (uint32_t i = 0; u && i < u->n; i++)
        if (u->list[i].key == key)
            return &u->list[i];
    if (u && u->n == USES_MAX) /* who comes last shares: nobody begins anew */
        return &u->list[USES_MAX - 1];
    if (!u || u->n == u->cap) {
        uint32_t n = u ? u->n : 0, cap = n ? 2 * n : 4;
        u = realloc(u, sizeof *u + cap * sizeof *u->list);
        if (!u)
            return NULL;
        u->n = n;
        u->cap = cap;
        *uses = u;
    }
    struct use *x = &u->list[u->n++];
    memset(x, 0, sizeof *x);
    x->key = key;
    return x;
}

struct budget_uses *budget_uses_copy(const struct budget_uses *u)
{
    struct budget_uses *to = malloc(sizeof *to + u->cap * sizeof *to->list);
    if (to)
        memcpy(to, u, sizeof *u + u->n * sizeof *u->list);
    return to;
}

void budget_uses_free(struct budget_uses *u)
{
    free(u);
}

/* "key used,used,... began began_real hash:n,hash:n;" */
static void write_use(struct buf *out, const struct use *x)
{
    buf_printf(out, "%016" PRIx64 " ", x->key);
    for (int m = 0; m < N_METERS; m++)
        buf_printf(out, "%" PRId64 ",", x->used[m]);
    buf_printf(out, "%" PRId64 ",%" PRId64 " ", x->began_us, x->began_real_us);
    for (int k = 0; k < RECENT; k++)
        if (x->recent[k].hash)
            buf_printf(out, "%" PRIx64 ":%" PRId64 ",", x->recent[k].hash, x->recent[k].n);
    buf_byte(out, ';');
}

void budget_uses_write(struct buf *out, const struct budget_uses *u)
{
    for (uint32_t i = 0; u && i < u->n; i++)
        write_use(out, &u->list[i]);
}

/* 0; -1: it is none. */
static int read_amount(const char **p, char end, int64_t *ret)
{
    char *at;
    *ret = strtoll(*p, &at, 10);
    if (at == *p || *at != end || *ret < -AMOUNT_MAX || *ret > AMOUNT_MAX)
        return -1;
    *p = at + 1;
    return 0;
}

static int read_use(const char **p, struct use *x)
{
    char *at;
    x->key = strtoull(*p, &at, 16);
    if (at == *p || *at != ' ')
        return -1;
    *p = at + 1;
    for (int m = 0; m < N_METERS; m++)
        if (read_amount(p, ',', &x->used[m]) < 0)
            return -1;
    if (read_amount(p, ',', &x->began_us) < 0 || read_amount(p, ' ', &x->began_real_us) < 0)
        return -1;
    while (**p && **p != ';') {
        uint64_t hash = strtoull(*p, &at, 16);
        if (at == *p || *at != ':' || x->next >= RECENT)
            return -1;
        *p = at + 1;
        x->recent[x->next].hash = hash;
        if (read_amount(p, ',', &x->recent[x->next].n) < 0)
            return -1;
        x->next++;
    }
    if (**p != ';')
        return -1;
    ++*p;
    x->next %= RECENT;
    return 0;
}

struct budget_uses *budget_uses_read(const char *text)
{
    struct budget_uses *u = NULL;
    for (const char *p = text; *p;) {
        struct use x = {0};
        struct use *to;
        if (read_use(&p, &x) < 0 || !(to = use_of(&u, x.key)))
            break;
        *to = x;
    }
    return u;
}

/* Meters that count. */
static bool adds_up(int m)
{
    return m != METER_WORLD_TIME && m != METER_REAL_TIME && m != METER_RETRIES;
}

static const struct use *find_use(const struct budget_uses *u, uint64_t key)
{
    for (uint32_t i = 0; u && i < u->n; i++)
        if (u->list[i].key == key)
            return &u->list[i];
    return NULL;
}

void budget_uses_since(struct buf *out, const struct budget_uses *u,
                       const struct budget_uses *before)
{
    for (uint32_t i = 0; u && i < u->n; i++) {
        const struct use *now = &u->list[i], *then = find_use(before, now->key);
        struct use one = {
            .key = now->key, .began_us = now->began_us, .began_real_us = now->began_real_us};
        bool any = false;
        for (int m = 0; m < N_METERS; m++)
            if (adds_up(m)) {
                one.used[m] = now->used[m] - (then ? then->used[m] : 0);
                any |= one.used[m] > 0;
            }
        if (any)
            write_use(out, &one);
    }
}

bool budget_uses_add(struct budget_uses **uses, const char *text)
{
    for (const char *p = text; *p;) {
        struct use x = {0}, *to;
        if (read_use(&p, &x) < 0)
            break;
        if (!(to = use_of(uses, x.key)))
            return false;
        if (!to->began_us && !to->used[METER_CALLS]) {
            to->began_us = x.began_us;
            to->began_real_us = x.began_real_us;
        }
        for (int m = 0; m < N_METERS; m++)
            if (adds_up(m) && x.used[m] > 0)
                to->used[m] =
                    to->used[m] > AMOUNT_MAX - x.used[m] ? AMOUNT_MAX : to->used[m] + x.used[m];
    }
    return true;
}

/* ---- what a call is to a limit ---- */

static bool listed(const struct fault_names *names, const char *name)
{
    for (size_t i = 0; name && i < names->n; i++)
        if (fault_name_matches(names->list[i], name))
            return true;
    return !names->n;
}

static const char *workflow_of(const struct call *c, const struct budgets *b)
{
    const char *named = call_request_header(c, ENTRY_LABEL_OWN "workflow");
    return named ? named : b->workflow ? b->workflow : "";
}

static bool counts_in(const struct call *c, const struct budgets *b, const struct budget_limit *l)
{
    return listed(&l->methods, c->route->id) &&
           listed(&l->vendors, c->dialect ? c->dialect->vendor->name : NULL) &&
           listed(&l->actors, c->actor.id ? c->actor.handle : NULL) &&
           listed(&l->workflows, workflow_of(c, b));
}

/* The keys of a limit have its number in front. */
static uint64_t limit_key(const struct budgets *b, const struct budget_limit *l)
{
    return ((uint64_t)(l - b->limits) + 1) << 48;
}

static uint64_t key_of(const struct call *c, const struct budgets *b, const struct budget_limit *l)
{
    const char *text = "";
    switch (l->per) {
    case PER_WORLD:
        break;
    case PER_ACTOR:
        text = c->actor.handle ? c->actor.handle : "";
        break;
    case PER_TOKEN:
        text = c->token ? c->token : "";
        break;
    case PER_WORKFLOW:
        text = workflow_of(c, b);
        break;
    }
    return limit_key(b, l) | hash_bytes(text, strlen(text)) >> 16;
}

static int64_t cost_of(const struct call *c, const struct budget_limit *l)
{
    for (size_t i = 0; i < l->n_costs; i++)
        if (fault_name_matches(l->costs[i].method, c->route->id))
            return l->costs[i].units;
    return l->n_costs ? 0 : c->route->cost ? c->route->cost : 1;
}

static uint64_t call_hash(const struct call *c)
{
    const struct sosia_request *r = c->request;
    uint64_t h = hash_bytes(c->route->id, strlen(c->route->id));
    h = h * UINT64_C(0x9e3779b97f4a7c15) + hash_bytes(c->path, strlen(c->path));
    if (r->body && r->body_len)
        h = h * UINT64_C(0x9e3779b97f4a7c15) + hash_bytes(r->body, r->body_len);
    return h ? h : 1;
}

/* How often the same call came before, of the last different ones. */
static int64_t repeated(struct use *x, uint64_t hash)
{
    for (int i = 0; i < RECENT; i++)
        if (x->recent[i].hash == hash)
            return x->recent[i].n++;
    x->recent[x->next].hash = hash;
    x->recent[x->next].n = 1;
    x->next = (x->next + 1) % RECENT;
    return 0;
}

/* What the agent says in a header, in parts of a unit. */
static int64_t reported(const struct call *c, const char *header, double unit)
{
    const char *text = call_request_header(c, header);
    char *end;
    double v = text ? strtod(text, &end) : 0;
    return text && end != text && v > 0 && v * unit < 1e15 ? llrint(v * unit) : 0;
}

/* ---- counting ---- */

static void add(struct use *x, enum meter m, int64_t n)
{
    x->used[m] = x->used[m] > AMOUNT_MAX - n ? AMOUNT_MAX : x->used[m] + n;
}

/* Whether the meter is beyond the limit: the first hard one counts, then the first soft one. */
static void check(const struct budget_limit *l, enum meter m, int64_t used, struct budget_stop *ret)
{
    int64_t most = l->most[m];
    if (most < 0 || (ret->limit && !ret->soft))
        return;
    bool hard = used > most;
    /* used / most >= soft / 100, without an overflow */
    bool soft = !hard && l->soft < 100 && used >= (int64_t)((double)most * (double)l->soft / 100.0);
    if (hard || (soft && used > 0 && !ret->limit))
        *ret =
            (struct budget_stop){.limit = l, .meter = m, .used = used, .most = most, .soft = !hard};
}

static void check_all(const struct budget_limit *l, const struct use *x, unsigned of,
                      struct budget_stop *ret)
{
    for (int m = 0; m < N_METERS; m++)
        if (of >> m & 1)
            check(l, (enum meter)m, x->used[m], ret);
}

static void count_begin(struct call *c, const struct budget_limit *l, struct use *x)
{
    int64_t real = real_now_us();
    if (!x->began_us && !x->used[METER_CALLS]) {
        x->began_us = c->tx.now_us;
        x->began_real_us = real;
    }
    add(x, METER_CALLS, 1);
    if (c->tx.write)
        add(x, METER_WRITES, 1);
    add(x, METER_UNITS, cost_of(c, l));
    add(x, METER_TOKENS,
        reported(c, "X-Sosia-Tokens-In", 1) + reported(c, "X-Sosia-Tokens-Out", 1));
    add(x, METER_DOLLARS, reported(c, "X-Sosia-Cost", 1e6));
    int64_t world = c->tx.now_us - x->began_us, gone = real - x->began_real_us;
    x->used[METER_WORLD_TIME] = world > 0 ? world : 0;
    x->used[METER_REAL_TIME] = gone > 0 ? gone : 0;
    if (l->most[METER_RETRIES] >= 0)
        x->used[METER_RETRIES] = repeated(x, call_hash(c));
    if (l->most[METER_BYTES] >= 0)
        add(x, METER_BYTES, (int64_t)c->request->body_len);
}

int budget_begin(struct call *c, const struct budgets *b, struct budget_uses **uses,
                 struct budget_stop *ret)
{
    const unsigned later = 1u << METER_RECIPIENTS | 1u << METER_REMOVED;
    *ret = (struct budget_stop){.limit = NULL};
    for (size_t i = 0; i < b->n; i++) {
        const struct budget_limit *l = &b->limits[i];
        if (!counts_in(c, b, l))
            continue;
        struct use *x = use_of(uses, key_of(c, b, l));
        if (!x)
            return sosia_fail_memory(c->tx.err);
        count_begin(c, l, x);
        check_all(l, x, ~later, ret);
    }
    return ret->limit && !ret->soft;
}

int budget_consequences(struct call *c, const struct budgets *b, struct budget_uses **uses,
                        int64_t recipients, int64_t removed, struct budget_stop *ret)
{
    *ret = (struct budget_stop){.limit = NULL};
    for (int counting = 0; counting < 2; counting++)
        for (size_t i = 0; i < b->n; i++) {
            const struct budget_limit *l = &b->limits[i];
            struct use *x = counts_in(c, b, l) ? use_of(uses, key_of(c, b, l)) : NULL;
            if (!x)
                continue;
            if (counting) { /* it stays, whatever limit it is near to */
                add(x, METER_RECIPIENTS, recipients);
                add(x, METER_REMOVED, removed);
                continue;
            }
            if (recipients)
                check(l, METER_RECIPIENTS, x->used[METER_RECIPIENTS] + recipients, ret);
            if (removed)
                check(l, METER_REMOVED, x->used[METER_REMOVED] + removed, ret);
            if (ret->limit && !ret->soft)
                return 1;
        }
    return 0;
}

static void take(struct use *x, enum meter m, int64_t n)
{
    x->used[m] = x->used[m] > n ? x->used[m] - n : 0;
}

void budget_give_back(struct call *c, const struct budgets *b, struct budget_uses **uses)
{
    const uint64_t hash = call_hash(c);
    for (size_t i = 0; i < b->n; i++) {
        const struct budget_limit *l = &b->limits[i];
        struct use *x = counts_in(c, b, l) ? use_of(uses, key_of(c, b, l)) : NULL;
        if (!x)
            continue;
        take(x, METER_CALLS, 1);
        take(x, METER_WRITES, c->tx.write);
        take(x, METER_UNITS, cost_of(c, l));
        take(x, METER_TOKENS,
             reported(c, "X-Sosia-Tokens-In", 1) + reported(c, "X-Sosia-Tokens-Out", 1));
        take(x, METER_DOLLARS, reported(c, "X-Sosia-Cost", 1e6));
        if (l->most[METER_BYTES] >= 0)
            take(x, METER_BYTES, (int64_t)c->request->body_len);
        for (int k = 0; l->most[METER_RETRIES] >= 0 && k < RECENT; k++)
            if (x->recent[k].hash == hash && x->recent[k].n)
                x->recent[k].n--;
    }
}

void budget_end(struct call *c, const struct budgets *b, struct budget_uses **uses)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct budget_limit *l = &b->limits[i];
        struct use *x =
            l->most[METER_BYTES] >= 0 && counts_in(c, b, l) ? use_of(uses, key_of(c, b, l)) : NULL;
        if (x)
            add(x, METER_BYTES, c->sent.blob.id ? c->sent.n : (int64_t)c->body_out->len);
    }
}

/* ---- stops ---- */

static void amount(struct json_writer *w, const char *member, enum meter m, int64_t n)
{
    char text[40];
    if (m != METER_DOLLARS) {
        json_int(w, member, n / meters[m].unit);
        return;
    }
    int len = snprintf(text, sizeof text, "%.6g", (double)n / (double)meters[m].unit);
    json_number(w, member, text, (size_t)len);
}

static const char *next_step(enum meter m)
{
    switch (m) {
    case METER_RETRIES:
        return "Do not make the same call again: look at what it did, or ask the person.";
    case METER_RECIPIENTS:
        return "Write to fewer people, or ask the person to approve more.";
    case METER_REMOVED:
        return "Remove less, or ask the person to approve more.";
    case METER_WORLD_TIME:
    case METER_REAL_TIME:
        return "Stop here, and report what is done and what is left.";
    default:
        return "Stop here, report what is done and what is left, and ask for a larger budget.";
    }
}

void budget_stop_write(struct json_writer *w, const struct budget_stop *s)
{
    const struct meter_about *m = &meters[s->meter];
    json_str(w, "status", s->soft ? "warned" : "stopped");
    json_str(w, "reason", m->reason);
    amount(w, m->used, s->meter, s->used);
    amount(w, "limit", s->meter, s->most);
    json_str(w, "budget", s->limit->name);
    json_str(w, "suggested_next_step", next_step(s->meter));
}

const char *budget_stop_text(struct arena *a, const struct budget_stop *s)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    budget_stop_write(&w, s);
    json_end(&w);
    return buf_keep(&b, a);
}

void budget_uses_show(struct json_writer *w, const struct budgets *b, const struct budget_uses *u)
{
    json_arr(w, "used");
    for (size_t i = 0; i < b->n; i++) {
        const struct budget_limit *l = &b->limits[i];
        json_obj(w, NULL);
        json_str(w, "name", l->name);
        for (int m = 0; m < N_METERS; m++) {
            int64_t most = 0;
            for (uint32_t k = 0; u && l->most[m] >= 0 && k < u->n; k++)
                if (u->list[k].key >> 48 == limit_key(b, l) >> 48 && u->list[k].used[m] > most)
                    most = u->list[k].used[m];
            if (l->most[m] >= 0)
                amount(w, meters[m].used, (enum meter)m, most);
        }
        json_end(w);
    }
    json_end(w);
}
