/* SPDX-License-Identifier: Apache-2.0 */
/* What people keep for themselves, as documents have it: what they have saved, of what they are
 * reminded, what is posted for them later, when they want quiet. */
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/slack/team/rows.h"

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

struct star {
    int64_t workspace, user, channel, message, file, at_s;
};

static int read_star_message(const struct form_in *in, const struct member *m, void *row)
{
    struct star *s = row;
    struct chat_message message;
    const char *ts;
    int64_t us;
    if (doc_str(in->d, in->value, m->name, false, &ts) < 0)
        return -1;
    if (!ts || !s->channel)
        return 0;
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(in->tx, s->channel, us, &message);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                "there is no message at \"%.40s\"", ts);
    s->message = message.id;
    return 0;
}

static int write_star_message(const struct form_out *out, const struct member *m, const void *row)
{
    const struct star *s = row;
    struct chat_message message;
    int r = s->message ? chat_message_get(out->tx, s->message, &message) : 0;
    if (r == 1)
        chat_dump_ts(out->w, m->name, message.ts_us);
    return r < 0 ? -1 : 0;
}

/* That of the message, too. */
static int write_star_channel(const struct form_out *out, const struct member *m, const void *row)
{
    struct star s = *(const struct star *)row;
    s.channel = s.message ? chat_message_channel(s.message) : s.channel;
    return chat_write_channel(out, m, &s);
}

static int read_star_file(const struct form_in *in, const struct member *m, void *row)
{
    struct star *s = row;
    struct chat_file f;
    const char *file;
    if (doc_str(in->d, in->value, m->name, false, &file) < 0)
        return -1;
    if (!file)
        return 0;
    if (json_get(in->value, "channel") || json_get(in->value, "ts"))
        return doc_fail(in->d, in->value, m->name, "must come without a channel and a ts");
    int r = chat_file_find(in->tx, s->workspace, file, &f);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                "there is no file \"%.80s\"", file);
    s->file = f.id;
    return 0;
}

static int write_star_file(const struct form_out *out, const struct member *m, const void *row)
{
    const struct star *s = row;
    struct chat_file f;
    int r = s->file ? chat_file_get(out->tx, s->file, &f) : 0;
    if (r == 1)
        json_str(out->w, m->name, f.key);
    return r < 0 ? -1 : 0;
}

static int check_star(const struct form_in *in, void *row)
{
    struct star *s = row;
    if (!s->channel && !s->file)
        return doc_fail(in->d, in->value, "channel", "is missing");
    s->channel = s->message ? 0 : s->channel;
    return chat_unsaid_now(in->tx, &s->at_s);
}

static int add_star(const struct form_in *in, void *row)
{
    return stored_add(in->tx, &slack_star_stored, row) == 0 ? 0
                                                            : doc_taken(in->d, in->value, "user");
}

static const struct reference star_message = {.noun = "ts of a message"};
static const struct reference star_file = {.noun = "the id of a file"};
static const struct member star_members[] = {
    CHAT_WORKSPACE_BY(struct star, user, chat_write_workspace_of_user),
    {"user", "Who", CHAT_USER_AT(struct star, user), .flags = MEMBER_REQUIRED},
    {"channel", "A channel", .kind = MEMBER_REF, .ref = &chat_channel_reference,
     .read = chat_read_channel, .write = write_star_channel,
     MEMBER_TYPED(struct star, channel, int64_t)},
    {"ts", "Of a message there: its time", .kind = MEMBER_REF, .ref = &star_message,
     .read = read_star_message, .write = write_star_message,
     MEMBER_TYPED(struct star, message, int64_t)},
    {"file", "Or the id of a file", .kind = MEMBER_REF, .ref = &star_file, .read = read_star_file,
     .write = write_star_file, MEMBER_TYPED(struct star, file, int64_t)},
    {"created", "When", CHAT_SECOND_AT(struct star, at_s), .usual = CHAT_UNSAID},
};
STORED(slack_star_stored, "What a person has saved", struct star, star_members, check_star,
       .table = "slack_star", .key = "workspace user channel ts file created", .add = add_star);

/* ---- reminders ---- */

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
    STORED_ID(struct reminder),
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
