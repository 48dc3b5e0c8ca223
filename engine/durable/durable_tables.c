/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables the worlds of a directory have: those of this version, or of the release that they
 * are upgraded from. */
#include "engine/durable/durable_impl.h"
#include "engine/world/upgrade.h"

/* under: "tables", or "tables_next". The former ends an upgrade. */
static int write_tables(struct durable *d, const char *under, const char *key, uint32_t cookie,
                        struct sosia_err *err)
{
    char *text = sqlite3_mprintf(
        "begin immediate;"
        "insert or replace into meta (key, value, sum) values (%Q, %Q, row_sum('meta', %Q, %Q)), "
        "('%q_cookie', %u, row_sum('meta', '%q_cookie', %u));"
        "delete from meta where %Q = 'tables' and key in ('tables_next', 'tables_next_cookie');"
        "commit",
        under, key, under, key, under, cookie, under, cookie, under);
    int rc = text ? sqlite3_exec(d->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    if (rc == SQLITE_OK)
        return 0;
    db_fail(d, "the data directory can't be written", err);
    if (!sqlite3_get_autocommit(d->db))
        sqlite3_exec(d->db, "rollback", NULL, NULL, NULL);
    log_has_remains(d);
    return -1;
}

static int other_tables(struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_INVALID, "dataDirectoryTables", NULL,
                      "the worlds in the data directory have other tables than this version's");
}

int tables_find(struct durable *d, char key[COOKIE_KEY], struct sosia_err *err)
{
    char other[COOKIE_KEY];
    for (uint64_t id = 1; id < d->next_base; id++) {
        struct tree t;
        if (!held_count(&d->held_bases, id))
            continue;
        if (base_read(d, id, &t, err) < 0)
            return -1;
        int rc = cookie_schema(t.base, other, err);
        uint32_t cookie = get4(t.base->image + HEADER_COOKIE);
        base_put_back(d, &t);
        if (rc == 0 && *key && strcmp(key, other) != 0)
            rc = other_tables(err);
        d->tables_cookie = cookie;
        if (rc < 0 || (!*key && cookie_set(d->store, other, cookie, err) < 0))
            return -1;
        strcpy(key, other);
        d->tables_new = true;
    }
    return 0;
}

int tables_check(struct durable *d, struct sosia_err *err)
{
    const struct base *empty = d->engine->empty.base;
    uint32_t cookie = get4(empty->image + HEADER_COOKIE);
    char key[COOKIE_KEY];
    if (cookie_schema(empty, key, err) < 0)
        return -1;
    if (d->check)
        return strcmp(key, d->tables) == 0 ? 0 : release_find(d->engine, d->tables, &d->from, err);
    if (!engine_live(d->engine) && strcmp(key, d->tables) != 0)
        return write_tables(d, "tables", key, cookie, err);
    if (*d->tables_next && strcmp(key, d->tables_next) != 0)
        return sosia_fail(err, SOSIA_E_INVALID, "dataDirectoryTables", NULL,
                          "the data directory is being upgraded to another version: open it with "
                          "that version first");
    if (strcmp(key, d->tables) == 0)
        return d->tables_new ? write_tables(d, "tables", key, cookie, err) : 0;
    if (release_find(d->engine, d->tables, &d->from, err) < 0)
        return -1;
    if (!d->from)
        return other_tables(err);
    /* What may be left of an upgrade has this cookie. */
    return *d->tables_next ? 0 : write_tables(d, "tables_next", key, cookie, err);
}

int tables_done(struct durable *d, struct sosia_err *err)
{
    const struct base *empty = d->engine->empty.base;
    char key[COOKIE_KEY];
    return cookie_schema(empty, key, err) < 0
               ? -1
               : write_tables(d, "tables", key, get4(empty->image + HEADER_COOKIE), err);
}
