/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of a world about what one or few people report of the service, or what recordings of
 * different years contradict each other about: each can be turned to the other way. A row of the
 * table is all that an option needs; docs/seed.md lists them. Only what differs from the default is
 * stored.
 */
#include "engine/json/doc.h"
#include "engine/world/take.h"
#include "services/calendar/google/gcal.h"

static const struct {
    const char *name;
    const char *words[3]; /* the first is the default; none: a number */
    int64_t usual, min, max;
} table[GCAL_OPTIONS] = {
    [GCAL_CONFERENCE] = {"conference", {"made", "pending"}},
    [GCAL_EMPTY_TIME] = {"emptyTime", {"refused", "taken"}},
    [GCAL_MOVE_RESPONSE] = {"moveResponse", {"source", "destination"}},
    [GCAL_SINGLE_INSTANCES] = {"instancesOfSingle", {"itself", "refused"}},
    [GCAL_UPDATE_PRIMARY] = {"updateOfPrimaryEntry", {"refused", "taken"}},
    [GCAL_UPDATE_NOTICES] = {"notificationsLeftOut", {"kept", "cleared"}},
    [GCAL_IMPORT_ID] = {"importId", {"uid", "hash"}},
    [GCAL_IMPORT_PRIVATE] = {"importPrivateCopy", {"othersEvents", "eventsWithGuests"}},
    [GCAL_PRIVATE_INVITES] = {"privateCopyInvites", {"closed", "open"}},
    [GCAL_LOOSE_DATES] = {"unpaddedDates", {"taken", "refused"}},
    [GCAL_OFFSET_ZONES] = {"offsetZones", {"taken", "refused"}},
    [GCAL_QUICK_WEEKDAY] = {"quickAddWeekday", {"ofThisWeek", "ahead"}},
    [GCAL_QUICK_SERIES] = {"quickAddSeries", {"fromToday", "fromFirstMatch"}},
    [GCAL_GUESTS] = {"guests", {NULL}, 200, 1, 1000},
    [GCAL_TEXT_BYTES] = {"textBytes", {NULL}, 8192, 1024, 1 << 20},
    [GCAL_RECURRENCE_LINES] = {"recurrenceLines", {NULL}, 1000, 16, 10000},
};

int gcal_option(struct tx *tx, enum gcal_option option, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select value from calendar_google_option where name = :name");
    *ret = table[option].usual;
    return TX_INT(tx, &q, ret, table[option].name) < 0 ? -1 : 0;
}

int gcal_option_over(struct call *c, enum gcal_option option, size_t n)
{
    int64_t most;
    if (n <= (size_t)table[option].min)
        return 0; /* no world has less */
    if (gcal_option(&c->tx, option, &most) < 0)
        return -1;
    return n > (size_t)most;
}

/* ---- in documents ---- */

static int set(struct tx *tx, size_t i, int64_t value)
{
    static struct sql_text q =
        SQL_TEXT("insert into calendar_google_option (name, value) values (:name, :value) "
                 "on conflict (name) do update set value = excluded.value");
    static struct sql_text q_usual =
        SQL_TEXT("delete from calendar_google_option where name = :name");
    return value == table[i].usual ? TX_RUN(tx, &q_usual, table[i].name)
                                   : TX_RUN(tx, &q, table[i].name, value);
}

static int seed_option(struct tx *tx, struct doc *d, const struct json *section, size_t i)
{
    int64_t value;
    int word = 0;
    if (table[i].words[0]) {
        if (doc_enum(d, section, table[i].name, table[i].words, 0, &word) < 0)
            return -1;
        value = word;
    } else if (doc_int(d, section, table[i].name, table[i].min, table[i].max, table[i].usual,
                       &value) < 0) {
        return -1;
    }
    return set(tx, i, value);
}

int gcal_options_seed(struct tx *tx, struct doc *d, const struct json *value)
{
    const char *members[GCAL_OPTIONS + 1] = {0};
    if (!value || value->type == JSON_NULL)
        return 0;
    for (size_t i = 0; i < GCAL_OPTIONS; i++)
        members[i] = table[i].name;
    if (doc_object(d, value, members) < 0)
        return -1;
    for (size_t i = 0; i < GCAL_OPTIONS; i++)
        if (json_get(value, table[i].name) && seed_option(tx, d, value, i) < 0)
            return -1;
    return 0;
}

static void write_option(struct json_writer *w, size_t i, int64_t value)
{
    if (!table[i].words[0])
        json_int(w, table[i].name, value);
    else if (value >= 0 && value < 2)
        json_str(w, table[i].name, table[i].words[value]);
}

void gcal_options_schema(struct json_writer *w)
{
    json_raw(w, "type", "[\"object\",\"null\"]", 17);
    json_bool(w, "additionalProperties", false);
    json_obj(w, "properties");
    for (size_t i = 0; i < GCAL_OPTIONS; i++) {
        json_obj(w, table[i].name);
        if (table[i].words[0]) {
            json_arr(w, "enum");
            for (const char *const *word = table[i].words; *word; word++)
                json_str(w, NULL, *word);
            json_null(w, NULL);
            json_end(w);
        } else {
            json_raw(w, "type", "[\"integer\",\"null\"]", 18);
            json_int(w, "minimum", table[i].min);
            json_int(w, "maximum", table[i].max);
        }
        json_end(w);
    }
    json_end(w);
}

int gcal_options_dump(struct tx *tx, struct json_writer *w)
{
    bool any = false;
    for (size_t i = 0; i < GCAL_OPTIONS; i++) {
        int64_t value;
        if (gcal_option(tx, (enum gcal_option)i, &value) < 0)
            return -1;
        if (value == table[i].usual)
            continue;
        if (!any)
            json_obj(w, "googleCalendar");
        any = true;
        write_option(w, i, value);
    }
    if (any)
        json_end(w);
    return 0;
}

int gcal_option_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select name, value from calendar_google_option where id = :id");
    const char *name;
    int64_t value;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &name, &value);
    for (size_t i = 0; r == 1 && i < GCAL_OPTIONS; i++)
        if (strcmp(table[i].name, name) == 0)
            write_option(w, i, value);
    return r;
}
