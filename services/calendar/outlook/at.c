/* SPDX-License-Identifier: Apache-2.0 */
/* Whose calendar and which event a call is about, what the caller may do with it, and how answers
 * are wanted; ids; refusals. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/take.h"
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/query.h"
#include "vendors/microsoft/zone.h"

/* ---- refusals ---- */

int ocal_invalid(struct call *c, const char *member, const char *expected)
{
    call_why(c, "%s must be %s", member, expected);
    return call_fail(c, SOSIA_E_INVALID, "ErrorPropertyValidationFailure", NULL,
                     "At least one property failed validation.");
}

int ocal_refused(struct call *c)
{
    switch (cal_reason_of(c->tx.err)) {
    case CAL_NO_CALENDAR:
    case CAL_DELETED:
        return graph_not_found(c);
    case CAL_LESSER_ROLE:
    case CAL_NOT_ORGANIZER:
        return graph_denied(c);
    case CAL_BAD_RECURRENCE:
        return ocal_invalid(c, "recurrence", "a pattern that the service can lay out");
    case CAL_NO_SUCH_TIME:
        return ocal_invalid(c, "start and end", "between the years 1 and 9999");
    case CAL_TOO_MANY:
        return call_fail(c, SOSIA_E_INVALID, "ErrorCalendarViewRangeTooBig", NULL,
                         "The specified view range exceeds the maximum range.");
    default:
        return -1;
    }
}

/* ---- the user ---- */

static int read_zone(struct ocal_at *at)
{
    const char *name = graph_prefer(at->c, "outlook.timezone");
    const char *iana = name ? graph_zone_iana(name) : "UTC";
    at->zone = name && iana ? name : "UTC";
    at->tz = iana ? tz_find(iana) : NULL;
    if (!at->tz)
        return call_fail(at->c, SOSIA_E_INVALID, "TimeZoneNotSupportedException", NULL,
                         "A valid TimeZone value must be specified. The following TimeZone value "
                         "is not supported: '%.100s'.",
                         name ? name : "");
    if (name)
        graph_applied(at->c, "outlook.timezone", name, true);
    return 0;
}

void ocal_read_body_type(struct ocal_at *at)
{
    const char *type = graph_prefer(at->c, "outlook.body-content-type");
    if (!type || (!str_eq_nocase(type, "text") && !str_eq_nocase(type, "html")))
        return;
    at->text = str_eq_nocase(type, "text");
    graph_applied(at->c, "outlook.body-content-type", at->text ? "text" : "html", true);
}

bool ocal_is_basic(const struct call *c)
{
    return !call_has_scope(c, OCAL_READ_DATA) && call_uses_scope(c, OCAL_BASIC);
}

int ocal_at_user(struct call *c, const struct graph_user *user, struct ocal_at *ret)
{
    struct arena *a = c->tx.arena;
    *ret = (struct ocal_at){.c = c, .user = *user, .basic = ocal_is_basic(c)};
    if (read_zone(ret) < 0)
        return -1;
    graph_store_of(a, ret->user.tenant, ret->user.actor.email, &ret->store);
    ret->base = ARENA_JOIN(a, "users", graph_key(a, ret->user.key));
    return arena_failed(a) ? sosia_fail_memory(c->tx.err) : 0;
}

int ocal_open_user(struct call *c, struct ocal_at *ret)
{
    struct graph_user user;
    if (graph_whose(c, ACCOUNT_CALENDAR, &user) < 0 || ocal_at_user(c, &user, ret) < 0)
        return -1;
    ocal_read_body_type(ret);
    return 0;
}

int ocal_may(struct ocal_at *at, enum cal_role need, struct calendar *cal)
{
    if (at->group_role) {
        cal->role = at->group_role;
        cal->beyond = CAL_PRIVATE;
    } else if (graph_app_only(at->c)) {
        cal->role = CAL_OWN;
    } else if (calendar_open_for(&at->c->tx, cal, &at->c->actor) < 0) {
        return -1;
    }
    return cal->role < need ? graph_denied(at->c) : 0;
}

/* Is it one of the account that the path means? */
static bool is_theirs(const struct ocal_at *at, const struct calendar *cal)
{
    if (at->group_role)
        return calendar_is_groups(cal) && strcmp(cal->address, at->user.actor.email) == 0;
    return cal->owner == at->user.actor.id && cal->vendor == &ocal_vendor && !cal->gone;
}

