/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Push channels in seed documents and dumps. What is watched is of the APIs: each has a section of
 * its own, behind those of what its channels watch, and says how that is named.
 */
#include "engine/state/own.h"
#include "identity/sql.h"
#include "vendors/google/internal.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "identity/identity.h"

#define MAX_COUNT (INT64_C(1) << 40)
#define MAX_WORDS 8

/* ---- times ---- */

void google_dump_time(struct json_writer *w, const char *member, int64_t us)
{
    json_time(w, member, us,
              us % US_PER_SECOND == 0 ? JSON_TIME_S_Z
              : us % 1000 == 0        ? JSON_TIME_MS_Z
                                      : JSON_TIME_US_Z);
}

/* ---- reading ---- */

/* What the channel watches; *ret_ref 0: it is gone. */
static int read_thing(struct tx *tx, struct doc *d, const struct json *v, const struct actor *who,
                      const struct google_watched *kinds, const struct google_watched *k,
                      int64_t *ret_ref, const char **ret_name)
{
    const char *name = NULL;
    bool gone;
    *ret_ref = k->member ? 0 : who->id;
    for (const struct google_watched *other = kinds; other->kind; other++)
        if (other->member && other->member != k->member && json_get(v, other->member))
            return doc_fail(d, json_get(v, other->member), other->member,
                            "is not a member of what watches %s", k->word);
    *ret_name = "";
    if (doc_bool(d, v, "gone", false, &gone) < 0)
        return -1;
    if (gone && !k->member)
        return doc_fail(d, json_get(v, "gone"), "gone", "what watches %s is never gone", k->word);
    if (!k->member || gone)
        return 0;
    if (doc_str(d, v, k->member, true, &name) < 0)
        return -1;
    int r = TX_INT(tx, k->find, ret_ref, name);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, k->member), k->member, "there is no %s \"%.80s\"",
                                k->member, name);
    *ret_name = name;
    return 0;
}

/* The list as the service's own servers name it. */
static const char *usual_uri(struct tx *tx, const struct google_watched *k, const char *name)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "https://www.googleapis.com%s", k->before);
    if (k->after)
        percent_add(&b, name, strlen(name));
    buf_printf(&b, "%s?alt=json", k->after ? k->after : "");
    const char *uri = arena_strdup(tx->arena, buf_failed(&b) ? "" : buf_str(&b));
    bool failed = buf_failed(&b);
    buf_done(&b);
    if (failed)
        sosia_fail_memory(tx->err);
    return failed ? NULL : uri;
}

static int read_person(struct tx *tx, struct doc *d, const struct json *v, struct actor *ret)
{
    const char *name;
    if (doc_str(d, v, "person", true, &name) < 0)
        return -1;
    int r = actor_find(tx, name, ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, "person"), "person",
                              "nobody has the address or handle \"%.80s\"", name);
}

static int read_kind(struct doc *d, const struct json *v, const struct google_watched *kinds,
                     const struct google_watched **ret)
{
    const char *words[MAX_WORDS + 1] = {0}, *word;
    int at;
    for (size_t i = 0; kinds[i].kind && i < MAX_WORDS; i++)
        words[i] = kinds[i].word;
    if (doc_str(d, v, "watch", true, &word) < 0 || doc_enum(d, v, "watch", words, 0, &at) < 0)
        return -1;
    *ret = &kinds[at];
    return 0;
}

static const struct member channel_members[] = {
    OWN_NEEDED("id", "What its program calls it"),
    OWN_NEEDED("person", "Who made it, and may stop it"),
    OWN_NEEDED("watch", "What it is told of"),
    OWN("gone", "What it watches was deleted since", "true or false"),
    OWN("uri", "The list that it watches, as the API names it; made without it", "text"),
    OWN_NEEDED("address", "Where its messages go: https, or http on this machine"),
    OWN("token", "What each message has; none without it", "text"),
    OWN("expires", "When it ends", "time"),
    OWN_TYPED("messages", "How many it has had", "number", OWN_NUMBER),
    OWN("resource", "The id of what it watches; made up without it", "text"),
};
const struct form google_channel_form = FORM("A channel of notifications", channel_members);

