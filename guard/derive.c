/* SPDX-License-Identifier: Apache-2.0 */
/* The least policy that lets runs pass: made of what they did, and proven by running them again. */
#include "engine/api/vendor.h"
#include "guard/simulate.h"
#include "services/list.h"

/* Allows everything, and asks of each call that writes whom it reaches, which journals have then.
 */
static const char probe[] = "policy: 1\nname: probe\notherwise: allow\nrules: [{id: probe, effect: "
                            "allow, reaches: {people: "
                            "{length: {gte: 0}}}}]\n";

/* Texts, each once, in the order in which they came. */
struct words {
    const char **list;
    size_t n, cap;
};

/* What an actor did with a method. */
struct used {
    const char *method, *actor;
    bool writes;
    struct words people;
    struct used *next;
};

/* Rules on where values come from that are proposed, by what they are called; words are left out,
 * as who answers somebody has theirs. */
#define TAINTED "tainted-"
static const char *const tainted[] = {TAINTED "addresses", TAINTED "links", TAINTED "ids",
                                      TAINTED "reached"};

struct derivation {
    struct arena *arena;
    struct used *first, **end;
    struct words held, scopes; /* scopes of tokens, and those that were used */
    unsigned untrue;           /* bits of tainted[]: some call of the run would be refused by it */
    struct buf text;
    struct sosia_err *err;
};

static bool has(const struct words *w, const char *text)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->list[i], text) == 0)
            return true;
    return false;
}

static void add(struct derivation *d, struct words *w, const char *text)
{
    const char **list =
        has(w, text) ? NULL : arena_grow(d->arena, w->list, w->n, &w->cap, sizeof *list);
    if (!list)
        return;
    w->list = list;
    list[w->n++] = text;
}

static struct used *find(const struct derivation *d, const char *method, const char *actor)
{
    struct used *u = d->first;
    while (u && (strcmp(u->method, method) != 0 || strcmp(u->actor, actor) != 0))
        u = u->next;
    return u;
}

static const struct route *row_of(const char *method)
{
    const struct dialect *d;
    const struct route *row;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (row = dialect_row(d, i)); i++)
            if (strcmp(row->id, method) == 0)
                return row;
    return NULL;
}

/* The first of the method's scopes that the token has is the one that it used. */
static void add_scopes(struct derivation *d, const struct json *entry, const struct route *row)
{
    struct words held = {0};
    const char *text = json_get_str(json_get(entry, "as"), "scopes");
    for (const char *p = text; p && *p;) {
        size_t n = strcspn(p, " ");
        add(d, &held, arena_memdup(d->arena, p, n));
        p += n + strspn(p + n, " ");
    }
    for (size_t i = 0; i < held.n; i++)
        add(d, &d->held, held.list[i]);
    for (const char *p = row ? row->scopes : NULL; p && *p;) {
        size_t n = strcspn(p, " ");
        const char *scope = arena_memdup(d->arena, p, n);
        if (has(&held, scope)) {
            add(d, &d->scopes, scope);
            return;
        }
        p += n + strspn(p + n, " ");
    }
}

/* A call of somebody's that was served; NULL: the entry is something else. */
static const char *method_of(const struct json *entry)
{
    int64_t status = json_get_int(json_get(entry, "response"), "status", 0);
    if (!json_get(entry, "request") || !json_get_str(entry, "actor") || status >= 400)
        return NULL;
    return json_get_str(entry, "method");
}

static void add_entry(struct derivation *d, const struct json *entry)
{
    const char *method = method_of(entry), *actor = json_get_str(entry, "actor");
    const struct json *people = json_get(json_get(json_get(entry, "guard"), "reaches"), "people");
    if (!method)
        return;
    const struct route *row = row_of(method);
    struct used *u = find(d, method, actor);
    if (!u) {
        u = arena_calloc(d->arena, 1, sizeof *u);
        *u = (struct used){.method = method, .actor = actor};
        *d->end = u;
        d->end = &u->next;
    }
    u->writes = row && row->risk != RISK_READ;
    for (uint32_t i = 0; people && people->type == JSON_ARRAY && i < people->n; i++)
        if (people->items[i].type == JSON_STRING)
            add(d, &u->people, people->items[i].str);
    add_scopes(d, entry, row);
}

/* ---- the policy ---- */

static void write_words(struct json_writer *w, const char *member, const struct words *words)
{
    json_arr(w, member);
    for (size_t i = 0; i < words->n; i++)
        json_str(w, NULL, words->list[i]);
    json_end(w);
}

