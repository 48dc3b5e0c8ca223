/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of what people keep for themselves, read and written: what they have saved, of what
 * they are reminded, what is posted for them later, when they want quiet. */
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"

/* Somebody who must be named. */
static int person_of(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                     int64_t workspace, struct chat_user *ret)
{
    if (chat_doc_user(tx, d, v, member, workspace, ret) < 0)
        return -1;
    return ret->id ? 0 : doc_fail(d, v, member, "is missing");
}

/* The member "at" in somebody's zone, in whole seconds. */
static int at_of(struct doc *d, const struct json *v, const struct chat_user *u, int64_t *ret_s)
{
    int64_t us = 0;
    int r = chat_doc_time(d, v, "at", u->zone, &us);
    if (r < 0)
        return -1;
    if (!r || us < 0 || us / US_PER_SECOND > CHAT_LAST_SECOND)
        return doc_fail(d, v, "at", CHAT_OUT_OF_TIME);
    *ret_s = us / US_PER_SECOND;
    return 0;
}

static void write_at(struct json_writer *w, int64_t s)
{
    char text[STAMP_TEXT];
    stamp_format(text, s * US_PER_SECOND, 0, 0, true);
    json_str(w, "at", text);
}

/* ---- saved ---- */

/* A channel, with ts a message of it, or a file. */
static int star_of(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                   struct chat_channel *ch, struct chat_message *m, struct chat_file *f)
{
    const char *ts, *file;
    int64_t us;
    if (doc_str(d, v, "ts", false, &ts) < 0 || doc_str(d, v, "file", false, &file) < 0)
        return -1;
    if (file) {
        if (ts || json_get(v, "channel"))
            return doc_fail(d, v, "file", "must come with a channel");
        int r = chat_file_find(tx, workspace, file, f);
        return r == 1 ? 0
               : r < 0
                   ? -1
                   : doc_fail(d, json_get(v, "file"), "file", "there is no file \"%.80s\"", file);
    }
    if (chat_doc_channel(tx, d, v, workspace, ch) < 0)
        return -1;
    if (!ts)
        return 0;
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(tx, ch->id, us, m);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, "ts"), "ts", "there is no message at \"%.40s\"", ts);
}

int chat_star_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_star (user, channel, message, file, at_s) values (:user, "
                 ":channel, :message, :file, :at)");
    static const char *const members[] = {"workspace", "user",    "channel", "ts",
                                          "file",      "created", NULL};
    struct chat_workspace w;
    struct chat_user u;
    struct chat_channel ch = {0};
    struct chat_message m = {0};
    struct chat_file f = {0};
    int64_t at_s;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        person_of(tx, d, v, "user", w.id, &u) < 0 || star_of(tx, d, v, w.id, &ch, &m, &f) < 0 ||
        chat_doc_second(d, v, "created", tx->now_us / US_PER_SECOND, &at_s) < 0)
        return -1;
    int rc = TX_RUN(tx, &q, u.id, m.id ? sql_null() : sql_int_or_null(ch.id, 0),
                    sql_int_or_null(m.id, 0), sql_int_or_null(f.id, 0), at_s);
    return chat_doc_added(tx, d, v, "user", rc);
}

int chat_star_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select " CHAT_SQL_USER_WORKSPACE("s.user") ", " CHAT_SQL_USER_KEY(
            "s.user") ", s.channel, s.message, f.key, s.at_s from slack_star s left join "
                      "slack_file f on f.id = s.file where s.id = :id");
    struct chat_channel ch;
    struct chat_message m;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id), rc = 1;
    if (r != 1)
        return r;
    int64_t message = sqlite3_column_int64(st, 3);
    int64_t channel = message ? chat_message_channel(message) : sqlite3_column_int64(st, 2);
    if (channel)
        rc = chat_channel_get(tx, channel, &ch);
    if (rc == 1 && message)
        rc = chat_message_get(tx, message, &m);
    if (rc == 1) {
        rc = chat_dump_workspace(tx, w, sqlite3_column_int64(st, 0)) < 0 ? -1 : 1;
        json_str(w, "user", (const char *)sqlite3_column_text(st, 1));
        if (channel)
            json_str(w, "channel", ch.key);
        if (message)
            chat_dump_ts(w, "ts", m.ts_us);
        json_str_opt(w, "file", (const char *)sqlite3_column_text(st, 4));
        json_int(w, "created", sqlite3_column_int64(st, 5));
    }
    sql_done(st);
    return rc;
}

/* ---- reminders ---- */

