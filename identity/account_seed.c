/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts in seed documents: which a person has and with which services, to whose mailbox an
 * address leads, and who sees across vendors when somebody is busy. */
#include "engine/json/doc.h"
#include "engine/state/form.h"
#include "engine/world/take.h"
#include "identity/account.h"
#include "identity/internal.h"

enum { ACCOUNTS_MAX = 1000 }; /* of one actor, of one vendor */

/* In the order of the bits of enum account_service. */
static const char *const service_names[] = {"calendar", "mail", "drive", "chat", NULL};

/* ---- accounts ---- */

/* Services that other accounts of the actor have with the vendor: in the same tenant, and in any.
 */
struct taken {
    unsigned here, any;
    int n; /* accounts */
};

static int taken_services(struct tx *tx, const struct account *a, struct taken *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select services, tenant = :tenant from ident_account where actor = :actor and vendor = "
        ":vendor and id <> :id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, a->tenant, a->actor, a->vendor, a->id);
    int r = st ? 0 : -1;
    *ret = (struct taken){0};
    while (st && (r = TX_STEP(tx, st)) == 1) {
        const unsigned services = (unsigned)sqlite3_column_int(st, 0);
        ret->any |= services;
        ret->here |= sqlite3_column_int(st, 1) ? services : 0;
        ret->n++;
    }
    ret->any &= account_services_once(tx, a->vendor);
    return r;
}

/* "services": a list of those that the account has; without it those of the vendor's that no other
 * account of the actor has, nor, if they begin with something, one in another tenant. One that is
 * the id for a service alone has none without it. */
static int read_services(struct tx *tx, struct doc *d, const struct json *v, struct account *a,
                         const struct actor *actor)
{
    const unsigned all = account_services(tx, a->vendor, actor->kind);
    struct taken taken;
    const char **list;
    size_t n;
    if (taken_services(tx, a, &taken) < 0)
        return -1;
    if (taken.n >= ACCOUNTS_MAX)
        return doc_refuse(d, v, "actor", "must have at most %d accounts of %.40s", ACCOUNTS_MAX,
                          a->vendor);
    a->services = (*a->service ? 0 : all & ~(taken.here | taken.any)) | a->made;
    if (!json_get(v, "services"))
        return 0;
    if (doc_strings(d, v, "services", &list, &n) < 0)
        return -1;
    a->services = a->made;
    for (size_t i = 0; i < n; i++) {
        unsigned k = 0;
        while (service_names[k] && strcmp(service_names[k], list[i]) != 0)
            k++;
        if (!service_names[k])
            return doc_refuse(d, v, "services",
                              "must be of calendar, mail, drive, chat, not \"%.40s\"", list[i]);
        if (!(all & 1U << k))
            return doc_refuse(d, v, "services", "%.40s has no service \"%s\" for a %s", a->vendor,
                              list[i], actor->kind);
        if (taken.here & 1U << k)
            return doc_refuse(d, v, "services",
                              "another account of the actor has the service \"%s\"", list[i]);
        a->services |= 1U << k;
    }
    return 0;
}

/* "mailbox": primary: the actor's address leads here. One account of an actor may say so. */
static int read_prime(struct tx *tx, struct doc *d, const struct json *v, struct account *a)
{
    static const char *const words[] = {"primary", NULL};
    static struct sql_text q =
        SQL_TEXT("select 1 from ident_account where actor = :actor and prime limit 1");
    int word;
    if (doc_enum(d, v, "mailbox", words, -1, &word) < 0)
        return -1;
    a->prime = word == 0;
    if (!a->prime)
        return 0;
    if (!(a->services & ACCOUNT_MAIL))
        return doc_refuse(d, v, "mailbox", "needs the service mail");
    int r = TX_ANY(tx, TX_QUERY(tx, &q, a->actor));
    return r == 1 ? doc_refuse(d, v, "mailbox", "another account of the actor is the primary one")
                  : r;
}

