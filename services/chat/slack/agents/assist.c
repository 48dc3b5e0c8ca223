/* SPDX-License-Identifier: Apache-2.0 */
/* What assistants show in threads, and its section of seed documents. */
#include "services/chat/slack/agents/assist.h"
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"

#define ASSIST "id, channel, message, app, status, status_us, loading, prompts, prompts_title"

static int read_assist(struct tx *tx, sqlite3_stmt *st, struct chat_assist *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_assist){.id = sqlite3_column_int64(st, 0),
                                .channel = sqlite3_column_int64(st, 1),
                                .message = sqlite3_column_int64(st, 2),
                                .app = sqlite3_column_int64(st, 3),
                                .status = tx_string(tx, st, 4),
                                .status_us = sqlite3_column_int64(st, 5),
                                .loading = tx_string(tx, st, 6),
                                .prompts = tx_string(tx, st, 7),
                                .prompts_title = tx_string(tx, st, 8)};
    sql_done(st);
    return 1;
}

int chat_assist_of(struct tx *tx, int64_t channel, int64_t message, int64_t app,
                   struct chat_assist *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " ASSIST " from slack_assist where channel = :channel and message = "
                 ":message and coalesce(app, 0) = :app");
    int r = read_assist(tx, TX_QUERY(tx, &q, channel, message, app), ret);
    if (!r)
        *ret =
            (struct chat_assist){.channel = channel, .message = message, .app = app, .status = ""};
    return r < 0 ? -1 : 0;
}

int chat_assist_save(struct tx *tx, struct chat_assist *a)
{
    static struct sql_text add =
        SQL_TEXT("insert into slack_assist (channel, message, app, status, status_us, loading, "
                 "prompts, prompts_title) values (:channel, :message, :app, :status, :at, "
                 ":loading, :prompts, :title)");
    static struct sql_text change =
        SQL_TEXT("update slack_assist set status = :status, status_us = :at, loading = :loading, "
                 "prompts = :prompts, prompts_title = :title where id = :id");
    if (a->id)
        return TX_RUN(tx, &change, a->status, a->status_us, a->loading, a->prompts,
                      a->prompts_title, a->id);
    if (TX_RUN(tx, &add, a->channel, a->message, sql_int_or_null(a->app, 0), a->status,
               a->status_us, a->loading, a->prompts, a->prompts_title) < 0)
        return -1;
    a->id = chat_last_id(tx);
    return 0;
}

int chat_assist_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"workspace", "channel", "thread",  "app",   "status",
                                          "set",       "loading", "prompts", "title", NULL};
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_message m = {0};
    struct chat_assist a = {0};
    const char *ts, *set;
    int64_t us = 0;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_channel(tx, d, v, w.id, &ch) < 0 || chat_doc_app(tx, d, v, &a.app) < 0 ||
        doc_str(d, v, "thread", false, &ts) < 0 || doc_str(d, v, "status", false, &a.status) < 0 ||
        doc_str(d, v, "set", false, &set) < 0 ||
        doc_str(d, v, "title", false, &a.prompts_title) < 0 ||
        chat_doc_shaped(d, v, "loading", JSON_ARRAY, &a.loading) < 0 ||
        chat_doc_shaped(d, v, "prompts", JSON_ARRAY, &a.prompts) < 0)
        return -1;
    if (set && (chat_ts_read(set, &a.status_us) < 0 || a.status_us > CHAT_LAST_INSTANT))
        return doc_fail(d, json_get(v, "set"), "set", "\"%.40s\" is not a time of a message", set);
    int r = ts && chat_ts_read(ts, &us) == 0 ? chat_message_find(tx, ch.id, us, &m) : 0;
    if (r < 0 || (ts && !r))
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "thread"), "thread",
                                "there is no message at \"%.40s\"", ts);
    a.channel = ch.id;
    a.message = m.id;
    a.status = a.status ? a.status : "";
    return chat_doc_added(tx, d, v, "thread", chat_assist_save(tx, &a));
}

int chat_assist_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " ASSIST " from slack_assist where id = :id");
    struct chat_assist a;
    struct chat_channel ch;
    struct chat_message m;
    int r = read_assist(tx, TX_QUERY(tx, &q, id), &a);
    if (r == 1)
        r = chat_channel_get(tx, a.channel, &ch);
    if (r == 1 && a.message)
        r = chat_message_get(tx, a.message, &m);
    if (r != 1)
        return r;
    if (chat_dump_workspace(tx, w, ch.workspace) < 0)
        return -1;
    json_str(w, "channel", ch.key);
    if (a.message)
        chat_dump_ts(w, "thread", m.ts_us);
    if (chat_dump_app(tx, w, "app", a.app) < 0)
        return -1;
    chat_dump_unless(w, "status", a.status, "");
    if (a.status_us)
        chat_dump_ts(w, "set", a.status_us);
    chat_dump_raw(w, "loading", a.loading);
    chat_dump_raw(w, "prompts", a.prompts);
    json_str_opt(w, "title", a.prompts_title);
    return 1;
}
