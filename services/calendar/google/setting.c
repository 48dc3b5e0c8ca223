/* SPDX-License-Identifier: Apache-2.0 */
/* A person's settings for calendars: words and values, all texts. Only what was set is stored. */
#include "engine/json/doc.h"
#include "engine/store/scan.h"
#include "engine/world/core.h"
#include "engine/world/event.h"
#include "engine/world/take.h"
#include "identity/sql.h"
#include "services/calendar/google/gcal.h"

/* How a value may look. */
enum setting_form { FORM_WORDS, FORM_MINUTES, FORM_ZONE, FORM_LOCALE };

static const char *const truths[] = {"true", "false", NULL};

static const struct {
    const char *name, *value;
    enum setting_form form;
    const char *const *words;
} table[GCAL_SETTINGS] = {
    {"autoAddHangouts", "true", FORM_WORDS, truths},
    {"defaultEventLength", "60", FORM_MINUTES, NULL},
    {"dateFieldOrder", "MDY", FORM_WORDS, (const char *const[]){"MDY", "DMY", "YMD", NULL}},
    {"weekStart", "0", FORM_WORDS, (const char *const[]){"0", "1", "6", NULL}},
    {"format24HourTime", "false", FORM_WORDS, truths},
    {"hideInvitations", "false", FORM_WORDS, truths},
    {"hideInvitationsSetting", "NONE", FORM_WORDS,
     (const char *const[]){"NONE", "UNKNOWN_SENDERS", "ALL", NULL}},
    {"locale", NULL, FORM_LOCALE, NULL},
    {"remindOnRespondedEventsOnly", "false", FORM_WORDS, truths},
    {"showDeclinedEvents", "true", FORM_WORDS, truths},
    {"timezone", NULL, FORM_ZONE, NULL},
    {"useKeyboardShortcuts", "true", FORM_WORDS, truths},
    {"hideWeekends", "false", FORM_WORDS, truths},
};