/* Without the vendor's id an account says that an actor has one. */
static int check_once(struct tx *tx, struct doc *d, const struct json *v, const struct account *a)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from ident_account where actor = :actor and vendor = :vendor and service = "
        ":service and tenant = :tenant and name is null and listed");
    int r = a->name ? 0 : TX_ANY(tx, TX_QUERY(tx, &q, a->actor, a->vendor, a->service, a->tenant));
    return r == 1 ? doc_refuse(d, v, "actor", "has such an account already") : r;
}

/* An account that came with the actor is the one that the document lists. */
static int find_usual(struct tx *tx, struct account *a)
{
    static struct sql_text q =
        SQL_TEXT("select id, made from ident_account where actor = :actor and vendor = :vendor and "
                 "not listed");
    int r = *a->service ? 0 : TX_TAKE(tx, TX_QUERY(tx, &q, a->actor, a->vendor), &a->id, &a->made);
    return r < 0 ? -1 : 0;
}

static int store(struct tx *tx, struct account *a)
{
    static struct sql_text q =
        SQL_TEXT("update ident_account set tenant = :tenant, name = :name, services = :services, "
                 "listed = 1, prime = :prime where id = :id");
    return a->id
               ? TX_RUN(tx, &q, a->tenant, a->name, (int64_t)a->services, (int64_t)a->prime, a->id)
               : account_put(tx, a);
}

int account_list_usual(struct tx *tx, const struct account *a)
{
    static struct sql_text q =
        SQL_TEXT("update ident_account set listed = 1 where actor = :actor and vendor <> :vendor "
                 "and service = '' and services & :services and not listed");
    return *a->service ? 0
                       : TX_RUN(tx, &q, a->actor, a->vendor,
                                (int64_t)account_services(tx, a->vendor, NULL));
}

static const struct member account_members[] = {
    {"actor", "Whose it is: an address or a handle", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED},
    {"vendor", "With whom", TEXT_AT(struct account, vendor), .flags = MEMBER_REQUIRED},
    {"service", "The one of the vendor's services that it is of", TEXT_AT(struct account, service)},
    {"tenant", "The team or directory that it is in", TEXT_AT(struct account, tenant)},
    {"id", "What the vendor knows them by; made up without it", TEXT_AT(struct account, name)},
    {"services", "What it owns: calendar, mail, drive, chat", .kind = MEMBER_OWN,
     .noun = "list of texts"},
    {"mailbox", "primary: the person's address leads here", .kind = MEMBER_OWN, .noun = "text"},
};
const struct form account_form = FORM("An account with a vendor", account_members);

static int account_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct account a = {.listed = true};
    struct actor actor;
    if (form_read(&(struct form_in){tx, d, v}, &account_form, &a) < 0 ||
        ident_doc_actor(tx, d, v, "actor", true, &actor) < 0)
        return -1;
    if (a.name && !*a.name)
        return doc_refuse(d, v, "id", "must not be empty");
    a.actor = actor.id;
    a.service = a.service ? a.service : "";
    a.tenant = a.tenant ? a.tenant : "";
    if (find_usual(tx, &a) < 0 || read_services(tx, d, v, &a, &actor) < 0 ||
        read_prime(tx, d, v, &a) < 0 || check_once(tx, d, v, &a) < 0)
        return -1;
    if (store(tx, &a) == 0)
        return account_list_usual(tx, &a);
    return doc_taken(d, v, "id");
}

/* People have their accounts when the section was read, whatever it says. */
int accounts_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "accounts", account_seed) < 0 ? -1 : account_provision_all(tx);
}

static void optional(struct json_writer *w, const char *member, const char *text)
{
    if (text && *text)
        json_str(w, member, text);
}

static void dump_services(struct json_writer *w, unsigned services)
{
    json_arr(w, "services");
    for (unsigned k = 0; service_names[k]; k++)
        if (services & 1U << k)
            json_str(w, NULL, service_names[k]);
    json_end(w);
}

