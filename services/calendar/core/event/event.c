/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of events and of their guests: reading, finding and storing them as they are. */
#include "engine/base/codec.h"
#include "services/calendar/core/holiday.h"
#include "services/calendar/core/event/event_impl.h"
#include "engine/world/event.h"

int64_t cal_event_instant(const struct tz *zone, bool all_day, int64_t us)
{
    return all_day ? tz_to_utc(zone, us / US_PER_SECOND) * US_PER_SECOND : us;
}

const char *cal_event_series_key(struct tx *tx, const struct cal_event *ev)
{
    const char *cut = ev->form == EVENT_INSTANCE ? strrchr(ev->key, '_') : NULL;
    return cut ? arena_memdup(tx->arena, ev->key, (size_t)(cut - ev->key)) : ev->key;
}

/* These two are made for every event that is told: no formatter. */
const char *cal_event_uid(struct tx *tx, const struct cal_event *ev)
{
    static const char domain[] = "@google.com";
    if (ev->uid)
        return ev->uid;
    const char *cut = ev->form == EVENT_INSTANCE ? strrchr(ev->key, '_') : NULL;
    size_t n = cut ? (size_t)(cut - ev->key) : strlen(ev->key);
    char *uid = arena_alloc(tx->arena, n + sizeof domain);
    if (arena_failed(tx->arena))
        return "";
    memcpy(uid, ev->key, n);
    memcpy(uid + n, domain, sizeof domain);
    return uid;
}

const char *cal_event_uid_key(struct tx *tx, const char *uid)
{
    struct buf b;
    buf_init(&b, 0);
    buf_byte(&b, '_');
    base32hex_add(&b, uid, strlen(uid));
    const char *key = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return key;
}

static char *digits(char *p, int v, int n)
{
    for (int i = n - 1; i >= 0; i--, v /= 10)
        p[i] = (char)('0' + v % 10);
    return p + n;
}

const char *cal_event_instance_key(struct tx *tx, const char *series, bool all_day,
                                   int64_t original_us)
{
    struct civil c;
    size_t n = strlen(series);
    char *key = arena_alloc(tx->arena, n + sizeof "_20261123T090000Z"), *p;
    if (arena_failed(tx->arena))
        return "";
    civil_from_seconds(original_us / US_PER_SECOND, &c);
    memcpy(key, series, n);
    p = key + n;
    *p++ = '_';
    p = digits(digits(digits(p, c.year, 4), c.month, 2), c.day, 2);
    if (!all_day) {
        *p++ = 'T';
        p = digits(digits(digits(p, c.hour, 2), c.minute, 2), c.second, 2);
        *p++ = 'Z';
    }
    *p = 0;
    return key;
}

int cal_event_span(const struct cal_event *ev)
{
    int64_t limit = SPAN_FIRST;
    int span = 0;
    if (ev->form == EVENT_SERIES) {
        span = ev->all_day ? SPAN_SERIES_DAYS : SPAN_SERIES;
    } else {
        for (; ev->len_us > limit && span < SPAN_CLASSES - 1; span++)
            limit *= SPAN_FACTOR;
        if (ev->all_day)
            span += SPAN_ALL_DAY;
    }
    return ev->status == EVENT_CANCELLED ? span + SPAN_CANCELLED : span;
}

int cal_event_self(const struct calendar *cal, const struct cal_event *ev)
{
    for (int i = 0; ev->attendees && i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, cal->key) == 0)
            return i;
    return -1;
}

/* ---- reading ---- */

static const char *col(sqlite3_stmt *st, int at)
{
    return (const char *)sqlite3_column_text(st, at);
}

