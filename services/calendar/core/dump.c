/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendars in the form of seed documents: sections of dumps and entities of diffs. What follows
 * from something else is left out: primary calendars with their defaults, guests' copies as they
 * were made, instances as in their series.
 */
#include "engine/base/codec.h"
#include "identity/app.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/vendor.h"
#include "services/calendar/core/event/series.h"

static void write_text(struct json_writer *w, const char *member, const char *text,
                       const char *base)
{
    if (!str_same(text, base))
        json_str(w, member, text ? text : "");
}

static void write_object(struct json_writer *w, const char *member, const char *text,
                         const char *base)
{
    if (str_same(text, base))
        return;
    if (text)
        json_raw(w, member, text, strlen(text));
    else {
        json_obj(w, member);
        json_end(w);
    }
}

/* ---- events ---- */

static void write_time(struct tx *tx, struct json_writer *w, const char *member, bool all_day,
                       const struct tz *tz, int64_t us)
{
    char text[STAMP_TEXT];
    int64_t s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
    if (all_day) {
        date_format(text, us / US_PER_DAY - (us % US_PER_DAY < 0));
    } else {
        int32_t offset = tz_offset(tz, s);
        /* The offset is written only where the local time alone means another instant. */
        bool plain = tz_to_utc(tz, s + offset) == s;
        stamp_format(text, plain ? us + offset * US_PER_SECOND : us, plain ? 0 : offset, 0, false);
        if (plain)
            text[19] = 0;
        if (strcmp(text + 16, ":00") == 0)
            text[16] = 0;
    }
    json_str(w, member, text);
    (void)tx;
}

static void write_times(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                        const struct cal_event *ev)
{
    const struct tz *tz = ev->zone && tz_find(ev->zone) ? tz_find(ev->zone) : cal->tz;
    const struct tz *end_tz = ev->end_zone && tz_find(ev->end_zone) ? tz_find(ev->end_zone) : tz;
    write_time(tx, w, "start", ev->all_day, tz, ev->start_us);
    write_time(tx, w, "end", ev->all_day, end_tz, event_end(ev));
}

static bool same_guest(const struct cal_attendee *a, const struct cal_attendee *b)
{
    return strcmp(a->email, b->email) == 0 && str_same(a->name, b->name) &&
           str_same(a->comment, b->comment) && a->response == b->response &&
           a->optional == b->optional && a->resource == b->resource && a->guests == b->guests;
}

static bool same_guests(const struct cal_event *a, const struct cal_event *b)
{
    if (a->n_attendees != b->n_attendees)
        return false;
    for (int i = 0; i < a->n_attendees; i++)
        if (!same_guest(&a->attendees[i], &b->attendees[i]))
            return false;
    return true;
}

static void write_attendees(struct json_writer *w, const struct cal_event *ev)
{
    static const char *const responses[] = SEED_RESPONSE;
    json_arr(w, "attendees");
    for (int i = 0; i < ev->n_attendees; i++) {
        const struct cal_attendee *a = &ev->attendees[i];
        json_obj(w, NULL);
        json_str(w, "email", a->email);
        json_str_opt(w, "name", a->name);
        if (a->response != RESPONSE_NONE)
            json_str(w, "response", responses[a->response]);
        json_bool_opt(w, "optional", a->optional);
        json_bool_opt(w, "resource", a->resource);
        if (a->guests)
            json_int(w, "guests", a->guests);
        json_str_opt(w, "comment", a->comment);
        json_end(w);
    }
    json_end(w);
}

static void write_rights(struct json_writer *w, unsigned rights)
{
    static const char *const names[] = SEED_RIGHTS;
    json_arr(w, "rights");
    for (unsigned i = 0; names[i]; i++)
        if (rights >> i & 1)
            json_str(w, NULL, names[i]);
    json_end(w);
}

static void write_reminders(struct json_writer *w, const struct cal_event *ev,
                            const struct cal_event *base)
{
    /* An event that becomes all-day, or timed, has the default of that kind unless it has its
     * own. */
    const char *was = ev->all_day == base->all_day ? base->reminders : ev->all_day ? "[]" : NULL;
    if (str_same(ev->reminders, was))
        return;
    if (ev->reminders)
        json_raw(w, "reminders", ev->reminders, strlen(ev->reminders));
    else
        json_str(w, "reminders", "default");
}

/* The members in which ev differs from base. guests: theirs are compared, they are loaded in
 * both. */
static void write_fields(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                         const struct cal_event *ev, const struct cal_event *base, bool guests)
{
    static const char *const statuses[] = SEED_STATUS;
    static const char *const visibilities[] = SEED_VISIBILITY;
    write_text(w, "summary", ev->summary, base->summary);
    if (ev->start_us != base->start_us || ev->len_us != base->len_us ||
        ev->all_day != base->all_day)
        write_times(tx, w, cal, ev);
    write_text(w, "zone", ev->zone, base->zone);
    write_text(w, "endZone", ev->end_zone, base->end_zone);
    write_text(w, "description", ev->description, base->description);
    write_text(w, "location", ev->location, base->location);
    write_text(w, "color", ev->color, base->color);
    if (ev->status != base->status)
        json_str(w, "status", statuses[ev->status]);
    if (ev->visibility != base->visibility)
        json_str(w, "visibility", visibilities[ev->visibility]);
    if ((ev->busy == BUSY_FREE) != (base->busy == BUSY_FREE))
        json_bool(w, "free", ev->busy == BUSY_FREE);
    if (ev->sequence != base->sequence)
        json_int(w, "sequence", ev->sequence);
    if (guests && ev->rights != base->rights)
        write_rights(w, ev->rights);
    if (guests && !same_guests(ev, base))
        write_attendees(w, ev);
    write_reminders(w, ev, base);
    write_object(w, "ownProperties", ev->own_props, base->own_props);
    write_object(w, "properties", ev->props, base->props);
    write_object(w, "extra", ev->extra, base->extra);
}