/* of_event: the calendar is the event's, which is not known yet. */
static int open_calendar(struct call *c, enum cal_role need, bool of_event, struct ocal_at *ret)
{
    const char *id = param_str(c, "calendar-id");
    int64_t number;
    int r;
    if (ocal_of_group(c))
        return ocal_open_group(c, need, ret);
    if (ocal_open_user(c, ret) < 0)
        return -1;
    if (!id) {
        if (c->path && strstr(c->path, "/calendar/"))
            ret->base = ARENA_JOIN(c->tx.arena, ret->base, "/calendar");
        if (of_event && ret->user.me)
            return 0; /* all calendars of the account are open to its user */
        r = calendar_of_account_row(&c->tx, &ret->user.account, &ret->cal);
    } else {
        r = ocal_calendar_of_id(ret, id, &number);
        if (r < 0)
            return graph_bad_id(c);
        if (r == 1)
            r = calendar_by_id(&c->tx, number, &ret->cal);
        if (r == 1 && !is_theirs(ret, &ret->cal))
            r = 0;
        ret->base =
            arena_printf(c->tx.arena, "%s/calendars%s", ret->base, graph_key(c->tx.arena, id));
    }
    if (r < 1)
        return r < 0 ? -1 : graph_not_found(c);
    return ocal_may(ret, need, &ret->cal);
}

int ocal_open(struct call *c, enum cal_role need, struct ocal_at *ret)
{
    return open_calendar(c, need, false, ret);
}

int ocal_open_for_event(struct call *c, enum cal_role need, struct ocal_at *ret)
{
    return open_calendar(c, need, true, ret);
}

/* ---- ids ---- */

const char *ocal_calendar_id(const struct ocal_at *at, int64_t calendar)
{
    const int64_t item = at->group_role ? 1 : calendar; /* a group has one, made or not */
    return graph_item_id(at->c->tx.arena, &at->store,
                         &(struct graph_item){.folder = STORE_CALENDARS, .item = item});
}

int ocal_calendar_of_id(const struct ocal_at *at, const char *id, int64_t *ret)
{
    struct graph_item item;
    int r = graph_item_read(&at->store, id, &item);
    *ret = item.item;
    return r == 1 && (item.folder != STORE_CALENDARS || item.occurrence) ? -1 : r;
}

/* The zone that the series of an instance is laid out in: an exception may have another one. */
static const char *series_zone(const struct ocal_at *at, const struct cal_event *ev)
{
    struct cal_event series;
    return ev->id && ev->master && cal_event_by_id(&at->c->tx, ev->master, &series) == 1
               ? series.zone
               : ev->zone;
}

int64_t ocal_original_day(const struct ocal_at *at, const struct cal_event *ev)
{
    int64_t s = ev->original_us / US_PER_SECOND - (ev->original_us % US_PER_SECOND < 0);
    if (!ev->original_day) {
        const char *zone = series_zone(at, ev);
        const struct tz *tz = zone ? tz_find(zone) : NULL;
        s += tz_offset(tz ? tz : at->cal.tz, s);
    }
    return s / SECONDS_PER_DAY - (s % SECONDS_PER_DAY < 0);
}

const char *ocal_event_id(const struct ocal_at *at, const struct cal_event *ev)
{
    bool occurrence = ev->form == EVENT_INSTANCE && ev->master;
    return graph_item_id(at->c->tx.arena, &at->store,
                         &(struct graph_item){.folder = STORE_EVENTS,
                                              .item = occurrence ? ev->master : ev->id,
                                              .occurrence = occurrence,
                                              .day = occurrence ? ocal_original_day(at, ev) : 0});
}

const char *ocal_etag(const struct ocal_at *at, int64_t change)
{
    struct arena *a = at->c->tx.arena;
    return ARENA_JOIN(a, "W/\"", graph_change_key(a, &at->store, change), "\"");
}

/* ---- an event ---- */

bool ocal_shows(const struct cal_event *ev)
{
    return ev->status != EVENT_CANCELLED || (ev->origin && !ev->removed && !event_is_trace(ev));
}

/* The instance of a series that was first on that day. */
static int find_on_day(struct ocal_at *at, const struct cal_event *series, int64_t day,
                       struct cal_event *ret)
{
    const struct tz *tz = series->zone ? tz_find(series->zone) : NULL;
    tz = tz ? tz : at->cal.tz;
    int64_t us = day * US_PER_DAY;
    if (series->form != EVENT_SERIES || !ocal_shows(series))
        return 0;
    if (!series->all_day) {
        int64_t s = series->start_us / US_PER_SECOND - (series->start_us % US_PER_SECOND < 0);
        int64_t local = s + tz_offset(tz, s);
        int64_t clock = local - local / SECONDS_PER_DAY * SECONDS_PER_DAY;
        clock += clock < 0 ? SECONDS_PER_DAY : 0;
        us = tz_to_utc(tz, day * SECONDS_PER_DAY + clock) * US_PER_SECOND;
    }
    return cal_event_instance(&at->c->tx, &at->cal, series, series->all_day, us, ret);
}

int ocal_event(struct ocal_at *at, enum cal_role need, struct cal_event *ret)
{
    struct record row;
    return ocal_event_row(at, need, &row, ret);
}