/* What a row holds, by EVENT_COLUMNS. */
#define EVENT_FROM(from, NUMBER, TEXT)                                                             \
    (struct cal_event)                                                                             \
    {                                                                                              \
        .id = NUMBER(from, 1), .calendar = NUMBER(from, 2), .key = TEXT(from, 3),                  \
        .uid = TEXT(from, 4), .form = (enum cal_event_form)NUMBER(from, 5),                        \
        .status = (enum cal_event_status)NUMBER(from, 6),                                          \
        .kind = (enum cal_event_kind)NUMBER(from, 7),                                              \
        .visibility = (enum cal_event_visibility)NUMBER(from, 8),                                  \
        .response = (enum cal_response)NUMBER(from, 9), .all_day = NUMBER(from, 10),               \
        .free = NUMBER(from, 11), .removed = NUMBER(from, 12), .original_day = NUMBER(from, 13),   \
        .rights = (unsigned)NUMBER(from, 14), .start_us = NUMBER(from, 15),                        \
        .len_us = NUMBER(from, 16), .last_us = NUMBER(from, 17), .original_us = NUMBER(from, 18),  \
        .zone = TEXT(from, 19), .end_zone = TEXT(from, 20), .sequence = NUMBER(from, 21),          \
        .created_us = NUMBER(from, 22), .updated_us = NUMBER(from, 23),                            \
        .change = NUMBER(from, 24), .origin = NUMBER(from, 25), .master = NUMBER(from, 26),        \
        .n_attendees = (int)NUMBER(from, 27), .n_instances = (int)NUMBER(from, 28),                \
        .creator = TEXT(from, 29), .organizer = TEXT(from, 30), .summary = TEXT(from, 31),         \
        .description = TEXT(from, 32), .location = TEXT(from, 33), .color = TEXT(from, 34),        \
        .reminders = TEXT(from, 35), .recurrence = TEXT(from, 36), .own_props = TEXT(from, 37),    \
        .props = TEXT(from, 38), .extra = TEXT(from, 0),                                           \
    }

static struct cal_event from_statement(sqlite3_stmt *st)
{
    return EVENT_FROM(st, sqlite3_column_int64, col);
}

static struct cal_event from_record(struct record *r)
{
    return EVENT_FROM(r, record_int, record_text);
}

static const char *keep(struct arena *a, const char *s)
{
    return s ? arena_strdup(a, s) : NULL;
}

void cal_event_keep(struct arena *a, struct cal_event *ev)
{
    ev->key = keep(a, ev->key);
    ev->uid = keep(a, ev->uid);
    ev->zone = keep(a, ev->zone);
    ev->end_zone = keep(a, ev->end_zone);
    ev->creator = keep(a, ev->creator);
    ev->organizer = keep(a, ev->organizer);
    ev->summary = keep(a, ev->summary);
    ev->description = keep(a, ev->description);
    ev->location = keep(a, ev->location);
    ev->color = keep(a, ev->color);
    ev->reminders = keep(a, ev->reminders);
    ev->recurrence = keep(a, ev->recurrence);
    ev->own_props = keep(a, ev->own_props);
    ev->props = keep(a, ev->props);
    ev->extra = keep(a, ev->extra);
}

static int read_one(struct tx *tx, sqlite3_stmt *st, struct cal_event *ret)
{
    int r = TX_STEP(tx, st);
    if (r == 1) {
        *ret = from_statement(st);
        cal_event_keep(tx->arena, ret);
        sql_done(st);
    }
    return r;
}

int cal_event_row_get(struct tx *tx, int64_t id, struct record *row, struct cal_event *ret)
{
    static struct record_text record = RECORD_TEXT("cal_event", EVENT_COLUMNS);
    static struct sql_text q =
        SQL_TEXT("select " EVENT_COLUMNS " from cal_event e where e.id = :id");
    int r = record_find(tx->db, &record, id, row);
    if (r == 1)
        *ret = from_record(row);
    if (r != RECORD_STATEMENT)
        return r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, id);
    if (!st)
        return -1;
    return read_one(tx, st, ret);
}

int cal_event_by_id(struct tx *tx, int64_t id, struct cal_event *ret)
{
    struct record row = {.arena = tx->arena}; /* its texts stay there */
    return cal_event_row_get(tx, id, &row, ret);
}

static int by_key(struct tx *tx, const struct calendar *cal, const char *key, struct cal_event *ret)
{
    static struct sql_text all = SQL_TEXT(
        "select " EVENT_COLUMNS " from cal_event e where e.calendar = :calendar and e.key = :key");
    static struct sql_text only_id =
        SQL_TEXT("select id from cal_event where calendar = :calendar and key = :key");
    bool records = record_can(tx->db);
    sqlite3_stmt *st = TX_QUERY(tx, records ? &only_id : &all, cal->id, key);
    if (!st)
        return -1;
    if (!records)
        return read_one(tx, st, ret);
    int r = TX_STEP(tx, st);
    if (r != 1)
        return r;
    int64_t id = sqlite3_column_int64(st, 0);
    sql_done(st);
    return cal_event_by_id(tx, id, ret);
}