static int index_of(const char *name)
{
    for (int i = 0; i < GCAL_SETTINGS; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

int gcal_setting_all(struct tx *tx, const struct actor *who, struct gcal_setting ret[GCAL_SETTINGS])
{
    static struct sql_text q = SQL_TEXT("select name, value, updated_us, change "
                                        "from gcal_setting where actor = :actor");
    struct calendar cal;
    int r = calendar_of(tx, who->id, &cal);
    if (r < 0)
        return -1;
    for (int i = 0; i < GCAL_SETTINGS; i++) {
        ret[i] = (struct gcal_setting){
            .name = table[i].name, .value = table[i].value, .updated_us = r ? cal.created_us : 0};
        if (table[i].form == FORM_LOCALE)
            ret[i].value = who->locale;
        else if (table[i].form == FORM_ZONE)
            ret[i].value = r ? cal.zone : who->zone;
    }
    sqlite3_stmt *st = TX_QUERY(tx, &q, who->id);
    struct gcal_setting row;
    while ((r = TX_TAKE_NEXT(tx, st, &row.name, &row.value, &row.updated_us, &row.change)) == 1) {
        int i = index_of(row.name);
        if (i >= 0)
            ret[i] = row;
    }
    return r;
}

int gcal_setting_get(struct tx *tx, const struct actor *who, const char *name,
                     struct gcal_setting *ret)
{
    struct gcal_setting all[GCAL_SETTINGS];
    int i = index_of(name);
    if (i < 0)
        return 0;
    if (gcal_setting_all(tx, who, all) < 0)
        return -1;
    *ret = all[i];
    return 1;
}

int gcal_setting_is(struct tx *tx, const struct actor *who, const char *name, const char *value)
{
    static struct record_text index = INDEX_TEXT("sqlite_autoindex_gcal_setting_1", "rowid"),
                              rows = RECORD_TEXT("gcal_setting", "value");
    struct record row = {.arena = tx->arena};
    struct gcal_setting s = {0};
    int i = index_of(name), r = TX_SCAN_ROW(tx, &index, &rows, &row, who->id, name);
    if (r == 1)
        return strcmp(record_text(&row, 0), value) == 0;
    if (r == 0 && i >= 0 && table[i].value)
        return strcmp(table[i].value, value) == 0;
    r = gcal_setting_get(tx, who, name, &s);
    return r == 1 ? strcmp(s.value, value) == 0 : r;
}

static bool fits(int i, const char *value)
{
    size_t n = strlen(value);
    switch (table[i].form) {
    case FORM_WORDS:
        for (const char *const *w = table[i].words; *w; w++)
            if (strcmp(*w, value) == 0)
                return true;
        return false;
    case FORM_MINUTES:
        return n > 0 && n < 5 && strspn(value, "0123456789") == n && value[0] != '0';
    case FORM_ZONE:
        return tz_find(value) != NULL;
    case FORM_LOCALE:
        break;
    }
    return n >= 2 && n <= 16;
}

int gcal_setting_set(struct tx *tx, int64_t actor, const char *name, const char *value)
{
    static struct sql_text q =
        SQL_TEXT("insert into gcal_setting (actor, name, value, updated_us, change) "
                 "values (:actor, :name, :value, :now, :change) on conflict (actor, name) "
                 "do update set value = excluded.value, change = excluded.change, "
                 "updated_us = excluded.updated_us");
    struct gcal_setting all[GCAL_SETTINGS];
    int64_t change, updated_us = tx->now_us;
    int i = index_of(name);
    if (i < 0)
        return tx_fail(tx, SOSIA_E_INVALID, "invalid", NULL, "there is no setting \"%s\"", name);
    if (!fits(i, value))
        return tx_fail(tx, SOSIA_E_INVALID, "invalid", NULL, "\"%s\" is not a value of %s", value,
                       name);
    /* Later than all others: what changed since is known from the time alone. */
    struct actor who;
    int r = actor_by_id(tx, actor, &who);
    if (r != 1 || gcal_setting_all(tx, &who, all) < 0 || calendar_change(tx, &change) < 0)
        return -1;
    for (int k = 0; k < GCAL_SETTINGS; k++)
        if (updated_us <= all[k].updated_us)
            updated_us = all[k].updated_us + 1;
    event_note(tx, GCAL_CHANGED_SETTINGS, OP_CHANGED, actor, 0);
    return TX_RUN(tx, &q, actor, name, value, updated_us, change);
}

/* ---- in documents ---- */

int gcal_setting_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    const char *email;
    struct actor who;
    if (v->type != JSON_OBJECT)
        return doc_fail(d, v, NULL, "must be an object");
    if (doc_str(d, v, "person", true, &email) < 0)
        return -1;
    int r = actor_by_email(tx, email, &who);
    if (r != 1)
        return r < 0 ? -1 : doc_refuse(d, v, "person", "there is nobody \"%.80s\"", email);
    for (uint32_t k = 0; k < v->n; k++) {
        const struct json_member *m = &v->members[k];
        char text[sizeof tx->err->text];
        if (strcmp(m->key, "person") == 0)
            continue;
        if (m->value.type != JSON_STRING)
            return doc_fail(d, &m->value, m->key, "must be a text");
        if (gcal_setting_set(tx, who.id, m->key, m->value.str) == 0)
            continue;
        if (tx->err->code != SOSIA_E_INVALID)
            return -1;
        memcpy(text, tx->err->text, sizeof text);
        return doc_fail(d, &m->value, m->key, "%s", text);
    }
    return 0;
}

void gcal_setting_schema(struct json_writer *w)
{
    json_raw(w, "type", "[\"array\",\"null\"]", 16);
    json_obj(w, "items");
    json_str(w, "type", "object");
    json_bool(w, "additionalProperties", false);
    json_raw(w, "required", "[\"person\"]", 10);
    json_obj(w, "properties");
    json_obj(w, "person");
    json_str(w, "description", "Whose settings they are");
    json_str(w, "type", "string");
    json_end(w);
    for (int i = 0; i < GCAL_SETTINGS; i++) {
        json_obj(w, table[i].name);
        json_str(w, "type", "string");
        if (table[i].form == FORM_WORDS) {
            json_arr(w, "enum");
            for (const char *const *word = table[i].words; *word; word++)
                json_str(w, NULL, *word);
            json_end(w);
        }
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

int gcal_setting_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select name, value from gcal_setting where id = :id");
    const char *name, *value;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &name, &value);
    if (r == 1)
        json_str(w, name, value);
    return r;
}

static int person_settings(struct tx *tx, int64_t actor, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select name, value from gcal_setting where actor = :actor order by name");
    struct actor who;
    int r = actor_by_id(tx, actor, &who);
    sqlite3_stmt *st = r == 1 ? TX_QUERY(tx, &q, actor) : NULL;
    if (!st)
        return r == 1 ? -1 : r;
    json_str(w, "person", who.email);
    while ((r = TX_STEP(tx, st)) == 1)
        json_str(w, (const char *)sqlite3_column_text(st, 0),
                 (const char *)sqlite3_column_text(st, 1));
    return r < 0 ? -1 : 1;
}

int gcal_settings_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select distinct s.actor from gcal_setting s order by " IDENT_SQL_EMAIL("s.actor"));
    return dump_list(tx, w, "calendarSettings", &q, person_settings);
}
