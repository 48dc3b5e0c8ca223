/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/beside.h"
#include "guard/taint/taint.h"
#include "guard/faults/trouble.h"

#define BODY_MAX 1000 /* bytes of a request's body that are shown */

/* ---- in the fork ---- */

struct showing {
    struct json_writer *w;
    struct arena arena;
    struct sosia_err *err;
    int64_t n;
};

static void show_call(struct arena *a, struct json_writer *w, const struct json *entry)
{
    const struct json *request = json_get(entry, "request"), *guard = json_get(entry, "guard"),
                      *response = json_get(entry, "response"), *body = json_get(request, "body");
    const char *text = body ? json_to_text(a, body) : NULL;
    json_obj(w, NULL);
    json_str_opt(w, "at", json_get_str(entry, "at"));
    json_str_opt(w, "actor", json_get_str(entry, "actor"));
    json_str_opt(w, "method", json_get_str(entry, "method"));
    json_str_opt(w, "risk", json_get_str(entry, "risk"));
    json_str_opt(w, "verb", json_get_str(request, "verb"));
    json_str_opt(w, "target", json_get_str(request, "target"));
    if (text && strlen(text) <= BODY_MAX)
        json_value(w, "body", body);
    json_int(w, "status", json_get_int(response, "status", 0));
    json_str_opt(w, "why", json_get_str(response, "why"));
    json_str_opt(w, "decision", json_get_str(guard, "decision"));
    json_str_opt(w, "rule", json_get_str(guard, "rule"));
    if (json_get(entry, "stop"))
        json_value(w, "stop", json_get(entry, "stop"));
    if (json_get(entry, "fault"))
        json_value(w, "fault", json_get(entry, "fault"));
    if (json_get(guard, "tainted"))
        json_value(w, "tainted", json_get(guard, "tainted"));
    json_end(w);
}

static int show_entry(void *arg, int64_t seq, const char *text, size_t len)
{
    struct showing *t = arg;
    const struct json *entry;
    (void)seq;
    if (t->n++ >= BESIDE_CALLS)
        return 0;
    if (json_parse(&t->arena, text, len, NULL, &entry, t->err) < 0)
        return -2;
    show_call(&t->arena, t->w, entry);
    arena_reset(&t->arena);
    return 0;
}

static int show_calls(struct tx *tx, int64_t behind, struct json_writer *w)
{
    const struct world *of = tx->world;
    struct showing t = {.w = w, .err = tx->err};
    arena_init(&t.arena, 0);
    json_arr(w, "calls");
    int rc = journal_each_of(of->past, of->extra ? &of->extra->journal : NULL, behind, INT64_MAX,
                             INT64_MAX, show_entry, &t);
    json_end(w);
    arena_done(&t.arena);
    if (t.n > BESIDE_CALLS)
        json_int(w, "more", t.n - BESIDE_CALLS);
    return rc == -1 ? sosia_fail_memory(tx->err) : rc;
}

/* The policy of that name; NULL: there is none. */
static const struct guard_policy *policy_of(const struct guard_state *s, const char *name)
{
    for (size_t i = 0; s && i < s->n; i++)
        if (strcmp(s->policies[i].policy->name, name) == 0)
            return &s->policies[i];
    return NULL;
}

static void show_limits(struct json_writer *w, const struct guard_state *s,
                        const struct guard_state *before)
{
    json_arr(w, "limits");
    for (size_t i = 0; i < s->n; i++) {
        const struct guard_policy *now = &s->policies[i],
                                  *then = policy_of(before, now->policy->name);
        for (size_t k = 0; k < now->policy->n_counters; k++) {
            const struct guard_count *n = &now->counts[k];
            bool same =
                then && k < then->policy->n_counters && then->counts[k].since_us == n->since_us;
            int64_t used = n->used - (same ? then->counts[k].used : 0);
            if (used <= 0)
                continue;
            json_obj(w, NULL);
            json_str(w, "policy", now->policy->name);
            json_str(w, "hash", now->policy->hash);
            json_int(w, "place", (int64_t)k);
            json_int(w, "used", used);
            json_int(w, "sinceUs", n->since_us);
            json_end(w);
        }
    }
    json_end(w);
}

int beside_show(struct tx *tx, const struct guard_state *before, int64_t entry,
                struct json_writer *w)
{
    struct buf used;
    int rc = guard_learn(tx);
    const struct guard_state *s = rc < 0 ? NULL : guard_state_of(tx);
    json_obj(w, NULL);
    if (rc == 0)
        rc = show_calls(tx, entry, w);
    if (s && rc == 0) {
        buf_init(&used, 0);
        trouble_since(&used, s->trouble, before ? before->trouble : NULL);
        if (used.len)
            json_str(w, "used", buf_str(&used));
        rc = buf_failed(&used) ? sosia_fail_memory(tx->err) : 0;
        buf_done(&used);
        show_limits(w, s, before);
        json_arr(w, "read");
        taint_since(w, s->taint, before ? before->taint : NULL);
        json_end(w);
    }
    json_end(w);
    return rc;
}

/* ---- in the world ---- */

static void count_limits(struct guard_state *s, const struct json *list)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const struct json *one = &list->items[i];
        const char *name = json_get_str(one, "policy"), *hash = json_get_str(one, "hash");
        const struct guard_policy *p = name ? policy_of(s, name) : NULL;
        int64_t place = json_get_int(one, "place", -1), used = json_get_int(one, "used", 0),
                since = json_get_int(one, "sinceUs", 0);
        if (!p || !hash || strcmp(hash, p->policy->hash) != 0) /* set anew while it ran */
            continue;
        if (place < 0 || place >= (int64_t)p->policy->n_counters || used <= 0)
            continue;
        struct guard_count *n = &p->counts[place];
        if (n->since_us < since) /* others have not begun with this time yet */
            *n = (struct guard_count){.since_us = since};
        n->used = n->used > INT64_MAX - used ? INT64_MAX : n->used + used;
        s->unsaved = true;
    }
}

int beside_count(struct call *c)
{
    const struct json *asked = c->outcome && !c->judged->asked_counted ? beside_of(c) : NULL;
    struct guard_state *s = asked ? guard_state_of(&c->tx) : NULL;
    if (!s)
        return 0;
    c->judged->asked_counted = true;
    count_limits(s, json_get(asked, "limits"));
    const char *used = json_get_str(asked, "used");
    return used ? trouble_add(c, s->trouble, used) : 0;
}

int beside_read(struct call *c)
{
    const struct json *asked = beside_of(c);
    return asked ? taint_take(c, c->judged, json_get(asked, "read")) : 0;
}

void beside_write(const struct call *c, struct json_writer *w)
{
    const struct json *asked = c->outcome ? beside_of(c) : NULL, *calls = json_get(asked, "calls");
    if (calls && calls->n)
        json_value(w, "calls", calls);
    if (json_get(asked, "more"))
        json_value(w, "more_calls", json_get(asked, "more"));
}
