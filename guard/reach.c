/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a call reaches: read from what it changed, whichever vendor's terms that is in. */
#include "guard/reach.h"
#include "engine/base/map.h"
#include "engine/json/build.h"
#include "engine/text/utf8.h"
#include "engine/world/engine.h"

const char *const policy_variables[] = {"actor", "domain", NULL};

enum list { PEOPLE, OUTSIDE, STRANGERS, ACCESS, AUDIENCE, N_LISTS };
static const char *const names[] = {"people", "outside", "strangers", "access", "audience"};

#define ANYONE "anyone"

struct addresses {
    struct map seen; /* keys are the addresses */
    const char **list;
    size_t n, cap;
};

struct reach {
    struct call *c;
    struct arena *arena;
    struct addresses lists[N_LISTS];
    const char *domain; /* the caller's */
    bool failed;
};

bool reach_has(const char *path)
{
    size_t n = strcspn(path, ".");
    for (size_t i = 0; i < N_LISTS; i++)
        if (strlen(names[i]) == n && memcmp(names[i], path, n) == 0)
            return true;
    return false;
}

const char *reach_domain(const char *address)
{
    const char *at = address ? strrchr(address, '@') : NULL;
    return at ? at + 1 : "";
}

/* ---- lists ---- */

static void add(struct reach *r, struct addresses *l, const char *text)
{
    if (map_get(&l->seen, text))
        return;
    const char **list = arena_grow(r->arena, l->list, l->n, &l->cap, sizeof *list);
    if (!list || map_set(&l->seen, text, (void *)(uintptr_t)text) < 0) {
        r->failed = true;
        return;
    }
    l->list = list;
    list[l->n++] = text;
}

/* In lower case, without a name around it. */
static const char *plain(struct reach *r, const char *text, size_t n)
{
    const char *open = memchr(text, '<', n),
               *close = open ? memchr(open, '>', n - (size_t)(open - text)) : NULL;
    if (close) {
        n = (size_t)(close - open) - 1;
        text = open + 1;
    }
    while (n && *text == ' ') {
        text++;
        n--;
    }
    char *copy = arena_memdup(r->arena, text, n);
    for (size_t i = 0; i < n; i++)
        if (copy[i] >= 'A' && copy[i] <= 'Z')
            copy[i] |= 32;
    return copy;
}

static bool is_callers(const struct reach *r, const char *address)
{
    const struct actor *a = &r->c->actor;
    return strcmp(address, a->email) == 0 || strcmp(address, a->handle) == 0;
}

/* Of the same organisation as the caller: somebody of it, or an address at the caller's own domain.
 * 1, 0, -1. */
static int is_inside(struct reach *r, const char *address)
{
    struct actor who;
    int found = resolver_of(&r->c->tx)->find(&r->c->tx, address, &who);
    if (found < 0)
        return -1;
    if (found)
        return who.org == r->c->actor.org;
    return *r->domain && strcmp(reach_domain(address), r->domain) == 0;
}

/* Whether something left the world for the address from the caller before, or a core has something
 * of both (a file of the caller's that is shared with them, a channel). 1, 0, -1. */
static int is_known(struct reach *r, const char *address, const struct changes *list)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from outbox where sender = :sender and instr(',' || lower(recipients) "
                 "|| ',', ',' || :address || ',') > 0 limit 1");
    struct tx before = list->a.tx;
    struct sosia_engine *e = before.engine;
    int64_t one;
    int known = TX_INT(&before, &q, &one, r->c->actor.email, address);
    for (size_t i = 0; known == 0 && e->cores[i]; i++)
        if (e->cores[i]->knows)
            known = e->cores[i]->knows(&before, &r->c->actor, address);
    return known;
}

/* Somebody is reached. */
static void reach(struct reach *r, const char *address, const struct changes *list)
{
    if (!*address || map_get(&r->lists[PEOPLE].seen, address) || is_callers(r, address))
        return;
    add(r, &r->lists[PEOPLE], address);
    int inside = strcmp(address, ANYONE) == 0 ? 0 : is_inside(r, address);
    if (inside == 0) {
        add(r, &r->lists[OUTSIDE], address);
        int known = is_known(r, address, list);
        if (known == 0)
            add(r, &r->lists[STRANGERS], address);
        r->failed |= known < 0;
    }
    r->failed |= inside < 0;
}

/* ---- what changed ---- */

/* Members that give somebody access, of whatever they are members. */
static const char *const access_paths[] = {
    "permissions.*.emailAddress",
    "permissions.*.domain",
    "permissions.*.grantedToV2",
    "permissions.*.grantedToIdentitiesV2.*",
    "scope.value",
    "members.*",
    "access.*.user",
    "forwardingEmail",
    "delegateEmail",
    "action.forward",
};

