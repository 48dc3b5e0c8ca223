/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/store/schema.h"
#include "engine/world/upgrade.h"
#include "engine/store/page_impl.h"
#include "engine/world/engine.h"
#include <stdlib.h>

extern const char release_2_sql[];

/* Of each release that is known, the tables of all its cores, in their order. */
static const struct release {
    const char *format, *schema;
} releases[] = {{"sosia 2", release_2_sql}};

#define UPGRADED "upgraded" /* the key in the table meta: the format that the world came from */

/* ---- releases ---- */

static const struct core_upgrade *upgrade_of(const struct sosia_core *c, const char *from)
{
    const struct core_upgrade *u = c->upgrades;
    while (u && u->from && strcmp(u->from, from) != 0)
        u++;
    return u && u->from ? u : NULL;
}

/* Whether the cores bring their tables of then themselves, as tests do. */
static bool brings_schemas(const struct sosia_engine *e, const char *from)
{
    for (const struct sosia_core **c = e->cores; *c; c++) {
        const struct core_upgrade *u = upgrade_of(*c, from);
        if (u && u->schema)
            return true;
    }
    return false;
}

static const struct release *release_named(const char *format)
{
    for (size_t i = 0; i < SOSIA_LEN(releases); i++)
        if (strcmp(releases[i].format, format) == 0)
            return &releases[i];
    return NULL;
}

const char *release_of(const char *format)
{
    const struct release *r = release_named(format);
    return r ? r->format : NULL;
}

static unsigned char *image_of_cores(const struct sosia_engine *e, const char *format,
                                     size_t *ret_size, struct sosia_err *err)
{
    size_t n = 0;
    for (const struct sosia_core **c = e->cores; *c; c++)
        n++;
    const char **schemas = calloc(n + 1, sizeof *schemas);
    if (!schemas) {
        sosia_fail_memory(err);
        return NULL;
    }
    n = 0;
    for (const struct sosia_core **c = e->cores; *c; c++) {
        const struct core_upgrade *u = upgrade_of(*c, format);
        const char *schema = u && u->schema ? u->schema : (*c)->schema;
        if (schema)
            schemas[n++] = schema;
    }
    unsigned char *image = empty_image(schemas, format, ret_size, err);
    free(schemas);
    return image;
}

unsigned char *release_image(const struct sosia_engine *e, const char *format, size_t *ret_size,
                             struct sosia_err *err)
{
    const char *one[] = {release_named(format)->schema, NULL};
    return brings_schemas(e, format) ? image_of_cores(e, format, ret_size, err)
                                     : empty_image(one, format, ret_size, err);
}

static int has_key(struct sosia_engine *e, const char *format, const char *key,
                   struct sosia_err *err)
{
    char other[COOKIE_KEY];
    size_t len;
    unsigned char *image = release_image(e, format, &len, err);
    if (!image)
        return -1;
    int rc = cookie_schema_of(image, len, other, err);
    sqlite3_free(image);
    return rc < 0 ? -1 : strcmp(key, other) == 0;
}

int release_find(struct sosia_engine *e, const char *key, const char **ret_format,
                 struct sosia_err *err)
{
    *ret_format = NULL;
    for (size_t i = 0; i < SOSIA_LEN(releases); i++) {
        int r = has_key(e, releases[i].format, key, err);
        if (r < 0)
            return -1;
        if (r) {
            *ret_format = releases[i].format;
            return 0;
        }
    }
    return 0;
}

/* ---- what fails ---- */

static int fail_db(sqlite3 *db, const char *from, const char *what, struct sosia_err *err)
{
    int rc = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM)
        return sosia_fail_memory(err);
    if (rc == SQLITE_INTERRUPT && stop_wanted())
        return stop_fail(err);
    return sosia_fail(err, SOSIA_E_INVALID, "upgrade", NULL,
                      "the world can't be upgraded from \"%s\": %.60s: %s", from, what,
                      sqlite3_errmsg(db));
}

static int fail_tables(const char *from, const char *what, const char *name, struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_INVALID, "upgrade", NULL,
                      "the world can't be upgraded from \"%s\": %s: %.100s", from, what, name);
}

