/* SPDX-License-Identifier: Apache-2.0 */
/* Reminders: people's own, which Slackbot says to them when the world's clock is there. */
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/slack/sl.h"
#include "services/chat/slack/team/rows.h"
#include "services/chat/slack/web/when.h"

/* Only one that does not recur has a time, and can be done. */
static void write_reminder(struct call *c, const char *key, const struct reminder *r)
{
    json_obj(c->out, key);
    json_str(c->out, "id", r->key);
    json_str(c->out, "creator", sl_user_key(c, r->creator));
    json_str(c->out, "user", sl_user_key(c, r->user));
    json_str(c->out, "text", r->text);
    json_bool(c->out, "recurring", r->recurrence);
    if (r->recurrence) {
        json_raw(c->out, "recurrence", r->recurrence, strlen(r->recurrence));
    } else {
        json_int(c->out, "time", r->at_s);
        json_int(c->out, "complete_ts", r->complete_s);
    }
    json_end(c->out);
}

/* ---- methods ---- */

/* Nobody sets them for others any more; ret is the person whom it is for. */
static int whose(struct call *c, bool recurs)
{
    const char *user = param_str(c, "user");
    struct chat_user u;
    if (!user || !*user || strcmp(user, sl_me(c)->user.key) == 0)
        return 0;
    int r = sl_user_find(c, user, &u);
    return r < 0 ? -1
                 : slack_fail(c, !r         ? "user_not_found"
                                 : !u.actor ? "cannot_add_slackbot"
                                 : u.bot    ? "cannot_add_bot"
                                 : recurs   ? "cannot_add_others_recurring"
                                            : "cannot_add_others");
}

/* When, and how it comes again: by the argument, or by the words of `time`. 1; 0: it can't be
 * read; -1. */
static int when_of(struct call *c, int64_t *ret_s, struct chat_recurrence *ret_again)
{
    const struct tz *tz = tz_find(sl_me(c)->user.zone);
    const struct json *v;
    int64_t now_s = c->tx.now_us / US_PER_SECOND;
    bool said = tz && sl_when(param_str(c, "time"), tz, now_s, ret_s, ret_again);
    int r = slack_value(c, "recurrence", &v);
    if (r < 0 || (r && chat_recurrence_read(v, ret_again) < 0))
        return r < 0 ? -1 : slack_wrong_value(c, "recurrence");
    return said && (!r || chat_recurs(ret_again, tz, *ret_s, now_s, ret_s));
}

static const char *recurrence_text(struct call *c, const struct chat_recurrence *again)
{
    struct json_writer w;
    struct buf b;
    if (again->every == CHAT_ONCE)
        return NULL;
    json_start(&w, &b);
    chat_recurrence_write(&w, NULL, again);
    return buf_keep(&b, c->tx.arena);
}

static int reminders_add(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct reminder r = {.workspace = me->workspace.id,
                         .creator = me->user.id,
                         .user = me->user.id,
                         .text = param_str(c, "text")};
    struct chat_recurrence again;
    const char *made;
    if (!*r.text)
        return slack_invalid_arguments(c, "/text", "must be more than 0 characters");
    int said = when_of(c, &r.at_s, &again);
    if (said < 0 || whose(c, again.every != CHAT_ONCE) < 0)
        return -1;
    if (!said)
        return slack_fail(c, "cannot_parse");
    if (!(made = chat_key(&c->tx, 'R')))
        return -1;
    r.key = arena_printf(c->tx.arena, "Rm%s", made + 1);
    r.recurrence = recurrence_text(c, &again);
    if (stored_add(&c->tx, &slack_reminder_stored, &r) < 0)
        return -1;
    r.id = sqlite3_last_insert_rowid(slot_db(c->tx.db));
    if (chat_remind_at(&c->tx, r.id, r.at_s) < 0)
        return -1;
    slack_open(c);
    write_reminder(c, "reminder", &r);
    slack_close(c);
    return 0;
}

