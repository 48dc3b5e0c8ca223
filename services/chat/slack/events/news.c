/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/slack/events/news.h"
#include "services/chat/core/ask.h"
#include "services/chat/slack/events/socket.h"
#include "engine/base/made.h"
#include "engine/text/civil.h"
#include "engine/world/columns.h"
#include <stddef.h>

#define CORE "chat.slack"

/* ---- messages as rows keep them ---- */

static const struct packed {
    const char *name;
    size_t at;
    bool text;
} fields[] = {
#define NUMBER(member)                                                                             \
    {                                                                                              \
#member, offsetof(struct chat_message, member), false                                      \
    }
#define TEXT(member)                                                                               \
    {                                                                                              \
#member, offsetof(struct chat_message, member), true                                       \
    }
    NUMBER(id),      NUMBER(ts_us),     NUMBER(user),       NUMBER(app),       TEXT(subtype),
    TEXT(text),      TEXT(blocks),      TEXT(attachments),  TEXT(metadata),    TEXT(extra),
    TEXT(client),    NUMBER(flags),     NUMBER(edited_us),  NUMBER(editor),    NUMBER(thread),
    NUMBER(replies), TEXT(repliers),    NUMBER(n_repliers), NUMBER(latest_us), TEXT(reactions),
    TEXT(files),     NUMBER(pinned_by), NUMBER(pinned_s)};

static const char *pack(struct tx *tx, const struct chat_message *m)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (size_t i = 0; i < SOSIA_LEN(fields); i++) {
        const void *p = (const char *)m + fields[i].at;
        if (fields[i].text)
            json_str_opt(&w, fields[i].name, *(const char *const *)p);
        else if (*(const int64_t *)p)
            json_int(&w, fields[i].name, *(const int64_t *)p);
    }
    json_end(&w);
    const char *text = buf_made(&b, tx->arena);
    return text;
}

static int unpack(struct tx *tx, const char *json, struct chat_message *ret)
{
    const struct json *v;
    *ret = (struct chat_message){0};
    if (!json)
        return 0;
    if (json_parse(tx->arena, json, strlen(json), NULL, &v, tx->err) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(fields); i++) {
        void *p = (char *)ret + fields[i].at;
        if (fields[i].text)
            *(const char **)p = json_get_str(v, fields[i].name);
        else
            json_i64(json_get(v, fields[i].name), p);
    }
    if (!ret->text)
        ret->text = "";
    return 0;
}

/* ---- taking it down ---- */

/* Is there anybody who may be notified? 1, 0, -1. */
static int anybody(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT(
        "select exists (select 1 from slack_subscription) or exists (select 1 from slack_rtm)");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int64_t any = 0;
    return sql_first_int(tx->db, tx->err, st, &any) < 0 ? -1 : any != 0;
}

static const char *member_list(struct tx *tx, const char *const *members)
{
    const char *all = members ? "," : "";
    for (; members && *members; members++)
        all = arena_printf(tx->arena, "%s%s,", all, *members);
    return all;
}

/* Without the id, and the message, which is packed behind them. */
#define NEWS(X)                                                                                    \
    X(at_us, at_us, NUMBER)                                                                        \
    X(kind, kind, STRING)                                                                          \
    X(operation, operation, NUMBER)                                                                \
    X(scope, scope, NUMBER)                                                                        \
    X(entity, entity, NUMBER)                                                                      \
    X(actor, actor, NUMBER)                                                                        \
    X(app, app, NUMBER)                                                                            \
    X(members, members, STRING)                                                                    \
    X(user, user, NUMBER)                                                                          \
    X(by, by, NUMBER)                                                                              \
    X(name, name, STRING)

static int add_row(struct tx *tx, const struct sl_news *row, const char *message)
{
    static struct sql_text q = SQL_TEXT("insert into slack_news (id" NEWS(
        COLUMN_NAME) ", message) values (?" NEWS(COLUMN_MARK) ", ?)");
    return TX_RUN(tx, &q, row->id NEWS(COLUMN_VALUE), message);
}

static int take_one(struct tx *tx, const struct world_event *e)
{
    static const struct chat_change none;
    const struct chat_change *d = e->detail ? e->detail : &none;
    bool removed = e->operation == OP_REMOVED && strcmp(e->kind, CHAT_EV_MESSAGE) == 0;
    const struct chat_message *m = removed || d->before.id ? &d->before : NULL;
    const char *message = m ? pack(tx, m) : NULL;
    int64_t id;
    if (m && !message)
        return sosia_fail_memory(tx->err);
    if (tx_number(tx, "chat.news", &id) < 0)
        return -1;
    const struct sl_news row = {.id = id,
                                .at_us = tx->now_us,
                                .kind = e->kind,
                                .operation = e->operation,
                                .scope = e->scope,
                                .entity = e->entity,
                                .actor = e->actor,
                                .app = e->app,
                                .members = member_list(tx, e->members),
                                .user = d->user,
                                .by = d->by,
                                .name = d->name};
    return add_row(tx, &row, message);
}

