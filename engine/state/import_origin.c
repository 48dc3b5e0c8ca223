/* SPDX-License-Identifier: Apache-2.0 */
/* What an exported file says of its world beside the rows: the clock, the seed of ids, the limits,
 * the secret and the journal. */
#include "engine/base/codec.h"
#include "engine/state/import_impl.h"
#include "engine/text/civil.h"

#define ORIGIN "it does not say the world's time, seed and journal"

/* Takes a number out of the meta table: 1, 0 it is not there, -1. */
static int take_given(sqlite3 *db, const char *key, int64_t from, int64_t to, int64_t *ret,
                      struct sosia_err *err)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(
        db, "delete from main.meta where key = 'world.' || ? returning value", -1, &st, NULL);
    bool good = false, given = false;
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
        rc = sqlite3_step(st);
    }
    if (rc == SQLITE_ROW) {
        given = true;
        good = parse_i64((const char *)sqlite3_column_text(st, 0),
                         (size_t)sqlite3_column_bytes(st, 0), ret) == 0 &&
               *ret >= from && *ret <= to;
        rc = sqlite3_step(st);
    }
    sqlite3_finalize(st);
    if (rc != SQLITE_DONE)
        return import_fail(db, err);
    return good || !given ? given : import_refuse(err, ORIGIN);
}

static int take_number(sqlite3 *db, const char *key, int64_t from, int64_t to, int64_t *ret,
                       struct sosia_err *err)
{
    int r = take_given(db, key, from, to, ret, err);
    return r ? (r < 0 ? -1 : 0) : import_refuse(err, ORIGIN);
}

/* *ret_given: the file has one. */
static int take_secret(sqlite3 *db, struct world_secret *ret, bool *ret_given,
                       struct sosia_err *err)
{
    sqlite3_stmt *st = NULL;
    bool good = true;
    int rc = sqlite3_prepare_v2(
        db, "delete from main.meta where key = 'world." EXPORTED_SECRET "' returning value", -1,
        &st, NULL);
    if (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        *ret_given = good = world_secret_read((const char *)sqlite3_column_text(st, 0), ret);
        rc = sqlite3_step(st);
    }
    sqlite3_finalize(st);
    if (rc != SQLITE_DONE)
        return import_fail(db, err);
    return good ? 0 : import_refuse(err, ORIGIN);
}

const char *const exported_links[] = {"link_0", "link_1", "link_2", "link_3"};

static int take_link(sqlite3 *db, uint8_t ret[CHAIN_LINK], struct sosia_err *err)
{
    for (int i = 0; i < EXPORTED_LINKS; i++) {
        int64_t part = 0;
        if (take_given(db, exported_links[i], INT64_MIN, INT64_MAX, &part, err) < 0)
            return -1;
        memcpy(ret + (size_t)i * sizeof part, &part, sizeof part);
    }
    return 0;
}

int import_origin(sqlite3 *db, struct world_origin *o, struct sosia_err *err)
{
    /* An offset from real time can't be longer than that. */
    const int64_t least = TIME_FIRST_US, most = TIME_LAST_US;
    /* Files of older versions do not have the last five. */
    int64_t mode, journal, seed, rates = 0, keep = KEEP_REDACTED, steps = WORLD_STEPS_USUAL,
                                 step_mib = 0, journal_mib = 0;
    if (take_number(db, "clock", SOSIA_CLOCK_FROZEN, SOSIA_CLOCK_REAL, &mode, err) < 0)
        return -1;
    bool real = mode == SOSIA_CLOCK_REAL;
    if (take_number(db, "clock_us", real ? least - most : least, most, &o->clock.at_us, err) < 0 ||
        take_number(db, "clock_step_us", 0, INT64_MAX, &o->clock.step_us, err) < 0 ||
        take_number(db, "seed", INT64_MIN, INT64_MAX, &seed, err) < 0 ||
        take_number(db, "journal", SOSIA_JOURNAL_WRITES, SOSIA_JOURNAL_ALL, &journal, err) < 0 ||
        take_given(db, "rates", 0, 1, &rates, err) < 0 ||
        take_given(db, "keep", 0, SOSIA_KEEP_HASHES, &keep, err) < 0 ||
        take_given(db, "steps", 0, WORLD_STEPS_MAX, &steps, err) < 0 ||
        take_given(db, "step_mib", 0, WORLD_MIB_MAX + 1, &step_mib, err) < 0 ||
        take_given(db, "journal_mib", 0, WORLD_MIB_MAX + 1, &journal_mib, err) < 0 ||
        take_secret(db, &o->secret, &o->has_secret, err) < 0)
        return -1;
    if (!seed)
        return import_refuse(err, ORIGIN);
    o->rates = rates;
    o->keep = (enum journal_keep)keep;
    o->steps = (uint32_t)steps;
    o->step_mib = (uint16_t)step_mib;
    o->journal_mib = (uint16_t)journal_mib;
    o->seed = (uint64_t)seed;
    o->clock_mode = (enum sosia_clock_mode)mode;
    o->journal_mode = (enum sosia_journal_mode)journal;
    return 0;
}

/* As sosia writes it, without whitespace: exports have a line for each. */
static int append_line(struct journal *j, const struct json *v)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_value(&w, NULL, v);
    int rc = buf_failed(&b) ? -1 : journal_append(j, b.data, b.len);
    buf_done(&b);
    return rc;
}

#define MAX_FIRST (INT64_C(1) << 53) /* number of an entry */

int import_journal(sqlite3 *db, struct journal *j, struct sosia_err *err)
{
    struct journal_cut cut = {0};
    sqlite3_stmt *st = NULL;
    struct arena arena;
    const struct json *v;
    if (take_link(db, cut.link, err) < 0)
        return -1;
    arena_init(&arena, 0);
    int rc =
        sqlite3_prepare_v2(db, "select entry, seq from src.journal order by seq", -1, &st, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(st, 0);
        size_t len = (size_t)sqlite3_column_bytes(st, 0);
        rc = SQLITE_OK;
        if (!cut.first) {
            cut.first = sqlite3_column_int64(st, 1);
            if (cut.first < 1 || cut.first > MAX_FIRST)
                rc = SQLITE_RANGE;
            else if (cut.first > 1 && journal_begin_cut(j, &cut) < 0)
                rc = SQLITE_NOMEM;
        }
        if (rc != SQLITE_OK)
            ;
        else if (!text || json_parse(&arena, text, len, NULL, &v, err) < 0 ||
                 v->type != JSON_OBJECT)
            rc = SQLITE_MISMATCH;
        else if (append_line(j, v) < 0)
            rc = SQLITE_NOMEM;
        arena_reset(&arena);
    }
    arena_done(&arena);
    if (rc == SQLITE_MISMATCH)
        import_refuse(err, "an entry of its journal is not a JSON object");
    else if (rc == SQLITE_RANGE)
        import_refuse(err, "the number of its journal's first entry can't be");
    else if (rc != SQLITE_DONE)
        import_fail(db, err);
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? 0 : -1;
}

bool import_has_journal(sqlite3 *db)
{
    return sqlite3_table_column_metadata(db, "src", "journal", NULL, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}