/* The stamp of an instance's key: "20261123" or "20261123T090000Z". */
static bool read_stamp(const char *s, bool *ret_day, int64_t *ret_us)
{
    struct civil c = {0};
    size_t n = strlen(s);
    int v[6] = {0};
    static const int at[] = {0, 4, 6, 9, 11, 13}, len[] = {4, 2, 2, 2, 2, 2};
    if (n != 8 && !(n == 16 && s[8] == 'T' && s[15] == 'Z'))
        return false;
    for (int i = 0; i < (n == 8 ? 3 : 6); i++) {
        for (int k = 0; k < len[i]; k++) {
            char d = s[at[i] + k];
            if (d < '0' || d > '9')
                return false;
            v[i] = v[i] * 10 + (d - '0');
        }
    }
    c = (struct civil){v[0], v[1], v[2], v[3], v[4], v[5], 0};
    if (c.year < 1 || c.month < 1 || c.month > 12 || c.day < 1 ||
        c.day > days_in_month(c.year, c.month) || c.hour > 23 || c.minute > 59 || c.second > 59)
        return false;
    *ret_day = n == 8;
    *ret_us = civil_to_seconds(&c) * US_PER_SECOND;
    return true;
}

int cal_event_find(struct tx *tx, const struct calendar *cal, const char *key,
                   struct cal_event *ret)
{
    struct cal_event series;
    bool day;
    int64_t us;
    if (calendar_is_holidays(cal))
        return holiday_find(tx, cal, key, ret);
    int r = by_key(tx, cal, key, ret);
    /* The trace of an instance that the series no longer had; it may have it again. */
    bool trace = r == 1 && ret->form == EVENT_INSTANCE && !ret->master && !ret->removed &&
                 ret->status == EVENT_CANCELLED;
    const char *cut = r == 0 || trace ? strrchr(key, '_') : NULL;
    if (!cut || cut == key || !read_stamp(cut + 1, &day, &us))
        return r;
    r = by_key(tx, cal, arena_memdup(tx->arena, key, (size_t)(cut - key)), &series);
    if (r != 1 || series.form != EVENT_SERIES || series.all_day != day ||
        (trace && series.status == EVENT_CANCELLED))
        return r < 0 ? -1 : trace;
    r = series_instance(tx, cal, &series, us, ret);
    return r ? r : trace;
}

int cal_event_by_uid(struct tx *tx, const struct calendar *cal, const char *uid,
                     struct cal_event *ret)
{
    /* Few events have a UID, a calendar many events: the index is to be that of UIDs. */
    static struct sql_text q =
        SQL_TEXT("select " EVENT_COLUMNS " from cal_event e where e.uid = :uid "
                 "and +e.calendar = :calendar order by e.form = 2, e.id limit 1");
    size_t n = strlen(uid);
    static const char domain[] = "@google.com";
    sqlite3_stmt *st = TX_QUERY(tx, &q, uid, cal->id);
    if (!st)
        return -1;
    int r = read_one(tx, st, ret);
    if (r || n <= sizeof domain - 1 || strcmp(uid + n - (sizeof domain - 1), domain) != 0)
        return r;
    r = by_key(tx, cal, arena_memdup(tx->arena, uid, n - (sizeof domain - 1)), ret);
    return r == 1 && ret->uid ? 0 : r;
}

int cal_event_load_attendees(struct tx *tx, struct cal_event *ev)
{
    static struct sql_text q =
        SQL_TEXT("select id, email, name, response, optional, resource, guests, comment "
                 "from cal_attendee where event = :event order by id");
    if (ev->attendees)
        return 0;
    struct cal_attendee *list =
        arena_calloc(tx->arena, ev->n_attendees > 0 ? (size_t)ev->n_attendees : 1, sizeof *list);
    int n = 0, r = 0;
    if (ev->n_attendees) {
        sqlite3_stmt *st = TX_PLAIN(tx, &q);
        if (!st)
            return -1;
        /* Those of an instance that nobody changed are the series'. */
        sql_bind_int(st, 1, ev->origin ? ev->origin : ev->id ? ev->id : ev->master);
        while (n < ev->n_attendees && (r = TX_STEP(tx, st)) == 1)
            list[n++] =
                (struct cal_attendee){.id = sqlite3_column_int64(st, 0),
                                      .email = keep(tx->arena, col(st, 1)),
                                      .name = keep(tx->arena, col(st, 2)),
                                      .response = (enum cal_response)sqlite3_column_int(st, 3),
                                      .optional = sqlite3_column_int(st, 4),
                                      .resource = sqlite3_column_int(st, 5),
                                      .guests = sqlite3_column_int(st, 6),
                                      .comment = keep(tx->arena, col(st, 7))};
        if (r < 0)
            return -1;
        sql_done(st);
    }
    ev->n_attendees = n;
    ev->attendees = list;
    return 0;
}