int ocal_event_row(struct ocal_at *at, enum cal_role need, struct record *row,
                   struct cal_event *ret)
{
    struct call *c = at->c;
    const char *id = param_str(c, "event-id");
    const bool one_calendar = param_str(c, "calendar-id") != NULL;
    const int64_t calendar = at->cal.id;
    struct graph_item item;
    int r = graph_item_read(&at->store, id ? id : "", &item);
    if (r < 0 || (r == 1 && item.folder != STORE_EVENTS))
        return graph_bad_id(c);
    *row = (struct record){.arena = c->tx.arena};
    if (r == 1)
        r = cal_event_row_get(&c->tx, item.item, row, ret);
    if (r == 1 && ret->calendar != calendar)
        r = calendar_by_id(&c->tx, ret->calendar, &at->cal);
    if (r == 1 && (!is_theirs(at, &at->cal) || (one_calendar && at->cal.id != calendar)))
        r = 0;
    if (r == 1 && ocal_may(at, need, &at->cal) < 0)
        return -1;
    if (r == 1 && item.occurrence) {
        struct cal_event series = *ret;
        row->data = NULL;
        r = find_on_day(at, &series, item.day, ret);
    }
    if (r == 1 && !ocal_shows(ret))
        r = 0;
    if (r < 1)
        return r < 0 ? -1 : graph_not_found(c);
    if (at->cal.role >= CAL_READ && cal_event_concealed(&at->cal, ret))
        return graph_not_found(c); /* it is in lists alone (MG-1262) */
    return cal_event_load_attendees(&c->tx, ret);
}

/* ---- attachments ---- */

int ocal_any_attachments(struct ocal_at *at)
{
    static struct sql_text q = SQL_TEXT("select 1 from ocal_attachment limit 1");
    static struct record_text table = RECORD_TEXT("ocal_attachment", "id");
    if (!at->attached && record_none(at->c->tx.db, &table))
        at->attached = -1;
    sqlite3_stmt *st = at->attached ? NULL : TX_PLAIN(&at->c->tx, &q);
    if (at->attached)
        return at->attached > 0;
    int r = TX_ANY(&at->c->tx, st);
    at->attached = r == 1 ? 1 : -1;
    return r;
}

/* ---- options ---- */

int ocal_options(struct call *c, const char *type, struct odata_query *ret)
{
    static const struct odata_rules rules = {.max_top = OCAL_MAX_PAGE};
    struct arena *a = c->tx.arena;
    struct odata_pair *pairs = arena_calloc(a, c->n_items + 1, sizeof *pairs);
    const char *message = NULL;
    size_t n = 0;
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_QUERY)
            pairs[n++] = (struct odata_pair){c->items[i].name, c->items[i].text};
    if (odata_parse(a, edm_type_find(type, strlen(type)), &rules, pairs, n, ret, &message,
                    c->tx.err) < 0)
        return -1;
    if (ret->search)
        return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "The query parameter '$search' is not supported.");
    return ocal_is_basic(c) ? graph_check_basic(c, ret) : 0;
}

int ocal_select(struct call *c, const struct odata_query *q, bool list)
{
    const unsigned keep = ODATA_KEEP_ID | ODATA_KEEP_ETAG;
    const struct json_mask *mask = NULL;
    int r = list ? odata_mask_list(c->tx.arena, q, keep, &mask, c->tx.err)
                 : odata_mask(c->tx.arena, q, keep, &mask, c->tx.err);
    if (r == 0 && mask)
        c->out->level[0].mask = mask;
    return r;
}

int ocal_answer_count(struct call *c, size_t n)
{
    buf_clear(c->body_out);
    buf_u64(c->body_out, n);
    call_header_const(c, "Content-Type", "text/plain");
    return 0;
}

/* A time without an offset is in UTC (MG-62). */
static int read_instant(struct call *c, const char *name, int64_t *ret)
{
    const char *text = param_str(c, name);
    struct stamp s;
    int64_t days;
    if (!text)
        text = graph_option(c, name);
    if (!text)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidParameter", NULL,
                         "This request requires a time window specified by the query string "
                         "parameters StartDateTime and EndDateTime.");
    size_t n = strlen(text);
    /* A '+' that was not encoded has become a space. */
    char *copy = arena_strdup(c->tx.arena, text);
    if (!arena_failed(c->tx.arena) && n > 6 && copy[n - 6] == ' ')
        copy[n - 6] = '+';
    if (stamp_parse(copy, n, true, &s) == 0)
        *ret = s.local_us - s.offset * US_PER_SECOND;
    else if (date_parse(copy, n, &days) == 0)
        *ret = days * US_PER_DAY;
    else
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidParameter", NULL,
                         "The value '%.100s' of parameter '%s' is invalid.", text, name);
    return 0;
}

int ocal_window(struct call *c, int64_t *ret_min, int64_t *ret_max)
{
    if (read_instant(c, "startDateTime", ret_min) < 0 ||
        read_instant(c, "endDateTime", ret_max) < 0)
        return -1;
    if (*ret_max < *ret_min)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidParameter", NULL,
                         "The value of the parameter EndDateTime must be later than that of "
                         "StartDateTime.");
    if (*ret_max - *ret_min > 1825 * US_PER_DAY)
        return call_fail(c, SOSIA_E_INVALID, "ErrorCalendarViewRangeTooBig", NULL,
                         "Your request can't be completed. The range between the start and end "
                         "dates is greater than the allowed range. Maximum number of days: 1825");
    return 0;
}
