/* SPDX-License-Identifier: Apache-2.0 */
/* What starts workflows of apps, and which channels show it. */
#include "engine/json/doc.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/apps/platform.h"

#define FLOW_TRIGGER "id, key, title, workflow, workspace, app, permission, entities"

static int read_flow_trigger(struct tx *tx, sqlite3_stmt *st, struct chat_flow_trigger *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_flow_trigger){.id = sqlite3_column_int64(st, 0),
                                      .key = tx_string(tx, st, 1),
                                      .title = tx_string(tx, st, 2),
                                      .workflow = tx_string(tx, st, 3),
                                      .workspace = sqlite3_column_int64(st, 4),
                                      .app = sqlite3_column_int64(st, 5),
                                      .entities = tx_string(tx, st, 7)};
    const char *permission = (const char *)sqlite3_column_text(st, 6);
    while (ret->permission < CHAT_NAMED &&
           strcmp(chat_permissions[ret->permission], permission) != 0)
        ret->permission++;
    sql_done(st);
    return 1;
}

int chat_flow_trigger_find(struct tx *tx, const char *key, struct chat_flow_trigger *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " FLOW_TRIGGER " from slack_flow_trigger where key = :key");
    return read_flow_trigger(tx, TX_QUERY(tx, &q, key), ret);
}

int chat_flow_trigger_save(struct tx *tx, const struct chat_flow_trigger *t)
{
    static struct sql_text q = SQL_TEXT("update slack_flow_trigger set permission = :permission, "
                                        "entities = :entities where id = :id");
    return TX_RUN(tx, &q, chat_permissions[t->permission], t->entities, t->id);
}

/* ---- featured ---- */

int chat_featured(struct tx *tx, int64_t channel,
                  int (*fn)(void *arg, const char *key, const char *title), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select t.key, t.title from slack_featured f join slack_flow_trigger t on t.id = "
                 "f.\"trigger\" where f.channel = :channel order by f.place, f.id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, channel);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (fn(arg, tx_string(tx, st, 0), tx_string(tx, st, 1))) {
            sql_done(st);
            return 0;
        }
    return r;
}

int chat_featured_count(struct tx *tx, int64_t channel, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from slack_featured where channel = :channel");
    *ret = 0;
    return TX_INT(tx, &q, ret, channel) < 0 ? -1 : 0;
}

int chat_feature(struct tx *tx, int64_t channel, int64_t trigger)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_featured (channel, \"trigger\", place) select :channel, "
                 ":trigger, coalesce(max(place), 0) + 1 from slack_featured where channel = "
                 ":channel on conflict (channel, \"trigger\") do nothing");
    return TX_RUN(tx, &q, channel, trigger);
}

int chat_unfeature(struct tx *tx, int64_t channel, int64_t trigger)
{
    static struct sql_text q = SQL_TEXT("delete from slack_featured where channel = :channel and "
                                        ":trigger in (0, \"trigger\")");
    return TX_RUN(tx, &q, channel, trigger);
}

/* ---- seed documents ---- */

int chat_flow_trigger_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_flow_trigger (key, workspace, app, title, workflow, permission, "
        "entities) values (:key, :workspace, :app, :title, :workflow, :permission, :entities)");
    static const char *const members[] = {"workspace", "id",         "app",      "title",
                                          "workflow",  "permission", "entities", NULL};
    const char *key, *title, *workflow, *entities;
    struct chat_workspace w;
    int64_t app;
    int permission;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_made_key(tx, d, v, "Ft", &key) < 0 || chat_doc_app(tx, d, v, &app) < 0 ||
        doc_str(d, v, "title", true, &title) < 0 ||
        doc_str(d, v, "workflow", true, &workflow) < 0 ||
        doc_enum(d, v, "permission", chat_permissions, CHAT_COLLABORATORS, &permission) < 0 ||
        chat_doc_shaped(d, v, "entities", JSON_OBJECT, &entities) < 0)
        return -1;
    if (!app)
        return doc_fail(d, v, "app", "is missing");
    int rc = TX_RUN(tx, &q, key, w.id, app, title, workflow, chat_permissions[permission],
                    entities ? entities : "{}");
    return chat_doc_added(tx, d, v, "id", rc);
}

int chat_flow_trigger_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select " FLOW_TRIGGER " from slack_flow_trigger where id = :id");
    struct chat_flow_trigger t;
    int r = read_flow_trigger(tx, TX_QUERY(tx, &q, id), &t);
    if (r != 1)
        return r;
    if (chat_dump_workspace(tx, w, t.workspace) < 0)
        return -1;
    json_str(w, "id", t.key);
    if (chat_dump_app(tx, w, "app", t.app) < 0)
        return -1;
    json_str(w, "title", t.title);
    json_str(w, "workflow", t.workflow);
    json_str(w, "permission", chat_permissions[t.permission]);
    if (strcmp(t.entities, "{}") != 0)
        chat_dump_raw(w, "entities", t.entities);
    return 1;
}

/* place: behind the others without it. */
int chat_featured_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_featured (channel, \"trigger\", place) values (:channel, "
                 ":trigger, coalesce(:place, (select coalesce(max(place), 0) + 1 from "
                 "slack_featured where channel = :channel)))");
    static const char *const members[] = {"workspace", "channel", "trigger", "place", NULL};
    struct chat_flow_trigger t;
    struct chat_workspace w;
    struct chat_channel ch;
    const char *key;
    int64_t place, n;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_channel(tx, d, v, w.id, &ch) < 0 || doc_str(d, v, "trigger", true, &key) < 0 ||
        doc_int(d, v, "place", 1, INT64_C(1) << 40, 0, &place) < 0 ||
        chat_featured_count(tx, ch.id, &n) < 0)
        return -1;
    int r = chat_flow_trigger_find(tx, key, &t);
    if (r != 1 || t.workspace != w.id)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "trigger"), "trigger",
                                "there is no trigger \"%.40s\"", key);
    if (n >= CHAT_FEATURED_MAX)
        return doc_fail(d, v, "channel", "has %d workflows already", CHAT_FEATURED_MAX);
    return chat_doc_added(tx, d, v, "trigger",
                          TX_RUN(tx, &q, ch.id, t.id, sql_int_or_null(place, 0)));
}

int chat_featured_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select " CHAT_SQL_CHANNEL_WORKSPACE("f.channel") ", " CHAT_SQL_CHANNEL_KEY(
            "f.channel") ", t.key, f.place from slack_featured f join slack_flow_trigger t on t.id "
                         "= f.\"trigger\" where f.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int64_t workspace = sqlite3_column_int64(st, 0), place = sqlite3_column_int64(st, 3);
    const char *channel = tx_string(tx, st, 1), *trigger = tx_string(tx, st, 2);
    sql_done(st);
    if (chat_dump_workspace(tx, w, workspace) < 0)
        return -1;
    json_str(w, "channel", channel);
    json_str(w, "trigger", trigger);
    json_int(w, "place", place);
    return 1;
}

int chat_featured_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " CHAT_SQL_CHANNEL_KEY(
        "f.channel") ", t.key from slack_featured f join slack_flow_trigger t on t.id = "
                     "f.\"trigger\" where f.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    json_str(w, "channel", tx_string(tx, st, 0));
    json_str(w, "trigger", tx_string(tx, st, 1));
    sql_done(st);
    return 1;
}
