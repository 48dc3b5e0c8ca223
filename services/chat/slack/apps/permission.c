/* SPDX-License-Identifier: Apache-2.0 */
/* Who may use a function of an app in workflows. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/apps/platform.h"

const char *const chat_permissions[] = {"everyone", "app_collaborators", "named_entities", NULL};

static enum chat_permission permission_of(const char *name)
{
    enum chat_permission p = CHAT_EVERYONE;
    while (p < CHAT_NAMED && strcmp(chat_permissions[p], name) != 0)
        p++;
    return p;
}

int chat_distribution_of(struct tx *tx, int64_t app, const char *function,
                         struct chat_distribution *ret)
{
    static struct sql_text q = SQL_TEXT("select permission, entities from slack_distribution where "
                                        "app = :app and function = :function");
    sqlite3_stmt *st;
    *ret = (struct chat_distribution){
        .app = app, .function = function, .permission = CHAT_COLLABORATORS, .entities = "{}"};
    int r = TX_ROW(tx, &q, &st, app, function);
    if (r != 1)
        return r;
    ret->permission = permission_of((const char *)sqlite3_column_text(st, 0));
    ret->entities = tx_string(tx, st, 1);
    sql_done(st);
    return 1;
}

int chat_distribution_set(struct tx *tx, const struct chat_distribution *d)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_distribution (app, function, permission, entities) values "
                 "(:app, :function, :permission, :entities) on conflict (app, function) do update "
                 "set permission = excluded.permission, entities = excluded.entities");
    return TX_RUN(tx, &q, d->app, d->function, chat_permissions[d->permission], d->entities);
}

/* ---- seed documents ---- */

int chat_distribution_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"app", "function", "permission", "entities", NULL};
    struct chat_distribution one = {0}, there;
    int permission;
    if (doc_object(d, v, members) < 0 || chat_doc_app(tx, d, v, &one.app) < 0 ||
        doc_str(d, v, "function", true, &one.function) < 0 ||
        doc_enum(d, v, "permission", chat_permissions, CHAT_COLLABORATORS, &permission) < 0 ||
        chat_doc_shaped(d, v, "entities", JSON_OBJECT, &one.entities) < 0)
        return -1;
    if (!one.app)
        return doc_fail(d, v, "app", "is missing");
    int r = chat_distribution_of(tx, one.app, one.function, &there);
    if (r)
        return r < 0 ? -1 : doc_fail(d, v, "function", "is there already");
    one.permission = (enum chat_permission)permission;
    if (!one.entities)
        one.entities = "{}";
    return chat_distribution_set(tx, &one);
}

static int read_distribution(struct tx *tx, int64_t id, struct chat_distribution *ret)
{
    static struct sql_text q = SQL_TEXT("select app, function, permission, entities from "
                                        "slack_distribution where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    *ret = (struct chat_distribution){.app = sqlite3_column_int64(st, 0),
                                      .function = tx_string(tx, st, 1),
                                      .permission =
                                          permission_of((const char *)sqlite3_column_text(st, 2)),
                                      .entities = tx_string(tx, st, 3)};
    sql_done(st);
    return 1;
}

int chat_distribution_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_distribution d;
    int r = chat_distribution_key(tx, id, w);
    if (r != 1 || (r = read_distribution(tx, id, &d)) != 1)
        return r;
    json_str(w, "permission", chat_permissions[d.permission]);
    if (strcmp(d.entities, "{}") != 0)
        chat_dump_raw(w, "entities", d.entities);
    return 1;
}

int chat_distribution_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct chat_distribution d;
    int r = read_distribution(tx, rowid, &d);
    if (r != 1)
        return r;
    if (chat_dump_app(tx, w, "app", d.app) < 0)
        return -1;
    json_str(w, "function", d.function);
    return 1;
}