static void write_recurrence(struct tx *tx, struct json_writer *w, const char *lines)
{
    if (!lines)
        return;
    json_arr(w, "recurrence");
    for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n')
        json_strn(w, NULL, p, strcspn(p, "\n"));
    json_end(w);
    (void)tx;
}

/* An organizer's event, a single one, or an instance that came without its series; without its
 * instances. */
static int write_event(struct tx *tx, struct json_writer *w, const struct calendar *cal,
                       struct cal_event *ev)
{
    static const char *const kinds[] = SEED_KIND;
    struct cal_event base = {.start_us = INT64_MIN, .reminders = ev->all_day ? "[]" : NULL};
    if (cal_event_load_attendees(tx, ev) < 0)
        return -1;
    json_str(w, "id", ev->key);
    if (strcmp(ev->uid, cal->vendor->uid(tx, cal_event_series_key(tx, ev))) != 0)
        json_str(w, "uid", ev->uid);
    if (ev->form == EVENT_INSTANCE)
        write_time(tx, w, "originalStart", ev->original_day,
                   ev->zone && tz_find(ev->zone) ? tz_find(ev->zone) : cal->tz, ev->original_us);
    if (ev->kind)
        json_str(w, "kind", kinds[ev->kind]);
    write_fields(tx, w, cal, ev, &base, true);
    json_str_opt(w, "creator", ev->creator);
    json_str_opt(w, "organizer", ev->organizer);
    write_recurrence(tx, w, ev->recurrence);
    return 1;
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
    write_time(tx, w, "originalStart", base.all_day,
               base.zone && tz_find(base.zone) ? tz_find(base.zone) : cal->tz, ev->original_us);
    if (ev->status == EVENT_CANCELLED)
        json_str(w, "status", "cancelled");
    else
        write_fields(tx, w, cal, ev, &base, true);
    return 1;
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
    base.busy = BUSY_BUSY;
    if (!base.zone && !base.all_day)
        base.zone = leader.zone;
    base.attendees = ev->attendees;
    base.n_attendees = ev->n_attendees;
    base.organizer = ev->organizer;
    base.response = ev->response;
    if (!cal_event_compare(ev, &base))
        return 0;
    json_str(w, "id", ev->key);
    write_fields(tx, w, cal, ev, &base, false);
    return 1;
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

static const char *default_summary(struct tx *tx, const struct calendar *cal,
                                   const struct actor *owner)
{
    (void)tx;
    return strcmp(owner->kind, "resource") == 0 ? owner->name : cal->address;
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
    json_str(w, "id", cal.key);
    if (!cal.main)
        json_str(w, "owner", owner.email);
    if (!cal.main || strcmp(cal.summary, default_summary(tx, &cal, &owner)) != 0)
        json_str(w, "summary", cal.summary);
    json_str_opt(w, "description", cal.description);
    json_str_opt(w, "location", cal.location);
    if (strcmp(cal.zone, owner.zone) != 0)
        json_str(w, "zone", cal.zone);
    if (app_dump_member(tx, w, "app", cal.app) < 0)
        return -1;
    if (cal.extra)
        json_raw(w, "extra", cal.extra, strlen(cal.extra));
    return 1;
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

static void write_who(struct json_writer *w, const struct cal_access *rule)
{
    static const char *const kinds[] = {NULL, "person", "group", "domain", "public"};
    if (rule->kind == ACCESS_ALL)
        json_bool(w, kinds[ACCESS_ALL], true);
    else
        json_str(w, kinds[rule->kind], rule->who);
}

static int access_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static const char *const roles[] = CAL_ROLE_NAMES;
    struct cal_access rule;
    int64_t calendar;
    int r = access_row(tx, rowid, &calendar, &rule);
    if (r != 1 || !rule.role)
        return r < 0 ? -1 : 0;
    json_str(w, "role", roles[rule.role]);
    write_who(w, &rule);
    return 1;
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
        write_who(w, &rule);
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
    else if (!l.name && !l.color && !l.background && !l.foreground && !l.hidden && l.selected &&
             str_same(l.reminders, base.reminders) && str_same(l.notices, base.notices))
        return 0;
    json_str(w, "person", who.email);
    json_str_opt(w, "name", l.name);
    json_str_opt(w, "color", l.color);
    json_str_opt(w, "background", l.background);
    json_str_opt(w, "foreground", l.foreground);
    json_bool_opt(w, "hidden", l.hidden);
    if (!l.selected)
        json_bool(w, "selected", false);
    if (!str_same(l.reminders, base.reminders))
        json_raw(w, "reminders", l.reminders ? l.reminders : "[]",
                 l.reminders ? strlen(l.reminders) : 2);
    if (!str_same(l.notices, base.notices))
        json_raw(w, "notices", l.notices ? l.notices : "[]", l.notices ? strlen(l.notices) : 2);
    return 1;
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

static const struct entity_part event_parts[] = {
    {"cal_attendee", ENTITY_OWNER("select event from cal_attendee where rowid = ?1")},
    {0},
};

const struct entity calendar_entities[CALENDAR_ENTITIES] = {
    {"calendar", "cal_calendar", calendar_key, calendar_dump, NULL},
    {"calendarAccess", "cal_access", access_key, access_dump, NULL},
    {"calendarListEntry", "cal_listing", listing_key, cal_listing_dump, NULL},
    {"event", "cal_event", event_key, event_dump, event_parts},
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
    if (r == 1 && calendar_is_made(&cal)) { /* all that is stored of it */
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
               strcmp(cal.summary, default_summary(tx, &cal, &owner)) != 0;
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
