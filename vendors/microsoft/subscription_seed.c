/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions in seed documents and dumps. */
#include "engine/state/form.h"
#include "identity/app.h"
#include "vendors/microsoft/subscription_impl.h"

struct seeded {
    struct graph_subscription s;
    const char *person;
    unsigned changes;
    bool app_only, immutable, missed;
};

static const struct member members[] = {
    {"id", "The GUID that programs know; made up without it", TEXT_AT(struct seeded, s.key),
     .flags = MEMBER_ALWAYS},
    {"person", "The address or handle of the person or the app's actor",
     TEXT_AT(struct seeded, person), .flags = MEMBER_REQUIRED},
    {"app", "The client id of the app that made it", REF_AT(struct seeded, s.app, &app_reference)},
    {"appOnly", "The app made it by itself, for no person", BOOL_AT(struct seeded, app_only)},
    {"resource", "What is watched, as a path of Graph's", TEXT_AT(struct seeded, s.resource),
     .flags = MEMBER_REQUIRED},
    {"changeTypes", "Which changes are announced",
     BITS_AT(struct seeded, changes, graph_change_words), .noun = "change", .usual = 7},
    {"notificationUrl", "Where notifications go", TEXT_AT(struct seeded, s.url),
     .flags = MEMBER_REQUIRED},
    {"lifecycleNotificationUrl", "Where it is said what becomes of the subscription",
     TEXT_AT(struct seeded, s.lifecycle_url)},
    {"clientState", "A text that comes with each notification", TEXT_AT(struct seeded, s.state)},
    {"tls", "latestSupportedTlsVersion", TEXT_AT(struct seeded, s.tls), .usual_text = "v1_2"},
    {"encryptionCertificate", "Base64 of the certificate for resource data",
     TEXT_AT(struct seeded, s.certificate)},
    {"encryptionCertificateId", "Its name", TEXT_AT(struct seeded, s.certificate_id)},
    {"expires", "When it ends; a day from now without it", TIME_AT(struct seeded, s.expires_us),
     .flags = MEMBER_ALWAYS},
    {"immutableIds", "Notifications have immutable ids", BOOL_AT(struct seeded, immutable)},
    {"missed", "Notifications were given up, which was said", BOOL_AT(struct seeded, missed)},
};
static const struct form form = FORM("A subscription of Microsoft Graph", members);

static int read_row(struct tx *tx, struct doc *d, const struct json *v, struct seeded *ret,
                    struct actor *who)
{
    form_usual(&form, ret);
    if (form_read(&(struct form_in){tx, d, v}, &form, ret) < 0)
        return -1;
    int r = actor_find(tx, ret->person, who);
    if (r != 1)
        return r < 0 ? -1 : doc_expect(d, json_get(v, "person"), "person", "an actor's address");
    if (ret->s.key && (strlen(ret->s.key) != 36 ||
                       strspn(ret->s.key, "0123456789abcdefABCDEF-") != strlen(ret->s.key)))
        return doc_expect(d, json_get(v, "id"), "id", "a GUID");
    if (!graph_subscription_address(ret->s.url))
        return doc_expect(d, json_get(v, "notificationUrl"), "notificationUrl",
                          "an https URL, or an http URL of this machine");
    if (ret->s.lifecycle_url && !graph_subscription_address(ret->s.lifecycle_url))
        return doc_expect(d, json_get(v, "lifecycleNotificationUrl"), "lifecycleNotificationUrl",
                          "an https URL, or an http URL of this machine");
    if (!ret->s.certificate != !ret->s.certificate_id ||
        (ret->s.certificate && !graph_certificate_good(tx->arena, ret->s.certificate)))
        return doc_refuse(d, v, "encryptionCertificate",
                          "must be base64 of an X.509 certificate with an RSA key, with an id");
    return ret->changes ? 0
                        : doc_expect(d, json_get(v, "changeTypes"), "changeTypes",
                                     "a list of changes, not empty");
}

