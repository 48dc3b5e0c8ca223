/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendars in the form of seed documents: sections of dumps and entities of diffs. What follows
 * from something else is left out: primary calendars with their defaults, guests' copies as they
 * were made, instances as in their series.
 */
#include "engine/world/ids.h"
#include "engine/base/codec.h"
#include "identity/account.h"
#include "identity/app.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/vendor.h"
#include "services/calendar/core/event/series.h"

/* An organizer's event, a single one, or an instance that came without its series; without its
 * instances. */
static int write_event(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                       struct cal_event *ev)
{
    struct cal_event base = {.uid = cal->vendor->uid(tx, cal_event_series_key(tx, ev)),
                             .start_us = INT64_MIN,
                             .reminders = ev->all_day ? cal->vendor->day_reminders : NULL,
                             .reminder_on = cal->vendor->reminds,
                             .reminder_minutes = cal->vendor->reminder_minutes};
    struct cal_event_at at = {.cal = cal};
    if (cal_event_load_attendees(tx, ev) < 0)
        return -1;
    return form_write(&(struct form_out){tx, w, &base, &at}, &cal_event_form, ev) < 0 ? -1 : 1;
}

/* What a changed instance has otherwise than its series; 0: nothing. */
static int write_instance(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                          struct cal_event *ev)
{
    struct cal_event series, base;
    int r = cal_event_by_id(tx, ev->master, &series);
    if (r != 1)
        return r;
    r = series_instance(tx, cal, &series, ev->original_us, &base);
    if (r != 1)
        return r;
    if (cal_event_load_attendees(tx, ev) < 0 || cal_event_load_attendees(tx, &base) < 0)
        return -1;
    unsigned personal = PART_SEQUENCE | PART_RESPONSE;
    if (!(cal_event_compare(ev, &base) & ~personal) && ev->sequence == base.sequence)
        return 0;
    cal_dump_time(w, "originalStart", base.all_day, cal_event_tz(cal, &base), ev->original_us);
    if (ev->status == EVENT_CANCELLED) {
        json_str(w, "status", "cancelled");
        return 1;
    }
    struct cal_event_at at = {.cal = cal};
    return form_write(&(struct form_out){tx, w, &base, &at}, &cal_shared_form, ev) < 0 ? -1 : 1;
}

/* What a guest's copy has otherwise than it came; 0: nothing. */
static int write_copy(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                      struct cal_event *ev)
{
    struct cal_event base;
    struct calendar leader;
    int r =
        ev->status == EVENT_CANCELLED && !ev->removed ? 0 : cal_event_by_id(tx, ev->origin, &base);
    if (r == 1 && ev->removed) {
        if (base.status == EVENT_CANCELLED) /* there is nothing to take away any more */
            return 0;
        json_str(w, "id", ev->key);
        json_bool(w, "removed", true);
        return 1;
    }
    if (r == 1)
        r = calendar_by_id(tx, base.calendar, &leader);
    if (r != 1)
        return r;
    base.color = base.own_props = NULL;
    base.reminders = base.all_day ? cal->vendor->day_reminders : NULL;
    base.busy = cal_copy_busy(cal->vendor, &base, ev->response);
    base.categories = NULL;
    base.reminder_on = cal->vendor->reminds;
    base.reminder_minutes = cal->vendor->reminder_minutes;
    if (ev->master && cal->vendor->reminds) { /* it came with what its series has */
        struct cal_event series;
        if ((r = cal_event_by_id(tx, ev->master, &series)) != 1)
            return r;
        base.categories = series.categories;
        base.reminder_on = series.reminder_on;
        base.reminder_minutes = series.reminder_minutes;
    }
    if (cal->vendor != leader.vendor)
        base.extra = NULL;
    if (!base.zone && !base.all_day)
        base.zone = leader.zone;
    base.attendees = ev->attendees;
    base.n_attendees = ev->n_attendees;
    base.organizer = ev->organizer;
    base.response = ev->response;
    if (!cal_event_compare(ev, &base))
        return 0;
    base.rights = ev->rights; /* the organizer's */
    json_str(w, "id", ev->key);
    struct cal_event_at at = {.cal = cal};
    return form_write(&(struct form_out){tx, w, &base, &at}, &cal_shared_form, ev) < 0 ? -1 : 1;
}