int sl_news_take(struct tx *tx, const struct world_event *first)
{
    static struct sql_text q = SQL_TEXT("select 1 from due where core = '" CORE
                                        "' and kind = '" SL_NEWS_DUE "' and ref = 0");
    int64_t one;
    int known = -1;
    for (const struct world_event *e = first; e; e = e->next) {
        if (strncmp(e->kind, "chat.", 5) != 0)
            continue;
        if (known < 0 && (known = anybody(tx)) <= 0)
            return known;
        if (take_one(tx, e) < 0)
            return -1;
    }
    if (known != 1)
        return 0;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = sql_first_int(tx->db, tx->err, st, &one);
    return r < 0 ? -1 : r ? 0 : due_add(tx, tx->now_us, CORE, SL_NEWS_DUE, 0);
}

/* ---- when the call is over ---- */

static int read_row(struct tx *tx, sqlite3_stmt *st, struct sl_news *row)
{
    int at = 1;
    *row = (struct sl_news){.id = sqlite3_column_int64(st, 0)};
    NEWS(COLUMN_READ)
    return unpack(tx, tx_string(tx, st, at), &row->message);
}

static int read_news(struct tx *tx, struct sl_news **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select id" NEWS(COLUMN_NAME) ", message from slack_news order by id limit :max");
    sqlite3_stmt *st = TX_QUERY(tx, &q, (int64_t)100000);
    struct sl_news *list = NULL;
    size_t n = 0, room = 0;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        list = arena_grow(tx->arena, list, n, &room, sizeof *list);
        if (arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        if (read_row(tx, st, &list[n]) < 0) {
            sql_done(st);
            return -1;
        }
        list[n].number = (int64_t)n;
        n++;
    }
    *ret = list;
    *ret_n = n;
    return r;
}

/* A reply is reported before what it does to the first message of its thread. */
static void replies_first(struct sl_news *list, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        struct sl_news *a = &list[i], *b = &list[i + 1];
        if (strcmp(a->kind, CHAT_EV_MESSAGE) == 0 && strcmp(b->kind, CHAT_EV_MESSAGE) == 0 &&
            a->operation == OP_CHANGED && b->operation == OP_ADDED && a->scope == b->scope) {
            struct sl_news swap = *a;
            *a = *b;
            *b = swap;
        }
    }
}

/* Scopes of news are channels, but for these. */
static bool is_workspaces(const char *kind)
{
    static const char *const kinds[] = {
        CHAT_EV_CHANNEL, CHAT_EV_USER,     CHAT_EV_FILE, CHAT_EV_GROUP,  CHAT_EV_QUIET,
        CHAT_EV_INSTALL, CHAT_EV_REMINDER, CHAT_EV_VIEW, CHAT_EV_DIALOG, CHAT_EV_INVITE};
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

/* In a shared channel events come from the workspace of who did it. */
static int find_source(struct sl_notice *t)
{
    int64_t user = t->news->user ? t->news->user : t->news->message.user;
    struct chat_user u;
    int r = chat_channel_is_shared(t->tx, t->channel.id);
    t->shared = r == 1;
    if (r == 1 && user && (r = chat_user_get(t->tx, user, &u)) == 1)
        t->source = u.workspace;
    return r < 0 ? -1 : 0;
}

static int notify_of(struct tx *tx, const struct sl_news *news)
{
    struct sl_notice t = {.tx = tx, .news = news, .workspace = news->scope};
    int64_t channel = is_workspaces(news->kind) ? 0 : news->scope;
    struct chat_user who;
    int r = 1;
    if (strcmp(news->kind, CHAT_EV_CHANNEL) == 0)
        channel = news->entity;
    if (channel && (r = chat_channel_get(tx, channel, &t.channel)) == 1)
        t.workspace = t.channel.workspace;
    if (!t.workspace && (r = chat_user_get(tx, news->user, &who)) == 1)
        t.workspace = who.workspace;
    t.source = t.workspace;
    if (r == 1 && t.channel.id && find_source(&t) < 0)
        return -1;
    if (r != 1)
        return r;
    buf_init(&t.out, 0);
    int rc = sl_stage(tx, t.workspace, 0, &t.writer, &t.stage);
    if (rc == 0)
        rc = strcmp(news->kind, CHAT_EV_MESSAGE) == 0 ? sl_events_of_message(&t) : sl_events_of(&t);
    if (rc == 0)
        rc = sl_events_of_clients(&t);
    buf_done(&t.out);
    return rc;
}

int sl_news_due(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("delete from slack_news where id <= :last");
    static struct sql_text newest = SQL_TEXT("select ifnull(max(id), 0) from slack_news");
    struct sl_news *list;
    int64_t floor;
    size_t n;
    if (read_news(tx, &list, &n) < 0 || delivery_floor_of(tx, &newest, &floor) < 0)
        return -1;
    if (!n)
        return 0;
    int64_t last = list[n - 1].id;
    replies_first(list, n);
    for (size_t i = 0; i < n; i++)
        if (list[i].id > floor && notify_of(tx, &list[i]) < 0)
            return -1;
    return TX_RUN(tx, &q, last);
}
