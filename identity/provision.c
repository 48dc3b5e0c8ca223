/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which services accounts have, and what they begin with. A vendor's dialects say which services
 * it has and make what a new account gets; an actor of whom no document says anything has an
 * account with the first vendor of each service that is usual for its kind.
 */
#include "engine/world/core.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "identity/internal.h"
#include "engine/world/scopes.h"
#include "engine/world/take.h"

/* Goes through all that the cores have: NULL behind the last. */
struct provisions {
    const struct sosia_core *const *core;
    const struct provision *next;
};

static struct provisions provisions_of(struct tx *tx)
{
    return (struct provisions){.core = (const struct sosia_core *const *)tx->engine->cores};
}

static const struct provision *provision_next(struct provisions *it)
{
    for (; *it->core; it->core++, it->next = NULL) {
        it->next = it->next ? it->next + 1 : (*it->core)->provisions;
        if (it->next && it->next->vendor)
            return it->next;
    }
    return NULL;
}

static bool fits(const struct provision *p, const char *vendor, const char *kind)
{
    return strcmp(p->vendor, vendor) == 0 &&
           (!p->kinds || !kind || scopes_have(p->kinds, kind, strlen(kind)));
}

unsigned account_services(struct tx *tx, const char *vendor, const char *kind)
{
    struct provisions it = provisions_of(tx);
    const struct provision *p;
    unsigned services = 0;
    while ((p = provision_next(&it)))
        if (fits(p, vendor, kind))
            services |= p->service;
    return services;
}

unsigned account_services_once(struct tx *tx, const char *vendor)
{
    struct provisions it = provisions_of(tx);
    const struct provision *p;
    unsigned services = 0;
    while ((p = provision_next(&it)))
        if (p->make && strcmp(p->vendor, vendor) == 0)
            services |= p->service;
    return services;
}

/* ---- one actor ---- */

struct accounts {
    struct account *list;
    size_t n, cap;
};

/* Room for one more; NULL: there is no memory. */
static struct account *next_of(struct tx *tx, struct accounts *of)
{
    of->list = arena_grow(tx->arena, of->list, of->n, &of->cap, sizeof *of->list);
    return of->list ? &of->list[of->n] : NULL;
}

static int read_accounts(struct tx *tx, const struct actor *actor, struct accounts *ret)
{
    sqlite3_stmt *st = account_each(tx, actor->id);
    struct account *a;
    int r = st ? 1 : -1;
    while (r == 1 && (a = next_of(tx, ret)) && (r = account_read(tx, st, a)) == 1)
        ret->n++;
    if (r == 1) {
        sql_done(st);
        return sosia_fail_memory(tx->err);
    }
    return r;
}

/* Is one of the first n with some vendor of the service, whether it has that or not? One that is
 * the id for a service alone says nothing of the others. */
static bool said(struct tx *tx, const struct accounts *of, size_t n, enum account_service service)
{
    for (size_t i = 0; i < n; i++)
        if (!*of->list[i].service && account_services(tx, of->list[i].vendor, NULL) & service)
            return true;
    return false;
}

static struct account *at_vendor(struct accounts *of, size_t from, const char *vendor)
{
    for (size_t i = from; i < of->n; i++)
        if (strcmp(of->list[i].vendor, vendor) == 0)
            return &of->list[i];
    return NULL;
}

/* The usual ones behind those that are listed, not in the table yet. */
static int add_usual(struct tx *tx, const struct actor *actor, struct accounts *of)
{
    size_t listed = of->n;
    unsigned given = 0;
    struct provisions it = provisions_of(tx);
    for (const struct provision *p; (p = provision_next(&it));) {
        if (!p->usual || given & p->service || !fits(p, p->vendor, actor->kind) ||
            said(tx, of, listed, p->service))
            continue;
        struct account *a = at_vendor(of, listed, p->vendor);
        if (!a) {
            if (!(a = next_of(tx, of)))
                return sosia_fail_memory(tx->err);
            *a = (struct account){
                .actor = actor->id, .vendor = p->vendor, .service = "", .tenant = ""};
            of->n++;
        }
        a->services |= p->service;
        given |= p->service;
    }
    return 0;
}

static int make_services(struct tx *tx, const struct actor *actor, const struct accounts *of)
{
    struct provisions it = provisions_of(tx);
    for (const struct provision *p; (p = provision_next(&it));)
        for (size_t i = 0; p->make && i < of->n; i++) {
            const struct account *a = &of->list[i];
            if (a->services & ~a->made & p->service && strcmp(a->vendor, p->vendor) == 0 &&
                p->make(tx, a, actor) < 0)
                return -1;
        }
    return 0;
}

int account_provision(struct tx *tx, const struct actor *actor)
{
    static struct sql_text q =
        SQL_TEXT("update ident_account set made = services where actor = :actor");
    struct accounts of = {0};
    /* What acts for nobody has what its accounts say, and nothing that is usual. */
    const bool plain = !*actor->email;
    if (plain && strcmp(actor->kind, "service") != 0)
        return 0;
    if (read_accounts(tx, actor, &of) < 0)
        return -1;
    size_t there = of.n;
    bool settled = plain;
    for (size_t i = 0; i < of.n; i++)
        settled |= of.list[i].made != 0;
    if (!settled && add_usual(tx, actor, &of) < 0)
        return -1;
    for (size_t i = there; i < of.n; i++)
        if (account_put(tx, &of.list[i]) < 0)
            return -1;
    if (!of.n)
        return 0;
    return make_services(tx, actor, &of) < 0 ? -1 : TX_RUN(tx, &q, actor->id);
}

int account_provision_all(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT(
        "select id from ident_actor a where email is not null and id > :after and not "
        "exists (select 1 from ident_account c where c.actor = a.id and c.made <> 0) or id > "
        ":after and exists (select 1 from ident_account c where c.actor = a.id and "
        "c.services & ~c.made) order by id limit 1");
    struct actor actor;
    int64_t after = 0;
    int r;
    while ((r = TX_TAKE(tx, TX_QUERY(tx, &q, after), &after)) == 1) {
        if ((r = actor_by_id(tx, after, &actor)) != 1 || account_provision(tx, &actor) < 0)
            return -1;
    }
    return r;
}

int actor_new(struct tx *tx, struct actor *actor)
{
    return actor_put(tx, actor) < 0 ? -1 : account_provision(tx, actor);
}