static int event_of_row(struct tx *tx, int64_t rowid, struct cal_event *ev, struct calendar *cal)
{
    int r = cal_event_by_id(tx, rowid, ev);
    if (r == 1)
        r = calendar_by_id(tx, ev->calendar, cal);
    return r;
}

static int event_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct cal_event ev;
    struct calendar cal;
    int r = event_of_row(tx, rowid, &ev, &cal);
    if (r != 1)
        return r;
    if (ev.origin)
        return write_copy(tx, w, &cal, &ev);
    if (ev.form == EVENT_INSTANCE && ev.master)
        return write_instance(tx, w, &cal, &ev);
    return ev.status == EVENT_CANCELLED ? 0 : write_event(tx, w, &cal, &ev);
}

static int event_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct calendar cal;
    const char *key;
    int64_t calendar;
    int r = cal_event_key_of(tx, rowid, &key, &calendar);
    if (r == 1)
        r = calendar_by_id(tx, calendar, &cal);
    if (r == 1) {
        json_str(w, "calendar", cal.key);
        json_str(w, "id", key);
    }
    return r < 0 ? -1 : 0;
}

/* ---- calendars ---- */

static const char *default_summary(const struct calendar *cal, const struct actor *owner)
{
    return strcmp(owner->kind, "resource") == 0 ? owner->name : cal->address;
}

/* Whether the owner's address leads to its account, as mostly: said without reading calendars. 1;
 * 0: it may; -1. */
static int is_led_to(struct tx *tx, const struct calendar *cal, const struct actor *owner)
{
    struct account account;
    int several = cal->main ? cal_vendors_meet(tx) : 0;
    int r = several == 1 ? account_serving(tx, owner, ACCOUNT_CALENDAR, &account) : several;
    return several == 1 && r == 1 ? account.id == cal->account : r < 0 ? -1 : 0;
}

/* Whose it is, unless its key says so, and the vendor of one that is not of the account to which
 * the owner's address leads. */
static int write_owner(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                       const struct actor *owner)
{
    const bool said = cal->vendor->address_keys && strcmp(cal->key, owner->email) == 0;
    struct calendar first;
    if (!cal->main || !said)
        json_str(w, "owner", owner->email);
    /* an id that is an address is its calendar by itself only where all are found so */
    if (cal->main && !said)
        json_bool(w, "primary", true);
    int led = cal->account ? is_led_to(tx, cal, owner) : 1;
    int r = led ? led : calendar_of(tx, owner->id, &first);
    if (!led && r == 1 && first.account != cal->account)
        json_str(w, "vendor", cal->vendor->name);
    return r < 0 ? -1 : 0;
}

static int group_dump(struct tx *tx, const struct calendar *cal, struct json_writer *w)
{
    const struct calendar base = {.zone = "UTC"};
    json_str(w, "id", cal->key);
    json_str(w, "group", cal->key);
    json_str(w, "vendor", cal->vendor->name);
    return form_write(&(struct form_out){tx, w, &base}, &calendar_form, cal) < 0 ? -1 : 1;
}

static int calendar_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct calendar cal;
    struct actor owner;
    int r = calendar_by_id(tx, rowid, &cal);
    if (r == 1 && calendar_is_groups(&cal))
        return cal.gone ? 0 : group_dump(tx, &cal, w);
    if (r == 1)
        r = cal.gone ? 0 : actor_by_id(tx, cal.owner, &owner);
    if (r != 1)
        return r;
    struct calendar base = {.zone = owner.zone};
    if (cal.main)
        base.summary = default_summary(&cal, &owner);
    json_str(w, "id", cal.key);
    if (write_owner(tx, w, &cal, &owner) < 0)
        return -1;
    return form_write(&(struct form_out){tx, w, &base}, &calendar_form, &cal) < 0 ? -1 : 1;
}

