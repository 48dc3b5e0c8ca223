/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts in seed documents: which a person has and with which services, to whose mailbox an
 * address leads, and who sees across vendors when somebody is busy. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/state/form.h"
#include "engine/world/take.h"
#include "identity/account.h"
#include "identity/internal.h"
#include "identity/shown.h"

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

/* An account that came with the actor is the one that the document lists. */
static int find_usual(struct tx *tx, struct account *a)
{
    static struct sql_text q =
        SQL_TEXT("select id, made from ident_account where actor = :actor and vendor = :vendor and "
                 "not listed");
    int r = *a->service ? 0 : TX_TAKE(tx, TX_QUERY(tx, &q, a->actor, a->vendor), &a->id, &a->made);
    return r < 0 ? -1 : 0;
}

/* "services": a list of those that the account has; without it those of the vendor's that no other
 * account of the actor has, nor, if they begin with something, one in another tenant. One that is
 * the id for a service alone has none without it. */
static int read_services(const struct form_in *in, const struct member *m, void *row)
{
    struct account *a = row;
    struct taken taken;
    struct actor actor;
    const char **list;
    size_t n;
    if (find_usual(in->tx, a) < 0 || actor_by_id(in->tx, a->actor, &actor) != 1 ||
        taken_services(in->tx, a, &taken) < 0)
        return -1;
    const unsigned all = account_services(in->tx, a->vendor, actor.kind);
    if (taken.n >= ACCOUNTS_MAX)
        return doc_refuse(in->d, in->value, "actor", "must have at most %d accounts of %.40s",
                          ACCOUNTS_MAX, a->vendor);
    a->services = (*a->service ? 0 : all & ~(taken.here | taken.any)) | a->made;
    if (!json_get(in->value, m->name))
        return 0;
    if (doc_strings(in->d, in->value, m->name, &list, &n) < 0)
        return -1;
    a->services = a->made;
    for (size_t i = 0; i < n; i++) {
        const int k = str_place(service_names, list[i]);
        if (k < 0)
            return doc_refuse(in->d, in->value, m->name,
                              "must be of calendar, mail, drive, chat, not \"%.40s\"", list[i]);
        if (!(all & 1U << k))
            return doc_refuse(in->d, in->value, m->name, "%.40s has no service \"%s\" for a %s",
                              a->vendor, list[i], actor.kind);
        if (taken.here & 1U << k)
            return doc_refuse(in->d, in->value, m->name,
                              "another account of the actor has the service \"%s\"", list[i]);
        a->services |= 1U << k;
    }
    return 0;
}

static int write_services(const struct form_out *out, const struct member *m, const void *row)
{
    const struct account *a = row;
    struct taken taken;
    struct actor actor;
    if (taken_services(out->tx, a, &taken) < 0 || actor_by_id(out->tx, a->actor, &actor) != 1)
        return -1;
    if (a->services == (*a->service ? 0 : account_services(out->tx, a->vendor, actor.kind)) &&
        !(a->services & taken.any))
        return 0;
    json_arr(out->w, m->name);
    for (unsigned k = 0; service_names[k]; k++)
        if (a->services & 1U << k)
            json_str(out->w, NULL, service_names[k]);
    json_end(out->w);
    return 0;
}

/* One account of an actor may say so. */
static int check_prime(const struct form_in *in, const struct member *m, void *row)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from ident_account where actor = :actor and prime limit 1");
    const struct account *a = row;
    if (!a->prime)
        return 0;
    if (!(a->services & ACCOUNT_MAIL))
        return doc_refuse(in->d, in->value, m->name, "needs the service mail");
    int r = TX_ANY(in->tx, TX_QUERY(in->tx, &q, a->actor));
    return r == 1 ? doc_refuse(in->d, in->value, m->name,
                               "another account of the actor is the primary one")
                  : r;
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

/* Without the vendor's id an account says that an actor has one. */
static int check_account(const struct form_in *in, void *row)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from ident_account where actor = :actor and vendor = :vendor and service = "
        ":service and tenant = :tenant and name is null and listed");
    const struct account *a = row;
    if (a->name)
        return *a->name ? 0 : doc_refuse(in->d, in->value, "id", "must not be empty");
    int r = TX_ANY(in->tx, TX_QUERY(in->tx, &q, a->actor, a->vendor, a->service, a->tenant));
    return r == 1 ? doc_refuse(in->d, in->value, "actor", "has such an account already") : r;
}

static const char *const primary[] = {"primary", NULL};

static const struct member account_members[] = {
    {"actor", "Whose it is: an address or a handle",
     REF_AT(struct account, actor, &handle_reference), .flags = MEMBER_REQUIRED},
    {"vendor", "With whom", TEXT_AT(struct account, vendor), .flags = MEMBER_REQUIRED},
    {"service", "The one of the vendor's services that it is of", TEXT_AT(struct account, service),
     .usual_text = ""},
    {"tenant", "The team or directory that it is in", TEXT_AT(struct account, tenant),
     .usual_text = ""},
    {"id", "What the vendor knows them by; made up without it", TEXT_AT(struct account, name)},
    {"services", "What it owns: calendar, mail, drive, chat", .kind = MEMBER_OWN,
     .noun = "list of texts", .read = read_services, .write = write_services},
    {"mailbox", "primary: the person's address leads here", ENUM_AT(struct account, prime, primary),
     .min = 1, .check = check_prime},
};
const struct form account_form = {.about = "An account with a vendor",
                                  .members = account_members,
                                  .n = SOSIA_LEN(account_members),
                                  .check = check_account};

static int account_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct account a = {.listed = true};
    form_usual(&account_form, &a);
    if (form_read(&(struct form_in){tx, d, v}, &account_form, &a) < 0)
        return -1;
    return store(tx, &a) == 0 ? account_list_usual(tx, &a) : doc_taken(d, v, "id");
}

/* People have their accounts when the section was read, whatever it says. */
int accounts_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "accounts", account_seed) < 0 ? -1 : account_provision_all(tx);
}

int account_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct account a;
    int r = account_get(tx, rowid, &a);
    if (r != 1 || !a.listed)
        return r < 0 ? -1 : 0;
    return form_write(&(struct form_out){tx, w}, &account_form, &a) < 0 ? -1 : 1;
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
