/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of events and of their guests: reading, finding and storing them as they are. */
#include "engine/store/cursor.h"
#include "engine/store/scan.h"
#include "engine/world/columns.h"
#include "engine/world/event.h"
#include "services/calendar/core/event/event_impl.h"

/* The columns of cal_event besides id, span and removed, by when they are written. What stays as it
 * was inserted: */
#define FIXED(X)                                                                                   \
    X(calendar, calendar, NUMBER)                                                                  \
    X(key, key, STRING)                                                                            \
    X(uid, uid, STRING)                                                                            \
    X(kind, kind, NUMBER)                                                                          \
    X(created_us, created_us, NUMBER)                                                              \
    X(origin, origin, ID)                                                                          \
    X(n_instances, n_instances, NUMBER)                                                            \
    X(creator, creator, STRING)
/* The place in a series: */
#define IN_SERIES(X)                                                                               \
    X(master, master, ID)                                                                          \
    X(original_us, original_us, IN_INSTANCE)                                                       \
    X(original_day, original_day, IN_INSTANCE)
/* Those of the index cal_event_time, which most changes need not write, and what depends on
 * them: */
#define TIME(X)                                                                                    \
    X(form, form, NUMBER)                                                                          \
    X(status, status, NUMBER)                                                                      \
    X(all_day, all_day, NUMBER)                                                                    \
    X(start_us, start_us, NUMBER)                                                                  \
    X(len_us, len_us, NUMBER)                                                                      \
    X(end_us, last_us, NUMBER)
/* What all copies have alike, but for `extra`. */
#define SHARED(X)                                                                                  \
    X(zone, zone, STRING)                                                                          \
    X(end_zone, end_zone, STRING)                                                                  \
    X(visibility, visibility, NUMBER)                                                              \
    X(sequence, sequence, NUMBER)                                                                  \
    X(updated_us, updated_us, NUMBER)                                                              \
    X(change, change, NUMBER)                                                                      \
    X(n_attendees, n_attendees, NUMBER)                                                            \
    X(organizer, organizer, STRING)                                                                \
    X(summary, summary, STRING)                                                                    \
    X(description, description, STRING)                                                            \
    X(location, location, STRING)                                                                  \
    X(recurrence, recurrence, STRING)                                                              \
    X(props, props, STRING)
/* And what is the calendar's person's own: */
#define OWN(X)                                                                                     \
    X(response, response, NUMBER)                                                                  \
    X(busy, busy, NUMBER)                                                                          \
    X(color, color, STRING)                                                                        \
    X(reminders, reminders, STRING)                                                                \
    X(own_props, own_props, STRING)
/* What few events have, of all copies and of the person: it is behind all others, and read where
 * `rights` has the bit STORED_MORE, so that lists of others need not look. */
#define MORE(X)                                                                                    \
    X(organizer_name, organizer_name, STRING)                                                      \
    X(importance, importance, NUMBER)                                                              \
    X(decline, decline, NUMBER)                                                                    \
    X(decline_text, decline_text, STRING)                                                          \
    X(place, place, STRING)                                                                        \
    X(conference, conference, STRING)
#define OWN_MORE(X)                                                                                \
    X(categories, categories, STRING)                                                              \
    X(reminder_on, reminder_on, NUMBER)                                                            \
    X(reminder_minutes, reminder_minutes, NUMBER)

/* In the column alone. */
#define STORED_MORE  1024
#define STORED_OTHER 2048U /* the UID is not the event's or series' key, '@' and a domain */

#define ALL(X) FIXED(X) IN_SERIES(X) TIME(X) SHARED(X) OWN(X)
#define NAMES  ALL(COLUMN_NAME)
#define MARKS  ALL(COLUMN_MARK)
/* The last of these columns is first in statements, so that SQLite reads the head of a row at once.
 */
#define SELECTED "extra, id, removed, rights" NAMES

#define COLUMN_TAKE_IN_INSTANCE(rec, at) record_int(rec, at)
#define COLUMN_VALUE_IN_INSTANCE(v)      (row->form == EVENT_INSTANCE ? sql_of_int(v) : sql_null())

/* ---- reading ---- */

static const char *column_text(sqlite3_stmt *st, int at)
{
    return (const char *)sqlite3_column_text(st, at);
}

#define FROM_STATEMENT(column, member, kind) row->member = STATEMENT_##kind(st, at++);
#define STATEMENT_NUMBER                     sqlite3_column_int64
#define STATEMENT_IN_INSTANCE                sqlite3_column_int64
#define STATEMENT_ID                         sqlite3_column_int64
#define STATEMENT_STRING                     column_text