int chat_reminder_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_reminder (key, workspace, creator, user, text, at_s, "
                 "recurrence, complete_s, channel) values (:key, :workspace, :creator, :user, "
                 ":text, :at, :recurrence, :complete, :channel)");
    static const char *const members[] = {"workspace", "id",         "user",     "creator", "text",
                                          "at",        "recurrence", "complete", "channel", NULL};
    struct chat_workspace w;
    struct chat_user u, creator;
    struct chat_channel ch = {0};
    struct chat_recurrence again = {0};
    const char *key, *text, *recurrence = chat_doc_json(d, v, "recurrence");
    int64_t at_s, complete_s;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_made_key(tx, d, v, "Rm", &key) < 0 || person_of(tx, d, v, "user", w.id, &u) < 0 ||
        chat_doc_user(tx, d, v, "creator", w.id, &creator) < 0 ||
        doc_str(d, v, "text", true, &text) < 0 || at_of(d, v, &u, &at_s) < 0 ||
        chat_doc_second(d, v, "complete", 0, &complete_s) < 0 ||
        (json_get(v, "channel") && chat_doc_channel(tx, d, v, w.id, &ch) < 0))
        return -1;
    if (recurrence && chat_recurrence_read(json_get(v, "recurrence"), &again) < 0)
        return doc_fail(
            d, json_get(v, "recurrence"), "recurrence",
            "expected {frequency: daily, weekly, monthly or yearly, weekdays: of weekly "
            "ones, [monday, ...]}");
    const struct tz *tz = tz_find(u.zone);
    if (tz && !complete_s)
        (void)chat_recurs(&again, tz, at_s, tx->now_us / US_PER_SECOND, &at_s);
    int rc = TX_RUN(tx, &q, key, w.id, creator.id ? creator.id : u.id, u.id, text, at_s, recurrence,
                    complete_s, sql_int_or_null(ch.id, 0));
    if (chat_doc_added(tx, d, v, "id", rc) < 0)
        return -1;
    /* What has passed has been said. */
    return complete_s || at_s * US_PER_SECOND <= tx->now_us
               ? 0
               : chat_remind_at(tx, chat_last_id(tx), at_s);
}

int chat_reminder_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select r.workspace, r.key, r.user, r.creator, r.text, "
                                        "r.at_s, r.recurrence, r.complete_s, " CHAT_SQL_CHANNEL_KEY(
                                            "r.channel") " from slack_reminder r where r.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int64_t user = sqlite3_column_int64(st, 2), creator = sqlite3_column_int64(st, 3);
    int rc = chat_dump_workspace(tx, w, sqlite3_column_int64(st, 0));
    json_str(w, "id", (const char *)sqlite3_column_text(st, 1));
    if (rc == 0)
        rc = chat_dump_user(tx, w, "user", user);
    if (rc == 0 && creator != user)
        rc = chat_dump_user(tx, w, "creator", creator);
    json_str(w, "text", (const char *)sqlite3_column_text(st, 4));
    write_at(w, sqlite3_column_int64(st, 5));
    chat_dump_raw(w, "recurrence", (const char *)sqlite3_column_text(st, 6));
    if (sqlite3_column_int64(st, 7))
        json_int(w, "complete", sqlite3_column_int64(st, 7));
    json_str_opt(w, "channel", (const char *)sqlite3_column_text(st, 8));
    sql_done(st);
    return rc < 0 ? -1 : 1;
}

/* ---- posted later ---- */

/* The members of what is posted then, which chat_scheduled_post() takes as they are. */
static int read_draft(struct doc *d, const struct json *v, const char **ret)
{
    static const struct {
        const char *name;
        enum json_type type;
    } shapes[] = {{"blocks", JSON_ARRAY},
                  {"attachments", JSON_ARRAY},
                  {"metadata", JSON_OBJECT},
                  {"extra", JSON_OBJECT}};
    static const char *const members[] = {"text",        "subtype",  "flags", "thread", "blocks",
                                          "attachments", "metadata", "extra", NULL};
    const struct json *message = json_get(v, "message");
    const char *text;
    int64_t n;
    if (!message)
        return doc_fail(d, v, "message", "is missing");
    size_t mark = doc_push(d, "message", -1);
    if (doc_object(d, message, members) < 0 || doc_str(d, message, "text", false, &text) < 0)
        return -1;
    if (!text) /* beside blocks it may be empty */
        return doc_fail(d, message, "text", "is missing");
    if (doc_str(d, message, "subtype", false, &text) < 0 ||
        doc_int(d, message, "flags", 0, 127, 0, &n) < 0 ||
        doc_int(d, message, "thread", 0, CHAT_LAST_INSTANT, 0, &n) < 0)
        return -1;
    for (uint32_t i = 0; i < message->n; i++)
        if (message->members[i].value.type == JSON_NULL)
            return doc_fail(d, &message->members[i].value, message->members[i].key, "has no value");
    for (size_t i = 0; i < SOSIA_LEN(shapes); i++) {
        const struct json *member = json_get(message, shapes[i].name);
        if (member && member->type != shapes[i].type)
            return doc_fail(d, member, shapes[i].name, "expected %s",
                            shapes[i].type == JSON_ARRAY ? "a list" : "an object");
    }
    doc_pop(d, mark);
    *ret = chat_doc_json(d, v, "message");
    return 0;
}