static int calendar_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct calendar cal;
    int r = calendar_by_id(tx, rowid, &cal);
    if (r == 1)
        json_str(w, "id", cal.key);
    return r < 0 ? -1 : 0;
}

/* ---- access ---- */

static int access_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct cal_access rule;
    int64_t calendar;
    int r = cal_access_by_id(tx, rowid, &calendar, &rule);
    if (r != 1 || !rule.role)
        return r < 0 ? -1 : 0;
    return form_write(&(struct form_out){tx, w}, &cal_access_form, &rule) < 0 ? -1 : 1;
}

static int access_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct cal_access rule;
    struct calendar cal;
    int64_t calendar;
    int r = cal_access_by_id(tx, rowid, &calendar, &rule);
    if (r == 1)
        r = calendar_by_id(tx, calendar, &cal);
    if (r == 1) {
        json_str(w, "calendar", cal.key);
        cal_dump_who(w, &rule);
    }
    return r < 0 ? -1 : 0;
}

/* ---- in whose terms ---- */

static int vendor_of(struct tx *tx, int64_t calendar, const char **ret)
{
    struct calendar cal;
    int r = calendar_by_id(tx, calendar, &cal);
    if (r == 1)
        *ret = cal.vendor->name;
    return r;
}

static int event_vendor(struct tx *tx, int64_t rowid, const char **ret)
{
    const char *key;
    int64_t calendar;
    int r = cal_event_key_of(tx, rowid, &key, &calendar);
    return r == 1 ? vendor_of(tx, calendar, ret) : r;
}

static int access_vendor(struct tx *tx, int64_t rowid, const char **ret)
{
    struct cal_access rule;
    int64_t calendar;
    int r = cal_access_by_id(tx, rowid, &calendar, &rule);
    return r == 1 ? vendor_of(tx, calendar, ret) : r;
}

static const struct entity_part event_parts[] = {
    {"cal_attendee", ENTITY_OWNER("select event from cal_attendee where rowid = ?1")},
    {0},
};

const struct entity calendar_entities[CALENDAR_ENTITIES] = {
    {.name = "calendar",
     .table = "cal_calendar",
     .key = calendar_key,
     .dump = calendar_dump,
     .vendor = vendor_of},
    {.name = "calendarAccess",
     .table = "cal_access",
     .key = access_key,
     .dump = access_dump,
     .vendor = access_vendor},
    {.name = "event",
     .table = "cal_event",
     .key = event_key,
     .dump = event_dump,
     .plain = event_plain,
     .parts = event_parts,
     .vendor = event_vendor},
};

/* ---- sections ---- */

int cal_dump_ids(struct tx *tx, struct sql_text *q, int64_t param, int64_t **ret, size_t *ret_n)
{
    sqlite3_stmt *st = TX_PLAIN(tx, q);
    if (st && sqlite3_bind_parameter_count(st))
        sql_bind_int(st, 1, param);
    return ids_all(tx, st, ret, ret_n);
}

/* The writer can't take back an object that turns out empty, so each is written into a buffer of
 * its own. */
int cal_dump_list(struct tx *tx, struct json_writer *w, const char *member, const int64_t *ids,
                  size_t n, int (*one)(struct tx *tx, int64_t rowid, struct json_writer *w),
                  bool *ret_any)
{
    struct buf b;
    int r = 0;
    bool open = false;
    buf_init(&b, 0);
    for (size_t i = 0; r >= 0 && i < n; i++) {
        struct json_writer item;
        buf_clear(&b);
        json_init(&item, &b, false, NULL);
        json_obj(&item, NULL);
        r = one(tx, ids[i], &item);
        json_end(&item);
        if (r != 1)
            continue;
        if (!open)
            json_arr(w, member);
        open = true;
        json_raw(w, NULL, b.data, b.len);
    }
    if (open)
        json_end(w);
    if (buf_failed(&b))
        r = sosia_fail_memory(tx->err);
    buf_done(&b);
    *ret_any |= open;
    return r < 0 ? -1 : 0;
}

