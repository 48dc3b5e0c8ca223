/* SPDX-License-Identifier: Apache-2.0 */
/* When calendars and groups of them are busy. An error of one is in its place. */
#include "services/calendar/core/freebusy.h"
#include "engine/base/map.h"
#include "identity/account.h"
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/scopes.h"

#define MAX_CALENDARS 50
#define MAX_GROUP     100
#define MAX_SPAN      (93 * US_PER_DAY)

struct query {
    struct call *c;
    int64_t min_us, max_us;
    const struct tz *tz;
    int64_t max_calendars, max_group;
    const char **asked; /* ids of calendars, in order */
    size_t n, cap;
    struct map seen; /* by id, also of groups */
};

static void write_error(struct json_writer *w, const char *domain, const char *reason)
{
    json_arr(w, "errors");
    json_obj(w, NULL);
    json_str(w, "domain", domain);
    json_str(w, "reason", reason);
    json_end(w);
    json_end(w);
}

static void write_stamp(struct query *q, const char *key, int64_t us)
{
    char text[STAMP_TEXT];
    int64_t s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
    stamp_format(text, us, tz_offset(q->tz, s), 0, true);
    json_str(q->c->out, key, text);
}

/* The calendar of somebody with another vendor, to whose address the id leads: if that one's domain
 * shows its people's time to the caller's. 1, 0, -1. */
static int open_foreign(struct query *q, const char *id, struct calendar *ret)
{
    struct tx *tx = &q->c->tx;
    struct account seeing, seen;
    int several = q->c->actor.id ? cal_vendors_meet(tx) : 0;
    int r = several == 1 ? calendar_by_address(tx, id, ret) : several;
    if (r != 1 || ret->vendor == &gcal_vendor)
        return r < 0 ? -1 : 0;
    r = account_at(tx, q->c->actor.id, gcal_vendor.name, ACCOUNT_CALENDAR, &seeing);
    if (r == 1)
        r = account_get(tx, ret->account, &seen);
    return r == 1 ? account_sees_busy(tx, &seeing, q->c->actor.email, &seen, ret->address) : r;
}

/* 1, 0: nobody has it, or the caller may not see it; -1. */
static int open_busy(struct query *q, const char *id, struct calendar *ret)
{
    if (gcal_open_key(q->c, id, CAL_FREEBUSY, ret) == 0)
        return 1;
    if (q->c->tx.err->code != SOSIA_E_NOT_FOUND && q->c->tx.err->code != SOSIA_E_FORBIDDEN)
        return -1;
    return open_foreign(q, id, ret);
}