/* Strings are the statement's. */
static void from_statement(sqlite3_stmt *st, struct cal_event *row)
{
    int at = 4;
    *row = (struct cal_event){.extra = column_text(st, 0),
                              .id = sqlite3_column_int64(st, 1),
                              .removed = sqlite3_column_int64(st, 2),
                              .rights = (unsigned)sqlite3_column_int64(st, 3) & ~STORED_OTHER};
    ALL(FROM_STATEMENT)
}

/* Strings are the record's. */
static void from_record(struct record *rec, struct cal_event *row)
{
    unsigned at = 4;
    *row = (struct cal_event){.extra = record_text(rec, 0),
                              .id = record_int(rec, 1),
                              .removed = record_int(rec, 2),
                              .rights = (unsigned)record_int(rec, 3) & ~STORED_OTHER};
    ALL(COLUMN_TAKE)
}

#define KEEP(column, member, kind) KEEP_##kind(row->member)
#define KEEP_NUMBER(v)
#define KEEP_IN_INSTANCE(v)
#define KEEP_ID(v)
#define KEEP_STRING(v)                                                                             \
    if (v)                                                                                         \
        v = arena_strdup(a, v);

void cal_event_keep(struct arena *a, struct cal_event *row)
{
    KEEP_STRING(row->extra)
    ALL(KEEP)
    MORE(KEEP)
    OWN_MORE(KEEP)
}

/* Of an event that was read: what few have. 1, -1. */
static int read_more(struct tx *tx, struct cal_event *row)
{
    static struct sql_text q = SQL_TEXT("select id" MORE(COLUMN_NAME)
                                            OWN_MORE(COLUMN_NAME) " from cal_event where id = :id");
    sqlite3_stmt *st;
    int at = 1;
    row->rights &= ~(unsigned)STORED_MORE;
    int r = TX_ROW(tx, &q, &st, row->id);
    if (r != 1)
        return -1;
    MORE(COLUMN_READ)
    OWN_MORE(COLUMN_READ)
    sql_done(st);
    return 1;
}

/* The same of a record's row, from the page where that is. */
static int read_more_there(struct tx *tx, struct record *found, struct cal_event *row)
{
    static struct record_text text =
        RECORD_TEXT("cal_event", "id" MORE(COLUMN_NAME) OWN_MORE(COLUMN_NAME));
    struct record more = {.arena = tx->arena,
                          .room = found->text,
                          .room_size = (size_t)(found->text_end - found->text),
                          .found_on = found->found_on,
                          .of = found->of,
                          .turn = found->turn};
    struct record *rec = &more;
    unsigned at = 1;
    if (record_find(tx->db, &text, row->id, rec) != 1)
        return read_more(tx, row);
    row->rights &= ~(unsigned)STORED_MORE;
    MORE(COLUMN_TAKE)
    OWN_MORE(COLUMN_TAKE)
    if (more.room == found->text) /* its texts are in the room that was left */
        found->text = more.text;
    found->found_on = more.found_on;
    found->of = more.of;
    found->turn = more.turn;
    return 1;
}

static bool has_other_uid(const struct cal_event *row)
{
    const char *at = row->uid ? strchr(row->uid, '@') : NULL;
    size_t n = at ? (size_t)(at - row->uid) : 0;
    return !at || strncmp(row->key, row->uid, n) != 0 || (row->key[n] && row->key[n] != '_');
}

static unsigned stored_rights(const struct cal_event *row)
{
    bool more = row->organizer_name || row->importance || row->decline || row->decline_text ||
                row->place || row->conference || row->categories || row->reminder_on ||
                row->reminder_minutes;
    return row->rights | (more ? STORED_MORE : 0) | (has_other_uid(row) ? STORED_OTHER : 0);
}

static int read_one(struct tx *tx, sqlite3_stmt *st, struct cal_event *ret)
{
    int r = TX_STEP(tx, st);
    if (r == 1) {
        from_statement(st, ret);
        cal_event_keep(tx->arena, ret);
        sql_done(st);
        if (ret->rights & STORED_MORE)
            r = read_more(tx, ret);
    }
    return r;
}

static struct record_text event_record = RECORD_TEXT("cal_event", SELECTED);

int cal_event_row_get(struct tx *tx, int64_t id, struct record *rec, struct cal_event *ret)
{
    static struct sql_text q = SQL_TEXT("select " SELECTED " from cal_event where id = :id");
    int r = record_find(tx->db, &event_record, id, rec);
    if (r == 1) {
        from_record(rec, ret);
        if (ret->rights & STORED_MORE)
            r = read_more_there(tx, rec, ret);
    }
    if (r != RECORD_STATEMENT)
        return r;
    rec->data = NULL;
    return read_one(tx, TX_QUERY(tx, &q, id), ret);
}