void cal_event_count_props(struct arena *a, const char *props, size_t *n, size_t *bytes)
{
    const struct json *v;
    struct sosia_err err;
    if (!props || json_parse(a, props, strlen(props), NULL, &v, &err) < 0)
        return;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++) {
        *n += 1;
        *bytes += v->members[i].key_len + v->members[i].value.n;
    }
}

int cal_event_count_other_props(struct tx *tx, const struct cal_event *ev, size_t *n, size_t *bytes)
{
    static struct sql_text q =
        SQL_TEXT("select own_props from cal_event where (id = :origin or origin = :origin) "
                 "and id <> :id and own_props is not null");
    sqlite3_stmt *st = TX_QUERY(tx, &q, ev->origin ? ev->origin : ev->id, ev->id);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1)
        cal_event_count_props(tx->arena, col(st, 0), n, bytes);
    return r;
}

/* ---- storing ---- */

static void bind_null_or(sqlite3_stmt *st, int at, int64_t v)
{
    if (v)
        sql_bind_int(st, at, v);
    else
        sql_bind_null(st, at);
}

/* Parameters 1 to 26, the same for an insert and for the update of everything. */
static void bind_row(sqlite3_stmt *st, const struct cal_event *ev)
{
    sql_bind_int(st, 1, ev->form);
    sql_bind_int(st, 2, cal_event_span(ev));
    sql_bind_int(st, 3, ev->start_us);
    sql_bind_int(st, 4, ev->last_us);
    sql_bind_int(st, 5, ev->len_us);
    sql_bind_int(st, 6, ev->all_day);
    sql_bind_text(st, 7, ev->zone);
    sql_bind_text(st, 8, ev->end_zone);
    sql_bind_int(st, 9, ev->status);
    sql_bind_int(st, 10, ev->visibility);
    sql_bind_int(st, 11, ev->free);
    sql_bind_int(st, 12, ev->rights);
    sql_bind_int(st, 13, ev->response);
    sql_bind_int(st, 14, ev->removed);
    sql_bind_int(st, 15, ev->sequence);
    sql_bind_int(st, 16, ev->updated_us);
    sql_bind_int(st, 17, ev->change);
    sql_bind_int(st, 18, ev->n_attendees);
    sql_bind_text(st, 19, ev->organizer);
    sql_bind_text(st, 20, ev->summary);
    sql_bind_text(st, 21, ev->description);
    sql_bind_text(st, 22, ev->location);
    sql_bind_text(st, 23, ev->color);
    sql_bind_text(st, 24, ev->reminders);
    sql_bind_text(st, 25, ev->recurrence);
    sql_bind_text(st, 26, ev->own_props);
    sql_bind_text(st, 27, ev->props);
    sql_bind_text(st, 28, ev->extra);
}

int cal_event_noted(struct tx *tx, int64_t calendar, int64_t change, int64_t updated_us)
{
    static struct sql_text q =
        SQL_TEXT("update cal_calendar set newest = :change, newest_us = max(newest_us, :updated) "
                 "where id = :calendar");
    return TX_RUN(tx, &q, change, updated_us, calendar);
}