int chat_scheduled_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"workspace", "id",      "channel", "from", "app",
                                          "at",        "created", "message", NULL};
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_user u;
    struct chat_scheduled s = {0};
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_made_key(tx, d, v, "Q", &s.key) < 0 || chat_doc_channel(tx, d, v, w.id, &ch) < 0 ||
        person_of(tx, d, v, "from", w.id, &u) < 0 || chat_doc_app(tx, d, v, &s.app) < 0 ||
        at_of(d, v, &u, &s.at_s) < 0 ||
        chat_doc_second(d, v, "created", tx->now_us / US_PER_SECOND, &s.created_s) < 0 ||
        read_draft(d, v, &s.message) < 0)
        return -1;
    s.channel = ch.id;
    s.user = u.id;
    return chat_doc_added(tx, d, v, "id", chat_schedule(tx, &s));
}

int chat_scheduled_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select " CHAT_SQL_CHANNEL_WORKSPACE("s.channel") ", s.key, " CHAT_SQL_CHANNEL_KEY(
            "s.channel") ", s.user, s.app, s.at_s, s.created_s, s.message from slack_scheduled s "
                         "where s.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int rc = chat_dump_workspace(tx, w, sqlite3_column_int64(st, 0));
    json_str(w, "id", (const char *)sqlite3_column_text(st, 1));
    json_str(w, "channel", (const char *)sqlite3_column_text(st, 2));
    if (rc == 0)
        rc = chat_dump_user(tx, w, "from", sqlite3_column_int64(st, 3));
    if (rc == 0)
        rc = chat_dump_app(tx, w, "app", sqlite3_column_int64(st, 4));
    write_at(w, sqlite3_column_int64(st, 5));
    json_int(w, "created", sqlite3_column_int64(st, 6));
    chat_dump_raw(w, "message", (const char *)sqlite3_column_text(st, 7));
    sql_done(st);
    return rc < 0 ? -1 : 1;
}

/* ---- quiet ---- */

int chat_quiet_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_quiet (user, enabled, from_minute, to_minute, snooze_s, "
                 "snoozing_forever, skipped_s) values (:user, :enabled, :from, :to, :snooze, "
                 ":forever, :skipped)");
    static const char *const members[] = {"workspace", "user",    "enabled", "from", "to",
                                          "snooze",    "forever", "skipped", NULL};
    struct chat_workspace w;
    struct chat_user u;
    bool enabled, forever;
    int64_t from, to, snooze_s, skipped_s;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        person_of(tx, d, v, "user", w.id, &u) < 0 ||
        doc_bool(d, v, "enabled", false, &enabled) < 0 ||
        doc_int(d, v, "from", 0, 1439, 0, &from) < 0 || doc_int(d, v, "to", 0, 1439, 0, &to) < 0 ||
        chat_doc_second(d, v, "snooze", 0, &snooze_s) < 0 ||
        chat_doc_second(d, v, "skipped", 0, &skipped_s) < 0 ||
        doc_bool(d, v, "forever", false, &forever) < 0)
        return -1;
    return chat_doc_added(tx, d, v, "user",
                          TX_RUN(tx, &q, u.id, enabled, from, to, snooze_s, forever, skipped_s));
}

int chat_quiet_dump(struct tx *tx, int64_t user, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select " CHAT_SQL_USER_WORKSPACE("q.user") ", " CHAT_SQL_USER_KEY(
            "q.user") ", q.enabled, q.from_minute, q.to_minute, q.snooze_s, q.snoozing_forever, "
                      "q.skipped_s from slack_quiet q where q.user = :user");
    static const char *const numbers[] = {"from", "to", "snooze"};
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, user);
    if (r != 1)
        return r;
    int rc = chat_dump_workspace(tx, w, sqlite3_column_int64(st, 0));
    json_str(w, "user", (const char *)sqlite3_column_text(st, 1));
    json_bool_opt(w, "enabled", sqlite3_column_int(st, 2));
    for (int i = 0; i < 3; i++)
        if (sqlite3_column_int64(st, 3 + i))
            json_int(w, numbers[i], sqlite3_column_int64(st, 3 + i));
    json_bool_opt(w, "forever", sqlite3_column_int(st, 6));
    if (sqlite3_column_int64(st, 7))
        json_int(w, "skipped", sqlite3_column_int64(st, 7));
    sql_done(st);
    return rc < 0 ? -1 : 1;
}