bool cal_event_walk(struct tx *tx, struct table_cursor *cur)
{
    return cursor_open(tx->db, &event_record, INT64_MAX, true, tx->arena, cur) == 1;
}

int cal_event_walk_next(struct tx *tx, struct table_cursor *cur, int64_t calendar,
                        struct cal_event *ret)
{
    int r = cursor_next(cur);
    if (r != 1)
        return r < 0 ? RECORD_STATEMENT : 0;
    from_record(&cur->row, ret);
    return ret->calendar == calendar && ret->rights & STORED_MORE
               ? read_more_there(tx, &cur->row, ret)
               : 1;
}

int cal_event_by_id(struct tx *tx, int64_t id, struct cal_event *ret)
{
    struct record rec = {.arena = tx->arena}; /* its texts stay there */
    const struct cal_event *known = tx_recall(tx, &event_record, id);
    if (known) {
        *ret = *known;
        return 1;
    }
    int r = cal_event_row_get(tx, id, &rec, ret);
    if (r == 1)
        tx_remember(tx, &event_record, id, ret, sizeof *ret);
    return r;
}

int cal_event_with_extra(struct tx *tx, int64_t calendar, const char *path, const char *text,
                         struct cal_event *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from cal_event where calendar = :calendar and form < 2 and status < 2 "
                 "and extra is not null and instr(extra, :text) > 0 and (:path is null or "
                 "instr(json_extract(extra, :path), :text) > 0) order by id limit 1");
    int64_t id;
    int r = TX_INT(tx, &q, &id, calendar, text, path);
    return r == 1 ? cal_event_by_id(tx, id, ret) : r;
}

int cal_event_next_changed(struct tx *tx, int64_t series, int64_t after_us, struct cal_event *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from cal_event where master = :series and original_us > :after order "
                 "by original_us limit 1");
    int64_t id;
    int r = TX_INT(tx, &q, &id, series, after_us);
    return r == 1 ? cal_event_by_id(tx, id, ret) : r;
}

int cal_event_key_of(struct tx *tx, int64_t id, const char **ret_key, int64_t *ret_calendar)
{
    static struct sql_text q = SQL_TEXT("select key, calendar from cal_event where id = :id");
    static struct record_text table = RECORD_TEXT("cal_event", "key, calendar");
    struct record rec = {.arena = tx->arena}; /* its text stays there */
    const struct cal_event *known = tx_recall(tx, &event_record, id);
    sqlite3_stmt *st;
    if (known) {
        *ret_key = known->key;
        *ret_calendar = known->calendar;
        return 1;
    }
    int r = record_find(tx->db, &table, id, &rec);
    if (r == 1) {
        *ret_key = record_text(&rec, 0);
        *ret_calendar = record_int(&rec, 1);
    }
    if (r != RECORD_STATEMENT)
        return r;
    r = TX_ROW(tx, &q, &st, id);
    if (r == 1) {
        *ret_key = tx_string(tx, st, 0);
        *ret_calendar = sqlite3_column_int64(st, 1);
        sql_done(st);
    }
    return r;
}

int cal_event_by_key(struct tx *tx, const struct calendar *cal, const char *key,
                     struct cal_event *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from cal_event where calendar = :calendar and key = :key");
    static struct record_text index = INDEX_TEXT("sqlite_autoindex_cal_event_1", "rowid");
    struct record rec = {.arena = tx->arena}; /* its texts stay there */
    int r = TX_SCAN_ROW(tx, &index, &event_record, &rec, key, cal->id);
    if (r == 1) {
        from_record(&rec, ret);
        if (ret->rights & STORED_MORE)
            r = read_more_there(tx, &rec, ret);
    }
    if (r != RECORD_STATEMENT)
        return r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, cal->id, key);
    if (!st)
        return -1;
    return read_one(tx, st, ret);
}

int cal_event_key_used(struct tx *tx, const char *key)
{
    static struct sql_text q = SQL_TEXT("select 1 from cal_event where key = :key limit 1");
    static struct record_text index = INDEX_TEXT("sqlite_autoindex_cal_event_1", "rowid");
    struct scan s;
    int64_t one;
    int r = TX_SCAN(tx, &index, SCAN_FROM, 1, &s, key) == 1 ? scan_next(&s) : -1;
    return r < 0 ? TX_INT(tx, &q, &one, key) : r;
}