int cal_event_insert_row(struct tx *tx, struct cal_event *ev)
{
    static struct sql_text q = SQL_TEXT(
        "insert into cal_event (form, span, start_us, end_us, len_us, all_day, zone, end_zone, "
        "status, "
        "visibility, free, rights, response, removed, sequence, updated_us, change, n_attendees, "
        "organizer, summary, description, location, color, reminders, recurrence, own_props, "
        "props, extra, calendar, key, uid, kind, created_us, origin, master, original_us, "
        "original_day, n_instances, creator) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    bind_row(st, ev);
    sql_bind_int(st, 29, ev->calendar);
    sql_bind_text(st, 30, ev->key);
    sql_bind_text(st, 31, ev->uid);
    sql_bind_int(st, 32, ev->kind);
    sql_bind_int(st, 33, ev->created_us);
    bind_null_or(st, 34, ev->origin);
    bind_null_or(st, 35, ev->master);
    if (ev->form == EVENT_INSTANCE) {
        sql_bind_int(st, 36, ev->original_us);
        sql_bind_int(st, 37, ev->original_day);
    }
    sql_bind_int(st, 38, ev->n_instances);
    sql_bind_text(st, 39, ev->creator);
    if (sql_run(tx->db, st, tx->err) < 0)
        return -1;
    ev->id = sqlite3_last_insert_rowid(slot_db(tx->db));
    event_note(tx, CHANGED_EVENTS, ev->status == EVENT_CANCELLED ? OP_REMOVED : OP_ADDED,
               ev->calendar, ev->id);
    return cal_event_noted(tx, ev->calendar, ev->change, ev->updated_us);
}

/* Without the columns of the index event_time, most changes write one index less. */
static int update_rest(struct tx *tx, const struct cal_event *ev)
{
    static struct sql_text q = SQL_TEXT(
        "update cal_event set zone = ?, end_zone = ?, visibility = ?, free = ?, rights = ?, "
        "response = ?, sequence = ?, updated_us = ?, change = ?, n_attendees = ?, organizer = ?, "
        "summary = ?, description = ?, location = ?, color = ?, reminders = ?, recurrence = ?, "
        "own_props = ?, props = ?, extra = ? where id = ?");
    return TX_RUN(tx, &q, ev->zone, ev->end_zone, ev->visibility, ev->free, ev->rights,
                  ev->response, ev->sequence, ev->updated_us, ev->change, ev->n_attendees,
                  ev->organizer, ev->summary, ev->description, ev->location, ev->color,
                  ev->reminders, ev->recurrence, ev->own_props, ev->props, ev->extra, ev->id);
}

/* The members that an update changes, as events name them. */
static const char *const *part_names(struct tx *tx, unsigned parts)
{
    static const struct {
        unsigned part;
        const char *name;
    } names[] = {{PART_SUMMARY, "summary"},       {PART_DESCRIPTION, "description"},
                 {PART_LOCATION, "location"},     {PART_TIME, "time"},
                 {PART_RECURRENCE, "recurrence"}, {PART_STATUS, "status"},
                 {PART_VISIBILITY, "visibility"}, {PART_RIGHTS, "rights"},
                 {PART_PROPS, "properties"},      {PART_EXTRA, "other"},
                 {PART_ATTENDEES, "attendees"},   {PART_SEQUENCE, "sequence"},
                 {PART_ORGANIZER, "organizer"},   {PART_COLOR, "color"},
                 {PART_REMINDERS, "reminders"},   {PART_FREE, "transparency"},
                 {PART_OWN_PROPS, "properties"},  {PART_RESPONSE, "response"}};
    const char **list = arena_alloc(tx->arena, (SOSIA_LEN(names) + 1) * sizeof *list);
    size_t n = 0;
    if (arena_failed(tx->arena))
        return NULL;
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (parts & names[i].part)
            list[n++] = names[i].name;
    list[n] = NULL;
    return list;
}

int cal_event_update_row(struct tx *tx, const struct cal_event *ev, unsigned parts)
{
    static struct sql_text q = SQL_TEXT(
        "update cal_event set form = ?, span = ?, start_us = ?, end_us = ?, len_us = ?, all_day = "
        "?, "
        "zone = ?, end_zone = ?, status = ?, visibility = ?, free = ?, rights = ?, response = ?, "
        "removed = ?, sequence = ?, updated_us = ?, change = ?, n_attendees = ?, organizer = ?, "
        "summary = ?, description = ?, location = ?, color = ?, reminders = ?, recurrence = ?, "
        "own_props = ?, props = ?, extra = ? where id = ?");
    event_raise(tx, &(struct world_event){.kind = CHANGED_EVENTS,
                                          .operation = ev->status == EVENT_CANCELLED ? OP_REMOVED
                                                                                     : OP_CHANGED,
                                          .scope = ev->calendar,
                                          .entity = ev->id,
                                          .members = part_names(tx, parts)});
    if (cal_event_noted(tx, ev->calendar, ev->change, ev->updated_us) < 0)
        return -1;
    if (!(parts & (PART_TIME | PART_RECURRENCE | PART_STATUS)))
        return update_rest(tx, ev);
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    bind_row(st, ev);
    sql_bind_int(st, 29, ev->id);
    return sql_run(tx->db, st, tx->err);
}

int cal_event_drop_trace(struct tx *tx, const struct cal_event *ev)
{
#define TRACE                                                                                      \
    "(select id from cal_event where calendar = :calendar and key = :key and form = 2 "            \
    "and master is null and status = 2)"
    static struct sql_text q_guests = SQL_TEXT("delete from cal_attendee where event in " TRACE);
    static struct sql_text q_copies = SQL_TEXT("delete from cal_event where origin in " TRACE);
    static struct sql_text q = SQL_TEXT("delete from cal_event where id in " TRACE);
    struct sql_text *queries[] = {&q_guests, &q_copies, &q};
    for (size_t i = 0; i < SOSIA_LEN(queries); i++) {
        if (TX_RUN(tx, queries[i], ev->calendar, ev->key) < 0)
            return -1;
    }
    return 0;
}

int cal_event_store_attendees(struct tx *tx, struct cal_event *ev)
{
    static struct sql_text q_clear = SQL_TEXT("delete from cal_attendee where event = :event");
    static struct sql_text q_add = SQL_TEXT(
        "insert into cal_attendee (event, email, name, response, optional, resource, guests, "
        "comment) values (?, ?, ?, ?, ?, ?, ?, ?)");
    sqlite3_stmt *st = TX_QUERY(tx, &q_clear, ev->id);
    if (!st)
        return -1;
    if (sql_run(tx->db, st, tx->err) < 0)
        return -1;
    for (int i = 0; i < ev->n_attendees; i++) {
        struct cal_attendee *a = &ev->attendees[i];
        if (!(st = sql_use(tx->db, &q_add)))
            return slot_fail(tx->db, tx->err);
        sql_bind_int(st, 1, ev->id);
        sql_bind_text(st, 2, a->email);
        sql_bind_text(st, 3, a->name);
        sql_bind_int(st, 4, a->response);
        sql_bind_int(st, 5, a->optional);
        sql_bind_int(st, 6, a->resource);
        sql_bind_int(st, 7, a->guests);
        sql_bind_text(st, 8, a->comment);
        if (sql_run(tx->db, st, tx->err) < 0)
            return -1;
        a->id = sqlite3_last_insert_rowid(slot_db(tx->db));
    }
    return 0;
}

int cal_event_touch_series(struct tx *tx, int64_t series, int64_t updated_us, int64_t change)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set updated_us = :updated, change = :change "
                 "where id = :series or master = :series");
    return TX_RUN(tx, &q, updated_us, change, series);
}

