/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of events and of their guests: reading, finding and storing them as they are. */
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
    X(rights, rights, NUMBER)                                                                      \
    X(sequence, sequence, NUMBER)                                                                  \
    X(updated_us, updated_us, NUMBER)                                                              \
    X(change, change, NUMBER)                                                                      \
    X(n_attendees, n_attendees, NUMBER)                                                            \
    X(organizer, organizer, STRING)                                                                \
    X(summary, summary, STRING)                                                                    \
    X(description, description, STRING)                                                            \
    X(location, location, STRING)                                                                  \
    X(recurrence, recurrence, STRING)                                                              \
    X(props, props, STRING)                                                                        \
    X(organizer_name, organizer_name, STRING)                                                      \
    X(importance, importance, NUMBER)                                                              \
    X(decline, decline, NUMBER)                                                                    \
    X(decline_text, decline_text, STRING)                                                          \
    X(place, place, STRING)                                                                        \
    X(conference, conference, STRING)
/* And what is the calendar's person's own: */
#define OWN(X)                                                                                     \
    X(response, response, NUMBER)                                                                  \
    X(busy, busy, NUMBER)                                                                          \
    X(color, color, STRING)                                                                        \
    X(reminders, reminders, STRING)                                                                \
    X(own_props, own_props, STRING)                                                                \
    X(categories, categories, STRING)                                                              \
    X(reminder_on, reminder_on, NUMBER)                                                            \
    X(reminder_minutes, reminder_minutes, NUMBER)

#define ALL(X) FIXED(X) IN_SERIES(X) TIME(X) SHARED(X) OWN(X)
#define NAMES  ALL(COLUMN_NAME)
#define MARKS  ALL(COLUMN_MARK)
/* The table's last column is first in statements, so that SQLite reads the head of a row at once.
 */
#define SELECTED "reminder_minutes, extra, id, removed" NAMES

#define COLUMN_TAKE_IN_INSTANCE(rec, at) record_int(rec, at)
#define COLUMN_VALUE_IN_INSTANCE(v)      (row->form == EVENT_INSTANCE ? sql_of_int(v) : sql_null())

/* ---- reading ---- */

/* Strings are the record's. */
static void from_record(struct record *rec, struct cal_event *row)
{
    unsigned at = 4;
    *row = (struct cal_event){
        .extra = record_text(rec, 1), .id = record_int(rec, 2), .removed = record_int(rec, 3)};
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
}

static int read_one(struct tx *tx, sqlite3_stmt *st, struct cal_event *ret)
{
    struct record rec = {.arena = tx->arena}; /* its texts stay there */
    int r = ROW_ONLY(tx, st, &rec);
    if (r == 1)
        from_record(&rec, ret);
    return r;
}

static struct row_table events = ROW_TABLE("cal_event", "e", SELECTED);

int cal_event_row_get(struct tx *tx, int64_t id, struct record *rec, struct cal_event *ret)
{
    int r = ROW_BY_ID(tx, &events, id, rec);
    if (r == 1)
        from_record(rec, ret);
    return r;
}

int cal_event_by_id(struct tx *tx, int64_t id, struct cal_event *ret)
{
    struct record rec = {.arena = tx->arena}; /* its texts stay there */
    const struct cal_event *known = tx_recall(tx, &events, id);
    if (known) {
        *ret = *known;
        return 1;
    }
    int r = cal_event_row_get(tx, id, &rec, ret);
    if (r == 1)
        tx_remember(tx, &events, id, ret, sizeof *ret);
    return r;
}

int cal_event_key_of(struct tx *tx, int64_t id, const char **ret_key, int64_t *ret_calendar)
{
    static struct row_table table = ROW_TABLE("cal_event", "e", "key, calendar");
    struct record rec = {.arena = tx->arena}; /* its text stays there */
    const struct cal_event *known = tx_recall(tx, &events, id);
    if (known) {
        *ret_key = known->key;
        *ret_calendar = known->calendar;
        return 1;
    }
    int r = ROW_BY_ID(tx, &table, id, &rec);
    if (r == 1) {
        *ret_key = record_text(&rec, 0);
        *ret_calendar = record_int(&rec, 1);
    }
    return r;
}

int cal_event_by_key(struct tx *tx, const struct calendar *cal, const char *key,
                     struct cal_event *ret)
{
    static struct row_key q = ROW_KEY("cal_event", "e", SELECTED, "key = ?1 and calendar = ?2");
    struct record rec = {.arena = tx->arena}; /* its texts stay there */
    int r = ROW_BY_KEY(tx, &q, &rec, key, cal->id);
    if (r == 1)
        from_record(&rec, ret);
    return r;
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
        SQL_TEXT("insert into cal_event (extra, span, removed" NAMES ") values (?, ?, ?" MARKS ")");
    if (TX_RUN(tx, &q, row->extra, cal_event_span(row), row->removed ALL(COLUMN_VALUE)) < 0)
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
    static struct sql_text q =
        SQL_TEXT("update cal_event set extra = ?, span = ?, removed = ?" TIME(COLUMN_SET)
                     SHARED(COLUMN_SET) OWN(COLUMN_SET) " where id = ?");
    static struct sql_text q_rest = SQL_TEXT("update cal_event set extra = ?" SHARED(COLUMN_SET)
                                                 OWN(COLUMN_SET) " where id = ?");
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
        return TX_RUN(tx, &q_rest, row->extra SHARED(COLUMN_VALUE) OWN(COLUMN_VALUE), row->id);
    return TX_RUN(tx, &q, row->extra, cal_event_span(row),
                  row->removed TIME(COLUMN_VALUE) SHARED(COLUMN_VALUE) OWN(COLUMN_VALUE), row->id);
}

int cal_event_update_copy(struct tx *tx, const struct cal_event *row)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set extra = ?, span = ?, response = ?" IN_SERIES(COLUMN_SET)
                     TIME(COLUMN_SET) SHARED(COLUMN_SET) " where id = ?");
    if (TX_RUN(tx, &q, row->extra, cal_event_span(row),
               row->response IN_SERIES(COLUMN_VALUE) TIME(COLUMN_VALUE) SHARED(COLUMN_VALUE),
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
    X(comment, comment, STRING)

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