int cal_event_with_uid(struct tx *tx, const struct calendar *cal, const char *uid,
                       struct cal_event *ret)
{
    /* Few events have such a UID, a calendar many events: the index is to be that of UIDs. */
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from cal_event where uid = :uid and " UID_OF_OTHERS
                 " and +calendar = :calendar order by form = 2, id limit 1");
    return read_one(tx, TX_QUERY(tx, &q, uid, cal->id), ret);
}

int cal_conference_known(struct tx *tx, const char *key)
{
    static struct sql_text q = SQL_TEXT("select 1 from cal_event where conference = :key limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, key);
}

/* ---- storing ---- */

int cal_event_noted(struct tx *tx, int64_t calendar, int64_t change, int64_t updated_us)
{
    static struct sql_text q =
        SQL_TEXT("update cal_calendar set newest = :change, newest_us = max(newest_us, :updated) "
                 "where id = :calendar");
    return TX_RUN(tx, &q, change, updated_us, calendar);
}

int cal_event_insert_row(struct tx *tx, struct cal_event *row)
{
    static struct sql_text q =
        SQL_TEXT("insert into cal_event (extra, span, removed, rights" NAMES MORE(COLUMN_NAME)
                     OWN_MORE(COLUMN_NAME) ") values (?, ?, ?, ?" MARKS MORE(COLUMN_MARK)
                         OWN_MORE(COLUMN_MARK) ")");
    if (TX_RUN(tx, &q, row->extra, cal_event_span(row), row->removed,
               stored_rights(row) ALL(COLUMN_VALUE) MORE(COLUMN_VALUE) OWN_MORE(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    event_note(tx, CHANGED_EVENTS, row->status == EVENT_CANCELLED ? OP_REMOVED : OP_ADDED,
               row->calendar, row->id);
    return cal_event_noted(tx, row->calendar, row->change, row->updated_us);
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
                 {PART_REMINDERS, "reminders"},   {PART_BUSY, "busy"},
                 {PART_OWN_PROPS, "properties"},  {PART_RESPONSE, "response"},
                 {PART_IMPORTANCE, "importance"}, {PART_CATEGORIES, "categories"},
                 {PART_REMINDER, "reminder"}};
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

int cal_event_update_row(struct tx *tx, const struct cal_event *row, unsigned parts)
{
    static struct sql_text q = SQL_TEXT(
        "update cal_event set extra = ?, span = ?, removed = ?, rights = ?" TIME(COLUMN_SET)
            SHARED(COLUMN_SET) OWN(COLUMN_SET) MORE(COLUMN_SET)
                OWN_MORE(COLUMN_SET) " where id = ?");
    static struct sql_text q_rest = SQL_TEXT("update cal_event set extra = ?, rights = ?" SHARED(
        COLUMN_SET) OWN(COLUMN_SET) MORE(COLUMN_SET) OWN_MORE(COLUMN_SET) " where id = ?");
    event_raise(tx, &(struct world_event){.kind = CHANGED_EVENTS,
                                          .operation = row->status == EVENT_CANCELLED ? OP_REMOVED
                                                                                      : OP_CHANGED,
                                          .scope = row->calendar,
                                          .entity = row->id,
                                          .members = part_names(tx, parts)});
    if (cal_event_noted(tx, row->calendar, row->change, row->updated_us) < 0)
        return -1;
    /* Without the columns of the index cal_event_time, most changes write one index less. */
    if (!(parts & (PART_TIME | PART_RECURRENCE | PART_STATUS)))
        return TX_RUN(tx, &q_rest, row->extra,
                      stored_rights(row) SHARED(COLUMN_VALUE) OWN(COLUMN_VALUE) MORE(COLUMN_VALUE)
                          OWN_MORE(COLUMN_VALUE),
                      row->id);
    return TX_RUN(tx, &q, row->extra, cal_event_span(row), row->removed,
                  stored_rights(row) TIME(COLUMN_VALUE) SHARED(COLUMN_VALUE) OWN(COLUMN_VALUE)
                      MORE(COLUMN_VALUE) OWN_MORE(COLUMN_VALUE),
                  row->id);
}

int cal_event_update_copy(struct tx *tx, const struct cal_event *row)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set extra = ?, span = ?, response = ?, rights = ? | (rights & "
                 "3072)" IN_SERIES(COLUMN_SET) TIME(COLUMN_SET) SHARED(COLUMN_SET)
                     MORE(COLUMN_SET) " where id = ?");
    if (TX_RUN(tx, &q, row->extra, cal_event_span(row), row->response,
               stored_rights(row) IN_SERIES(COLUMN_VALUE) TIME(COLUMN_VALUE) SHARED(COLUMN_VALUE)
                   MORE(COLUMN_VALUE),
               row->id) < 0)
        return -1;
    event_note(tx, CHANGED_EVENTS, row->status == EVENT_CANCELLED ? OP_REMOVED : OP_CHANGED,
               row->calendar, row->id);
    return cal_event_noted(tx, row->calendar, row->change, row->updated_us);
}

/* ---- guests ---- */

#define GUEST(X)                                                                                   \
    X(email, email, STRING)                                                                        \
    X(name, name, STRING)                                                                          \
    X(response, response, NUMBER)                                                                  \
    X(optional, optional, NUMBER)                                                                  \
    X(resource, resource, NUMBER)                                                                  \
    X(guests, guests, NUMBER)                                                                      \
    X(comment, comment, STRING)                                                                    \
    X(answered_us, answered_us, NUMBER)                                                            \
    X(proposed_us, proposed_us, NUMBER)                                                            \
    X(proposed_end_us, proposed_end_us, NUMBER)

static void read_guest(struct tx *tx, sqlite3_stmt *st, struct cal_attendee *row)
{
    int at = 1;
    *row = (struct cal_attendee){.id = sqlite3_column_int64(st, 0)};
    GUEST(COLUMN_READ)
}

/* Those of a copy are its origin's, those of an unchanged instance are the series'. */
static int64_t whose_guests(const struct cal_event *ev)
{
    return ev->origin ? ev->origin : ev->id ? ev->id : ev->master;
}

/* A row behind others, with its length. */
static void add_bytes(struct buf *b, const struct record *row)
{
    buf_add(b, (const char *)&row->size, sizeof row->size);
    buf_add(b, (const char *)row->data, row->size);
}

bool cal_event_stored(struct tx *tx, const struct cal_event *ev, const struct record *row,
                      const void **ret, size_t *ret_n)
{
    static struct record_text index = INDEX_TEXT("cal_attendee_event", "rowid"),
                              table = RECORD_TEXT("cal_attendee", "id");
    struct record guest = {.arena = tx->arena};
    struct scan s;
    struct buf b;
    int r;
    if (!ev->n_attendees) {
        *ret = row->data;
        *ret_n = row->size;
        return true;
    }
    if (TX_SCAN(tx, &index, SCAN_FROM, 1, &s, whose_guests(ev)) != 1)
        return false;
    buf_init(&b, 0);
    add_bytes(&b, row);
    while ((r = scan_next(&s)) == 1 &&
           (r = record_find(tx->db, &table, record_int(&s.entry, 0), &guest)) == 1)
        add_bytes(&b, &guest);
    bool whole = r == 0 && !buf_failed(&b);
    *ret = whole ? arena_memdup(tx->arena, b.data, b.len) : NULL;
    *ret_n = b.len;
    buf_done(&b);
    return whole;
}

int cal_event_load_attendees(struct tx *tx, struct cal_event *ev)
{
    static struct sql_text q = SQL_TEXT(
        "select id" GUEST(COLUMN_NAME) " from cal_attendee where event = :event order by id");
    if (ev->attendees)
        return 0;
    struct cal_attendee *list =
        arena_calloc(tx->arena, ev->n_attendees > 0 ? (size_t)ev->n_attendees : 1, sizeof *list);
    int n = 0, r = 0;
    if (ev->n_attendees) {
        sqlite3_stmt *st = TX_QUERY(tx, &q, whose_guests(ev));
        if (!st)
            return -1;
        while (n < ev->n_attendees && (r = TX_STEP(tx, st)) == 1)
            read_guest(tx, st, &list[n++]);
        if (r < 0)
            return -1;
        sql_done(st);
    }
    ev->n_attendees = n;
    ev->attendees = list;
    return 0;
}

static int add_attendee(struct tx *tx, int64_t event, struct cal_attendee *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into cal_attendee (event" GUEST(COLUMN_NAME) ") values (?" GUEST(COLUMN_MARK) ")");
    if (row->response == RESPONSE_NONE)
        row->answered_us = 0;
    else if (!row->answered_us)
        row->answered_us = tx->now_us;
    if (TX_RUN(tx, &q, event GUEST(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    return 0;
}

int cal_event_store_attendees(struct tx *tx, struct cal_event *ev)
{
    static struct sql_text q = SQL_TEXT("delete from cal_attendee where event = :event");
    if (TX_RUN(tx, &q, ev->id) < 0)
        return -1;
    for (int i = 0; i < ev->n_attendees; i++)
        if (add_attendee(tx, ev->id, &ev->attendees[i]) < 0)
            return -1;
    return 0;
}