/* The texts at a path; "*" is any item. */
static void collect(struct reach *r, const struct json *v, const char *path, struct addresses *into)
{
    size_t n = strcspn(path, ".");
    const char *rest = path[n] ? path + n + 1 : NULL;
    if (n == 1 && *path == '*') {
        for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
            collect(r, &v->items[i], rest ? rest : "", into);
        return;
    }
    if (n) {
        v = json_get(v, arena_memdup(r->arena, path, n));
        if (v)
            collect(r, v, rest ? rest : "", into);
        return;
    }
    if (v->type == JSON_STRING)
        add(r, into, plain(r, v->str, v->n));
}

/* Everybody who has a link, and everybody there is. */
static bool is_open(const struct json *v)
{
    const struct json *list = json_get(v, "permissions");
    const char *scope = json_get_str(json_get(v, "scope"), "type");
    if (scope && strcmp(scope, "default") == 0)
        return true;
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *type = json_get_str(&list->items[i], "type"),
                   *link = json_get_str(json_get(&list->items[i], "link"), "scope");
        if ((type && strcmp(type, ANYONE) == 0) || (link && strcmp(link, "anonymous") == 0))
            return true;
    }
    return false;
}

static void see_access(struct reach *r, const struct change *one, const struct changes *list)
{
    struct addresses before = {0}, after = {0};
    map_init(&before.seen);
    map_init(&after.seen);
    for (size_t i = 0; i < SOSIA_LEN(access_paths); i++) {
        if (one->from)
            collect(r, one->from, access_paths[i], &before);
        collect(r, one->to, access_paths[i], &after);
    }
    for (size_t i = 0; i < after.n; i++)
        if (!map_get(&before.seen, after.list[i]) && !is_callers(r, after.list[i])) {
            add(r, &r->lists[ACCESS], after.list[i]);
            reach(r, after.list[i], list);
        }
    if (is_open(one->to) && !(one->from && is_open(one->from))) {
        add(r, &r->lists[ACCESS], ANYONE);
        reach(r, ANYONE, list);
    }
    map_done(&before.seen);
    map_done(&after.seen);
}

struct seeing {
    struct reach *reach;
    const struct changes *list;
};

static void see_one(void *arg, const char *address)
{
    const struct seeing *s = arg;
    const char *text = plain(s->reach, address, strlen(address));
    if (is_callers(s->reach, text) || map_get(&s->reach->lists[PEOPLE].seen, text))
        return;
    add(s->reach, &s->reach->lists[AUDIENCE], text);
    reach(s->reach, text, s->list);
}

/* Those who get to see it where it is. */
static void see_audience(struct reach *r, const struct change *one, const struct changes *list)
{
    struct seeing s = {r, list};
    struct tx tx = one->kind == ROW_REMOVED ? list->a.tx : list->b.tx;
    if (one->core->audience && one->core->audience(&tx, one->entity, one->rowid, see_one, &s) < 0)
        r->failed = true;
}

static void see(struct reach *r, const struct change *one, const struct changes *list)
{
    const char *person = one->about.person;
    if (strcmp(one->entity->name, "sent") == 0) {
        struct addresses to = {0};
        map_init(&to.seen);
        if (one->to)
            collect(r, one->to, "to.*", &to);
        for (size_t i = 0; i < to.n; i++)
            reach(r, to.list[i], list);
        map_done(&to.seen);
        return;
    }
    if (person && *person)
        reach(r, plain(r, person, strlen(person)), list);
    if (one->to)
        see_access(r, one, list);
}

const struct json *reach_of(struct call *c, struct changes *list)
{
    struct reach r = {.c = c, .arena = &list->arena, .domain = reach_domain(c->actor.email)};
    struct json_builder build;
    struct json_writer w;
    struct buf failed;
    for (size_t i = 0; i < N_LISTS; i++)
        map_init(&r.lists[i].seen);
    for (size_t i = 0; i < list->n; i++)
        see(&r, &list->list[i], list);
    for (size_t i = 0; i < list->n; i++) /* last, so that these are reached in no other way */
        see_audience(&r, &list->list[i], list);
    buf_init(&failed, 0);
    json_build_init(&build, &list->arena);
    json_init_build(&w, &build, &failed);
    json_obj(&w, NULL);
    for (size_t i = 0; i < N_LISTS; i++) {
        json_arr(&w, names[i]);
        for (size_t k = 0; k < r.lists[i].n; k++)
            json_str(&w, NULL, r.lists[i].list[k]);
        json_end(&w);
        map_done(&r.lists[i].seen);
    }
    json_end(&w);
    const struct json *facts = r.failed || buf_failed(&failed) || arena_failed(&list->arena)
                                   ? NULL
                                   : json_build_root(&build);
    json_build_done(&build);
    buf_done(&failed);
    return facts;
}