int google_channel_seed(struct tx *tx, struct doc *d, const struct json *v,
                        const struct google_watched *kinds, const struct form *form)
{
    const struct google_watched *k;
    struct google_channel ch = {0};
    struct actor who;
    const char *name;
    int64_t ref;
    if (form_known(&(struct form_in){tx, d, v}, form) < 0 ||
        doc_str(d, v, "id", true, &ch.name) < 0 || read_person(tx, d, v, &who) < 0 ||
        read_kind(d, v, kinds, &k) < 0 || read_thing(tx, d, v, &who, kinds, k, &ref, &name) < 0 ||
        doc_str(d, v, "uri", false, &ch.uri) < 0 ||
        doc_str(d, v, "resource", false, &ch.resource) < 0 ||
        doc_str(d, v, "address", true, &ch.address) < 0 ||
        doc_str(d, v, "token", false, &ch.token) < 0 ||
        doc_int(d, v, "messages", 1, MAX_COUNT, 1, &ch.number) < 0)
        return -1;
    ch.expires_us = (tx->now_us / US_PER_SECOND + k->life_s) * US_PER_SECOND;
    if (doc_time(d, v, "expires", &ch.expires_us) < 0)
        return -1;
    if (!ch.uri && !(ch.uri = usual_uri(tx, k, name)))
        return -1;
    if (!ch.resource)
        ch.resource = google_channel_resource(tx, k->kind, ref);
    const char *fault = google_channel_fault(&ch);
    if (fault)
        return doc_fail(d, json_get(v, fault), fault,
                        strcmp(fault, "address") == 0
                            ? "must be an https URL, or an http URL of this machine"
                            : "is too long or has characters that no channel has there");
    if (google_channel_add(tx, who.id, k->kind, ref, &ch) == 0)
        return 0;
    return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "id"), "id") : -1;
}

/* ---- writing ---- */

static int dump_thing(struct tx *tx, struct json_writer *w, const struct google_watched *k,
                      int64_t ref)
{
    sqlite3_stmt *st;
    int r = TX_ROW(tx, k->key, &st, ref);
    if (r == 1) {
        json_str(w, k->member, (const char *)sqlite3_column_text(st, 0));
        sql_done(st);
    } else if (r == 0) {
        json_bool(w, "gone", true);
    }
    return r < 0 ? -1 : 0;
}

int google_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w,
                        const struct google_watched *kinds)
{
    static struct sql_text q =
        SQL_TEXT("select c.name, coalesce(" IDENT_SQL_EMAIL("c.actor") ", " IDENT_SQL_HANDLE(
            "c.actor") "), c.kind, c.ref, c.resource, c.uri, c.address, c.token, c.expires_us, "
                       "c.number from google_channel c where c.id = :id");
    const struct google_watched *k = kinds;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    const char *name = tx_string(tx, st, 0), *who = tx_string(tx, st, 1),
               *kind = tx_string(tx, st, 2), *resource = tx_string(tx, st, 4),
               *uri = tx_string(tx, st, 5), *address = tx_string(tx, st, 6),
               *token = tx_string(tx, st, 7);
    int64_t ref = sqlite3_column_int64(st, 3), expires = sqlite3_column_int64(st, 8),
            number = sqlite3_column_int64(st, 9);
    sql_done(st);
    while (k->kind && strcmp(k->kind, kind) != 0)
        k++;
    if (!k->kind)
        return 0;
    json_str(w, "id", name);
    json_str(w, "person", who);
    json_str(w, "watch", k->word);
    if (k->member && dump_thing(tx, w, k, ref) < 0)
        return -1;
    json_str(w, "resource", resource);
    json_str(w, "uri", uri);
    json_str(w, "address", address);
    json_str_opt(w, "token", token);
    google_dump_time(w, "expires", expires);
    if (number != 1)
        json_int(w, "messages", number);
    return 1;
}
