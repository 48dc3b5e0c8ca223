/* SPDX-License-Identifier: Apache-2.0 */
/* Reminders, once or again and again, by the world's clock. */
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/slack/team/rows.h"

/* ---- recurrence ---- */

static const char *const frequencies[] = {[CHAT_DAILY] = "daily",
                                          [CHAT_WEEKLY] = "weekly",
                                          [CHAT_MONTHLY] = "monthly",
                                          [CHAT_YEARLY] = "yearly"};
static const char *const weekdays[] = {"sunday",   "monday", "tuesday", "wednesday",
                                       "thursday", "friday", "saturday"};

int chat_recurrence_read(const struct json *v, struct chat_recurrence *ret)
{
    const char *frequency = v->type == JSON_OBJECT ? json_get_str(v, "frequency") : NULL;
    const struct json *days = v->type == JSON_OBJECT ? json_get(v, "weekdays") : NULL;
    *ret = (struct chat_recurrence){0};
    for (unsigned i = CHAT_DAILY; frequency && i < SOSIA_LEN(frequencies); i++)
        if (strcmp(frequency, frequencies[i]) == 0)
            ret->every = (enum chat_every)i;
    if (ret->every == CHAT_ONCE || (days && days->type != JSON_ARRAY))
        return -1;
    for (uint32_t i = 0; days && i < days->n; i++) {
        unsigned day = 0;
        const char *name = days->items[i].type == JSON_STRING ? days->items[i].str : "";
        while (day < 7 && strcmp(name, weekdays[day]) != 0)
            day++;
        if (day == 7)
            return -1;
        ret->weekdays |= 1u << day;
    }
    return ret->every == CHAT_WEEKLY || !ret->weekdays ? 0 : -1;
}

void chat_recurrence_write(struct json_writer *w, const char *key, const struct chat_recurrence *r)
{
    json_obj(w, key);
    json_str(w, "frequency", frequencies[r->every]);
    if (r->weekdays) {
        json_arr(w, "weekdays");
        for (int i = 1; i <= 7; i++) /* a week begins on Monday */
            if (r->weekdays & 1u << i % 7)
                json_str(w, NULL, weekdays[i % 7]);
        json_end(w);
    }
    json_end(w);
}

/* Does a day of the series take place on this one? */
static bool is_day(const struct chat_recurrence *r, int64_t first, int64_t day)
{
    int year, month, d, y, m, of_month;
    if (r->every == CHAT_DAILY)
        return true;
    if (r->every == CHAT_WEEKLY)
        return r->weekdays ? r->weekdays & 1u << weekday_from_days(day) : (day - first) % 7 == 0;
    civil_from_days(first, &year, &month, &d);
    civil_from_days(day, &y, &m, &of_month);
    return of_month == d && (r->every == CHAT_MONTHLY || m == month);
}

bool chat_recurs(const struct chat_recurrence *r, const struct tz *tz, int64_t first_s,
                 int64_t after_s, int64_t *ret_s)
{
    int64_t local = first_s + tz_offset(tz, first_s), first = local / SECONDS_PER_DAY;
    int64_t time = local % SECONDS_PER_DAY;
    int64_t day = (after_s + tz_offset(tz, after_s)) / SECONDS_PER_DAY;
    if (r->every == CHAT_ONCE)
        return false;
    if (day < first)
        day = first;
    /* A 29 February comes again after eight years at the latest. */
    for (int64_t last = day + INT64_C(9) * 366; day <= last; day++) {
        int64_t s = tz_to_utc(tz, day * SECONDS_PER_DAY + time);
        if (s > after_s && s >= first_s && is_day(r, first, day)) {
            *ret_s = s;
            return s <= CHAT_LAST_SECOND;
        }
    }
    return false;
}

/* ---- by the clock ---- */

int chat_remind_at(struct tx *tx, int64_t reminder, int64_t at_s)
{
    return due_add(tx, at_s * US_PER_SECOND, SLACK_CORE, SL_REMINDER, reminder);
}

int chat_remind_never(struct tx *tx, int64_t reminder)
{
    return due_cancel(tx, SLACK_CORE, SL_REMINDER, reminder);
}

/* When it comes next after it came; 0: it does not. */
static int64_t again_at(struct tx *tx, int64_t user, int64_t at_s, const char *recurrence)
{
    struct chat_recurrence r;
    struct chat_user u;
    struct sosia_err err;
    const struct json *v;
    int64_t next;
    if (!recurrence || json_parse(tx->arena, recurrence, strlen(recurrence), NULL, &v, &err) < 0 ||
        chat_recurrence_read(v, &r) < 0 || chat_user_get(tx, user, &u) != 1)
        return 0;
    const struct tz *tz = tz_find(u.zone);
    return tz && chat_recurs(&r, tz, at_s, at_s, &next) ? next : 0;
}

int chat_remind(struct tx *tx, int64_t reminder)
{
    static struct sql_text later = SQL_TEXT("update slack_reminder set at_s = :at where id = :id");
    struct reminder it;
    int r = stored_get(tx, &slack_reminder_stored, reminder, &it);
    if (r != 1)
        return r;
    int64_t next = again_at(tx, it.user, it.at_s, it.recurrence);
    if (next && (TX_RUN(tx, &later, next, reminder) < 0 || chat_remind_at(tx, reminder, next) < 0))
        return -1;
    chat_notify(tx, CHAT_EV_REMINDER, OP_CHANGED, it.workspace, reminder, NULL,
                &(struct chat_change){.user = it.user});
    return 0;
}
