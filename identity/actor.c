/* SPDX-License-Identifier: Apache-2.0 */
/* Actors, and the addresses that lead to them. */
#include "engine/store/row.h"
#include "identity/account.h"
#include "identity/shown.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/state/form.h"
#include "engine/world/take.h"

const char *email_domain(const char *email)
{
    const char *at = strrchr(email, '@');
    return at ? at + 1 : "";
}

char *email_normal(struct arena *a, const char *text)
{
    size_t len = strlen(text), ats = 0;
    if (len > 254)
        return NULL;
    char *out = arena_memdup(a, text, len);
    if (a->failed)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)out[i];
        if (c <= ' ' || c == 127 || c == ',' || c == '<' || c == '>' || c == '"')
            return NULL;
        if (c == '@')
            ats++;
        if (c >= 'A' && c <= 'Z')
            out[i] = (char)(c + 32);
    }
    const char *at = strchr(out, '@');
    return ats == 1 && at != out && at[1] ? out : NULL;
}

char *domain_normal(struct arena *a, const char *text)
{
    size_t len = strlen(text);
    char *out = len && len <= 253 ? arena_memdup(a, text, len) : NULL;
    for (size_t i = 0; out && !a->failed && i < len; i++) {
        unsigned char c = (unsigned char)out[i];
        if (c <= ' ' || c == 127 || c == '@' || c == '/' || c == ':')
            return NULL;
        if (c >= 'A' && c <= 'Z')
            out[i] = (char)(c + 32);
    }
    return out;
}

/* ---- finding them ---- */

#define COLUMNS "a.id, a.handle, a.email, a.kind, a.name, a.zone, a.locale, a.org"

static struct row_table actors = ROW_TABLE("ident_actor", "a", COLUMNS);

static const char *text_or_none(struct record *row, unsigned column)
{
    const char *text = record_text(row, column);
    return text ? text : "";
}

/* r: what looking for the row gave, which is passed on. */
static int actor_of(int r, struct record *row, struct actor *ret)
{
    if (r == 1)
        *ret = (struct actor){.id = record_int(row, 0),
                              .handle = text_or_none(row, 1),
                              .email = text_or_none(row, 2),
                              .kind = text_or_none(row, 3),
                              .name = text_or_none(row, 4),
                              .zone = text_or_none(row, 5),
                              .locale = text_or_none(row, 6),
                              .org = record_int(row, 7)};
    return r;
}

static int find_text(struct tx *tx, struct sql_text *q, const char *text, struct actor *ret)
{
    struct record row = {.arena = tx->arena};
    return actor_of(ROW_ONLY(tx, TX_QUERY(tx, q, text), &row), &row, ret);
}

static int find_key(struct tx *tx, struct row_key *key, const char *text, struct actor *ret)
{
    struct record row = {.arena = tx->arena};
    return actor_of(ROW_BY_KEY(tx, key, &row, text), &row, ret);
}

int actor_by_id(struct tx *tx, int64_t id, struct actor *ret)
{
    struct record row = {.arena = tx->arena};
    const struct actor *known = tx_recall(tx, &actors, id);
    if (known) {
        *ret = *known;
        return 1;
    }
    int r = actor_of(ROW_BY_ID(tx, &actors, id, &row), &row, ret);
    if (r == 1)
        tx_remember(tx, &actors, id, ret, sizeof *ret);
    return r;
}

int actor_by_email(struct tx *tx, const char *email, struct actor *ret)
{
    static struct row_key q = ROW_KEY("ident_actor", "a", COLUMNS, "email = ?1");
    static struct sql_text q_alias =
        SQL_TEXT("select " COLUMNS
                 " from ident_alias l join ident_actor a on a.id = l.actor where l.email = :email");
    char *normal = email_normal(tx->arena, email);
    if (!normal)
        return 0;
    int r = find_key(tx, &q, normal, ret);
    return r ? r : find_text(tx, &q_alias, normal, ret);
}

int actor_find(struct tx *tx, const char *name, struct actor *ret)
{
    static struct row_key q = ROW_KEY("ident_actor", "a", COLUMNS, "handle = ?1");
    return strchr(name, '@') ? actor_by_email(tx, name, ret) : find_key(tx, &q, name, ret);
}

int actor_put(struct tx *tx, struct actor *actor)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_actor (handle, email, kind, name, zone, locale, org) values "
                 "(:handle, nullif(:email, ''), :kind, :name, :zone, :locale, :org)");
    if (TX_RUN(tx, &q, actor->handle, actor->email, actor->kind, actor->name, actor->zone,
               actor->locale, sql_int_or_null(actor->org, 0)) < 0)
        return -1;
    actor->id = tx_last_id(tx);
    return 0;
}