/* ---- the steps ---- */

/* Takes the image. */
static int open_image(uint8_t *image, size_t len, sqlite3 **ret_db, struct sosia_err *err)
{
    sqlite3 *db = NULL;
    sqlite3_int64 most = INT64_MAX, size = (sqlite3_int64)len;
    int rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    *ret_db = db;
    if (rc != SQLITE_OK) {
        sqlite3_free(image);
        return sosia_fail_memory(err);
    }
    rc = sqlite3_deserialize(db, "main", image, size, size,
                             SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    if (rc == SQLITE_OK)
        rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_LIMIT, &most);
    sqlite_trust(db);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL); /* the tables of indexes of words */
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    return rc == SQLITE_OK ? 0 : sosia_fail_memory(err);
}

/* Runs the text that a query gives. NULL of it: nothing. */
static int run_made(sqlite3 *db, const char *query, const char *arg)
{
    sqlite3_stmt *st = NULL;
    char *text = NULL;
    int rc = sqlite3_prepare_v2(db, query, -1, &st, NULL);
    if (rc == SQLITE_OK && arg)
        rc = sqlite3_bind_text(st, 1, arg, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    if (rc == SQLITE_ROW && sqlite3_column_text(st, 0)) {
        text = sqlite3_mprintf("%s", sqlite3_column_text(st, 0));
        rc = text ? SQLITE_ROW : SQLITE_NOMEM;
    }
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        rc = SQLITE_OK;
    sqlite3_finalize(st);
    if (rc == SQLITE_OK && text)
        rc = sqlite3_exec(db, text, NULL, NULL, NULL);
    sqlite3_free(text);
    return rc;
}

/* Triggers and views speak of tables by name, so that renaming one fails. */
static int drop_what_names(sqlite3 *db)
{
    return run_made(db,
                    "select group_concat(format('drop %s \"%w\"', type, name), ';') from "
                    "sqlite_schema where type in ('trigger', 'view')",
                    NULL);
}

static int run_steps(struct sosia_engine *e, const char *from, sqlite3 *db, struct sosia_err *err)
{
    if (sqlite3_exec(db, "pragma legacy_alter_table = on; begin", NULL, NULL, NULL) != SQLITE_OK ||
        drop_what_names(db) != SQLITE_OK)
        return fail_db(db, from, "its triggers can't be dropped", err);
    for (const struct sosia_core **c = e->cores; *c; c++) {
        const struct core_upgrade *u = upgrade_of(*c, from);
        if (!u)
            continue;
        if (u->sql && sqlite3_exec(db, u->sql, NULL, NULL, NULL) != SQLITE_OK)
            return fail_db(db, from, (*c)->name, err);
        if (u->run && u->run(db, err) < 0)
            return -1;
    }
    char *text =
        sqlite3_mprintf("insert or replace into meta (key, value) values ('format', %Q), (%Q, %Q);"
                        "commit",
                        WORLD_FORMAT, UPGRADED, from);
    int rc = text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc == SQLITE_OK ? 0 : fail_db(db, from, "meta", err);
}

/* ---- the rows ---- */

/* Gives a row with a name if something is wrong. */
static int check_names(sqlite3 *db, const char *from, const char *query, const char *what,
                       struct sosia_err *err)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(db, query, -1, &st, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        fail_tables(from, what, (const char *)sqlite3_column_text(st, 0), err);
    else if (rc != SQLITE_DONE)
        fail_db(db, from, what, err);
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? 0 : -1;
}

#define TABLES(of)                                                                                 \
    "(select name, type, wr from pragma_table_list where schema = '" of                            \
    "' and type in ('table', 'virtual', 'shadow') and name not like 'sqlite\\_%' escape '\\')"

static int check_tables(sqlite3 *db, const char *from, struct sosia_err *err)
{
    static const struct {
        const char *query, *what;
    } checks[] = {
        {"select name from " TABLES("src") " where name not in (select name from " TABLES(
             "main") ") order by name",
         "this version does not have the table, so a step must rename or drop it"},
        {"select t.name || '.' || c.name from " TABLES(
             "src") " t, pragma_table_xinfo(t.name, 'src') c where t.type = 'table' and not exists "
                    "(select 1 from pragma_table_xinfo(t.name, 'main') m where m.name = c.name) "
                    "order by 1",
         "this version does not have the column, so a step must rename or drop it"},
        {"select t.name || '.' || c.name from " TABLES(
             "src") " t, pragma_table_xinfo(t.name, 'main') c where t.type = 'table' and c.hidden "
                    "= 0 and (c.\"notnull\" or c.pk) and c.dflt_value is null and not exists "
                    "(select 1 from pragma_table_xinfo(t.name, 'src') s where s.name = c.name) "
                    "order by 1",
         "the column has no default, so a step must give it values"},
        {"select m.name from main.sqlite_schema m left join src.sqlite_schema s on s.name = m.name "
         "where m.sql like 'create virtual %' and (s.sql is null or substr(m.sql, "
         "instr(lower(m.sql), 'using')) <> substr(s.sql, instr(lower(s.sql), 'using')))",
         "the index of words must be as it was, but for its name"},
    };
    for (size_t i = 0; i < SOSIA_LEN(checks); i++)
        if (check_names(db, from, checks[i].query, checks[i].what, err) < 0)
            return -1;
    return 0;
}

/* The columns that a table has in both, as SQL wants them in four places. */
struct columns {
    sqlite3_str *to, *from, *same, *key;
};

static int columns_read(sqlite3 *db, const char *table, bool rowid, struct columns *c)
{
    sqlite3_stmt *st = NULL;
    bool alias = false;
    int n = 0, keys = 0,
        rc = sqlite3_prepare_v2(db,
                                "select m.name, m.pk, m.type from pragma_table_xinfo(?1, 'main') "
                                "m join pragma_table_xinfo(?1, 'src') s using (name) where "
                                "m.hidden = 0 order by m.cid",
                                -1, &st, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        const char *comma = n++ ? ", " : "", *and = n > 1 ? " and " : "";
        sqlite3_str_appendf(c->to, "%s\"%w\"", comma, name);
        sqlite3_str_appendf(c->from, "%ss.\"%w\"", comma, name);
        sqlite3_str_appendf(c->same, "%ss.\"%w\" is m.\"%w\" collate binary", and, name, name);
        if (sqlite3_column_int(st, 1)) {
            alias = sqlite3_stricmp((const char *)sqlite3_column_text(st, 2), "integer") == 0;
            if (!rowid)
                sqlite3_str_appendf(c->key, "%ss.\"%w\" = m.\"%w\"", keys ? " and " : "", name,
                                    name);
            keys++;
        }
        rc = SQLITE_OK;
    }
    sqlite3_finalize(st);
    if (rowid)
        sqlite3_str_appendf(c->key, "s.rowid = m.rowid");
    if (rowid && !(keys == 1 && alias)) {
        sqlite3_str_appendf(c->to, ", rowid");
        sqlite3_str_appendf(c->from, ", s.rowid");
    }
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Rows that are others go, and those that are missing come: what the two have in common stays
 * where it is. */
static int copy_rows(sqlite3 *db, const char *table, bool rowid)
{
    struct columns c = {sqlite3_str_new(db), sqlite3_str_new(db), sqlite3_str_new(db),
                        sqlite3_str_new(db)};
    int rc = columns_read(db, table, rowid, &c);
    char *to = sqlite3_str_finish(c.to), *from = sqlite3_str_finish(c.from),
         *same = sqlite3_str_finish(c.same), *key = sqlite3_str_finish(c.key), *text = NULL;
    if (rc == SQLITE_OK && to && from && same && key)
        text = sqlite3_mprintf(
            "delete from main.\"%w\" as m where not exists (select 1 from src.\"%w\" s where %s "
            "and %s);"
            "insert into main.\"%w\" (%s) select %s from src.\"%w\" s where not exists (select 1 "
            "from main.\"%w\" m where %s)",
            table, table, key, same, table, to, from, table, table, key);
    if (rc == SQLITE_OK)
        rc = text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(to);
    sqlite3_free(from);
    sqlite3_free(same);
    sqlite3_free(key);
    sqlite3_free(text);
    return rc;
}

/* Most tables of most worlds are empty. */
static int copy_table(sqlite3 *db, const char *table, bool rowid)
{
    bool from, to = false;
    int rc = schema_has_rows(db, "src", table, &from);
    if (rc == SQLITE_OK && !from)
        rc = schema_has_rows(db, "main", table, &to);
    return rc != SQLITE_OK || (!from && !to) ? rc : copy_rows(db, table, rowid);
}

static int copy_all(sqlite3 *db, const char *from, struct sosia_err *err)
{
    static const char both[] =
        "select name, wr from " TABLES("main") " where type <> 'virtual' and name in (select name "
                                               "from " TABLES("src") ") order by name";
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_exec(db, "begin", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, both, -1, &st, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        rc = copy_table(db, name, !sqlite3_column_int(st, 1));
        if (rc != SQLITE_OK) {
            fail_db(db, from, name, err);
            sqlite3_finalize(st);
            return -1;
        }
    }
    sqlite3_finalize(st);
    if (rc == SQLITE_DONE)
        rc = sqlite3_exec(db, "commit", NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail_db(db, from, "its rows can't be copied", err);
}

/* ---- all of it ---- */

static int steps_image(struct sosia_engine *e, const char *from, uint8_t *image, size_t len,
                       uint8_t **ret_image, sqlite3_int64 *ret_len, struct sosia_err *err)
{
    sqlite3 *db;
    int rc = open_image(image, len, &db, err);
    *ret_image = NULL;
    if (rc == 0)
        rc = run_steps(e, from, db, err);
    if (rc == 0 && !(*ret_image = sqlite3_serialize(db, "main", ret_len, 0)))
        rc = sosia_fail_memory(err);
    sqlite3_close(db);
    return rc;
}

int upgrade_image(struct sosia_engine *e, const char *from, uint8_t *image, size_t len,
                  const struct tree *like, sqlite3 **ret_db, struct sosia_err *err)
{
    uint8_t *old;
    sqlite3_int64 old_len;
    *ret_db = NULL;
    if (steps_image(e, from, image, len, &old, &old_len, err) < 0)
        return -1;
    len = (size_t)like->n_pages * STORE_PAGE_SIZE;
    image = sqlite3_malloc64(len);
    if (!image) {
        sqlite3_free(old);
        return sosia_fail_memory(err);
    }
    tree_copy(like, image);
    if (open_image(image, len, ret_db, err) < 0 ||
        sqlite3_exec(*ret_db, "attach ':memory:' as src", NULL, NULL, NULL) != SQLITE_OK) {
        sqlite3_free(old);
        return sosia_fail_memory(err);
    }
    if (sqlite3_deserialize(*ret_db, "src", old, old_len, old_len,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) !=
        SQLITE_OK)
        return sosia_fail_memory(err);
    return check_tables(*ret_db, from, err) < 0 ? -1 : copy_all(*ret_db, from, err);
}

int upgrade_tree(struct sosia_engine *e, const char *from, const struct tree *old,
                 const struct tree *like, struct tree *ret_tree, struct sosia_err *err)
{
    size_t len = (size_t)old->n_pages * STORE_PAGE_SIZE;
    uint8_t *image = sqlite3_malloc64(len);
    sqlite3_int64 now = 0;
    sqlite3 *db;
    if (!image)
        return sosia_fail_memory(err);
    tree_copy(old, image);
    int rc = upgrade_image(e, from, image, len, like ? like : &e->empty, &db, err);
    const uint8_t *is =
        rc == 0 ? sqlite3_serialize(db, "main", &now, SQLITE_SERIALIZE_NOCOPY) : NULL;
    if (rc == 0 && !is)
        rc = sosia_fail_memory(err);
    if (rc == 0)
        rc = like ? tree_load_fork(e->store, like, is, (size_t)now, ret_tree, err)
                  : tree_load_rows(e->store, &e->empty, is, (size_t)now, ret_tree, err);
    sqlite3_close(db);
    return rc;
}

int world_was_upgraded(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select 1 from meta where key = '" UPGRADED "'");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    int r = sql_step(tx->db, st, tx->err);
    sql_done(st);
    return r;
}