static int write_busy_calendar(struct query *q, const char *id)
{
    struct json_writer *w = q->c->out;
    struct calendar cal;
    struct busy *busy = NULL;
    size_t n = 0;
    json_obj(w, id);
    int r = open_busy(q, id, &cal);
    if (r < 0)
        return -1;
    if (!r) {
        write_error(w, "global", "notFound");
    } else if (freebusy_list(&q->c->tx, &cal, q->min_us, q->max_us, &busy, &n) < 0) {
        if (q->c->tx.err->code != SOSIA_E_LIMIT)
            return -1;
        write_error(w, "global", "internalError");
    }
    json_arr(w, "busy");
    for (size_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        write_stamp(q, "start", busy[i].start_us);
        write_stamp(q, "end", busy[i].end_us);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    return 0;
}

/* ---- groups ---- */

/* What is asked for twice is answered once. */
static int ask(struct query *q, const char *id)
{
    if (map_get(&q->seen, id))
        return 0;
    q->asked = arena_grow(q->c->tx.arena, q->asked, q->n, &q->cap, sizeof *q->asked);
    if (!q->asked || map_set(&q->seen, id, q) < 0)
        return sosia_fail_memory(q->c->tx.err);
    q->asked[q->n++] = id;
    return 0;
}

struct members {
    struct query *q;
    const char *list[MAX_GROUP];
    int64_t n;
};

static int member(void *arg, const char *email)
{
    struct members *m = arg;
    if (m->n < MAX_GROUP)
        m->list[m->n] = email;
    m->n++;
    return 0;
}

/* 1: the id is a group, which is written; 0. */
static int write_group(struct query *q, const char *id, bool *open)
{
    struct json_writer *w = q->c->out;
    struct group group;
    struct members m = {.q = q};
    /* With an API key alone: the members of a group are not public. */
    int r = q->c->actor.id ? group_by_email(&q->c->tx, id, &group) : 0;
    if (r != 1)
        return r;
    if (group_each_member(&q->c->tx, group.id, member, &m) < 0)
        return -1;
    if (map_set(&q->seen, id, q) < 0)
        return sosia_fail_memory(q->c->tx.err);
    if (!*open)
        json_obj(w, "groups");
    *open = true;
    json_obj(w, id);
    if (m.n > q->max_group) {
        write_error(w, "calendar", "groupTooBig");
    } else {
        json_arr(w, "calendars");
        for (int64_t i = 0; i < m.n; i++) {
            json_str(w, NULL, m.list[i]);
            if (ask(q, m.list[i]) < 0)
                return -1;
        }
        json_end(w);
    }
    json_end(w);
    return 1;
}

/* ---- the request ---- */

static int read_stamp(struct call *c, const struct json *body, const char *name, int64_t *ret)
{
    const struct json *v = json_get(body, name);
    struct stamp s;
    if (!v || v->type == JSON_NULL)
        return call_fail(c, SOSIA_E_INVALID, "required", NULL, "Missing %s parameter.", name);
    if (stamp_parse(v->str, v->n, false, &s) < 0)
        return gcal_mute(c, name, v, "a date and time with an offset");
    *ret = s.local_us - s.offset * US_PER_SECOND;
    return 0;
}

static int64_t read_max(const struct json *body, const char *name, int64_t most)
{
    json_i64(json_get(body, name), &most);
    return most;
}

static int read_busy_query(struct call *c, const struct json *body, struct query *q)
{
    const char *zone = json_get_str(body, "timeZone");
    *q = (struct query){.c = c,
                        .tz = tz_find(zone ? zone : "UTC"),
                        .max_calendars = read_max(body, "calendarExpansionMax", MAX_CALENDARS),
                        .max_group = read_max(body, "groupExpansionMax", MAX_GROUP)};
    if (read_stamp(c, body, "timeMin", &q->min_us) < 0 ||
        read_stamp(c, body, "timeMax", &q->max_us) < 0)
        return -1;
    if (!q->tz)
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
    if (q->max_us <= q->min_us)
        return call_fail(c, SOSIA_E_INVALID, "timeRangeEmpty", "timeMax",
                         "The specified time range is empty.");
    if (q->max_us - q->min_us > MAX_SPAN)
        return call_fail(c, SOSIA_E_INVALID, "timeRangeTooLong", "timeMax",
                         "The requested time range is too long.");
    return 0;
}

/* The groups, and what calendars there are to look at. */
static int write_groups(struct query *q, const struct json *items)
{
    bool open = false;
    for (uint32_t i = 0; items && i < items->n; i++) {
        const char *id = json_get_str(&items->items[i], "id");
        if (!id)
            return gcal_mute(q->c, "items[].id", &items->items[i], "there");
        if (map_get(&q->seen, id))
            continue;
        int r = strchr(id, '@') ? write_group(q, id, &open) : 0;
        if (r < 0 || (!r && ask(q, id) < 0))
            return -1;
    }
    if (open)
        json_end(q->c->out);
    return 0;
}

/* Those that are more than may be asked for say so. */
static int write_calendars(struct query *q)
{
    struct json_writer *w = q->c->out;
    json_obj(w, "calendars");
    for (size_t i = 0; i < q->n; i++) {
        if ((int64_t)i < q->max_calendars) {
            if (write_busy_calendar(q, q->asked[i]) < 0)
                return -1;
            continue;
        }
        json_obj(w, q->asked[i]);
        write_error(w, "calendar", "tooManyCalendarsRequested");
        json_arr(w, "busy");
        json_end(w);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    return 0;
}

static int freebusy_query(struct call *c)
{
    struct query q;
    struct json_writer *w = c->out;
    const struct json *body;
    if (gcal_user(c) < 0 || !(body = call_body(c)) || read_busy_query(c, body, &q) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "kind", "calendar#freeBusy");
    json_time(w, "timeMin", q.min_us, JSON_TIME_MS_Z);
    json_time(w, "timeMax", q.max_us, JSON_TIME_MS_Z);
    map_init(&q.seen);
    int rc = write_groups(&q, json_get(body, "items"));
    map_done(&q.seen);
    return rc < 0 ? -1 : write_calendars(&q);
}

/* ---- rows ---- */

static const struct route methods[] = {
    {.id = "calendar.freebusy.query",
     .verbs = POST,
     .paths = PATHS("/calendar/v3/freeBusy"),
     .handler = freebusy_query,
     .anonymous = true, /* of public calendars, with an API key */
     .risk = RISK_READ,
     .body = BODY_JSON,
     .scopes = CALENDAR " " EVENTS_FREEBUSY " " FREEBUSY " " READONLY,
     .request = "FreeBusyRequest",
     .response = "FreeBusyResponse",
     .summary = "When calendars are busy"},
};

const struct rows gcal_freebusy = ROWS(methods);