int actor_first_person(struct tx *tx, struct actor *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_actor a where a.kind = :kind "
                 "order by a.email is null, a.id limit 1");
    return find_text(tx, &q, "person", ret);
}

int actor_next_person(struct tx *tx, const char *after, struct actor *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from ident_actor a where a.kind = 'person' and "
                 "a.handle > :after order by a.handle limit 1");
    return find_text(tx, &q, after, ret);
}

int actor_list(struct tx *tx, int64_t after, int limit, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id, handle, email, kind, name, zone from ident_actor "
                 "where id > :after order by id limit :limit");
    sqlite3_stmt *st = TX_QUERY(tx, &q, after, limit > 0 ? limit : -1);
    int r;
    if (!st)
        return -1;
    json_arr(w, NULL);
    while ((r = TX_STEP(tx, st)) == 1) {
        const char *handle = (const char *)sqlite3_column_text(st, 1);
        const char *email = (const char *)sqlite3_column_text(st, 2);
        json_obj(w, NULL);
        json_int(w, "id", sqlite3_column_int64(st, 0));
        if (!email || strcmp(handle, email) != 0)
            json_str(w, "handle", handle);
        json_str_opt(w, "email", email);
        json_str(w, "kind", (const char *)sqlite3_column_text(st, 3));
        json_str(w, "name", (const char *)sqlite3_column_text(st, 4));
        json_str(w, "zone", (const char *)sqlite3_column_text(st, 5));
        json_end(w);
    }
    json_end(w);
    return r;
}

int alias_open(struct tx *tx, const char **email)
{
    static struct sql_text q =
        SQL_TEXT("select a.email from ident_alias l join ident_actor a on a.id = l.actor "
                 "where l.email = :email and a.email is not null");
    return TX_TAKE(tx, TX_QUERY(tx, &q, *email), email) < 0 ? -1 : 0;
}

int identity_is_local(struct tx *tx, const char *email)
{
    static struct sql_text q = SQL_TEXT("select 1 from ident_org where domain = lower(:domain)");
    return TX_ANY(tx, TX_QUERY(tx, &q, email_domain(email)));
}

int ident_doc_actor(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                    bool required, struct actor *ret)
{
    const char *name;
    *ret = (struct actor){0};
    if (doc_str(d, v, member, required, &name) < 0)
        return -1;
    int r = name ? actor_find(tx, name, ret) : 1;
    return r == 1 ? 0 : r < 0 ? -1 : doc_refuse(d, v, member, "there is nobody \"%.80s\"", name);
}

/* ---- as members of entities ---- */

static int actor_of_text(struct tx *tx, const char *text, int64_t *ret)
{
    struct actor actor;
    int r = actor_find(tx, text, &actor);
    if (r == 1)
        *ret = actor.id;
    return r;
}

static int text_of_actor(struct tx *tx, int64_t id, const char **ret)
{
    struct actor actor;
    int r = actor_by_id(tx, id, &actor);
    if (r == 1)
        *ret = actor.handle;
    return r;
}

int actor_shown(struct tx *tx, int64_t id, const char **ret)
{
    struct actor actor;
    int r = id ? actor_by_id(tx, id, &actor) : 0;
    *ret = r == 1 ? actor.email && *actor.email ? actor.email : actor.handle : NULL;
    return r < 0 ? -1 : 0;
}

int actor_write(struct tx *tx, struct json_writer *w, const char *member, int64_t id)
{
    const char *name;
    if (actor_shown(tx, id, &name) < 0)
        return -1;
    json_str_opt(w, member, name);
    return 0;
}

static int address_of_actor(struct tx *tx, int64_t id, const char **ret)
{
    return actor_shown(tx, id, ret) < 0 ? -1 : *ret != NULL;
}

const struct reference actor_reference = {.noun = "an actor's handle or address",
                                          .unknown = "there is no actor",
                                          .find = actor_of_text,
                                          .name = text_of_actor};
const struct reference handle_reference = {.noun = "an actor's handle or address",
                                           .unknown = "there is nobody",
                                           .find = actor_of_text,
                                           .name = text_of_actor};
const struct reference address_reference = {.noun = "an actor's handle or address",
                                            .unknown = "there is nobody",
                                            .find = actor_of_text,
                                            .name = address_of_actor};
