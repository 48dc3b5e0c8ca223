/* SPDX-License-Identifier: Apache-2.0 */
/* What people keep for themselves, as documents have it: what they have saved, of what they are
 * reminded, what is posted for them later, when they want quiet. */
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/forms.h"
#include "services/chat/slack/store.h"

/* Somebody who must be named. */
static int person_of(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                     int64_t workspace, struct chat_user *ret)
{
    if (chat_doc_user(tx, d, v, member, workspace, ret) < 0)
        return -1;
    return ret->id ? 0 : doc_fail(d, v, member, "is missing");
}

/* The member "at" in a person's zone, in whole seconds. */
static int read_at(const struct form_in *in, const struct member *m, void *row, int64_t user)
{
    struct chat_user u;
    int64_t us = 0;
    int r = chat_user_get(in->tx, user, &u);
    if (r == 1)
        r = chat_doc_time(in->d, in->value, m->name, u.zone, &us);
    if (r < 0)
        return -1;
    if (!r || us < 0 || us / US_PER_SECOND > CHAT_LAST_SECOND)
        return doc_fail(in->d, in->value, m->name, CHAT_OUT_OF_TIME);
    member_put_number(m, row, us / US_PER_SECOND);
    return 0;
}

static int write_at(const struct form_out *out, const struct member *m, const void *row)
{
    form_time(out->w, m->name, member_number(m, row) * US_PER_SECOND);
    return 0;
}

#define AT(type, reader)                                                                           \
    .kind = MEMBER_INT, .noun = "time", .read = (reader), .write = write_at,                       \
    MEMBER_TYPED(type, at_s, int64_t)

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

static const struct member chat_star_members[] = {
    OWN("workspace", "The domain of the workspace, where there are several", "text"),
    OWN_NEEDED("user", "Who"),
    OWN("channel", "A channel", "text"),
    OWN("ts", "Of a message there: its time", "text"),
    OWN("file", "Or the id of a file", "text"),
    OWN_TYPED("created", "When", "time, or seconds since 1970",
              "{\"type\":[\"integer\",\"string\",\"null\"]}"),
};
const struct form chat_star_form = FORM("What a person has saved", chat_star_members);

int chat_star_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_star (user, channel, message, file, at_s) values (:user, "
                 ":channel, :message, :file, :at)");
    struct chat_workspace w;
    struct chat_user u;
    struct chat_channel ch = {0};
    struct chat_message m = {0};
    struct chat_file f = {0};
    int64_t at_s;
    if (form_known(&(struct form_in){tx, d, v}, &chat_star_form) < 0 ||
        chat_doc_workspace(tx, d, v, &w) < 0 || person_of(tx, d, v, "user", w.id, &u) < 0 ||
        star_of(tx, d, v, w.id, &ch, &m, &f) < 0 ||
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

struct reminder {
    int64_t workspace, creator, user, at_s, complete_s, channel;
    const char *key, *text, *recurrence;
};

static int read_reminder_at(const struct form_in *in, const struct member *m, void *row)
{
    return read_at(in, m, row, ((struct reminder *)row)->user);
}

static int read_recurrence(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *v = json_get(in->value, m->name);
    struct chat_recurrence again;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (chat_recurrence_read(v, &again) < 0)
        return doc_fail(
            in->d, v, m->name,
            "expected {frequency: daily, weekly, monthly or yearly, weekdays: of weekly "
            "ones, [monday, ...]}");
    member_put_text(m, row, json_to_text(in->d->arena, v));
    return 0;
}

static int write_creator(const struct form_out *out, const struct member *m, const void *row)
{
    const struct reminder *r = row;
    return r->creator != r->user ? chat_write_user(out, m, row) : 0;
}

/* One that recurs comes next at its first time from now on. */
static int check_reminder(const struct form_in *in, void *row)
{
    struct reminder *r = row;
    struct chat_recurrence again = {0};
    struct chat_user u;
    const struct tz *tz;
    int found = chat_user_get(in->tx, r->user, &u);
    if (r->recurrence)
        (void)chat_recurrence_read(json_get(in->value, "recurrence"), &again);
    if (found == 1 && !r->complete_s && (tz = tz_find(u.zone)))
        (void)chat_recurs(&again, tz, r->at_s, in->tx->now_us / US_PER_SECOND, &r->at_s);
    r->creator = r->creator ? r->creator : r->user;
    return found < 0 ? -1 : 0;
}

/* What has passed has been said. */
static int remind(const struct form_in *in, void *row, int64_t id)
{
    const struct reminder *r = row;
    return r->complete_s || r->at_s * US_PER_SECOND <= in->tx->now_us
               ? 0
               : chat_remind_at(in->tx, id, r->at_s);
}

static const struct member reminder_members[] = {
    CHAT_WORKSPACE,
    {"id", "Its id, from Rm on", CHAT_MADE_KEY_AT(struct reminder, key, "Rm")},
    {"user", "The person who is reminded", CHAT_USER_AT(struct reminder, user),
     .flags = MEMBER_REQUIRED},
    {"creator", "The person who made it; else the same", .kind = MEMBER_REF,
     .ref = &chat_user_reference, .read = chat_read_user, .write = write_creator,
     MEMBER_TYPED(struct reminder, creator, int64_t)},
    {"text", "Its text", TEXT_AT(struct reminder, text), .flags = MEMBER_REQUIRED},
    {"at", "When it comes, in the person's zone", AT(struct reminder, read_reminder_at)},
    {"recurrence", "frequency, and weekdays of weekly ones",
     KEPT_AT(struct reminder, recurrence, JSON_OBJECT), .read = read_recurrence},
    {"complete", "When it was done", CHAT_SECOND_AT(struct reminder, complete_s)},
    {"channel", "Where it comes", CHAT_CHANNEL_AT(struct reminder, channel)},
};
STORED(slack_reminder_stored, "A reminder", struct reminder, reminder_members, check_reminder,
       .table = "slack_reminder", .key = "id", .added = remind);

/* ---- posted later ---- */

/* The members of what is posted then, which chat_scheduled_post() takes as they are. */
static int read_draft(const struct form_in *in, const struct member *m, void *row)
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
    const struct json *message = json_get(in->value, m->name);
    struct doc *d = in->d;
    const char *text;
    int64_t n;
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
            return doc_expect(d, member, shapes[i].name,
                              shapes[i].type == JSON_ARRAY ? "a list" : "an object");
    }
    doc_pop(d, mark);
    member_put_text(m, row, json_to_text(d->arena, message));
    return 0;
}