/* One that the caller made, or that is for him. */
static int reminder_arg(struct call *c, struct reminder *r)
{
    static struct sql_text q = SQL_TEXT("where key = :key and :user in (user, creator)");
    int found = STORED_ONE(&c->tx, &slack_reminder_stored, &q, r, param_str(c, "reminder"),
                           sl_me(c)->user.id);
    return found == 1 ? 0 : found < 0 ? -1 : slack_fail(c, "not_found");
}

static int reminders_complete(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("update slack_reminder set complete_s = :at where id = :id");
    struct reminder r;
    if (reminder_arg(c, &r) < 0)
        return -1;
    if (r.recurrence || r.user != sl_me(c)->user.id)
        return slack_fail(c, r.recurrence ? "cannot_complete_recurring" : "cannot_complete_others");
    if (TX_RUN(&c->tx, &q, c->tx.now_us / US_PER_SECOND, r.id) < 0 ||
        chat_remind_never(&c->tx, r.id) < 0)
        return -1;
    return slack_ok(c);
}

static int reminders_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from slack_reminder where id = :id");
    struct reminder r;
    if (reminder_arg(c, &r) < 0 || TX_RUN(&c->tx, &q, r.id) < 0 ||
        chat_remind_never(&c->tx, r.id) < 0)
        return -1;
    return slack_ok(c);
}

static int reminders_info(struct call *c)
{
    struct reminder r;
    if (reminder_arg(c, &r) < 0)
        return -1;
    slack_open(c);
    write_reminder(c, "reminder", &r);
    slack_close(c);
    return 0;
}

/* Those that the caller made, and those that are for him. */
static int reminders_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where user = :user or creator = :user order by id");
    sqlite3_stmt *st = STORED_QUERY(&c->tx, &slack_reminder_stored, &q, sl_me(c)->user.id);
    struct reminder one;
    int r;
    slack_open(c);
    json_arr(c->out, "reminders");
    while ((r = stored_next(&c->tx, &slack_reminder_stored, st, &one)) == 1)
        write_reminder(c, NULL, &one);
    json_end(c->out);
    slack_close(c);
    return r;
}

/* ---- rows ---- */

static const struct param reminder_add_params[] = {
    SL_NEEDED("text", .summary = "Text of the reminder"), SL_NEEDED("time"), SL_ARG("user"),
    SL_ARG("team_id"),
    SL_ARG("recurrence", SL_OBJECT,
           .fault = "must be an object with a frequency (daily, weekly, monthly or yearly) and "
                    "weekdays of a weekly one")};
static const struct param reminder_params[] = {SL_NEEDED("reminder"), SL_ARG("team_id")};
static const struct param reminder_list_params[] = {SL_ARG("team_id")};

#define REMINDERS                                                                                  \
    .token_kinds = TOKEN_USER, .risk = RISK_WRITE, .scopes = "reminders:write", .rate = SLACK_TIER_2
#define REMINDED                                                                                   \
    .token_kinds = TOKEN_USER, .risk = RISK_READ, .accepts = slack_form_only,                      \
    .scopes = "reminders:read", .rate = SLACK_TIER_2

static const struct route methods[] = {
    {SL_METHOD("reminders.add"), REMINDERS, .handler = reminders_add, PARAMS(reminder_add_params),
     .summary = "Be reminded"},
    {SL_METHOD("reminders.complete"), REMINDERS, .handler = reminders_complete,
     PARAMS(reminder_params), .idempotent = true, .summary = "Say that it is done"},
    {SL_METHOD("reminders.delete"), REMINDERS, .handler = reminders_delete, PARAMS(reminder_params),
     .idempotent = true, .summary = "Don't be reminded after all"},
    {SL_METHOD("reminders.info"), REMINDED, .handler = reminders_info, PARAMS(reminder_params),
     .summary = "A reminder"},
    {SL_METHOD("reminders.list"), REMINDED, .handler = reminders_list, PARAMS(reminder_list_params),
     .summary = "Own reminders"},
};

const struct rows sl_reminders = ROWS(methods);