static void write_rule(struct json_writer *w, const struct used *u)
{
    json_obj(w, NULL);
    json_str(w, "effect", "allow");
    json_obj(w, "call");
    json_str(w, "method", u->method);
    json_str(w, "actor", u->actor);
    json_end(w);
    if (u->writes) {
        json_obj(w, "reaches");
        json_obj(w, "people");
        json_obj(w, "none");
        json_obj(w, "");
        write_words(w, "not_in", &u->people);
        json_end(w);
        json_end(w);
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

/* Of values that outsiders wrote, those lists that no call of the run had any of. */
static void write_tainted(struct json_writer *w, const char *list)
{
    static const enum risk risks[] = {RISK_DRAFT, RISK_WRITE, RISK_EXTERNAL, RISK_DESTRUCTIVE};
    json_obj(w, NULL);
    json_str(w, "id", list);
    json_str(w, "effect", "deny");
    json_obj(w, "call");
    json_arr(w, "risk");
    for (size_t i = 0; i < SOSIA_LEN(risks); i++)
        json_str(w, NULL, risk_names[risks[i]]);
    json_end(w);
    json_end(w);
    json_obj(w, "tainted");
    json_obj(w, list + sizeof TAINTED - 1);
    json_obj(w, "length");
    json_int(w, "gt", 0);
    json_end(w);
    json_end(w);
    json_end(w);
    json_end(w);
}

static void write_policy(struct derivation *d)
{
    struct json_writer w;
    buf_clear(&d->text);
    json_init(&w, &d->text, true, NULL);
    json_obj(&w, NULL);
    json_int(&w, "policy", 1);
    json_str(&w, "name", "derived");
    json_str(&w, "otherwise", "deny");
    json_arr(&w, "rules");
    for (size_t i = 0; i < SOSIA_LEN(tainted); i++)
        if (!(d->untrue >> i & 1))
            write_tainted(&w, tainted[i]);
    for (const struct used *u = d->first; u; u = u->next)
        write_rule(&w, u);
    json_end(&w);
    json_end(&w);
}

/* Leaves those rules out that the run does not keep to, which all are asked of it. */
static int try_tainted(struct derivation *d, struct sosia_engine *e, uint64_t world)
{
    const unsigned all = (1u << SOSIA_LEN(tainted)) - 1;
    for (unsigned before = ~0u; d->untrue != before && d->untrue != all;) {
        const struct json *entries;
        before = d->untrue;
        write_policy(d);
        if (buf_failed(&d->text) || policy_run(e, world, buf_str(&d->text), d->text.len, "derived",
                                               d->arena, &entries, d->err) < 0)
            return -1;
        for (uint32_t i = 0; i < entries->n; i++) {
            const char *rule = json_get_str(json_get(&entries->items[i], "guard"), "rule");
            for (size_t k = 0; rule && k < SOSIA_LEN(tainted); k++)
                d->untrue |= (unsigned)(strcmp(rule, tainted[k]) == 0) << k;
        }
    }
    return 0;
}

/* Every call that was served is allowed, when all are made again with the policy. */
static int prove(struct derivation *d, struct sosia_engine *e, uint64_t world, size_t n_calls)
{
    const struct json *entries;
    size_t n = 0;
    if (policy_run(e, world, buf_str(&d->text), d->text.len, "derived", d->arena, &entries,
                   d->err) < 0)
        return -1;
    for (uint32_t i = 0; i < entries->n; i++)
        n += method_of(&entries->items[i]) != NULL;
    return n >= n_calls
               ? 0
               : sosia_fail(d->err, SOSIA_E_CONFLICT, "notProven", NULL,
                            "all %zu calls must pass with the policy that was derived, %zu "
                            "do",
                            n_calls, n);
}

static void write_result(struct derivation *d, struct json_writer *w, const char *policy)
{
    struct words methods = {0}, unused = {0};
    for (const struct used *u = d->first; u; u = u->next)
        add(d, &methods, u->method);
    for (size_t i = 0; i < d->held.n; i++)
        if (!has(&d->scopes, d->held.list[i]))
            add(d, &unused, d->held.list[i]);
    json_obj(w, NULL);
    json_str(w, "policy", policy);
    write_words(w, "methods", &methods);
    json_obj(w, "scopes");
    write_words(w, "held", &d->held);
    write_words(w, "used", &d->scopes);
    write_words(w, "unused", &unused);
    json_end(w);
    json_end(w);
}

int policy_derive(struct sosia_engine *e, uint64_t world, struct sosia_blob *ret_json,
                  struct sosia_err *err)
{
    const struct json *entries;
    struct json_writer w;
    struct arena arena;
    struct buf out;
    struct derivation d = {.arena = &arena, .end = &d.first, .err = err};
    size_t n_calls = 0;
    arena_init(&arena, 0);
    buf_init(&out, 0);
    buf_init(&d.text, 0);
    int rc = policy_run(e, world, probe, sizeof probe - 1, "probe", &arena, &entries, err);
    for (uint32_t i = 0; rc == 0 && i < entries->n; i++) {
        n_calls += method_of(&entries->items[i]) != NULL;
        add_entry(&d, &entries->items[i]);
    }
    if (rc == 0)
        rc = try_tainted(&d, e, world);
    if (rc == 0) {
        write_policy(&d);
        rc = arena_failed(&arena) || buf_failed(&d.text) ? sosia_fail_memory(err)
                                                         : prove(&d, e, world, n_calls);
    }
    if (rc == 0) {
        json_init(&w, &out, true, NULL);
        write_result(&d, &w, buf_str(&d.text));
        rc = buf_give(&out, ret_json, err);
    }
    buf_done(&d.text);
    buf_done(&out);
    arena_done(&arena);
    return rc;
}