int cal_event_count_instances(struct tx *tx, int64_t series)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set n_instances = (select count(*) from cal_event i "
                 "where i.master = :series) where id = :series");
    return TX_RUN(tx, &q, series);
}

bool cal_event_concealed(const struct calendar *cal, const struct cal_event *ev)
{
    if (cal->role >= CAL_WRITE || ev->visibility == VISIBLE_PUBLIC)
        return false;
    return cal->role == CAL_FREEBUSY || ev->visibility >= VISIBLE_PRIVATE;
}

/* Guests of single instances, who have no series for the copy to go with: it is cancelled. follow:
 * it may come back, else it stands alone. */
static int cancel_copies(struct tx *tx, int64_t series, bool follow)
{
#define ALONE "master is null and origin in (select id from cal_event where master = :series)"
    static struct sql_text q_any = SQL_TEXT("select 1 from cal_event where " ALONE " limit 1");
    static struct sql_text q_noted =
        SQL_TEXT("update cal_calendar set newest = :change, newest_us = max(newest_us, :now) "
                 "where id in (select calendar from cal_event where " ALONE ") returning id");
    static struct sql_text q =
        SQL_TEXT("update cal_event set updated_us = iif(status = 2, updated_us, "
                 "max(:now, updated_us + 1)), change = :change, "
                 "origin = iif(:follow, origin, null), status = 2, span = span | 64, "
                 "response = 0, n_attendees = 0 where " ALONE);
    int64_t change;
    int r;
    sqlite3_stmt *st = TX_QUERY(tx, &q_any, series);
    if (!st)
        return -1;
    r = TX_STEP(tx, st);
    if (r != 1)
        return r;
    sql_done(st);
    if (calendar_change(tx, &change) < 0)
        return -1;
    if (!(st = sql_use(tx->db, &q_noted)))
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, change);
    sql_bind_int(st, 2, tx->now_us);
    sql_bind_int(st, 3, series);
    while ((r = TX_STEP(tx, st)) == 1)
        event_note(tx, CHANGED_EVENTS, OP_CHANGED, sqlite3_column_int64(st, 0), 0);
    if (r < 0)
        return -1;
    if (!(st = sql_use(tx->db, &q)))
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, tx->now_us);
    sql_bind_int(st, 2, change);
    sql_bind_int(st, 3, follow);
    sql_bind_int(st, 4, series);
    return sql_run(tx->db, st, tx->err);
}