static int event_with_instances(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from cal_event where master = :series order by original_us");
    int64_t *ids;
    size_t n;
    bool any = false;
    int r = event_dump(tx, rowid, w);
    if (r != 1)
        return r;
    if (cal_dump_ids(tx, &q, rowid, &ids, &n) < 0 ||
        cal_dump_list(tx, w, "instances", ids, n, event_dump, &any) < 0)
        return -1;
    return 1;
}

/* A calendar with all that belongs to it; 0: it has defaults alone. */
static int calendar_with_all(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q_access = SQL_TEXT(
        "select id from cal_access where calendar = :calendar and role > 0 order by kind, who");
    static struct sql_text q_events =
        SQL_TEXT("select id from cal_event where calendar = :calendar and origin is null "
                 "and master is null and status <> 2 order by start_us, key");
    static struct sql_text q_copies = SQL_TEXT(
        "select id from cal_event where calendar = :calendar and origin is not null order by key");
    static const struct {
        const char *member;
        struct sql_text *q;
        int (*one)(struct tx *tx, int64_t rowid, struct json_writer *w);
    } parts[] = {
        {"access", &q_access, access_dump},
        {"lists", NULL, NULL},
        {"events", &q_events, event_with_instances},
        {"copies", &q_copies, event_dump},
    };
    struct calendar cal;
    struct actor owner;
    const struct cal_lists *lists = cal_lists_of(tx);
    int r = calendar_by_id(tx, rowid, &cal);
    if (r == 1 && calendar_is_made(&cal)) { /* all that is stored of it */
        bool written = false;
        json_str(w, "id", cal.key);
        return lists && lists->dump(tx, rowid, w, &written) < 0 ? -1 : written;
    }
    if (r == 1 && !calendar_is_groups(&cal))
        r = actor_by_id(tx, cal.owner, &owner);
    if (r == 1)
        r = calendar_dump(tx, rowid, w);
    if (r != 1)
        return r;
    bool any = !cal.main || cal.description || cal.location || cal.extra ||
               strcmp(cal.zone, owner.zone) != 0 ||
               strcmp(cal.summary, default_summary(&cal, &owner)) != 0;
    for (size_t i = 0; i < SOSIA_LEN(parts); i++) {
        int64_t *ids;
        size_t n;
        if (!parts[i].q) { /* in the place that it has in documents */
            if (lists && lists->dump(tx, rowid, w, &any) < 0)
                return -1;
            continue;
        }
        if (cal_dump_ids(tx, parts[i].q, rowid, &ids, &n) < 0 ||
            cal_dump_list(tx, w, parts[i].member, ids, n, parts[i].one, &any) < 0)
            return -1;
    }
    return any;
}

/* Those with rows by key, then those without that are on a list. */
int calendars_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select id from cal_calendar where gone = 0 order by key");
    const struct cal_lists *lists = cal_lists_of(tx);
    int64_t *ids, *made = NULL, *all;
    size_t n, n_made = 0;
    bool any = false;
    if (cal_dump_ids(tx, &q, 0, &ids, &n) < 0 || (lists && lists->made(tx, &made, &n_made) < 0))
        return -1;
    all = arena_alloc(tx->arena, (n + n_made + 1) * sizeof *all);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (n)
        memcpy(all, ids, n * sizeof *all);
    if (n_made)
        memcpy(all + n, made, n_made * sizeof *all);
    return cal_dump_list(tx, w, "calendars", all, n + n_made, calendar_with_all, &any);
}