int account_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct account a;
    struct actor actor;
    struct taken taken;
    int r = account_get(tx, rowid, &a);
    if (r != 1 || !a.listed || (r = actor_by_id(tx, a.actor, &actor)) != 1)
        return r < 0 ? -1 : 0;
    json_str(w, "actor", actor.handle);
    json_str(w, "vendor", a.vendor);
    optional(w, "service", a.service);
    optional(w, "tenant", a.tenant);
    optional(w, "id", a.name);
    if (taken_services(tx, &a, &taken) < 0)
        return -1;
    if (a.services != (*a.service ? 0 : account_services(tx, a.vendor, actor.kind)) ||
        a.services & taken.any)
        dump_services(w, a.services);
    if (a.prime)
        json_str(w, "mailbox", "primary");
    return 1;
}

/* ---- between vendors ---- */

static int domain_of(struct doc *d, const struct json *at, const char *member, const char *text,
                     const char **ret)
{
    *ret = domain_normal(d->arena, text);
    return *ret ? 0 : doc_fail(d, at, member, "must be a domain name, not \"%.80s\"", text);
}

/* An object whose members are domains. */
static int is_by_domain(struct doc *d, const struct json *v)
{
    return !v || v->type == JSON_NULL ? 0
           : v->type == JSON_OBJECT   ? 1
                                    : doc_expect(d, v, NULL, "an object whose members are domains");
}

int routing_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT("insert into ident_routing (domain, vendor) values "
                                        "(:domain, :vendor) on conflict do update set vendor = "
                                        "excluded.vendor");
    int r = is_by_domain(d, v);
    for (uint32_t i = 0; r == 1 && i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        const char *domain, *vendor;
        if (domain_of(d, &m->value, NULL, m->key, &domain) < 0 ||
            doc_str(d, v, m->key, true, &vendor) < 0)
            return -1;
        if (!(account_services(tx, vendor, NULL) & ACCOUNT_MAIL))
            return doc_fail(d, &m->value, m->key, "must be a vendor with mail, not \"%.40s\"",
                            vendor);
        if (TX_RUN(tx, &q, domain, vendor) < 0)
            return -1;
    }
    return r < 0 ? -1 : 0;
}

int routing_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select domain, vendor from ident_routing order by domain");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? 0 : -1, n = 0;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        if (!n++)
            json_obj(w, "mailRouting");
        json_str(w, (const char *)sqlite3_column_text(st, 0),
                 (const char *)sqlite3_column_text(st, 1));
    }
    if (n)
        json_end(w);
    return r;
}

int freebusy_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT("insert or ignore into ident_freebusy (domain, seen_by) "
                                        "values (:domain, :seen_by)");
    int r = is_by_domain(d, v);
    for (uint32_t i = 0; r == 1 && i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        const char *domain, *by, **list;
        size_t n;
        if (domain_of(d, &m->value, NULL, m->key, &domain) < 0 ||
            doc_strings(d, v, m->key, &list, &n) < 0)
            return -1;
        for (size_t k = 0; k < n; k++)
            if (domain_of(d, &m->value, m->key, list[k], &by) < 0 || TX_RUN(tx, &q, domain, by) < 0)
                return -1;
    }
    return r < 0 ? -1 : 0;
}

int freebusy_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select domain, seen_by, lag(domain) over (order by domain, seen_by) is not domain "
        "from ident_freebusy order by domain, seen_by");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? 0 : -1, n = 0;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        if (!n)
            json_obj(w, "freeBusy");
        if (sqlite3_column_int(st, 2)) {
            if (n)
                json_end(w);
            json_arr(w, (const char *)sqlite3_column_text(st, 0));
        }
        n++;
        json_str(w, NULL, (const char *)sqlite3_column_text(st, 1));
    }
    if (n) {
        json_end(w);
        json_end(w);
    }
    return r;
}