int cal_event_drop_instances(struct tx *tx, int64_t series)
{
    static struct sql_text q_guests = SQL_TEXT("delete from cal_attendee where event in (select id "
                                               "from cal_event where master = :series)");
    static struct sql_text q_copies =
        SQL_TEXT("delete from cal_event where master is not null and origin in "
                 "(select id from cal_event where master = :series)");
    static struct sql_text q = SQL_TEXT("delete from cal_event where master = :series");
    struct sql_text *queries[] = {&q_guests, &q_copies, &q};
    if (cancel_copies(tx, series, false) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(queries); i++) {
        if (TX_RUN(tx, queries[i], series) < 0)
            return -1;
    }
    return cal_event_count_instances(tx, series);
}

static int run_on_series(struct tx *tx, struct sql_text *const *queries, size_t n, int64_t series)
{
    for (size_t i = 0; i < n; i++) {
        if (TX_RUN(tx, queries[i], series) < 0)
            return -1;
    }
    return 0;
}

int cal_event_hush_instances(struct tx *tx, int64_t series)
{
    static struct sql_text q_copies =
        SQL_TEXT("delete from cal_event where master is not null and origin in "
                 "(select id from cal_event where master = :series)");
    static struct sql_text q =
        SQL_TEXT("update cal_event set rights = rights | 128 | 256 * status, status = 2, "
                 "span = span | 64 where master = :series and rights & 128 = 0");
    static struct sql_text *const queries[] = {&q_copies, &q};
    return cancel_copies(tx, series, true) < 0
               ? -1
               : run_on_series(tx, queries, SOSIA_LEN(queries), series);
}

int cal_event_wake_instances(struct tx *tx, const struct cal_event *series)
{
    static struct sql_text q = SQL_TEXT(
        "update cal_event set status = rights >> 8, span = iif(rights >> 8 = 2, span, span & ~64), "
        "rights = rights & 127 where master = :series and rights & 128");
    /* Without guests of its own it may be one that guests of the series are left out of. */
    static struct sql_text q_next =
        SQL_TEXT("select id, original_us from cal_event where master = :series and original_us > "
                 ":after and (n_attendees > 0 or :guests) order by original_us limit 1");
    static struct sql_text *const queries[] = {&q};
    if (run_on_series(tx, queries, SOSIA_LEN(queries), series->id) < 0)
        return -1;
    for (int64_t after = INT64_MIN;;) {
        struct cal_event instance;
        sqlite3_stmt *st = TX_QUERY(tx, &q_next, series->id, after, series->n_attendees > 0);
        if (!st)
            return -1;
        int r = TX_STEP(tx, st);
        if (r != 1)
            return r;
        int64_t id = sqlite3_column_int64(st, 0);
        after = sqlite3_column_int64(st, 1);
        sql_done(st);
        r = cal_event_by_id(tx, id, &instance);
        if (r != 1 || cal_event_load_attendees(tx, &instance) < 0)
            return -1;
        instance.updated_us = series->updated_us;
        instance.change = series->change;
        if (event_leads(&instance) && cal_copies_follow(tx, &instance) < 0)
            return -1;
    }
}
