/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/core/show.h"
#include "engine/http/principal.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "services/calendar/core/list.h"
#include <stdio.h>

static int find_account(struct tx *tx, const struct cal_shown *s, struct account *ret)
{
    const struct resolver *resolver = resolver_of(tx);
    struct actor actor;
    int r = resolver ? resolver->find(tx, s->actor, &actor) : -1;
    if (r == 1)
        r = s->vendor ? account_at(tx, actor.id, s->vendor, ACCOUNT_CALENDAR, ret)
                      : account_serving(tx, &actor, ACCOUNT_CALENDAR, ret);
    if (r)
        return r < 0 ? -1 : 0;
    return tx_fail(tx, SOSIA_E_NOT_FOUND, "calendarNotFound", "actor",
                   "actor must be somebody with calendars%s%.40s, \"%.80s\" is not",
                   s->vendor ? " of " : "", s->vendor ? s->vendor : "", s->actor);
}

static void write_number(struct json_writer *w, const char *name, int64_t id)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)id);
    json_str(w, name, text);
}

/* ---- calendars ---- */

#define VENDORS_SHOWN 8

/* Whose service the calendars are of, and with whom their person has others. */
static int write_vendors(struct tx *tx, struct json_writer *w, const struct account *account)
{
    const char *vendors[VENDORS_SHOWN];
    int n = account_vendors(tx, account->actor, ACCOUNT_CALENDAR, vendors, VENDORS_SHOWN);
    if (n < 0)
        return -1;
    json_str(w, "vendor", account->vendor);
    json_arr(w, "vendors");
    for (int i = 0; i < n; i++)
        json_str(w, NULL, vendors[i]);
    json_end(w);
    return 0;
}

static int show_calendars(struct tx *tx, struct json_writer *w, void *arg)
{
    struct account account;
    struct calendar cal;
    int r = 0;
    if (find_account(tx, arg, &account) < 0)
        return -1;
    json_obj(w, NULL);
    if (write_vendors(tx, w, &account) < 0)
        return -1;
    json_arr(w, "calendars");
    for (int64_t after = 0; (r = calendar_next(tx, &account, after, &cal)) == 1; after = cal.id) {
        json_obj(w, NULL);
        write_number(w, "id", cal.id);
        json_str(w, "key", cal.key);
        json_str_opt(w, "name", cal.summary);
        json_str_opt(w, "zone", cal.zone);
        json_bool(w, "main", cal.main);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    return r;
}

int cal_show_calendars(struct sosia_engine *e, uint64_t world, const struct cal_shown *shown,
                       struct sosia_blob *ret_json, struct sosia_err *err)
{
    return world_read(e, world, false, show_calendars, (void *)(uintptr_t)shown, ret_json, err);
}

/* ---- instances ---- */

struct showing {
    struct tx *tx;
    struct json_writer *w;
    const struct calendar *cal;
};

static void write_moment(const struct showing *s, const char *name, const struct cal_event *ev,
                         int64_t us)
{
    int year, month, day;
    char text[40];
    if (!ev->all_day) {
        json_time(s->w, name, us, JSON_TIME_US_Z);
        return;
    }
    civil_from_days(us / US_PER_DAY, &year, &month, &day); /* midnights: nothing is left over */
    snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
    json_str(s->w, name, text);
}

static int show_instance(void *arg, struct cal_event *ev, const struct record *row)
{
    static const char *const states[] = {"confirmed", "tentative", "cancelled"};
    static const char *const answers[] = {NULL, "none", "declined", "tentative", "accepted"};
    struct showing *s = arg;
    struct json_writer *w = s->w;
    (void)row;
    json_obj(w, NULL);
    json_str(w, "id", ev->key);
    if (ev->form == EVENT_INSTANCE)
        json_str_opt(w, "series", cal_event_series_key(s->tx, ev));
    write_number(w, "calendar", s->cal->id);
    json_str_opt(w, "title", ev->summary);
    write_moment(s, "start", ev, ev->start_us);
    write_moment(s, "end", ev, event_end(ev));
    json_str_opt(w, "zone", ev->zone);
    json_bool(w, "all_day", ev->all_day);
    json_str(w, "status", states[ev->status]);
    json_str_opt(w, "me", answers[ev->response]);
    json_int(w, "guests", ev->n_attendees);
    json_end(w);
    return 0;
}

static int show_of(struct tx *tx, struct json_writer *w, const struct cal_shown *s,
                   const struct calendar *cal, bool *more)
{
    const struct cal_event_query q = {.min_us = s->from_us,
                                      .max_us = s->to_us,
                                      .single = true,
                                      .order = ORDER_START,
                                      .updated_min_us = INT64_MIN,
                                      .changed = -1,
                                      .limit = CAL_SHOWN};
    struct showing showing = {tx, w, cal};
    const char *position = NULL;
    if (cal_event_list(tx, cal, &q, show_instance, &showing, &position) < 0)
        return -1;
    *more |= position != NULL;
    return 0;
}

static int show_events(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct cal_shown *s = arg;
    struct account account;
    struct calendar cal;
    bool more = false, found = !s->calendar;
    int r = 0;
    if (find_account(tx, s, &account) < 0)
        return -1;
    json_obj(w, NULL);
    json_arr(w, "rows");
    for (int64_t after = 0; (r = calendar_next(tx, &account, after, &cal)) == 1; after = cal.id) {
        if (s->calendar && s->calendar != cal.id)
            continue;
        found = true;
        if (show_of(tx, w, s, &cal, &more) < 0)
            return -1;
    }
    json_end(w);
    json_bool(w, "more", more);
    json_end(w);
    if (r == 0 && !found)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, "calendarNotFound", "calendar",
                       "calendar must be the id of one of the person's calendars, not %lld",
                       (long long)s->calendar);
    return r;
}

int cal_show_events(struct sosia_engine *e, uint64_t world, const struct cal_shown *shown,
                    struct sosia_blob *ret_json, struct sosia_err *err)
{
    return world_read(e, world, false, show_events, (void *)(uintptr_t)shown, ret_json, err);
}