static int seed_one(struct tx *tx, struct doc *d, const struct json *v)
{
    struct seeded row = {.s = {.id = 0}};
    struct graph_subscription *s = &row.s;
    const struct graph_feed *feed;
    const struct odata_query *query;
    struct actor who;
    int64_t made;
    if (read_row(tx, d, v, &row, &who) < 0)
        return -1;
    s->actor = who.id;
    s->changes = row.changes;
    s->app_only = row.app_only;
    s->immutable = row.immutable;
    s->missed = row.missed;
    if (!s->expires_us)
        s->expires_us = tx->now_us + INT64_C(86400000000);
    if (!s->key) {
        if (tx_id(tx, "graph validation", &made, sizeof made) < 0)
            return -1;
        s->key = graph_guid(tx->arena, "subscription",
                            arena_printf(tx->arena, "%lld", (long long)(made & INT64_MAX)));
    }
    int r = graph_subscription_open(tx, &(struct graph_watcher){who, row.app_only, NULL}, s, &feed);
    if (r == 0 || (r < 0 && tx->err->code != SOSIA_E_NO_MEMORY))
        return doc_expect(d, json_get(v, "resource"), "resource",
                          "the path of what the person can watch");
    if (r < 0 || graph_resource_query(tx, NULL, feed, s->resource, &query) < 0)
        return -1;
    if (!graph_data_named(feed, s, query))
        return doc_expect(d, json_get(v, "resource"), "resource",
                          "a path with $select, since data are included");
    if (graph_subscription_add(tx, s) == 0)
        return 0;
    return doc_taken(d, v, "id");
}

static int dump_one(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct seeded row;
    struct actor who;
    int r = graph_subscription_get(tx, rowid, &row.s);
    if (r == 1)
        r = actor_by_id(tx, row.s.actor, &who);
    if (r != 1)
        return r;
    row.person = *who.email ? who.email : who.handle;
    row.changes = (unsigned)row.s.changes;
    row.app_only = row.s.app_only;
    row.immutable = row.s.immutable;
    row.missed = row.s.missed;
    return form_write(&(struct form_out){tx, w}, &form, &row) < 0 ? -1 : 1;
}

/* May its watcher still request it, and means the same? A document with another one is refused. 1,
 * 0, -1. */
static int is_requestable(struct tx *tx, int64_t id)
{
    const struct graph_feed *feed;
    struct graph_subscription s, again;
    struct graph_watcher who = {.call = NULL};
    int r = graph_subscription_get(tx, id, &s);
    if (r == 1)
        r = actor_by_id(tx, s.actor, &who.actor);
    if (r != 1)
        return r;
    again = s;
    who.app_only = s.app_only != 0;
    r = graph_subscription_open(tx, &who, &again, &feed);
    if (r < 0 && (tx->err->code == SOSIA_E_FORBIDDEN || tx->err->code == SOSIA_E_NOT_FOUND ||
                  tx->err->code == SOSIA_E_INVALID)) {
        *tx->err = (struct sosia_err){0};
        return 0;
    }
    return r == 1 ? again.scope == s.scope && strcmp(again.part, s.part) == 0 : r;
}

static int dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from graph_subscription where id > :after order by id limit 1");
    int64_t id = 0;
    int r, n = 0;
    while ((r = TX_INT(tx, &q, &id, id)) == 1) {
        int there = is_requestable(tx, id);
        if (there < 0)
            return -1;
        if (!there)
            continue;
        if (!n++)
            json_arr(w, "graphSubscriptions");
        json_obj(w, NULL);
        if (dump_one(tx, id, w) < 0)
            return -1;
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}

const struct section graph_subscription_sections[1] = {
    {.name = "graphSubscriptions",
     .seed_one = seed_one,
     .dump = dump,
     .dump_one = dump_one,
     .form = &form},
};
const struct entity graph_subscription_entities[1] = {
    {.name = "graph_subscription",
     .table = "graph_subscription",
     .named = ENTITY_NAMED("id", "select key from graph_subscription where id = ?1"),
     .dump = dump_one},
};