static int read_scheduled_at(const struct form_in *in, const struct member *m, void *row)
{
    return read_at(in, m, row, ((struct chat_scheduled *)row)->user);
}

static int add_scheduled(const struct form_in *in, void *row)
{
    return chat_schedule(in->tx, row);
}

static const struct member scheduled_members[] = {
    CHAT_WORKSPACE_BY(struct chat_scheduled, channel, chat_write_workspace_of_channel),
    STORED_ID(struct chat_scheduled),
    {"id", "Its id, from Q on", CHAT_MADE_KEY_AT(struct chat_scheduled, key, "Q")},
    {"channel", "Where it is posted", CHAT_CHANNEL_AT(struct chat_scheduled, channel),
     .flags = MEMBER_REQUIRED},
    {"from", "The person or bot who posts it", CHAT_USER_AT(struct chat_scheduled, user),
     .flags = MEMBER_REQUIRED},
    {"app", "The app that posts it", CHAT_APP_AT(struct chat_scheduled, app)},
    {"at", "When, in the zone of from", AT(struct chat_scheduled, read_scheduled_at)},
    {"created", "Its time; else now", CHAT_SECOND_AT(struct chat_scheduled, created_s)},
    {"message", "text, blocks and the like", KEPT_AT(struct chat_scheduled, message, JSON_OBJECT),
     .read = read_draft, .flags = MEMBER_REQUIRED},
};
STORED(slack_scheduled_stored, "A message that is posted later", struct chat_scheduled,
       scheduled_members, NULL, .table = "slack_scheduled", .key = "id", .add = add_scheduled);

/* ---- quiet ---- */

struct quiet {
    int64_t workspace, user, snooze_s, skipped_s;
    int from_minute, to_minute;
    bool enabled, snoozing_forever;
};
static const struct member quiet_members[] = {
    CHAT_WORKSPACE_BY(struct quiet, user, chat_write_workspace_of_user),
    {"user", "The person who wants it", CHAT_USER_AT(struct quiet, user), .flags = MEMBER_REQUIRED},
    {"enabled", "Every day between from and to", BOOL_AT(struct quiet, enabled)},
    {"from", "A minute of the person's day", INT_AT(struct quiet, from_minute, 0, 1439)},
    {"to", "A minute of the person's day", INT_AT(struct quiet, to_minute, 0, 1439)},
    {"snooze", "Until then", CHAT_SECOND_AT(struct quiet, snooze_s)},
    {"forever", "Without an end", BOOL_AT(struct quiet, snoozing_forever)},
    {"skipped", "The stretch that ends then was ended early",
     CHAT_SECOND_AT(struct quiet, skipped_s)},
};
STORED(slack_quiet_stored, "When a person wants quiet", struct quiet, quiet_members, NULL,
       .table = "slack_quiet", .id = "user", .key = "user");
