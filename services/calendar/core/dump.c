/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendars in the form of seed documents: sections of dumps and entities of diffs. What follows
 * from something else is left out: primary calendars with their defaults, guests' copies as they
 * were made, instances as in their series.
 */
#include "engine/base/codec.h"
#include "identity/app.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/holiday.h"
#include "services/calendar/core/event/series.h"

/* An organizer's event, a single one, or an instance that came without its series; without its
 * instances. */
static int write_event(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                       struct cal_event *ev)
{
    struct cal_event base = {.start_us = INT64_MIN, .reminders = ev->all_day ? "[]" : NULL};
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
    base.reminders = base.all_day ? "[]" : NULL;
    base.free = false;
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
    return strcmp(owner->kind, "resource") == 0 ? owner->name : cal->key;
}

static int calendar_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct calendar cal;
    struct actor owner;
    int r = calendar_by_id(tx, rowid, &cal);
    if (r == 1)
        r = cal.gone ? 0 : actor_by_id(tx, cal.owner, &owner);
    if (r != 1)
        return r;
    struct calendar base = {.zone = owner.zone};
    if (cal.main)
        base.summary = default_summary(&cal, &owner);
    json_str(w, "id", cal.key);
    if (!cal.main)
        json_str(w, "owner", owner.email);
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

static int access_row(struct tx *tx, int64_t rowid, int64_t *ret_calendar, struct cal_access *ret)
{
    static struct sql_text q =
        SQL_TEXT("select calendar, kind, who, role from cal_access where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r == 1) {
        *ret_calendar = sqlite3_column_int64(st, 0);
        *ret = (struct cal_access){
            .id = rowid,
            .kind = (enum cal_access_kind)sqlite3_column_int(st, 1),
            .who = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 2)),
            .role = (enum cal_role)sqlite3_column_int(st, 3)};
        sql_done(st);
    }
    return r;
}

static int access_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct cal_access rule;
    int64_t calendar;
    int r = access_row(tx, rowid, &calendar, &rule);
    if (r != 1 || !rule.role)
        return r < 0 ? -1 : 0;
    return form_write(&(struct form_out){tx, w}, &cal_access_form, &rule) < 0 ? -1 : 1;
}

static int access_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct cal_access rule;
    struct calendar cal;
    int64_t calendar;
    int r = access_row(tx, rowid, &calendar, &rule);
    if (r == 1)
        r = calendar_by_id(tx, calendar, &cal);
    if (r == 1) {
        json_str(w, "calendar", cal.key);
        cal_dump_who(w, &rule);
    }
    return r < 0 ? -1 : 0;
}

/* ---- lists ---- */

static int listing_row(struct tx *tx, int64_t rowid, struct cal_listing *ret, struct actor *ret_who)
{
    static struct sql_text q = SQL_TEXT("select actor, calendar from cal_listing where id = :id");
    struct calendar cal;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    int64_t actor = sqlite3_column_int64(st, 0), calendar = sqlite3_column_int64(st, 1);
    sql_done(st);
    r = actor_by_id(tx, actor, ret_who);
    if (r == 1)
        r = calendar_by_id(tx, calendar, &cal);
    return r == 1 ? cal_listing_find(tx, ret_who, &cal, ret) : r;
}

int cal_listing_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct cal_listing l, base;
    struct actor who;
    int r = listing_row(tx, rowid, &l, &who);
    if (r != 1 || l.gone || l.cal.gone)
        return r < 0 ? -1 : 0;
    cal_listing_default(&l.cal, &base);
    bool own = l.cal.owner == who.id;
    if (!own)
        base.reminders = base.notices = NULL;
    else if (form_same(&cal_listing_form, &l, &base) && str_same(l.reminders, base.reminders) &&
             str_same(l.notices, base.notices))
        return 0;
    json_str(w, "person", who.email);
    return form_write(&(struct form_out){tx, w, &base}, &cal_listing_form, &l) < 0 ? -1 : 1;
}

static int listing_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct cal_listing l;
    struct actor who;
    int r = listing_row(tx, rowid, &l, &who);
    if (r == 1) {
        json_str(w, "person", who.email);
        json_str(w, "calendar", l.cal.key);
    }
    return r < 0 ? -1 : 0;
}

/* ---- settings ---- */

static int setting_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select name, value from cal_setting where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r == 1) {
        json_str(w, (const char *)sqlite3_column_text(st, 0),
                 (const char *)sqlite3_column_text(st, 1));
        sql_done(st);
    }
    return r;
}

static int setting_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select a.email, s.name from cal_setting s "
                                        "join ident_actor a on a.id = s.actor where s.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r == 1) {
        json_str(w, "person", (const char *)sqlite3_column_text(st, 0));
        json_str(w, "setting", (const char *)sqlite3_column_text(st, 1));
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

static const struct entity_part event_parts[] = {
    {"cal_attendee", ENTITY_OWNER("select event from cal_attendee where rowid = ?1")},
    {0},
};

const struct entity calendar_entities[CALENDAR_ENTITIES] = {
    {"calendar", "cal_calendar", calendar_key, calendar_dump, NULL},
    {"calendarAccess", "cal_access", access_key, access_dump, NULL},
    {"calendarListEntry", "cal_listing", listing_key, cal_listing_dump, NULL},
    {"event", "cal_event", event_key, event_dump, event_parts},
    {"calendarSetting", "cal_setting", setting_key, setting_dump, NULL,
     "autoAddHangouts defaultEventLength dateFieldOrder weekStart format24HourTime "
     "hideInvitations hideInvitationsSetting locale remindOnRespondedEventsOnly "
     "showDeclinedEvents timezone useKeyboardShortcuts hideWeekends"},
};

/* ---- sections ---- */

/* Rowids that a query with one parameter gives. */
static int rowids(struct tx *tx, struct sql_text *q, int64_t param, int64_t **ret, size_t *ret_n)
{
    size_t n = 0, cap = 0;
    int64_t *ids = NULL;
    sqlite3_stmt *st = TX_PLAIN(tx, q);
    if (!st)
        return -1;
    if (sqlite3_bind_parameter_count(st))
        sql_bind_int(st, 1, param);
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (!(ids = arena_grow(tx->arena, ids, n, &cap, sizeof *ids))) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        ids[n++] = sqlite3_column_int64(st, 0);
    }
    *ret = ids;
    *ret_n = n;
    return r;
}

/* A member that is a list of what `one` writes for each rowid. The writer can't take back an object
 * that turns out empty, so each is written into a buffer of its own. */
static int write_list(struct tx *tx, struct json_writer *w, const char *member, const int64_t *ids,
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
    if (rowids(tx, &q, rowid, &ids, &n) < 0 ||
        write_list(tx, w, "instances", ids, n, event_dump, &any) < 0)
        return -1;
    return 1;
}

/* A calendar with all that belongs to it; 0: it has defaults alone. */
static int calendar_with_all(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q_access = SQL_TEXT(
        "select id from cal_access where calendar = :calendar and role > 0 order by kind, who");
    static struct sql_text q_lists =
        SQL_TEXT("select l.id from cal_listing l join ident_actor a on a.id = l.actor "
                 "where l.calendar = :calendar and l.gone = 0 order by a.email");
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
        {"lists", &q_lists, cal_listing_dump},
        {"events", &q_events, event_with_instances},
        {"copies", &q_copies, event_dump},
    };
    struct calendar cal;
    struct actor owner;
    int64_t *lists;
    size_t n_lists;
    int r = calendar_by_id(tx, rowid, &cal);
    if (r == 1 && calendar_is_holidays(&cal)) { /* all that is stored of it */
        bool written = false;
        json_str(w, "id", cal.key);
        if (rowids(tx, &q_lists, rowid, &lists, &n_lists) < 0 ||
            write_list(tx, w, "lists", lists, n_lists, cal_listing_dump, &written) < 0)
            return -1;
        return written;
    }
    if (r == 1)
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
        if (rowids(tx, parts[i].q, rowid, &ids, &n) < 0 ||
            write_list(tx, w, parts[i].member, ids, n, parts[i].one, &any) < 0)
            return -1;
    }
    return any;
}

int calendars_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from (select id, key from cal_calendar where gone = 0 union all "
                 "select distinct calendar, '' from cal_listing where calendar < 0 and gone = 0) "
                 "order by id < 0, key, id desc");
    int64_t *ids;
    size_t n;
    bool any = false;
    if (rowids(tx, &q, 0, &ids, &n) < 0)
        return -1;
    return write_list(tx, w, "calendars", ids, n, calendar_with_all, &any);
}

static int person_settings(struct tx *tx, int64_t actor, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from cal_setting where actor = :actor order by name");
    struct actor who;
    int64_t *ids;
    size_t n;
    int r = actor_by_id(tx, actor, &who);
    if (r != 1)
        return r;
    if (rowids(tx, &q, actor, &ids, &n) < 0)
        return -1;
    json_str(w, "person", who.email);
    for (size_t i = 0; i < n; i++)
        if (setting_dump(tx, ids[i], w) < 0)
            return -1;
    return 1;
}

int cal_settings_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select distinct a.id from cal_setting s join ident_actor a on a.id = s.actor "
                 "order by a.email");
    int64_t *ids;
    size_t n;
    bool any = false;
    if (rowids(tx, &q, 0, &ids, &n) < 0)
        return -1;
    return write_list(tx, w, "calendarSettings", ids, n, person_settings, &any);
}
